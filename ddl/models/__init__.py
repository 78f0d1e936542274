"""Whole networks, written in layers."""

from .gpt2 import GPT2, GPT2Config
from .pretrained import SMALL
from .sampling import distribution

__all__ = ["GPT2", "SMALL", "GPT2Config", "distribution"]
