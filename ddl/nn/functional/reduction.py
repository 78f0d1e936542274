"""From a loss of each element to one number."""

from typing import Any

from ...core import Tensor
from ...spec import Spec

REDUCTIONS = ("mean", "sum", "none")


def known_reduction(owner: str, reduction: str, known: tuple[str, ...] = REDUCTIONS) -> None:
    if reduction not in known:
        names = ", ".join(map(repr, known[:-1])) + f" and {known[-1]!r}"
        raise ValueError(f"{owner} with reduction {reduction!r} was asked for, but the reductions are {names}")


def reduced(loss: str, each: Tensor, reduction: str, counts: Any = None) -> Tensor:
    """The mean or the sum, of shape (), or `each` as it is; "mean" divides by the sum of `counts` where they are given.

    The mean of nothing is NaN, as in PyTorch: it is no number, and 0 would look like a perfect model.
    """
    known_reduction(loss, reduction)
    if reduction == "none":
        return each
    if reduction == "sum":
        return each.sum()
    if counts is None or _all_count(counts):
        return each.mean() if each.data.size else each.sum() * float("nan")
    if isinstance(counts, Spec):
        return each.sum() / Tensor(Spec((), each.dtype))
    return each.sum() / (counts.sum().item() or float("nan"))


def _all_count(counts: Any) -> bool:
    return counts.dtype == bool and not isinstance(counts, Spec) and bool(counts.all())
