"""Rows in blocks small enough to stay in cache between the passes of a kernel."""

from collections.abc import Iterator


def blocks(n: int, size: int) -> Iterator[slice]:
    """Slices of `size` that cover n rows."""
    return (slice(start, min(start + size, n)) for start in range(0, n, size))
