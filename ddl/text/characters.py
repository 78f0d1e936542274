"""The simplest tokenizer: one id for each character that a text uses."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike


class CharTokenizer:
    """Text to ids and back, one id a character, in the order of `characters`."""

    def __init__(self, characters: Iterable[str]):
        self.characters = list(characters)
        self._ids = {char: i for i, char in enumerate(self.characters)}
        if len(self._ids) < len(self.characters) or any(len(char) != 1 for char in self.characters):
            raise ValueError(f"CharTokenizer needs single characters, each once, but {self.characters} were given")

    @classmethod
    def from_text(cls, text: str) -> "CharTokenizer":
        """A tokenizer for the characters of `text`, sorted."""
        check_text("CharTokenizer", text)
        return cls(sorted(set(text)))

    @property
    def vocab_size(self) -> int:
        return len(self.characters)

    def encode(self, text: str) -> list[int]:
        """One id a character; a character the tokenizer never saw is a ValueError."""
        check_text("CharTokenizer", text)
        try:
            return [self._ids[char] for char in text]
        except KeyError:
            unknown = "".join(sorted(set(text) - set(self._ids)))
            raise ValueError(
                f"encode was given the characters {unknown!r}, which are not among this tokenizer's {self.vocab_size}; "
                f"build it from a text that holds them"
            ) from None

    def decode(self, ids: ArrayLike) -> str:
        return "".join([self.characters[i] for i in checked_ids(ids, self.vocab_size)])

    def __repr__(self) -> str:
        return f"CharTokenizer({''.join(self.characters)!r})"


def check_text(tokenizer: str, text: str) -> None:
    """Refuse what is no text."""
    if not isinstance(text, str):
        advice = "; decode it first" if isinstance(text, bytes) else ""
        raise TypeError(f"{tokenizer} takes text, a str, but {type(text).__name__} was given{advice}")


def checked_ids(ids: ArrayLike, vocab_size: int) -> list[int]:
    """`ids` as a list of int, each proven to be in the vocabulary."""
    array = np.asarray(ids)
    if array.size == 0:
        return []
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise TypeError(f"decode takes a list of ids, but got {array.dtype} of shape {array.shape}")
    wrong = array[(array < 0) | (array >= vocab_size)]
    if wrong.size:
        raise IndexError(f"decode was given id {wrong[0]}, but this vocabulary has ids 0 to {vocab_size - 1}")
    return [int(i) for i in array]
