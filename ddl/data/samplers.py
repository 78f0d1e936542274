"""Samplers: which samples an epoch gives, in which order, as a function of one random generator."""

import zlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import is_whole, positive
from ..random import stream

Rng = np.random.Generator


class Sampler:
    """The base of samplers: a subclass has `__len__` and `order(rng)`, the numbers of an epoch's samples.

    All chance comes from `rng`, which DataLoader makes of its seed and the epoch. Walked by itself, as in
    `list(sampler)`, a sampler draws from the "data" stream. Its repr says all that decides what it draws.
    """

    def __len__(self) -> int:
        raise NotImplementedError(f"{type(self).__name__} has no __len__; define how many samples an epoch has")

    def order(self, rng: Rng) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no order; define the numbers of an epoch's samples")

    def __iter__(self) -> Iterator[Any]:
        return iter(self.order(stream("data")).tolist())


class SequentialSampler(Sampler):
    """Every sample, in order."""

    def __init__(self, data_source: Any):
        self.data_source = data_source

    def __len__(self) -> int:
        return len(self.data_source)

    def order(self, rng: Rng) -> NDArray[np.int64]:
        return np.arange(len(self.data_source))

    def __repr__(self) -> str:
        return f"SequentialSampler({len(self)})"


class RandomSampler(Sampler):
    """A new permutation each epoch, or with `replacement` each sample drawn anew from all.

    `num_samples` is an epoch's length, by default the dataset's; past that the permutations follow each other.
    """

    def __init__(self, data_source: Any, replacement: bool = False, num_samples: int | None = None):
        if num_samples is not None:
            positive("RandomSampler", num_samples=num_samples)
            if not len(data_source):
                raise ValueError(f"RandomSampler was asked for {num_samples} samples, but there are none to draw from")
        self.data_source, self.replacement, self.num_samples = data_source, replacement, num_samples

    def __len__(self) -> int:
        return len(self.data_source) if self.num_samples is None else self.num_samples

    def order(self, rng: Rng) -> NDArray[np.int64]:
        n, wanted = len(self.data_source), len(self)
        if not n:
            return np.arange(0)
        if self.replacement:
            return rng.integers(n, size=wanted)
        return np.concatenate([rng.permutation(n) for _ in range(0, wanted, n)])[:wanted]

    def __repr__(self) -> str:
        return f"RandomSampler({len(self.data_source)}, replacement={self.replacement}, num_samples={len(self)})"


class WeightedRandomSampler(Sampler):
    """`num_samples` numbers an epoch, sample i as often as weights[i] says among the sum of all weights."""

    def __init__(self, weights: ArrayLike, num_samples: int, replacement: bool = True):
        self.weights = np.asarray(weights, np.float64)
        positive("WeightedRandomSampler", num_samples=num_samples)
        if self.weights.ndim != 1 or not np.isfinite(self.weights).all() or not (self.weights >= 0).all():
            raise ValueError("WeightedRandomSampler takes a row of finite weights of 0 or more, one for each sample")
        drawable = int((self.weights > 0).sum())
        if drawable < (1 if replacement else num_samples):
            raise ValueError(
                f"WeightedRandomSampler was asked for {num_samples} samples, but {drawable} have a weight above 0; "
                "ask for fewer, or draw with replacement from one or more"
            )
        self.num_samples, self.replacement = num_samples, replacement

    def __len__(self) -> int:
        return self.num_samples

    def order(self, rng: Rng) -> NDArray[np.int64]:
        shares = self.weights / self.weights.sum()
        return rng.choice(len(shares), self.num_samples, self.replacement, shares)

    def __repr__(self) -> str:
        said = f"{len(self.weights)} weights of checksum {zlib.crc32(self.weights.tobytes()):x}"
        return f"WeightedRandomSampler({said}, num_samples={len(self)}, replacement={self.replacement})"


class BatchSampler(Sampler):
    """The numbers that `sampler` gives, `batch_size` at a time; `drop_last` leaves out a last batch that is smaller."""

    def __init__(self, sampler: Any, batch_size: int, drop_last: bool = False):
        if not is_whole(batch_size) or batch_size < 1:
            raise ValueError(f"{batch_size!r} was given as batch_size; a batch holds 1 sample or more")
        self.sampler, self.batch_size, self.drop_last = sampler, int(batch_size), drop_last

    def __len__(self) -> int:
        return len(self.sampler) // self.batch_size if self.drop_last else -(-len(self.sampler) // self.batch_size)

    def order(self, rng: Rng) -> list[NDArray[np.int64]]:
        numbers = np.asarray(drawn(self.sampler, rng))
        starts = range(0, len(numbers), self.batch_size)
        return [numbers[start : start + self.batch_size] for start in starts][: len(self)]

    def __iter__(self) -> Iterator[list[int]]:
        return iter([numbers.tolist() for numbers in self.order(stream("data"))])

    def __repr__(self) -> str:
        return f"BatchSampler({told(self.sampler)}, batch_size={self.batch_size}, drop_last={self.drop_last})"


def drawn(sampler: Any, rng: Rng) -> Sequence[Any]:
    """One epoch of a sampler of ours, or of whatever else can be walked: a list, or a sampler written for PyTorch."""
    return sampler.order(rng) if isinstance(sampler, Sampler) else list(sampler)


def told(sampler: Any) -> str:
    """What a saved state says of a sampler; of a foreign one only its kind and length."""
    return repr(sampler) if isinstance(sampler, Sampler) else f"{type(sampler).__name__}({len(sampler)})"
