"""Initialisers: how the scale of activations and of gradients fares on its way through a deep net, layer by layer."""

from functools import partial
from typing import NamedTuple

import numpy as np

from ..backward import grad
from ..checks import positive, whole
from ..core import Tensor
from ..creation import tensor
from ..figures import COLORS, STRIPED, figure, png
from ..graph.tagged import number
from ..nn import functional, init
from .base import Widget

INITIALISERS = {
    "normal, std 1": init.normal,
    "normal, std 0.01": partial(init.normal, std=0.01),
    "uniform, 0 to 1": init.uniform,
    "trunc_normal, std 0.02": partial(init.trunc_normal, std=0.02),
    "xavier_uniform": init.xavier_uniform,
    "xavier_normal": init.xavier_normal,
    "kaiming_uniform": init.kaiming_uniform,
    "kaiming_normal": init.kaiming_normal,
    "orthogonal": init.orthogonal,
}
ACTIVATIONS = ("tanh", "relu", "gelu", "sigmoid", "none")
BINS = 31
BAD = 100  # from the first layer to the last; a factor of 2 in one layer is as bad
LIMITS = {"depth": 30, "width": 256}
SAMPLES = 64


class Passage(NamedTuple):
    """One initialiser: standard deviations and histograms by layer, the input first; `reach` is a histogram's ends."""

    name: str
    forward: list
    backward: list
    shapes: list
    slopes: list


class Run(NamedTuple):
    """All initialisers on one net of `depth` layers."""

    depth: int
    width: int
    activation: str
    seed: int
    passages: list
    shown: int


class Initialisers(Widget, bundle="initialisers"):
    """`Initialisers(depth=10, width=64, activation="tanh")`: what each of ddl.nn.init's does to a deep net's scale.

    A batch of 64 samples of standard normal numbers goes forward through `depth` layers without bias, and standard
    normal gradients come back. For all initialisers each layer's standard deviation and histogram are sent.
    """

    def __init__(self, depth=10, width=64, activation="tanh", shown="xavier_uniform", seed=0):
        super().__init__(passed(depth, width, activation, shown, seed))

    def plain(self, state):
        numbers = lambda p: {"forward": [*map(number, p.forward)], "backward": [*map(number, p.backward)]}
        passages = [passage._asdict() | numbers(passage) for passage in state.passages]
        return state._asdict() | {"passages": passages, "activations": ACTIVATIONS, "limits": LIMITS}

    def describe(self, state):
        return "\n".join(_lines(state))

    def picture(self, state):
        return _picture(state)

    def change(self, depth, width, activation, shown):
        return passed(depth, width, activation, shown, self.state.seed)


def initialisers(depth=10, width=64, activation="tanh", shown="xavier_uniform", seed=0):
    """What initialisers do to the scale of activations and gradients in a deep net: an `Initialisers`."""
    return Initialisers(depth, width, activation, shown, seed)


def passed(depth, width, activation, shown, seed):
    """A batch sent through the net and a gradient sent back, for every initialiser."""
    positive("initialisers", depth=depth, width=width)
    whole("initialisers", 0, seed=seed)
    for name, n in (("depth", depth), ("width", width)):
        if n > LIMITS[name]:
            raise ValueError(f"initialisers shows a {name} of up to {LIMITS[name]}, but {n} was given")
    if activation not in ACTIVATIONS:
        raise ValueError(f"activations are {', '.join(ACTIVATIONS)}, but {activation!r} was given")
    if shown not in INITIALISERS:
        raise ValueError(f"initialisers are {'; '.join(INITIALISERS)}, but {shown!r} was given")
    with np.errstate(all="ignore"):
        passages = [passage(name, f, depth, width, activation, seed) for name, f in INITIALISERS.items()]
    return Run(depth, width, activation, seed, passages, [*INITIALISERS].index(shown))


def passage(name, initialise, depth, width, activation, seed):
    """Forward and backward through `depth` layers x <- f(x W^T), W drawn anew for each."""
    rng = np.random.default_rng(seed)
    f = (lambda x: x) if activation == "none" else getattr(functional, activation)
    xs = [tensor(rng.normal(size=(SAMPLES, width)).astype(np.float32), requires_grad=True)]
    for _ in range(depth):
        w = Tensor(initialise((width, width), rng=rng))
        xs.append(f(xs[-1] @ w.mT))
    gradients = backward(xs, rng.normal(size=(SAMPLES, width)).astype(np.float32))
    arrays = [x.numpy() for x in xs]
    scales = [[scale(x) for x in each] for each in (arrays, gradients)]
    return Passage(name, *scales, [histogram(x) for x in arrays], [histogram(g) for g in gradients])


def backward(xs, g):
    """The gradient at each of the layers' outputs, for g at the last."""
    found = grad((xs[-1] * Tensor(g)).sum(), xs)
    return [x.numpy() for x in found]


def scale(x):
    """The root of the mean square: how large the entries are. In double, where squares of small numbers are no 0."""
    return float(np.sqrt(np.square(x.astype(np.float64)).mean()))


def histogram(x):
    """BINS counts between -reach and reach, where reach holds 99.5 % of the entries, and how many are exactly 0."""
    size = np.abs(x[np.isfinite(x)]).astype(np.float64)
    reach = float(np.quantile(size, 0.995)) if size.size else 0.0
    counts = np.histogram(np.clip(x.astype(np.float64), -reach, reach), BINS, (-reach or -1.0, reach or 1.0))[0]
    return {"reach": reach, "counts": counts.tolist(), "zeros": int((x == 0).sum()), "of": int(x.size)}


def verdict(scales):
    """What becomes of a scale in words, by its ends and by the factor of one layer, and that factor."""
    first, last = scales[0], scales[-1]
    if not np.isfinite(last):
        return "overflows", float("inf")
    if not last or not first:
        return "dies: all is 0", 0.0
    ratio = (last / first) ** (1 / max(len(scales) - 1, 1))
    ends = last / first
    vanishes, explodes = ends < 1 / BAD or ratio <= 0.5, ends > BAD or ratio >= 2
    return "vanishes" if vanishes else "explodes" if explodes else "keeps its size", ratio


def _lines(state):
    net = f"Layers: {state.depth}, each of {state.width} units, {state.activation}"
    yield f"{net}. Root mean square of what each passes on:"
    for passage in state.passages:
        forward, factor = verdict(passage.forward)
        backward, back = verdict(passage.backward[::-1])
        yield f"{passage.name}: forward {forward} (x {factor:.3g} a layer), backward {backward} (x {back:.3g} a layer)"
    chosen = state.passages[state.shown]
    yield f"{chosen.name}, from the input (0) to the last layer:"
    for layer, (x, g) in enumerate(zip(chosen.forward, chosen.backward)):
        zeros = chosen.shapes[layer]["zeros"] / chosen.shapes[layer]["of"]
        yield f"layer {layer}: activations {x:.4g}, gradients {g:.4g}" + (f", {zeros:.0%} zeros" if zeros else "")


def _picture(state):
    made = figure(720, 470)
    top, bottom = made.subfigures(2, 1, height_ratios=(2, 1))
    for axes, kind, title in zip(top.subplots(1, 2), ("forward", "backward"), ("activations", "gradients")):
        for n, passage in enumerate(state.passages):
            chosen = n == state.shown
            look = {"color": COLORS[n % 6], "linestyle": STRIPED[(n // 6 + n) % 6], "linewidth": 3 if chosen else 1.2}
            axes.plot([x if x > 0 else np.nan for x in getattr(passage, kind)], label=passage.name, **look)
        axes.set(yscale="log", xlabel="layer", ylabel="root mean square", title=f"size of the {title}")
    top.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=8, frameon=False)
    chosen = state.passages[state.shown]
    layers = np.unique(np.linspace(0, state.depth, 6).astype(int))
    bottom.suptitle(f"activations with {chosen.name}", fontsize=9)
    for axes, layer in zip(np.atleast_1d(bottom.subplots(1, len(layers))), layers):
        shape = chosen.shapes[layer]
        reach = shape["reach"] or 1.0
        axes.stairs(shape["counts"], np.linspace(-reach, reach, BINS + 1), fill=True, color=COLORS[0])
        axes.set(yticks=[], xticks=[-reach, reach], xticklabels=[f"{x:.2g}" for x in (-reach, reach)])
        axes.set_title(f"layer {layer}", fontsize=9)
        axes.tick_params(labelsize=8)
    return png(made)
