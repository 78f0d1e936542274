"""Attention on CuPy: tiles of 64 queries meet tiles of 64 keys, and no score is ever written to memory.

The forward carries each query's largest score, the sum of its exponentials and its weighted values from tile to tile
(Dao et al. 2022, "FlashAttention"), and keeps the logarithm of the sum. The pull-back makes the weights anew from it:
once along the keys, for their slopes and the values', once along the queries, so that every sum has one owner and runs
repeat exactly.
"""

import functools
from typing import Any

import numpy as np

from .... import matrices
from ....arrays import module_of
from ...attention import scaled_dot_product_attention
from . import attention_products
from .rows import COMMON, FLOATS, along_rows, real, takes

PRELUDE = (
    COMMON
    + r"""
#define EACH(i, n) _Pragma("unroll") for (int i = 0; i < n; i++)
#define KERNEL extern "C" __global__ void __launch_bounds__(128)

constexpr int M = 64;              // rows of a tile
constexpr int R = 8;               // rows that a thread works on
constexpr int N = M / 16;          // columns of a square of scores that it works on
constexpr int W = (D + 15) / 16;   // columns of vectors that it works on
__device__ int row(int r) { return threadIdx.x / 16 + 8 * r; }
__device__ int column(int n) { return threadIdx.x % 16 + 16 * n; }

// One number more in a row than is used: threads that read a column then read different banks.
struct Vectors { real at[M][16 * W + 1]; };
struct Square { real at[M][M + 1]; };

__device__ void load(Vectors& to, const real* from, int first, int count) {
    for (int i = threadIdx.x; i < M * 16 * W; i += 128) {
        int r = i / (16 * W), c = i % (16 * W);
        to.at[r][c] = first + r < count && c < D ? from[(size_t)(first + r) * D + c] : real(0);
    }
}

// sum += a b, of the thread's own rows of a and columns of b, over `steps` steps
template <int steps, int columns, class A, class B>
__device__ void add_product(real (&sum)[R][columns], A a, B b) {
    #pragma unroll 8
    for (int k = 0; k < steps; k++) {
        real x[R], y[columns];
        EACH(r, R) x[r] = a(row(r), k);
        EACH(n, columns) y[n] = b(k, column(n));
        EACH(r, R) EACH(n, columns) sum[r][n] += x[r] * y[n];
    }
}
#define OF(tile) [&](int i, int j) { return tile.at[i][j]; }
#define TRANSPOSED(tile) [&](int i, int j) { return tile.at[j][i]; }

__device__ void put(Square& to, real (&p)[R][N]) {
    __syncwarp();  // a row is read by the 16 threads that write it, and by no other
    EACH(r, R) EACH(n, N) to.at[row(r)][column(n)] = p[r][n];
    __syncwarp();
}

__device__ void store(real* to, real (&x)[R][W], int first, int count, real scale) {
    EACH(r, R) EACH(n, W)
        if (first + row(r) < count && column(n) < D) to[(size_t)(first + row(r)) * D + column(n)] = x[r][n] * scale;
}

// The sum, or the largest, of what the 16 threads of a row bring
template <class F> __device__ real over_row(real x, F join) {
    for (int step = 8; step; step /= 2) x = join(x, __shfl_xor_sync(0xffffffffu, x, step));
    return x;
}
"""
)
FORWARD = r"""
struct Room { Vectors q, k, v; Square p; };

KERNEL attend(
    int T, int S, int causal, real scale, const real* q, const real* k, const real* v, real* out, real* total) {
    extern __shared__ double memory[];
    Room& room = *(Room*)memory;
    int first = (gridDim.x - 1 - blockIdx.x) * M;  // the longest pasts first
    size_t head = blockIdx.y;
    k += head * S * D, v += head * S * D;
    load(room.q, q + head * T * D, first, T);
    real sum[R] = {}, top[R], y[R][W] = {};
    EACH(r, R) top[r] = -INFINITY;
    int end = causal ? min(S, first + M) : S;
    for (int s = 0; s < end; s += M) {
        __syncthreads();  // the tile before may still be read
        load(room.k, k, s, S);
        load(room.v, v, s, S);
        __syncthreads();
        real p[R][N] = {};
        add_product<D>(p, OF(room.q), TRANSPOSED(room.k));
        EACH(r, R) {
            real larger = top[r], more = 0;
            EACH(n, N) {
                bool seen = s + column(n) < S && !(causal && s + column(n) > first + row(r));
                p[r][n] = seen ? p[r][n] * scale : -INFINITY;
                larger = Max()(larger, p[r][n]);
            }
            larger = over_row(larger, Max());
            EACH(n, N) more += p[r][n] = exp(p[r][n] - larger);
            real shrink = exp(top[r] - larger);
            sum[r] = sum[r] * shrink + over_row(more, Sum());
            EACH(n, W) y[r][n] *= shrink;
            top[r] = larger;
        }
        put(room.p, p);
        add_product<M>(y, OF(room.p), OF(room.v));
    }
    EACH(r, R) {
        EACH(n, W) y[r][n] /= sum[r];
        if (first + row(r) < T && threadIdx.x % 16 == 0) total[head * T + first + row(r)] = top[r] + log(sum[r]);
    }
    store(out + head * T * D, y, first, T, 1);
}
"""
# With p the weights, dp = g v^T and mean = g . out: dv = p^T g, ds = p (dp - mean), dk = ds^T q scale, dq = ds k scale
BACKWARD = r"""
struct Room { Vectors q, k, v, g; Square p; };

KERNEL attend_back_keys(
    int T, int S, int causal, real scale, const real* q, const real* k, const real* v, const real* g,
    const real* total, const real* mean, real* dk, real* dv) {
    extern __shared__ double memory[];
    Room& room = *(Room*)memory;
    int first = blockIdx.x * M;
    size_t head = blockIdx.y;
    q += head * T * D, g += head * T * D, total += head * T, mean += head * T;
    load(room.k, k + head * S * D, first, S);
    load(room.v, v + head * S * D, first, S);
    real slope_k[R][W] = {}, slope_v[R][W] = {};
    for (int t = causal ? first : 0; t < T; t += M) {
        __syncthreads();
        load(room.q, q, t, T);
        load(room.g, g, t, T);
        __syncthreads();
        real p[R][N] = {}, ds[R][N] = {};  // rows are keys, columns are queries
        add_product<D>(p, OF(room.k), TRANSPOSED(room.q));
        add_product<D>(ds, OF(room.v), TRANSPOSED(room.g));
        EACH(n, N) {
            int query = t + column(n);
            real far = query < T ? total[query] : real(0), level = query < T ? mean[query] : real(0);
            EACH(r, R) {
                bool seen = query < T && first + row(r) < S && !(causal && first + row(r) > query);
                p[r][n] = seen ? exp(p[r][n] * scale - far) : real(0);
                ds[r][n] = p[r][n] * (ds[r][n] - level);
            }
        }
        put(room.p, p);
        add_product<M>(slope_v, OF(room.p), OF(room.g));
        put(room.p, ds);
        add_product<M>(slope_k, OF(room.p), OF(room.q));
    }
    store(dv + head * S * D, slope_v, first, S, 1);
    store(dk + head * S * D, slope_k, first, S, scale);
}

KERNEL attend_back_queries(
    int T, int S, int causal, real scale, const real* q, const real* k, const real* v, const real* g,
    const real* total, const real* mean, real* dq) {
    extern __shared__ double memory[];
    Room& room = *(Room*)memory;
    int first = (gridDim.x - 1 - blockIdx.x) * M;
    size_t head = blockIdx.y;
    k += head * S * D, v += head * S * D, total += head * T, mean += head * T;
    load(room.q, q + head * T * D, first, T);
    load(room.g, g + head * T * D, first, T);
    real far[R], level[R], slope[R][W] = {};
    EACH(r, R) {
        int query = first + row(r);
        far[r] = query < T ? total[query] : real(0), level[r] = query < T ? mean[query] : real(0);
    }
    int end = causal ? min(S, first + M) : S;
    for (int s = 0; s < end; s += M) {
        __syncthreads();
        load(room.k, k, s, S);
        load(room.v, v, s, S);
        __syncthreads();
        real p[R][N] = {}, ds[R][N] = {};
        add_product<D>(p, OF(room.q), TRANSPOSED(room.k));
        add_product<D>(ds, OF(room.g), TRANSPOSED(room.v));
        EACH(r, R) EACH(n, N) {
            bool seen = s + column(n) < S && !(causal && s + column(n) > first + row(r));
            ds[r][n] = seen ? exp(p[r][n] * scale - far[r]) * (ds[r][n] - level[r]) : real(0);
        }
        put(room.p, ds);
        add_product<M>(slope, OF(room.p), OF(room.k));
    }
    store(dq + head * T * D, slope, first, T, scale);
}
"""
TILE, THREADS = 64, 128


class LogOfSum:
    """log(sum(exp(scores))) of each query, (.., T): what these kernels keep in the place of the weights.

    `form` is that of the products they came of, None for plain float32.
    """

    def __init__(self, array: Any, form: str | None = None):
        self.array, self.form = array, form


def room(width: int, dtype: np.dtype, vectors: int) -> int:
    """The bytes of memory that a block shares: some tiles of vectors and one of scores."""
    return TILE * (vectors * (-(-width // 16) * 16 + 1) + TILE + 1) * dtype.itemsize


@functools.cache
def most_room() -> int:
    import cupy

    return cupy.cuda.Device().attributes["MaxSharedMemoryPerBlockOptin"]


@functools.cache
def compiled(source: str, name: str, width: int, dtype: np.dtype, vectors: int) -> Any:
    import cupy

    kernel = cupy.RawKernel(PRELUDE + source, name, (f"-DD={width}", f"-Dreal={FLOATS[dtype]}", "--std=c++14"))
    kernel.max_dynamic_shared_size_bytes = room(width, dtype, vectors)
    return kernel


def launch(source: str, name: str, vectors: int, tiles_of: int, shape: tuple, dtype: np.dtype, *arguments: Any) -> None:
    """One block for each tile of `tiles_of` queries or keys and each head; `shape` is (heads, T, S, D)."""
    heads, t, s, d = shape
    kernel = compiled(source, name, d, dtype, vectors)
    grid = (-(-tiles_of // TILE), heads)
    kernel(grid, (THREADS,), (np.int32(t), np.int32(s), *arguments), shared_mem=room(d, dtype, vectors))


def shape_of(q: Any, k: Any) -> tuple[int, int, int, int]:
    t, d = q.shape[-2:]
    return q.size // (t * d), t, k.shape[-2], d


def fits(q: Any, k: Any, v: Any, mask: Any) -> bool:
    return (
        mask is None
        and takes(q, k, v)
        and k.shape == v.shape
        and (*q.shape[:-2], q.shape[-1]) == (*k.shape[:-2], k.shape[-1])
        and shape_of(q, k)[0] < 2**16
        and room(q.shape[-1], q.dtype, 4) <= most_room()
    )


@scaled_dot_product_attention.kernel("cupy")
def forward(q, k, v, mask=None, *, is_causal=False, scale=1.0):
    if not fits(q, k, v, mask):
        return NotImplemented
    if matrices.in_use and attention_products.fits(q, k):
        out, total = attention_products.forward(q, k, v, matrices.in_use, is_causal, scale)
        return out, LogOfSum(total, matrices.in_use)
    xp, shape, dtype = module_of(q), shape_of(q, k), q.dtype
    q, k, v = map(xp.ascontiguousarray, (q, k, v))
    out, total = xp.empty_like(q), xp.empty(q.shape[:-1], dtype)
    settings = np.int32(is_causal), real(scale, dtype)
    launch(FORWARD, "attend", 3, shape[1], shape, dtype, *settings, q, k, v, out, total)
    return out, LogOfSum(total)


@scaled_dot_product_attention.vjp_kernel("cupy")
def pull_back(g, out, q, k, v, p, scale, is_causal):
    if not isinstance(p, LogOfSum):
        return NotImplemented
    if p.form:
        return *attention_products.pull_back(g, out, q, k, v, p.array, p.form, is_causal, scale), None
    xp, shape, dtype = module_of(q), shape_of(q, k), q.dtype
    mean = along_rows(g, out)
    q, k, v, g = (xp.ascontiguousarray(x, dtype) for x in (q, k, v, g))
    dq, dk, dv = map(xp.empty_like, (q, k, v))
    given = np.int32(is_causal), real(scale, dtype), q, k, v, g, p.array, mean
    launch(BACKWARD, "attend_back_keys", 4, shape[2], shape, dtype, *given, dk, dv)
    launch(BACKWARD, "attend_back_queries", 4, shape[1], shape, dtype, *given, dq)
    return dq, dk, dv, None
