"""The largest entry of each window."""

import math

import numpy as np

from ..arrays import module_of
from ..core import Tensor
from ..define import op
from .convolution import add_windows, windows
from .elementwise import maximum
from .lookup import add_along, gather
from .reductions import argmax


@op(r"\operatorname{{max\_pool}} {x}", binds=3, saves=("at",))
def max_pool(x, *, size, shape, slide):
    """(N, C, *S) -> (N, C, *shape); of several largest, or NaN, the first has the gradient, padding never."""
    n, c, *_ = x.shape
    laid = windows(x, size=size, shape=shape, slide=slide, fill=-math.inf)
    laid = laid.reshape((n, c, math.prod(size), *shape))
    at = argmax(laid, axis=2, keepdims=True)
    if any(slide.padding):
        at = maximum(at, _first_inside(at, size, shape, slide))
    return gather(laid, at, axis=2).reshape((n, c, *shape)), at


@max_pool.vjp
def _(g, at, x_shape, size, shape, slide):
    n, c, *inner = x_shape
    laid = add_along(g.reshape(at.shape), at, axis=2, shape=(n, c, math.prod(size), *shape))
    return (add_windows(laid.reshape((n, c, *size, *shape)), shape=tuple(inner), slide=slide),)


def _first_inside(at, size, shape, slide):
    """The number of each window's first entry that is no padding: what is largest where all are -inf."""
    xp = module_of(at.data if isinstance(at, Tensor) else at)
    first = xp.zeros((), dtype=np.int64)
    for k, p, s, b, d in zip(size, shape, *slide):
        first = first[..., None] * k + xp.maximum((b - xp.arange(p) * s + d - 1) // d, 0)
    return first
