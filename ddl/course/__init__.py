"""The learner's side of the course."""

from .show import show

__all__ = ["show"]
