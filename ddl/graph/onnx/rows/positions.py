"""What depends on places alone."""

import numpy as np

from ....arrays import FLOAT64
from ....sizes import named
from ..refusals import NUMBERS, refuse
from .shaping import unsqueezed
from .table import row


@row("waves")
def _(w, out, x, *, offset, base):
    width = x.shape[-1]
    if named(width):
        refuse(out, w.scope, f" over a width of {width}", NUMBERS)
    wavelengths = base ** (np.arange(0, width, 2, dtype=FLOAT64) / width)
    places = w.cast(w.op("Add", w.arange(x.shape[-2]), offset), FLOAT64)
    angles = w.op("Div", unsqueezed(w, places, 1), w.constant(wavelengths, "wavelengths"))
    both = [unsqueezed(w, w.op(kind, angles), 0) for kind in ("Cos", "Sin")]
    return w.cast(w.op("Concat", *both, axis=0, shape=out.shape), out.dtype)


@row("alibi")
def _(w, out, q, k, *, slopes):
    T, S = q.shape[-2], k.shape[-2]
    queries = unsqueezed(w, w.op("Add", w.arange(T), w.cast(S - T, np.int64)), 1)
    apart = w.cast(w.op("Abs", w.op("Sub", queries, w.arange(S))), out.dtype)
    return w.op("Mul", w.constant(-np.array(slopes, out.dtype)[:, None, None], "slopes"), apart)
