"""Inputs brought to mean 0 and variance 1, or to length 1: over the last axes, over groups, over the batch."""

import math
from typing import Any

import numpy as np

from ... import fused, ops
from ...arrays import module_of
from ...checks import divides, one_or_several
from ...core import Tensor, no_grad
from ...sizes import named
from ...spec import Spec
from .inputs import as_tensor


def last_axes(of: str, input: Tensor, normalized_shape: Any) -> tuple[int, ...]:
    """The sizes that `normalized_shape` says, refused unless they are those of the input's last axes."""
    sizes = one_or_several(of, normalized_shape=normalized_shape)
    if tuple(input.shape[-len(sizes) :]) != sizes:
        raise ValueError(f"{of} over the last axes {sizes} was asked for, but the input's shape is {input.shape}")
    return sizes


def _check_scale(of: str, sizes: tuple[int, ...], **given: Tensor | None) -> None:
    """Refuse a weight or a bias of another shape than that of what it scales or shifts."""
    for name, t in given.items():
        if t is not None and t.shape != sizes:
            raise ValueError(f"{of} needs {name} of shape {sizes} for this input, but {t.shape} was given")


def layer_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """Mean 0 and variance 1 over the last axes, those of `normalized_shape`; then times weight, plus bias."""
    input = as_tensor(input, weight)
    sizes = last_axes("layer_norm", input, normalized_shape)
    _check_scale("layer_norm", sizes, weight=weight, bias=bias)
    flat = input if len(sizes) == 1 else input.reshape(*input.shape[: -len(sizes)], math.prod(sizes))
    return _rows(flat, weight, bias, eps).reshape(input.shape)


def _rows(x: Tensor, weight: Tensor | None, bias: Tensor | None, eps: float) -> Tensor:
    gain = _ones(x) if weight is None else weight.reshape(-1)
    return fused.layer_norm(x, gain, None if bias is None else bias.reshape(-1), eps=eps)


def _ones(x: Tensor) -> Any:
    """A weight that changes nothing; beside shapes alone too it has values, so that their graph is whole."""
    n, xp = x.shape[-1], np if x.device == "spec" else module_of(x.data)
    return Tensor(np.ones(1, x.dtype)).broadcast_to((n,)) if named(n) else xp.ones(n, x.dtype)


def rms_norm(input: Tensor, normalized_shape: Any, weight: Tensor | None = None, eps: float | None = None) -> Tensor:
    """weight * x / sqrt(mean(x^2) + eps) over the last axes, those of `normalized_shape` (Zhang and Sennrich 2019).

    `eps` left out is the least step of the input's dtype from 1, as in PyTorch.
    """
    input = as_tensor(input, weight)
    sizes = last_axes("rms_norm", input, normalized_shape)
    _check_scale("rms_norm", sizes, weight=weight)
    axes = tuple(range(-len(sizes), 0))
    eps = float(np.finfo(input.dtype).eps) if eps is None else eps
    out = input * (1.0 / ops.sqrt((input * input).mean(axes, keepdim=True) + eps))
    return out if weight is None else out * weight


def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """Mean 0 and variance 1 over each of `num_groups` groups of channels and all places (Wu and He 2018): (N, C, ..).

    Then times weight, plus bias, both (C,).
    """
    input = as_tensor(input, weight)
    if input.ndim < 2 or not divides(num_groups, input.shape[1]):
        raise ValueError(
            f"group_norm takes inputs (N, C, ..) of channels that {num_groups!r} groups divide, "
            f"but the input's shape is {input.shape}"
        )
    N, C = input.shape[:2]
    _check_scale("group_norm", (C,), weight=weight, bias=bias)
    size = math.prod(input.shape[1:]) // num_groups
    out = _rows(input.reshape(N, num_groups, size), None, None, eps).reshape(input.shape)
    wide = (C, *(1,) * (input.ndim - 2))
    out = out if weight is None else out * weight.reshape(wide)
    return out if bias is None else out + bias.reshape(wide)


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Mean 0 and variance 1 of each channel over batch and places (Ioffe and Szegedy 2015): (N, C, ..).

    Then times weight, plus bias, both (C,). While training the moments are the batch's, and the running ones move
    towards them by `momentum`, in place, the variance divided by n - 1; otherwise the running ones are used.
    """
    input = as_tensor(input, weight)
    if input.ndim < 2:
        raise ValueError(f"batch_norm takes inputs (N, C, ..), but the input's shape is {input.shape}")
    C = input.shape[1]
    _check_scale("batch_norm", (C,), weight=weight, bias=bias, running_mean=running_mean, running_var=running_var)
    axes, wide = (0, *range(2, input.ndim)), (C, *(1,) * (input.ndim - 2))
    if training:
        mean = input.mean(axes, keepdim=True)
        d = input - mean
        var = (d * d).mean(axes, keepdim=True)
        n = _values_a_channel(input.shape)
        if not isinstance(input.data, Spec):
            _follow(running_mean, running_var, mean.detach(), var.detach(), momentum, n)
    elif running_mean is None or running_var is None:
        raise ValueError("batch_norm outside training was asked for, but no running mean and variance were given")
    else:
        d, var = input - running_mean.reshape(wide), running_var.reshape(wide)
    scale = 1.0 / ops.sqrt(var + eps)
    out = d * (scale if weight is None else scale * weight.reshape(wide))
    return out if bias is None else out + bias.reshape(wide)


def _values_a_channel(shape: Any) -> Any:
    """How many there are, refused where they have no variance."""
    n = math.prod(shape) // shape[1] if shape[1] != 0 else 0
    if n < 2:
        raise ValueError(
            f"batch_norm needs 2 or more values a channel while training, but an input of shape {shape} has {n}; "
            "give a larger batch, or call eval()"
        )
    return n


@no_grad()
def _follow(
    running_mean: Tensor | None, running_var: Tensor | None, mean: Tensor, var: Tensor, momentum: float, n: int
) -> None:
    """Move the running moments towards those of a batch of n values a channel."""
    for running, batch in ((running_mean, mean), (running_var, var * (n / (n - 1)))):
        if running is not None:
            running.copy_(running * (1 - momentum) + batch.reshape(-1) * momentum)
