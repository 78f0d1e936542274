"""Losses: a number that falls as the model gets better."""

from typing import Any

from ... import fused, ops
from ...core import Tensor
from ...ops.selection import check_ids
from ...spec import Spec
from .linear import ids


def _reduced(each: Tensor, reduction: str, count: Any = None) -> Tensor:
    if reduction == "none":
        return each
    if reduction not in ("mean", "sum"):
        raise ValueError(f"reduction {reduction!r} was asked for, but the reductions are 'mean', 'sum' and 'none'")
    return each.sum() if reduction == "sum" else each.mean() if count is None else each.sum() / count


def _same_shape(loss: str, input: Any, target: Any) -> None:
    if tuple(input.shape) != tuple(target.shape):
        raise ValueError(
            f"{loss} compares element by element, but input has shape {input.shape} "
            f"and target {tuple(target.shape)}; reshape one of them"
        )


def mse_loss(input: Tensor, target: Any, reduction: str = "mean") -> Tensor:
    """(input - target)^2; the shapes must be equal."""
    _same_shape("mse_loss", input, target)
    d = input - target
    return _reduced(d * d, reduction)


def binary_cross_entropy_with_logits(input: Tensor, target: Any, reduction: str = "mean") -> Tensor:
    """-(t log s(x) + (1 - t) log(1 - s(x))) from the logit x, finite: -log s(x) is softplus(-x)."""
    _same_shape("binary_cross_entropy_with_logits", input, target)
    return _reduced(ops.softplus(-input) * target + ops.softplus(input) * (1.0 - target), reduction)


def cross_entropy(
    input: Tensor, target: Any, ignore_index: int = -100, reduction: str = "mean", label_smoothing: float = 0.0
) -> Tensor:
    """-log softmax(input)[target], from scores (N, C) or (N, C, d1, ..) and integer classes (N) or (N, d1, ..).

    Rows whose class is `ignore_index` count for nothing, and "mean" divides by the rows that count.
    """
    classes = ids(target, input)
    if input.ndim < 2 or (input.shape[0], *input.shape[2:]) != tuple(classes.shape):
        raise ValueError(
            f"cross_entropy takes scores (N, C, ..) and classes (N, ..), but scores {input.shape} "
            f"and classes {tuple(classes.shape)} were given"
        )
    if not isinstance(classes, Spec):
        check_ids(classes[classes != ignore_index], input.shape[1])
    moved = input if input.ndim == 2 else input.permute(0, *range(2, input.ndim), 1)
    flat = classes.reshape(-1)
    each = fused.cross_entropy_rows(
        moved.reshape(-1, input.shape[1]), flat, ignore_index=ignore_index, label_smoothing=label_smoothing
    )
    counted = each.data.size if isinstance(flat, Spec) else int((flat != ignore_index).sum())
    return _reduced(each.reshape(classes.shape), reduction, counted or float("nan"))
