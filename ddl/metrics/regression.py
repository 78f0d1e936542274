"""Metrics of numbers: how far predictions are from their targets, always reckoned in float64."""

import math
from typing import Any

import numpy as np

from .inputs import arrays


def mean_squared_error(input: Any, target: Any) -> float:
    """The mean of (input - target)^2 over all entries."""
    x, y = _pair("mean_squared_error", input, target)
    return float(((x - y) ** 2).mean())


def root_mean_squared_error(input: Any, target: Any) -> float:
    """The square root of the mean squared error over all entries, in the unit of the targets."""
    x, y = _pair("root_mean_squared_error", input, target)
    return math.sqrt(float(((x - y) ** 2).mean()))


def mean_absolute_error(input: Any, target: Any) -> float:
    """The mean of |input - target| over all entries."""
    x, y = _pair("mean_absolute_error", input, target)
    return float(abs(x - y).mean())


def r2_score(input: Any, target: Any) -> float:
    """The share of the targets' variance that is explained: 1 - sum (target - input)^2 / sum (target - mean)^2.

    Of targets (N, D) it is the mean over the D columns. Where all targets of a column are equal it is 1 if every
    prediction is right, and 0 if not.
    """
    x, y = _pair("r2_score", input, target)
    if x.ndim not in (1, 2) or x.shape[0] < 2:
        raise ValueError(f"r2_score takes two samples or more, (N,) or (N, D), but shape {x.shape} was given")
    missed, spread = ((y - x) ** 2).sum(axis=0).reshape(-1), ((y - y.mean(axis=0)) ** 2).sum(axis=0).reshape(-1)
    pairs = zip(missed.tolist(), spread.tolist())
    scores = [1 - m / s if s else float(not m) for m, s in pairs]
    return sum(scores) / len(scores)


def _pair(metric: str, input: Any, target: Any) -> tuple[Any, Any]:
    """Both as float64, of one shape: (N,) against (N, 1) would be N * N differences."""
    x, y = arrays(metric, input, target)
    if x.shape != y.shape:
        raise ValueError(
            f"{metric} was given predictions of shape {tuple(x.shape)} and targets of shape {tuple(y.shape)}; "
            "reshape one of them"
        )
    return x.astype(np.float64), y.astype(np.float64)
