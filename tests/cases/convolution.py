"""Windows that slide: convolution, pooling, resizing."""

import math

from ddl import ops
from ddl.nn import functional as F

from .table import D, N, case


# fmt: off
def twin(name, *args, **settings):
    return lambda t, *xs: getattr(t.nn.functional, name)(*xs, *args, **settings)


def functional(function, name, *makers, args=(), **settings):
    """A call that means the same in PyTorch."""
    case(function, f"{name} {args or ''} {settings or ''}".strip(),
         lambda *xs: getattr(F, function)(*xs, *args, **settings),
         *makers, torch=twin(function, *args, **settings))


# inputs, weight, bias, settings of ops.conv; the same for the transpose, from its results back
BIASED = {
    "ordinary": ((2, 3, 5), (4, 3, 3), {}), "one entry": ((1, 1, 1), (1, 1, 1), {}),
    "0-size": ((0, 2, 4), (3, 2, 2), {}), "even": ((2, 2, 5), (3, 2, 4), {"padding": 1}),
    "stride": ((2, 2, 8), (3, 2, 3), {"stride": 3, "padding": 2}),
    "stride that leaves a rest": ((2, 1, 7), (2, 1, 2), {"stride": 3}),
    "dilation": ((2, 2, 8), (3, 2, 3), {"dilation": 3, "padding": 1}), "groups": ((2, 4, 5), (6, 2, 3), {"groups": 2}),
    "a filter a channel": ((2, 3, 4), (6, 1, 2), {"groups": 3}), "tuples": ((2, 2, 4), (3, 2, 2), {"stride": (2,)}),
    "wide padding": ((1, 1, 2), (1, 1, 2), {"padding": 3}),
}
for name, (x, w, settings) in BIASED.items():
    functional("conv1d", name, N(*x), N(*w), N(w[0]), **settings)
    functional("conv1d", f"{name}, no bias", N(*x), N(*w), **settings)
for k in (1, 2, 3, 4):
    for d in (1, 2, 3):
        functional("conv1d", f"size {k}", N(2, 2, 7), N(3, 2, k), N(3), padding="same", dilation=d)
functional("conv1d", "valid", N(2, 2, 5), N(3, 2, 2), padding="valid", stride=2)
IMAGES = {
    "ordinary": ((2, 3, 4, 5), (4, 3, 3, 2), {}), "0-size": ((0, 2, 4, 3), (3, 2, 2, 2), {}),
    "even": ((2, 2, 4, 4), (3, 2, 2, 4), {"padding": 1}),
    "all": ((2, 4, 7, 6), (6, 2, 3, 2), {"stride": (2, 1), "padding": (1, 2), "dilation": (1, 2), "groups": 2}),
    "a filter a channel": ((2, 3, 4, 4), (3, 1, 3, 3), {"groups": 3, "padding": 1}),
    "stride beyond the window": ((2, 1, 7, 7), (2, 1, 2, 2), {"stride": 3}),
}
for name, (x, w, settings) in IMAGES.items():
    functional("conv2d", name, N(*x), N(*w), N(w[0]), **settings)
    functional("conv2d", f"{name}, no bias", N(*x), N(*w), **settings)
for size in ((2, 2), (3, 4), (1, 2), (5, 5)):
    for d in (1, (2, 1)):
        functional("conv2d", f"size {size}", N(1, 2, 4, 5), N(3, 2, *size), N(3), padding="same", dilation=d)
TRANSPOSED = {
    "ordinary": ((2, 4, 3), (4, 2, 3), 2, {}), "one entry": ((1, 1, 1), (1, 1, 1), 1, {}),
    "0-size": ((0, 3, 3), (3, 2, 2), 2, {}), "groups": ((2, 4, 3), (4, 3, 2), 6, {"groups": 2, "stride": 2}),
    "stride": ((2, 2, 3), (2, 3, 4), 3, {"stride": 3, "padding": 2}),
    "longer": ((2, 2, 3), (2, 3, 3), 3, {"stride": 3, "padding": 1, "output_padding": 2}),
    "dilation": ((2, 2, 3), (2, 1, 3), 1, {"dilation": 3, "padding": 2, "output_padding": 2}),
    "longer than a step": ((2, 2, 3), (2, 1, 2), 1, {"stride": 2, "dilation": 4, "output_padding": 3}),
}
for name, (x, w, o, settings) in TRANSPOSED.items():
    functional("conv_transpose1d", name, N(*x), N(*w), N(o), **settings)
    functional("conv_transpose1d", f"{name}, no bias", N(*x), N(*w), **settings)
for name, x, w, o, settings in (
    ("ordinary", (2, 3, 2, 3), (3, 2, 3, 2), 2, {}), ("0-size", (0, 3, 2, 3), (3, 2, 3, 2), 2, {}),
    ("all", (1, 4, 3, 2), (4, 1, 2, 3), 2,
     {"stride": (3, 2), "padding": (0, 1), "output_padding": (2, 1), "groups": 2, "dilation": (1, 2)}),
):
    functional("conv_transpose2d", name, N(*x), N(*w), N(o), **settings)
    functional("conv_transpose2d", f"{name}, no bias", N(*x), N(*w), **settings)

ONE = ops.Slide((1,), (0,), (1,))
for name, x, size, shape, slide in (
    ("ordinary", (2, 3, 4, 5), (2, 3), (3, 3), ops.Slide((1, 1), (0, 0), (1, 1))),
    ("all", (1, 2, 5, 4), (2, 3), (2, 4), ops.Slide((3, 1), (1, 2), (1, 2))), ("0-size", (0, 2, 3, 3), (2, 2), (2, 2),
     ops.Slide((1, 1), (0, 0), (1, 1))),
):
    settings = dict(zip(("stride", "padding", "dilation"), slide))
    case("windows", name, lambda x, k=size, p=shape, s=slide: ops.windows(x, size=k, shape=p, slide=s), N(*x),
         torch=lambda t, x, k=size, p=shape, o=settings:
             t.nn.functional.unfold(x, k, **o).reshape(*x.shape[:2], *k, *p))
    case("add_windows", name, lambda g, x=x, s=slide: ops.add_windows(g, shape=x[2:], slide=s),
         N(*x[:2], *size, *shape),
         torch=lambda t, g, x=x, k=size, o=settings:
             t.nn.functional.fold(g.reshape(x[0], x[1] * math.prod(k), g.shape[-2] * g.shape[-1]), x[2:], k, **o))
    functional("unfold", name, N(*x), args=(size,), **settings)
    functional("fold", name, N(x[0], x[1] * math.prod(size), math.prod(shape)), args=(x[2:], size), **settings)
case("windows", "filled", lambda x: ops.windows(x, size=(2,), shape=(4,), slide=ONE._replace(padding=(1,)), fill=7.0),
     N(1, 1, 3), torch=lambda t, x: t.nn.functional.pad(x, (1, 1), value=7.0).unfold(2, 2, 1).transpose(2, 3))
for name, x, w, settings in (("ordinary", (2, 3, 5), (4, 3, 3), {}), ("0-size", (0, 3, 5), (4, 3, 3), {}),
                             ("groups", (2, 4, 5), (4, 2, 3), {"groups": 2})):
    case("conv", name, lambda *xs, o=settings: ops.conv(*xs, shape=(3,), slide=ONE, **o), N(*x), N(*w), N(w[0]),
         torch=twin("conv1d", **settings))
    case("conv_transpose", name, lambda *xs, o=settings: ops.conv_transpose(*xs, shape=(5,), slide=ONE, **o),
         N(x[0], w[0], 3), N(*w), N(x[1]), torch=twin("conv_transpose1d", **settings))

case("windows", "fewer than fit", lambda x: ops.windows(x, size=(2,), shape=(3,), slide=ONE), N(2, 1, 6),
     torch=lambda t, x: x[..., :4].unfold(2, 2, 1).transpose(2, 3))
case("conv", "fewer than fit", lambda x, w: ops.conv(x, w, shape=(2,), slide=ONE), N(2, 3, 5), N(4, 3, 2),
     torch=lambda t, x, w: t.nn.functional.conv1d(x[..., :3], w))

# ---- pools: max's entries are far from each other, but for the windows of equal ones
POOLS = {
    "side by side": ((2, 3, 6), (2,), {}), "a rest": ((2, 1, 7), (3,), {}), "0-size": ((0, 2, 4), (2,), {}),
    "overlapping": ((2, 2, 7), (3,), {"stride": 2, "padding": 1}), "gaps": ((2, 1, 8), (2,), {"stride": 3}),
    "past the end": ((2, 2, 8), (3,), {"stride": 2, "ceil_mode": True}),
    "past the padding": ((2, 2, 6), (3,), {"stride": 3, "padding": 1, "ceil_mode": True}),
    "nothing past the end": ((1, 1, 5), (2,), {"stride": 4, "padding": 1, "ceil_mode": True}),
}
for name, (x, size, settings) in POOLS.items():
    functional("max_pool1d", name, D(*x), args=size, **settings)
    functional("avg_pool1d", name, N(*x), args=size, **settings)
    functional("avg_pool1d", name, N(*x), args=size, count_include_pad=False, **settings)
for name, x, size, settings in (
    ("side by side", (2, 3, 4, 6), (2,), {}), ("one for all", (2, 2, 3, 3), (3,), {}),
    ("0-size", (0, 2, 4, 4), (2,), {}),
    ("by axis", (2, 2, 5, 4), ((3, 2),), {"stride": (2, 1), "padding": (1, 0)}),
    ("past the end", (1, 2, 6, 7), (3,), {"stride": 2, "padding": 1, "ceil_mode": True}),
):
    functional("max_pool2d", name, D(*x), args=size, **settings)
    functional("avg_pool2d", name, N(*x), args=size, **settings)
    functional("avg_pool2d", name, N(*x), args=size, count_include_pad=False, **settings)
functional("max_pool1d", "dilation", D(2, 2, 8), args=(3,), dilation=2, padding=1, stride=1)
functional("max_pool2d", "dilation", D(1, 2, 6, 5), args=((2, 3),), dilation=(3, 1), stride=1)
functional("avg_pool2d", "divisor", N(1, 2, 4, 4), args=(2,), padding=1, divisor_override=3)
case("max_pool", "ordinary", lambda x: ops.max_pool(x, size=(2,), shape=(3,), slide=ONE._replace(stride=(2,))),
     D(2, 3, 6), torch=twin("max_pool1d", 2))
case("max_pool", "0-size", lambda x: ops.max_pool(x, size=(2,), shape=(5,), slide=ONE), D(0, 3, 6),
     torch=twin("max_pool1d", 2, 1))
for name, x, sizes in (("divides", (2, 3, 6), 3), ("does not", (2, 3, 7), 3), ("grows", (2, 2, 3), 5),
                       ("one", (2, 3, 4), 1), ("0-size", (0, 3, 4), 2)):
    functional("adaptive_avg_pool1d", name, N(*x), args=(sizes,))
    functional("adaptive_max_pool1d", name, D(*x), args=(sizes,))
for name, x, sizes in (("divides", (2, 3, 4, 6), 2), ("does not", (2, 2, 5, 7), (3, 4)),
                       ("grows", (1, 2, 2, 3), (3, 5)), ("one", (2, 3, 4, 4), 1), ("keeps", (2, 2, 3, 5), (None, 2)),
                       ("0-size", (0, 3, 4, 5), (2, 3))):
    functional("adaptive_avg_pool2d", name, N(*x), args=(sizes,))
    functional("adaptive_max_pool2d", name, D(*x), args=(sizes,))

# ---- sizes
for name, x, settings in (
    ("twice", (2, 3, 2, 3), {"scale_factor": 2}), ("by axis", (2, 2, 3, 4), {"scale_factor": (1.5, 0.5)}),
    ("to a size", (1, 2, 3, 4), {"size": (5, 3)}), ("smaller", (1, 2, 7, 5), {"size": 3}),
    ("row", (2, 3, 4), {"size": 7}),
    ("row by a half more", (2, 3, 5), {"scale_factor": 1.5}), ("0-size", (0, 2, 3, 2), {"scale_factor": 2}),
):
    functional("interpolate", name, N(*x), **settings)
# fmt: on
