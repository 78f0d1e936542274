"""Optimizers, learning-rate schedules, averages of weights, and clipping."""

from .adagrad import Adagrad
from .adam import Adam, AdamW
from .clip import clip_grad_norm_, clip_grad_value_
from .ema import EMA
from .lion import Lion
from .muon import Muon
from .optimizer import Optimizer
from .plateau import ReduceLROnPlateau
from .rmsprop import RMSprop
from .schedules import (
    ConstantLR,
    CosineAnnealingLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    LRScheduler,
    MultiStepLR,
    OneCycleLR,
    StepLR,
    warmup_cosine,
)
from .sgd import SGD
