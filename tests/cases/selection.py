"""Indexing, and what puts entries back."""

import numpy as np

import ddl
from ddl import ops

from .table import B, N, Z, case, fixed, same

# fmt: off
for name, index in {
    "integer": 1, "negative": -1, "slice": slice(1, 3), "step": slice(None, None, 2),
    "negative step": slice(None, None, -1),
    "empty slice": slice(2, 2), "ellipsis": (..., 1), "None": (None, 1), "None last": (..., None), "to 0-d": (1, 2, 0),
    "column": (slice(None), 1), "nothing": (), "list": [2, 0, 2], "list and slice": (slice(1, None), [0, 0, 2]),
    "mixed": (0, None, slice(None, None, -2), ..., 1), "lists in a list": ([[0, 1], [1, 1]],),
    "mask in a list": [True, False, True, True],
}.items():
    steps = any(isinstance(i, slice) and (i.step or 1) < 0 for i in (index if isinstance(index, tuple) else (index,)))
    case("getitem", name, lambda x, i=index: x[i], N(4, 3, 2),
         torch=None if steps else lambda t, x, i=index: x[i])
same("getitem", "ids", lambda x, i: x[i], N(4, 3), Z(4, 2, 3))
same("getitem", "ids that repeat", lambda x, i: x[i], N(4), fixed([1, 1, 1, 0, -1, -1]))
same("getitem", "ids on two axes", lambda x, i, j: x[i, j], N(4, 3), Z(4, 2, 1), Z(3, 2))
same("getitem", "ids apart", lambda x, i, j: x[i, :, j], N(4, 3, 2), Z(4, 5), Z(2, 5))
case("getitem", "ids apart by an ellipsis of no axes", lambda x, i, j: x[None, i, ..., j], N(4, 3), Z(4, 5), Z(3, 5))
case("getitem", "from before the first on back", lambda x: x[-6::-1], N(4, 3))
case("getitem", "a number and ids apart", lambda x, i: x[1, :, i], N(4, 3, 2), Z(2, 5))
same("getitem", "no ids", lambda x, i: x[i], N(4, 3), Z(4, 0))
same("getitem", "of 0-size", lambda x: x[:, 1:], N(0, 3))
same("getitem", "of 0-d", lambda x: x[None, ...], N())
same("getitem", "mask", lambda x, c: x[c], N(4, 3), B(4, 3), on_spec=False)
same("getitem", "mask of rows", lambda x, c: x[c], N(4, 3), B(4), on_spec=False)
same("getitem", "mask and slice", lambda x, c: x[1:, c], N(4, 3), B(3), on_spec=False)
case("getitem", "split", lambda x: ddl.cat(x.split(2, dim=1)[::-1], 1), N(2, 5),
     torch=lambda t, x: t.cat(x.split(2, dim=1)[::-1], 1))
case("getitem", "split sizes", lambda x: ddl.cat(x.split([3, 0, 2], dim=-1)[::-1], 1), N(2, 5),
     torch=lambda t, x: t.cat(x.split([3, 0, 2], dim=-1)[::-1], 1))
case("getitem", "iteration", lambda x: ddl.stack([row * 2 for row in x]), N(2, 3), torch=lambda t, x: x * 2)
case("setitem", "slice", lambda g: ops.setitem(g, index=(slice(None, None, -2), 1), shape=(4, 3)), N(2))
case("setitem", "list", lambda g: ops.setitem(g, index=[1, 1, 0], shape=(4,)), N(3),
     torch=lambda t, g: t.zeros(4, dtype=g.dtype).index_add(0, t.tensor([1, 1, 0]), g))
case("setitem", "0-d", lambda g: ops.setitem(g, index=(1, 2), shape=(2, 3)), N(),
     torch=lambda t, g: t.zeros(2, 3, dtype=g.dtype).index_put((t.tensor(1), t.tensor(2)), g))
case("setitem", "0-size", lambda g: ops.setitem(g, index=slice(1, 1), shape=(4, 3)), N(0, 3))
# written over, as new tensors
for name, shape, index, values in (
    ("integer", (3, 2), 1, (2,)), ("slices", (4, 3), (slice(None, None, 2), 1), (2,)), ("all of it", (2, 3), ..., (3,)),
    ("0-d", (), (), ()), ("one entry", (2, 3), (1, 2), ()), ("0-size", (0, 3), (slice(None), 1), (0,)),
    ("nothing", (3, 2), slice(1, 1), (2,)),
):
    case("assign", name, lambda x, v, i=index: x.index_put(i, v), N(*shape), N(*values),
         torch=lambda t, x, v, i=index: written(x, i, v))
case("assign", "steps back", lambda x, v: x.index_put(slice(None, None, -1), v), N(3, 2), N(3, 2),
     torch=lambda t, x, v: v.flip(0) + 0 * x)
for name, shape, ids in (("ids", (4, 2), [2, 0]), ("ids that repeat", (4, 2), [1, 3, 1, 1]), ("no ids", (4, 2), [])):
    copied = lambda t, x, v, i: x.index_copy(0, i, v)
    case("assign", f"index_copy, {name}", lambda x, v, i: x.index_copy(0, i, v), N(*shape), N(len(ids), 2),
         fixed(np.array(ids, int)), torch=None if "repeat" in name else copied)  # its gradient then counts twice
    same("setitem", f"index_add, {name}", lambda x, v, i: x.index_add(0, i, v, alpha=1.5), N(*shape), N(len(ids), 2),
         fixed(np.array(ids, int)))
same("assign", "ids on two axes", lambda x, v, i, j: x.index_put((i, j), v), N(3, 4), N(2, 2), fixed([[0], [2]]),
     fixed([1, 3]))
same("assign", "mask", lambda x, v, c: x.index_put((c,), v), N(3, 2), N(), B(3, 2), on_spec=False)
same("setitem", "index_put adding up", lambda x, v, i: x.index_put((i,), v, accumulate=True), N(4, 2), N(3, 1),
     fixed([1, 1, 3]))
same("getitem", "index_select", lambda x, i: x.index_select(1, i), N(2, 3), Z(3, 5))
same("getitem", "masked_select", lambda x, c: x.masked_select(c), N(2, 3), B(3), on_spec=False)
same("getitem", "take", lambda x, i: x.take(i), N(2, 3), Z(6, 2, 2))
same("getitem", "take from the end", lambda x, i: x.take(i - 6), N(2, 3), Z(6, 4))
case("getitem", "take along an axis", lambda x, i: ddl.take(x, i, dim=1), N(2, 3), Z(3, 2, 2),
     torch=lambda t, x, i: x[:, i])


def written(x, index, values):
    x = x.clone()
    x[index] = values
    return x


# fmt: on
