"""How far apart two vectors are."""

import numpy as np

from ... import ops
from ...checks import above
from ...core import Tensor
from ...ops.methods import either_name
from .inputs import as_reals, as_tensor


@either_name
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """x1 . x2 / (|x1| |x2|) along one axis, between -1 and 1; lengths below eps count as eps. Shapes broadcast."""
    x1, x2 = as_tensor(x1), as_tensor(x2)
    if x1.shape != x2.shape:  # lengths are those after broadcasting
        shape = np.broadcast_shapes(x1.shape, x2.shape)
        x1, x2 = x1.broadcast_to(shape), x2.broadcast_to(shape)
    return (normalize(x1, dim=dim, eps=eps) * normalize(x2, dim=dim, eps=eps)).sum(dim=dim)


@either_name
def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    """input / |input|_p along one axis; lengths below eps count as eps."""
    above("normalize", 0, p=p, eps=eps)
    input = as_tensor(input)
    return input / ops.norm(input, p=p, axis=dim, keepdims=True).clip(eps)


@either_name
def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    """|x1 - x2 + eps|_p over the last axis; eps keeps the slope finite where the two are equal. Shapes broadcast."""
    above("pairwise_distance", 0, p=p)
    return ops.norm(as_reals(x1) - as_reals(x2) + eps, p=p, axis=-1, keepdims=keepdim)
