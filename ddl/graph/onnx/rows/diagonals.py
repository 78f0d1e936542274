"""The two sides of a diagonal, and the diagonal itself."""

import numpy as np

from ..writer import INT
from .shaping import transposed, unsqueezed
from .table import ROWS, row


def triangle(upper):
    def write(w, out, x, *, k):
        return w.op("Trilu", x, w.constant(np.array(k, INT), str(k)), upper=upper)

    return write


ROWS.update(tril=triangle(0), triu=triangle(1))


@row("causal")
def _(w, out, x):
    places = unsqueezed(w, w.arange(x.shape[-2]), 1)
    return w.op("LessOrEqual", w.arange(x.shape[-1]), places, dtype=bool)


@row("diagonal")
def _(w, out, x, *, offset, axis1, axis2):
    rest, both = divided(x.ndim, axis1, axis2)
    last = transposed(w, x, (*rest, *both))
    flat = w.reshape(last, (*out.shape[:-1], last.shape[-2] * last.shape[-1]))
    return w.op("Gather", flat, places(w, out.shape[-1], last.shape[-1], offset), axis=-1, shape=out.shape)


@row("put_diagonal")
def _(w, out, g, *, shape, offset, axis1, axis2):
    rest, both = divided(len(out.shape), axis1, axis2)
    order = [*rest, *both]
    last = [out.shape[a] for a in order]
    flat = w.filled(0, (*last[:-2], last[-2] * last[-1]), out.dtype)
    at = w.op("Expand", places(w, g.shape[-1], last[-1], offset), w.shape(g.shape), shape=g.shape)
    flat = w.op("ScatterElements", flat, at, g, axis=-1, shape=flat.shape)
    return transposed(w, w.reshape(flat, last), [order.index(a) for a in range(len(order))])


def divided(ndim, axis1, axis2):
    """The other axes, and these two."""
    both = axis1 % ndim, axis2 % ndim
    return [a for a in range(ndim) if a not in both], both


def places(w, length, width, offset):
    """Where, counted in memory order, the entries of a diagonal lie in a matrix of rows of this width."""
    i = w.arange(length)
    rows = w.op("Mul", w.op("Add", i, max(-offset, 0)), w.cast(width, INT))
    return w.op("Add", rows, w.op("Add", i, max(offset, 0)))
