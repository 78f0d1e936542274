"""Convolution from two moves, each the other's transpose: every window of an array laid out, and windows added back.

Arrays are (N, C, *S): samples, channels, and any number of axes to slide over. In memory samples are made to lie
innermost: windows are then copied in long runs, and a convolution of all samples is one matrix product.
"""

import functools
import itertools
import math
from typing import NamedTuple

from .. import matrices
from ..define import op
from ..spec import Spec
from ..sums import summed


class Slide(NamedTuple):
    """How windows slide, an entry an axis: window p begins at p stride - padding, its entries lie `dilation` apart.

    How many windows there are it leaves open: every op here is told the `shape` of its result.
    """

    stride: tuple[int, ...]
    padding: tuple[int, ...]
    dilation: tuple[int, ...]


@op(r"\operatorname{{windows}}({x})")
def windows(xp, x, *, size, shape, slide, fill=0.0):
    """The window at each position of `shape`: (N, C, *S) -> (N, C, *size, *shape); outside x lies `fill`."""
    n, c = x.shape[:2]
    x = padded(xp, x, size, shape, slide, fill)
    out = xp.empty((c, *size, *shape, n), dtype=x.dtype)
    for offset, places in offsets(size, shape, slide):
        out[offset] = x[places]
    return samples_first(out)


@op(r"\operatorname{{add\_windows}}({g})")
def add_windows(xp, g, *, shape, slide):
    """The transpose of `windows`: (N, C, *size, *P) -> (N, C, *shape), what falls on one place adding up."""
    size, count = g.shape[2 : -len(shape)], g.shape[-len(shape) :]
    out = xp.zeros((g.shape[1], *reach(shape, size, count, slide), g.shape[0]), dtype=g.dtype)
    g = samples_last(g)
    for offset, places in offsets(size, count, slide):
        out[places] += g[offset]
    return samples_first(out[inside(shape, slide)])


windows.vjp(x=lambda g, x_shape, slide: add_windows(g, shape=x_shape[2:], slide=slide))
add_windows.vjp(
    g=lambda g, g_shape, shape, slide: windows(
        g, size=g_shape[2 : -len(shape)], shape=g_shape[-len(shape) :], slide=slide
    )
)
windows.kernel("shapes")(lambda x, size, shape, slide, fill: Spec((*x.shape[:2], *size, *shape), x.dtype))
add_windows.kernel("shapes")(lambda g, shape, slide: Spec((*g.shape[:2], *shape), g.dtype))


@op(r"{x} * {weight} + {bias}", binds=1)
def conv(x, weight, bias=None, *, shape, slide, groups=1):
    """Each window times each filter, summed: (N, C, *S), (O, C/groups, *K), (O,) -> (N, O, *shape).

    Channels and filters fall into `groups`; a filter sees the channels of its own group.
    """
    out = matrices.product(_filters(weight, groups), _columns(x, weight.shape[2:], shape, slide, groups))
    out = samples_first(out.reshape(weight.shape[0], *shape, x.shape[0]))
    return out if bias is None else out + _beside(bias, shape)


@op(r"{x} *^\top {weight} + {bias}", binds=1)
def conv_transpose(x, weight, bias=None, *, shape, slide, groups=1):
    """The transpose of `conv`, each entry times each filter, added at its window.

    (N, O, *P), (O, C/groups, *K), (C,) -> (N, C, *shape)
    """
    n, c, size, count = x.shape[0], groups * weight.shape[1], weight.shape[2:], x.shape[2:]
    laid = matrices.product(_filters(weight, groups).swapaxes(-1, -2), _rows(x, groups))
    out = add_windows(samples_first(laid.reshape(c, *size, *count, n)), shape=shape, slide=slide)
    return out if bias is None else out + _beside(bias, shape)


def _slope(x, g, size, slide, groups):
    """How the sum of g conv(x, weight) changes with the weight: what each entry of a window met, over all windows."""
    slope = matrices.product(_rows(g, groups), _columns(x, size, g.shape[2:], slide, groups).swapaxes(-1, -2))
    return slope.reshape(g.shape[1], x.shape[1] // groups, *size)


conv.vjp(
    x=lambda g, weight, x_shape, slide, groups: conv_transpose(
        g, weight, shape=x_shape[2:], slide=slide, groups=groups
    ),
    weight=lambda g, x, weight_shape, slide, groups: _slope(x, g, weight_shape[2:], slide, groups),
    bias=lambda g: _over_samples(g),
)
conv_transpose.vjp(
    x=lambda g, weight, x_shape, slide, groups: conv(g, weight, shape=x_shape[2:], slide=slide, groups=groups),
    weight=lambda g, x, weight_shape, slide, groups: _slope(g, x, weight_shape[2:], slide, groups),
    bias=lambda g: _over_samples(g),
)


# ---- as matrices, a stack of one for each group
def _filters(weight, groups):
    """(O, C/G, *K) -> (G, O/G, C/G K)"""
    o, *rest = weight.shape
    return weight.reshape(groups, o // groups, math.prod(rest))


def _columns(x, size, shape, slide, groups):
    """Every window as a column: (N, C, *S) -> (G, C/G K, P N)"""
    laid = samples_last(windows(x, size=size, shape=shape, slide=slide))
    return laid.reshape(groups, x.shape[1] // groups * math.prod(size), math.prod(shape) * x.shape[0])


def _rows(x, groups):
    """Every channel as a row: (N, O, *P) -> (G, O/G, P N)"""
    n, o, *count = x.shape
    return samples_last(x).reshape(groups, o // groups, math.prod(count) * n)


def _beside(bias, shape):
    """(O,) -> (O, 1, ..), to be added to each channel."""
    return bias.reshape(bias.shape[0], *(1 for _ in shape))


def _over_samples(g):
    """What reaches a channel's bias."""
    return summed(g, axis=(0, *range(2, g.ndim)))


# ---- where windows lie
def padded(xp, x, size, shape, slide, fill):
    """x in its padding, contiguous, samples last: (N, C, *S) -> (C, *S, N)."""
    n, c, *inner = x.shape
    x, whole = samples_last(x), reach(inner, size, shape, slide)
    if whole == inner:
        return xp.ascontiguousarray(x)
    out = xp.full((c, *whole, n), fill, dtype=x.dtype)
    out[inside(inner, slide)] = x
    return out


def reach(shape, size, count, slide):
    """How far an array of `shape` extends with its padding: as far as windows do."""
    return [b + max(n, (p - 1) * s + (k - 1) * d + 1 - b) for n, k, p, s, b, d in zip(shape, size, count, *slide)]


def inside(shape, slide):
    """Where in the padded array the array itself lies."""
    return (slice(None), *(slice(b, b + n) for n, b in zip(shape, slide.padding)))


@functools.lru_cache
def offsets(size, count, slide):
    """For each entry of a window: its place in windows laid out, and its places in the padded array."""
    found, (stride, _, dilation) = [], slide
    for offset in itertools.product(*map(range, size)):
        places = (slice(o * d, o * d + (p - 1) * s + 1, s) for o, p, s, d in zip(offset, count, stride, dilation))
        found.append(((slice(None), *offset), (slice(None), *places)))
    return found


def samples_last(x):
    return x.transpose(*range(1, x.ndim), 0)


def samples_first(x):
    return x.transpose(x.ndim - 1, *range(x.ndim - 1))
