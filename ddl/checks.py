"""What constructors and functions refuse: a size or a number that could not be meant."""

import math
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any


def is_whole(n: Any) -> bool:
    """Whether it is an integer, of Python's or numpy's, and no boolean."""
    return isinstance(n, Integral) and not isinstance(n, bool)


def divides(n: Any, size: int) -> bool:
    """Whether so many parts of equal size can be made."""
    return is_whole(n) and n >= 1 and size % n == 0


def whole(owner: str, least: int | None = None, /, **numbers: Any) -> None:
    """Refuse what is no whole number, or one below `least`."""
    for name, n in numbers.items():
        if not is_whole(n) or (least is not None and n < least):
            limit = "" if least is None else f" of {least} or more"
            raise ValueError(f"{owner} needs {name} to be a whole number{limit}, but {n!r} was given")


def positive(owner: str, **sizes: Any) -> None:
    """Refuse a size that is no whole number of 1 or more."""
    whole(owner, 1, **sizes)


def one_or_several(owner: str, least: int | None = 1, /, **numbers: Any) -> tuple[int, ...]:
    """A whole number, or several, at least one, as a tuple of them."""
    ((name, given),) = numbers.items()
    many = tuple(given) if isinstance(given, Iterable) else (given,)
    if not many:
        raise ValueError(f"{owner} needs {name} to be a whole number or several, but {given!r} was given")
    for n in many:
        whole(owner, least, **{name: n})
    return tuple(int(n) for n in many)


def number(owner: str, **numbers: float) -> None:
    """Refuse what is no number."""
    for name, x in numbers.items():
        if not isinstance(x, Real) or x != x:
            raise ValueError(f"{owner} needs {name} to be a number, but {x!r} was given")


def at_least(owner: str, low: float, /, **numbers: float) -> None:
    """Refuse what is no finite number of `low` or more."""
    for name, x in numbers.items():
        if not isinstance(x, Real) or not low <= x < math.inf:
            raise ValueError(f"{owner} needs {name} to be a number of {low} or more, but {x!r} was given")


def above(owner: str, low: float, **numbers: float) -> None:
    """Refuse a number that does not lie above `low`."""
    for name, x in numbers.items():
        if not isinstance(x, Real) or not x > low:
            raise ValueError(f"{owner} needs {name} above {low}, but {x!r} was given")


def between(owner: str, low: float, high: float, **numbers: float) -> None:
    """Refuse a number that does not lie between `low` and `high`, or on one of them."""
    for name, x in numbers.items():
        if not isinstance(x, Real) or not low <= x <= high:
            limits = f"of {low} or more" if high == math.inf else f"between {low} and {high}"
            raise ValueError(f"{owner} needs {name} {limits}, but {x!r} was given")
