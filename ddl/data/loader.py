"""Batches of a dataset, epoch after epoch: each sample once an epoch, in an order that can be taken up anywhere."""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..random import stream


class Dataset(Protocol):
    """What DataLoader needs: samples by number. With a method `batch(indices)` they are also fetched many at once."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int, /) -> Any: ...


class DataLoader:
    """The batches of `dataset`; each pass over the loader is an epoch, and shuffled epochs are all different.

    `seed` fixes the order of every epoch; without one it is drawn from the "data" stream of ddl.random when the loader
    is built. The last batch is smaller where `batch_size` does not divide, or left out with `drop_last`.
    Leaving a pass early ends its epoch: the next pass starts the next one.
    """

    def __init__(
        self,
        dataset: Dataset,
        batch_size: int = 1,
        shuffle: bool = False,
        seed: int | None = None,
        drop_last: bool = False,
    ):
        if batch_size < 1:
            raise ValueError(f"DataLoader was asked for batches of {batch_size}; a batch holds 1 sample or more")
        if len(dataset) < (batch_size if drop_last else 1):
            raise ValueError(
                f"DataLoader has no batch to give: the dataset holds {len(dataset)} samples, with batch_size "
                f"{batch_size} and drop_last {drop_last}; give more samples or a smaller batch_size"
            )
        self.dataset, self.batch_size, self.shuffle, self.drop_last = dataset, batch_size, shuffle, drop_last
        if seed is None:
            seed = int(stream("data").integers(2**53)) if shuffle else 0
        self.seed = seed
        self.epoch = 0  # the epoch of the next batch
        self.position = 0  # the samples of that epoch that were given already
        self._resumes = False

    def __len__(self) -> int:
        """The batches of an epoch."""
        return -(-self._end() // self.batch_size)

    def __iter__(self) -> Iterator[Any]:
        if self.position and not self._resumes:
            self.epoch, self.position = self.epoch + 1, 0
        self._resumes = False
        order, end, epoch = self._order(), self._end(), self.epoch
        for start in range(self.position, end, self.batch_size):
            stop = min(start + self.batch_size, end)
            batch = self._fetch(order[start:stop])
            # The state moves on before the batch is handed out, so that saving it while working on a batch is right.
            self.epoch, self.position = (epoch, stop) if stop < end else (epoch + 1, 0)
            yield batch

    def forever(self) -> Iterator[Any]:
        """Batches without end, epoch after epoch."""
        while True:
            yield from self

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
        self.epoch, self.position, self.seed = state["epoch"], state["position"], state["seed"]
        self._resumes = True

    def _built(self) -> dict[str, Any]:
        """What decides the batches besides the seed; a state fits only a loader that has the same."""
        return {
            "shuffle": self.shuffle,
            "samples": len(self.dataset),
            "batch_size": self.batch_size,
            "drop_last": self.drop_last,
        }

    def _end(self) -> int:
        """The samples that an epoch gives."""
        samples = len(self.dataset)
        return samples - samples % self.batch_size if self.drop_last else samples

    def _order(self) -> NDArray[np.int64]:
        samples = len(self.dataset)
        return (
            np.random.default_rng([self.seed, self.epoch]).permutation(samples) if self.shuffle else np.arange(samples)
        )

    def _fetch(self, indices: NDArray[np.int64]) -> Any:
        batch = getattr(self.dataset, "batch", None)
        return batch(indices) if batch else collate([self.dataset[i] for i in indices.tolist()])


def collate(samples: Sequence[Any]) -> Any:
    """One batch of many samples: arrays and numbers stacked along a new first axis, tuples part by part."""
    if isinstance(samples[0], tuple):
        return tuple(collate(part) for part in zip(*samples, strict=True))
    try:
        return np.stack(samples)
    except ValueError as error:
        error.add_note(f"in collate: the samples of this batch have the shapes {[np.shape(s) for s in samples]}")
        raise
