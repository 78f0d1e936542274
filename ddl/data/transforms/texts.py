"""Transforms of texts: cleaned, turned into ids, and brought to one length."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...checks import positive


class Lower:
    """A text in small letters."""

    def __call__(self, text: str) -> str:
        return _text(self, text).lower()

    def __repr__(self) -> str:
        return "Lower()"


class Strip:
    """A text without the blanks at its ends."""

    def __call__(self, text: str) -> str:
        return _text(self, text).strip()

    def __repr__(self) -> str:
        return "Strip()"


class Encode:
    """A text's ids, by any tokenizer that has `encode`."""

    def __init__(self, tokenizer: Any):
        if not callable(getattr(tokenizer, "encode", None)):
            raise TypeError(f"Encode takes a tokenizer with a method encode, but {type(tokenizer).__name__} was given")
        self.tokenizer = tokenizer

    def __call__(self, text: str) -> NDArray[np.int64]:
        return np.asarray(self.tokenizer.encode(_text(self, text)), np.int64)

    def __repr__(self) -> str:
        return f"Encode({self.tokenizer})"


class Truncate:
    """The first `length` ids."""

    def __init__(self, length: int):
        self.length = _length("Truncate", length)

    def __call__(self, ids: ArrayLike) -> NDArray[Any]:
        return _row(self, ids)[: self.length]

    def __repr__(self) -> str:
        return f"Truncate({self.length})"


class Pad:
    """Ids followed by as many `value` as bring them to `length`; longer ones are refused."""

    def __init__(self, length: int, value: int = 0):
        self.length, self.value = _length("Pad", length), value

    def __call__(self, ids: ArrayLike) -> NDArray[Any]:
        row = _row(self, ids)
        if len(row) > self.length:
            raise ValueError(f"{self} was given {len(row)} ids, which are more; put Truncate({self.length}) before it")
        return np.concatenate([row, np.full(self.length - len(row), self.value, row.dtype)])

    def __repr__(self) -> str:
        return f"Pad({self.length}, value={self.value})"


def _text(transform: Any, text: Any) -> str:
    if not isinstance(text, str):
        raise TypeError(f"{type(transform).__name__} takes a text, but {type(text).__name__} was given")
    return text


def _row(transform: Any, ids: Any) -> NDArray[Any]:
    row = np.asarray(ids) if np.size(ids) else np.zeros(np.shape(ids), np.int64)
    if row.ndim != 1 or row.dtype.kind not in "iu":
        raise TypeError(f"{transform} takes a row of ids, but {row.dtype} of shape {row.shape} was given")
    return row


def _length(name: str, length: Any) -> int:
    positive(name, length=length)
    return int(length)
