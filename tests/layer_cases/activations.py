"""Activations."""

from cases.table import D, N

import ddl
from ddl import nn

from .table import bad_arguments, bad_inputs, row

# fmt: off
for kind, options in (
    ("ReLU", {}), ("ReLU6", {}), ("LeakyReLU", {}), ("LeakyReLU", {"negative_slope": 0.3}), ("ELU", {}),
    ("ELU", {"alpha": 0.5}), ("GELU", {}), ("GELU", {"approximate": "tanh"}), ("SiLU", {}), ("Sigmoid", {}),
    ("LogSigmoid", {}), ("Tanh", {}), ("Hardtanh", {}), ("Hardtanh", {"min_val": -0.3, "max_val": 0.2}),
    ("Softplus", {}), ("Softplus", {"beta": 3, "threshold": 0.5}), ("Softmax", {"dim": 0}), ("LogSoftmax", {"dim": 1}),
    ("GLU", {}), ("GLU", {"dim": 0}),
):
    row(getattr(nn, kind), ", ".join(options), lambda k=kind, o=options: getattr(nn, k)(**o), D(4, 6),
        torch=lambda t, k=kind, o=options: getattr(t.nn, k)(**o))
row(nn.Softmax, "", nn.Softmax, N(2, 3), torch=lambda t: t.nn.Softmax(-1))
row(nn.LogSoftmax, "", nn.LogSoftmax, N(2, 3), torch=lambda t: t.nn.LogSoftmax(-1))
row(nn.Hardsigmoid, "", nn.Hardsigmoid, D(4, 6))
row(nn.Identity, "", lambda: nn.Identity(5, of="anything"), N(2, 3), torch=lambda t: t.nn.Identity())

for kind in (nn.ReLU, nn.ReLU6, nn.SiLU, nn.Sigmoid, nn.Hardsigmoid, nn.LogSigmoid, nn.Tanh):
    bad_arguments(kind, "an argument", lambda kind=kind: kind(3), "takes no arguments")
bad_arguments(nn.LeakyReLU, "slope", lambda: nn.LeakyReLU("steep"), "negative_slope", "'steep'")
bad_arguments(nn.ELU, "alpha", lambda: nn.ELU(float("nan")), "alpha", "nan")
bad_arguments(nn.GELU, "form", lambda: nn.GELU("sigmoid"), "'sigmoid'", "'none'", "'tanh'")
bad_arguments(nn.Hardtanh, "limits", lambda: nn.Hardtanh(1, 1), "max_val above 1", "but 1 was")
bad_arguments(nn.Softplus, "beta", lambda: nn.Softplus(0), "beta above 0", "but 0 was")
for kind in (nn.Softmax, nn.LogSoftmax, nn.GLU):
    bad_arguments(kind, "half an axis", lambda kind=kind: kind(0.5), "dim", "0.5")
    bad_inputs(kind, "no such axis", lambda kind=kind: kind(2)(ddl.ones(4, 4)), "along axis 2", "(4, 4)")
for kind in (nn.ReLU, nn.ReLU6, nn.LeakyReLU, nn.ELU, nn.GELU, nn.SiLU, nn.Sigmoid, nn.Hardsigmoid, nn.LogSigmoid,
             nn.Tanh, nn.Hardtanh, nn.Softplus):
    bad_inputs(kind, "a word", lambda kind=kind: kind()("word"), "numbers")
bad_inputs(nn.GLU, "odd", lambda: nn.GLU()(ddl.ones(2, 3)), "(2, 3)")


def swiglu(t, bias):
    """The paper's formula, in PyTorch."""
    class Twin(t.nn.Module):
        def __init__(self):
            super().__init__()
            self.W, self.V = t.nn.Linear(4, 3, bias), t.nn.Linear(4, 3, bias)

        def forward(self, x):
            y = self.W(x)
            return y / (1 + (-y).exp()) * self.V(x)

    return Twin()


for bias in (True, False):
    row(nn.SwiGLU, "" if bias else "no bias", lambda b=bias: nn.SwiGLU(4, 3, b), N(2, 5, 4),
        torch=lambda t, b=bias: swiglu(t, b),
        names=lambda ours: {path.replace("gate", "W").replace("value", "V"): x for path, x in ours.items()})
bad_arguments(nn.SwiGLU, "no outputs", lambda: nn.SwiGLU(3, 0), "out_features", "but 0 was")
bad_inputs(nn.SwiGLU, "width", lambda: nn.SwiGLU(3, 2)(ddl.ones(2, 4)), "3", "(2, 4)")
# fmt: on
