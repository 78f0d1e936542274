"""Layers that drop at random while training."""

from typing import Any

from ..checks import between
from . import functional as F
from .module import Module


class Dropout(Module):
    """While training, zeros with probability p and the rest times 1 / (1 - p); in evaluation nothing."""

    def __init__(self, p: float = 0.5):
        between(type(self).__name__, 0, 1, p=p)
        self.p = p

    def forward(self, x: Any) -> Any:
        return F.dropout(x, self.p, self.training)

    def extra_repr(self) -> str:
        return f"p={self.p}"


class Dropout2d(Dropout):
    """Dropout of whole channels of (N, C, H, W): a channel's neighbouring places say nearly the same."""

    def forward(self, x: Any) -> Any:
        return F.dropout2d(x, self.p, self.training)
