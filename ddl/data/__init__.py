"""Datasets and the batches made of them."""

from . import transforms
from .collate import collate, pad_sequence
from .datasets import ConcatDataset, Dataset, MappedDataset, Subset, TensorDataset, random_split
from .loader import DataLoader
from .samplers import BatchSampler, RandomSampler, Sampler, SequentialSampler, WeightedRandomSampler
from .windows import Windows

__all__ = [
    "BatchSampler",
    "ConcatDataset",
    "DataLoader",
    "Dataset",
    "MappedDataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "Subset",
    "TensorDataset",
    "WeightedRandomSampler",
    "Windows",
    "collate",
    "pad_sequence",
    "random_split",
    "transforms",
]
