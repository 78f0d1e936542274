"""dropout on CuPy: each number finds out by its own place whether it stays, so that no mask is written."""

import functools
from typing import Any

import numpy as np

from ....arrays import module_of
from ...dropout import dropout


@functools.cache
def _drop() -> Any:
    import cupy

    return cupy.ElementwiseKernel(
        "T x, T scale, uint32 least, uint32 seed, uint32 salt",
        "T out",
        """
        unsigned int h = (unsigned int)i * 0x9E3779B9u + seed;
        for (int turn = 0; turn < 2; turn++) {
            if (turn) h ^= salt;
            h ^= h >> 16;
            h *= 0x85EBCA6Bu;
            h ^= h >> 13;
            h *= 0xC2B2AE35u;
            h ^= h >> 16;
        }
        out = h >= least ? x * scale : T(0);
        """,
        "ddl_dropout",
    )


@dropout.kernel("cupy")
def forward(x, *, p, seed):
    words = (min(int(p * 2**32), 2**32 - 1), seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF)
    out = module_of(x).empty(x.shape, x.dtype)
    return _drop()(x, 1 / (1 - p), *map(np.uint32, words), out)
