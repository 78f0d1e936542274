"""Convolutions, pools, windows, sizes and shapes."""

from cases.table import D, N

import ddl
from ddl import nn

from .table import bad_arguments, bad_inputs, row

ones = ddl.ones


# fmt: off
def twins(kind, name, *makers, args=(), **settings):
    row(getattr(nn, kind), name, lambda: getattr(nn, kind)(*args, **settings), *makers,
        torch=lambda t: getattr(t.nn, kind)(*args, **settings))


for name, settings in {
    "": {}, "no bias": {"bias": False}, "even, same": {"padding": "same"}, "valid": {"padding": "valid"},
    "all": {"stride": 2, "padding": 1, "dilation": 2, "groups": 2},
}.items():
    twins("Conv1d", name, N(2, 4, 6), args=(4, 6, 2), **settings)
    twins("Conv2d", name, N(2, 4, 6, 5), args=(4, 6, 2), **settings)
twins("Conv2d", "by axis", N(2, 2, 5, 6), args=(2, 3, (2, 3)), stride=(2, 1), padding=(0, 1), dilation=(1, 2))
for name, settings in {
    "": {}, "no bias": {"bias": False}, "all": {"stride": 3, "padding": 1, "output_padding": 2, "groups": 2},
    "dilation": {"dilation": 2, "padding": 1, "output_padding": 1},
}.items():
    twins("ConvTranspose1d", name, N(2, 4, 3), args=(4, 6, 3), **settings)
    twins("ConvTranspose2d", name, N(2, 4, 3, 2), args=(4, 6, 3), **settings)
twins("ConvTranspose2d", "by axis", N(2, 2, 2, 3), args=(2, 3, (2, 3)), stride=(2, 1), padding=(0, 1))

for axes, x in ((1, (2, 3, 7)), (2, (2, 3, 7, 8))):
    for name, settings in {
        "": {}, "all": {"stride": 2, "padding": 1, "ceil_mode": True}
    }.items():
        twins(f"MaxPool{axes}d", name, D(*x), args=(3,), **settings)
        twins(f"AvgPool{axes}d", name, N(*x), args=(3,), **settings)
    twins(f"MaxPool{axes}d", "dilation", D(*x), args=(2,), dilation=3, stride=1)
    twins(f"AvgPool{axes}d", "without the padding", N(*x), args=(3,), padding=1, count_include_pad=False)
    for size in (1, 3, 7):
        twins(f"AdaptiveAvgPool{axes}d", f"{size}", N(*x), args=(size,))
        twins(f"AdaptiveMaxPool{axes}d", f"{size}", D(*x), args=(size,))
twins("AvgPool2d", "divisor", N(1, 2, 4, 4), args=(2,), divisor_override=3)
twins("AdaptiveAvgPool2d", "by axis", N(2, 3, 4, 5), args=((None, 2),))
twins("Unfold", "", N(2, 3, 4, 5), args=((2, 3),), padding=(1, 0), stride=(1, 2))
twins("Fold", "", N(2, 12, 12), args=((3, 6), (2, 2)), padding=(1, 0), stride=(1, 2))
twins("Upsample", "size", N(2, 3, 4), args=(6,))
twins("Upsample", "factor", N(2, 3, 4, 2), scale_factor=(2, 1.5))
twins("Flatten", "", N(2, 3, 4, 2))
twins("Flatten", "some", N(2, 3, 4, 2), args=(0, -2))
twins("Unflatten", "", N(2, 6), args=(1, (2, 3)))
twins("Unflatten", "rest", N(2, 6, 2), args=(-2, (3, -1)))

for axes, side in ((1, "(N, C, L)"), (2, "(N, C, H, W)")):
    ours, back = getattr(nn, f"Conv{axes}d"), getattr(nn, f"ConvTranspose{axes}d")
    for kind in (ours, back):
        image = ones(2, 3, *(4,) * axes)
        make = lambda *args, kind=kind, **settings: lambda: kind(*args, **settings)
        call = lambda layer, x: lambda: layer(x)
        bad_arguments(kind, "no inputs", make(0, 3, 2), "in_channels", "but 0 was")
        bad_arguments(kind, "half an output", make(3, 1.5, 2), "out_channels", "1.5")
        bad_arguments(kind, "negative size", make(3, 2, -2), "kernel_size", "-2")
        bad_arguments(kind, "sizes", make(3, 2, (2, 2, 2)), "kernel_size", "(2, 2, 2)")
        bad_arguments(kind, "stride", make(3, 2, 2, stride=0), "stride", "but 0 was")
        bad_arguments(kind, "padding", make(3, 2, 2, padding=-1), "padding", "-1")
        bad_arguments(kind, "dilation", make(3, 2, 2, dilation=0.5), "dilation", "0.5")
        bad_arguments(kind, "groups", make(4, 6, 2, groups=3), "4 input", "6 output", "but 3 was")
        bad_arguments(kind, "no groups", make(4, 6, 2, groups=0), "groups", "but 0 was")
        bad_inputs(kind, "rank", call(kind(3, 2, 2), ones(3, 4)), side, "(3, 4)")
        bad_inputs(kind, "channels", call(kind(4, 2, 2), image), "4 channels", "have 3")
        bad_inputs(kind, "integers", call(kind(3, 2, 2), image.to(int)), "floating-point", "int64")
    bad_arguments(ours, "a word", lambda ours=ours: ours(3, 2, 2, padding="full"), "padding", "'full'")
    bad_arguments(ours, "same", lambda ours=ours: ours(3, 2, 2, 2, "same"), "stride of 1", "2")
    bad_inputs(ours, "size", call(ours(3, 2, 5), image), "(5,", "(4,")
    bad_inputs(ours, "reach", call(ours(3, 2, 3, padding=1, dilation=3), image), "(7,", "(6,")
    bad_arguments(back, "output", lambda back=back: back(3, 2, 2, 2, output_padding=2), "output_padding", "2", "stride")
    bad_inputs(back, "nothing left", call(back(3, 2, 1, padding=2), image), "(0,", "(4,")
    for pool in ("MaxPool", "AvgPool"):
        kind = getattr(nn, f"{pool}{axes}d")
        bad_arguments(kind, "no size", lambda kind=kind: kind(0), "kernel_size", "but 0 was")
        bad_arguments(kind, "stride", lambda kind=kind: kind(2, -1), "stride", "-1")
        bad_arguments(kind, "padding", lambda kind=kind: kind(2, padding=2), "half", "(2,")
        bad_inputs(kind, "rank", lambda kind=kind: kind(2)(ones(3, 4)), side, "(3, 4)")
        bad_inputs(kind, "size", call(kind(5), image), "(5,", "(4,")
    for pool in ("AdaptiveAvgPool", "AdaptiveMaxPool"):
        kind = getattr(nn, f"{pool}{axes}d")
        bad_arguments(kind, "no size", lambda kind=kind: kind(0), "output_size", "0")
        bad_inputs(kind, "rank", lambda kind=kind: kind(2)(ones(3, 4)), side, "(3, 4)")
        bad_inputs(kind, "nothing", lambda kind=kind, a=axes: kind(2)(ones(3, 4, *(0,) * a)), "(3, 4, 0")
bad_arguments(nn.AvgPool2d, "divisor", lambda: nn.AvgPool2d(2, divisor_override=0), "divisor_override", "0")
bad_arguments(nn.Unfold, "padding", lambda: nn.Unfold(2, padding=-1), "padding", "-1")
bad_inputs(nn.Unfold, "size", lambda: nn.Unfold(4)(ones(1, 1, 3, 5)), "(4, 4)", "(3, 5)")
bad_arguments(nn.Fold, "size", lambda: nn.Fold((4, 0), 2), "output_size", "(4, 0)")
bad_inputs(nn.Fold, "windows", lambda: nn.Fold(4, 2)(ones(1, 8, 10)), "(N, C * 4, 9)", "(1, 8, 10)")
bad_inputs(nn.Fold, "entries", lambda: nn.Fold(4, 2)(ones(1, 6, 9)), "(N, C * 4, 9)", "(1, 6, 9)")
bad_arguments(nn.Upsample, "nothing", nn.Upsample, "size or scale_factor", "None")
bad_arguments(nn.Upsample, "both", lambda: nn.Upsample(3, 2), "size or scale_factor", "3", "2")
bad_arguments(nn.Upsample, "mode", lambda: nn.Upsample(3, mode="bicubic"), "'nearest'", "'bicubic'")
bad_arguments(nn.Upsample, "no size", lambda: nn.Upsample((3, 0)), "size", "(3, 0)")
bad_arguments(nn.Upsample, "factor", lambda: nn.Upsample(scale_factor=-2), "scale_factor", "-2")
bad_inputs(nn.Upsample, "rank", lambda: nn.Upsample(3)(ones(3, 4)), "(N, C, H, W)", "(3, 4)")
bad_inputs(nn.Upsample, "axes", lambda: nn.Upsample(scale_factor=(2, 2))(ones(3, 4, 2)), "1 axes", "(2, 2)")
bad_arguments(nn.Flatten, "half an axis", lambda: nn.Flatten(0.5), "start_dim", "0.5")
bad_inputs(nn.Flatten, "axes", lambda: nn.Flatten(2, 1)(ones(2, 3, 4)), "2 to 1")
bad_arguments(nn.Unflatten, "sizes", lambda: nn.Unflatten(1, (-1, -1)), "one may be -1", "(-1, -1)")
bad_inputs(nn.Unflatten, "sizes", lambda: nn.Unflatten(1, (2, 2))(ones(3, 6)), "6", "(2, 2)")
# fmt: on
