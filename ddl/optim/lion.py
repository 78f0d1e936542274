"""Steps of one size in every direction: the sign of a momentum (Chen et al. 2023)."""

from collections.abc import Iterable
from typing import Any

from ..arrays import module_of
from .optimizer import Optimizer


class Lion(Optimizer):
    """p -= lr (sign(b1 m + (1 - b1) g) + weight_decay p), then m = b2 m + (1 - b2) g: the paper's algorithm 2.

    Every entry moves by lr, so it wants a rate some 3 to 10 times smaller than Adam's, and as much more decay.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-4,
        betas: tuple[float, float] = (0.9, 0.99),
        weight_decay: float = 0.0,
    ):
        super().__init__(params, lr=lr, betas=betas, weight_decay=weight_decay)

    def update(self, p: Any, g: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        xp, (b1, b2) = module_of(p), group["betas"]
        if not state:
            state["m"] = xp.zeros_like(p)
        direction = xp.sign(b1 * state["m"] + (1 - b1) * g)
        p -= group["lr"] * (direction + group["weight_decay"] * p)
        state["m"] *= b2
        state["m"] += (1 - b2) * g
