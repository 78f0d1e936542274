"""The learner's side of the course."""

from .check import check
from .help import hint, progress, reset
from .show import show
from .wearing import wearing

__all__ = ["check", "hint", "progress", "reset", "show", "wearing"]
