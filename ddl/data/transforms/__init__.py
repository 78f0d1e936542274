"""Transforms of samples: functions of one sample, and of a random generator where chance is in them."""

from .compose import Compose, RandomTransform
from .images import Normalize, RandomCrop, RandomHorizontalFlip, RandomRotation, RandomShift, ToFloat
from .texts import Encode, Lower, Pad, Strip, Truncate

__all__ = [
    "Compose",
    "Encode",
    "Lower",
    "Normalize",
    "Pad",
    "RandomCrop",
    "RandomHorizontalFlip",
    "RandomRotation",
    "RandomShift",
    "RandomTransform",
    "Strip",
    "ToFloat",
    "Truncate",
]
