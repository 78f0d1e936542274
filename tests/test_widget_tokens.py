"""The tokens view shows what the tokenizer makes of any text, and each merge of an independent, naive encoder."""

import random
import sys

import pytest

from ddl.text import BPETokenizer, CharTokenizer, split_words

pytest.importorskip("anywidget")

from ddl.figures import page_width
from ddl.widgets import tokens
from ddl.widgets.language import small_tokenizer, written

TEXTS = [
    "",
    " ",
    "the cat sat on the mat, there and then\n\n  again",
    "👩‍🔬 🇨🇭 👨‍👩‍👧‍👦",
    "שלום עולם, مرحبا",
    "\u0301 e\u0301 \u0301\u0302",
    "<script>alert(1)</script> aaaaaaa",
    "don't they've 1234 \x00\x1f\x7f\u2028",
]


def any_text(seed):
    rng = random.Random(seed)
    codes = (rng.choice([rng.randrange(32, 127), rng.randrange(sys.maxunicode + 1)]) for _ in range(60))
    return "".join(chr(c) for c in codes if not 0xD800 <= c < 0xE000)


def played(data):
    """The ids after the steps: each replaces its pair everywhere, in the text of ids itself."""
    ended = []
    for word in data["words"]:
        text = "".join(f"[{i}]" for i in word)
        for step in data["steps"]:
            text = text.replace(f"[{step['left']}][{step['right']}]", f"[{step['new']}]")
        ended += [int(i) for i in text[1:-1].split("][")] if text else []
    return ended


@pytest.mark.parametrize("text", TEXTS + [any_text(seed) for seed in range(20)])
def test_the_last_step_has_the_ids_of_the_tokenizer(text):
    data = tokens(text).data
    assert data["ids"] == small_tokenizer().encode(text) == played(data)
    assert bytes(i for word in data["words"] for i in word) == text.encode()
    assert [step["new"] for step in data["steps"]] == sorted({step["new"] for step in data["steps"]})
    assert sum(step["places"] for step in data["steps"]) == len(text.encode()) - len(data["ids"])
    for i in data["ids"]:
        assert bytes.fromhex(data["pieces"][str(i)]["bytes"]) == small_tokenizer().tokens[i]


def test_it_follows_a_tokenizer_of_ones_own():
    own = BPETokenizer.train("abababab abab cab", 256 + 1 + 3)
    data = tokens("abab cab", own).data
    assert data["ids"] == own.encode("abab cab") == played(data)
    assert data["words"] == [list(word.encode()) for word in split_words("abab cab")]
    letters = tokens("cab", CharTokenizer("abc")).data
    assert (letters["ids"], letters["steps"]) == ([2, 0, 1], [])
    assert [letters["pieces"][str(i)]["text"] for i in (0, 1, 2)] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("piece", "text"),
    [
        (b" the", "␣the"),
        (b"\n\t", "⏎⇥"),
        (b"\xe2\x98", "<E2 98>"),
        ("\u0301".encode(), "◌\u0301"),
        ("e\u0301".encode(), "e\u0301"),
        (b"\x00", "<U+0000>"),
        ("\u202e".encode(), "<U+202E>"),
        ("👩‍🔬".encode(), "👩‍🔬"),
        ("ש".encode(), "ש"),
    ],
)
def test_a_token_is_written_so_that_all_of_it_is_seen(piece, text):
    assert written(piece) == text


def test_the_words_tell_ids_bytes_and_merges():
    widget = tokens("the the")
    assert "7 characters, 7 bytes, became 2 tokens by 4 merges in 2 words, 3.5 bytes each." in widget.words
    assert repr(widget) == widget.words
    for i, of in enumerate(widget.data["ids"]):
        assert f"\n{i}  {of}: " in widget.words
    assert "and 940 tokens more" in tokens("x1" * 500).words


def test_the_picture_changes_with_the_text():
    pictures = [widget.picture(widget.state) for widget in map(tokens, ["the cat", "the cut", "", "שלום 👩‍🔬\u0301"])]
    assert len({*pictures}) == 4
    assert {page_width(picture) for picture in pictures} == {700}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: tokens(3), "takes a text, but got 3"),
        (lambda: tokens("a", tokenizer="gpt2"), "takes a tokenizer, with encode and decode, but got 'gpt2'"),
        (lambda: tokens("é" * 1001), "up to 2,000 bytes, but 2,002 were given"),
        (lambda: tokens("\ud800"), "lone surrogate"),
    ],
)
def test_what_cannot_be_shown_is_refused(call, words):
    with pytest.raises((TypeError, ValueError), match=words):
        call()
