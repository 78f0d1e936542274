"""Losses."""

from cases.table import N, P, Z

import ddl
from ddl import nn

from .table import bad_inputs, row

# fmt: off
for reduction in ("mean", "sum", "none"):
    row(nn.MSELoss, reduction, lambda r=reduction: nn.MSELoss(r), N(4, 3), N(4, 3),
        torch=lambda t, r=reduction: t.nn.MSELoss(reduction=r))
    row(nn.BCEWithLogitsLoss, reduction, lambda r=reduction: nn.BCEWithLogitsLoss(r), N(4, 3), P(4, 3),
        torch=lambda t, r=reduction: t.nn.BCEWithLogitsLoss(reduction=r))
    row(nn.CrossEntropyLoss, reduction, lambda r=reduction: nn.CrossEntropyLoss(reduction=r), N(4, 3), Z(3, 4),
        torch=lambda t, r=reduction: t.nn.CrossEntropyLoss(reduction=r))
for kind in (nn.MSELoss, nn.BCEWithLogitsLoss):
    bad_inputs(kind, "shapes", lambda kind=kind: kind()(ddl.ones(4), ddl.ones(4, 1)), "(4,)", "(4, 1)")
bad_inputs(nn.CrossEntropyLoss, "shapes", lambda: nn.CrossEntropyLoss()(ddl.ones(4, 3), ddl.tensor([0, 1])),
           "(4, 3)", "(2,)")
# fmt: on
