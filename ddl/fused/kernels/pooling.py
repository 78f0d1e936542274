"""max_pool on numpy: all windows at once, entry by entry, and nothing laid out."""

import math

import numpy as np

from ...ops import max_pool
from ...ops.convolution import inside, offsets, padded, reach, samples_first, samples_last


@max_pool.kernel("numpy")
def forward(x, *, size, shape, slide):
    if x.dtype.kind != "f" or math.prod(size) > 256:
        return NotImplemented
    x = padded(np, x, size, shape, slide, -math.inf)
    (_, first), *others = offsets(size, shape, slide)
    out = x[first].copy()
    at = np.zeros(out.shape, np.uint8)
    for i, (_, places) in enumerate(others, start=1):
        entry = x[places]
        larger = (entry > out).view(np.uint8)
        larger *= np.uint8(i)
        np.maximum(at, larger, out=at)
        np.maximum(out, entry, out=out)
    if not (out > -math.inf).all():  # where a NaN or -inf lies, the definition says
        return NotImplemented
    return samples_first(out), samples_first(at)[:, :, None]


@max_pool.vjp_kernel("numpy")
def pull_back(g, at, x_shape, size, shape, slide):
    if at.dtype != np.uint8:
        return NotImplemented
    at, g = samples_last(at[:, :, 0]), np.ascontiguousarray(samples_last(g))
    out = np.zeros((x_shape[1], *reach(x_shape[2:], size, shape, slide), x_shape[0]), g.dtype)
    apart = all(s >= (k - 1) * d + 1 for s, k, d in zip(slide.stride, size, slide.dilation))
    for i, (_, places) in enumerate(offsets(size, shape, slide)):
        if apart:
            np.multiply(g, at == i, out=out[places])
        else:
            out[places] += g * (at == i)
    return (samples_first(out[inside(x_shape[2:], slide)]),)
