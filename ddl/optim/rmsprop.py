"""Steps divided by the recent size of the gradient (Tieleman and Hinton 2012)."""

from collections.abc import Iterable
from typing import Any

from ..arrays import module_of
from ..checks import between
from .optimizer import Optimizer


class RMSprop(Optimizer):
    """p -= lr g / (sqrt(v) + eps), where v is the running mean of g^2, as torch.optim.RMSprop.

    `centered` takes the running mean of g, squared, off v; with `momentum` the quotients add up as SGD's gradients do.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 0.01,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum: float = 0.0,
        centered: bool = False,
    ):
        between("RMSprop", 0, 1, alpha=alpha)
        options = {"alpha": alpha, "eps": eps, "weight_decay": weight_decay, "momentum": momentum, "centered": centered}
        super().__init__(params, lr=lr, **options)

    def update(self, p: Any, g: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        xp, alpha = module_of(p), group["alpha"]
        if group["weight_decay"]:
            g = g + group["weight_decay"] * p
        if not state:
            kept = ("v", *["mean"] * group["centered"], *["move"] * (group["momentum"] > 0))
            state.update({name: xp.zeros_like(p) for name in kept})
        state["v"] += (1 - alpha) * (g * g - state["v"])
        spread = state["v"]
        if group["centered"]:
            state["mean"] += (1 - alpha) * (g - state["mean"])
            spread = spread - state["mean"] * state["mean"]
        move = g / (xp.sqrt(spread) + group["eps"])
        if group["momentum"]:
            state["move"] *= group["momentum"]
            state["move"] += move
            move = state["move"]
        p -= group["lr"] * move
