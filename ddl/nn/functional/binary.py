"""Losses of yes or no: one score or probability against 0 or 1, or -1 or +1."""

from typing import Any

from ... import fused, ops
from ...checks import between
from ...core import Tensor
from .inputs import alike, as_tensor, only, within
from .reduction import reduced


def binary_cross_entropy(input: Tensor, target: Any, weight: Any = None, reduction: str = "mean") -> Tensor:
    """-(t log p + (1 - t) log(1 - p)) from the probability p; logarithms below -100 count as -100.

    From a logit, binary_cross_entropy_with_logits is exact and keeps its slope. `weight` scales each element.
    """
    input, target = alike("binary_cross_entropy", input=input, target=target)
    advice = "; for logits there is binary_cross_entropy_with_logits"
    within("binary_cross_entropy", "probabilities", input, 0, 1, advice)
    within("binary_cross_entropy", "targets", target, 0, 1)
    each = fused.binary_cross_entropy(input, target)
    return reduced("binary_cross_entropy", _weighted(each, weight), reduction)


def binary_cross_entropy_with_logits(
    input: Tensor, target: Any, weight: Any = None, reduction: str = "mean", pos_weight: Any = None
) -> Tensor:
    """-(t log s(x) + (1 - t) log(1 - s(x))) from the logit x, finite: -log s(x) is softplus(-x).

    `weight` scales each element, `pos_weight` the first term alone: what a yes counts.
    """
    input, target = alike("binary_cross_entropy_with_logits", input=input, target=target)
    yes = _weighted(ops.softplus(-input) * target, pos_weight)
    each = yes + ops.softplus(input) * (1.0 - target)
    return reduced("binary_cross_entropy_with_logits", _weighted(each, weight), reduction)


def _weighted(each: Tensor, weight: Any) -> Tensor:
    if weight is None:
        return each
    weight = as_tensor(weight, each)
    try:
        out = each * weight.astype(each.dtype, copy=False)
    except ValueError:
        out = None
    if out is None or out.shape != each.shape:
        raise ValueError(f"a weight of shape {weight.shape} cannot weigh losses of shape {each.shape}; reshape it")
    return out


def focal_loss(
    input: Tensor, target: Any, alpha: float | None = 0.25, gamma: float = 2.0, reduction: str = "mean"
) -> Tensor:
    """alpha_t (1 - p_t)^gamma times the cross-entropy of the logit, where p_t is the probability given to the target.

    The easy elements, whose p_t is near 1, count for little (Lin et al. 2017, "Focal loss for dense object detection").
    Targets are 0 and 1; alpha_t is alpha for 1 and 1 - alpha for 0, and 1 where alpha is None.
    """
    between("focal_loss", 0, float("inf"), gamma=gamma)
    input, target = alike("focal_loss", input=input, target=target)
    only("focal_loss", target, 0, 1)
    x = input * (target * 2.0 - 1.0)  # p_t = s(x), so that 1 - p_t = s(-x) = exp(-softplus(x))
    each = (ops.softplus(x) * -gamma).exp() * ops.softplus(-x)
    if alpha is not None:
        between("focal_loss", 0, 1, alpha=alpha)
        each = each * (target * (2.0 * alpha - 1.0) + (1.0 - alpha))
    return reduced("focal_loss", each, reduction)


def hinge_loss(input: Tensor, target: Any, margin: float = 1.0, reduction: str = "mean") -> Tensor:
    """max(0, margin - target input), targets -1 and +1 (Cortes and Vapnik 1995); its slope at the corner is 0."""
    return reduced("hinge_loss", _shortfall("hinge_loss", input, target, margin), reduction)


def squared_hinge_loss(input: Tensor, target: Any, margin: float = 1.0, reduction: str = "mean") -> Tensor:
    """max(0, margin - target input)^2, targets -1 and +1: without a corner."""
    short = _shortfall("squared_hinge_loss", input, target, margin)
    return reduced("squared_hinge_loss", short * short, reduction)


def _shortfall(loss: str, input: Tensor, target: Any, margin: float) -> Tensor:
    input, target = alike(loss, input=input, target=target)
    only(loss, target, -1, 1)
    return ops.relu(margin - target * input)
