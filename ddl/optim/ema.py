"""A second copy of the weights that follows slowly, and often judges better than the first."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from ..core import Tensor
from ..nn import Module


class EMA:
    """Exponential moving averages of parameters: each `update()` does average += (1 - decay) (p - average).

    Call it after each step. `with ema.applied():` lends the averages to the model; its own weights come back.
    """

    def __init__(self, params: Iterable[Tensor], decay: float = 0.999):
        if isinstance(params, Module):
            raise TypeError("EMA was given a module; pass its parameters, module.parameters()")
        if not 0 <= decay < 1:
            raise ValueError(f"EMA needs a decay from 0 up to, not including, 1, but {decay} was given")
        self.params, self.decay = list(params), decay
        self.averages = [p.data.copy() for p in self.params]

    def update(self) -> None:
        for average, p in zip(self.averages, self.params):
            average += (1 - self.decay) * (p.data - average)

    @contextmanager
    def applied(self) -> Iterator[None]:
        own = [p.data.copy() for p in self.params]
        self._put(self.averages)
        try:
            yield
        finally:
            self._put(own)

    def _put(self, values: list[Any]) -> None:
        for p, value in zip(self.params, values):
            p.detach().write(..., value)

    def state_dict(self) -> dict[str, Any]:
        """{"decay", "averages"}: arrays in the order of the parameters."""
        return {"decay": self.decay, "averages": [average.copy() for average in self.averages]}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        own, saved = [a.shape for a in self.averages], [a.shape for a in state["averages"]]
        if own != saved:
            raise ValueError(f"the averages are of shapes {saved}, but these parameters have {own}")
        self.decay = state["decay"]
        for average, value in zip(self.averages, state["averages"]):
            average[...] = value
