"""rope on CuPy: a thread turns one pair, read once and written once."""

import functools
from typing import Any

from ....arrays import module_of
from ...rope import rope, waves


@functools.cache
def _turn() -> Any:
    import cupy

    return cupy.ElementwiseKernel(
        "raw T x, raw T waves, int64 length, int64 half, T turn, bool interleaved",
        "raw T out",
        """
        long long row = i / half, pair = i % half, place = row % length;
        T c = waves[place * half + pair], s = waves[(length + place) * half + pair] * turn;
        long long first = row * 2 * half + (interleaved ? 2 * pair : pair), second = first + (interleaved ? 1 : half);
        T a = x[first], b = x[second];
        out[first] = a * c - b * s;
        out[second] = b * c + a * s;
        """,
        "ddl_rope",
    )


@rope.kernel("cupy")
def forward(x, *, offset=0, base=10000.0, interleaved=False, turn=1):
    if not x.size:
        return NotImplemented
    out = module_of(x).empty(x.shape, x.dtype)
    length, width = x.shape[-2:]
    table = waves(x, offset=offset, base=base)
    return _turn()(x, table, length, width // 2, turn, interleaved, out, size=x.size // 2)
