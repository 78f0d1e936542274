"""Indexing, tables of rows, and what puts entries back."""

import ddl
from ddl import ops
from ddl.nn import functional as F

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
case("setitem", "list", lambda g: ops.setitem(g, index=[1, 1, 0], shape=(4,)), N(3))
case("setitem", "0-d", lambda g: ops.setitem(g, index=(1, 2), shape=(2, 3)), N())
case("setitem", "0-size", lambda g: ops.setitem(g, index=slice(1, 1), shape=(4, 3)), N(0, 3))
for name, shape in {"0-d": (), "0-size": (0,), "ordinary": (2, 3), "many": (9,)}.items():
    case("embedding", name, lambda w, i: F.embedding(i, w), N(4, 2), Z(4, *shape),
         torch=lambda t, w, i: t.nn.functional.embedding(i, w))
    case("add_rows", name, lambda g, i: ops.add_rows(g, i, n=4), N(*shape, 2), Z(4, *shape),
         torch=lambda t, g, i: t.zeros(4, 2, dtype=g.dtype).index_add(0, i.reshape(-1), g.reshape(-1, 2)))
for name, shape in {"0-d": (), "0-size": (0,), "ordinary": (2,), "deep": (2, 3)}.items():
    case("pick", name, ops.pick, N(*shape, 4), Z(4, *shape), torch=lambda t, x, i: x.gather(-1, i[..., None])[..., 0])
    case("put", name, lambda g, i: ops.put(g, i, n=4), N(*shape), Z(4, *shape),
         torch=lambda t, g, i: t.nn.functional.one_hot(i, 4) * g[..., None])
# fmt: on
