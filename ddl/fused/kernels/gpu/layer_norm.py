"""layer_norm on CuPy: a row is read once; the slopes of weight and bias are added up block by block."""

from ....arrays import module_of
from ....ops import rows
from ...layer_norm import layer_norm
from .products import column_sums
from .rows import real, row_kernel, takes

FORWARD = r"""
KERNEL layer_norm(
    int n, const real* x, const real* weight, const real* bias, real eps, real* out, real* mean, real* rstd) {
    int row = blockIdx.x * ROWS + threadIdx.x / P;
    bool live = row < n;
    x += (size_t)(live ? row : 0) * C;
    real held[N], sum = 0, square = 0;
    EACH(k, i) sum += held[k] = x[i];
    real m = over_row(sum, Sum()) / C;
    EACH(k, i) { real d = held[k] - m; square += d * d; }
    real r = 1 / sqrt(over_row(square, Sum()) / C + eps);
    if (!live) return;
    out += (size_t)row * C;
    EACH(k, i) out[i] = (held[k] - m) * r * weight[i] + (bias ? bias[i] : real(0));
    if (threadIdx.x % P == 0) { mean[row] = m; rstd[row] = r; }
}
"""

# dx = rstd (h - mean h - x_hat mean(h x_hat)) with h = g weight; a block walks over many rows, so that the slopes
# of weight and bias, sums over all rows, are a few partial sums at its end.
BACKWARD = r"""
KERNEL layer_norm_back(
    int n, const real* g, const real* x, const real* weight, const real* mean, const real* rstd,
    real* dx, real* dweight, real* dbias) {
    real w[N], dw[N] = {}, db[N] = {};
    EACH(k, i) w[k] = weight[i];
    for (int first = blockIdx.x * ROWS; first < n; first += gridDim.x * ROWS) {
        int row = first + threadIdx.x / P;
        bool live = row < n;
        size_t start = (size_t)(live ? row : 0) * C;
        real m = live ? mean[row] : real(0), r = live ? rstd[row] : real(0);
        real hat[N], slope[N], sum = 0, along = 0;
        EACH(k, i) {
            slope[k] = live ? g[start + i] : real(0);
            hat[k] = (x[start + i] - m) * r;
            real h = slope[k] * w[k];
            sum += h;
            along += h * hat[k];
            dw[k] += slope[k] * hat[k];
            db[k] += slope[k];
        }
        sum = over_row(sum, Sum()) / C;
        along = over_row(along, Sum()) / C;
        if (live) EACH(k, i) dx[start + i] = r * (slope[k] * w[k] - sum - hat[k] * along);
    }
    __shared__ real all[2 * C];
    for (int turn = 0; turn < ROWS; turn++) {  // the rows of a block one after the other: always in the same order
        if (threadIdx.x / P == turn) EACH(k, i) {
            all[i] = (turn ? all[i] : real(0)) + dw[k];
            all[C + i] = (turn ? all[C + i] : real(0)) + db[k];
        }
        __syncthreads();
    }
    for (int i = threadIdx.x; i < C; i += blockDim.x) {
        dweight[(size_t)blockIdx.x * C + i] = all[i];
        dbias[(size_t)blockIdx.x * C + i] = all[C + i];
    }
}
"""
BLOCKS = 264  # two for each multiprocessor of a large GPU
SHARED = 48 * 1024  # bytes that a block may share without asking

forward_rows, backward_rows = row_kernel(FORWARD, "layer_norm"), row_kernel(BACKWARD, "layer_norm_back")


@layer_norm.kernel("cupy")
def forward(x, weight, bias=None, *, eps=1e-5):
    if not takes(x, weight, bias):
        return NotImplemented
    xp, flat = module_of(x), rows(x)
    n, c = flat.shape
    flat, weight = xp.ascontiguousarray(flat), xp.ascontiguousarray(weight)
    out, mean, rstd = xp.empty_like(flat), xp.empty(n, x.dtype), xp.empty(n, x.dtype)
    shift = 0 if bias is None else xp.ascontiguousarray(bias)
    forward_rows(n, c, x.dtype, flat, weight, shift, real(eps, x.dtype), out, mean, rstd)
    kept = (*x.shape[:-1], 1)
    return out.reshape(x.shape), mean.reshape(kept), rstd.reshape(kept)


@layer_norm.vjp_kernel("cupy")
def pull_back(g, x, weight, mean, rstd):
    c = x.shape[-1]
    if not takes(g, x, weight, mean) or 2 * c * x.itemsize > SHARED:
        return NotImplemented
    xp = module_of(x)
    slopes, values, m, r = (xp.ascontiguousarray(rows(a)) for a in (g, x, mean, rstd))
    n = len(values)
    dx, parts = xp.empty_like(values), xp.empty((2, BLOCKS, c), x.dtype)
    weight = xp.ascontiguousarray(weight)
    backward_rows(n, c, x.dtype, slopes, values, weight, m, r, dx, parts[0], parts[1], blocks=BLOCKS)
    return dx.reshape(x.shape), *column_sums(parts)
