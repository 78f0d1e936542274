"""Whole networks, written in layers."""

from .cnn import CNN
from .gpt2 import GPT2, GPT2Config
from .mlp import MLP
from .pretrained import SMALL
from .sampling import distribution

__all__ = ["CNN", "GPT2", "MLP", "SMALL", "GPT2Config", "distribution"]
