"""Windows that slide: convolution, its transpose, pooling, and the windows themselves."""

import math

from ....sizes import named
from ..refusals import NUMBERS, refuse
from .shaping import squeezed, transposed, unsqueezed
from .table import row


def frame(w, out, inner, size, shape, slide):
    """The padding before and after each axis with which as many windows fit as were asked for."""
    fixed = not any(map(named, size))
    after = [padding_after(*each) if fixed else None for each in zip(inner, size, shape, *slide)]
    if None in after:
        refuse(out, w.scope, f" with {tuple(shape)} windows of {tuple(size)} over {tuple(inner)}", NUMBERS)
    return list(slide.padding), after


def framed(w, out, x, size, shape, slide, fill):
    """The same for x, of which what lies past the last window may have to be taken away."""
    before, after = frame(w, out, x.shape[2:], size, shape, slide)
    if min(after) < 0:
        x = padded(w, x, [0] * len(after), [min(a, 0) for a in after], fill)
    return x, before, [max(a, 0) for a in after]


def padding_after(n, k, count, stride, before, dilation):
    reach = (k - 1) * dilation + 1
    fits = (a for a in (before, *range(before + reach + stride)) if (n + before + a - reach) // stride + 1 == count)
    past = (count - 1) * stride + reach - before - n
    if named(past) and count == -((reach - n - 2 * before) // stride) + 1:  # rounded up
        return before + stride - 1
    return next(fits, None if named(past) or past > 0 else past)


def settings(size, slide, pads):
    return {"kernel_shape": list(size), "strides": list(slide.stride), "dilations": list(slide.dilation), "pads": pads}


@row("conv")
def _(w, out, x, weight, bias=None, *, shape, slide, groups):
    x, *rest = (w.cast(t, out.dtype) for t in (x, weight, bias) if t is not None)
    x, before, after = framed(w, out, x, weight.shape[2:], shape, slide, 0.0)
    return w.op("Conv", x, *rest, group=groups, shape=out.shape, **settings(weight.shape[2:], slide, before + after))


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
    x, before, after = framed(w, out, x, size, shape, slide, -math.inf)
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
    x = padded(w, *framed(w, out, x, size, shape, slide, fill), fill)
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
    met = [n + min(a, 0) for n, a in zip(shape, after)]  # as far as windows reach
    flat = axes == 1  # of rows onnxruntime 1.32 gets dilation wrong, so they are images of one row
    rows = lambda sizes, one: [one, *sizes] if flat else list(sizes)
    pads = [*rows(before, 0), *rows((max(a, 0) for a in after), 0)]
    how = {"strides": rows(slide.stride, 1), "dilations": rows(slide.dilation, 1), "pads": pads}
    columns = w.reshape(g, (g.shape[0], g.shape[1] * math.prod(size), math.prod(count)))
    wide = (*out.shape[:2], *rows(met, 1))
    image = w.op("Col2Im", columns, w.shape(rows(met, 1)), w.shape(rows(size, 1)), shape=wide, **how)
    return padded(w, squeezed(w, image, 2) if flat else image, [0] * axes, [max(-a, 0) for a in after], 0.0)
