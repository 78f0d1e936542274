"""Ops that say where entries are: in order of size, or wherever they are not zero."""

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ..define import op
from ..spec import Spec
from .shaping import flip


@op(r"\operatorname{{argsort}} {x}", binds=3, smooth=False)
def argsort(xp, x, *, axis=-1, descending=False):
    """The ids that bring x into order along one axis; equals stay in the order they had, NaN counts as largest."""
    if not x.ndim:
        return xp.zeros((), dtype=np.int64)
    if not descending:
        return xp.argsort(x, axis=axis, kind="stable")
    axis = axis % x.ndim
    from_the_end = xp.argsort(flip(x, axis=(axis,)), axis=axis, kind="stable")
    return x.shape[axis] - 1 - flip(from_the_end, axis=(axis,))


@argsort.kernel("shapes")
def _(x, axis, descending):
    normalize_axis_index(axis, x.ndim or 1)
    return Spec(x.shape, np.int64)


@op(r"\operatorname{{nonzero}} {x}", binds=3, smooth=False)
def nonzero(xp, x):
    """The places of the entries that are not zero, in memory order: (.., n axes)."""
    return xp.argwhere(x)


@nonzero.kernel("shapes")
def _(x):
    raise TypeError(f"nonzero was asked of {x!r}, but how many entries are not zero depends on unknown values")
