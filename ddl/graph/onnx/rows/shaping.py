"""Ops that move values without changing them."""

import numpy as np

from ....sizes import named
from ..writer import INT
from .table import row


@row("reshape")
def _(w, out, x, *, shape):
    return w.reshape(x, out.shape)


@row("broadcast_to")
def _(w, out, x, *, shape):
    return w.op("Expand", x, w.shape(out.shape), shape=out.shape)


@row("swapaxes")
def _(w, out, x, *, a, b):
    order = list(range(x.ndim))
    order[a], order[b] = order[b], order[a]
    return transposed(w, x, order)


@row("permute")
def _(w, out, x, *, dims):
    return transposed(w, x, [d % x.ndim for d in dims])


def transposed(w, x, order):
    order = list(order)
    return x if order == sorted(order) else w.op("Transpose", x, perm=order, shape=[x.shape[i] for i in order])


def sliced(w, x, axis, start, stop, step, size):
    """One axis from start to stop; `size` is what is left of it."""
    shape = [size if i == axis % x.ndim else n for i, n in enumerate(x.shape)]
    return w.op("Slice", x, w.axes(start), w.axes(stop), w.axes(axis), w.axes(step), shape=shape)


END = np.iinfo(np.int64).max


@row("flip")
def _(w, out, x, *, axis):
    for a in axis:
        x = sliced(w, x, a, -1, -END, -1, x.shape[a])
    return x


@row("roll")
def _(w, out, x, *, shift, axis):
    for n, a in zip(shift, axis):
        x = w.op("Gather", x, moved(w, x.shape[a], n), axis=a, shape=x.shape)
    return x


def moved(w, n, shift):
    """What comes to each of n places when all move by `shift`, round the end."""
    if not named(n):
        return w.constant(np.roll(np.arange(n), shift), f"0..{n} moved by {shift}")
    return w.op("Mod", w.op("Sub", w.arange(n), shift), w.cast(n, INT))


@row("tile")
def _(w, out, x, *, reps):
    return w.op("Tile", x, w.shape(reps), shape=out.shape)


@row("pad")
def _(w, out, x, *, widths, value):
    ends = w.shape([before for before, _ in widths] + [after for _, after in widths])
    return w.op("Pad", x, ends, w.cast(value, x.dtype), shape=out.shape) if widths else x


@row("concatenate")
def _(w, out, *xs, axis):
    return w.op("Concat", *(w.cast(x, out.dtype) for x in xs), axis=axis, shape=out.shape)


@row("clone", "move")
def _(w, out, x, **_):
    return x


@row("astype")
def _(w, out, x, *, dtype):
    return w.cast(x, dtype)
