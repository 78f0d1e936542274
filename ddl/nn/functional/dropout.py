"""Noise that keeps the mean."""

from ... import fused, ops, random
from ...arrays import module_of
from ...checks import between
from ...core import Tensor
from .inputs import as_tensor


def dropout(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """Zeros with probability p, the rest times 1 / (1 - p); the input itself when not training."""
    between("dropout", 0, 1, p=p)
    input = as_tensor(input)
    if not training or p == 0:
        return input
    if p == 1:
        return ops.where(False, input, 0.0)
    drawn = 0 if input.device == "spec" else int(random.stream("dropout").integers(2**63))  # shapes use up no numbers
    return fused.dropout(input, p=p, seed=drawn)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """Whole channels of (N, C, H, W) are zero with probability p, the rest times 1 / (1 - p)."""
    input = as_tensor(input)
    if input.ndim != 4:
        raise ValueError(f"dropout2d takes inputs (N, C, H, W), but {input.shape} was given")
    channels = Tensor(module_of(input.data).ones((*input.shape[:-2], 1, 1), dtype=input.dtype))
    kept = dropout(channels, p, training)
    return input if kept is channels else input * kept
