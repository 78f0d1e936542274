"""Kernels that work on rows: a few threads share a row and hold its numbers in registers between two looks at it."""

import functools
from typing import Any

import numpy as np

FLOATS = {np.dtype(np.float32): "float", np.dtype(np.float64): "double"}
BLOCK = 256  # threads of a block, unless a single row wants more
HELD = 12  # numbers of a row that a thread holds; wider rows get more threads
WIDEST = 1024  # threads a row

COMMON = r"""
#define INFINITY __int_as_float(0x7f800000)  // this compiler has no headers
struct Sum { __device__ real operator()(real x, real y) const { return x + y; } };
struct Max { __device__ real operator()(real x, real y) const { return x > y || x != x ? x : y; } };
"""
PRELUDE = (
    COMMON
    + r"""
constexpr int ROWS = P >= 256 ? 1 : 256 / P;  // rows of a block
constexpr int N = (C + P - 1) / P;            // numbers of a row that a thread looks at: i = its place, k = its count
#define KERNEL extern "C" __global__ void __launch_bounds__(P > 256 ? P : 256)
#define EACH(k, i) _Pragma("unroll 16") for (int k = 0, i = threadIdx.x % P; k < N; k++, i += P) if (i < C)

// The sum, or the like, of what all threads of a row bring; every one of them gets it.
template <class F> __device__ real over_row(real x, F join) {
    #pragma unroll
    for (int step = 16; step; step /= 2) x = join(x, __shfl_xor_sync(0xffffffffu, x, step));
    if (P > 32) {
        __shared__ real part[ROWS * P / 32];
        __syncthreads();  // the last call may still be reading
        if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = x;
        __syncthreads();
        const real* mine = part + threadIdx.x / P * (P / 32);
        x = mine[0];
        for (int w = 1; w < P / 32; w++) x = join(x, mine[w]);
    }
    return x;
}
"""
)


def row_kernel(source: str, name: str) -> Any:
    """`launch(n, c, dtype, *arguments)` of a kernel on n rows of c numbers, compiled for c when c is first met."""

    @functools.cache
    def compiled(c: int, dtype: np.dtype) -> tuple[Any, int]:
        import cupy

        threads = 32
        while threads < WIDEST and c > threads * HELD:
            threads *= 2
        options = (f"-DC={c}", f"-DP={threads}", f"-Dreal={FLOATS[dtype]}", "--std=c++14")
        return cupy.RawKernel(PRELUDE + source, name, options), threads

    def launch(n: int, c: int, dtype: np.dtype, *arguments: Any, blocks: int | None = None) -> None:
        kernel, threads = compiled(c, dtype)
        rows = max(1, BLOCK // threads)
        kernel((blocks or -(-n // rows),), (max(BLOCK, threads),), (np.int32(n), *arguments))

    return launch


DOT = row_kernel(
    r"""
KERNEL dot(int n, const real* x, const real* y, real* out) {
    int row = blockIdx.x * ROWS + threadIdx.x / P;
    size_t start = (size_t)(row < n ? row : 0) * C;
    real sum = 0;
    EACH(k, i) sum += x[start + i] * y[start + i];
    sum = over_row(sum, Sum());
    if (row < n && threadIdx.x % P == 0) out[row] = sum;
}
""",
    "dot",
)


def along_rows(x: Any, y: Any) -> Any:
    """The inner product of each row of x with that of y, (.., C) (.., C) -> (..), in y's dtype."""
    import cupy

    x, y = cupy.ascontiguousarray(x, y.dtype), cupy.ascontiguousarray(y)
    out = cupy.empty(y.shape[:-1], y.dtype)
    DOT(out.size, y.shape[-1], y.dtype, x, y, out)
    return out


def takes(*arrays: Any) -> bool:
    """Whether all arrays that are there have one of the two dtypes, the same, and hold anything."""
    given = [x for x in arrays if x is not None]
    return given[0].dtype in FLOATS and all(x.dtype == given[0].dtype and x.size for x in given)


def real(x: float, dtype: np.dtype) -> Any:
    """A number as the kernel's `real`."""
    return dtype.type(x)
