"""softmax over the last axis on CuPy: largest, sum and quotient in one visit to a row."""

from ....arrays import module_of
from ....ops import rows
from ...softmax import softmax
from .rows import row_kernel, takes

FORWARD = r"""
KERNEL softmax(int n, const real* x, real* out) {
    int row = blockIdx.x * ROWS + threadIdx.x / P;
    bool live = row < n;
    size_t start = (size_t)(live ? row : 0) * C;
    real held[N], largest = -INFINITY, sum = 0;
    EACH(k, i) largest = Max()(held[k] = x[start + i], largest);
    largest = over_row(largest, Max());
    EACH(k, i) sum += held[k] = exp(held[k] - largest);
    real scale = 1 / over_row(sum, Sum());
    if (live) EACH(k, i) out[start + i] = held[k] * scale;
}
"""
BACKWARD = r"""
KERNEL softmax_back(int n, const real* g, const real* out, real* dx) {
    int row = blockIdx.x * ROWS + threadIdx.x / P;
    bool live = row < n;
    size_t start = (size_t)(live ? row : 0) * C;
    real slope[N], p[N], sum = 0;
    EACH(k, i) { slope[k] = g[start + i]; p[k] = out[start + i]; sum += slope[k] * p[k]; }
    sum = over_row(sum, Sum());
    if (live) EACH(k, i) dx[start + i] = p[k] * (slope[k] - sum);
}
"""
LARGEST = 32 * 1024  # a wider row does not fit the registers of its threads

forward_rows, backward_rows = row_kernel(FORWARD, "softmax"), row_kernel(BACKWARD, "softmax_back")


def fits(x, axis):
    return takes(x) and x.ndim and axis % x.ndim == x.ndim - 1 and x.shape[-1] <= LARGEST


@softmax.kernel("cupy")
def forward(x, *, axis=-1):
    if not fits(x, axis):
        return NotImplemented
    flat = module_of(x).ascontiguousarray(rows(x))
    out = module_of(x).empty_like(flat)
    forward_rows(*flat.shape, x.dtype, flat, out)
    return out.reshape(x.shape)


@softmax.vjp_kernel("cupy")
def pull_back(g, out, axis):
    if not fits(out, axis) or g.dtype != out.dtype:
        return NotImplemented
    xp = module_of(out)
    slopes, p = xp.ascontiguousarray(rows(g)), xp.ascontiguousarray(rows(out))
    dx = xp.empty_like(p)
    backward_rows(*p.shape, out.dtype, slopes, p, dx)
    return (dx.reshape(out.shape),)
