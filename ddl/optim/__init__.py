"""Optimizers, learning-rate schedules and clipping."""

from .adamw import AdamW
from .clip import clip_grad_norm_, clip_grad_value_
from .optimizer import Optimizer
from .schedules import LambdaLR, warmup_cosine
from .sgd import SGD

__all__ = ["SGD", "AdamW", "LambdaLR", "Optimizer", "clip_grad_norm_", "clip_grad_value_", "warmup_cosine"]
