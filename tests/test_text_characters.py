"""One id a character."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddl.text import CharTokenizer


@given(st.text())
def test_any_text_comes_back_from_its_own_tokenizer(text):
    tokenizer = CharTokenizer.from_text(text)
    assert tokenizer.vocab_size == len(set(text))
    assert tokenizer.decode(tokenizer.encode(text)) == text


def test_ids_are_places_in_the_sorted_characters():
    tokenizer = CharTokenizer.from_text("hello")
    assert tokenizer.characters == ["e", "h", "l", "o"]
    assert tokenizer.encode("hole") == [1, 3, 2, 0]
    assert repr(tokenizer) == "CharTokenizer('ehlo')"


def test_all_unknown_characters_are_named_in_one_error():
    with pytest.raises(ValueError, match="given the characters ' !z', which are not among this tokenizer's 4"):
        CharTokenizer.from_text("hello").encode("hello z!")


@pytest.mark.parametrize("wrong", [-1, 4])
def test_an_id_out_of_range_is_refused(wrong):
    with pytest.raises(IndexError, match=f"given id {wrong}, but this vocabulary has ids 0 to 3"):
        CharTokenizer.from_text("hello").decode([0, wrong])


@pytest.mark.parametrize("characters", [["a", "a"], ["ab"], ["a", ""]])
def test_characters_are_single_and_different(characters):
    with pytest.raises(ValueError, match="single characters, each once"):
        CharTokenizer(characters)


@pytest.mark.parametrize("given", [None, b"cat", 3])
def test_what_is_no_text_is_refused(given):
    for work in (CharTokenizer.from_text, CharTokenizer.from_text("cat").encode):
        with pytest.raises(TypeError, match=f"CharTokenizer takes text, a str, but {type(given).__name__} was given"):
            work(given)
