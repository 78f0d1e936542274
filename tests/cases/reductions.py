"""Sums, means, extremes, products and running sums."""

import math

import ddl

from .table import B, D, N, P, Z, case, fixed, same

ZEROS = {"one zero": [2.0, 0.0, 3.0], "two zeros": [0.0, 2.0, 0.0, 3.0], "all zeros": [0.0, 0.0, 0.0],
         "no zeros": [2.0, 1.5, -3.0], "one entry": [2.0], "one entry of 0": [0.0]}  # fmt: skip

# fmt: off
for keep in (False, True):
    for axis in (None, 0, 1, -1, (0, 2), (-1, 0), (0, 1, 2)):
        dims = (0, 1, 2) if axis is None else axis
        for op, torch in {"sum": "sum", "mean": "mean", "max": "amax", "min": "amin", "var": "var", "std": "std",
                          "logsumexp": "logsumexp"}.items():
            case(op, f"{axis} {keep}", lambda x, op=op, a=axis, k=keep: getattr(x, op)(axis=a, keepdims=k), D(2, 3, 2),
                 torch=lambda t, x, n=torch, d=dims, k=keep: getattr(t, n)(x, dim=d, keepdim=k))
        for p in (0, 1, 2, 3, 1.5, 0.5, -1, math.inf, -math.inf):
            case("norm", f"{p} {axis} {keep}", lambda x, p=p, a=axis, k=keep: x.norm(p, a, k), D(2, 3, 2),
                 torch=lambda t, x, p=p, d=dims, k=keep: t.linalg.vector_norm(x, p, d, k))
        case("prod", f"{axis} {keep}", lambda x, a=axis, k=keep: x.prod(a, k), D(2, 3, 2),
             torch=lambda t, x, d=dims, k=keep: folded_one_by_one(x, d, k, "prod"))
        for op in ("any", "all"):
            same(op, f"{axis} {keep}", lambda x, op=op, d=dims, k=keep: getattr(x, op)(d, k), B(2, 3, 2), order=0)
    for axis, op in ((a, op) for a in (0, 1, -1) for op in ("argmax", "argmin")):
        same(op, f"{axis} {keep}", lambda x, op=op, a=axis, k=keep: getattr(x, op)(a, k), D(2, 3, 2), order=0)
for op in ("sum", "mean", "prod", "max", "min", "argmax", "argmin", "any", "all"):
    order = 0 if op in ("argmax", "argmin", "any", "all") else 2
    same(op, "all of it", lambda x, op=op: getattr(x, op)(), D(2, 3), order=order)
    same(op, "0-d", lambda x, op=op: getattr(x, op)(), D(), order=order)
for op in ("sum", "mean", "prod", "logsumexp", "max", "min", "argmax", "argmin", "any", "all", "norm", "var", "std"):
    order = 0 if op in ("argmax", "argmin", "any", "all") else 2
    torch = {"max": "amax", "min": "amin"}.get(op, op)
    case(op, "0-size", lambda x, op=op: getattr(x, op)(dim=1), D(0, 3), order=order,
         torch=lambda t, x, n=torch: getattr(x, n)(dim=1))
for op in ("sum", "prod", "norm", "any", "all"):
    order = 0 if op in ("any", "all") else 2
    same(op, "0-size folded", lambda x, op=op: getattr(x, op)(dim=0), N(0, 3), order=order)
    same(op, "0-size to 0-d", lambda x, op=op: getattr(x, op)(), N(2, 0), order=order)
for op in ("logsumexp", "norm", "max", "min", "prod", "sum"):
    torch = {"max": "amax", "min": "amin"}.get(op, op)
    case(op, "0-d folded", lambda x, op=op: getattr(x, op)(dim=0), D(),
         torch=lambda t, x, n=torch: getattr(x, n)(dim=0))
same("logsumexp", "0-size folded", lambda x: x.logsumexp(1), N(3, 0))
for op in ("argmax", "argmin"):
    same(op, "0-d folded", lambda x, op=op: getattr(x, op)(dim=-1), D(), order=0)
    same(op, "all of it, kept", lambda x, op=op: getattr(x, op)(keepdim=True), D(2, 3), order=0)
    same(op, "ties", lambda x, op=op: getattr(x, op)(), fixed([1, 3, 0, 3, 0]), order=0)
for op in ("sum", "prod", "cumsum"):
    same(op, "booleans", lambda x, op=op: getattr(x, op)(dim=0), B(3, 2), order=0)
    same(op, "integers", lambda x, op=op: getattr(x, op)(dim=0), Z(5, 3, 2), order=0)
for op in ("max", "min"):
    same(op, "integers", lambda x, op=op: getattr(x, op)(), Z(5, 3, 2), order=0)
    case(op, f"a{op}", lambda x, op=op: getattr(x, f"a{op}")((0, 1)), D(2, 3, 2),
         torch=lambda t, x, op=op: getattr(t, f"a{op}")(x, (0, 1)))
same("maximum", "max of two", lambda x, y: ddl.max(x, y) if isinstance(x, ddl.Tensor) else x.max(y), D(2, 3),
     D(3, shift=0.05))
same("minimum", "min of two", lambda x, y: ddl.min(x, y) if isinstance(x, ddl.Tensor) else x.min(y), D(2, 3),
     D(3, shift=0.05))
same("sum", "a list of axes", lambda x: x.sum([0, -1]), N(2, 3, 2))
same("sum", "no axis is all of them", lambda x: x.sum(dim=()), N(2, 3))
same("any", "numbers", lambda x: x.any(1), Z(2, 3, 2), order=0)
same("all", "numbers", lambda x: x.all(1), Z(2, 3, 2), order=0)
for op in ("var", "std"):
    same(op, "biased", lambda x, op=op: getattr(x, op)(unbiased=False), N(2, 3))
    same(op, "correction 0", lambda x, op=op: getattr(x, op)(correction=0), N(2, 3))
    same(op, "correction 2", lambda x, op=op: getattr(x, op)(1, correction=2, keepdim=True), N(2, 4))
    same(op, "by place", lambda x, op=op: getattr(x, op)(1, False, True), N(2, 4))
    same(op, "0-d biased", lambda x, op=op: getattr(x, op)(correction=0), N(), order=0 if op == "std" else 2)
same("logsumexp", "one entry", lambda x: x.logsumexp(-1), N(3, 1))
same("logsumexp", "far apart", lambda x: x.logsumexp(0), fixed([1000.0, -1000.0, 999.0]))
same("norm", "Frobenius", lambda x: x.norm(), D(2, 3))
same("norm", "by its name", lambda x: x.norm("fro", dim=(0, 1)), D(2, 3))
same("norm", "0-d", lambda x: x.norm(), D())
case("norm", "function", lambda x: ddl.norm(x, p=1, dim=0), D(2, 3), torch=lambda t, x: t.norm(x, p=1, dim=0))
case("norm", "with zeros", lambda x: x.norm(), fixed([[0.0, 2.0, 0.0], [1.0, 0.0, 2.0]]), torch=lambda t, x: x.norm())
for name, values in ZEROS.items():
    same("prod", name, lambda x: x.prod(), fixed(values))
    same("prod", f"{name}, in rows", lambda x: x.prod(0, keepdim=True), fixed([[v, 1.5] for v in values]))
case("prod", "zeros over two axes", lambda x: x.prod((2, 0)),
     fixed([[[0.0, 2.0], [3.0, 1.0]], [[0.0, 1.0], [1.0, 2.0]]]), torch=lambda t, x: x.prod(2).prod(0))
same("prod", "many", lambda x: x.prod(), P(37))
for axis, shape in ((0, (2, 3)), (1, (2, 3)), (-1, (2, 3, 2)), (1, (2, 0)), (0, (0, 3)), (0, ()), (-1, ())):
    same("cumsum", f"{axis} {shape}", lambda x, a=axis: x.cumsum(a), N(*shape))
# fmt: on


def folded_one_by_one(x, axes, keep, op):
    """What PyTorch has over one axis only, over several."""
    for axis in sorted((a % x.ndim for a in ((axes,) if isinstance(axes, int) else axes)), reverse=True):
        x = getattr(x, op)(axis, keepdim=keep)
    return x
