"""layer_norm on numpy: normalise a block of rows while it is in cache; keep x_hat in the place of `mean`."""

import numpy as np

from ...ops import rows
from ..layer_norm import layer_norm
from .blocks import blocks

SIZE = 256


@layer_norm.kernel("numpy")
def forward(x, weight, bias=None, *, eps=1e-5):
    flat = rows(x)
    n, c = flat.shape
    x_hat, out = np.empty_like(flat), np.empty_like(flat)
    rstd = np.empty((n, 1), flat.dtype)
    average = np.full((c, 1), 1 / c, flat.dtype) if c else np.zeros((0, 1), flat.dtype)
    for block in blocks(n, SIZE):
        d, r = x_hat[block], rstd[block]
        np.subtract(flat[block], flat[block] @ average, out=d)
        np.einsum("nc,nc->n", d, d, out=r[:, 0])
        r /= c
        r += eps
        np.sqrt(r, out=r)
        np.reciprocal(r, out=r)
        d *= r
        np.multiply(d, weight, out=out[block])
        if bias is not None:
            out[block] += bias
    return out.reshape(x.shape), x_hat, rstd


@layer_norm.vjp_kernel("numpy")
def pull_back(g, weight, mean, rstd):
    x_hat, flat = mean, rows(g)
    n, c = flat.shape
    dx = np.empty_like(flat)
    average = np.full((c, 1), 1 / c, flat.dtype)
    for block in blocks(n, SIZE):
        h, hat = dx[block], x_hat[block]
        np.multiply(flat[block], weight, out=h)
        m = np.einsum("nc,nc->n", h, hat)[:, None]
        m /= c
        h -= h @ average
        h -= hat * m
        h *= rstd[block]
    d_weight = np.einsum("nc,nc->c", flat, x_hat)
    return dx.reshape(g.shape), d_weight, np.ones(n, flat.dtype) @ flat
