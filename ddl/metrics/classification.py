"""Metrics of classes: how often they are right, and which are taken for which.

Predictions are integer classes, shaped like the targets, or scores with one axis more, the classes; classes count
from 0. Argument order is PyTorch's, predictions first; scikit-learn has the targets first.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import module_of, to_device
from ..checks import is_whole
from ..core import Tensor, no_grad
from ..nn import functional as F
from .inputs import classes, scores

AVERAGES = ("binary", "micro", "macro", "weighted", None)


def accuracy(input: Any, target: Any) -> float:
    """The share of predictions that are right; of scores that tie for the largest, the first class predicts."""
    x, y = classes("accuracy", input, target)
    return float((x == y).mean())


def top_k_accuracy(input: Any, target: Any, k: int = 5) -> float:
    """The share of samples whose class is among the k with the largest scores, (.., C); of equal scores the later
    class ranks higher, as in scikit-learn.
    """
    x, y = scores("top_k_accuracy", input, target)
    if not is_whole(k) or not 1 <= k <= x.shape[-1]:
        raise ValueError(
            f"top_k_accuracy of {x.shape[-1]} classes needs k from 1 to {x.shape[-1]}, but {k!r} was given"
        )
    xp = module_of(x)
    right = x[xp.arange(len(y)), y][:, None]
    later = xp.arange(x.shape[-1])[None, :] > y[:, None]
    before = (x > right) | ((x == right) & later)
    return float((before.sum(axis=-1) < k).mean())


def confusion_matrix(input: Any, target: Any, num_classes: int | None = None) -> NDArray[np.int64]:
    """How often class i was taken for class j, at [i, j]: right classes down, predictions across."""
    x, y = classes("confusion_matrix", input, target)
    n = _count("confusion_matrix", x, y, num_classes)
    return to_device(module_of(x).bincount(y * n + x, minlength=n * n), "cpu").reshape(n, n)


def precision(
    input: Any, target: Any, average: str | None = "binary", num_classes: int | None = None, zero_division: float = 0.0
) -> Any:
    """Of the samples predicted to be of a class, the share that is. See `f1` for the averages."""
    right, predicted, _, mean = _counts("precision", input, target, average, num_classes, zero_division)
    return mean(right, predicted)


def recall(
    input: Any, target: Any, average: str | None = "binary", num_classes: int | None = None, zero_division: float = 0.0
) -> Any:
    """Of the samples of a class, the share that was predicted to be. See `f1` for the averages."""
    right, _, actual, mean = _counts("recall", input, target, average, num_classes, zero_division)
    return mean(right, actual)


def f1(
    input: Any, target: Any, average: str | None = "binary", num_classes: int | None = None, zero_division: float = 0.0
) -> Any:
    """The harmonic mean of precision and recall, 2 right / (predicted + actual), averaged over classes.

    "binary" is that of class 1 of two; "micro" counts all classes together; "macro" is the plain mean of the classes,
    "weighted" the mean by how many samples each has; None gives an array of all. Where the divisor is 0 a class has
    `zero_division`. Classes that no sample has and none was predicted to have are left out of "macro", unless
    `num_classes` says that they are there.
    """
    right, predicted, actual, mean = _counts("f1", input, target, average, num_classes, zero_division)
    return mean(2 * right, predicted + actual)


def _counts(
    metric: str, input: Any, target: Any, average: str | None, num_classes: int | None, zero_division: float
) -> tuple[Any, Any, Any, Any]:
    """For each class how many were rightly predicted, predicted, and there; and what averages their ratios."""
    if average not in AVERAGES:
        known = ", ".join(map(repr, AVERAGES))
        raise ValueError(f"{metric} was asked for average {average!r}, but it is one of {known}")
    if zero_division not in (0, 1):
        raise ValueError(f"{metric} needs zero_division to be 0 or 1, but {zero_division!r} was given")
    x, y = classes(metric, input, target)
    n = _count(metric, x, y, num_classes)
    if average == "binary" and n > 2:
        raise ValueError(f"{metric} with average 'binary' is of 2 classes, but there are {n}; ask for 'macro'")
    xp, n = module_of(x), max(n, 2) if average == "binary" else n
    right, predicted, actual = (to_device(xp.bincount(a, minlength=n), "cpu") for a in (y[x == y], x, y))

    def mean(part: NDArray[np.int64], whole: NDArray[np.int64]) -> Any:
        if average == "micro":
            part, whole = part.sum(), whole.sum()
        ratio = np.where(whole > 0, part / np.maximum(whole, 1), float(zero_division))
        if average == "macro":
            there = (predicted + actual > 0) | (num_classes is not None)
            return float(ratio[there].mean())
        if average == "weighted":
            return float((ratio * actual).sum() / actual.sum())
        return ratio if average is None else float(ratio if average == "micro" else ratio[1])

    return right, predicted, actual, mean


def _count(metric: str, x: Any, y: Any, num_classes: int | None) -> int:
    most = max(int(x.max()), int(y.max()))
    if num_classes is None:
        return most + 1
    if not is_whole(num_classes) or num_classes <= most:
        raise ValueError(f"{metric} was given class {most}, so num_classes must be above it, but it is {num_classes!r}")
    return int(num_classes)


@no_grad()
def perplexity(input: Any, target: Any, ignore_index: int = -100) -> float:
    """exp of the mean cross-entropy, from scores (.., V) and ids (..): among how many words the model is undecided."""
    x = input if isinstance(input, Tensor) else Tensor(np.asarray(input) if isinstance(input, list) else input)
    y = target.data if isinstance(target, Tensor) else np.asarray(target) if isinstance(target, list) else target
    if x.ndim != y.ndim + 1 or x.shape[:-1] != tuple(y.shape):
        raise ValueError(f"perplexity takes scores (.., V) and ids (..), but {x.shape} and {tuple(y.shape)} were given")
    if not y.size or not bool((y != ignore_index).any()):
        raise ValueError("perplexity was given no samples that count; give one or more")
    loss = F.cross_entropy(x.reshape(-1, x.shape[-1]), y.reshape(-1), ignore_index=ignore_index)
    with np.errstate(over="ignore"):
        return float(np.exp(np.float64(loss.item())))
