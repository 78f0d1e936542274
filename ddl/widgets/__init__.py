"""Widgets for notebooks, whose outputs are also pictures and words; they need the extra `course`."""

from .base import Widget

__all__ = ["Widget"]
