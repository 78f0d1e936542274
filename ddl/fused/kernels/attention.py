"""Causal attention on numpy: tiles of queries, each over its own past only, so that half the scores are never made.

Scores are stored keys first, (S, queries): a maximum over the first axis is several times cheaper than over the last.
A tile keeps its unnormalised weights exp(score - maximum) and one over their sum.
"""

import numpy as np

from ... import matrices
from ..attention import scaled_dot_product_attention
from .blocks import one_float

TILE = 64


@scaled_dot_product_attention.kernel("numpy")
def forward(q, k, v, mask=None, *, is_causal=False, scale=1.0):
    t = q.shape[-2]
    if (
        matrices.in_use
        or mask is not None
        or not is_causal
        or not one_float(q, k, v)
        or t < 2
        or k.shape[-2] != t
        or q.shape[:-2] != k.shape[:-2]
        or k.shape[:-1] != v.shape[:-1]
    ):
        return NotImplemented
    out = _like_heads(v, (*q.shape[:-1], v.shape[-1]), q.dtype)
    tiles = []
    for start in range(0, t, TILE):
        stop = min(start + TILE, t)
        p = k[..., :stop, :] @ (q[..., start:stop, :] * scale).swapaxes(-1, -2)
        p[..., start:, :] += np.tril(
            np.full((stop - start, stop - start), -np.inf, p.dtype), k=-1
        )  # keys after the query
        p -= p.max(axis=-2, keepdims=True)
        np.exp(p, out=p)
        over = 1 / p.sum(axis=-2, keepdims=True)
        y = out[..., start:stop, :]
        np.matmul(p.swapaxes(-1, -2), v[..., :stop, :], out=y)
        y *= over.swapaxes(-1, -2)
        tiles.append((p, over))
    return out, _Tiles(tiles)


class _Tiles(list):
    """The weights of each tile: what this kernel keeps in the place of p."""


def _like_heads(x, shape, dtype):
    """An empty (B, H, T, D) array with the memory order of (B, T, H, D), so that joining the heads is a view."""
    if len(shape) != 4:
        return np.empty(shape, dtype)
    b, h, t, d = shape
    return np.empty((b, t, h, d), dtype).swapaxes(1, 2)


@scaled_dot_product_attention.vjp_kernel("numpy")
def pull_back(g, out, q, k, v, p, scale):
    if not isinstance(p, _Tiles) or g.dtype != q.dtype:
        return NotImplemented
    t = q.shape[-2]
    dq, dk, dv = (_like_heads(x, x.shape, x.dtype) for x in (q, k, v))
    starts = range(0, t, TILE)
    for start, (w, over) in reversed(list(zip(starts, p))):
        stop = min(start + TILE, t)
        dy = g[..., start:stop, :] * over.swapaxes(-1, -2)
        mean = np.einsum("...td,...td->...t", dy, out[..., start:stop, :])
        ds = v[..., :stop, :] @ dy.swapaxes(-1, -2)
        ds -= mean[..., None, :]
        ds *= w
        ds *= scale
        np.matmul(ds.swapaxes(-1, -2), k[..., :stop, :], out=dq[..., start:stop, :])
        if stop == t:
            np.matmul(w, dy, out=dv)
            np.matmul(ds, q[..., start:stop, :], out=dk)
        else:
            dv[..., :stop, :] += w @ dy
            dk[..., :stop, :] += ds @ q[..., start:stop, :]
    return dq, dk, dv, None
