"""The optimizer race: several optimizers from one start on one surface, step by step."""

import math

import numpy as np

from ..core import Tensor
from ..figures import COLORS, STRIPED, figure, png
from ..nn import Module, Parameter
from ..optim import SGD, Adam, RMSprop
from ..train.measures import digits
from .base import Widget
from .surfaces import SURFACES, Formula, Slice

CELLS = 31  # a side of the map
STEPS = 300  # of a race at most
LEVELS = 12
FAR = 1e6  # where a run is given up
RUNNERS = {
    "SGD": (SGD, {}, 0.005),
    "momentum": (SGD, {"momentum": 0.9}, 0.005),
    "RMSprop": (RMSprop, {}, 0.05),
    "Adam": (Adam, {}, 0.1),
}


class Race(Widget, bundle="race"):
    """SGD, SGD with momentum, RMSprop and Adam from one start on one surface.

    `race("valley")`, or "narrow bowl", "saddle", "hills"; `race(f)` of any f(a, b) of tensors; `race(loss, model)` of
    the loss(model) of a model, along two random directions from its weights, drawn by `seed`: `loss` is asked with a
    twin of the model, which is left alone. The learning rate of each is changed in the view, or given:
    `lr={"Adam": 0.01}`. At most 300 steps, and 31 x 31 heights, are sent: below 60 kB.
    """

    def __init__(self, surface="valley", model=None, steps=100, start=None, lr=None, seed=0):
        if not isinstance(steps, int) or not 1 <= steps <= STEPS:
            raise ValueError(f"a race has 1 to {STEPS} steps, but {steps!r} was given")
        unknown = sorted(set(lr or {}) - set(RUNNERS))
        if unknown:
            raise ValueError(f"rates of {unknown} were given, but in the race are {', '.join(RUNNERS)}")
        self.surface, self.steps, self.start = _surface(surface, model, seed), steps, start
        self.name = surface if isinstance(surface, str) else "your loss" if model is not None else "your function"
        self.rates = {name: rate for name, (_, _, rate) in RUNNERS.items()} | (lr or {})
        super().__init__(self._ran())

    def change(self, surface=None, runner=None, lr=None):
        before = self.surface, self.name, self.start, self.rates
        if surface is not None:
            self.surface, self.name, self.start = _surface(surface, None, 0), surface, None
        if runner is not None:
            self.rates = self.rates | {_known(runner): _rate(lr)}
        try:
            return self._ran()
        except Exception:
            self.surface, self.name, self.start, self.rates = before
            raise

    def _ran(self):
        surface = self.surface
        across, up = (np.linspace(low, high, CELLS) for low, high in zip(surface.low, surface.high))
        heights = surface.heights(across, up)
        finite = heights[np.isfinite(heights)]
        levels = np.quantile(finite, np.linspace(0.02, 0.95, LEVELS)) if finite.size else []
        start = surface.start if self.start is None else self.start
        rates = self.rates.items()
        runs = [{"name": name, "lr": rate} | run(surface, name, rate, start, self.steps) for name, rate in rates]
        told = {"surface": self.name, "surfaces": list(dict.fromkeys([self.name, *SURFACES])), "cells": CELLS}
        told |= {"across": _short(across), "up": _short(up), "heights": _short(heights.ravel())}
        return told | {"levels": _short(levels), "steps": self.steps, "runs": runs}

    def describe(self, state):
        return "\n".join(_words(state))

    def picture(self, state):
        return _drawn(state)


def race(surface="valley", model=None, steps=100, start=None, lr=None, seed=0):
    """A `Race` of optimizers on a surface, or on a model's own loss(model)."""
    return Race(surface, model, steps, start, lr, seed)


def run(surface, name, rate, start, steps):
    """{"path": places, "losses": heights} of an optimizer from `start`; it ends where it leaves for infinity."""
    kind, options, _ = RUNNERS[name]
    place = Parameter(np.array(start, float))
    optimizer, path, losses = kind([place], lr=rate, **options), [], []
    for _ in range(steps + 1):
        with np.errstate(all="ignore"):
            height, slope = surface.slope(place.data)
        path.append(_short(place.data))
        losses.append(digits(height))
        if not math.isfinite(height) or not np.isfinite(slope).all() or np.abs(place.data).max() > FAR:
            break
        place.grad = Tensor(slope)
        optimizer.step()
    return {"path": path, "losses": losses}


def _surface(surface, model, seed):
    if model is not None:
        if not isinstance(model, Module) or not callable(surface):
            raise TypeError("a race on a model's loss takes loss(model) and the model: race(loss, model)")
        return Slice(surface, model, seed)
    if callable(surface):
        return Formula(surface)
    if surface not in SURFACES:
        raise ValueError(f"a race on {surface!r} was asked for, but the surfaces are {', '.join(SURFACES)}")
    return SURFACES[surface]


def _known(runner):
    if runner not in RUNNERS:
        raise ValueError(f"a rate for {runner!r} was given, but in the race are {', '.join(RUNNERS)}")
    return runner


def _rate(lr):
    try:
        rate = float(lr)
    except (TypeError, ValueError):
        rate = math.nan
    if not 0 <= rate < math.inf:
        raise ValueError(f"a learning rate is a number of 0 or more, but {lr!r} was given")
    return rate


def _short(numbers):
    return [digits(float(x)) for x in numbers]


def _words(state):
    yield f"A race on the surface {state['surface']}, {state['steps']} steps from {tuple(state['runs'][0]['path'][0])}."
    for one in state["runs"]:
        last = len(one["losses"]) - 1
        gone = "" if last == state["steps"] else f", given up after step {last}"
        losses = f"loss from {one['losses'][0]} to {one['losses'][-1]}"
        yield f"{one['name']}, learning rate {one['lr']}: {losses}, ends at {tuple(one['path'][-1])}{gone}."


def _drawn(state):
    drawing = figure(700, 340)
    ground, curve = drawing.subplots(1, 2, width_ratios=(3, 2))
    heights = np.array([*map(float, state["heights"])]).reshape(CELLS, CELLS)
    levels = sorted({*map(float, state["levels"])})
    if len(levels) > 1:
        ground.contour(state["across"], state["up"], heights, levels, colors=COLORS[5], linewidths=0.6)
    for n, one in enumerate(state["runs"]):
        path = np.array([[*map(float, place)] for place in one["path"]])
        ground.plot(*path.T, STRIPED[n], color=COLORS[n])
        ground.plot(*path[-1], "os^D"[n], color=COLORS[n], markeredgecolor="white")
        curve.plot([*map(float, one["losses"])], STRIPED[n], color=COLORS[n], label=f"{one['name']}, {one['lr']}")
    ground.set(xlim=state["across"][:: CELLS - 1], ylim=state["up"][:: CELLS - 1], xlabel="a", ylabel="b")
    ground.set_title(state["surface"], parse_math=False)
    low = min(float(x) for one in state["runs"] for x in one["losses"] if not isinstance(x, str))
    curve.set(xlabel="step", ylabel="loss", yscale="log" if low > 0 else "linear")
    least, most = curve.get_ylim()
    curve.set_ylim(least, min(most, 10 * abs(float(state["runs"][0]["losses"][0])) + 1))  # not up to where one ran off
    curve.legend(fontsize=8, frameon=False)
    return png(drawing)
