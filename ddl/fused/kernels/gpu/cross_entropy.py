"""cross_entropy_rows on CuPy: no probability is ever written down.

The forward reads a row once and carries the largest score and the sum of exponentials along; the pull-back does so
again, which the cache answers, and writes the slopes.
"""

import numpy as np

from ....arrays import module_of
from ...cross_entropy import cross_entropy_rows
from .rows import real, row_kernel, takes

# The largest score of a row, and the log of the sum of exp(score - largest). A thread carries both along, some scores
# at a time; when a larger one comes, its sum is brought to it (Milakov and Gimelshein 2018, "Online normalizer
# calculation for softmax").
TOTAL = r"""
constexpr int STEP = 16;

struct Total { real top, rest; };

__device__ Total total_of(const real* x) {
    real top = -INFINITY, sum = 0;
    for (int first = threadIdx.x % P; first < C; first += P * STEP) {
        real z[STEP], larger = top;
        #pragma unroll
        for (int k = 0; k < STEP; k++) {
            z[k] = first + k * P < C ? x[first + k * P] : -INFINITY;
            larger = Max()(z[k], larger);
        }
        if (larger == -INFINITY) continue;
        sum *= exp(top - larger);
        top = larger;
        #pragma unroll
        for (int k = 0; k < STEP; k++) sum += exp(z[k] - top);
    }
    real largest = over_row(top, Max());
    sum = over_row(top == -INFINITY ? real(0) : sum * exp(top - largest), Sum());
    return {largest, log(sum)};
}
"""
FORWARD = (
    TOTAL
    + r"""
KERNEL cross_entropy(
    int n, const real* x, long long apart, const long long* target, long long ignored, real s, real* loss) {
    int row = blockIdx.x * ROWS + threadIdx.x / P;
    bool live = row < n;
    x += (live ? row : 0) * apart;
    Total total = total_of(x);
    real mean = 0;
    if (s) {
        EACH(k, i) mean += x[i] - total.top;
        mean = over_row(mean, Sum()) / C;
    }
    if (!live || threadIdx.x % P) return;
    long long t = target[row];
    loss[row] = t == ignored ? real(0) : total.rest - (1 - s) * (x[t] - total.top) - s * mean;
}
"""
)
BACKWARD = (
    TOTAL
    + r"""
KERNEL cross_entropy_back(
    int n, const real* g, const real* x, long long apart, const long long* target, long long ignored, real s,
    real* dx) {
    int row = blockIdx.x * ROWS + threadIdx.x / P;
    bool live = row < n;
    x += (live ? row : 0) * apart;
    Total total = total_of(x);
    if (!live) return;
    long long t = target[row];
    dx += (size_t)row * C;
    real slope = t == ignored ? real(0) : g[row];
    EACH(k, i) {
        real p = exp(x[i] - total.top - total.rest);
        dx[i] = slope * (p - (i == t ? 1 - s : real(0)) - s / C);
    }
}
"""
)

forward_rows, backward_rows = row_kernel(FORWARD, "cross_entropy"), row_kernel(BACKWARD, "cross_entropy_back")


def spread(x):
    """Rows of neighbours, and how many numbers lie from one to the next."""
    if x.strides[-1] != x.itemsize:
        x = module_of(x).ascontiguousarray(x)
    return x, np.int64(x.strides[0] // x.itemsize)


@cross_entropy_rows.kernel("cupy")
def forward(x, i, *, ignore_index=-100, label_smoothing=0.0):
    if not takes(x):
        return NotImplemented
    xp, target = module_of(x), i.astype(np.int64)
    loss = xp.empty(len(x), x.dtype)
    s = real(label_smoothing, x.dtype)
    forward_rows(*x.shape, x.dtype, *spread(x), target, np.int64(ignore_index), s, loss)
    return loss, None


@cross_entropy_rows.vjp_kernel("cupy")
def pull_back(g, x, i, ignore_index, label_smoothing):
    if not takes(x):
        return NotImplemented
    xp, target = module_of(x), i.astype(np.int64)
    dx, s = xp.empty(x.shape, x.dtype), real(label_smoothing, x.dtype)
    g = xp.ascontiguousarray(g, x.dtype)
    backward_rows(*x.shape, x.dtype, g, *spread(x), target, np.int64(ignore_index), s, dx)
    return dx, None
