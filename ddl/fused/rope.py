"""Positions as turns: pair i of a vector at place p turns by p / base^(2i / D), so that a score sees distance only."""

from functools import lru_cache

import numpy as np

from ..define import op
from ..ops import concatenate
from ..spec import Spec


@op(r"\operatorname{{waves}}({x})", smooth=False)
def waves(xp, x, *, offset=0, base=10000.0):
    """Cosines and sines of the angles of places offset, offset + 1, ..: (2, T, D / 2) for x (.., T, D)."""
    return _table(xp, *x.shape[-2:], offset, base, x.dtype)


waves.kernel("shapes")(lambda x, offset, base: Spec((2, x.shape[-2], x.shape[-1] // 2), x.dtype))


@lru_cache(maxsize=16)  # the layers of a model share one table a step; what a long past asked for is forgotten
def _table(xp, length, width, offset, base, dtype):
    places = xp.arange(offset, offset + length, dtype=np.float64)
    wavelengths = base ** (xp.arange(0, width, 2, dtype=np.float64) / width)
    angles = places[:, None] / wavelengths
    table = xp.concatenate((xp.cos(angles)[None], xp.sin(angles)[None])).astype(dtype)
    return xp.broadcast_to(table, table.shape)  # numpy's is read-only: nobody may change what all share


@op(r"\operatorname{{rope}}({x})")
def rope(x, *, offset=0, base=10000.0, interleaved=False, turn=1):
    """x (.., T, D) with its pairs turned by their place's angles (Su et al. 2021); `turn=-1` turns them back.

    A pair is (2i, 2i + 1) where interleaved, else (i, i + D / 2), as in GPT-NeoX and LLaMA.
    """
    table, half = waves(x, offset=offset, base=base), x.shape[-1] // 2
    cos, sin = table[0], table[1] * turn
    a, b = (x[..., ::2], x[..., 1::2]) if interleaved else (x[..., :half], x[..., half:])
    a, b = a * cos - b * sin, b * cos + a * sin
    if interleaved:
        return concatenate(a[..., None], b[..., None], axis=-1).reshape(x.shape)
    return concatenate(a, b, axis=-1)


rope.vjp(
    x=lambda g, offset, base, interleaved, turn: rope(g, offset=offset, base=base, interleaved=interleaved, turn=-turn)
)
