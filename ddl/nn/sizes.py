"""What constructors and functions refuse: a size or a number that could not be meant."""

import math
from numbers import Real


def positive(layer: str, **sizes: int) -> None:
    """Refuse a size that is no whole number of 1 or more."""
    for name, n in sizes.items():
        if not isinstance(n, int) or isinstance(n, bool) or n < 1:
            raise ValueError(f"{layer} needs {name} to be a whole number of 1 or more, but {n!r} was given")


def number(owner: str, **numbers: float) -> None:
    """Refuse what is no number."""
    for name, x in numbers.items():
        if not isinstance(x, Real) or x != x:
            raise ValueError(f"{owner} needs {name} to be a number, but {x!r} was given")


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
