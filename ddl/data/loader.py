"""Batches of a dataset, epoch after epoch: each sample once an epoch, in an order that can be taken up anywhere."""

import copy
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from typing import Any

import numpy as np

from ..checks import whole
from ..random import stream
from .collate import collate
from .datasets import fetch
from .prefetch import ahead
from .samplers import BatchSampler, RandomSampler, SequentialSampler, drawn, told
from .transforms.compose import transformed


class DataLoader:
    """The batches of `dataset`; each pass over the loader is an epoch, and shuffled epochs are all different.

    `seed` fixes the order of every epoch and the chance in every sample's `transform`; without one it is drawn from the
    "data" stream of ddl.random when the loader is built. The last batch is smaller where `batch_size` does not divide,
    or left out with `drop_last`. A `sampler` says which samples an epoch has, a `batch_sampler` which batches.
    `collate_fn` makes a batch of a list of samples. `prefetch` batches are made ahead in a background thread.
    Leaving a pass early ends its epoch: the next pass starts the next one.
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int = 1,
        shuffle: bool = False,
        seed: int | None = None,
        drop_last: bool = False,
        sampler: Any = None,
        batch_sampler: Any = None,
        collate_fn: Callable[[list[Any]], Any] | None = None,
        transform: Callable[..., Any] | None = None,
        prefetch: int = 0,
    ):
        self.dataset, self.collate_fn, self.transform, self.prefetch = dataset, collate_fn, transform, prefetch
        self._check(sampler, batch_sampler, batch_size != 1 or drop_last, shuffle, seed)
        self._given = sampler is not None or batch_sampler is not None
        if sampler is None:
            sampler = RandomSampler(dataset) if shuffle else SequentialSampler(dataset)
        self.batch_sampler = BatchSampler(sampler, batch_size, drop_last) if batch_sampler is None else batch_sampler
        if not len(self):
            raise ValueError(
                f"DataLoader has no batch to give: the dataset holds {len(dataset)} samples, with batch_size "
                f"{batch_size} and drop_last {drop_last}; give more samples or a smaller batch_size"
            )
        if seed is None:
            chance = shuffle or self._given or transform is not None
            seed = int(stream("data").integers(2**53)) if chance else 0
        self.seed = int(seed)
        self.epoch = 0  # the epoch of the next batch
        self.position = 0  # the batches of that epoch that were given already
        self._resumes = False

    @property
    def batch_size(self) -> int | None:
        return getattr(self.batch_sampler, "batch_size", None)

    def __len__(self) -> int:
        """The batches of an epoch."""
        return len(self.batch_sampler)

    def __iter__(self) -> Iterator[Any]:
        if self.position and not self._resumes:
            self.epoch, self.position = self.epoch + 1, 0
        self._resumes = False
        epoch, done = self.epoch, self.position
        numbers = drawn(self.batch_sampler, np.random.default_rng([self.seed, epoch]))
        if len(numbers) <= done:
            raise ValueError(
                f"the sampler gave {len(numbers)} batches in epoch {epoch}, where {done + 1} or more were to come; "
                "let it give the same each time that it is walked"
            )
        batches: Any = self._made(numbers, epoch, done)
        with closing(ahead(batches, self.prefetch) if self.prefetch else batches) as batches:
            for given, batch in enumerate(batches, done + 1):
                # The state moves on before the batch is handed out: it may be saved while the batch is worked on.
                self.epoch, self.position = (epoch, given) if given < len(numbers) else (epoch + 1, 0)
                yield batch

    def forever(self) -> Generator[Any, None, None]:
        """Batches without end, epoch after epoch."""
        while True:
            yield from self

    def once(self) -> "DataLoader":
        """A loader of its own that gives every sample once and in order; samplers that were given draw as at first."""
        other = copy.copy(self)
        other.epoch, other.position, other._resumes = 0, 0, False
        if not self._given:
            other.batch_sampler = BatchSampler(SequentialSampler(self.dataset), self.batch_sampler.batch_size)
        return other

    def state_dict(self) -> dict[str, Any]:
        """Where the loader stands, as plain data: the next batch after resuming is the next batch without."""
        return {"epoch": self.epoch, "position": self.position, "seed": self.seed, **self._built()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Stand where `state_dict` saw the loader; the next pass goes on in the middle of that epoch."""
        here = self._built()
        if state.keys() != self.state_dict().keys() or any(state[name] != here[name] for name in here):
            raise ValueError(
                f"the state {state} is not one of this loader, which has {here}; "
                f"build the loader as it was when the state was saved"
            )
        for name in ("epoch", "position", "seed"):
            whole("a DataLoader's state", 0, **{name: state[name]})
        if state["position"] >= len(self):
            raise ValueError(
                f"a DataLoader's state has position {state['position']}, but an epoch has {len(self)} batches"
            )
        self.epoch, self.position, self.seed = state["epoch"], state["position"], state["seed"]
        self._resumes = True

    def _built(self) -> dict[str, Any]:
        """What decides the batches besides the seed; a state fits only a loader that has the same."""
        return {"samples": len(self.dataset), "batches": told(self.batch_sampler)}

    def _made(self, numbers: Any, epoch: int, done: int) -> Iterator[Any]:
        """The batches of the samples at `numbers`, from the one after `done`; whoever makes them, they are the same."""
        place = sum(len(indices) for indices in numbers[:done])
        for indices in numbers[done:]:
            yield self._fetch(np.asarray(indices), epoch, place)
            place += len(indices)

    def _fetch(self, indices: Any, epoch: int, place: int) -> Any:
        if self.collate_fn is None and self.transform is None:
            return fetch(self.dataset, indices)
        samples = [self.dataset[i] for i in indices.tolist()]
        if self.transform is not None:
            chances = (np.random.default_rng([self.seed, epoch, place + k]) for k in range(1, len(samples) + 1))
            samples = [transformed(self.transform, sample, rng) for sample, rng in zip(samples, chances)]
        return (self.collate_fn or collate)(samples)

    def _check(self, sampler: Any, batch_sampler: Any, batches: bool, shuffle: bool, seed: Any) -> None:
        """Refuse what is no dataset, and orders that contradict each other."""
        if not hasattr(self.dataset, "__len__") or not hasattr(self.dataset, "__getitem__"):
            given = type(self.dataset).__name__
            raise TypeError(
                f"DataLoader takes samples by number, but {given} was given; give it __len__ and __getitem__"
            )
        if sampler is not None and shuffle:
            raise ValueError("DataLoader was given shuffle and a sampler, which both say the order; give one of them")
        if batch_sampler is not None and (batches or shuffle or sampler is not None):
            raise ValueError(
                "DataLoader was given a batch_sampler, which says all about the batches; "
                "leave batch_size, shuffle, sampler and drop_last to it"
            )
        for name, given in (("sampler", sampler), ("batch_sampler", batch_sampler)):
            if given is not None and not (hasattr(given, "__len__") and hasattr(given, "__iter__")):
                kind = type(given).__name__
                raise TypeError(f"DataLoader takes a {name} that has a length and can be walked, but {kind} was given")
        for name, f in (("collate_fn", self.collate_fn), ("transform", self.transform)):
            if f is not None and not callable(f):
                raise TypeError(f"DataLoader takes a function as {name}, but {type(f).__name__} was given")
        for name, n in (("seed", seed), ("prefetch", self.prefetch)):
            if n is not None:
                whole("DataLoader", 0, **{name: n})
