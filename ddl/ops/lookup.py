"""Ops that pick entries by their ids, and the ops that put them back: each pair is transposed to the other."""

import math
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ..arrays import device_of, put_beside
from ..core import Tensor
from ..define import op
from ..spec import Spec


def ids(x: Any, beside: Tensor) -> Any:
    """Integers as an array, from a tensor, an array, or a list, which goes to the device of the tensor `beside` it."""
    x = x.data if isinstance(x, Tensor) else x
    if not isinstance(x, (list, tuple, int, np.generic)):
        return x
    numbers = np.asarray(x)
    return put_beside(numbers if numbers.size else numbers.astype(np.int64), beside)


def check_ids(i, n, least=0, of="a table of {} rows"):
    """Refuse ids that are no integers or that lie outside least .. n - 1, of what has n of them."""
    if isinstance(i, Spec):
        return
    if getattr(i, "dtype", np.dtype(int)).kind not in "iu":
        raise TypeError(f"ids must be integers, but {i.dtype} was given")
    if i.size and (i.min() < least or i.max() >= n):
        bad = i.min() if i.min() < least else i.max()
        known = f"are {least} to {n - 1}" if n else "are none"
        raise IndexError(f"id {bad} was asked for, but the ids of {of.format(n)} {known}")


# ---- rows of a table
@op(r"{weight}[{i}]")
def embedding(xp, weight, i):
    """Row i of a table, for every i: (V, C), (..) -> (.., C)."""
    check_ids(i, weight.shape[0])
    _together(weight, i)
    return xp.take(weight, i, axis=0)


@op(r"\operatorname{{add\_rows}}({g}, {i})")
def add_rows(xp, g, i, *, n):
    """The transpose of `embedding`: a table of n rows, each the sum of the rows of g that i sends there."""
    rows = xp.zeros((n, g.shape[-1]), dtype=g.dtype)
    wide = np.uint64 if g.dtype == np.int64 else g.dtype  # CUDA adds these atomically: the same sum modulo 2^64
    xp.add.at(rows.view(wide), i.reshape(-1), g.reshape(-1, g.shape[-1]).view(wide))
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


# ---- one entry of each row
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


# ---- entries along an axis
@op(r"{x}[{i}]")
def gather(xp, x, i, *, axis):
    """The entries of x that i names along one axis, a result for each entry of i.

    i has as many axes as x, and off that axis its entry j belongs to x's entry j.
    """
    return x.reshape(-1)[places(xp, x, i, axis, x.shape)]


@op(r"\operatorname{{add\_along}}({g}, {i})")
def add_along(xp, g, i, *, axis, shape):
    """The transpose of `gather`: zeros of `shape`, to which g is added where i says, repeated places adding up."""
    at = places(xp, g, i, axis, shape)
    return add_rows(g.reshape(-1, 1), at.reshape(-1), n=math.prod(shape)).reshape(shape)


gather.vjp(x=lambda g, x_shape, i, axis: add_along(g, i, axis=axis, shape=x_shape), i=None)
add_along.vjp(g=lambda g, i, axis: gather(g, i, axis=axis), i=None)


@gather.kernel("shapes")
def _(x, i, axis):
    axis = _fitting(i, axis, x.shape)
    check_ids(i, x.shape[axis] if x.shape else 1, of="an axis of {} entries")
    return Spec(i.shape, x.dtype)


@add_along.kernel("shapes")
def _(g, i, axis, shape):
    _fitting(i, axis, shape)
    return Spec(shape, g.dtype)


def places(xp, x, i, axis, shape):
    """Where, counted in memory order, `gather` looks in an array of `shape`, which lies beside x."""
    axis = _fitting(i, axis, shape)
    check_ids(i, shape[axis] if shape else 1, of="an axis of {} entries")
    _together(x, i)
    i = i.astype(np.int64)
    at = 0
    for d, n in enumerate(shape):
        along = i if d == axis else xp.arange(i.shape[d]).reshape([-1 if e == d else 1 for e in range(i.ndim)])
        at = at * n + along
    return at if shape else i


def _fitting(i, axis, shape):
    """The axis counted from the front, where ids of this shape can name entries along it."""
    axis = normalize_axis_index(axis, len(shape) or 1)
    if i.ndim != len(shape) or any(m > n for d, (m, n) in enumerate(zip(i.shape, shape)) if d != axis):
        raise ValueError(
            f"ids of shape {tuple(i.shape)} were given for axis {axis} of {tuple(shape)}; "
            "they need as many axes, of which the others are no longer"
        )
    return axis


def _together(x, i):
    """Refuse ids on another device: CuPy itself would copy without a word."""
    if {device_of(x), device_of(i)} == {"cpu", "gpu"}:
        raise TypeError("values and ids are on different devices")


@op(r"\operatorname{{one\_hot}} {i}", binds=3, smooth=False)
def one_hot(xp, i, *, n):
    """Rows of n integers, 1 at the id and 0 elsewhere: (..) -> (.., n)."""
    check_ids(i, n, of="{} classes")
    return (i[..., None] == xp.arange(n)).astype(np.int64)
