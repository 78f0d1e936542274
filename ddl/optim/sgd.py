"""Stochastic gradient descent, with momentum and weight decay."""

from collections.abc import Iterable
from typing import Any

from .optimizer import Optimizer


class SGD(Optimizer):
    """p -= lr v, where v = momentum v + (1 - dampening) (g + weight_decay p), as torch.optim.SGD.

    The first v is g itself. Nesterov's form steps along g + momentum v.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
    ):
        if nesterov and (not momentum or dampening):
            raise ValueError("Nesterov's look-ahead needs a momentum above 0 and no dampening")
        options = {"momentum": momentum, "dampening": dampening, "weight_decay": weight_decay, "nesterov": nesterov}
        super().__init__(params, lr=lr, **options)

    def update(self, p: Any, g: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        if group["weight_decay"]:
            g = g + group["weight_decay"] * p
        if group["momentum"]:
            if "v" in state:
                state["v"] *= group["momentum"]
                state["v"] += (1 - group["dampening"]) * g
            else:
                state["v"] = g.copy()
            g = g + group["momentum"] * state["v"] if group["nesterov"] else state["v"]
        p -= group["lr"] * g
