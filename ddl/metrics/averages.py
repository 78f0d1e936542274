"""Averages that are kept up while numbers come in."""

import math
from typing import Any


class Mean:
    """The mean of all numbers so far, each counting as `n` samples: `mean.update(accuracy(x, y), n=len(y))`."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.total, self.count = 0.0, 0.0

    def update(self, value: Any, n: float = 1) -> None:
        if not n >= 0 or math.isinf(n):
            raise ValueError(f"Mean takes a number of samples of 0 or more, but {n!r} was given")
        self.total, self.count = self.total + float(value) * n, self.count + n

    def compute(self) -> float:
        if not self.count:
            raise ValueError("Mean was asked for before it was given a sample; call update(value) first")
        return self.total / self.count

    def __repr__(self) -> str:
        return f"Mean({self.compute() if self.count else 'of nothing yet'})"


class EMA:
    """An exponential moving average: each number counts `decay` times as much as the next one.

    The weights of the numbers so far are made to sum to 1, so that the first number's average is itself.
    """

    def __init__(self, decay: float = 0.9):
        if not 0 <= decay < 1:
            raise ValueError(f"EMA needs a decay from 0 up to, not including, 1, but {decay} was given")
        self.decay = decay
        self.reset()

    def reset(self) -> None:
        self.total, self.weight = 0.0, 0.0

    def update(self, value: Any) -> None:
        self.total = self.decay * self.total + (1 - self.decay) * float(value)
        self.weight = self.decay * self.weight + (1 - self.decay)

    def compute(self) -> float:
        if not self.weight:
            raise ValueError("EMA was asked for before it was given a number; call update(value) first")
        return self.total / self.weight

    def __repr__(self) -> str:
        return f"EMA({self.compute() if self.weight else 'of nothing yet'}, decay={self.decay})"
