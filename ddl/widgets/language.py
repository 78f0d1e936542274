"""What widgets on texts share: tokens in writing, a model run as it is, and those taken where none are given."""

import unicodedata
from functools import lru_cache

import numpy as np

from ..models import GPT2, SMALL
from ..text import BPETokenizer

SIGNS = {" ": "␣", "\n": "⏎", "\t": "⇥", "\r": "␍"}  # white space that would not be seen
UNSEEN = {"Cc", "Cf", "Zl", "Zp", "Zs", "Co", "Cn"}  # kinds of characters of which nothing is seen
JOINING = "\u200d\ufe0f"  # what holds an emoji sequence together: seen by what it does


@lru_cache(maxsize=1)
def small_tokenizer():
    return BPETokenizer.load(SMALL / "tokenizer.json")


@lru_cache(maxsize=1)
def small():
    """The decoder that ships with the library; its tokenizer is `small_tokenizer`."""
    return GPT2.from_pretrained(SMALL)


def written(piece):
    """The bytes of a token as text in which all is seen; where they are no whole UTF-8, in hexadecimal: <E2 98>."""
    try:
        text = piece.decode()
    except UnicodeDecodeError:
        return f"<{piece.hex(' ').upper()}>"
    shown = "".join(map(_seen, text))
    return f"◌{shown}" if text and unicodedata.category(text[0]).startswith("M") else shown


def _seen(char):
    if char in SIGNS:
        return SIGNS[char]
    return f"<U+{ord(char):04X}>" if unicodedata.category(char) in UNSEEN and char not in JOINING else char


def drawable(text, instead):
    """A text if matplotlib's own font can draw it, which goes from left to right; else what is written instead."""
    from matplotlib.font_manager import findfont, get_font

    font = get_font(findfont("DejaVu Sans Mono"))
    good = lambda char: font.get_char_index(ord(char)) and unicodedata.bidirectional(char) not in ("R", "AL", "NSM")
    return text if all(map(good, text)) else instead


def piece(tokenizer, i):
    """The bytes of token i."""
    known = getattr(tokenizer, "tokens", None)
    return known[i] if known and isinstance(known[i], bytes) else tokenizer.decode([i]).encode()


def spelled(tokenizer, ids):
    """Each id in writing; without a tokenizer the number itself."""
    return [str(i) if tokenizer is None else written(piece(tokenizer, i)) for i in ids]


def check_tokenizer(who, tokenizer):
    if tokenizer is not None and not all(callable(getattr(tokenizer, name, None)) for name in ("encode", "decode")):
        raise TypeError(f"{who} takes a tokenizer, with encode and decode, but got {tokenizer!r}")


def given(who, model, tokenizer, text):
    """A model and the tokenizer for its text: the library's own where they are left out and fit; None for ids."""
    check_tokenizer(who, tokenizer)
    own = model is None
    model = small() if own else model
    if not callable(model):
        raise TypeError(f"{who} takes a model that is called with ids (B, T), but got {model!r}")
    if not isinstance(text, str):
        return model, tokenizer
    size = getattr(getattr(model, "config", None), "vocab_size", None)
    if tokenizer is None and not own and size != small_tokenizer().vocab_size:
        raise ValueError(f"{who} was given a model and a text, but not the model's tokenizer: pass tokenizer=, or ids")
    return model, small_tokenizer() if tokenizer is None else tokenizer


def read(who, tokenizer, text):
    """The ids of a text, or of a sequence of ids; at least one."""
    if isinstance(text, str):
        if tokenizer is None:
            raise ValueError(f"{who} shows ids and was given no tokenizer, so it cannot read {text!r}: pass tokenizer=")
        ids = [int(i) for i in tokenizer.encode(text)]
    else:
        array = np.asarray(text)
        if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
            raise TypeError(f"{who} takes a text or a sequence of ids, but got {text!r}")
        ids = array.tolist()
    if not ids:
        raise ValueError(f"{who} needs at least one token, but got {text!r}")
    return ids


def as_ids(text):
    """Ids as they are typed."""
    try:
        return [int(word) for word in text.replace(",", " ").split()]
    except ValueError:
        raise ValueError(f"this model came without a tokenizer and reads ids, but {text!r} was typed") from None


def typed(text):
    """What a view types in: a text, or ids in writing where there is no tokenizer."""
    return text if isinstance(text, str) else " ".join(map(str, text))


def short(x):
    """A number as JSON has it, of 4 digits: what a picture needs, in a third of the room."""
    return float(f"{x:.4g}")
