"""Adam (Kingma and Ba 2015), and AdamW, which takes the weight decay out of the gradient (Loshchilov, Hutter 2019)."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..arrays import module_of
from ..fused.kernels.blocks import blocks
from ..fused.kernels.gpu.adam import adam_at_once
from .optimizer import Optimizer


def adam(
    p: Any, g: Any, m: Any, v: Any, *, step: float, decay: float, beta1: float, beta2: float, root: float, eps: float
) -> None:
    """One update in place. m and v are running means of g and g^2; `step` and `root` carry their bias corrections."""
    p *= 1 - decay
    m += (1 - beta1) * (g - m)
    v += (1 - beta2) * (g * g - v)
    p -= step * m / (v**0.5 * root + eps)


def adam_in_blocks(
    p: Any, g: Any, m: Any, v: Any, *, step: float, decay: float, beta1: float, beta2: float, root: float, eps: float
) -> None:
    """The same on numpy, block by block in cache, without allocating."""
    if not all(x.flags.c_contiguous for x in (p, m, v)):  # flat copies would take the update
        adam(p, g, m, v, step=step, decay=decay, beta1=beta1, beta2=beta2, root=root, eps=eps)
        return
    p, g, m, v = (x.reshape(-1) for x in (p, g, m, v))
    scratch = np.empty(min(SIZE, p.size), p.dtype)
    for block in blocks(p.size, SIZE):
        pb, gb, mb, vb, u = p[block], g[block], m[block], v[block], scratch[: min(SIZE, p.size - block.start)]
        if decay:
            pb *= 1 - decay
        np.subtract(gb, mb, out=u)
        u *= 1 - beta1
        mb += u
        np.multiply(gb, gb, out=u)
        u -= vb
        u *= 1 - beta2
        vb += u
        np.sqrt(vb, out=u)
        u *= root
        u += eps
        np.divide(mb, u, out=u)
        u *= step
        pb -= u


SIZE = 16384
STAND_INS = {"numpy": adam_in_blocks, "cupy": adam_at_once}


class Adam(Optimizer):
    """p -= lr (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + eps), with weight_decay p added to g, as torch.optim.Adam."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
    ):
        super().__init__(params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)

    def update(self, p: Any, g: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        if group["weight_decay"]:
            g = g + group["weight_decay"] * p
        self.move(p, g, state, group, decay=0.0)

    def move(self, p: Any, g: Any, state: dict[str, Any], group: dict[str, Any], decay: float) -> None:
        """Shrink p by `decay`, then step along m / sqrt(v)."""
        xp = module_of(p)
        if not state:
            state.update(step=0, m=xp.zeros_like(p), v=xp.zeros_like(p))
        state["step"] += 1
        (b1, b2), t = group["betas"], state["step"]
        STAND_INS.get(xp.__name__, adam)(
            p, g, state["m"], state["v"], step=group["lr"] / (1 - b1**t), root=(1 - b2**t) ** -0.5,
            decay=decay, beta1=b1, beta2=b2, eps=group["eps"],
        )  # fmt: skip


class AdamW(Adam):
    """Adam, with p *= 1 - lr weight_decay in place of a decay in the gradient, as torch.optim.AdamW."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.01,
    ):
        super().__init__(params, lr, betas, eps, weight_decay)

    def update(self, p: Any, g: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        self.move(p, g, state, group, decay=group["lr"] * group["weight_decay"])
