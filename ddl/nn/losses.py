"""The losses as layers; what each computes, and on which shapes, is said in nn.functional."""

import math
from typing import Any

import numpy as np

from ..arrays import is_array
from ..checks import above, between, number, whole
from ..core import Tensor
from . import functional as F
from .applied import Applied
from .functional.reduction import REDUCTIONS, known_reduction
from .parameter import Buffer


class Loss(Applied):
    """A loss, and how the losses of the elements become one number."""

    reductions: tuple[str, ...] = REDUCTIONS

    def __init__(self, reduction: str = "mean"):
        self.keep(reduction=reduction)

    def keep(self, **options: Any) -> None:
        known_reduction(type(self).__name__, options["reduction"], self.reductions)
        super().keep(**options)


def _weights(owner: str, name: str, weight: Any) -> Any:
    """Weights as a buffer, so that they go where the layer goes."""
    if weight is None:
        return None
    w = weight if isinstance(weight, Tensor) or is_array(weight) else np.asarray(weight)
    if w.dtype.kind not in "biuf":
        raise TypeError(f"{owner} needs {name} to be numbers, but {w.dtype} was given")
    return Buffer(w if hasattr(weight, "dtype") and w.dtype.kind == "f" else w.astype(np.float32))


# ---- numbers
class MSELoss(Loss):
    """(input - target)^2."""

    function = F.mse_loss


class L1Loss(Loss):
    """|input - target|."""

    function = F.l1_loss


class SmoothL1Loss(Loss):
    """A parabola within beta of the target, a line of slope 1 beyond."""

    function = F.smooth_l1_loss

    def __init__(self, reduction: str = "mean", beta: float = 1.0):
        between("SmoothL1Loss", 0, math.inf, beta=beta)
        self.keep(reduction=reduction, beta=beta)


class HuberLoss(Loss):
    """A parabola within delta of the target, a line of slope delta beyond."""

    function = F.huber_loss

    def __init__(self, reduction: str = "mean", delta: float = 1.0):
        above("HuberLoss", 0, delta=delta)
        self.keep(reduction=reduction, delta=delta)


class PoissonNLLLoss(Loss):
    """-log probability of counts, from the logarithm of their rate."""

    function = F.poisson_nll_loss

    def __init__(self, log_input: bool = True, full: bool = False, eps: float = 1e-8, reduction: str = "mean"):
        above("PoissonNLLLoss", 0, eps=eps)
        self.keep(log_input=log_input, full=full, eps=eps, reduction=reduction)


class GaussianNLLLoss(Loss):
    """-log density of the target, from the mean and the variance of a normal: called with (input, target, var)."""

    function = F.gaussian_nll_loss

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean"):
        above("GaussianNLLLoss", 0, eps=eps)
        self.keep(full=full, eps=eps, reduction=reduction)


# ---- classes
class CrossEntropyLoss(Loss):
    """-log softmax(input)[target]."""

    function = F.cross_entropy

    def __init__(
        self, weight: Any = None, ignore_index: int = -100, reduction: str = "mean", label_smoothing: float = 0.0
    ):
        between("CrossEntropyLoss", 0, 1, label_smoothing=label_smoothing)
        whole("CrossEntropyLoss", ignore_index=ignore_index)
        weight = _weights("CrossEntropyLoss", "weight", weight)
        self.keep(weight=weight, ignore_index=ignore_index, reduction=reduction, label_smoothing=label_smoothing)


class NLLLoss(Loss):
    """-input[target], from log probabilities."""

    function = F.nll_loss

    def __init__(self, weight: Any = None, ignore_index: int = -100, reduction: str = "mean"):
        whole("NLLLoss", ignore_index=ignore_index)
        self.keep(weight=_weights("NLLLoss", "weight", weight), ignore_index=ignore_index, reduction=reduction)


class KLDivLoss(Loss):
    """The divergence of the distribution `target` from the one whose logarithms are `input`."""

    function = F.kl_div
    reductions = (*REDUCTIONS, "batchmean")

    def __init__(self, reduction: str = "mean", log_target: bool = False):
        self.keep(reduction=reduction, log_target=log_target)


class BCELoss(Loss):
    """Binary cross-entropy from probabilities."""

    function = F.binary_cross_entropy

    def __init__(self, weight: Any = None, reduction: str = "mean"):
        self.keep(weight=_weights("BCELoss", "weight", weight), reduction=reduction)


class BCEWithLogitsLoss(Loss):
    """Binary cross-entropy from logits, finite for every logit."""

    function = F.binary_cross_entropy_with_logits

    def __init__(self, weight: Any = None, reduction: str = "mean", pos_weight: Any = None):
        self.keep(
            weight=_weights("BCEWithLogitsLoss", "weight", weight),
            reduction=reduction,
            pos_weight=_weights("BCEWithLogitsLoss", "pos_weight", pos_weight),
        )


class FocalLoss(Loss):
    """Binary cross-entropy from logits, in which easy elements count for little."""

    function = F.focal_loss

    def __init__(self, alpha: float | None = 0.25, gamma: float = 2.0, reduction: str = "mean"):
        between("FocalLoss", 0, math.inf, gamma=gamma)
        if alpha is not None:
            between("FocalLoss", 0, 1, alpha=alpha)
        self.keep(alpha=alpha, gamma=gamma, reduction=reduction)


# ---- margins
class _Margin(Loss):
    """A loss that is 0 once the right side is ahead by a margin."""

    def __init__(self, margin: float = 1.0, reduction: str = "mean"):
        number(type(self).__name__, margin=margin)
        self.keep(margin=margin, reduction=reduction)


class HingeLoss(_Margin):
    """max(0, margin - target input), targets -1 and +1."""

    function = F.hinge_loss


class SquaredHingeLoss(_Margin):
    """max(0, margin - target input)^2, targets -1 and +1."""

    function = F.squared_hinge_loss


class HingeEmbeddingLoss(_Margin):
    """A distance where target is +1, max(0, margin - distance) where it is -1."""

    function = F.hinge_embedding_loss


class MarginRankingLoss(_Margin):
    """max(0, margin - target (input1 - input2)): called with (input1, input2, target)."""

    function = F.margin_ranking_loss

    def __init__(self, margin: float = 0.0, reduction: str = "mean"):
        super().__init__(margin, reduction)


class CosineEmbeddingLoss(_Margin):
    """1 - cos where target is +1, max(0, cos - margin) where it is -1: called with (input1, input2, target)."""

    function = F.cosine_embedding_loss

    def __init__(self, margin: float = 0.0, reduction: str = "mean"):
        super().__init__(margin, reduction)


class TripletMarginLoss(Loss):
    """max(0, margin + near - far), the distances of (anchor, positive) and of (anchor, negative)."""

    function = F.triplet_margin_loss

    def __init__(
        self, margin: float = 1.0, p: float = 2.0, eps: float = 1e-6, swap: bool = False, reduction: str = "mean"
    ):
        number("TripletMarginLoss", margin=margin, eps=eps)
        above("TripletMarginLoss", 0, p=p)
        self.keep(margin=margin, p=p, eps=eps, swap=swap, reduction=reduction)
