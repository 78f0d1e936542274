"""Matrix products."""

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
# fmt: on
