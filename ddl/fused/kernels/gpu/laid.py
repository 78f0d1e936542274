"""Matrices laid out anew on CuPy as a product wants them: row after row, in few bits, filled up with zeros.

Rows may lie anywhere, as those of heads that were split do; only along a row numbers must be neighbours.
"""

import functools
from typing import Any

import numpy as np

from .rows import BLOCK

EACH = 4  # numbers that a thread moves
LOW = {  # what float becomes
    "tf32": "typedef float low; __device__ low lowered(float x) { return x; }",
    "float16": r"""
typedef unsigned short low;
__device__ low lowered(float x) { low h; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x)); return h; }""",
    "bfloat16": r"""
typedef unsigned short low;
__device__ low lowered(float x) { low h; asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(h) : "f"(x)); return h; }""",
}
# Row i of the result is row (i / (N1 N2), i / N2 % N1, i % N2) of the source.
SOURCE = r"""
extern "C" __global__ void lay(
    unsigned int rows, unsigned int all, long long s0, long long s1, long long s2, const float* x, low* out) {
    size_t first = (size_t)blockIdx.x * blockDim.x * 4 + threadIdx.x, end = (size_t)all * WIDE;
    float held[4];
    #pragma unroll
    for (int k = 0; k < 4; k++) {
        size_t at = first + k * blockDim.x;
        unsigned int row = at / WIDE, column = at % WIDE;
        const float* from = x + row / (N1 * N2) * s0 + row / N2 % N1 * s1 + row % N2 * s2;
        held[k] = at < end && row < rows && column < C ? from[column] : 0.0f;
    }
    #pragma unroll
    for (int k = 0; k < 4; k++) {
        size_t at = first + k * blockDim.x;
        if (at < end) out[at] = lowered(held[k]);
    }
}
"""


@functools.cache
def compiled(form: str, n1: int, n2: int, c: int, wide: int) -> Any:
    import cupy

    sizes = (f"-DN1={n1}u", f"-DN2={n2}u", f"-DC={c}u", f"-DWIDE={wide}u")
    return cupy.RawKernel(LOW[form] + SOURCE, "lay", (*sizes, "--std=c++14"))


def lays(x: Any) -> bool:
    """Whether the kernel takes x: float32, up to four axes, neighbours along the last."""
    return x.dtype == np.float32 and 2 <= x.ndim <= 4 and x.strides[-1] == x.itemsize and x.size < 2**32


def laid(x: Any, form: str, dtype: np.dtype, rows: int | None = None, wide: int | None = None) -> Any:
    """A copy, (.., m, k), or (rows, wide) with zeros beside x and below it."""
    import cupy

    *lead, k = x.shape
    strides = [np.int64(s // x.itemsize) for s in (*x.strides[:-1], 0, 0)[:3]]
    n1, n2 = (*lead[1:], 1, 1)[:2]
    count, wide = x.size // k, wide or k
    out = cupy.empty(x.shape if rows is None else (rows, wide), dtype)
    blocks = -(-out.size // (BLOCK * EACH))
    kernel = compiled(form, n1, n2, k, wide)
    kernel((blocks,), (BLOCK,), (np.uint32(count), np.uint32(rows or count), *strides, x, out))
    return out
