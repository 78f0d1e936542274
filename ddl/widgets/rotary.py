"""Rotary positions: the pairs of a head's coordinates turn with the position, so that a score sees distances only."""

import math

import numpy as np

from ..checks import above, whole
from ..core import Tensor
from ..figures import COLORS, figure, png
from ..nn import RotaryEmbedding
from .asked import host
from .base import Widget
from .cells import array_of

WIDEST, FARTHEST = 64, 64  # a head's width and positions that are shown
LARGEST = 1e100  # of a vector's numbers: products of larger ones are not finite
CONVENTIONS = {"split": "halves: (i, i + D / 2)", "interleaved": "neighbours: (2i, 2i + 1)"}


class Rotary(Widget, bundle="rotary"):
    """A query and a key, turned at every position by ddl's own rope, in both conventions of what a pair is.

    `dim` is a head's width, up to 64, or an nn.RotaryEmbedding, whose width, base and convention are taken; `positions`
    are up to 64. `q` and `k` (dim,) are drawn from `seed` where they are left out.
    """

    def __init__(self, dim=8, positions=16, base=10000.0, interleaved=False, q=None, k=None, seed=0):
        if isinstance(dim, RotaryEmbedding):
            dim, base, interleaved = dim.dim, dim.base, dim.interleaved
        shown = "interleaved" if interleaved else "split"
        super().__init__(turned(dim, positions, base, seed, q, k) | {"shown": shown})

    def change(self, dim=None, positions=None, base=None, seed=None):
        now = self.state
        asked = {"dim": dim, "positions": positions, "base": base, "seed": seed}
        asked = {name: now[name] if value is None else value for name, value in asked.items()}
        own = dim is None and seed is None  # the vectors stay, unless others are asked for
        return turned(**asked, **({"q": now["q"], "k": now["k"]} if own else {})) | {"shown": now["shown"]}

    def plain(self, state):
        digits = lambda x: [*map(digits, x)] if isinstance(x, list) else float(f"{x:.10g}")
        vectors = {kind: {side: digits(x.tolist()) for side, x in of.items()} for kind, of in state["turned"].items()}
        plain = {name: state[name] for name in ("dim", "positions", "base", "seed", "shown", "waves", "spread")}
        return plain | {"q": digits(state["q"].tolist()), "k": digits(state["k"].tolist()), "turned": vectors}

    def describe(self, state):
        D, P, kind = state["dim"], state["positions"], state["shown"]
        flat = float(state["q"] @ state["k"])
        lines = [
            f"A query and a key of width {D} at positions 0 to {P - 1}; pairs are {CONVENTIONS[kind]}.",
            "Pair i turns by position / base^(2i / D) radians: positions for one turn are "
            + ", ".join(f"{wave:.4g}" for wave in state["waves"]),
            f"Without turns q.k is {flat:.4g} everywhere.",
            f"At equal distance all scores are equal: they differ by {state['spread'][kind]:.2g} at most.",
            "",
            "distance (key - query): q.k",
        ]
        scores = by_distance(state["turned"][kind])
        return "\n".join([*lines, *(f"{d}: {score:.4g}" for d, score in scores.items())])

    def picture(self, state):
        return _draw(state)


def rotary(dim=8, positions=16, base=10000.0, interleaved=False, q=None, k=None, seed=0):
    """A `Rotary` of heads of width `dim`: pairs of coordinates that turn, and scores that see distances only."""
    return Rotary(dim, positions, base, interleaved, q, k, seed)


def turned(dim, positions, base, seed, q=None, k=None):
    """A query and a key at all positions (P, D), in both conventions."""
    whole("rotary", 0, seed=seed)
    above("rotary", 0, base=base)
    whole("rotary", 2, dim=dim, positions=positions)
    for name, n, most in (("dim", dim, WIDEST), ("positions", positions, FARTHEST)):
        if n > most:
            raise ValueError(f"rotary shows {name} up to {most}, but {n} was given")
    layers = {kind: RotaryEmbedding(dim, base, kind == "interleaved") for kind in CONVENTIONS}
    drawn = np.random.default_rng(seed).normal(size=(2, dim))
    q, k = (_vector(name, x, dim, of) for name, x, of in zip("qk", (q, k), drawn))
    at = lambda layer, x: host(layer(Tensor(np.tile(x, (positions, 1)))))
    found = {kind: {"q": at(layer, q), "k": at(layer, k)} for kind, layer in layers.items()}
    waves = [2 * math.pi * base ** (2 * i / dim) for i in range(dim // 2)]
    made = {"dim": dim, "positions": positions, "base": base, "seed": seed, "q": q, "k": k, "turned": found}
    return made | {"waves": waves, "spread": {kind: spread(of) for kind, of in found.items()}}


def _vector(name, x, dim, drawn):
    if x is None:
        return drawn
    x = array_of("rotary", x).astype(np.float64)
    if x.shape != (dim,) or not (np.abs(x) <= LARGEST).all():
        raise ValueError(
            f"rotary takes {name} as {dim} finite numbers up to {LARGEST:g}, but one of shape {x.shape} was given: {x}"
        )
    return x


def by_distance(of):
    """Key's position minus query's -> their score, at the earliest positions of that distance."""
    scores, P = of["q"] @ of["k"].T, len(of["q"])
    return {d: float(scores[max(0, -d), max(0, d)]) for d in range(1 - P, P)}


def spread(of):
    """How far apart scores of equal distance lie, at most: rounding, and nothing else."""
    scores, P = of["q"] @ of["k"].T, len(of["q"])
    return float(max(np.ptp(np.diagonal(scores, d)) for d in range(1 - P, P)))


def _draw(state):
    image, kind, D = figure(700, 360), state["shown"], state["dim"]
    left, right = image.subfigures(1, 2, width_ratios=(1, 1.2))
    count = min(D // 2, 4)
    grid = left.subplots(2, 2, squeeze=False).ravel()
    for i, axes in enumerate(grid):
        if i >= count:
            axes.set_axis_off()
            continue
        a, b = (2 * i, 2 * i + 1) if kind == "interleaved" else (i, i + D // 2)
        for (name, x), color, mark in zip(state["turned"][kind].items(), COLORS, "os"):
            axes.plot(x[:, a], x[:, b], mark, color=color, ms=3, label=f"{name} at each position")
            axes.plot([0, x[0, a]], [0, x[0, b]], color=color, lw=1.5)
        axes.set_aspect("equal", "datalim")
        axes.tick_params(labelsize=6)
        axes.set_title(f"pair {i}: coordinates {a}, {b}", fontsize=8)
    handles = grid[0].get_legend_handles_labels()
    left.legend(*handles, loc="outside lower center", fontsize=8, ncols=2)
    axes, scores = right.add_subplot(), by_distance(state["turned"][kind])
    axes.axhline(state["q"] @ state["k"], color=COLORS[5], ls=":", label="without turns")
    axes.plot(scores.keys(), scores.values(), "o-", color=COLORS[0], ms=4, label="with turns, at any two positions")
    axes.set(xlabel="distance: key's position minus query's", ylabel="score q · k")
    right.legend(loc="outside lower center", fontsize=8, ncols=2)
    return png(image)
