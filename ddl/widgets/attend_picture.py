"""Attention as a picture: every head small, and the first one large with its tokens."""

import numpy as np

from ..figures import COLORS, figure, png
from .language import drawable


def drawn(layers, title):
    """The bytes of a PNG."""
    heads = max(len(layer["weights"]) for layer in layers)
    image = figure(700, 400)
    image.suptitle(title, fontsize=9, wrap=True)
    small, large = image.subfigures(1, 2, width_ratios=(1, 1.15))
    grid = small.subplots(len(layers), heads, squeeze=False)
    for row, layer in zip(grid, layers):
        for h, axes in enumerate(row):
            axes.set_axis_off()
            if h < len(layer["weights"]):
                axes.imshow(colored(layer["weights"][h]), aspect="auto", interpolation="nearest")
    small.supxlabel(f"{heads} heads, from left to right", fontsize=9)
    small.supylabel(f"{len(layers)} layers, the first on top", fontsize=9)
    first = layers[0]
    axes = large.add_subplot()
    axes.imshow(colored(first["weights"][0]), interpolation="nearest")
    size = min(9, 230 / max(len(first["queries"]), len(first["keys"])))
    names = lambda labels: [drawable(label, str(i)) for i, label in enumerate(labels)]
    axes.set_yticks(range(len(first["queries"])), names(first["queries"]), fontsize=size, parse_math=False)
    axes.set_xticks(range(len(first["keys"])), names(first["keys"]), fontsize=size, rotation=90, parse_math=False)
    axes.set(xlabel="key", ylabel="query")
    axes.set_title(f"{first['name']}, head 0", fontsize=9)
    return png(image)


def colored(weights):
    """Weights as colours: blue on the past and present, rust on the future, fuller where there is more."""
    from matplotlib.colors import to_rgb

    later = np.triu(np.ones(weights.shape, bool), 1)[..., None]
    full = np.where(later, to_rgb(COLORS[1]), to_rgb(COLORS[0]))
    share = np.sqrt(np.clip(weights, 0, 1))[..., None]
    return 1 - share * (1 - full)
