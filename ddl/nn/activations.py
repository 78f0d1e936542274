"""The activations as layers."""

from typing import Any

from . import functional as F
from .module import Module


class Activation(Module):
    """A function of each element, as a layer."""

    def forward(self, x: Any) -> Any:
        return type(self).function(x)  # type: ignore[attr-defined]


class ReLU(Activation):
    function = F.relu


class Tanh(Activation):
    function = F.tanh


class Sigmoid(Activation):
    function = F.sigmoid


class GELU(Module):
    """x Phi(x), exactly ("none") or by GPT-2's formula ("tanh")."""

    def __init__(self, approximate: str = "none"):
        if approximate not in ("none", "tanh"):
            raise ValueError(f"GELU has the forms 'none' and 'tanh', but approximate={approximate!r} was given")
        self.approximate = approximate

    def forward(self, x: Any) -> Any:
        return F.gelu(x, self.approximate)

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"
