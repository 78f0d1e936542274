"""How the learning rate moves over the steps."""

import math
from collections.abc import Callable
from typing import Any

from .optimizer import Optimizer


def warmup_cosine(warmup: int, total: int, final: float = 0.1) -> Callable[[int], float]:
    """A factor for each step: 1 / warmup rising to 1 over the first `warmup` steps, then half a cosine down to `final`.

    Step 0 already moves; from step `total` on the factor stays at `final`.
    """
    if not 0 <= warmup < total:
        raise ValueError(
            f"warmup_cosine needs a warm-up shorter than the run, but warmup={warmup} and total={total} were given"
        )

    def factor(step: int) -> float:
        if step < warmup:
            return (step + 1) / warmup
        done = min(1.0, (step - warmup) / max(1, total - 1 - warmup))
        return final + (1 - final) * 0.5 * (1 + math.cos(math.pi * done))

    return factor


class LambdaLR:
    """Every group's learning rate is its first one times `lr_lambda(step)`; call `step()` after each optimizer step."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Callable[[int], float]):
        self.optimizer, self.lr_lambda = optimizer, lr_lambda
        self.base_lrs = [group["lr"] for group in optimizer.param_groups]
        self.last_epoch = -1
        self.step()

    def step(self) -> None:
        self.last_epoch += 1
        self._set()

    def _set(self) -> None:
        for group, base in zip(self.optimizer.param_groups, self.base_lrs):
            group["lr"] = base * self.lr_lambda(self.last_epoch)

    def get_last_lr(self) -> list[float]:
        return [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        return {"last_epoch": self.last_epoch, "base_lrs": self.base_lrs}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.last_epoch, self.base_lrs = state["last_epoch"], list(state["base_lrs"])
        self._set()
