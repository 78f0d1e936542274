"""Ops that move values without changing them."""

import numpy as np

from ..refusals import refuse
from ..writer import INT
from .table import row


@row("reshape")
def _(w, out, x, *, shape):
    if x.name in w.unknown:
        refuse(out, w.scope, " of an array whose size depends on values")
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


def unsqueezed(w, x, axis):
    return w.op("Unsqueeze", x, w.axes(axis), shape=(*x.shape[:axis], 1, *x.shape[axis:]))


def squeezed(w, x, axis):
    return w.op("Squeeze", x, w.axes(axis), shape=(*x.shape[:axis], *x.shape[axis + 1 :]))


END = np.iinfo(np.int64).max


@row("flip")
def _(w, out, x, *, axis):
    ones = [-1] * len(axis)
    ends = w.axes(*(-END for _ in axis))
    return w.op("Slice", x, w.axes(*ones), ends, w.axes(*axis), w.axes(*ones), shape=x.shape) if axis else x


@row("roll")
def _(w, out, x, *, shift, axis):
    for n, a in zip(shift, axis):
        size = x.shape[a]
        if size != 0:
            places = w.op("Mod", w.op("Sub", w.arange(size), n), w.cast(size, INT))
            x = w.op("Gather", x, places, axis=a, shape=x.shape)
    return x


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


@row("clone", "detach", "move")
def _(w, out, x, **_):
    return x


@row("astype")
def _(w, out, x, *, dtype):
    return w.cast(x, dtype)
