"""Datasets and the batches made of them."""

from .loader import DataLoader, Dataset, collate
from .windows import Windows

__all__ = ["DataLoader", "Dataset", "Windows", "collate"]
