"""Layers that bring their inputs to mean 0 and variance 1."""

from typing import Any

from . import functional as F
from . import init
from .module import Module
from .parameter import Parameter
from .sizes import positive


class LayerNorm(Module):
    """Mean 0 and variance 1 over the last axis, then times weight (starts at 1), plus bias (starts at 0)."""

    def __init__(self, normalized_shape: int, eps: float = 1e-5, bias: bool = True):
        positive("LayerNorm", normalized_shape=normalized_shape)
        self.normalized_shape, self.eps = normalized_shape, eps
        self.weight = Parameter((normalized_shape,), init.ones, axes=("out",))
        self.bias = Parameter((normalized_shape,), init.zeros, axes=("out",)) if bias else None

    def forward(self, x: Any) -> Any:
        return F.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}"
