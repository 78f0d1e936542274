"""Sums of many float32 numbers, in blocks: numpy adds row after row to one running total, which loses digits."""

from collections.abc import Callable
from typing import Any

import numpy as np

from .arrays import is_array, module_of

BLOCK = 128  # rows that are added to one total
LONG = 1024  # an axis of no more is numpy's own matter


def summed(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """x.sum(axis, keepdims), where x is an array of any module, or what has its methods."""
    if type(x) is not np.ndarray:
        return _elsewhere(x, axis, keepdims)
    if x.ndim < 2 or max(x.shape) <= LONG or x.dtype != np.float32:
        return x.sum(axis=axis, keepdims=keepdims)
    folded = np.lib.array_utils.normalize_axis_tuple(range(x.ndim) if axis is None else axis, x.ndim)
    long = max(folded, key=lambda a: x.shape[a], default=0)
    n = x.shape[long]
    if not folded or n <= LONG:
        return x.sum(axis=axis, keepdims=keepdims)
    rest = n % BLOCK
    before = (slice(None),) * long
    blocks = x[(*before, slice(n - rest))].reshape(*x.shape[:long], n // BLOCK, BLOCK, *x.shape[long + 1 :])
    within = tuple(a + (a >= long) for a in folded)
    total = summed(blocks.sum(axis=within, keepdims=True), axis=long)
    if rest:
        total += x[(*before, slice(n - rest, n))].sum(axis=folded, keepdims=True)
    return total if keepdims else total.reshape([m for a, m in enumerate(x.shape) if a not in folded])


# By array module: the sums of a matrix's columns, where its own are slow; NotImplemented declines.
kernels: dict[str, Callable[[Any], Any]] = {}


def _elsewhere(x: Any, axis: Any, keepdims: bool) -> Any:
    if axis == 0 and not keepdims and x.ndim == 2 and is_array(x):
        kernel = kernels.get(module_of(x).__name__)
        total = NotImplemented if kernel is None else kernel(x)
        if total is not NotImplemented:
            return total
    return x.sum(axis=axis, keepdims=keepdims)


def averaged(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """x.mean(axis, keepdims), likewise."""
    if type(x) is not np.ndarray or x.ndim < 2 or max(x.shape) <= LONG or x.dtype != np.float32:
        return x.mean(axis=axis, keepdims=keepdims)
    total = summed(x, axis, keepdims)
    return total / (x.size / max(1, np.size(total)))
