"""Cutting text into words: GPT-2's pattern, character by character, on all of Unicode."""

import sys
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ddl.text import split_words

PATTERN = r"'(?:s|t|re|ve|m|ll|d)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
WHITE_SPACE = [*range(9, 14), 32, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000]


def kind(char):
    if ord(char) in WHITE_SPACE:
        return "space"
    return {"L": "letter", "N": "number"}.get(unicodedata.category(char)[0], "other")


def slow_words(text):
    """The pattern's alternatives tried in turn at each place, in plain Python."""
    words, i = [], 0
    while i < len(text):
        contraction = next((c for c in ("'s", "'t", "'re", "'ve", "'m", "'ll", "'d") if text.startswith(c, i)), None)
        first = i + 1 if text[i] == " " and i + 1 < len(text) and kind(text[i + 1]) != "space" else i
        end = first + 1
        while end < len(text) and kind(text[end]) == kind(text[first]):
            end += 1
        if contraction:
            end = i + len(contraction)
        elif kind(text[first]) == "space" and end < len(text) and end - first > 1:
            end -= 1  # the last space belongs to the word after it
        words.append(text[i:end])
        i = end
    return words


def assigned():
    """All characters of this Python's Unicode, without surrogates and private use."""
    chars = map(chr, range(sys.maxunicode + 1))
    return [char for char in chars if unicodedata.category(char) not in ("Cs", "Cn", "Co")]


pieces = st.lists(
    st.sampled_from(["'", "'s", "'re", "'LL", "s", "ve", " ", "  ", "\n", "\x1c", "\xa0", "é", "Ⅷ", "7", "…"])
)


@given(st.text() | pieces.map("".join))
@example("")
@example("it's  we'll\n\n they'REN'T 'tis ' s  ")
@example("\u3000\u3000x \x1c\x1d y\x85")
def test_words_are_those_of_the_slow_reference_and_join_to_the_text(text):
    assert split_words(text) == slow_words(text)
    assert "".join(split_words(text)) == text


def test_words_on_every_character_in_every_neighbourhood():
    text = "".join(f"a{c}0{c}!{c}{c} {c}\n{c}  {c}'{c}" for c in assigned()[::7])
    assert split_words(text) == slow_words(text)


@pytest.mark.parametrize("contraction", ["'s", "'t", "'re", "'ve", "'m", "'ll", "'d"])
def test_contractions_are_cut_in_lower_case_only(contraction):
    assert split_words(f"it{contraction}on {contraction}") == ["it", contraction, "on", " '", contraction[1:]]
    assert split_words(f"it{contraction}{contraction}") == ["it", contraction, contraction]
    assert split_words(f"IT{contraction.upper()}") == ["IT", "'", contraction[1:].upper()]


def test_white_space_is_unicodes_and_not_pythons():
    assert split_words("a\x1c\x1fb") == ["a", "\x1c\x1f", "b"]
    assert split_words("! \x1c!") == ["!", " \x1c!"]  # U+001C is a mark: isspace() would say otherwise
    assert split_words("!\u2003!") == ["!", "\u2003", "!"]


def test_words_equal_those_of_the_regex_module():
    regex = pytest.importorskip("regex", reason="the regex module, which serves as an oracle, is not installed")
    pattern = regex.compile(PATTERN)
    same = [char for char in assigned() if kind(char) == oracle_kind(regex, char)]
    assert len(same) > 0.9999 * len(assigned())  # a few characters changed category between versions of Unicode
    text = "".join(f"a{c}0{c}!{c}{c} {c}\n{c}  {c}'{c}" for c in same)
    assert split_words(text) == pattern.findall(text)


def oracle_kind(regex, char):
    kinds = {"space": r"\s", "letter": r"\p{L}", "number": r"\p{N}"}
    return next((name for name, pattern in kinds.items() if regex.fullmatch(pattern, char)), "other")
