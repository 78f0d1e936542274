"""Noise that keeps the mean."""

from ... import fused, ops, random
from ...core import Tensor


def dropout(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """Zeros with probability p, the rest times 1 / (1 - p); the input itself when not training."""
    if not 0 <= p <= 1:
        raise ValueError(f"dropout with probability {p} was asked for, but probabilities lie between 0 and 1")
    if not training or p == 0:
        return input
    if p == 1:
        return ops.where(False, input, 0.0)
    return fused.dropout(input, p=p, seed=int(random.stream("dropout").integers(2**63)))
