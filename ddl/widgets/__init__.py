"""Widgets for notebooks, whose outputs are also pictures and words; they need the extra `course`."""

from .base import Widget
from .microscope import Microscope, watch
from .player import Player, play
from .sample import Sample, sample
from .tokens import Tokens, tokens

__all__ = ["Microscope", "Player", "Sample", "Tokens", "Widget", "play", "sample", "tokens", "watch"]
