"""Transforms of samples: functions of one sample, and of a random generator where chance is in them."""

from .compose import Compose, RandomTransform, applied, transformed

__all__ = ["Compose", "RandomTransform"]
