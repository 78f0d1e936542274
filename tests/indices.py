"""Indices drawn at random: slices of all kinds, numbers, ids in lists and arrays, masks, new axes, an ellipsis."""

import numpy as np


def drawn(rng, shape):
    """An index into an array of this shape that numpy takes, or None where what was drawn is no such index."""
    parts, axis = [], 0
    while axis < len(shape) and rng.random() < 0.85:
        parts.append(_part(rng, shape[axis]))
        axis += parts[-1] is not None
    if rng.random() < 0.3:
        parts.insert(rng.integers(0, len(parts) + 1), ...)
    try:
        np.empty(shape)[tuple(parts)]
    except IndexError:  # ids of different lengths
        return None
    return tuple(parts)


def _part(rng, n):
    ids = lambda *sizes: rng.integers(-n, n, sizes)
    bound = lambda: None if rng.random() < 0.3 else int(rng.integers(-n - 2, n + 3))
    kind = rng.integers(0, 8)
    if kind < 3:
        return slice(bound(), bound(), [None, 1, 2, -1, -2][rng.integers(0, 5)])
    if kind == 3:
        return int(ids())
    if kind == 7:
        return None
    return {4: ids(2), 5: ids(3, 1).tolist(), 6: np.arange(n) % (n - 1) == 0}[kind]
