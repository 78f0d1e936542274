"""Functions of each element, and softmax."""

from ... import fused
from ...core import Tensor
from ...ops.methods import either_name


@either_name
def softmax(input: Tensor, dim: int = -1) -> Tensor:
    return fused.softmax(input, axis=dim)


@either_name
def log_softmax(input: Tensor, dim: int = -1) -> Tensor:
    return fused.log_softmax(input, axis=dim)


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """x Phi(x), exactly ("none") or by GPT-2's formula ("tanh")."""
    if approximate not in ("none", "tanh"):
        raise ValueError(f"gelu with approximate={approximate!r} was asked for, but the forms are 'none' and 'tanh'")
    return fused.gelu(input) if approximate == "none" else fused.gelu_tanh(input)
