"""How good predictions are: plain numbers from arrays or tensors, on the device where these are."""

from .averages import EMA, Mean
from .classification import accuracy, confusion_matrix, f1, perplexity, precision, recall, top_k_accuracy
from .regression import mean_absolute_error, mean_squared_error, r2_score, root_mean_squared_error

__all__ = [
    "EMA",
    "Mean",
    "accuracy",
    "confusion_matrix",
    "f1",
    "mean_absolute_error",
    "mean_squared_error",
    "perplexity",
    "precision",
    "r2_score",
    "recall",
    "root_mean_squared_error",
    "top_k_accuracy",
]
