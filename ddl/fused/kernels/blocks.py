"""Rows in blocks small enough to stay in cache between the passes of a kernel, and what a kernel takes on."""

from collections.abc import Iterator
from typing import Any


def blocks(n: int, size: int) -> Iterator[slice]:
    """Slices of `size` that cover n rows."""
    return (slice(start, min(start + size, n)) for start in range(0, n, size))


def one_float(*arrays: Any) -> bool:
    """Whether all arrays that are there have one floating dtype; where not, a kernel declines."""
    dtypes = {x.dtype for x in arrays if x is not None}
    return len(dtypes) == 1 and dtypes.pop().kind == "f"
