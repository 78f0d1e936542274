"""Losses of numbers that should be near other numbers."""

import math
from typing import Any

from ... import ops
from ...checks import above, between
from ...core import Tensor
from .inputs import alike, within
from .reduction import reduced


def mse_loss(input: Tensor, target: Any, reduction: str = "mean") -> Tensor:
    """(input - target)^2; the shapes must be equal."""
    input, target = alike("mse_loss", input=input, target=target)
    d = input - target
    return reduced("mse_loss", d * d, reduction)


def l1_loss(input: Tensor, target: Any, reduction: str = "mean") -> Tensor:
    """|input - target|, with slope 0 where they are equal."""
    input, target = alike("l1_loss", input=input, target=target)
    return reduced("l1_loss", abs(input - target), reduction)


def huber_loss(input: Tensor, target: Any, reduction: str = "mean", delta: float = 1.0) -> Tensor:
    """d^2 / 2 where d = |input - target| is below delta, and the line delta (d - delta / 2) beyond (Huber 1964)."""
    above("huber_loss", 0, delta=delta)
    input, target = alike("huber_loss", input=input, target=target)
    return reduced("huber_loss", _huber(input - target, delta), reduction)


def smooth_l1_loss(input: Tensor, target: Any, reduction: str = "mean", beta: float = 1.0) -> Tensor:
    """huber_loss with delta = beta, divided by beta, so that its slope ends at 1; l1_loss where beta is 0."""
    between("smooth_l1_loss", 0, math.inf, beta=beta)
    input, target = alike("smooth_l1_loss", input=input, target=target)
    d = input - target
    return reduced("smooth_l1_loss", _huber(d, beta) / beta if beta else abs(d), reduction)


def _huber(d: Tensor, delta: float) -> Tensor:
    size = abs(d)
    return ops.where(size < delta, d * d * 0.5, (size - 0.5 * delta) * delta)


def poisson_nll_loss(
    input: Tensor,
    target: Any,
    log_input: bool = True,
    full: bool = False,
    eps: float = 1e-8,
    reduction: str = "mean",
) -> Tensor:
    """The negative log probability of the count `target`, if counts are Poisson with rate exp(input).

    Or with rate `input` itself, where `log_input` is False; eps keeps its logarithm finite at 0. The term that depends
    on the target alone, log(target!), is left out, or where `full` added by Stirling's formula, for targets above 1.
    """
    above("poisson_nll_loss", 0, eps=eps)
    input, target = alike("poisson_nll_loss", input=input, target=target)
    each = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        many = ops.where(target > 1, target, 1.0)
        stirling = many * many.log() - many + (many * (2 * math.pi)).log() * 0.5
        each = each + ops.where(target > 1, stirling, 0.0)
    return reduced("poisson_nll_loss", each, reduction)


def gaussian_nll_loss(
    input: Tensor, target: Any, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Tensor:
    """The negative log density of `target` under a normal of mean `input` and variance `var`, all of one shape.

    A variance below eps counts as eps, but gets the gradient, so that it can rise again. The constant log(2 pi) / 2 is
    left out unless `full`.
    """
    above("gaussian_nll_loss", 0, eps=eps)
    input, target, var = alike("gaussian_nll_loss", input=input, target=target, var=var)
    within("gaussian_nll_loss", "variances", var, 0)
    var, d = var + (var.clip(eps) - var).detach(), input - target
    each = (var.log() + d * d / var) * 0.5
    return reduced("gaussian_nll_loss", each + 0.5 * math.log(2 * math.pi) if full else each, reduction)
