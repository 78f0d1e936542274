"""Gradients kept from growing too large before a step."""

import math
from collections.abc import Iterable
from typing import Any

from ..arrays import device_of, module_of
from ..checks import between
from ..core import Tensor, no_grad


@no_grad()
def clip_grad_norm_(parameters: Iterable[Tensor], max_norm: float) -> float:
    """Scale all gradients together so that their joint 2-norm is at most `max_norm`; the norm before is returned.

    When the norm is not finite the gradients are left as they are.
    """
    between("clip_grad_norm_", 0, math.inf, max_norm=max_norm)
    grads = [p.grad for p in parameters if p.grad is not None]
    total = math.sqrt(sum(_numbers([module_of(g.data).vdot(g.data, g.data) for g in grads])))
    if math.isfinite(total) and total > max_norm:
        for g in grads:
            g *= max_norm / (total + 1e-6)
    return total


def _numbers(scalars: list[Any]) -> list[float]:
    """Arrays of one number each as numbers; a GPU is asked once for all, as it is waited for each time."""
    if scalars and all(device_of(x) == "gpu" and x.dtype == scalars[0].dtype for x in scalars):
        return module_of(scalars[0]).stack(scalars).get().tolist()
    return [float(x) for x in scalars]


@no_grad()
def clip_grad_value_(parameters: Iterable[Tensor], clip_value: float) -> None:
    """Keep every element of every gradient within [-clip_value, clip_value]; this can turn the gradient's direction."""
    between("clip_grad_value_", 0, math.inf, clip_value=clip_value)
    for p in parameters:
        if p.grad is not None:
            p.grad.copy_(p.grad.clip(-clip_value, clip_value))
