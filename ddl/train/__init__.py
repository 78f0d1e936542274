"""The training loop: batches in, losses out, and a run that can be stopped and taken up again to the last bit."""

from .evaluation import evaluate, next_token_loss
from .faults import NonFiniteLoss, first_to_break
from .layers import LayerWatch
from .record import Record
from .stopping import EarlyStopping
from .trainer import Trainer

__all__ = [
    "EarlyStopping",
    "LayerWatch",
    "NonFiniteLoss",
    "Record",
    "Trainer",
    "evaluate",
    "first_to_break",
    "next_token_loss",
]
