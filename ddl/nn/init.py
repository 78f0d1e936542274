"""How parameters start: each initialiser keeps a scale from layer to layer, and says which.

Every one is a function (shape, *, axes, rng, its own options) -> float32 array. `axes` names each axis: "out", "in",
and anything else for a receptive field; left out, it is ("out", "in", ..), as PyTorch orders a weight. `rng` is a numpy
Generator; left out, the "weights" stream of ddl.random. Values are drawn in float64 by numpy whatever the device, so
that the CPU and the GPU start equal.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import random

Axes = Sequence[str] | None


def _draw(rng: np.random.Generator | None) -> np.random.Generator:
    return random.stream("weights") if rng is None else rng


def fans(shape: Sequence[int], axes: Axes = None) -> tuple[int, int]:
    """(fan_in, fan_out): how many inputs feed one output, and how many outputs one input feeds."""
    axes = tuple(axes) if axes else ("out", "in", *("field" for _ in shape[2:]))
    if len(shape) != len(axes) or "in" not in axes or "out" not in axes:
        raise ValueError(
            f"fans need an 'in' and an 'out' among the axes, but shape {tuple(shape)} was given with axes {axes}"
        )
    field = math.prod(n for n, a in zip(shape, axes) if a not in ("in", "out"))
    fan_in = field * math.prod(n for n, a in zip(shape, axes) if a == "in")
    fan_out = field * math.prod(n for n, a in zip(shape, axes) if a == "out")
    return fan_in, fan_out


def gain(nonlinearity: str, a: float = 0.0) -> float:
    """By how much an activation shrinks the scale, to be made up for: torch.nn.init.calculate_gain's table."""
    table = {
        "linear": 1.0,
        "sigmoid": 1.0,
        "tanh": 5 / 3,
        "relu": math.sqrt(2),
        "leaky_relu": math.sqrt(2 / (1 + a * a)),
        "selu": 0.75,
    }
    if nonlinearity not in table:
        raise ValueError(f"a gain for {nonlinearity!r} was asked for, but the table has {', '.join(table)}")
    return table[nonlinearity]


def zeros(shape: Sequence[int], *, axes: Axes = None, rng: Any = None) -> np.ndarray:
    return np.zeros(shape, np.float32)


def ones(shape: Sequence[int], *, axes: Axes = None, rng: Any = None) -> np.ndarray:
    return np.ones(shape, np.float32)


def constant(shape: Sequence[int], *, value: float, axes: Axes = None, rng: Any = None) -> np.ndarray:
    return np.full(shape, value, np.float32)


def uniform(
    shape: Sequence[int], *, low: float = 0.0, high: float = 1.0, axes: Axes = None, rng: Any = None
) -> np.ndarray:
    return _draw(rng).uniform(low, high, shape).astype(np.float32)


def normal(
    shape: Sequence[int], *, mean: float = 0.0, std: float = 1.0, axes: Axes = None, rng: Any = None
) -> np.ndarray:
    return _draw(rng).normal(mean, std, shape).astype(np.float32)


def trunc_normal(
    shape: Sequence[int],
    *,
    mean: float = 0.0,
    std: float = 1.0,
    low: float = -2.0,
    high: float = 2.0,
    axes: Axes = None,
    rng: Any = None,
) -> np.ndarray:
    """A normal drawn again wherever it falls outside [low, high]."""
    if not low < high or not (mean - 8 * std < high and low < mean + 8 * std):
        raise ValueError(f"trunc_normal cannot reach [{low}, {high}] from mean {mean} with std {std}")
    draw = _draw(rng)
    values = draw.normal(mean, std, shape)
    while (outside := (values < low) | (values > high)).any():
        values[outside] = draw.normal(mean, std, int(outside.sum()))
    return values.astype(np.float32)


def xavier_uniform(shape: Sequence[int], *, gain: float = 1.0, axes: Axes = None, rng: Any = None) -> np.ndarray:
    """U(-b, b), b = gain sqrt(6 / (fan_in + fan_out)): keeps variance both ways if linear (Glorot, Bengio 2010)."""
    bound = gain * math.sqrt(6 / sum(fans(shape, axes)))
    return uniform(shape, low=-bound, high=bound, rng=rng)


def xavier_normal(shape: Sequence[int], *, gain: float = 1.0, axes: Axes = None, rng: Any = None) -> np.ndarray:
    """N(0, gain^2 2 / (fan_in + fan_out)), Glorot and Bengio 2010."""
    return normal(shape, std=gain * math.sqrt(2 / sum(fans(shape, axes))), rng=rng)


def _kaiming_std(shape: Sequence[int], axes: Axes, a: float, mode: str, nonlinearity: str) -> float:
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"kaiming mode {mode!r} was asked for, but the modes are 'fan_in' and 'fan_out'")
    fan = fans(shape, axes)[mode == "fan_out"]
    return gain(nonlinearity, a) / math.sqrt(max(1, fan))


def kaiming_uniform(
    shape: Sequence[int],
    *,
    a: float = 0.0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    axes: Axes = None,
    rng: Any = None,
) -> np.ndarray:
    """U(-b, b), b = gain sqrt(3 / fan): variance kept through rectified layers (He, Zhang, Ren, Sun 2015)."""
    bound = math.sqrt(3) * _kaiming_std(shape, axes, a, mode, nonlinearity)
    return uniform(shape, low=-bound, high=bound, rng=rng)


def kaiming_normal(
    shape: Sequence[int],
    *,
    a: float = 0.0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    axes: Axes = None,
    rng: Any = None,
) -> np.ndarray:
    """N(0, gain^2 / fan), He, Zhang, Ren and Sun 2015."""
    return normal(shape, std=_kaiming_std(shape, axes, a, mode, nonlinearity), rng=rng)


def orthogonal(shape: Sequence[int], *, gain: float = 1.0, axes: Axes = None, rng: Any = None) -> np.ndarray:
    """Orthonormal rows or columns (the fewer) of the first axis against the rest: keeps lengths (Saxe et al. 2014)."""
    if len(shape) < 2:
        raise ValueError(f"orthogonal needs at least two axes, but shape {tuple(shape)} was given")
    n, m = shape[0], math.prod(shape[1:])
    q, r = np.linalg.qr(_draw(rng).standard_normal((max(n, m), min(n, m))))
    q *= np.sign(np.diagonal(r))  # makes the draw uniform over orthogonal matrices (Mezzadri 2007)
    return (gain * (q if n >= m else q.T)).reshape(shape).astype(np.float32)


Initializer = Callable[..., np.ndarray]
