"""What counting alone predicts: n-gram models by interpolated absolute discounting, which a network must beat."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import ArrayLike, NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_DISCOUNTS = np.arange(1, 50) / 50


class NGram:
    """The next token given the `order - 1` before it: order 2 is the bigram, 3 the trigram.

    p(w | h) = (max(count(h w) - d, 0) + d * kinds(h) * p(w | h without its first token)) / count(h), where kinds(h) is
    how many different tokens followed h. An unseen h leaves it to the shorter one, and below single tokens stands
    1 / vocab_size. Each order has a discount d of its own, tuned by `fit`. (Ney, Essen and Kneser 1994.)
    """

    def __init__(self, order: int):
        if order < 1:
            raise ValueError(f"NGram was asked for order {order}, but the lowest is 1, which sees no context")
        self.order = order
        self.vocab_size = 0
        self.discounts: list[float] = []
        self._tables: list[_Table] = []

    def fit(self, ids: ArrayLike, vocab_size: int) -> Self:
        """Count the n-grams of `ids`; with the discounts chosen, nine tenths predict the last tenth best."""
        if vocab_size**self.order >= 2**63:
            raise ValueError(f"{self.order}-grams of {vocab_size} tokens do not fit 64-bit keys; ask for a lower order")
        self.vocab_size = vocab_size
        array = self._checked(ids, least=10 * self.order)
        known, rest = np.split(array, [len(array) * 9 // 10])
        windows = sliding_window_view(rest, self.order)
        self.discounts, p = [], np.full(len(windows), 1 / vocab_size)
        for table in self._count(known):
            seen = table.look_up(windows)
            losses = [-np.log(seen.interpolate(d, p)).mean() for d in _DISCOUNTS]
            self.discounts.append(float(_DISCOUNTS[np.argmin(losses)]))
            p = seen.interpolate(self.discounts[-1], p)
        self._tables = self._count(array)
        return self

    def loss(self, ids: ArrayLike) -> float:
        """Mean of -ln p in nats, over the tokens of `ids` that have their whole context before them."""
        windows = sliding_window_view(self._checked(ids, least=self.order), self.order)
        return float(-np.log(self._predict(windows)).mean())

    def probabilities(self, context: ArrayLike) -> Floats:
        """p of every token after `context`, which is `order - 1` ids or more; shape (vocab_size,)."""
        before = self._checked(context, least=self.order - 1)
        windows = np.empty((self.vocab_size, self.order), np.int64)
        windows[:, :-1] = before[len(before) - self.order + 1 :]
        windows[:, -1] = np.arange(self.vocab_size)
        return self._predict(windows)

    def _checked(self, ids: ArrayLike, least: int) -> Ints:
        """`ids` as an array, proven to be `least` or more ids of the vocabulary."""
        array = np.asarray(ids)
        if not self.vocab_size:
            raise RuntimeError("this NGram has counted nothing yet; call fit(ids, vocab_size) first")
        if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
            raise TypeError(f"NGram takes a list of ids, but got {array.dtype} of shape {array.shape}")
        if len(array) < least:
            raise ValueError(f"this needs {least} ids or more for order {self.order}, but got {len(array)}")
        if array.size and (array.min() < 0 or array.max() >= self.vocab_size):
            raise ValueError(
                f"NGram was given ids from {array.min()} to {array.max()}, "
                f"but its vocabulary is 0 to {self.vocab_size - 1}"
            )
        return array.astype(np.int64, copy=False)

    def _count(self, ids: Ints) -> "list[_Table]":
        return [_Table.count(ids, order, self.vocab_size) for order in range(1, self.order + 1)]

    def _predict(self, windows: Ints) -> Floats:
        """p of each window's last id after the others."""
        p = np.full(len(windows), 1 / self.vocab_size)
        for table, discount in zip(self._tables, self.discounts):
            p = table.look_up(windows).interpolate(discount, p)
        return p


@dataclass
class _Seen:
    """Of each window: how often it occurred, how often its context did, and how many kinds of token followed that."""

    count: Ints
    total: Ints
    kinds: Ints

    def interpolate(self, discount: float, shorter: Floats) -> Floats:
        kept = np.maximum(self.count - discount, 0)
        mixed = (kept + discount * self.kinds * shorter) / np.maximum(self.total, 1)
        return np.where(self.total > 0, mixed, shorter)


@dataclass
class _Table:
    """The counts of one order; n-grams and contexts are sorted keys, the ids read as digits in base vocab_size."""

    order: int
    vocab_size: int
    grams: Ints
    counts: Ints
    contexts: Ints
    totals: Ints
    kinds: Ints

    @classmethod
    def count(cls, ids: Ints, order: int, vocab_size: int) -> Self:
        grams, counts = np.unique(_keys(sliding_window_view(ids, order), order, vocab_size), return_counts=True)
        contexts, starts = np.unique(grams // vocab_size, return_index=True)
        totals = np.add.reduceat(counts, starts)
        kinds = np.diff(starts, append=len(grams))
        return cls(order, vocab_size, grams, counts, contexts, totals, kinds)

    def look_up(self, windows: Ints) -> _Seen:
        grams = _keys(windows, self.order, self.vocab_size)
        count = _find(grams, self.grams, self.counts)
        contexts = grams // self.vocab_size
        total = _find(contexts, self.contexts, self.totals)
        kinds = _find(contexts, self.contexts, self.kinds)
        return _Seen(count, total, kinds)


def _keys(windows: Ints, order: int, vocab_size: int) -> Ints:
    """Each window's last `order` ids as one number."""
    keys = np.zeros(len(windows), np.int64)
    for column in windows[:, -order:].T:
        keys = keys * vocab_size + column
    return keys


def _find(wanted: Ints, keys: Ints, values: Ints) -> Ints:
    """The value at each wanted key, 0 where there is none; `keys` are sorted."""
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[place] == wanted, values[place], 0)
