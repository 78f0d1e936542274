"""Random numbers from named streams, so that drawing more of one kind never shifts another."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

import numpy as np

STREAMS = ("weights", "data", "dropout", "sampling")

_streams: dict[str, np.random.Generator] = {}  # filled at the first use: numpy loads its random module only then


class _Apart(threading.local):
    """The streams that this thread alone draws from, while it is `apart()`."""

    streams: dict[str, np.random.Generator] | None = None


_apart = _Apart()


@contextmanager
def apart() -> Iterator[None]:
    """Inside, this thread draws what it would draw, but from copies: nobody's streams move on or are set back."""
    before, _apart.streams = _apart.streams, deepcopy(_all())
    try:
        yield
    finally:
        _apart.streams = before


def manual_seed(seed: int) -> None:
    """Restart every stream; each is seeded by `seed` and its own place in STREAMS."""
    streams = _streams if _apart.streams is None else _apart.streams
    for place, name in enumerate(STREAMS):
        streams[name] = np.random.default_rng([place, seed])


def stream(name: str) -> np.random.Generator:
    """The generator behind one kind of draw: "weights", "data", "dropout" or "sampling"."""
    if name not in STREAMS:
        raise ValueError(f"random stream {name!r} was asked for, but the streams are {', '.join(STREAMS)}")
    return _all()[name]


def _all() -> dict[str, np.random.Generator]:
    if _apart.streams is not None:
        return _apart.streams
    if not _streams:
        manual_seed(0)
    return _streams


def get_state() -> dict[str, Any]:
    """The state of every stream, as plain data that JSON can hold."""
    return {name: rng.bit_generator.state for name, rng in _all().items()}


def set_state(state: dict[str, Any]) -> None:
    """Continue every stream from where `get_state` saw it."""
    if set(state) != set(STREAMS):
        raise ValueError(f"a random state needs the streams {', '.join(STREAMS)}, but {sorted(state)} were given")
    for name, saved in state.items():
        _all()[name].bit_generator.state = saved
