"""Widgets for notebooks, whose outputs are also pictures and words; they need the extra `course`."""

from .attend import Attend, attend
from .base import Widget
from .lens import Lens, lens
from .microscope import Microscope, watch
from .player import Player, play
from .sample import Sample, sample
from .tokens import Tokens, tokens

__all__ = [
    "Attend",
    "Lens",
    "Microscope",
    "Player",
    "Sample",
    "Tokens",
    "Widget",
    "attend",
    "lens",
    "play",
    "sample",
    "tokens",
    "watch",
]
