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
