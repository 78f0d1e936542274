"""The decision boundary: what a model answers at every place of the plane, beside the points it learns from."""

import time

import numpy as np

from ..core import Tensor
from ..figures import COLORS, figure, png
from ..nn import Module
from ..train.measures import digits
from .asked import host, placed, undisturbed
from .demo import moons, network, training
from .live import REDRAW, Live

CELLS = 61  # a side of the map
FAR = 16  # a view is zoomed in and out by this much at most
POINTS = 300  # of the data are shown
NONE = -1  # the class where the answer is NaN
SIGNS = "o^sDv*"


class Boundary(Live, bundle="boundary"):
    """What a model, or any f(x), answers over the plane of its two inputs, as a map, with the points (x, y) on it.

    Of several outputs the largest is the class; one output is a number, with a line where it passes 0.5, or 0 where it
    leaves 0 to 1 at any place, near or far. Models are asked in evaluation mode with tensors (N, 2), functions with
    arrays. Around a training loop, `with boundary(model, x, y) as view:` and `view.update()` after each step redraw it
    a few times a second. The map has 61 x 61 places, and at most 300 points are shown: what is sent stays below 80 kB.
    """

    def __init__(self, model=None, x=None, y=None):
        if model is None and (x is not None or y is not None):
            raise ValueError("a boundary was given points and no model or function that parts them; give it too")
        if model is None:
            model, (x, y) = network(), moons()
            for _ in training(model, x, y, steps=60):
                pass
        if not callable(model):
            raise TypeError(f"a boundary is that of a model or a function, but {type(model).__name__} was given")
        self.model, self.points, self.labels = model, *_data(x, y)
        self.zoom, self.changed = 1.0, False
        super().__init__(self._seen())

    def update(self):
        """The model has changed: show it when it is time to."""
        self.changed = True
        if time.monotonic() >= self.drawn + REDRAW:
            self.catch_up()

    def catch_up(self):
        if self.changed:
            self.changed = False
            self.offer(self._seen())
        super().catch_up()

    def change(self, zoom):
        if zoom not in (0.5, 2):
            raise ValueError(f"a view is zoomed by 0.5 or 2, but {zoom!r} was asked for")
        self.zoom = min(max(self.zoom * zoom, 1 / FAR), FAR)
        return self._seen()

    def _seen(self):
        middle, half = _frame(self.points)
        low, high = middle - half / self.zoom, middle + half / self.zoom
        across, up = (np.linspace(a, b, CELLS) for a, b in zip(low, high))
        out = ask(self.model, _places(across, up))
        level = _level(ask(self.model, _places(*np.linspace(middle - half * FAR, middle + half * FAR, 17).T)), out)
        state = {"low": digits_of(low), "high": digits_of(high), "cells": CELLS, "zoom": self.zoom} | _read(out, level)
        state |= {"across": digits_of(across), "up": digits_of(up)}
        state |= {"points": [], "labels": [], "right": None}
        if self.points is not None:
            step = -(-len(self.points) // POINTS)
            state["points"] = [digits_of(point) for point in self.points[::step]]
            if self.labels is not None:
                state["labels"] = self.labels[::step].tolist()
                answer = _read(ask(self.model, self.points), level)
                said = np.array(answer["classes"] if answer["classes"] else answer["above"])
                told = np.array([value != "nan" for value in answer["values"]])
                state["right"] = digits(100 * float((told & (said == self.labels)).mean()))
        return state

    def describe(self, state):
        return "\n".join(_words(state))

    def picture(self, state):
        return _drawn(state)


def boundary(model=None, x=None, y=None):
    """A `Boundary` of a model of two inputs, with points x (N, 2) of classes y (N,)."""
    return Boundary(model, x, y)


def ask(model, places):
    """What a model or a function answers at places (N, 2), as an array (N,) or (N, C); the model stays as it was."""
    with undisturbed(model) as asked:
        out = asked(placed(asked, places) if isinstance(asked, Module) else places)
    out = np.asarray(host(out) if isinstance(out, Tensor) else out, float)
    out = out[:, 0] if out.ndim == 2 and out.shape[1] == 1 else out
    if out.ndim not in (1, 2) or len(out) != len(places):
        raise ValueError(
            f"a boundary needs an answer for each of (N, 2) places, (N,) or (N, C), "
            f"but for {places.shape} the answer has the shape {out.shape}"
        )
    return out


def _data(x, y):
    if x is None:
        if y is not None:
            raise ValueError("a boundary was given classes y without points; give x, (N, 2), too")
        return None, None
    points = np.asarray(x.detach() if isinstance(x, Tensor) else x, float)
    if points.ndim != 2 or points.shape[1] != 2 or not len(points) or not np.isfinite(points).all():
        given = f"the shape {points.shape}" if points.shape[1:] != (2,) or not len(points) else "NaN or an infinity"
        raise ValueError(f"a boundary lies between finite points x of shape (N, 2), but {given} was given")
    return points, None if y is None else _classes(y, len(points))


def _classes(y, n):
    """The class of each of n points, from 0 on; -1 and 1, as a perceptron has them, are 0 and 1."""
    given = np.asarray(y.detach() if isinstance(y, Tensor) else y).reshape(-1)
    if len(given) != n:
        raise ValueError(f"a boundary needs a class for each point, but {n} points and {len(given)} came")
    if given.dtype.kind not in "biuf" or (given != np.round(given)).any():
        raise ValueError(f"a boundary takes whole numbers as classes, from 0 on, or -1 and 1, but {given[:5]} came")
    found = set(given.tolist())
    if -1 in found and found <= {-1, 1}:
        return (given > 0).astype(int)
    if min(found) < 0:
        raise ValueError(f"a boundary takes classes from 0 on, or -1 and 1, but {sorted(found)[:5]} came")
    return given.astype(int)


def _frame(points):
    """The middle of the points, and how far the map reaches from it along both axes."""
    if points is None:
        return np.zeros(2), np.full(2, 2.0)
    low, high = points.min(0), points.max(0)
    return (low + high) / 2, np.maximum(0.6 * (high - low), 0.1)


def digits_of(numbers):
    return [digits(float(x)) for x in numbers]


def _places(across, up):
    return np.stack(np.meshgrid(across, up), -1).reshape(-1, 2)


def _level(*answers):
    """Where answers of one number part: in the middle where all of them are probabilities, or else at 0."""
    return 0.5 if all(np.nanmin(out) >= 0 and np.nanmax(out) <= 1 for out in answers) else 0.0


def _read(out, level):
    """Answers as classes, each with its probability in percent, or as numbers with the level that parts them."""
    if out.ndim == 2:
        powers = np.exp(out - out.max(1, keepdims=True))
        sure = 100 * powers.max(1) / powers.sum(1)
        return {"classes": out.argmax(1).tolist(), "values": digits_of(sure), "level": None, "above": []}
    return {"classes": [], "values": digits_of(out), "level": level, "above": (out > level).astype(int).tolist()}


def _words(state):
    low, high = state["low"], state["high"]
    yield f"Answers for x from {low[0]} to {high[0]} across and {low[1]} to {high[1]} up."
    said = state["classes"] or state["above"]
    answered = [NONE if value == "nan" else kind for kind, value in zip(said, state["values"])]
    for kind in sorted(set(answered)):
        name = f"Class {kind}" if state["classes"] else f"{'Above' if kind else 'Not above'} {state['level']}"
        name = "No answer, but NaN," if kind == NONE else name
        yield f"{name} at {digits(100 * answered.count(kind) / len(said))}% of the places."
    if state["right"] is not None:
        yield f"{state['right']}% of the points are on the right side."
    for name, row in (("top", -1), ("middle", CELLS // 2), ("bottom", 0)):
        places = [(row % CELLS) * CELLS + i for i in (0, CELLS // 4, CELLS // 2, 3 * CELLS // 4, CELLS - 1)]
        values = [
            f"class {said[i]} {state['values'][i]}%"
            if state["classes"] and answered[i] != NONE
            else f"{state['values'][i]}"
            for i in places
        ]
        yield f"From left to right at the {name}: {', '.join(values)}."


def _drawn(state):
    drawing = figure(520, 420)
    axes = drawing.subplots()
    across, up = state["across"], state["up"]
    values = np.array([*map(float, state["values"])]).reshape(CELLS, CELLS)
    if state["classes"]:
        classes = np.array(state["classes"]).reshape(CELLS, CELLS)
        paint = np.array([[int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)] for color in COLORS])[classes % 6]
        least = 100 / max(classes.max() + 1, 2)
        share = 0.15 + 0.45 * np.clip((values - least) / (100 - least), 0, 1)[..., None]
        box = (across[0], across[-1], up[0], up[-1])
        axes.imshow(1 - share * (1 - paint), origin="lower", extent=box, aspect="auto")
        for kind in np.unique(classes)[1:]:
            axes.contour(across, up, classes >= kind, [0.5], colors="black", linewidths=1)
    else:
        shown = axes.pcolormesh(across, up, values, cmap="RdBu_r", shading="nearest", rasterized=True)
        drawing.colorbar(shown, label="answer")
        axes.contour(across, up, values, [state["level"]], colors="black", linewidths=1)
    points, labels = np.array(state["points"]), np.array(state["labels"] or [0] * len(state["points"]))
    for kind in np.unique(labels):
        x, y = points[labels == kind].T
        name = f"class {kind}" if state["labels"] else "points"
        style = {"color": COLORS[kind % 6], "edgecolors": "white", "linewidths": 0.5}
        axes.scatter(x, y, 22, marker=SIGNS[kind % 6], label=name, **style)
    if len(points):
        axes.legend(fontsize=9)
    right = "" if state["right"] is None else f"{state['right']}% of the points on the right side"
    axes.set(xlabel="first input", ylabel="second input", title=right, xlim=across[:: CELLS - 1], ylim=up[:: CELLS - 1])
    return png(drawing)
