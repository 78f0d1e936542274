"""Losses of order and distance: near or far, above or below. At a corner the slope is the steeper one, as PyTorch's."""

from typing import Any

from ... import ops
from ...checks import above
from ...core import Tensor
from .distance import pairwise_distance
from .inputs import alike, as_tensor, only
from .reduction import reduced


def margin_ranking_loss(
    input1: Tensor, input2: Any, target: Any, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    """max(0, margin - target (input1 - input2)): target +1 wants input1 above input2, target -1 below."""
    input1, input2, target = alike("margin_ranking_loss", input1=input1, input2=input2, target=target)
    only("margin_ranking_loss", target, -1, 1)
    return reduced("margin_ranking_loss", (margin - target * (input1 - input2)).clip(0.0), reduction)


def hinge_embedding_loss(input: Tensor, target: Any, margin: float = 1.0, reduction: str = "mean") -> Tensor:
    """A distance as it is where target is +1, and max(0, margin - distance) where it is -1."""
    input, target = alike("hinge_embedding_loss", input=input, target=target)
    only("hinge_embedding_loss", target, -1, 1)
    each = ops.where(target == 1, input, (margin - input).clip(0.0))
    return reduced("hinge_embedding_loss", each, reduction)


def cosine_embedding_loss(
    input1: Tensor, input2: Any, target: Any, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    """1 - cos where target is +1 and max(0, cos - margin) where it is -1: (N, D), (N, D), (N), or (D), (D), ()."""
    input1, input2 = alike("cosine_embedding_loss", input1=input1, input2=input2)
    target = as_tensor(target, input1)
    if input1.ndim not in (1, 2) or target.shape != input1.shape[:-1]:
        raise ValueError(
            "cosine_embedding_loss takes inputs (N, D) and targets (N,), "
            f"but inputs {input1.shape} and targets {target.shape} were given"
        )
    only("cosine_embedding_loss", target, -1, 1)
    tiny = 1e-12  # PyTorch's, added to the squared lengths
    squares = ((input1 * input1).sum(dim=-1) + tiny) * ((input2 * input2).sum(dim=-1) + tiny)
    cosine = (input1 * input2).sum(dim=-1) / squares.sqrt()
    return reduced(
        "cosine_embedding_loss", ops.where(target == 1, 1.0 - cosine, (cosine - margin).clip(0.0)), reduction
    )


def triplet_margin_loss(
    anchor: Tensor,
    positive: Any,
    negative: Any,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """max(0, margin + |anchor - positive|_p - |anchor - negative|_p) over the last axis, of inputs of one shape.

    `swap` takes for the last distance that of positive and negative, where that is smaller (Balntas et al. 2016).
    """
    above("triplet_margin_loss", 0, margin=margin)
    anchor, positive, negative = alike("triplet_margin_loss", anchor=anchor, positive=positive, negative=negative)
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = ops.minimum(far, pairwise_distance(positive, negative, p, eps))
    return reduced("triplet_margin_loss", (margin + near - far).clip(0.0), reduction)
