"""layer_norm on numpy: a block of rows is normalised, scaled and shifted while in cache, and so is its gradient."""

import numpy as np

from ...ops import rows
from ..layer_norm import layer_norm
from .blocks import blocks, one_float

SIZE = 256


@layer_norm.kernel("numpy")
def forward(x, weight, bias=None, *, eps=1e-5):
    if not one_float(x, weight, bias):
        return NotImplemented
    flat = rows(x)
    n, c = flat.shape
    out, mean, rstd = np.empty_like(flat), np.empty((n, 1), flat.dtype), np.empty((n, 1), flat.dtype)
    average = _average(c, flat.dtype)
    for block in blocks(n, SIZE):
        d, r = out[block], rstd[block]
        np.matmul(flat[block], average, out=mean[block])
        np.subtract(flat[block], mean[block], out=d)
        np.einsum("nc,nc->n", d, d, out=r[:, 0])
        r /= max(1, c)
        r += eps
        np.sqrt(r, out=r)
        np.reciprocal(r, out=r)
        d *= r
        d *= weight
        if bias is not None:
            d += bias
    kept = (*x.shape[:-1], 1)
    return out.reshape(x.shape), mean.reshape(kept), rstd.reshape(kept)


@layer_norm.vjp_kernel("numpy")
def pull_back(g, x, weight, mean, rstd):
    if not one_float(g, x, weight, mean):
        return NotImplemented
    flat, values, mean, rstd = rows(g), rows(x), rows(mean), rows(rstd)
    n, c = flat.shape
    dx, d_weight = np.empty_like(flat), np.zeros(c, flat.dtype)
    average = _average(c, flat.dtype)
    for block in blocks(n, SIZE):
        h, slope = dx[block], flat[block]
        hat = values[block] - mean[block]
        hat *= rstd[block]
        d_weight += np.einsum("nc,nc->c", slope, hat)
        np.multiply(slope, weight, out=h)
        m = np.einsum("nc,nc->n", h, hat)[:, None]
        m /= max(1, c)
        h -= h @ average
        hat *= m
        h -= hat
        h *= rstd[block]
    return dx.reshape(g.shape), d_weight, np.ones(n, flat.dtype) @ flat


def _average(c, dtype):
    """A column that turns a product with rows of c into their means."""
    return np.full((c, 1), 1 / max(1, c), dtype)
