"""Functions of each element, and gates."""

from ddl.nn import functional as F

from .table import SHAPES, D, N, case

# fmt: off
for name, shape in SHAPES.items():
    for op in ("relu6", "leaky_relu", "elu", "silu", "logsigmoid", "hardtanh", "softplus"):
        case(op, name, getattr(F, op), D(*shape), torch=lambda t, x, n=op: getattr(t.nn.functional, n)(x))
    case("hardsigmoid", name, F.hardsigmoid, D(*shape),  # PyTorch's own takes 1 / 6 in float32
         torch=lambda t, x: (x / 6 + 0.5).clamp(0, 1))
for op, options in (
    ("leaky_relu", {"negative_slope": 0.3}), ("leaky_relu", {"negative_slope": -0.2}), ("elu", {"alpha": 0.4}),
    ("hardtanh", {"min_val": -0.3, "max_val": 0.2}), ("softplus", {"beta": 2.5}), ("softplus", {"threshold": 0.5}),
    ("softplus", {"beta": 0.3, "threshold": 0.05}),
):
    case(op, options, lambda x, n=op, o=options: getattr(F, n)(x, **o), D(3, 4),
         torch=lambda t, x, n=op, o=options: getattr(t.nn.functional, n)(x, **o))
for dim, shape in ((-1, (3, 4)), (0, (4,)), (1, (2, 6, 3)), (-1, (0, 2)), (1, (2, 0))):
    case("glu", f"{dim} {shape}", lambda x, d=dim: F.glu(x, d), N(*shape),
         torch=lambda t, x, d=dim: t.nn.functional.glu(x, d))
    case("swiglu", f"{dim} {shape}", lambda x, d=dim: F.swiglu(x, d), N(*shape),
         torch=lambda t, x, d=dim: t.nn.functional.silu(x.chunk(2, d)[0]) * x.chunk(2, d)[1])
# fmt: on
