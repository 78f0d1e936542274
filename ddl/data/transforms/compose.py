"""What a transform is, one with chance in it, and several in a row."""

from collections.abc import Callable
from typing import Any

import numpy as np


class RandomTransform:
    """The base of transforms with chance in them: a subclass has `__call__(x, rng)` and draws from `rng` alone.

    DataLoader makes a generator for each sample, of its seed, the epoch and the sample's place in it: so each epoch
    changes a sample in another way, and a run that is taken up does as one that never stopped.
    """

    def __call__(self, x: Any, rng: np.random.Generator) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no __call__; define what becomes of a sample and an rng")


class Compose(RandomTransform):
    """One transform after the other; those that are no RandomTransform are plain functions of a sample."""

    def __init__(self, transforms: list[Callable[..., Any]]):
        self.transforms = list(transforms)
        for t in self.transforms:
            if not callable(t):
                raise TypeError(f"Compose takes functions and transforms, but {type(t).__name__} was given")

    def __call__(self, x: Any, rng: np.random.Generator | None = None) -> Any:
        for t in self.transforms:
            x = applied(t, x, rng)
        return x

    def __repr__(self) -> str:
        return f"Compose({self.transforms})"


def applied(transform: Callable[..., Any], x: Any, rng: np.random.Generator | None) -> Any:
    """What the transform makes of x, with chance where it wants some."""
    if not isinstance(transform, RandomTransform):
        return transform(x)
    if isinstance(transform, Compose):
        return transform(x, rng)
    if rng is None:
        raise ValueError(
            f"{type(transform).__name__} was called without an rng; give it to a DataLoader, or call t(x, rng)"
        )
    return transform(x, rng)


def transformed(transform: Callable[..., Any], sample: Any, rng: np.random.Generator) -> Any:
    """A sample whose input is transformed: itself, or the first part of a tuple, as torchvision's datasets do."""
    if isinstance(sample, tuple):
        return (transformed(transform, sample[0], rng), *sample[1:])
    return applied(transform, sample, rng)
