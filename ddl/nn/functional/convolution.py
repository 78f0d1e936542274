"""Filters that slide over an input, and the transpose of that; windows laid out, and added back."""

import math
from typing import Any

from ... import ops
from ...checks import divides, positive
from ...core import Tensor
from .slides import INPUTS, Sizes, counted, per_axis, pictures, reach


def conv1d(
    input: Any,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """Every window of the input times every filter: (N, C, L), (O, C / groups, K), (O,) -> (N, O, P).

    `padding` counts the zeros on either side; "valid" is 0, and "same", for a stride of 1, makes P = L: where their
    number is odd, the end has one more than the start.
    """
    return _conv("conv1d", 1, input, weight, bias, stride, padding, dilation, groups)


def conv2d(
    input: Any,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """`conv1d` over two axes: (N, C, H, W), (O, C / groups, K, K), (O,) -> (N, O, P, P), with settings by axis."""
    return _conv("conv2d", 2, input, weight, bias, stride, padding, dilation, groups)


def conv_transpose1d(
    input: Any,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Tensor:
    """Every entry times its filter, added up where its window lies: (N, C, P), (C, O / groups, K), (O,) -> (N, O, L).

    The transpose of the `conv1d` with these settings, to which inputs of several lengths look alike: the shortest of
    them is L, unless `output_padding` asks for a longer one.
    """
    return _conv_transpose(
        "conv_transpose1d", 1, input, weight, bias, stride, padding, output_padding, groups, dilation
    )


def conv_transpose2d(
    input: Any,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Tensor:
    """`conv_transpose1d` over two axes: (N, C, P, P), (C, O / groups, K, K), (O,) -> (N, O, H, W)."""
    return _conv_transpose(
        "conv_transpose2d", 2, input, weight, bias, stride, padding, output_padding, groups, dilation
    )


def unfold(input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """Every window as a column: (N, C, H, W) -> (N, C * entries of a window, windows)."""
    x = pictures("unfold", 2, input)
    size, slide = _sliding("unfold", kernel_size, dilation, padding, stride)
    shape = counted("unfold", x.shape[2:], size, slide)
    n, c = x.shape[:2]
    return ops.windows(x, size=size, shape=shape, slide=slide).reshape(n, c * math.prod(size), math.prod(shape))


def fold(
    input: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Tensor:
    """The transpose of `unfold`: columns added up where their windows lie, in an image of `output_size`."""
    x = pictures("fold", 1, input)
    shape = per_axis("fold", 2, 1, output_size=output_size)
    size, slide = _sliding("fold", kernel_size, dilation, padding, stride)
    count = counted("fold", shape, size, slide)
    n, rows, columns = x.shape
    if rows % math.prod(size) or columns != math.prod(count):
        raise ValueError(
            f"fold takes inputs (N, C * {math.prod(size)}, {math.prod(count)}) for windows of {size} in {shape}, "
            f"but {tuple(x.shape)} was given"
        )
    return ops.add_windows(x.reshape(n, rows // math.prod(size), *size, *count), shape=shape, slide=slide)


def _sliding(owner: str, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> tuple[Sizes, ops.Slide]:
    size, stride, dilation = per_axis(owner, 2, 1, kernel_size=kernel_size, stride=stride, dilation=dilation)
    return size, ops.Slide(stride, per_axis(owner, 2, 0, padding=padding), dilation)


def _conv(
    owner: str,
    axes: int,
    input: Any,
    weight: Tensor,
    bias: Tensor | None,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: int,
) -> Tensor:
    x = _beside_filters(owner, axes, input, weight)
    stride, dilation = per_axis(owner, axes, 1, stride=stride, dilation=dilation)
    positive(owner, groups=groups)
    _fitting(owner, x, weight, bias, groups, inputs=weight.shape[1] * groups, outputs=weight.shape[0])
    size = weight.shape[2:]
    if padding == "same":
        same_needs(owner, stride)
        shape, before = x.shape[2:], tuple((r - 1) // 2 for r in reach(size, dilation))
        slide = ops.Slide(stride, before, dilation)
    else:
        padding = per_axis(owner, axes, 0, padding=0 if padding == "valid" else padding)
        slide = ops.Slide(stride, padding, dilation)
        shape = counted(owner, x.shape[2:], size, slide)
    return ops.conv(x, weight, bias, shape=shape, slide=slide, groups=groups)


def _conv_transpose(
    owner: str,
    axes: int,
    input: Any,
    weight: Tensor,
    bias: Tensor | None,
    stride: Any,
    padding: Any,
    output_padding: Any,
    groups: int,
    dilation: Any,
) -> Tensor:
    x = _beside_filters(owner, axes, input, weight)
    stride, dilation = per_axis(owner, axes, 1, stride=stride, dilation=dilation)
    padding, extra = per_axis(owner, axes, 0, padding=padding, output_padding=output_padding)
    positive(owner, groups=groups)
    _fitting(owner, x, weight, bias, groups, inputs=weight.shape[0], outputs=weight.shape[1] * groups)
    extra_fits(owner, extra, stride, dilation)
    full = reach(weight.shape[2:], dilation)
    shape = tuple((n - 1) * s + r - 2 * p + e for n, s, r, p, e in zip(x.shape[2:], stride, full, padding, extra))
    if any(n < 1 for n in shape):
        raise ValueError(
            f"{owner} with padding {padding} would make outputs of {shape} of inputs of {tuple(x.shape[2:])}; "
            "pad less, or give longer inputs"
        )
    return ops.conv_transpose(x, weight, bias, shape=shape, slide=ops.Slide(stride, padding, dilation), groups=groups)


def same_needs(owner: str, stride: Sizes) -> None:
    """Refuse "same" where the output is shorter by its stride."""
    if any(s != 1 for s in stride):
        raise ValueError(f"{owner} with padding 'same' needs a stride of 1, but {stride} was given")


def extra_fits(owner: str, extra: Sizes, stride: Sizes, dilation: Sizes) -> None:
    """Refuse an `output_padding` that some other count of windows would account for."""
    if any(e >= max(s, d) for e, s, d in zip(extra, stride, dilation)):
        raise ValueError(
            f"{owner} needs an output_padding below its stride or its dilation, "
            f"but {extra} was given with stride {stride} and dilation {dilation}"
        )


def _beside_filters(owner: str, axes: int, input: Any, weight: Tensor) -> Tensor:
    if weight.ndim != axes + 2:
        raise ValueError(
            f"{owner} takes a weight of {axes + 2} axes for inputs {INPUTS[axes]}, but {tuple(weight.shape)} was given"
        )
    return pictures(owner, axes, input, weight)


def _fitting(
    owner: str, x: Tensor, weight: Tensor, bias: Tensor | None, groups: int, inputs: int, outputs: int
) -> None:
    check_groups(owner, groups, inputs, outputs)
    if x.shape[1] != inputs:
        raise ValueError(
            f"{owner} with a weight of shape {tuple(weight.shape)} and groups={groups} takes {inputs} channels, "
            f"but inputs of shape {tuple(x.shape)} have {x.shape[1]}"
        )
    if bias is not None and bias.shape != (outputs,):
        raise ValueError(f"{owner} takes a bias of shape {(outputs,)}, but {tuple(bias.shape)} was given")


def check_groups(owner: str, groups: int, inputs: int, outputs: int) -> None:
    """Refuse groups into which the channels do not fall."""
    if not (divides(groups, inputs) and divides(groups, outputs)):
        raise ValueError(
            f"{owner} needs groups that divide its {inputs} input and {outputs} output channels, but {groups} was given"
        )
