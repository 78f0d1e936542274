"""Norms, and dropout."""

from cases.table import N

import ddl
from ddl import nn

from .table import bad_arguments, bad_inputs, row

# fmt: off
for bias in (True, False):
    row(nn.LayerNorm, "" if bias else "no bias", lambda b=bias: nn.LayerNorm(4, bias=b), N(2, 3, 4),
        torch=lambda t, b=bias: t.nn.LayerNorm(4, bias=b))
bad_arguments(nn.LayerNorm, "no width", lambda: nn.LayerNorm(0), "normalized_shape", "0")
bad_inputs(nn.LayerNorm, "width", lambda: nn.LayerNorm(3)(ddl.ones(2, 4)), "(3,)", "(2, 4)")

row(nn.Dropout, "", lambda: nn.Dropout(0.3), N(5, 4), torch=lambda t: t.nn.Dropout(0.3), random=True)
bad_arguments(nn.Dropout, "1.5", lambda: nn.Dropout(1.5), "between 0 and 1", "1.5")

for name, shape in {"vector": (4,), "rows": (5, 4)}.items():
    row(nn.LayerNorm, name, lambda: nn.LayerNorm(4), N(*shape), torch=lambda t: t.nn.LayerNorm(4))
row(nn.LayerNorm, "two axes", lambda: nn.LayerNorm((3, 4)), N(2, 3, 4), torch=lambda t: t.nn.LayerNorm((3, 4)))
row(nn.LayerNorm, "bare", lambda: nn.LayerNorm(4, 0.1, elementwise_affine=False), N(2, 4),
    torch=lambda t: t.nn.LayerNorm(4, 0.1, elementwise_affine=False))
bad_arguments(nn.LayerNorm, "no axes", lambda: nn.LayerNorm(()), "()")
bad_arguments(nn.LayerNorm, "a size of two", lambda: nn.LayerNorm((3, -4)), "normalized_shape", "-4")
bad_inputs(nn.LayerNorm, "rank", lambda: nn.LayerNorm((3, 4))(ddl.ones(4)), "(3, 4)", "(4,)")

for name, shape, sizes in (("vector", (4,), 4), ("rows", (5, 4), 4), ("two axes", (2, 3, 4), (3, 4))):
    row(nn.RMSNorm, name, lambda s=sizes: nn.RMSNorm(s), N(*shape), torch=lambda t, s=sizes: t.nn.RMSNorm(s))
row(nn.RMSNorm, "bare", lambda: nn.RMSNorm(4, 0.1, elementwise_affine=False), N(2, 4),
    torch=lambda t: t.nn.RMSNorm(4, 0.1, elementwise_affine=False))
bad_arguments(nn.RMSNorm, "no width", lambda: nn.RMSNorm(0), "normalized_shape", "0")
bad_inputs(nn.RMSNorm, "width", lambda: nn.RMSNorm(3)(ddl.ones(2, 4)), "(3,)", "(2, 4)")

for name, shape in {"rows": (5, 6), "places": (2, 6, 3), "pictures": (2, 6, 2, 3)}.items():
    row(nn.GroupNorm, name, lambda: nn.GroupNorm(2, 6), N(*shape), torch=lambda t: t.nn.GroupNorm(2, 6))
row(nn.GroupNorm, "bare", lambda: nn.GroupNorm(3, 6, 0.1, affine=False), N(2, 6, 2),
    torch=lambda t: t.nn.GroupNorm(3, 6, 0.1, affine=False))
bad_arguments(nn.GroupNorm, "no groups", lambda: nn.GroupNorm(0, 6), "num_groups", "0")
bad_arguments(nn.GroupNorm, "groups that do not divide", lambda: nn.GroupNorm(4, 6), "6 channels", "4 groups")
bad_inputs(nn.GroupNorm, "channels", lambda: nn.GroupNorm(2, 6)(ddl.ones(2, 4, 3)), "6", "(2, 4, 3)")
bad_inputs(nn.GroupNorm, "rank", lambda: nn.GroupNorm(2, 6)(ddl.ones(6)), "6", "(6,)")

for kind, shapes in (("BatchNorm1d", {"rows": (5, 4), "places": (2, 4, 3)}), ("BatchNorm2d", {"": (2, 4, 2, 3)})):
    ours = getattr(nn, kind)
    for name, shape in shapes.items():
        for options in ({}, {"affine": False}, {"track_running_stats": False}, {"momentum": None, "eps": 0.1}):
            row(ours, f"{name} {options or ''}".strip(), lambda ours=ours, o=options: ours(4, **o), N(*shape),
                torch=lambda t, k=kind, o=options: getattr(t.nn, k)(4, **o))
    bad_arguments(ours, "no channels", lambda ours=ours: ours(0), "num_features", "0")
    one = ddl.ones(1, 4, *[1] * (len(shape) - 2))
    bad_inputs(ours, "channels", lambda ours=ours, one=one: ours(3)(one), "3", "(1, 4")
    bad_inputs(ours, "rank", lambda ours=ours: ours(4)(ddl.ones(4)), "4", "(4,)")
    bad_inputs(ours, "one value a channel", lambda ours=ours, one=one: ours(4)(one), "2 or more values", "has 1")

row(nn.Dropout2d, "", lambda: nn.Dropout2d(0.3), N(2, 4, 3, 2), torch=lambda t: t.nn.Dropout2d(0.3), random=True)
bad_arguments(nn.Dropout2d, "-1", lambda: nn.Dropout2d(-1), "between 0 and 1", "-1")
bad_inputs(nn.Dropout2d, "rank", lambda: nn.Dropout2d()(ddl.ones(2, 4)), "(N, C, H, W)", "(2, 4)")
# fmt: on
