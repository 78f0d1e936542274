"""Datasets: samples by number, held in memory or made from those of another dataset."""

import bisect
import itertools
import math
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import is_array
from ..core import Tensor
from ..random import stream
from .collate import collate, rearranged, taken


class Dataset:
    """The base of datasets: a subclass has `__len__` and `__getitem__(index)`.

    DataLoader takes whatever has these two, lists and arrays too; where there is a `batch(indices)` it asks for many
    samples at once.
    """

    def __len__(self) -> int:
        raise NotImplementedError(f"{type(self).__name__} has no __len__; define how many samples it holds")

    def __getitem__(self, index: int, /) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no __getitem__; define what sample a number stands for")

    def batch(self, indices: ArrayLike) -> Any:
        """The batch of the samples at `indices`; a subclass that can gather them at once overrides it."""
        return collate([self[i] for i in np.asarray(indices).tolist()])

    def __add__(self, other: Any) -> "ConcatDataset":
        return ConcatDataset([self, other])


def fetch(dataset: Any, indices: NDArray[np.int64]) -> Any:
    """The batch of a dataset's samples at `indices`, gathered at once where it knows how."""
    gather = getattr(dataset, "batch", None)
    return gather(indices) if gather else collate([dataset[i] for i in indices.tolist()])


def place(dataset: Any, index: Any) -> int:
    """The number of a sample counted from 0, where `index` may count from the end as -1; anything else is refused."""
    name, n = type(dataset).__name__, len(dataset)
    if isinstance(index, slice):
        raise TypeError(
            f"{name} gives one sample by its number, but a slice was given; write Subset(dataset, range(..))"
        )
    if isinstance(index, (bool, np.bool_)) or not hasattr(index, "__index__"):
        raise TypeError(f"{name} gives a sample by its number, but {type(index).__name__} was given")
    i = operator.index(index)
    if not -n <= i < n:
        raise IndexError(f"{name} was asked for sample {i}, but it holds {n}, numbered from 0")
    return i % n


def places(dataset: Any, indices: ArrayLike) -> NDArray[np.int64]:
    """Many numbers of samples counted from 0, as `place` does for one."""
    given, name, n = np.asarray(indices), type(dataset).__name__, len(dataset)
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
        raise TypeError(f"{name} takes a row of sample numbers, but {given.dtype} of shape {given.shape} was given")
    wrong = given[(given < -n) | (given >= n)]
    if wrong.size:
        raise IndexError(f"{name} was asked for sample {wrong[0]}, but there are {n}, numbered from 0")
    return given.astype(np.int64) % max(n, 1)


class TensorDataset(Dataset):
    """Samples held in memory: sample i is the tuple of the rows i of all `tensors`, which may be arrays or lists."""

    def __init__(self, *tensors: Any):
        self.tensors = tuple(t if isinstance(t, Tensor) or is_array(t) else np.asarray(t) for t in tensors)
        if not self.tensors or any(not t.ndim for t in self.tensors):
            raise ValueError("TensorDataset takes one tensor or more, each with the samples along its first axis")
        counts = [t.shape[0] for t in self.tensors]
        if len(set(counts)) > 1:
            raise ValueError(
                f"TensorDataset was given tensors of {counts} samples; each needs one row for every sample"
            )

    def __len__(self) -> int:
        return self.tensors[0].shape[0]

    def __getitem__(self, index: int, /) -> tuple[Any, ...]:
        i = place(self, index)
        return tuple(t[i] for t in self.tensors)

    def batch(self, indices: ArrayLike) -> tuple[Any, ...]:
        at = places(self, indices)
        return tuple(taken(t, at) for t in self.tensors)


class MappedDataset(Dataset):
    """`function` of every sample of `dataset`, computed each time a sample is asked for.

    With `batched` the function is right for whole batches too, and gets them, as `lambda s: (s[0] / 255, s[1])` is.
    """

    def __init__(self, dataset: Any, function: Callable[[Any], Any], batched: bool = False):
        if not callable(function):
            raise TypeError(f"MappedDataset takes a function of a sample, but {type(function).__name__} was given")
        self.dataset, self.function, self.batched = dataset, function, batched

    def __len__(self) -> int:
        return len(self.dataset)

    def __getitem__(self, index: int, /) -> Any:
        return self.function(self.dataset[place(self, index)])

    def batch(self, indices: ArrayLike) -> Any:
        return self.function(fetch(self.dataset, places(self, indices))) if self.batched else super().batch(indices)


class ConcatDataset(Dataset):
    """The samples of several datasets, one dataset after the other."""

    def __init__(self, datasets: Iterable[Any]):
        self.datasets = list(datasets)
        if not self.datasets:
            raise ValueError("ConcatDataset joins one dataset or more, but none was given")
        self.ends = list(itertools.accumulate(len(dataset) for dataset in self.datasets))

    def __len__(self) -> int:
        return self.ends[-1]

    def __getitem__(self, index: int, /) -> Any:
        i = place(self, index)
        which = bisect.bisect_right(self.ends, i)
        return self.datasets[which][i - self.ends[which] + len(self.datasets[which])]

    def batch(self, indices: ArrayLike) -> Any:
        at = places(self, indices)
        which = np.searchsorted(self.ends, at, side="right")
        order = np.argsort(which, kind="stable")  # all of the first dataset, then all of the second, ..
        starts = np.array(self.ends) - [len(dataset) for dataset in self.datasets]
        parts = [fetch(self.datasets[d], at[which == d] - starts[d]) for d in np.unique(which)]
        if len(parts) < 2:
            return parts[0] if parts else super().batch(at)
        return rearranged(parts, np.argsort(order))


class Subset(Dataset):
    """The samples of `dataset` at `indices`, in that order."""

    def __init__(self, dataset: Any, indices: Sequence[int] | ArrayLike):
        self.dataset, self.indices = dataset, places(dataset, indices)

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, index: int, /) -> Any:
        return self.dataset[int(self.indices[place(self, index)])]

    def batch(self, indices: ArrayLike) -> Any:
        return fetch(self.dataset, self.indices[places(self, indices)])


def random_split(dataset: Any, lengths: Sequence[float], seed: int | None = None) -> list[Subset]:
    """Subsets of these lengths that share no sample and leave none out, drawn with `seed`, or the "data" stream.

    Lengths are numbers of samples, or fractions whose sum is 1; what fractions leave over goes to the first subsets.
    """
    if not isinstance(lengths, Iterable):
        raise TypeError(f"random_split takes a list of lengths, but {lengths!r} was given; write one for each subset")
    n, total = len(dataset), sum(lengths)
    if any(not length >= 0 for length in lengths):
        raise ValueError(f"random_split takes lengths of 0 or more, but {list(lengths)} were given")
    if total == n and all(length == int(length) for length in lengths):
        sizes = [int(length) for length in lengths]
    elif math.isclose(total, 1):
        sizes = [math.floor(n * length) for length in lengths]
        for i in range(n - sum(sizes)):
            sizes[i % len(sizes)] += 1
    else:
        raise ValueError(
            f"random_split was asked for {list(lengths)} of {n} samples; give whole numbers whose sum is {n}, "
            "or fractions whose sum is 1"
        )
    order = (stream("data") if seed is None else np.random.default_rng(seed)).permutation(n)
    ends = list(itertools.accumulate(sizes))
    return [Subset(dataset, order[end - size : end]) for size, end in zip(sizes, ends)]
