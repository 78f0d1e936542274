"""Diagonals, and the triangles on their two sides."""

import ddl
from ddl import ops

from .table import N, Z, case, same

# fmt: off
for k in (-1, 0, 1):
    for shape in ((3, 3), (2, 2, 4), (3, 2), (0, 2)):
        same("tril", f"{k} {shape}", lambda x, k=k: x.tril(k), N(*shape))
        same("triu", f"{k} {shape}", lambda x, k=k: x.triu(k), N(*shape))
for shape in ((3, 3), (2, 3), (2, 3, 4), (0, 2)):
    case("causal", shape, ops.causal, N(*shape), order=0, torch=lambda t, x: t.ones(x.shape[-2:]).tril().bool())
for shape, options in (((3, 3), {}), ((2, 4), {"offset": 1}), ((4, 2), {"offset": -2}),
                       ((2, 3, 4), {"dim1": -2, "dim2": -1}),
                       ((2, 3, 4), {"dim1": 2, "dim2": 0, "offset": -1}), ((0, 3), {}), ((2, 3), {"offset": 3})):
    same("diagonal", f"{shape} {options}", lambda x, o=options: x.diagonal(**o), N(*shape))
for k in (-2, 0, 1):
    same("put_diagonal", f"diag {k}", lambda x, k=k: x.diag(k), N(3))
    same("diagonal", f"diag {k}", lambda x, k=k: x.diag(k), N(3, 4))
for name, g, shape, (offset, a, b) in (
    ("square", (3,), (3, 3), (0, 0, 1)), ("above", (2,), (2, 4), (1, 0, 1)), ("below", (2,), (4, 3), (-2, 0, 1)),
    ("last axes", (2, 3), (2, 3, 4), (0, -2, -1)), ("axes swapped", (3, 2), (2, 3, 4), (2, 0, 2)),
    ("0-size", (0,), (0, 3), (0, 0, 1)),
):
    case("put_diagonal", name,
         lambda g, s=shape, o=offset, a=a, b=b: ops.put_diagonal(g, shape=s, offset=o, axis1=a, axis2=b), N(*g),
         torch=lambda t, g, s=shape, o=offset, a=a, b=b: t.diagonal_scatter(t.zeros(s, dtype=g.dtype), g, o, a, b))
same("tril", "integers", lambda x: x.tril(), Z(9, 3, 3), order=0)
case("triu", "function", lambda x: ddl.triu(x, diagonal=1), N(3, 3), torch=lambda t, x: t.triu(x, diagonal=1))
# fmt: on
