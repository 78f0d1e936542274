"""Sums, means, extremes and running sums."""

from .table import D, N, case, same

# fmt: off
for keep in (False, True):
    for axis in (None, 0, 1, -1, (0, 2), (-1, 0), (0, 1, 2)):
        dims = (0, 1, 2) if axis is None else axis
        for op, torch in {"sum": "sum", "mean": "mean", "max": "amax", "min": "amin"}.items():
            case(op, f"{axis} {keep}", lambda x, op=op, a=axis, k=keep: getattr(x, op)(axis=a, keepdims=k), D(2, 3, 2),
                 torch=lambda t, x, n=torch, d=dims, k=keep: getattr(t, n)(x, dim=d, keepdim=k))
    for axis, op in ((a, op) for a in (0, 1, -1) for op in ("argmax", "argmin")):
        same(op, f"{axis} {keep}", lambda x, op=op, a=axis, k=keep: getattr(x, op)(a, k), D(2, 3, 2), order=0)
    for op in ("var", "std"):
        same("mean", f"{op} {keep}", lambda x, op=op, k=keep: getattr(x, op)(dim=(0, -1), keepdim=k), N(2, 3, 2))
for op in ("sum", "mean", "max", "min", "argmax", "argmin"):
    order = 0 if "arg" in op else 2
    same(op, "all", lambda x, op=op: getattr(x, op)(), D(2, 3), order=order)
    same(op, "0-d", lambda x, op=op: getattr(x, op)(), D(), order=order)
    torch = {"max": "amax", "min": "amin"}.get(op, op)
    case(op, "0-size", lambda x, op=op: getattr(x, op)(1), D(0, 3), order=order,
         torch=lambda t, x, n=torch: getattr(x, n)(1))
same("sum", "0-size folded", lambda x: x.sum(dim=0), N(0, 3))
same("sum", "0-size to 0-d", lambda x: x.sum(), N(2, 0))
same("mean", "var over n", lambda x: x.var(correction=0), N(2, 3))
for axis, shape in ((0, (2, 3)), (1, (2, 3)), (-1, (2, 3, 2)), (1, (2, 0)), (0, (0, 3))):
    same("cumsum", f"{axis} {shape}", lambda x, a=axis: x.cumsum(a), N(*shape))
# fmt: on
