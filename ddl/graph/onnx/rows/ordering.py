"""Where entries are: in order of size, or wherever they are not zero."""

import numpy as np

from ..writer import INT
from .shaping import transposed
from .table import row


@row("argsort")
def _(w, out, x, *, axis, descending):
    """TopK of all of them; it says nothing of NaN, so that is first taken for infinite, and then put beyond it."""
    if not x.ndim:
        return w.constant(np.zeros((), INT), "0")
    if x.dtype.kind != "f":
        return order(w, w.cast(x, np.int32) if x.dtype == bool else x, axis, descending)
    strange = w.op("IsNaN", x, dtype=bool)
    first = order(w, w.op("Where", strange, w.cast(np.inf, x.dtype), x, dtype=x.dtype), axis, descending)
    marks = w.op("GatherElements", w.cast(strange, INT), first, axis=axis)
    return w.op("GatherElements", first, order(w, marks, axis, descending), axis=axis)


def order(w, x, axis, descending):
    """The ids that bring x into order; of equals the first comes first."""
    count = w.size(x.shape[axis])
    return w.op("TopK", x, count, axis=axis, largest=int(descending), shape=x.shape, dtype=INT, place=1)


@row("nonzero")
def _(w, out, x):
    found = w.op("NonZero", w.cast(x, bool), shape=out.shape[::-1], dtype=INT)
    w.unknown.add(found.name)
    places = transposed(w, found, (1, 0))
    return places if x.ndim else w.op("Slice", places, w.axes(0), w.axes(0), w.axes(1), shape=out.shape)
