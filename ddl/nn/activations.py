"""The activations as layers."""

from typing import Any

from ..checks import above, number, positive, whole
from . import functional as F
from .applied import Applied
from .functional.inputs import as_tensor, of_width
from .linear import Linear
from .module import Module


class Identity(Module):
    """What it is given, unchanged; arguments are taken and ignored, so that it can stand in for any layer."""

    def __init__(self, *_: Any, **__: Any):
        pass

    def forward(self, x: Any) -> Any:
        return x


class ReLU(Applied):
    """max(0, x)."""

    function = F.relu


class ReLU6(Applied):
    """x kept between 0 and 6."""

    function = F.relu6


class LeakyReLU(Applied):
    """x above 0, negative_slope x elsewhere."""

    function = F.leaky_relu

    def __init__(self, negative_slope: float = 0.01):
        number("LeakyReLU", negative_slope=negative_slope)
        self.keep(negative_slope=negative_slope)


class ELU(Applied):
    """x above 0, alpha (exp(x) - 1) elsewhere."""

    function = F.elu

    def __init__(self, alpha: float = 1.0):
        number("ELU", alpha=alpha)
        self.keep(alpha=alpha)


class GELU(Applied):
    """x Phi(x), exactly ("none") or by GPT-2's formula ("tanh")."""

    function = F.gelu

    def __init__(self, approximate: str = "none"):
        if approximate not in ("none", "tanh"):
            raise ValueError(f"GELU has the forms 'none' and 'tanh', but approximate={approximate!r} was given")
        self.keep(approximate=approximate)


class SiLU(Applied):
    """x sigmoid(x)."""

    function = F.silu


class Sigmoid(Applied):
    """1 / (1 + exp(-x))."""

    function = F.sigmoid


class Hardsigmoid(Applied):
    """x / 6 + 1 / 2, kept between 0 and 1."""

    function = F.hardsigmoid


class LogSigmoid(Applied):
    """log(sigmoid(x))."""

    function = F.logsigmoid


class Tanh(Applied):
    """The hyperbolic tangent."""

    function = F.tanh


class Hardtanh(Applied):
    """x kept between min_val and max_val."""

    function = F.hardtanh

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0):
        number("Hardtanh", min_val=min_val)
        above("Hardtanh", min_val, max_val=max_val)
        self.keep(min_val=min_val, max_val=max_val)


class Softplus(Applied):
    """log(1 + exp(beta x)) / beta, and x itself where beta x is above `threshold`."""

    function = F.softplus

    def __init__(self, beta: float = 1.0, threshold: float = 20.0):
        above("Softplus", 0, beta=beta)
        number("Softplus", threshold=threshold)
        self.keep(beta=beta, threshold=threshold)


class _AlongOneAxis(Applied):
    """A function along the axis `dim`, the last one unless said otherwise."""

    dim: int

    def __init__(self, dim: int = -1):
        whole(type(self).__name__, dim=dim)
        self.keep(dim=dim)

    def forward(self, x: Any) -> Any:
        x = as_tensor(x)
        if not -max(1, x.ndim) <= self.dim < max(1, x.ndim):
            raise IndexError(
                f"{type(self).__name__} along axis {self.dim} was asked of an input of shape {tuple(x.shape)}, "
                f"which has {x.ndim} axes"
            )
        return super().forward(x)


class Softmax(_AlongOneAxis):
    """Probabilities along one axis."""

    function = F.softmax


class LogSoftmax(_AlongOneAxis):
    """log(softmax(x)) along one axis."""

    function = F.log_softmax


class GLU(_AlongOneAxis):
    """a sigmoid(b), where a and b are the two halves of one axis."""

    function = F.glu


class SwiGLU(Module):
    """silu(x W + b) (x V + c), (.., in_features) -> (.., out_features): equation 5 of Shazeer 2020, "GLU variants".

    `gate` holds W and b, `value` V and c. The feed-forward part of a LLaMA block is
    Sequential(SwiGLU(C, H, bias=False), Linear(H, C, bias=False)).
    """

    def __init__(self, in_features: int, out_features: int, bias: bool = True):
        positive("SwiGLU", in_features=in_features, out_features=out_features)
        self.in_features = in_features
        self.gate = Linear(in_features, out_features, bias)
        self.value = Linear(in_features, out_features, bias)

    def forward(self, x: Any) -> Any:
        x = of_width("SwiGLU", x, self.in_features, self.gate.weight)
        return F.silu(self.gate(x)) * self.value(x)
