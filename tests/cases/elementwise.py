"""Arithmetic, comparisons and functions of each element."""

import numpy as np

import ddl
from ddl import fused, ops
from ddl.nn import functional as F

from .table import PAIRS, SHAPES, B, D, N, P, Z, case, same, torch_of

# fmt: off
for name, shape in SHAPES.items():
    for op in ("exp", "tanh", "sigmoid", "sin", "cos"):
        case(op, name, getattr(ddl, op), N(*shape), torch=torch_of(op))
    for op in ("log", "sqrt"):
        case(op, name, getattr(ddl, op), P(*shape), torch=torch_of(op))
    same("neg", name, lambda x: -x, N(*shape))
    same("abs", name, abs, D(*shape))
    case("relu", name, ddl.relu, D(*shape), torch=torch_of("relu"))
    case("erf", name, fused.erf, N(*shape), torch=torch_of("erf"))
    case("softplus", name, ops.softplus, N(*shape), torch=lambda t, x: t.nn.functional.softplus(x, threshold=1e9))
    case("gelu", name, F.gelu, N(*shape), torch=lambda t, x: t.nn.functional.gelu(x))
    case("gelu_tanh", name, lambda x: F.gelu(x, "tanh"), N(*shape),
         torch=lambda t, x: t.nn.functional.gelu(x, approximate="tanh"))
    case("sign", name, ops.sign, D(*shape), torch=torch_of("sign"), order=0)
    same("power", name, lambda x: x**2, N(*shape))
    for low, high in ((-0.3, 0.2), (None, 0.0), (0.0, None)):
        same("clip", f"{low} {high} {name}", lambda x, low=low, high=high: x.clip(low, high), D(*shape))
for exponent in (0, 1, 2, 3, 0.5, -1, 2.5, -2):
    same("power", exponent, lambda x, e=exponent: x**e, P(2, 3))
    if exponent == int(exponent):
        same("power", f"{exponent} of negatives", lambda x, e=exponent: x**e, D(2, 3))
for name, (a, b) in PAIRS.items():
    same("add", name, lambda x, y: x + y, N(*a), N(*b))
    same("sub", name, lambda x, y: x - y, N(*a), N(*b))
    same("mul", name, lambda x, y: x * y, N(*a), N(*b))
    same("div", name, lambda x, y: x / y, N(*a), P(*b))
    same("pow", name, lambda x, y: x**y, P(*a), N(*b))
    for op in ("maximum", "minimum"):
        case(op, name, getattr(ddl, op), D(*a), D(*b, shift=0.05), torch=torch_of(op))
    case("where", name, ddl.where, B(*np.broadcast_shapes(a, b)), N(*a), N(*b), torch=torch_of("where"))
    for op in ("eq", "ne", "lt", "le", "gt", "ge"):
        same(op, name, lambda x, y, s=f"__{op}__": getattr(x, s)(y), Z(3, *a), Z(3, *b), order=0)
same("pow", "of a number", lambda x: 2.0**x, N(2, 3))
case("where", "mask of a row", ddl.where, B(3), N(2, 1), N(1, 3), torch=torch_of("where"))
case("where", "numbers", lambda c, x: ddl.where(c, x, 0.0) + ddl.where(c, 1.5, x), B(2, 3), N(2, 3),
     torch=lambda t, c, x: t.where(c, x, 0.0) + t.where(c, 1.5, x))
same("where", "masked_fill", lambda x, c: x.masked_fill(c, -2), N(2, 3), B(3))
# fmt: on
