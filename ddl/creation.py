"""Tensors from numbers: PyTorch's constructors, on either device, and joining tensors."""

from typing import Any

import numpy as np

from . import arrays, random
from .core import Tensor
from .ops import concatenate
from .ops.methods.attach import either_name


def tensor(data: Any, dtype: Any = None, device: str | None = None, requires_grad: bool = False) -> Tensor:
    """A new tensor of `data`, which is copied: numbers, nested lists, an array, a tensor, or a Spec.

    Python floats become float32, ints int64; arrays keep their dtype. `device` is "cpu" or "gpu".
    """
    value = data.data if isinstance(data, Tensor) else data
    made = Tensor(arrays.as_array(value, dtype, device))
    if requires_grad:
        made.requires_grad = True
    return made


def _sizes(shape: tuple) -> tuple:
    return tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape


def full(
    size: Any, fill_value: Any, dtype: Any = None, device: str | None = None, requires_grad: bool = False
) -> Tensor:
    return tensor(np.full(size, arrays.as_array(fill_value)), dtype, device, requires_grad)


def zeros(*shape: Any, dtype: Any = np.float32, device: str | None = None, requires_grad: bool = False) -> Tensor:
    return tensor(np.zeros(_sizes(shape), dtype), dtype, device, requires_grad)


def ones(*shape: Any, dtype: Any = np.float32, device: str | None = None, requires_grad: bool = False) -> Tensor:
    return tensor(np.ones(_sizes(shape), dtype), dtype, device, requires_grad)


def zeros_like(t: Tensor) -> Tensor:
    return Tensor(arrays.module_of(t.data).zeros_like(t.data))


def ones_like(t: Tensor) -> Tensor:
    return Tensor(arrays.module_of(t.data).ones_like(t.data))


def eye(n: int, m: int | None = None, dtype: Any = np.float32, device: str | None = None) -> Tensor:
    return tensor(np.eye(n, m, dtype=dtype), device=device)


def arange(start: Any, end: Any = None, step: Any = 1, dtype: Any = None, device: str | None = None) -> Tensor:
    """start, start + step, .. below end; float32 where a bound is a float, int64 otherwise."""
    start, end = (0, start) if end is None else (start, end)
    if step == 0:
        raise ValueError(f"arange from {start} to {end} was given step 0, which leads nowhere; give another")
    if dtype is None:
        dtype = np.float32 if any(isinstance(n, float) for n in (start, end, step)) else np.int64
    return tensor(np.arange(start, end, step), dtype, device)


def linspace(start: float, end: float, steps: int, dtype: Any = np.float32, device: str | None = None) -> Tensor:
    return tensor(np.linspace(start, end, steps), dtype, device)


def rand(*shape: Any, dtype: Any = np.float32, device: str | None = None, requires_grad: bool = False) -> Tensor:
    """Uniform on [0, 1), from the "data" stream."""
    return tensor(random.stream("data").random(_sizes(shape)), dtype, device, requires_grad)


def randn(*shape: Any, dtype: Any = np.float32, device: str | None = None, requires_grad: bool = False) -> Tensor:
    """Standard normal, from the "data" stream."""
    return tensor(random.stream("data").standard_normal(_sizes(shape)), dtype, device, requires_grad)


def randint(low: int, high: int, size: Any, device: str | None = None) -> Tensor:
    """Integers from low to high - 1, from the "data" stream."""
    return tensor(random.stream("data").integers(low, high, size), device=device)


@either_name
def cat(tensors: Any, dim: int = 0) -> Tensor:
    """Tensors joined along an axis they have."""
    return concatenate(*tensors, axis=dim)


@either_name
def stack(tensors: Any, dim: int = 0) -> Tensor:
    """Tensors of one shape joined along a new axis."""
    return cat([t.unsqueeze(dim) for t in tensors], dim)
