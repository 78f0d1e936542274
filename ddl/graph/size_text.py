"""Sizes read from how they are written: what `str` says of "B" times 2 plus 1 is "2*B + 1", and the size again here."""

import re
from typing import Any

from ..sizes import name

LONGEST, DEEPEST = 1000, 50  # letters, and opening brackets, of a size that is read


def read_size(text: str) -> Any:
    """The size of which `text` is what `str` gives: "(H + 1) // 2 - 1". A minus counts for the whole product after it.

    ValueError for other text.
    """
    parts = re.findall(r"//|\w+|\S", text)
    size = _sum(parts) if len(text) <= LONGEST and parts.count("(") <= DEEPEST else None
    if size is None or parts:
        raise ValueError(f"a size was to be read from {text[:40]!r}, but sizes are written as in '(H + 1) // 2 - 1'")
    return size


def _sum(parts: list[str]) -> Any:
    """The sum at the front of `parts`, which is taken out of them; None where there is none."""
    total: Any = 0
    while True:
        sign = parts.pop(0) if parts and parts[0] in "+-" else "+"
        if (product := _product(parts)) is None:
            return None
        total = total - product if sign == "-" else total + product
        if not parts or parts[0] not in "+-":
            return total


def _product(parts: list[str]) -> Any:
    product = _factor(parts)
    while product is not None and parts and parts[0] in ("*", "//"):
        sign, factor = parts.pop(0), _factor(parts)
        if factor is None or (sign == "//" and factor == 0):
            return None
        product = product * factor if sign == "*" else product // factor
    return product


def _factor(parts: list[str]) -> Any:
    part = parts.pop(0) if parts else ""
    if part == "(":
        inner = _sum(parts)
        return inner if parts and parts.pop(0) == ")" else None
    return int(part) if part.isascii() and part.isdigit() else name(part) if part.isidentifier() else None
