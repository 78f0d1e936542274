"""Windows that slide: convolution, its transpose, pooling, and the windows themselves."""

import math

from ....sizes import named
from ..refusals import NUMBERS, refuse
from .shaping import transposed, unsqueezed
from .table import row


def frame(w, out, inner, size, shape, slide):
    """The padding before and after each axis with which as many windows fit as were asked for."""
    fixed = not any(map(named, size))
    after = [padding_after(*each) if fixed else None for each in zip(inner, size, shape, *slide)]
    if None in after:
        refuse(out, w.scope, f" with {tuple(shape)} windows of {tuple(size)} over {tuple(inner)}", NUMBERS)
    return list(slide.padding), after


def padding_after(n, k, count, stride, before, dilation):
    reach = (k - 1) * dilation + 1
    fits = (a for a in (before, *range(before + reach + stride)) if (n + before + a - reach) // stride + 1 == count)
    return next(fits, None)


def settings(size, slide, pads):
    return {"kernel_shape": list(size), "strides": list(slide.stride), "dilations": list(slide.dilation), "pads": pads}


@row("conv")
def _(w, out, x, weight, bias=None, *, shape, slide, groups):
    xs = [w.cast(t, out.dtype) for t in (x, weight, bias) if t is not None]
    before, after = frame(w, out, x.shape[2:], weight.shape[2:], shape, slide)
    return w.op("Conv", *xs, group=groups, shape=out.shape, **settings(weight.shape[2:], slide, before + after))


@row("conv_transpose")
def _(w, out, x, weight, bias=None, *, shape, slide, groups):
    x, *rest = (w.cast(t, out.dtype) for t in (x, weight, bias) if t is not None)
    ends = []
    for p, k, n, stride, before, dilation in zip(x.shape[2:], weight.shape[2:], shape, *slide):
        past = stride * (p - 1) + (k - 1) * dilation + 1 - before - n  # by how much windows reach past the result
        if named(past) or named(k):
            refuse(out, w.scope, f" of windows of {weight.shape[2:]} from {x.shape[2:]} to {tuple(shape)}", NUMBERS)
        zeros = -(past // stride) if past <= -stride else 0  # further windows, as runtimes add less than a stride
        ends.append((zeros, max(past + zeros * stride, 0), max(-past - zeros * stride, 0)))
    zeros, after, more = map(list, zip(*ends))
    x = padded(w, x, [0] * len(zeros), zeros, 0.0)
    pads = settings(weight.shape[2:], slide, [*slide.padding, *after])
    return w.op("ConvTranspose", x, *rest, group=groups, output_padding=more, shape=out.shape, **pads)


def padded(w, x, before, after, fill):
    if not any(before + after):
        return x
    ends = w.axes(0, 0, *before, 0, 0, *after)
    shape = (*x.shape[:2], *(n + a + b for n, a, b in zip(x.shape[2:], before, after)))
    return w.op("Pad", x, ends, w.cast(fill, x.dtype), shape=shape)


@row("max_pool")
def _(w, out, x, *, size, shape, slide):
    x, size, slide = without_whole_axes(w, x, size, shape, slide)
    before, after = frame(w, out, x.shape[2:], size, shape, slide)
    if any(p >= k for p, k in zip(before + after, size * 2)):  # which the operator has not
        x = padded(w, x, before, after, -math.inf)
        before = after = [0] * len(size)
    return w.op("MaxPool", x, shape=out.shape, **settings(size, slide, before + after))


def without_whole_axes(w, x, size, shape, slide):
    """The largest along each axis whose size has a name, where that is the window; and what slides over the rest."""
    whole = [i for i, k in enumerate(size) if named(k) and k == x.shape[i + 2] and shape[i] == 1]
    if whole:
        kept = [1 if i - 2 in whole else n for i, n in enumerate(x.shape)]
        x = w.op("ReduceMax", x, w.axes(*(i + 2 for i in whole)), keepdims=1, shape=kept)
    one = lambda sizes: tuple(1 if i in whole else n for i, n in enumerate(sizes))
    return x, one(size), slide._replace(stride=one(slide.stride))


@row("windows")
def _(w, out, x, *, size, shape, slide, fill):
    before, after = frame(w, out, x.shape[2:], size, shape, slide)
    x = padded(w, x, before, after, fill)
    axes = len(size)
    for axis in reversed(range(axes)):
        within = unsqueezed(w, w.op("Mul", w.arange(size[axis]), slide.dilation[axis]), 1)
        places = w.op("Add", within, w.op("Mul", w.arange(shape[axis]), slide.stride[axis]))
        x = w.op("Gather", x, places, axis=axis + 2, shape=(*x.shape[: axis + 2], *places.shape, *x.shape[axis + 3 :]))
    return transposed(w, x, (0, 1, *range(2, 2 + 2 * axes, 2), *range(3, 3 + 2 * axes, 2)))


@row("add_windows")
def _(w, out, g, *, shape, slide):
    axes = len(shape)
    size, count = g.shape[2:-axes], g.shape[-axes:]
    before, after = frame(w, out, shape, size, count, slide)
    columns = w.reshape(g, (g.shape[0], g.shape[1] * math.prod(size), math.prod(count)))
    how = settings(size, slide, before + after)
    del how["kernel_shape"]
    return w.op("Col2Im", columns, w.shape(shape), w.shape(size), shape=out.shape, **how)
