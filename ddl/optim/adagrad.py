"""Steps divided by the size of all gradients so far (Duchi, Hazan and Singer 2011)."""

from collections.abc import Iterable
from typing import Any

from ..arrays import module_of
from .optimizer import Optimizer


class Adagrad(Optimizer):
    """p -= lr / (1 + (t - 1) lr_decay) g / (sqrt(s) + eps), where s is the sum of g^2, as torch.optim.Adagrad."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 0.01,
        lr_decay: float = 0.0,
        weight_decay: float = 0.0,
        initial_accumulator_value: float = 0.0,
        eps: float = 1e-10,
    ):
        options = {"lr_decay": lr_decay, "weight_decay": weight_decay, "eps": eps}
        super().__init__(params, lr=lr, initial_accumulator_value=initial_accumulator_value, **options)

    def update(self, p: Any, g: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        xp = module_of(p)
        if group["weight_decay"]:
            g = g + group["weight_decay"] * p
        if not state:
            state.update(step=0, sum=xp.full_like(p, group["initial_accumulator_value"]))
        state["sum"] += g * g
        rate = group["lr"] / (1 + state["step"] * group["lr_decay"])
        state["step"] += 1
        p -= rate * g / (xp.sqrt(state["sum"]) + group["eps"])
