"""Inputs brought to mean 0 and variance 1."""

import math
from typing import Any

from ... import fused
from ...arrays import module_of
from ...core import Tensor


def layer_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """Mean 0 and variance 1 over the last axes, those of `normalized_shape`; then times weight, plus bias."""
    sizes = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    if input.shape[-len(sizes) :] != sizes:
        raise ValueError(f"layer_norm over the last axes {sizes} was asked for, but the input's shape is {input.shape}")
    flat = input if len(sizes) == 1 else input.reshape(*input.shape[: -len(sizes)], math.prod(sizes))
    gain = module_of(flat.data).ones(flat.shape[-1], input.dtype) if weight is None else weight.reshape(-1)
    return fused.layer_norm(flat, gain, None if bias is None else bias.reshape(-1), eps=eps).reshape(input.shape)
