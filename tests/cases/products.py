"""Products that sum over axes: of matrices, and by an equation."""

import ddl
from ddl.nn import functional as F

from .table import N, case, same

# fmt: off
for a, b in (((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4)), ((4, 2, 3), (3, 2)), ((2, 3), (4, 3, 2)),
             ((2, 1, 2, 3), (3, 3, 2)), ((4, 2, 3), (3,)), ((3,), (4, 3, 2)), ((0, 3), (3, 2)), ((2, 0), (0, 3)),
             ((3, 0, 2), (2, 2)), ((0,), (0,)), ((1, 1), (1, 1))):
    same("matmul", f"{a} {b}", lambda x, y: x @ y, N(*a), N(*b))
for shape in ((3,), (2, 3), (2, 2, 3), (0, 3)):
    case("linear", shape, F.linear, N(*shape), N(4, 3), N(4), torch=lambda t, *xs: t.nn.functional.linear(*xs))
    case("linear", f"{shape} no bias", F.linear, N(*shape), N(4, 3), torch=lambda t, *xs: t.nn.functional.linear(*xs))
same("matmul", "transposed times a vector", lambda x, y: (2 * x.T) @ y, N(2, 3), N(2))
same("matmul", "method", lambda x, y: x.matmul(y), N(2, 3), N(3, 2))
for name, a, b in (("mm", (2, 3), (3, 4)), ("bmm", (2, 3, 2), (2, 2, 1)), ("mv", (2, 3), (3,)), ("dot", (3,), (3,)),
                   ("mm of 0-size", (2, 0), (0, 3)), ("bmm of 0-size", (0, 2, 3), (0, 3, 1))):
    method = name.split()[0]
    same("matmul", name, lambda x, y, m=method: getattr(x, m)(y), N(*a), N(*b))
for a, b in (((2,), (3,)), ((0,), (3,)), ((1,), (1,))):
    case("reshape", f"outer {a} {b}", ddl.outer, N(*a), N(*b), torch=lambda t, x, y: t.outer(x, y))
for equation, *shapes in (
    ("ij,jk->ik", (2, 3), (3, 4)), ("ij,jk", (2, 3), (3, 4)), ("bij,bjk->bik", (2, 2, 3), (2, 3, 1)),
    ("i,i", (3,), (3,)),
    ("i,j->ij", (2,), (3,)), ("i,j->ji", (2,), (3,)), ("ij,ij->ij", (2, 3), (2, 3)),
    ("ij,kj->", (2, 3), (2, 3)),
    ("ij,jk,kl->il", (2, 3), (3, 2), (2, 2)), ("i,i,i->i", (3,), (3,), (3,)),
    ("bhid,bhjd->bhij", (1, 2, 2, 3), (1, 2, 4, 3)),
    ("...ij,...jk->...ik", (2, 2, 3), (3, 2)), ("...i,...i", (2, 1, 3), (4, 3)), (",->", (), ()), (",i->i", (), (3,)),
    ("...,...->...", (2, 1), (3,)), ("ij,j->i", (0, 3), (3,)), ("ij,jk->ik", (2, 0), (0, 3)),
    ("iij,jk->ik", (2, 2, 3), (3, 2)),
    ("abc,cd,ad->b", (2, 3, 2), (2, 4), (2, 4)), (" i j , j k -> k i ", (2, 3), (3, 4)), ("Ij,jK", (2, 3), (3, 4)),
):
    case("contract", f"{equation} {shapes}", lambda *xs, e=equation: ddl.einsum(e, *xs), *(N(*s) for s in shapes),
         torch=lambda t, *xs, e=equation: t.einsum(e, *xs))
for op, equation, shape in (("permute", "ij->ji", (2, 3)), ("permute", "ba", (2, 3)), ("sum", "ij->i", (2, 3)),
                            ("sum", "ij->", (2, 3)), ("diagonal", "ii->i", (3, 3)), ("diagonal", "ii", (3, 3)),
                            ("diagonal", "iii->i", (2, 2, 2)), ("sum", "...->", (2, 3)),
                            ("sum", "i...->...", (2, 3, 2)),
                            ("permute", "...ij->...ji", (2, 3, 2)), ("permute", "->", ()), ("sum", "ij->j", (0, 3))):
    case(op, f"einsum {equation} {shape}", lambda x, e=equation: ddl.einsum(e, x), N(*shape),
         torch=lambda t, x, e=equation: t.einsum(e, x))
# fmt: on
