"""Byte-pair encoding over bytes, as in GPT-2: any text becomes ids and comes back whole."""

import json
import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..files import write_whole
from .characters import check_text, checked_ids
from .merges import BYTES, Pair, apply_merges, learn_merges
from .split import split_words

END_OF_TEXT = "<|endoftext|>"
_CACHED_WORDS, _CACHED_LENGTH = 100_000, 100


class BPETokenizer:
    """Text to ids and back: 256 bytes, then one id a merge, then the special tokens.

    Special tokens come out of `encode` only where it is allowed; otherwise their text is text like any other.
    """

    def __init__(self, merges: Iterable[Sequence[int]], special_tokens: str | Sequence[str] = (END_OF_TEXT,)):
        self.merges: list[Pair] = [(int(left), int(right)) for left, right in merges]
        self.tokens: list[bytes] = [bytes([i]) for i in range(BYTES)]
        for left, right in self.merges:
            if not (0 <= left < len(self.tokens) and 0 <= right < len(self.tokens)):
                raise ValueError(
                    f"merge {len(self.tokens) - BYTES} joins ids {left} and {right}, but a merge can only "
                    f"join ids made before it, here 0 to {len(self.tokens) - 1}"
                )
            self.tokens.append(self.tokens[left] + self.tokens[right])
        self.special_tokens: dict[str, int] = {}
        for token in _several(special_tokens):
            if not token or token in self.special_tokens:
                raise ValueError(
                    f"special tokens must be different and not empty, but {list(special_tokens)} were given"
                )
            self.special_tokens[token] = len(self.tokens)
            self.tokens.append(token.encode())
        self._ranks = {pair: rank for rank, pair in enumerate(self.merges)}
        self._words: dict[str, list[int]] = {}  # a cache: most words of a text are met again

    @classmethod
    def train(
        cls, text: str | Iterable[str], vocab_size: int, special_tokens: str | Sequence[str] = (END_OF_TEXT,)
    ) -> Self:
        """Learn the merges from one text or from documents; special tokens standing in it are cut out first.

        Where no pair of neighbours is left that occurs twice, the vocabulary ends smaller than `vocab_size`.
        """
        special_tokens = list(_several(special_tokens))
        count = vocab_size - BYTES - len(special_tokens)
        if count < 0:
            raise ValueError(
                f"a vocabulary of {vocab_size} was asked for, but {BYTES} bytes and {len(special_tokens)} "
                f"special tokens already need {BYTES + len(special_tokens)}; ask for at least as many"
            )
        words: Counter[str] = Counter()
        for document in _several(text):
            _check_utf8(document)
            for part in _cut(document, special_tokens)[::2]:
                words.update(split_words(part))
        return cls(learn_merges({word.encode(): n for word, n in words.items()}, count), special_tokens)

    @property
    def vocab_size(self) -> int:
        return len(self.tokens)

    def encode(self, text: str, allowed_special: Collection[str] = ()) -> list[int]:
        """The ids of `text`; `allowed_special` names the special tokens to look for, or is "all".

        A lone surrogate (half of a UTF-16 pair) is a ValueError: it has no UTF-8 bytes.
        """
        _check_utf8(text)
        ids: list[int] = []
        for i, part in enumerate(_cut(text, self._allowed(allowed_special))):
            if i % 2:
                ids.append(self.special_tokens[part])
                continue
            for word in split_words(part):
                ids += self._words.get(word) or self._encode_word(word)
        return ids

    def encode_documents(self, documents: str | Iterable[str], end: str = END_OF_TEXT) -> NDArray[np.int64]:
        """The ids of all documents in one array, each document closed by the special token `end`."""
        (mark,) = (self.special_tokens[token] for token in self._allowed([end]))
        parts = [np.array([*self.encode(document), mark], np.int64) for document in _several(documents)]
        return np.concatenate([np.array([], np.int64), *parts])

    def decode(self, ids: ArrayLike) -> str:
        """The text of `ids`; bytes that are no UTF-8, such as half a character, become U+FFFD."""
        pieces = [self.tokens[i] for i in checked_ids(ids, self.vocab_size)]
        return b"".join(pieces).decode("utf-8", errors="replace")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the merges and special tokens as JSON; the file is replaced whole or not at all."""
        content = {"special_tokens": list(self.special_tokens), "merges": self.merges}
        write_whole(path, json.dumps(content).encode())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """The tokenizer that `save` wrote."""
        try:
            content = json.loads(Path(path).read_bytes())
            return cls(content["merges"], content["special_tokens"])
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ValueError(
                f"BPETokenizer.load was given {os.fspath(path)}, which BPETokenizer.save did not write; "
                f"train a tokenizer and save it"
            ) from error

    def __repr__(self) -> str:
        return f"BPETokenizer(vocab_size={self.vocab_size}, special_tokens={list(self.special_tokens)})"

    def _encode_word(self, word: str) -> list[int]:
        ids = apply_merges(word.encode(), self.merges, self._ranks)
        if len(word) <= _CACHED_LENGTH:
            if len(self._words) >= _CACHED_WORDS:
                self._words.clear()
            self._words[word] = ids
        return ids

    def _allowed(self, names: Collection[str]) -> list[str]:
        """The special tokens that `names` allows."""
        if names == "all":
            return list(self.special_tokens)
        names = list(_several(names))
        for name in names:
            if name not in self.special_tokens:
                raise ValueError(
                    f"{name!r} was asked for as a special token, but this tokenizer has "
                    f"{list(self.special_tokens)}; give it to special_tokens when training"
                )
        return names


def _several(texts: str | Iterable[str]) -> Iterable[str]:
    """Several texts, or one: a text alone would be taken apart into its characters."""
    return texts if isinstance(texts, Iterable) and not isinstance(texts, (str, bytes)) else [texts]


def _check_utf8(text: str) -> None:
    check_text("BPETokenizer", text)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"text cannot be encoded: it holds the lone surrogate {text[error.start]!r} at position {error.start}, "
            f"which has no UTF-8 bytes; replace it first"
        ) from None


def _cut(text: str, special_tokens: Collection[str]) -> list[str]:
    """`text` cut at special tokens: plain text at the even places, special tokens at the odd ones."""
    if not special_tokens:
        return [text]
    longest_first = sorted(special_tokens, key=len, reverse=True)
    return re.split(f"({'|'.join(map(re.escape, longest_first))})", text)
