"""Frames around values."""

from ddl.nn import functional as F

from .table import N, Z, case

# fmt: off
for name, shape, widths, options in (
    ("last axis", (2, 3), (1, 2), {}), ("two axes", (2, 3), (1, 0, 0, 2), {}),
    ("value", (2, 3), (1, 1), {"value": 1.5}),
    ("first of three", (2, 3, 2), (0, 0, 0, 0, 1, 2), {}), ("0-d", (), (), {}), ("nothing", (2, 3), (0, 0), {}),
    ("0-size", (0, 3), (1, 1), {}), ("0-size no more", (0, 3), (0, 0, 2, 0), {"value": -1.0}),
    ("taken away", (3, 4), (-1, -2, 1, -1), {"value": 2.0}), ("all taken away", (3, 4), (-1, -3), {}),
    ("reflect", (2, 4), (3, 2), {"mode": "reflect"}), ("replicate", (2, 3), (4, 1), {"mode": "replicate"}),
    ("circular", (2, 3), (3, 1), {"mode": "circular"}), ("reflect 2d", (1, 3, 4), (1, 2, 2, 0), {"mode": "reflect"}),
    ("circular 2d", (2, 1, 3, 2), (1, 0, 2, 3), {"mode": "circular"}),
    ("replicate, taken away", (2, 4), (-1, 2), {"mode": "replicate"}),
):
    case("pad", name, lambda x, w=widths, o=options: F.pad(x, w, **o), N(*shape),
         torch=lambda t, x, w=widths, o=options: t.nn.functional.pad(x, w, **o))
case("pad", "integers", lambda x: F.pad(x, (1, 2), value=7), Z(5, 2, 3), order=0,
     torch=lambda t, x: t.nn.functional.pad(x, (1, 2), value=7))
# fmt: on
