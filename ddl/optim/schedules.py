"""How the learning rate moves over the steps: each schedule is a formula of the step, so that any step can be asked.

Call `step()` after each optimizer step. Past its end a schedule stays where it ended.
"""

import bisect
import math
from collections.abc import Callable, Sequence
from typing import Any

from ..checks import above, at_least, between, one_or_several, positive, whole
from .optimizer import Optimizer, check_optimizer


def cosine(start: float, end: float, done: float) -> float:
    """Half a cosine from `start` (done = 0) to `end` (done = 1)."""
    return end + (start - end) * 0.5 * (1 + math.cos(math.pi * min(1.0, done)))


def warmup_cosine(warmup: int, total: int, final: float = 0.1) -> Callable[[int], float]:
    """A factor for each step: 1 / warmup rising to 1 over the first `warmup` steps, then half a cosine down to `final`.

    Step 0 already moves; from step `total` on the factor stays at `final`.
    """
    whole("warmup_cosine", warmup=warmup, total=total)
    at_least("warmup_cosine", 0, final=final)
    if not 0 <= warmup < total:
        raise ValueError(
            f"warmup_cosine needs a warm-up shorter than the run, but warmup={warmup} and total={total} were given"
        )

    def factor(step: int) -> float:
        if step < warmup:
            return (step + 1) / warmup
        return cosine(1.0, final, (step - warmup) / max(1, total - 1 - warmup))

    return factor


class LRScheduler:
    """The base of schedules: a subclass says in `rate` what a group whose first rate is `base` has at a step."""

    def __init__(self, optimizer: Optimizer):
        check_optimizer(type(self).__name__, optimizer)
        self.optimizer = optimizer
        self.base_lrs = [group["lr"] for group in optimizer.param_groups]
        self.last_epoch = -1
        self.step()

    def rate(self, base: float, step: int) -> float:
        raise NotImplementedError(f"{type(self).__name__} has no rate; define the learning rate of a step")

    def step(self) -> None:
        self.last_epoch += 1
        self._set()

    def _set(self) -> None:
        for group, base in zip(self.optimizer.param_groups, self.base_lrs):
            group["lr"] = self.rate(base, self.last_epoch)

    def get_last_lr(self) -> list[float]:
        return [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        return {"last_epoch": self.last_epoch, "base_lrs": self.base_lrs}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.last_epoch, self.base_lrs = state["last_epoch"], list(state["base_lrs"])
        self._set()


class LambdaLR(LRScheduler):
    """The first rate times `lr_lambda(step)`."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Callable[[int], float]):
        if not callable(lr_lambda):
            raise TypeError(f"LambdaLR takes a function of the step, but {type(lr_lambda).__name__} was given")
        self.lr_lambda = lr_lambda
        super().__init__(optimizer)

    def rate(self, base: float, step: int) -> float:
        return base * self.lr_lambda(step)


class ConstantLR(LRScheduler):
    """The first rate times `factor` for `total_iters` steps, then the first rate."""

    def __init__(self, optimizer: Optimizer, factor: float = 1 / 3, total_iters: int = 5):
        between("ConstantLR", 0, 1, factor=factor)
        whole("ConstantLR", 0, total_iters=total_iters)
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer)

    def rate(self, base: float, step: int) -> float:
        return base * (self.factor if step < self.total_iters else 1.0)


class LinearLR(LRScheduler):
    """From `start_factor` to `end_factor` times the first rate, along a line over `total_iters` steps: a warm-up."""

    def __init__(
        self, optimizer: Optimizer, start_factor: float = 1 / 3, end_factor: float = 1.0, total_iters: int = 5
    ):
        positive("LinearLR", total_iters=total_iters)
        between("LinearLR", 0, 1, start_factor=start_factor, end_factor=end_factor)
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer)

    def rate(self, base: float, step: int) -> float:
        done = min(step, self.total_iters) / self.total_iters
        return base * (self.start_factor + (self.end_factor - self.start_factor) * done)


class StepLR(LRScheduler):
    """Times gamma after every `step_size` steps."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1):
        positive("StepLR", step_size=step_size)
        at_least("StepLR", 0, gamma=gamma)
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer)

    def rate(self, base: float, step: int) -> float:
        return base * self.gamma ** (step // self.step_size)


class MultiStepLR(LRScheduler):
    """Times gamma at each of the steps in `milestones`."""

    def __init__(self, optimizer: Optimizer, milestones: Sequence[int], gamma: float = 0.1):
        at_least("MultiStepLR", 0, gamma=gamma)
        self.milestones, self.gamma = sorted(one_or_several("MultiStepLR", 0, milestones=milestones)), gamma
        super().__init__(optimizer)

    def rate(self, base: float, step: int) -> float:
        return base * self.gamma ** bisect.bisect_right(self.milestones, step)


class ExponentialLR(LRScheduler):
    """Times gamma at every step."""

    def __init__(self, optimizer: Optimizer, gamma: float):
        at_least("ExponentialLR", 0, gamma=gamma)
        self.gamma = gamma
        super().__init__(optimizer)

    def rate(self, base: float, step: int) -> float:
        return base * self.gamma**step


class CosineAnnealingLR(LRScheduler):
    """Half a cosine from the first rate to `eta_min` over `T_max` steps (Loshchilov and Hutter 2017)."""

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0):
        positive("CosineAnnealingLR", T_max=T_max)
        at_least("CosineAnnealingLR", 0, eta_min=eta_min)
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer)

    def rate(self, base: float, step: int) -> float:
        return cosine(base, self.eta_min, step / self.T_max)


class OneCycleLR(LRScheduler):
    """Up from max_lr / div_factor to max_lr, then down to a tiny rate, in `total_steps` (Smith and Topin 2019).

    The rise takes `pct_start` of the steps; the end is max_lr / div_factor / final_div_factor. Both parts are half
    cosines. The optimizer's own rate is not used, and its momentum is left as it is.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float,
        total_steps: int,
        pct_start: float = 0.3,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
    ):
        positive("OneCycleLR", total_steps=total_steps)
        at_least("OneCycleLR", 0, max_lr=max_lr, pct_start=pct_start)
        above("OneCycleLR", 0, div_factor=div_factor, final_div_factor=final_div_factor)
        if not 0 < pct_start < 1:
            raise ValueError(f"OneCycleLR needs pct_start between 0 and 1, but {pct_start} was given")
        self.max_lr, self.total_steps, self.pct_start = max_lr, total_steps, pct_start
        self.initial = max_lr / div_factor
        self.final = self.initial / final_div_factor
        super().__init__(optimizer)

    def rate(self, base: float, step: int) -> float:
        peak, last = self.pct_start * self.total_steps - 1, self.total_steps - 1
        if step < peak:
            return cosine(self.initial, self.max_lr, step / peak)
        return cosine(self.max_lr, self.final, (step - peak) / (last - peak))
