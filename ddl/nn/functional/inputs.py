"""What functions are given: arrays and lists become tensors here, and what could not be meant is refused."""

import math
from typing import Any

import numpy as np

from ...arrays import as_array, is_array, put_beside
from ...core import Tensor
from ...spec import Spec


def as_tensor(x: Any, beside: Tensor | None = None) -> Tensor:
    """x itself if it is a tensor; an array as it is; a list or number copied, to the device of the tensor `beside`."""
    if isinstance(x, Tensor):
        return x
    return Tensor(x if is_array(x) else put_beside(as_array(x), beside))


def of_width(layer: str, x: Any, width: int, beside: Tensor) -> Tensor:
    """x as a tensor, refused unless its last axis has this size."""
    x = as_tensor(x, beside)
    if not x.ndim or x.shape[-1] != width:
        raise ValueError(f"{layer} takes inputs whose last axis is {width}, but {tuple(x.shape)} was given")
    return x


def as_reals(x: Any, beside: Tensor | None = None) -> Tensor:
    """`as_tensor`, and integers as floats: those of the tensor `beside`, or float64."""
    t = as_tensor(x, beside)
    return t if t.dtype.kind == "f" else t.astype(np.float64 if beside is None else beside.dtype)


def alike(function: str, **given: Any) -> list[Tensor]:
    """The inputs of an element-by-element comparison as tensors, integers as floats; refused where shapes differ.

    Broadcasting (N,) against (N, 1) would compare every element with every other, and say nothing.
    """
    tensors: list[Tensor] = []
    for x in given.values():
        tensors.append(as_reals(x, tensors[0] if tensors else None))
    if len({t.shape for t in tensors}) > 1:
        shapes = [f"{name} has shape {t.shape}" for name, t in zip(given, tensors)]
        raise ValueError(
            f"{function} compares element by element, but {' and '.join(shapes)}; reshape them to one shape"
        )
    return tensors


def only(loss: str, target: Tensor, a: int, b: int) -> None:
    """Refuse targets other than a and b: 0 for "no" where -1 is meant would train on nothing and say nothing."""
    t = target.data
    if not isinstance(t, Spec) and not (known := (t == a) | (t == b)).all():
        raise ValueError(f"{loss} takes targets {a} and {b}, but {t[~known].reshape(-1)[0]} was given")


def within(loss: str, what: str, x: Tensor, low: float, high: float = math.inf, advice: str = "") -> None:
    """Refuse values below `low` or above `high`."""
    v = x.data
    if not isinstance(v, Spec) and v.size and (v.min() < low or v.max() > high):
        limits = f"of {low} or more" if high == math.inf else f"between {low} and {high}"
        raise ValueError(
            f"{loss} takes {what} {limits}, but {float(v.min()):.4g} to {float(v.max()):.4g} were given{advice}"
        )
