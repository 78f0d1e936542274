"""Losses of classes: scores or probabilities against the class that is right, or the probability of each."""

from typing import Any

from ... import fused, ops
from ...checks import between
from ...core import Tensor
from ...ops.lookup import check_ids, ids
from ...spec import Spec
from .inputs import alike, as_reals, as_tensor
from .reduction import REDUCTIONS, known_reduction, reduced


def cross_entropy(
    input: Tensor,
    target: Any,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """-log softmax(input)[target], from scores (C), (N, C) or (N, C, d1, ..) and integer classes without the C axis.

    Floats of the scores' shape are taken for probabilities p of each class: -sum(p log softmax(input)). `weight` (C)
    is what each class counts. Rows whose class is `ignore_index` count for nothing, and "mean" divides by the weights
    of the rows that count; with probabilities by the number of rows. Smoothing s leaves 1 - s of the target and spreads
    s evenly over the classes.
    """
    between("cross_entropy", 0, 1, label_smoothing=label_smoothing)
    input = as_reals(input)
    given = ids(target, input)
    if given.dtype.kind == "f" and tuple(given.shape) == input.shape:
        if ignore_index >= 0:
            raise ValueError(
                f"cross_entropy was given ignore_index={ignore_index} and the probability of each class, "
                "but only a target of integers can be ignored by its class"
            )
        return _cross_entropy_of_probabilities(input, as_tensor(target, input), weight, reduction, label_smoothing)
    scores, classes = _rows("cross_entropy", input, given, ignore_index)
    counts = classes != ignore_index
    if weight is None:
        each = fused.cross_entropy_rows(scores, classes, ignore_index=ignore_index, label_smoothing=label_smoothing)
    else:
        w = _class_weights("cross_entropy", weight, input)
        kept, counts = counts, _weight_of_each(w, classes, counts)
        each = fused.cross_entropy_rows(scores, classes, ignore_index=ignore_index) * counts
        if label_smoothing:
            even = ops.where(kept, -(fused.log_softmax(scores) * w).mean(dim=-1), 0.0)
            each = each * (1.0 - label_smoothing) + even * label_smoothing
    return reduced("cross_entropy", _shaped(each, given.shape), reduction, counts)


def _cross_entropy_of_probabilities(
    input: Tensor, target: Tensor, weight: Any, reduction: str, label_smoothing: float
) -> Tensor:
    axis = _class_axis(input)
    if label_smoothing:
        target = target * (1.0 - label_smoothing) + label_smoothing / input.shape[axis]
    log_p = fused.log_softmax(input, axis=axis)
    if weight is not None:
        w = _class_weights("cross_entropy", weight, input)
        log_p = log_p * w.reshape(-1, *(1,) * (input.ndim - 1 - axis))
    return reduced("cross_entropy", -(log_p * target).sum(dim=axis), reduction)


def nll_loss(
    input: Tensor, target: Any, weight: Any = None, ignore_index: int = -100, reduction: str = "mean"
) -> Tensor:
    """-input[target], from log probabilities: cross_entropy without its log_softmax, with the same shapes."""
    input = as_reals(input)
    given = ids(target, input)
    log_p, classes = _rows("nll_loss", input, given, ignore_index)
    counts = kept = classes != ignore_index
    each = ops.where(kept, -ops.pick(log_p, ops.where(kept, classes, 0)), 0.0)
    if weight is not None:
        counts = _weight_of_each(_class_weights("nll_loss", weight, input), classes, kept)
        each = each * counts
    return reduced("nll_loss", _shaped(each, given.shape), reduction, counts)


def _class_axis(input: Tensor) -> int:
    return 0 if input.ndim == 1 else 1


def _rows(loss: str, input: Tensor, classes: Any, ignore_index: int) -> tuple[Tensor, Any]:
    """Scores as (N, C) and classes as (N,), whatever other axes there are."""
    axis = _class_axis(input)
    if not input.ndim or (*input.shape[:axis], *input.shape[axis + 1 :]) != tuple(classes.shape):
        raise ValueError(
            f"{loss} takes scores (N, C, ..) and classes (N, ..), but scores {input.shape} "
            f"and classes {tuple(classes.shape)} were given"
        )
    if not isinstance(classes, Spec):  # which of them are ignored depends on their values
        check_ids(classes[classes != ignore_index], input.shape[axis])
    if input.ndim == 2:
        return input, classes
    moved = input if input.ndim == 1 else input.permute(0, *range(2, input.ndim), 1)
    return moved.reshape(-1, input.shape[axis]), classes.reshape(-1)


def _shaped(each: Tensor, shape: tuple[int, ...]) -> Tensor:
    return each if each.shape == shape else each.reshape(shape)


def _class_weights(loss: str, weight: Any, input: Tensor) -> Any:
    """What each class counts, as a constant array of the scores' dtype."""
    w, n = as_tensor(weight, input).data, input.shape[_class_axis(input)]
    if w.shape != (n,):
        raise ValueError(f"{loss} of {n} classes takes a weight of shape ({n},), but {tuple(w.shape)} was given")
    return w.astype(input.dtype)


def _weight_of_each(weight: Any, classes: Any, kept: Any) -> Any:
    return ops.where(kept, ops.embedding(weight, ops.where(kept, classes, 0)), 0.0)


def kl_div(input: Tensor, target: Any, reduction: str = "mean", log_target: bool = False) -> Tensor:
    """target (log target - input): how far the distribution `target` is from the one whose logarithms are `input`.

    "mean" divides by the number of elements; "batchmean", by the length of the first axis, is the divergence itself.
    Where target is 0 so is the loss. With `log_target` the target too is given as logarithms.
    """
    known_reduction("kl_div", reduction, (*REDUCTIONS, "batchmean"))
    input, target = alike("kl_div", input=input, target=target)
    if log_target:
        each = target.exp() * (target - input)
    else:
        each = target * (ops.where(target == 0, 1.0, target).log() - input)
    if reduction == "batchmean":
        return each.sum() / ((input.shape or (1,))[0] or float("nan"))
    return reduced("kl_div", each, reduction)
