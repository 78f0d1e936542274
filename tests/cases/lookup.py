"""Tables of rows, entries picked by ids along an axis, and what adds them back."""

import ddl
from ddl import ops
from ddl.nn import functional as F

from .table import N, Z, case, fixed, same

# fmt: off
for name, shape in {"0-d": (), "0-size": (0,), "ordinary": (2, 3), "many": (9,)}.items():
    case("embedding", name, lambda w, i: F.embedding(i, w), N(4, 2), Z(4, *shape),
         torch=lambda t, w, i: t.nn.functional.embedding(i, w))
    case("add_rows", name, lambda g, i: ops.add_rows(g, i, n=4), N(*shape, 2), Z(4, *shape),
         torch=lambda t, g, i: t.zeros(4, 2, dtype=g.dtype).index_add(0, i.reshape(-1), g.reshape(-1, 2)))
for name, shape in {"0-d": (), "0-size": (0,), "ordinary": (2,), "deep": (2, 3)}.items():
    case("pick", name, ops.pick, N(*shape, 4), Z(4, *shape), torch=lambda t, x, i: x.gather(-1, i[..., None])[..., 0])
    case("put", name, lambda g, i: ops.put(g, i, n=4), N(*shape), Z(4, *shape),
         torch=lambda t, g, i: t.nn.functional.one_hot(i, 4) * g[..., None])
for name, shape, dim, ids in (
    ("rows", (3, 2), 0, (4, 2)), ("columns", (2, 4), 1, (2, 3)), ("last of three", (2, 3, 4), -1, (2, 3, 1)),
    ("fewer of the others", (3, 4), 0, (2, 3)), ("0-d", (), 0, ()), ("0-size", (0, 3), 1, (0, 2)),
    ("no ids", (3, 2), 0, (0, 2)),
):
    n = shape[dim] if shape else 1
    same("gather", name, lambda x, i, d=dim: x.gather(d, i), N(*shape), Z(n, *ids))
    case("gather", f"function, {name}", lambda x, i, d=dim: ddl.gather(x, dim=d, index=i), N(*shape), Z(n, *ids),
         torch=lambda t, x, i, d=dim: t.gather(x, dim=d, index=i))
    case("add_along", name, lambda g, i, d=dim, s=shape: ops.add_along(g, i, axis=d, shape=s), N(*ids), Z(n, *ids),
         torch=lambda t, g, i, d=dim, s=shape: t.zeros(s, dtype=g.dtype).scatter_add(d, i, g))
    same("add_along", f"scatter_add, {name}", lambda x, g, i, d=dim: x.scatter_add(d, i, g), N(*shape), N(*ids),
         Z(n, *ids))
    same("assign", f"scatter of a number, {name}", lambda x, i, d=dim: x.scatter(d, i, 1.5), N(*shape), Z(n, *ids))
case("add_along", "scatter_add of a corner", lambda x, g, i: x.scatter_add(1, i, g), N(3, 4), N(3, 5), Z(4, 2, 3))
same("add_along", "scatter_add, one place", lambda x, g, i: x.scatter_add(0, i, g), N(3), N(4), fixed([1, 1, 1, 1]))
same("add_along", "scatter_add of integers", lambda x, g, i: x.scatter_add(0, i, g), Z(9, 3), Z(9, 5), Z(3, 5), order=0)
case("add_rows", "integers", lambda g, i: ops.add_rows(g - 4, i, n=3), Z(9, 4, 2), Z(3, 4), order=0,
     torch=lambda t, g, i: t.zeros(3, 2, dtype=g.dtype).index_add(0, i, g - 4))
same("assign", "scatter", lambda x, v, i: x.scatter(1, i, v), N(2, 4), N(2, 3), fixed([[0, 3, 1], [2, 1, 0]]))
same("gather", "take_along_dim", lambda x, i: x.take_along_dim(i, 1), N(2, 3), Z(3, 2, 4))
same("gather", "take_along_dim, broadcast", lambda x, i: x.take_along_dim(i, dim=-1), N(2, 1, 3), Z(3, 1, 4, 2))
same("gather", "take_along_dim of all", lambda x, i: x.take_along_dim(i), N(2, 3), Z(6, 2, 2))
for name, shape in {"0-d": (), "0-size": (0,), "ordinary": (4,), "deep": (2, 3)}.items():
    case("one_hot", name, lambda i: F.one_hot(i, 5), Z(5, *shape), order=0,
         torch=lambda t, i: t.nn.functional.one_hot(i, 5))
case("one_hot", "as many as the largest", F.one_hot, fixed([1, 4, 0]), order=0, on_spec=False,
     torch=lambda t, i: t.nn.functional.one_hot(i))
# fmt: on
