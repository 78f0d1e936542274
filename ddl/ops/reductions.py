"""Ops that fold axes away, and their transposes, which spread a value back over them."""

import builtins
import math

from ..define import op
from .elementwise import eq, where
from .shaping import broadcast_to


@op(r"\textstyle\sum {x}", binds=3)
def sum(x, *, axis=None, keepdims=False):
    return x.sum(axis=axis, keepdims=keepdims)


sum.vjp(x=lambda g, x_shape, axis: spread(g, x_shape, axis))


@op(r"\operatorname{{mean}} {x}", binds=3)
def mean(x, *, axis=None, keepdims=False):
    return x.mean(axis=axis, keepdims=keepdims)


mean.vjp(
    x=lambda g, x_shape, axis: spread(g, x_shape, axis) * (math.prod(g.shape) / builtins.max(1, math.prod(x_shape)))
)


@op(r"\max {x}", binds=3)
def max(x, *, axis=None, keepdims=False):
    """The largest along axes; where several tie, they share the gradient equally."""
    return x.max(axis=axis, keepdims=keepdims)


@op(r"\min {x}", binds=3)
def min(x, *, axis=None, keepdims=False):
    """The smallest along axes; where several tie, they share the gradient equally."""
    return x.min(axis=axis, keepdims=keepdims)


def _to_the_extremes(g, out, x, axis):
    hit = where(eq(x, spread(out, x.shape, axis)), 1.0, 0.0).astype(g.dtype)
    return spread(g / hit.sum(axis=axis).reshape(g.shape), x.shape, axis) * hit


max.vjp(x=_to_the_extremes)
min.vjp(x=_to_the_extremes)


@op(r"\operatorname{{cumsum}} {x}", binds=3)
def cumsum(xp, x, *, axis):
    """Running sums along one axis."""
    return xp.cumsum(x, axis=axis)


cumsum.vjp(x=lambda g, axis: _flip(cumsum(_flip(g, axis), axis=axis), axis))


def _flip(x, axis):
    return x[(slice(None),) * (axis % x.ndim) + (slice(None, None, -1),)]


@op(r"\operatorname{{argmax}} {x}", binds=3, smooth=False)
def argmax(xp, x, *, axis=None, keepdims=False):
    """Where the largest is; the first, where several tie. Integers, so without a gradient."""
    return xp.argmax(x, axis=axis, keepdims=keepdims)


@op(r"\operatorname{{argmin}} {x}", binds=3, smooth=False)
def argmin(xp, x, *, axis=None, keepdims=False):
    return xp.argmin(x, axis=axis, keepdims=keepdims)


def spread(g, shape, axis):
    """Undo a reduction's shape: give `g` its reduced axes back, and fill them with copies."""
    axes = range(len(shape)) if axis is None else {a % len(shape) for a in ((axis,) if isinstance(axis, int) else axis)}
    return broadcast_to(g.reshape(tuple(1 if i in axes else n for i, n in enumerate(shape))), shape=shape)
