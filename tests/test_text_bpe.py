"""Byte-pair merges, learned and applied, against a slow reference, tiktoken, and the ways they are known to fail."""

import os
import random
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ddl.text import BPETokenizer, split_words, standard_library
from ddl.text.merges import apply_merges, learn_merges

STORY = (
    "The cat's cattle can't catch the café's 1234 cats; naïve 猫 and 🐈 watch, watched, watching.\n\n  The end. " * 3
)
END = "<|endoftext|>"


def replaced(ids, pair, new):
    out = []
    for i in ids:
        if out and out[-1] == pair[0] and i == pair[1]:
            out[-1] = new
        else:
            out.append(i)
    return out


def slow_merges(words, count):
    """Count all pairs again before every merge."""
    spellings = [(list(word), n) for word, n in words.items()]
    merges = []
    for new in range(256, 256 + count):
        totals = Counter()
        for ids, n in spellings:
            for pair in pairwise(ids):
                totals[pair] += n
        best = min(totals, key=lambda pair: (-totals[pair], pair), default=None)
        if best is None or totals[best] < 2:
            break
        merges.append(best)
        spellings = [(replaced(ids, best, new), n) for ids, n in spellings]
    return merges


def slow_ids(merges, text):
    """Do every merge in turn to every word."""
    ids = []
    for word in split_words(text):
        part = list(word.encode())
        for new, pair in enumerate(merges, 256):
            part = replaced(part, pair, new)
        ids += part
    return ids


def any_plane(n, seed):
    """Text of characters from all planes of Unicode, assigned or not, in runs of like ones."""
    rng = random.Random(seed)
    blocks = [(0, 0x80), (0, 0x250), (0x250, 0x3000), (0x3000, 0xD800), (0xE000, 0x10000), (0x10000, 0x20000)]
    blocks += [(0x20000, 0x40000), (0xE0000, 0xF0000), (0xF0000, 0x110000), (0x1F300, 0x1FA00), (0x2000, 0x2070)]
    runs = ((rng.choice(blocks), rng.randrange(1, 6)) for _ in range(n))
    return "".join(chr(rng.randrange(*block)) for block, length in runs for _ in range(length))


@pytest.fixture(scope="module")
def story():
    return BPETokenizer.train(STORY, 320)


@pytest.fixture(scope="module")
def library():
    """The tokenizer of the small GPT-2: 256 bytes, 711 merges, one special token."""
    return BPETokenizer.train(standard_library().train, 968)


# Learning


@given(st.dictionaries(st.binary(max_size=8) | st.text("ab", max_size=9).map(str.encode), st.integers(1, 5)))
def test_merges_are_those_of_the_slow_reference(words):
    assert learn_merges(words, 12) == slow_merges(words, 12)


def test_a_tie_goes_to_the_smaller_pair():
    assert learn_merges({b"xy": 2, b"ab": 2, b"cd": 3}, 3) == [(99, 100), (97, 98), (120, 121)]


def test_training_stops_where_no_pair_occurs_twice():
    tokenizer = BPETokenizer.train("abcd", 1000)
    assert tokenizer.merges == []
    assert tokenizer.vocab_size == 257


def test_documents_are_learned_from_apart():
    assert BPETokenizer.train(["xx", "yy"] * 3, 300).merges == [(120, 120), (121, 121)]
    assert BPETokenizer.train("xxyy" * 3, 300).merges != BPETokenizer.train(["xx", "yy"] * 3, 300).merges


def test_special_tokens_in_the_text_are_not_learned_from():
    assert BPETokenizer.train(f"ab{END}" * 9, 300).merges == [(97, 98)]


def test_a_vocabulary_too_small_for_the_bytes_is_refused():
    with pytest.raises(ValueError, match="vocabulary of 256 was asked for, but 256 bytes and 1 special"):
        BPETokenizer.train("text", 256)


def test_the_small_gpts_vocabulary(library):
    assert library.vocab_size == 968
    assert len(library.merges) == 711
    assert library.special_tokens == {END: 967}
    assert library.tokens[256 + 711] == END.encode()


def test_the_same_text_gives_the_same_merges_under_any_hash_seed(story):
    code = "import sys; from ddl.text import BPETokenizer; print(BPETokenizer.train(sys.argv[1], 320).merges)"
    root = Path(__file__).resolve().parents[1]
    for seed in "1", "2":
        environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(root), "PYTHONUTF8": "1"}
        printed = subprocess.check_output([sys.executable, "-c", code, STORY], env=environment, text=True)
        assert printed.strip() == str(story.merges)


# Encoding


@given(st.text() | st.text("abcdeht '\n1é猫🐈"))
def test_ids_are_those_of_the_slow_reference_and_decode_to_the_text(story, text):
    ids = story.encode(text)
    assert ids == slow_ids(story.merges, text)
    assert story.decode(ids) == text


def test_ids_of_real_text_are_those_of_the_slow_reference(story, library):
    assert story.encode(STORY) == slow_ids(story.merges, STORY)
    text = standard_library().held_out[0][:3000]
    assert library.encode(text) == slow_ids(library.merges, text)


@given(st.text("aab ", max_size=40))
@settings(max_examples=30)
def test_a_word_is_encoded_the_same_from_the_cache(text):
    tokenizer = BPETokenizer.train("aaabdaaabac aaab ab aab" * 4, 280)
    assert tokenizer.encode(text) == tokenizer.encode(text) == slow_ids(tokenizer.merges, text)


def test_changing_what_encode_returned_changes_nothing_later(story):
    first = story.encode("cat")
    expected = list(first)
    first.append(0)
    assert story.encode("cat") == expected


def test_empty_text(story):
    assert story.encode("") == []
    assert story.decode([]) == story.decode(np.array([], np.int64)) == ""
    assert BPETokenizer.train("", 300).vocab_size == 257
    assert BPETokenizer.train([], 300).encode("ab") == [97, 98]


def test_bytes_outside_ascii_come_back_from_every_plane(library):
    text = any_plane(3000, seed=0)
    assert library.decode(library.encode(text)) == text


def test_a_lone_surrogate_is_refused_in_one_sentence(story):
    for work in story.encode, lambda text: BPETokenizer.train(text, 300):
        with pytest.raises(ValueError, match=r"lone surrogate '\\ud83d' at position 3.*replace it first"):
            work("cat\ud83d!")


@pytest.mark.parametrize("given", [None, b"cat", 3])
def test_what_is_no_text_is_refused_in_one_sentence(story, given):
    for work in (story.encode, story.encode_documents, lambda text: BPETokenizer.train(text, 300)):
        with pytest.raises(TypeError, match=f"takes text, a str, but {type(given).__name__} was given"):
            work(given)


class Counting(dict):
    """A dictionary that counts how often it is asked."""

    asked = 0

    def get(self, key, default=None):
        self.asked += 1
        return super().get(key, default)

    def __contains__(self, key):
        self.asked += 1
        return super().__contains__(key)


def test_a_long_word_costs_a_constant_number_of_lookups_a_byte():
    merges = [(97, 97), *((i, i) for i in range(256, 276)), (97, 98), (277, 97), (98, 98)]
    tokens = BPETokenizer(merges).tokens
    for word in b"a" * 1_000_000, b"ab" * 100_000, bytes(random.Random(0).choices(b"ab", k=100_000)):
        ranks = Counting({pair: rank for rank, pair in enumerate(merges)})
        ids = apply_merges(word, merges, ranks)
        assert ranks.asked <= 4 * len(word)
        assert b"".join(tokens[i] for i in ids) == word


def test_a_million_times_one_letter():
    tokenizer = BPETokenizer.train("a" * 40_000, 270)
    text = "a" * 1_000_000
    assert tokenizer.merges[:3] == [(97, 97), (256, 256), (257, 257)]
    assert tokenizer.decode(tokenizer.encode(text)) == text


# The oracle


def test_ids_equal_tiktokens_on_the_same_merges(library):
    tiktoken = pytest.importorskip("tiktoken", reason="tiktoken, which serves as an oracle, is not installed")
    ranks = {token: i for i, token in enumerate(library.tokens[:-1])}
    assert len(ranks) == library.vocab_size - 1
    oracle = tiktoken.Encoding(
        "oracle",
        pat_str=r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
        mergeable_ranks=ranks,
        special_tokens=library.special_tokens,
    )
    planes = "".join(c for c in any_plane(30_000, seed=1) if c.isprintable() or c.isspace())
    letters = "".join(random.Random(2).choices("aeinorst \n'", k=100_000))
    for text in (*standard_library().held_out, planes, letters, "a" * 5000):
        assert library.encode(text) == oracle.encode_ordinary(text)
        marked = f"{text}{END}{text[:50]}"
        assert library.encode(marked, allowed_special="all") == oracle.encode(marked, allowed_special="all")
