"""Arithmetic, functions of each element, comparisons and choices."""

import numpy as np

import ddl
from ddl import ops
from ddl.nn import functional as F

from .table import PAIRS, SHAPES, B, D, N, P, Z, case, fixed, same, torch_of

# fmt: off
for name, shape in SHAPES.items():
    for op in ("exp", "expm1", "tanh", "sigmoid", "sin", "cos", "erf", "square"):
        case(op, name, getattr(ddl, op), N(*shape), torch=torch_of(op))
    for op in ("log", "log1p", "sqrt", "rsqrt", "reciprocal"):
        case(op, name, getattr(ddl, op), P(*shape), torch=torch_of(op))
    for op in ("sign", "floor", "ceil", "round", "isnan", "isinf", "isfinite"):
        case(op, name, getattr(ddl, op), D(*shape), torch=torch_of(op), order=0)
    same("neg", name, lambda x: -x, N(*shape))
    same("neg", f"method {name}", lambda x: x.neg(), N(*shape))
    same("abs", name, abs, D(*shape))
    same("reciprocal", f"of negatives {name}", lambda x: x.reciprocal(), D(*shape))
    case("relu", name, ddl.relu, D(*shape), torch=torch_of("relu"))
    case("softplus", name, ops.softplus, N(*shape), torch=lambda t, x: t.nn.functional.softplus(x, threshold=1e9))
    case("gelu", name, F.gelu, N(*shape), torch=lambda t, x: t.nn.functional.gelu(x))
    case("gelu_tanh", name, lambda x: F.gelu(x, "tanh"), N(*shape),
         torch=lambda t, x: t.nn.functional.gelu(x, approximate="tanh"))
    same("power", name, lambda x: x**2, N(*shape))
    same("logical_not", name, lambda c: c.logical_not(), B(*shape), order=0)
    same("logical_not", f"of numbers {name}", lambda x: x.logical_not(), Z(2, *shape), order=0)
    same("bitwise_not", name, lambda c: ~c, B(*shape), order=0)
    same("bitwise_not", f"of integers {name}", lambda x: ~x, Z(9, *shape), order=0)
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
    same("remainder", name, lambda x, y: x % y, D(*a), P(*b))
    same("remainder", f"of negatives {name}", lambda x, y: x % -y, D(*a), P(*b))
    same("floor_divide", name, lambda x, y: x // y, D(*a), P(*b), order=0)
    for op in ("maximum", "minimum"):
        case(op, name, getattr(ddl, op), D(*a), D(*b, shift=0.05), torch=torch_of(op))
    case("where", name, ddl.where, B(*np.broadcast_shapes(a, b)), N(*a), N(*b), torch=torch_of("where"))
    for op in ("eq", "ne", "lt", "le", "gt", "ge"):
        same(op, name, lambda x, y, s=f"__{op}__": getattr(x, s)(y), Z(3, *a), Z(3, *b), order=0)
    for op in ("logical_and", "logical_or", "logical_xor"):
        case(op, name, getattr(ddl, op), B(*a), B(*b), order=0, torch=torch_of(op))
        case(op, f"of numbers {name}", getattr(ddl, op), Z(2, *a), Z(3, *b), order=0, torch=torch_of(op))
    same("bitwise_and", name, lambda x, y: x & y, B(*a), B(*b), order=0)
    same("bitwise_or", name, lambda x, y: x | y, B(*a), B(*b), order=0)
    same("bitwise_xor", name, lambda x, y: x ^ y, B(*a), B(*b), order=0)

# the same ops by their other names, with numbers on either side, and at their edges
for op, makers in {"add": (N(2, 3), N(3)), "sub": (N(2, 3), N(3)), "mul": (N(2, 3), N(3)), "div": (N(2, 3), P(3)),
                   "remainder": (D(2, 3), P(3))}.items():
    case(op, "function", getattr(ddl, op), *makers, torch=torch_of(op))
same("sub", "of a number", lambda x: 1.5 - x, N(2, 3))
same("div", "of a number", lambda x: 1.5 / x, P(2, 3))
case("remainder", "of a number", lambda x: 1.7 % x, P(2, 3),
     torch=lambda t, x: t.remainder(t.tensor(1.7, dtype=x.dtype), x))
same("remainder", "by a number", lambda x: x % 0.3, D(2, 3))
same("floor_divide", "by a number", lambda x: x // 0.3, D(2, 3), order=0)
same("floor_divide", "of a number", lambda x: 7 // x, P(2, 3), order=0)
same("floor_divide", "integers", lambda x: (x - 4) // 3, Z(9, 2, 3), order=0)
same("remainder", "integers", lambda x: (x - 4) % 3, Z(9, 2, 3), order=0)
same("pow", "of a number", lambda x: 2.0**x, N(2, 3))
same("pow", "method", lambda x, y: x.pow(y), P(2, 1), N(3))
same("power", "method", lambda x: x.pow(3), N(2, 3))
same("power", "integers", lambda x: x**3, Z(9, 2, 3), order=0)
same("expm1", "tiny", lambda x: x.expm1(), fixed([1e-12, -1e-12]), order=0)
same("log1p", "tiny", lambda x: x.log1p(), fixed([1e-12, -1e-12]), order=0)
same("erf", "method", lambda x: x.erf(), N(3))
for op in ("floor", "ceil", "round", "sign", "abs"):
    same(op, "integers", lambda x, op=op: getattr(x - 4, op)(), Z(9, 2, 3), order=0)
same("round", "halves go to the even", lambda x: x.round(), fixed([-1.5, -0.5, 0.5, 1.5, 2.5]), order=0)
same("round", "two decimals", lambda x: x.round(decimals=2), N(2, 3), order=0)
for op in ("isnan", "isinf", "isfinite"):
    same(op, "edges", lambda x, op=op: getattr(x, op)(), fixed([0.0, np.nan, np.inf, -np.inf]), order=0)
same("bitwise_and", "integers", lambda x, y: x & y, Z(9, 2, 3), Z(9, 3), order=0)
same("bitwise_or", "integers", lambda x, y: x | y, Z(9, 2, 3), Z(9, 3), order=0)
same("bitwise_xor", "a number on the left", lambda x: 5 ^ x, Z(9, 2, 3), order=0)
same("bitwise_not", "of a comparison", lambda x: ~(x > 0), D(2, 3), order=0)
same("clip", "clamp", lambda x: x.clamp(min=-0.2, max=0.1), D(2, 3))
same("where", "clip by tensors", lambda x, low, high: x.clip(low, high), D(2, 4), D(4, shift=-0.25),
     D(2, 1, shift=0.67))
same("where", "clip by one tensor", lambda x, low: x.clip(min=low, max=None), D(2, 4), D(4, shift=-0.25))
same("where", "clip by bounds that cross", lambda x, low, high: x.clamp(low, high), D(2, 4), P(4), D(4, shift=0.05))
case("where", "mask of a row", ddl.where, B(3), N(2, 1), N(1, 3), torch=torch_of("where"))
case("where", "numbers", lambda c, x: ddl.where(c, x, 0.0) + ddl.where(c, 1.5, x), B(2, 3), N(2, 3),
     torch=lambda t, c, x: t.where(c, x, 0.0) + t.where(c, 1.5, x))
same("where", "method", lambda c, x, y: x.where(c, y), B(2, 3), N(2, 3), N(3))
same("where", "masked_fill", lambda x, c: x.masked_fill(c, -2), N(2, 3), B(3))
same("where", "masked_fill of a row", lambda x, c: x.masked_fill(c, 1.5), N(3), B(2, 3))
# fmt: on
