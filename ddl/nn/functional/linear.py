"""Matrices: a linear map, and a table of rows."""

from typing import Any

from ... import ops
from ...core import Tensor
from ...ops.lookup import ids
from .inputs import as_tensor


def embedding(input: Any, weight: Tensor) -> Tensor:
    """The rows of `weight` (V, C) that the integers of `input` name: (..) -> (.., C)."""
    return ops.embedding(weight, ids(input, weight))


def linear(input: Any, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input weight^T + bias: (.., in), (out, in), (out,) -> (.., out)."""
    return ops.linear(as_tensor(input, weight), weight, bias)


def one_hot(input: Any, num_classes: int = -1) -> Tensor:
    """Rows of `num_classes` integers, 1 at the id and 0 elsewhere: (..) -> (.., C).

    -1 classes are one more than the largest id, which is a value: refused where only shapes are known.
    """
    i = as_tensor(input)
    if num_classes < 1 and num_classes != -1:
        raise ValueError(f"one_hot was asked for {num_classes} classes; ask for 1 or more, or -1 to count them")
    if num_classes == -1:
        if not i.numel():
            raise ValueError("one_hot was given no ids and no num_classes; say how many classes there are")
        num_classes = int(i.max()) + 1
    return ops.one_hot(i, n=num_classes)
