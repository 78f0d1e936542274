"""linear on CuPy: one matrix product over all rows, and a kernel that adds the bias to each row in place."""

import functools
from typing import Any

import numpy as np

from .... import matrices
from ....ops import linear, rows
from .rows import BLOCK, FLOATS, takes

SOURCE = r"""
extern "C" __global__ void add_to_rows(long long n, const real* bias, real* out) {
    size_t first = (size_t)blockIdx.x * blockDim.x * 4 + threadIdx.x;
    real held[4];
    #pragma unroll
    for (int k = 0; k < 4; k++) {
        size_t at = first + k * blockDim.x;
        held[k] = at < n ? out[at] + bias[at % C] : real(0);
    }
    #pragma unroll
    for (int k = 0; k < 4; k++) {
        size_t at = first + k * blockDim.x;
        if (at < n) out[at] = held[k];
    }
}
"""


@functools.cache
def compiled(c: int, dtype: np.dtype) -> Any:
    import cupy

    return cupy.RawKernel(SOURCE, "add_to_rows", (f"-DC={c}u", f"-Dreal={FLOATS[dtype]}", "--std=c++14"))


@linear.kernel("cupy")
def forward(x, weight, bias=None):
    if x.ndim < 2 or not takes(x, weight, bias):
        return NotImplemented
    out = matrices.product(rows(x), weight.swapaxes(0, 1))
    if bias is None:
        pass
    elif out.flags.c_contiguous and bias.flags.c_contiguous:
        blocks = -(-out.size // (4 * BLOCK))
        compiled(out.shape[1], out.dtype)((blocks,), (BLOCK,), (np.int64(out.size), bias, out))
    else:
        out += bias
    return out.reshape(*x.shape[:-1], weight.shape[0])
