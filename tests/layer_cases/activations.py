"""Activations."""

from cases.table import D, N

from ddl import nn

from .table import bad_arguments, row

row(nn.ReLU, "", nn.ReLU, D(3, 4), torch=lambda t: t.nn.ReLU())
for kind in ("Tanh", "Sigmoid", "GELU"):
    row(getattr(nn, kind), "", getattr(nn, kind), N(3, 4), torch=lambda t, k=kind: getattr(t.nn, k)())
row(nn.GELU, "tanh", lambda: nn.GELU("tanh"), N(3, 4), torch=lambda t: t.nn.GELU("tanh"))
for kind in (nn.ReLU, nn.Tanh, nn.Sigmoid):
    bad_arguments(kind, "an argument", lambda kind=kind: kind(3), "takes no arguments")
bad_arguments(nn.GELU, "form", lambda: nn.GELU("sigmoid"), "'sigmoid'", "'none'", "'tanh'")
