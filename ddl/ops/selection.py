"""Indexing: entries picked, put back where they came from, and written over others."""

import math

import numpy as np

from ..arrays import boxed, device_of, is_array, module_of
from ..core import Tensor
from ..define import op
from ..shape_rules import widened
from ..spec import Spec
from .comparisons import where
from .lookup import add_rows, check_ids


@op(r"{x}[{index}]")
def getitem(x, *, index):
    """numpy's indexing: slices, integers, integer arrays, boolean masks, None and Ellipsis."""
    return x[index]


@op(r"\operatorname{{put}}({g})")
def setitem(xp, g, *, index, shape):
    """The transpose of `getitem`: zeros of `shape`, to which `g` is added at `index`, repeated places adding up."""
    if _repeats(index):
        return _summed(xp, g, index, shape)
    out = xp.zeros(shape, dtype=g.dtype)
    out[index] = g
    return out


def add_at(out, g, *, index):
    """Add g to out[index] in place, repeated places adding up."""
    if isinstance(out, Spec):
        return
    if _repeats(index):
        out += _summed(module_of(out), g, index, out.shape)
    else:
        out[index] += g


getitem.vjp(x=lambda g, x_shape, index: setitem(g, index=index, shape=x_shape))
getitem.adds_into = add_at
setitem.vjp(g=lambda g, index: getitem(g, index=index))
setitem.kernel("shapes")(lambda g, index, shape: Spec(shape, g.dtype))


def _summed(xp, g, index, shape):
    """`setitem` as sums of rows: one for each entry of the axes that the index speaks of."""
    parts = _parts(index)
    spoken = len(shape) if any(p is Ellipsis for p in parts) else sum(map(_axes, parts))
    lead, rest = shape[:spoken], math.prod(shape[spoken:])
    at = xp.arange(math.prod(lead)).reshape(lead)[index]
    return add_rows(g.reshape(at.size, rest), at.reshape(-1), n=math.prod(lead)).reshape(shape)


# ---- written over
@op(r"\operatorname{{assign}}({x}, {v})")
def assign(xp, x, v, *, index):
    """x with v written at `index`; of several values for one place the last stays."""
    out = boxed(x.copy())
    if _repeats(index):
        turn = _last_turn(xp, index, x.shape)
        v = xp.broadcast_to(xp.asarray(v), turn.shape).reshape(-1)[turn]
    out[index] = v
    return out


def _of_the_values(g, index):
    """A value that another was written over has no gradient."""
    picked = getitem(g, index=index)
    if not _repeats(index) or isinstance(picked.data if isinstance(picked, Tensor) else picked, Spec):
        return picked
    turn = _last_turn(module_of(g.data if isinstance(g, Tensor) else g), index, g.shape)
    return where(turn.reshape(-1) == module_of(turn).arange(turn.size), picked.reshape(-1), 0.0).reshape(turn.shape)


def _last_turn(xp, index, shape):
    """For each value written at `index`, counted in memory order: which one is the last to go to its place."""
    last = xp.zeros(shape, np.int32)
    turn = xp.arange(last[index].size, dtype=np.int32).reshape(last[index].shape)
    xp.maximum.at(last, index, turn)
    return last[index]


assign.vjp(x=lambda g, index: assign(g, 0.0, index=index), v=_of_the_values)


@assign.kernel("shapes")
def _(x, v, index):
    widened(np.shape(v), x[index].shape)
    return x


# ---- what an index is
def as_index(index, x):
    """An index into x as arrays understand it; arrays and lists are copied as they are now: backward reads them again.

    Ids outside x are refused here: CuPy would wrap them round the end without a word.
    """
    if not isinstance(index, tuple):
        return as_index((index,), x)[0]
    index = tuple(map(_own, index))
    if _repeats(index):
        _check(index, x)
    return index


def _own(part):
    if isinstance(part, Tensor):
        part = part.data
    if isinstance(part, np.generic):
        return part.item()
    return part.copy() if hasattr(part, "copy") else part


def _parts(index):
    return index if isinstance(index, tuple) else (index,)


def _repeats(index):
    """Whether the index may name a place twice: only arrays and lists of integers do."""
    return any(isinstance(p, list) or (hasattr(p, "dtype") and p.dtype.kind != "b") for p in _parts(index))


def _axes(part):
    """How many axes of the array a part of an index speaks of."""
    if part is None or part is Ellipsis:
        return 0
    array = np.asarray(part) if isinstance(part, (list, bool)) else part
    return array.ndim if hasattr(array, "dtype") and array.dtype.kind == "b" else 1


def _check(index, x):
    """Refuse ids outside their axis, and arrays of them that lie elsewhere than x."""
    axis = 0
    for part in index:
        ids = np.asarray(part) if isinstance(part, list) else part
        if is_array(ids) and ids.dtype.kind in "iu" and axis < x.ndim:
            check_ids(ids, x.shape[axis], -x.shape[axis], "an axis of {} entries")
        if is_array(part) and part.ndim and {x.device, device_of(part)} == {"cpu", "gpu"}:
            raise TypeError(
                f"an index on {device_of(part)} was given for a tensor on {x.device}; "
                f"move it first with .to({x.device!r}), or give a list"
            )
        axis += x.ndim - sum(map(_axes, index)) if part is Ellipsis else _axes(part)
