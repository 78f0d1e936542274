"""Mixed precision: matrices are multiplied in few bits, which is fast, and all else stays float32.

Parameters are float32 and stay so, the "master weights": of a step of a thousandth of a weight, bfloat16 with its 8
bits would lose everything. What is rounded is the copy that a product reads; it adds up in float32 (Micikevicius et al.
2018, "Mixed precision training").
"""

from collections.abc import Iterable
from types import TracebackType
from typing import Any

from .. import matrices
from ..arrays import module_of
from ..checks import above, whole
from ..core import Tensor, no_grad
from ..optim import Optimizer, clip_grad_norm_
from ..optim.optimizer import check_optimizer


class mixed_precision:
    """Inside `with ddl.mixed_precision("bfloat16"):` matrices of float32 are multiplied in that form.

    "tf32" keeps float32's range and 11 of its 24 bits, "bfloat16" its range and 8, "float16" 11 and little of its
    range: below 6e-8 a number is 0, above 65504 infinite, so that it needs a `LossScaler`. None is float32. On the CPU
    factors are rounded as a GPU would, so that results can be compared, which is slower; a GPU without a form refuses
    in a sentence at its first product. All of the process is meant, its other threads too; a backward belongs inside,
    or its products are in float32.
    """

    def __init__(self, form: str | None = "bfloat16"):
        if form is not None and form not in matrices.KEPT:
            known = ", ".join(map(repr, matrices.KEPT))
            raise ValueError(f"mixed_precision takes {known} or None, but {form!r} was given")
        self.form = form
        self._open: list[Any] = []

    def __enter__(self) -> "mixed_precision":
        context = matrices.rounding(self.form)
        context.__enter__()
        self._open.append(context)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.pop().__exit__(kind, error, trace)


class LossScaler:
    """Multiplies the loss before backward and divides the gradients after, so that small ones survive float16.

    `scaler.backward_step(optimizer, loss)` stands for `optimizer.backward_step(loss)`. Where a gradient is not finite,
    nothing moves and the scale is halved; after `patience` steps that went well it is doubled. `scale` is the scale
    now, `skipped` counts the steps that moved nothing.
    """

    def __init__(self, scale: float = 2.0**16, patience: int = 2000):
        above("LossScaler", 0, scale=scale)
        whole("LossScaler", 1, patience=patience)
        self.scale, self.patience = float(scale), patience
        self.well = self.skipped = 0

    def backward_step(self, optimizer: Optimizer, loss: Tensor, max_norm: float | None = None) -> bool:
        """One training step from a loss: old gradients dropped, backward, clipping, step; whether anything moved."""
        check_optimizer("LossScaler", optimizer)
        optimizer.zero_grad()
        (loss * self.scale).backward(retain_graph=False)
        grads = [p.grad for p in optimizer.parameters() if p.grad is not None]
        if not _finite(grads):
            self.scale, self.well, self.skipped = self.scale / 2, 0, self.skipped + 1
            return False
        with no_grad():
            for g in grads:
                g *= 1 / self.scale
        if max_norm is not None:
            clip_grad_norm_(optimizer.parameters(), max_norm)
        optimizer.step()
        self.well += 1
        if self.well == self.patience:
            self.scale, self.well = self.scale * 2, 0
        return True

    def state_dict(self) -> dict[str, Any]:
        return {"scale": self.scale, "well": self.well, "skipped": self.skipped}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.scale, self.well, self.skipped = state["scale"], state["well"], state["skipped"]


def _finite(grads: Iterable[Tensor]) -> bool:
    """Whether all numbers are finite; a GPU is asked once."""
    found: Any = True
    for g in grads:
        found = module_of(g.data).isfinite(g.data).all() & found
    return bool(found)
