"""Ops that move values without changing them: each one's pull-back moves them back."""

import math

from .. import arrays
from ..backward import sum_to
from ..define import op


@op("{x}")
def broadcast_to(xp, x, *, shape):
    return xp.broadcast_to(x, shape)


broadcast_to.vjp(x=lambda g, x_shape: sum_to(g, x_shape))


@op("{x}")
def reshape(x, *, shape):
    return x.reshape(shape)


reshape.vjp(x=lambda g, x_shape: g.reshape(x_shape))


@op(r"{x}^\top")
def swapaxes(x, *, a, b):
    return x.swapaxes(a, b)


swapaxes.vjp(x=lambda g, a, b: g.swapaxes(a, b))


@op(r"{x}^\top")
def permute(x, *, dims):
    """The axes in another order: axis i of the result is axis dims[i] of x."""
    return x.transpose(dims)


permute.vjp(x=lambda g, dims: permute(g, dims=tuple(sorted(range(len(dims)), key=lambda i: dims[i] % len(dims)))))


@op(r"[{xs}]")
def concatenate(xp, *xs, axis=0):
    """Arrays joined along an axis they have."""
    return xp.concatenate(xs, axis=axis)


@concatenate.vjp
def _(g, xs, axis):
    pieces, start = [], 0
    for x in xs:
        stop = start + x.shape[axis]
        pieces.append(g[(slice(None),) * (axis % g.ndim) + (slice(start, stop),)])
        start = stop
    return pieces


@op(r"\operatorname{{tril}} {x}", binds=3)
def tril(xp, x, *, k=0):
    """The last two axes' lower triangle, zero above diagonal k; its own transpose."""
    return xp.where(xp.tri(*x.shape[-2:], k=k, dtype=bool), x, xp.zeros((), dtype=x.dtype))


tril.vjp(x=lambda g, k: tril(g, k=k))


@op(r"\operatorname{{triu}} {x}", binds=3)
def triu(xp, x, *, k=0):
    """The last two axes' upper triangle, zero below diagonal k; its own transpose."""
    return xp.where(xp.tri(*x.shape[-2:], k=k - 1, dtype=bool), xp.zeros((), dtype=x.dtype), x)


triu.vjp(x=lambda g, k: triu(g, k=k))


@op("{x}")
def astype(x, *, dtype):
    """The same values in another dtype."""
    return x.astype(dtype)


astype.vjp(x=lambda g, x: g.astype(x.dtype))


@op("{x}")
def move(x, *, device, origin):
    """The same values on another device."""
    return arrays.to_device(x, device)


move.vjp(x=lambda g, device, origin: move(g, device=origin, origin=device))


@op(r"\operatorname{{past}}({x})", smooth=False)
def causal(xp, x):
    """True where the column is not after the row, over the last two axes of x: which keys a query may see."""
    return xp.tri(*x.shape[-2:], dtype=bool)


def rows(x):
    """x as a matrix of its last axis: (.., C) -> (N, C)."""
    return x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
