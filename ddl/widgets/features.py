"""Feature maps: what each layer of a convolutional network makes of an image."""

from typing import NamedTuple

import numpy as np

from ..core import Tensor
from ..figures import figure, png
from ..graph.tagged import number
from ..nn import Conv2d, Module
from .asked import placed, undisturbed
from .base import Widget
from .cells import array_of
from .digits import reader

CHANNELS = 32  # of a layer that are shown
SIDE = 24  # rows and columns of a map; a larger one is shown by the means of its parts
LAYERS = 16
IMAGES = 64


class Layer(NamedTuple):
    """The maps (C, H, W) of one layer, and the kernels that found them where each is one (h, w)."""

    name: str
    kind: str
    shape: tuple
    maps: np.ndarray
    means: list
    kernels: np.ndarray | None


class Seen(NamedTuple):
    layers: list
    image: int
    images: int


class Features(Widget, bundle="features"):
    """`Features(model, images)` shows the maps (C, H, W) of every layer of a model that gives some.

    Images are (N, C, H, W), (N, H, W) or (H, W). Of a layer 32 channels are shown, of the model 16 layers, of a map
    24 x 24 places. Left out, a CNN is shown that reads the digits that come with scikit-learn.
    """

    def __init__(self, model=None, images=None):
        self.model = reader() if model is None else model
        if not isinstance(self.model, Module):
            raise ValueError(f"features takes a model with layers, a Module, but {model!r} was given")
        self.given = _images(_digits() if images is None else array_of("features", images))
        super().__init__(seen(self.model, self.given, 0))

    def plain(self, state):
        flat = lambda x: [*map(number, np.round(x.astype(float), 6).ravel().tolist())]
        layers = [
            layer._asdict()
            | {
                "maps": [flat(m) for m in layer.maps],
                "means": [*map(number, layer.means)],
                "size": list(layer.maps.shape[1:]),
            }
            | {"kernels": layer.kernels.tolist() if layer.kernels is not None else None}
            for layer in state.layers
        ]
        return state._asdict() | {"layers": layers}

    def describe(self, state):
        return "\n".join(_lines(state))

    def picture(self, state):
        return _picture(state)

    def change(self, image):
        if not isinstance(image, int) or not 0 <= image < len(self.given):
            raise ValueError(f"images are 0 to {len(self.given) - 1}, but {image!r} was asked for")
        return seen(self.model, self.given, image)


def features(model=None, images=None):
    """What each layer of a convolutional network makes of an image: a `Features`."""
    return Features(model, images)


def seen(model, images, place):
    """Every layer's maps for one image; the model stays as it was."""
    found = []
    with undisturbed(model) as asked:
        for path, module in asked.named_modules():
            if path and not [*module.children()]:
                module.register_forward_hook(_note(found, path))
        asked(placed(asked, images[place : place + 1]))
    if not found:
        raise ValueError("features shows layers that give maps (N, C, H, W), but this model has none")
    layers = [_layer("the image", "input", images[place]), *(_layer(*about) for about in found[:LAYERS])]
    return Seen(layers, place, len(images))


def _note(found, path):
    def note(module, inputs, out):
        if isinstance(out, Tensor) and out.ndim == 4:
            found.append((path, type(module).__name__, out.numpy()[0], module))

    return note


def _layer(name, kind, maps, module=None):
    means = [float(m.astype(float).mean()) for m in maps[:CHANNELS]]
    kernels = (
        module.weight.numpy()[:CHANNELS, 0] if isinstance(module, Conv2d) and module.weight.shape[1] == 1 else None
    )
    return Layer(name, kind, maps.shape, np.stack([_smaller(m) for m in maps[:CHANNELS]]), means, kernels)


def _smaller(x):
    """A map with at most SIDE rows and columns, each place the mean of those it stands for."""
    for axis in (0, 1):
        n = x.shape[axis]
        if n > SIDE:
            edges = np.linspace(0, n, SIDE + 1).astype(int)
            widths = np.diff(edges).reshape((-1, 1) if axis == 0 else (1, -1))
            x = np.add.reduceat(x, edges[:-1], axis) / widths
    return x


def _digits():
    from sklearn.datasets import load_digits

    return load_digits().images[:10] / 16


def _images(found):
    found = found[None] if found.ndim == 2 else found
    found = found[:, None] if found.ndim == 3 else found
    if found.ndim != 4 or not 1 <= len(found) <= IMAGES:
        raise ValueError(f"features shows images (N, C, H, W), N up to {IMAGES}, but {found.shape} was given")
    return found


def shown(state):
    """The layer that is shown first, of which the picture is too: the first after the image."""
    return state.layers[1]


def _lines(state):
    yield f"Image {state.image} of {state.images}: what each layer makes of it, channels by their means."
    for layer in state.layers:
        means = ", ".join(f"{x:.4g}" for x in layer.means)
        more = f" (the first {CHANNELS})" if layer.shape[0] > CHANNELS else ""
        yield f"{layer.name} ({layer.kind}) {layer.shape}: {means}{more}"


def _picture(state):
    layer = shown(state)
    count = min(len(layer.maps), 16)
    columns = min(count, 8)
    rows = -(-count // columns)
    made = figure(720, 150 + 100 * rows)
    image, below = made.subfigures(2, 1, height_ratios=(1.2, rows))
    axes = image.subplots(1, 1)
    axes.imshow(state.layers[0].maps[0], cmap="Greys")
    axes.set_title(f"image {state.image}", fontsize=9)
    axes.axis("off")
    below.suptitle(f"{layer.name} ({layer.kind}), channels 0 to {count - 1}; red above 0, blue below", fontsize=9)
    most = np.abs(layer.maps[:count]).max() or 1.0
    for i, axes in enumerate(np.atleast_1d(below.subplots(rows, columns)).ravel()):
        axes.axis("off")
        if i < count:
            axes.imshow(layer.maps[i], cmap="RdBu_r", vmin=-most, vmax=most)
            axes.set_title(str(i), fontsize=8)
    return png(made)
