"""The losses as layers."""

from typing import Any

from . import functional as F
from .module import Module


class CrossEntropyLoss(Module):
    """-log softmax(input)[target]; see functional.cross_entropy for shapes."""

    def __init__(self, ignore_index: int = -100, reduction: str = "mean", label_smoothing: float = 0.0):
        self.options = {"ignore_index": ignore_index, "reduction": reduction, "label_smoothing": label_smoothing}

    def forward(self, input: Any, target: Any) -> Any:
        return F.cross_entropy(input, target, **self.options)  # type: ignore[arg-type]


class MSELoss(Module):
    """(input - target)^2, of equal shapes."""

    def __init__(self, reduction: str = "mean"):
        self.reduction = reduction

    def forward(self, input: Any, target: Any) -> Any:
        return F.mse_loss(input, target, self.reduction)


class BCEWithLogitsLoss(Module):
    """Binary cross-entropy from logits, finite for every logit."""

    def __init__(self, reduction: str = "mean"):
        self.reduction = reduction

    def forward(self, input: Any, target: Any) -> Any:
        return F.binary_cross_entropy_with_logits(input, target, self.reduction)
