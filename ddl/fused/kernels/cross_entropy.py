"""cross_entropy_rows on numpy: probabilities and losses of a block of rows in one visit."""

import numpy as np

from ..cross_entropy import cross_entropy_rows
from .blocks import blocks, one_float

SIZE = 64


@cross_entropy_rows.kernel("numpy")
def forward(x, i, *, ignore_index=-100, label_smoothing=0.0):
    if not one_float(x):
        return NotImplemented
    n = len(x)
    p, loss = np.empty_like(x), np.empty(n, x.dtype)
    kept = i != ignore_index
    right = np.where(kept, i, 0)
    for block in blocks(n, SIZE):
        z = p[block]
        at = np.arange(len(z)), right[block]
        np.subtract(x[block], x[block].max(axis=-1, keepdims=True), out=z)
        score = z[at]
        if label_smoothing:
            score = (1 - label_smoothing) * score + label_smoothing * z.mean(axis=-1)
        np.exp(z, out=z)
        total = z.sum(axis=-1, keepdims=True)
        np.subtract(np.log(total[:, 0]), score, out=loss[block])
        z /= total
    return np.where(kept, loss, x.dtype.type(0)), p


@cross_entropy_rows.vjp_kernel("numpy")
def pull_back(g, i, p, ignore_index, label_smoothing):
    if label_smoothing or not one_float(g, p):
        return NotImplemented
    kept = i != ignore_index
    g = np.where(kept, g, g.dtype.type(0))
    dx = p * g[:, None]
    dx[np.arange(len(dx)), np.where(kept, i, 0)] -= g
    return dx, None
