"""Steps for matrices, in which every direction counts alike: an orthogonalised momentum (Jordan et al. 2024)."""

import math
from collections.abc import Iterable
from typing import Any

from ..arrays import module_of
from .optimizer import Optimizer

COEFFICIENTS = (3.4445, -4.7750, 2.0315)


def orthogonalised(g: Any, steps: int = 5, eps: float = 1e-7) -> Any:
    """A matrix with g's singular vectors and singular values near 1, without a decomposition.

    Newton and Schulz's iteration x <- a x + (b y + c y^2) x with y = x x^T applies a s + b s^3 + c s^5 to each singular
    value s; with these coefficients five rounds bring every s from 0.01 up to 1 into about 0.7 to 1.2.
    """
    a, b, c = COEFFICIENTS
    x = g.T if g.shape[0] > g.shape[1] else g  # y is the smaller of the two products
    x = x / (module_of(g).sqrt((x * x).sum()) + eps)
    for _ in range(steps):
        y = x @ x.T
        x = a * x + (b * y + c * (y @ y)) @ x
    return x.T if g.shape[0] > g.shape[1] else x


class Muon(Optimizer):
    """p *= 1 - lr weight_decay, then p -= lr sqrt(max(1, rows / columns)) orthogonalised(momentum of g).

    For the matrices inside a network; give embeddings, heads and vectors to AdamW. As torch.optim.Muon, which computes
    the iteration in bfloat16, where this one keeps the parameter's precision.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        eps: float = 1e-7,
        ns_steps: int = 5,
    ):
        options = {"weight_decay": weight_decay, "momentum": momentum, "nesterov": nesterov, "eps": eps}
        super().__init__(params, lr=lr, ns_steps=ns_steps, **options)
        for p in self.parameters():
            if p.ndim != 2:
                raise ValueError(
                    f"Muon moves matrices, but a parameter of shape {p.shape} was given; leave it to AdamW"
                )

    def update(self, p: Any, g: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        if not state:
            state["m"] = module_of(p).zeros_like(p)
        m, momentum = state["m"], group["momentum"]
        m += (1 - momentum) * (g - m)
        move = g + momentum * (m - g) if group["nesterov"] else m
        rows, columns = p.shape
        p *= 1 - group["lr"] * group["weight_decay"]
        p -= group["lr"] * math.sqrt(max(1, rows / columns)) * orthogonalised(move, group["ns_steps"], group["eps"])
