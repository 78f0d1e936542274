"""Layers that drop at random while training."""

from typing import Any

from . import functional as F
from .module import Module


class Dropout(Module):
    """While training, zeros with probability p and the rest times 1 / (1 - p); in evaluation nothing."""

    def __init__(self, p: float = 0.5):
        if not 0 <= p <= 1:
            raise ValueError(f"{type(self).__name__} needs a probability between 0 and 1, but {p!r} was given")
        self.p = p

    def forward(self, x: Any) -> Any:
        return F.dropout(x, self.p, self.training)

    def extra_repr(self) -> str:
        return f"p={self.p}"


class Dropout2d(Dropout):
    """Dropout of whole channels of (N, C, H, W): a channel's neighbouring places say nearly the same."""

    def forward(self, x: Any) -> Any:
        return F.dropout2d(x, self.p, self.training)
