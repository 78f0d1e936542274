"""Axes folded away."""

import numpy as np

from ..writer import INT
from .table import ROWS, row

REDUCED = {"sum": "ReduceSum", "mean": "ReduceMean", "max": "ReduceMax", "min": "ReduceMin", "prod": "ReduceProd"}


def folded(w, kind, x, axis, keepdims, shape):
    """A reduction over axes (None: all); of an array without axes nothing is to be folded."""
    axes = None if axis is None or not x.ndim else (axis,) if isinstance(axis, int) else tuple(axis)
    if axes == ():
        return x
    return w.op(kind, x, None if axes is None else w.axes(*axes), keepdims=int(keepdims), shape=shape)


def reduced(kind):
    def write(w, out, x, *, axis=None, keepdims=False):
        wide = np.dtype(np.int32) if out.dtype == bool else out.dtype
        return w.cast(folded(w, kind, w.cast(x, wide), axis, keepdims, out.shape), out.dtype)

    return write


ROWS.update({name: reduced(kind) for name, kind in REDUCED.items()})


def counted(w, out, x, axis, keepdims):
    """How many entries are true; over none it is 0."""
    return folded(w, "ReduceSum", w.cast(w.cast(x, bool), INT), axis, keepdims, out.shape)


@row("any")
def _(w, out, x, *, axis=None, keepdims=False):
    return w.op("Greater", counted(w, out, x, axis, keepdims), 0, dtype=bool)


@row("all")
def _(w, out, x, *, axis=None, keepdims=False):
    return w.op("Equal", counted(w, out, w.op("Not", w.cast(x, bool)), axis, keepdims), 0, dtype=bool)


@row("norm")
def _(w, out, x, *, p, axis, keepdims):
    if p not in (1, 2):
        return NotImplemented
    return folded(w, f"ReduceL{int(p)}", x, axis, keepdims, out.shape)


def extreme(kind):
    def write(w, out, x, *, axis=None, keepdims=False):
        if x.dtype == bool:
            x = w.cast(x, np.int32)
        if axis is None or not x.ndim:
            x, axis = w.op("Reshape", x, w.axes(-1), shape=(-1,)), 0
        found = w.op(kind, x, axis=axis, keepdims=int(keepdims), shape=out.shape, dtype=INT)
        return w.reshape(found._replace(shape=None), out.shape)

    return write


ROWS.update(argmax=extreme("ArgMax"), argmin=extreme("ArgMin"))


@row("cumsum")
def _(w, out, x, *, axis):
    x = w.cast(x, out.dtype)
    return w.op("CumSum", x, w.constant(np.array(axis, INT), str(axis)), shape=out.shape) if x.ndim else x
