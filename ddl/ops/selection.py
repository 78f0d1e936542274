"""Ops that pick entries, and the ops that put them back: each pair is transposed to the other."""

import math

import numpy as np

from ..arrays import device_of, module_of
from ..core import Tensor
from ..define import op
from ..spec import Spec


@op(r"{x}[{index}]")
def getitem(x, *, index):
    """numpy's indexing: slices, integers, integer arrays, boolean masks, None and Ellipsis."""
    return x[index]


@op(r"\operatorname{{put}}({g})")
def setitem(xp, g, *, index, shape):
    """The transpose of `getitem`: zeros of `shape`, to which `g` is added at `index`, repeated places adding up."""
    out = xp.zeros(shape, dtype=g.dtype)
    add_at(out, g, index=index)
    return out


def add_at(out, g, *, index):
    """Add g to out[index] in place, repeated places adding up."""
    if isinstance(out, Spec):
        return
    if _repeats(index):
        module_of(out).add.at(out, index, g)
    else:
        out[index] += g


def _repeats(index):
    parts = index if isinstance(index, tuple) else (index,)
    return any(isinstance(p, list) or (hasattr(p, "dtype") and p.dtype.kind != "b") for p in parts)


getitem.vjp(x=lambda g, x_shape, index: setitem(g, index=index, shape=x_shape))
getitem.adds_into = add_at
setitem.vjp(g=lambda g, index: getitem(g, index=index))
setitem.kernel("shapes")(lambda g, index, shape: Spec(shape, g.dtype))


@op(r"{weight}[{i}]")
def embedding(xp, weight, i):
    """Row i of a table, for every i: (V, C), (..) -> (.., C)."""
    if not isinstance(i, Spec):
        check_ids(i, weight.shape[0])
    if {device_of(weight), device_of(i)} == {"cpu", "gpu"}:  # CuPy itself would copy without a word
        raise TypeError("weight and ids are on different devices")
    return xp.take(weight, i, axis=0)


@op(r"\operatorname{{add\_rows}}({g}, {i})")
def add_rows(xp, g, i, *, n):
    """The transpose of `embedding`: a table of n rows, each the sum of the rows of g that i sends there."""
    rows = xp.zeros((n, g.shape[-1]), dtype=g.dtype)
    xp.add.at(rows, i.reshape(-1), g.reshape(-1, g.shape[-1]))
    return rows


embedding.vjp(weight=lambda g, weight_shape, i: add_rows(g, i, n=weight_shape[0]), i=None)
add_rows.vjp(g=lambda g, i: embedding(g, i), i=None)
add_rows.kernel("shapes")(lambda g, i, n: Spec((n, g.shape[-1]), g.dtype))


@add_rows.kernel("numpy")
def _(g, i, n):
    """Sorted by row, each run of equal rows is one sum: `np.add.at` is several times slower."""
    flat, g = i.reshape(-1), g.reshape(-1, g.shape[-1])
    rows = np.zeros((n, g.shape[-1]), g.dtype)
    if flat.size:
        order = np.argsort(flat.astype(np.int32), kind="stable")
        ordered = flat[order]
        starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
        rows[ordered[starts]] = np.add.reduceat(g[order], starts, axis=0)
    return rows


@op(r"{x}[{i}]")
def pick(xp, x, i):
    """One entry of each row: x[.., i]."""
    return xp.take_along_axis(x, i[..., None], axis=-1)[..., 0]


@op(r"\operatorname{{put}}({g}, {i})")
def put(xp, g, i, *, n):
    """The transpose of `pick`: rows of n zeros with one entry of `g` each, at `i`."""
    rows = xp.zeros((math.prod(g.shape), n), dtype=g.dtype)
    rows[xp.arange(len(rows)), i.reshape(-1)] = g.reshape(-1)
    return rows.reshape((*g.shape, n))


pick.vjp(x=lambda g, x_shape, i: put(g, i, n=x_shape[-1]), i=None)
put.vjp(g=lambda g, i: pick(g, i), i=None)
pick.kernel("shapes")(lambda x, i: Spec(x.shape[:-1], x.dtype))
put.kernel("shapes")(lambda g, i, n: Spec((*g.shape, n), g.dtype))


def check_ids(i, n):
    """Refuse ids that are no integers or that lie outside 0 .. n - 1."""
    if getattr(i, "dtype", np.dtype(int)).kind not in "iu":
        raise TypeError(f"ids must be integers, but {i.dtype} was given")
    if i.size and (i.min() < 0 or i.max() >= n):
        bad = i[(i < 0) | (i >= n)].reshape(-1)[0]
        raise IndexError(f"id {bad} was asked for, but the ids of a table of {n} rows are 0 to {n - 1}")


def as_index(index):
    """An index as arrays understand it; arrays and lists are copied as they are now: backward reads them again."""
    if isinstance(index, tuple):
        return tuple(as_index(part) for part in index)
    if isinstance(index, Tensor):
        index = index.data
    return index.copy() if hasattr(index, "copy") else index
