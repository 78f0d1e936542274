"""Ops that move values without changing them: each one's pull-back moves them back."""

import math

from numpy.lib.array_utils import normalize_axis_tuple

from .. import arrays
from ..backward import sum_to
from ..define import op
from ..spec import Spec


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


@op(r"\operatorname{{flip}} {x}", binds=3)
def flip(x, *, axis):
    """The order along these axes reversed; its own transpose."""
    return x[tuple(slice(None, None, -1) if i in axis else slice(None) for i in range(x.ndim))]


flip.vjp(x=lambda g, axis: flip(g, axis=axis))


@op(r"\operatorname{{roll}}({x}, {shift})")
def roll(xp, x, *, shift, axis):
    """Entry i of each axis moved to place i + shift, round the end."""
    return xp.roll(x, shift, axis)


roll.vjp(x=lambda g, shift, axis: roll(g, shift=tuple(-n for n in shift), axis=axis))


@roll.kernel("shapes")
def _(x, shift, axis):
    normalize_axis_tuple(axis, x.ndim, allow_duplicate=True)
    return x


@op(r"\operatorname{{tile}}({x}, {reps})")
def tile(xp, x, *, reps):
    """Copies of x side by side, reps[i] of them along axis i."""
    wide = xp.broadcast_to(x.reshape(_paired((1,) * x.ndim, x.shape)), _paired(reps, x.shape))
    return wide.reshape(tuple(r * n for r, n in zip(reps, x.shape)))


def _paired(reps, shape):
    return tuple(n for pair in zip(reps, shape) for n in pair)


tile.vjp(x=lambda g, x_shape, reps: g.reshape(_paired(reps, x_shape)).sum(axis=tuple(range(0, 2 * len(reps), 2))))


@op(r"\operatorname{{pad}}({x}, {widths})")
def pad(xp, x, *, widths, value=0.0):
    """x in a frame of one value, (before, after) wide for each axis."""
    out = xp.full(_framed(x.shape, widths), value, dtype=x.dtype)
    out[_inside(x.shape, widths)] = x
    return out


def _framed(shape, widths):
    return tuple(before + n + after for n, (before, after) in zip(shape, widths))


def _inside(shape, widths):
    return tuple(slice(before, before + n) for n, (before, _) in zip(shape, widths))


pad.vjp(x=lambda g, x_shape, widths: g[_inside(x_shape, widths)])
pad.kernel("shapes")(lambda x, widths, value: Spec(_framed(x.shape, widths), x.dtype))


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


@op("{x}")
def clone(x):
    """The same values in memory of their own."""
    return x.copy()


clone.vjp(x=lambda g: g)


@op("{x}", smooth=False)
def detach(x):
    """The same values as constants, in the same memory: `Tensor.detach` as a graph's data shows it."""
    return x


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


def rows(x):
    """x as a matrix of its last axis: (.., C) -> (N, C)."""
    return x if x.ndim == 2 else x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
