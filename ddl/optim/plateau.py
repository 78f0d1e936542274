"""A learning rate that falls when a measure stops getting better."""

import math
from typing import Any

from ..checks import at_least, whole
from .optimizer import Optimizer, check_optimizer


class ReduceLROnPlateau:
    """Times `factor` once the measure given to `step` has not improved for more than `patience` calls.

    "min" wants it smaller, "max" larger. It improves when it beats the best so far by the share `threshold` ("rel") or
    by the amount ("abs"). After a cut `cooldown` calls are not counted, and no rate falls below `min_lr`.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float = 0.0,
        eps: float = 1e-8,
    ):
        for name, given, known in (("mode", mode, ("min", "max")), ("threshold_mode", threshold_mode, ("rel", "abs"))):
            if given not in known:
                raise ValueError(f"ReduceLROnPlateau has {name} {known[0]!r} or {known[1]!r}, but {given!r} was given")
        check_optimizer("ReduceLROnPlateau", optimizer)
        whole("ReduceLROnPlateau", 0, patience=patience, cooldown=cooldown)
        at_least("ReduceLROnPlateau", 0, factor=factor, threshold=threshold, min_lr=min_lr, eps=eps)
        if not factor < 1:
            raise ValueError(f"ReduceLROnPlateau needs a factor from 0 up to, not including, 1, but {factor} was given")
        self.optimizer, self.mode, self.factor, self.patience = optimizer, mode, factor, patience
        self.threshold, self.threshold_mode, self.cooldown = threshold, threshold_mode, cooldown
        self.min_lr, self.eps = min_lr, eps
        self.best = math.inf if mode == "min" else -math.inf
        self.num_bad_epochs = self.cooldown_counter = 0

    def step(self, metrics: Any) -> None:
        value = float(metrics)
        if self._better(value):
            self.best, self.num_bad_epochs = value, 0
        else:
            self.num_bad_epochs += 1
        if self.cooldown_counter:
            self.cooldown_counter, self.num_bad_epochs = self.cooldown_counter - 1, 0
        if self.num_bad_epochs > self.patience:
            for group in self.optimizer.param_groups:
                lower = max(group["lr"] * self.factor, self.min_lr)
                if group["lr"] - lower > self.eps:
                    group["lr"] = lower
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0

    def _better(self, value: float) -> bool:
        """As PyTorch has it: of measures below 0 a share puts the bar on the other side of the best."""
        sign = 1 if self.mode == "min" else -1
        margin = sign * self.threshold
        bar = self.best * (1.0 - margin) if self.threshold_mode == "rel" else self.best - margin
        return sign * value < sign * bar

    def get_last_lr(self) -> list[float]:
        return [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("best", "num_bad_epochs", "cooldown_counter")}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        for name in ("best", "num_bad_epochs", "cooldown_counter"):
            setattr(self, name, state[name])
