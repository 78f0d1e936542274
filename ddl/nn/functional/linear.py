"""Matrices: a linear map, and a table of rows."""

from typing import Any

import numpy as np

from ... import ops
from ...arrays import to_device
from ...core import Tensor


def embedding(input: Any, weight: Tensor) -> Tensor:
    """The rows of `weight` (V, C) that the integers of `input` name: (..) -> (.., C)."""
    return ops.embedding(weight, ids(input, weight))


def ids(x: Any, beside: Tensor) -> Any:
    """Integers as an array, from a tensor, an array, or a list, which goes to the device of the tensor `beside` it."""
    x = x.data if isinstance(x, Tensor) else x
    if not isinstance(x, (list, tuple, int, np.generic)):
        return x
    numbers = np.asarray(x)
    return to_device(numbers if numbers.size else numbers.astype(np.int64), "gpu" if beside.device == "gpu" else "cpu")


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input weight^T + bias: (.., in), (out, in), (out,) -> (.., out)."""
    return ops.linear(input, weight, bias)
