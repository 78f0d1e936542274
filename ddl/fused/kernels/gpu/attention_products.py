"""Attention on CuPy where products are rounded: the matrix units make scores and means of a few heads at a time.

Between two products a kernel visits each row of scores once: forward it writes the weights in the products' form,
backward it makes them anew from the logarithm of their sum, and writes the scores' slopes beside them. So no more than
ROOM bytes of scores are there at once.
"""

from typing import Any

import numpy as np

from ....arrays import module_of
from .laid import LOW
from .products import low, lowered, multiply
from .rows import along_rows, real, row_kernel

ROOM = 1 << 29
WIDEST = 8192  # keys whose scores fit the registers of a row's threads
FORWARD = r"""
KERNEL weigh(int n, const real* scores, real scale, int T, int causal, low* p, real* total) {
    int row = blockIdx.x * ROWS + threadIdx.x / P;
    bool live = row < n;
    size_t start = (size_t)(live ? row : 0) * C;
    int seen = causal ? min(C, row % T + 1) : C;
    real held[N], largest = -INFINITY, sum = 0;
    EACH(k, i) largest = Max()(held[k] = i < seen ? scores[start + i] * scale : -INFINITY, largest);
    largest = over_row(largest, Max());
    EACH(k, i) sum += held[k] = exp(held[k] - largest);
    sum = over_row(sum, Sum());
    if (!live) return;
    real part = 1 / sum;
    EACH(k, i) p[start + i] = lowered(held[k] * part);
    if (threadIdx.x % P == 0) total[row] = largest + log(sum);
}
"""
BACKWARD = r"""
KERNEL slope(
    int n, const real* scores, const real* dp, real scale, int T, int causal, const real* total, const real* mean,
    low* p, low* ds) {
    int row = blockIdx.x * ROWS + threadIdx.x / P;
    if (row >= n) return;
    size_t start = (size_t)row * C;
    int seen = causal ? min(C, row % T + 1) : C;
    real far = total[row], level = mean[row];
    EACH(k, i) {
        real w = i < seen ? exp(scores[start + i] * scale - far) : real(0);
        p[start + i] = lowered(w);
        ds[start + i] = lowered(i < seen ? w * (dp[start + i] - level) * scale : real(0));
    }
}
"""
WEIGH, SLOPE = (
    {form: row_kernel(made + source, name) for form, made in LOW.items()}
    for source, name in ((FORWARD, "weigh"), (BACKWARD, "slope"))
)


def fits(q: Any, k: Any) -> bool:
    """Whether there is enough work for several calls to be worth it, and a row of scores fits."""
    t, s = q.shape[-2], k.shape[-2]
    return q.dtype == np.float32 and t * s >= 2**16 and s <= WIDEST


def heads(x: Any, form: str) -> Any:
    """(.., T, D) -> (heads, T, D), in the products' form."""
    return lowered(x, form).reshape(-1, *x.shape[-2:])


def few(count: int, t: int, s: int) -> list[slice]:
    """So many heads at a time that their scores fit the room."""
    step = max(1, ROOM // (4 * t * s))
    return [slice(start, min(start + step, count)) for start in range(0, count, step)]


def forward(q: Any, k: Any, v: Any, form: str, is_causal: bool, scale: float) -> tuple[Any, Any]:
    """The output, and of each query the logarithm of the sum of its exponentials."""
    xp, (t, s) = module_of(q), (q.shape[-2], k.shape[-2])
    out, total = xp.empty(q.shape, np.float32), xp.empty(q.shape[:-1], np.float32)
    q, k, v = (heads(x, form) for x in (q, k, v))
    mine, sums = out.reshape(q.shape), total.reshape(q.shape[:-1])
    for some in few(len(q), t, s):
        scores = multiply(q[some], k[some].swapaxes(-1, -2), form)
        p = xp.empty(scores.shape, low(form))
        settings = real(scale, scores.dtype), np.int32(t), np.int32(is_causal)
        WEIGH[form](len(scores) * t, s, scores.dtype, scores, *settings, p, sums[some])
        multiply(p, v[some], form, out=mine[some])
    return out, total


def pull_back(
    g: Any, out: Any, q: Any, k: Any, v: Any, total: Any, form: str, is_causal: bool, scale: float
) -> tuple[Any, Any, Any]:
    """The slopes of q, k and v."""
    xp, (t, s) = module_of(q), (q.shape[-2], k.shape[-2])
    mean = along_rows(g, out).reshape(-1, t)
    slopes = [xp.empty(x.shape, np.float32) for x in (q, k, v)]
    q, k, v, g = (heads(x, form) for x in (q, k, v, g))
    dq, dk, dv = (x.reshape(-1, *x.shape[-2:]) for x in slopes)
    total = total.reshape(-1, t)
    for some in few(len(q), t, s):
        scores = multiply(q[some], k[some].swapaxes(-1, -2), form)
        dp = multiply(g[some], v[some].swapaxes(-1, -2), form)
        p, ds = (xp.empty(scores.shape, low(form)) for _ in range(2))
        settings = real(scale, scores.dtype), np.int32(t), np.int32(is_causal)
        SLOPE[form](len(scores) * t, s, scores.dtype, scores, dp, *settings, total[some], mean[some], p, ds)
        multiply(ds, k[some], form, out=dq[some])
        multiply(ds.swapaxes(-1, -2), q[some], form, out=dk[some])
        multiply(p.swapaxes(-1, -2), g[some], form, out=dv[some])
    return slopes[0], slopes[1], slopes[2]
