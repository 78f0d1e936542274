"""Computations as plain data: drawn and put into words."""

from .picture import describe, draw

__all__ = ["describe", "draw"]
