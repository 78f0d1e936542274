"""Cut text into words the way GPT-2 does: contractions, letters, numbers, other marks, whitespace."""

import re
import unicodedata

# Unicode's White_Space property. str.isspace() also takes U+001C to U+001F, which are not in it.
_WHITE_SPACE = frozenset("\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000") | {
    chr(c) for c in range(0x2000, 0x200B)
}
_KEPT = frozenset(" 'stremvld")  # what the pattern names literally


class _Kinds(dict[int, str]):
    """Code point -> one ASCII character for its kind: a for letters, 0 for numbers, a newline for white space, else !.

    The characters that the pattern names stand for themselves. Each code point is looked up when first met.
    """

    def __missing__(self, code: int) -> str:
        char = chr(code)
        category = unicodedata.category(char)[0]
        if char in _KEPT:
            kind = char
        elif char in _WHITE_SPACE:
            kind = "\n"
        else:
            kind = {"L": "a", "N": "0"}.get(category, "!")
        self[code] = kind
        return kind


_kinds = _Kinds()

# GPT-2's '(?:s|t|re|ve|m|ll|d)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+ over kinds instead of characters.
_PATTERN = re.compile(r"'(?:s|t|re|ve|m|ll|d)| ?[a-z]+| ?0+| ?[!']+|[ \n]+(?![^ \n])|[ \n]+")


def split_words(text: str) -> list[str]:
    """The words of `text` in order; joined they are `text` again.

    Equals GPT-2's pattern on every character that this Python's Unicode tables know; unassigned code points are marks.
    """
    return [text[match.start() : match.end()] for match in _PATTERN.finditer(text.translate(_kinds))]
