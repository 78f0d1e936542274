"""Ops that fold axes away (None: all, an axis, or several), and `spread`, which fills folded axes with copies."""

import builtins
import math

import numpy as np

from ..define import op
from ..sums import averaged, summed
from .arithmetic import power
from .comparisons import eq, isfinite, logical_or, ne, where
from .elementwise import abs, exp, log, sign, sqrt
from .shaping import broadcast_to, concatenate, flip, permute, reshape


def _folded(ndim, axis):
    """The axes that a reduction over `axis` folds, each counted from the left."""
    axes = range(ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    return sorted(a % ndim for a in axes)


def _entries(shape, axis):
    """How many entries a reduction over `axis` folds into one."""
    return math.prod(shape[a] for a in _folded(len(shape), axis))


def spread(g, shape, axis):
    """Undo a reduction's shape: give `g` its folded axes back, and fill them with copies."""
    folded = _folded(len(shape), axis)
    return broadcast_to(g.reshape(tuple(1 if i in folded else n for i, n in enumerate(shape))), shape=shape)


# ---- sums
@op(r"\sum {x}", binds=3)
def sum(x, *, axis=None, keepdims=False):
    return summed(x, axis, keepdims)


sum.vjp(x=lambda g, x_shape, axis: spread(g, x_shape, axis))


@op(r"\operatorname{{mean}} {x}", binds=3)
def mean(x, *, axis=None, keepdims=False):
    return averaged(x, axis, keepdims)


mean.vjp(x=lambda g, x_shape, axis: spread(g * (1.0 / builtins.max(1, _entries(x_shape, axis))), x_shape, axis))


@op(r"\operatorname{{var}} {x}", binds=3)
def var(x, *, axis=None, keepdims=False, correction=1):
    """The squared distances from the mean, their sum divided by the number of entries - correction."""
    centred = x - averaged(x, axis, keepdims=True)
    return summed(centred * centred, axis, keepdims) / _freedom(x, axis, correction)


def _freedom(x, axis, correction):
    return builtins.max(0, _entries(x.shape, axis) - correction)


def _from_the_mean(g, x, axis, correction):
    return spread(g / _freedom(x, axis, correction), x.shape, axis) * (x - averaged(x, axis, keepdims=True))


var.vjp(x=lambda g, x, axis, correction: _from_the_mean(2.0 * g, x, axis, correction))


@op(r"\operatorname{{std}} {x}", binds=3)
def std(x, *, axis=None, keepdims=False, correction=1):
    """The square root of `var`; its slope where that is 0 is 0."""
    return sqrt(var(x, axis=axis, keepdims=keepdims, correction=correction))


std.vjp(x=lambda g, out, x, axis, correction: _from_the_mean(g / where(eq(out, 0), 1.0, out), x, axis, correction))


@op(r"\log \sum e^{{{x}}}", binds=3, real=True)
def logsumexp(x, *, axis=None, keepdims=False):
    """log(sum(exp(x))), shifted by the maximum so that nothing overflows; of -inf alone it is -inf, with slope 0."""
    top = (x.sum if 0 in x.shape else x.max)(axis=axis, keepdims=True)  # no entries have no largest
    top = where(isfinite(top), top, 0.0)
    total = exp(x - top).sum(axis=axis, keepdims=keepdims)
    out = total - math.inf if 0 in x.shape else log(total)
    return out + top.reshape(out.shape)


logsumexp.vjp(
    x=lambda g, out, x, axis: (
        spread(g, x.shape, axis) * exp(x - spread(where(eq(out, -math.inf), 0.0, out), x.shape, axis))
    )
)


@op(r"\|{x}\|_{{{p}}}", real=True)
def norm(x, *, p=2, axis=None, keepdims=False):
    """The p-th root of the sum of |x|^p: for p = inf the largest |x|, for -inf the smallest, for 0 how many are not 0.

    The slope at x = 0 is 0, also for p = 1; of entries that tie for p = inf each has an equal share.
    """
    if p == 0:
        return ne(x, 0).sum(axis=axis, keepdims=keepdims).astype(x.dtype)
    if p == 2:
        return sqrt((x * x).sum(axis=axis, keepdims=keepdims))
    size = abs(x)
    if p in (math.inf, -math.inf):
        return size.max(axis=axis, keepdims=keepdims) if p > 0 else size.min(axis=axis, keepdims=keepdims)
    return power(power(size, exponent=p).sum(axis=axis, keepdims=keepdims), exponent=1 / p)


def _along_the_norm(g, out, x, p, axis):
    if p in (math.inf, -math.inf):
        return _to_the_extremes(g, out, abs(x), axis) * sign(x)
    g, out = spread(g, x.shape, axis), spread(out, x.shape, axis)
    if p == 0:
        return g * 0.0
    unit = x / where(eq(out, 0), 1.0, out)
    if p == 2:
        return g * unit
    zero = logical_or(eq(x, 0), eq(out, 0))
    return g * where(zero, 0.0, sign(x) * power(where(zero, 1.0, abs(unit)), exponent=p - 1))


norm.vjp(x=_along_the_norm)


# ---- extremes
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


@op(r"\operatorname{{argmax}} {x}", binds=3, smooth=False)
def argmax(xp, x, *, axis=None, keepdims=False):
    """Where the largest is; the first, where several tie. Integers, so without a gradient."""
    return xp.argmax(x, axis=axis, keepdims=keepdims)


@op(r"\operatorname{{argmin}} {x}", binds=3, smooth=False)
def argmin(xp, x, *, axis=None, keepdims=False):
    """Where the smallest is; the first, where several tie. Integers, so without a gradient."""
    return xp.argmin(x, axis=axis, keepdims=keepdims)


@op(r"\operatorname{{any}} {x}", binds=3, smooth=False)
def any(x, *, axis=None, keepdims=False):
    """Whether at least one is not 0."""
    return x.any(axis=axis, keepdims=keepdims)


@op(r"\operatorname{{all}} {x}", binds=3, smooth=False)
def all(x, *, axis=None, keepdims=False):
    """Whether none is 0."""
    return x.all(axis=axis, keepdims=keepdims)


# ---- products and running sums
@op(r"\prod {x}", binds=3)
def prod(x, *, axis=None, keepdims=False):
    """The product along axes. Its rule divides by nothing, so that entries of 0 have exact gradients of every order."""
    return x.prod(axis=axis, keepdims=keepdims)


prod.vjp(x=lambda g, x, axis: spread(g, x.shape, axis) * _product_of_the_others(x, axis))


def _product_of_the_others(x, axis):
    folded = _folded(x.ndim, axis)
    order = [a for a in range(x.ndim) if a not in folded] + folded
    last = permute(x, dims=tuple(order))
    rows = reshape(last, shape=(*last.shape[: x.ndim - len(folded)], _entries(x.shape, axis)))
    back = (rows.ndim - 1,)
    others = _product_before(rows) * flip(_product_before(flip(rows, axis=back)), axis=back)
    return permute(reshape(others, shape=last.shape), dims=tuple(order.index(a) for a in range(x.ndim)))


def _product_before(x):
    """For each entry of the last axis, the product of those before it, in log2(n) steps of twice the reach."""
    out = concatenate(power(x[..., :1], exponent=0), x[..., :-1], axis=-1)
    reach = 1
    while reach < x.shape[-1]:
        out = concatenate(out[..., :reach], out[..., reach:] * out[..., :-reach], axis=-1)
        reach *= 2
    return out


@op(r"\operatorname{{cumsum}} {x}", binds=3)
def cumsum(xp, x, *, axis):
    """Running sums along one axis, kept in float64 while they run: the last of many float32 numbers is exact too."""
    dtype = np.float64 if x.dtype.kind == "f" else None
    out = xp.cumsum(x if x.ndim else x.reshape(1), axis=axis, dtype=dtype).reshape(x.shape)
    return out.astype(x.dtype, copy=False) if dtype else out


def _sum_of_the_later(g, axis):
    back = (axis % g.ndim,) if g.ndim else ()
    return flip(cumsum(flip(g, axis=back), axis=axis), axis=back)


cumsum.vjp(x=_sum_of_the_later)
