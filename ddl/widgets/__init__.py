"""Widgets for notebooks, whose outputs are also pictures and words; they need the extra `course`."""

from .base import Widget
from .player import Player, play

__all__ = ["Player", "Widget", "play"]
