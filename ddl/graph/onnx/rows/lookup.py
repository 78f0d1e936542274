"""Entries picked by ids, and put back where ids say."""

from ..writer import INT
from .shaping import squeezed, unsqueezed
from .table import row


@row("embedding")
def _(w, out, weight, i):
    return w.op("Gather", weight, w.cast(i, INT), axis=0, shape=out.shape)


@row("add_rows")
def _(w, out, g, i, *, n):
    at = unsqueezed(w, w.cast(i, INT), i.ndim)
    return w.op("ScatterND", w.filled(0, out.shape, out.dtype), at, g, reduction="add", shape=out.shape)


@row("pick")
def _(w, out, x, i):
    at = unsqueezed(w, w.cast(i, INT), i.ndim)
    return squeezed(w, w.op("GatherElements", x, at, axis=-1, shape=at.shape), i.ndim)


@row("put")
def _(w, out, g, i, *, n):
    at = unsqueezed(w, w.cast(i, INT), i.ndim)
    rows = w.filled(0, out.shape, out.dtype)
    return w.op("ScatterElements", rows, at, unsqueezed(w, g, g.ndim), axis=-1, shape=out.shape)


@row("gather")
def _(w, out, x, i, *, axis):
    return w.op("GatherElements", x, w.cast(i, INT), axis=axis, shape=out.shape) if x.ndim else x


@row("add_along")
def _(w, out, g, i, *, axis, shape):
    if not g.ndim:
        return g
    rows = w.filled(0, out.shape, out.dtype)
    return w.op("ScatterElements", rows, w.cast(i, INT), g, axis=axis, reduction="add", shape=out.shape)


@row("one_hot")
def _(w, out, i, *, n):
    return w.cast(w.op("Equal", unsqueezed(w, w.cast(i, INT), i.ndim), w.arange(n), dtype=bool), INT)
