"""The largest entry of each window."""

import math

from ..define import op
from .convolution import add_windows, windows
from .lookup import add_along, gather
from .reductions import argmax


@op(r"\operatorname{{max\_pool}} {x}", binds=3, saves=("at",))
def max_pool(x, *, size, shape, slide):
    """(N, C, *S) -> (N, C, *shape); of several that are largest the first has the gradient, as in PyTorch."""
    n, c, *_ = x.shape
    laid = windows(x, size=size, shape=shape, slide=slide, fill=-math.inf)
    laid = laid.reshape((n, c, math.prod(size), *shape))
    at = argmax(laid, axis=2, keepdims=True)
    return gather(laid, at, axis=2).reshape((n, c, *shape)), at


@max_pool.vjp
def _(g, at, x_shape, size, shape, slide):
    n, c, *inner = x_shape
    laid = add_along(g.reshape(at.shape), at, axis=2, shape=(n, c, math.prod(size), *shape))
    return (add_windows(laid.reshape((n, c, *size, *shape)), shape=tuple(inner), slide=slide),)
