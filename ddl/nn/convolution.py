"""Layers of filters that slide, and the transpose of that."""

import math
from functools import partial
from typing import Any

from ..checks import positive
from . import functional as F
from . import init
from .functional.convolution import check_groups, extra_fits, same_needs
from .functional.slides import per_axis
from .module import Module
from .parameter import Parameter

FIELD = {1: ("width",), 2: ("height", "width")}


class _Filters(Module):
    """What the layers of this kind share: channels in groups, and the filters between them."""

    axes = 1
    function: Any
    usual = {"stride": 1, "padding": 0, "output_padding": 0, "dilation": 1, "groups": 1}
    stride: tuple[int, ...]
    dilation: tuple[int, ...]

    def own(
        self,
        channels: tuple[int, int],
        kernel_size: Any,
        groups: int,
        bias: bool,
        weight_init: Any,
        bias_init: Any,
        rng: Any,
        names: tuple[str, str] = ("out", "in"),
    ) -> None:
        """Make the parameters; `names` says which channels come first in the weight."""
        kind, (c, o) = type(self).__name__, channels
        positive(kind, in_channels=c, out_channels=o, groups=groups)
        check_groups(kind, groups, c, o)
        self.in_channels, self.out_channels, self.groups = c, o, groups
        self.kernel_size = per_axis(kind, self.axes, 1, kernel_size=kernel_size)
        pair = (o, c // groups) if names[0] == "out" else (c, o // groups)
        bound = 1 / math.sqrt(pair[1] * math.prod(self.kernel_size))
        spread = partial(init.uniform, low=-bound, high=bound)
        axes = (*names, *FIELD[self.axes])
        self.weight = Parameter((*pair, *self.kernel_size), weight_init or spread, axes=axes, rng=rng)
        self.bias = Parameter((o,), bias_init or spread, axes=("out",), rng=rng) if bias else None

    def extra_repr(self) -> str:
        shown = [f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}"]
        for name, usual in self.usual.items():
            value = getattr(self, name, usual)
            if value not in (usual, (usual,) * self.axes):
                shown.append(f"{name}={value!r}")
        return ", ".join(shown + (["bias=False"] if self.bias is None else []))


class Conv1d(_Filters):
    """Filters that slide over one axis, as `functional.conv1d` says: (N, in_channels, L) -> (N, out_channels, P).

    Weight (out_channels, in_channels / groups, kernel_size) and bias start in U(-b, b), b = 1 / sqrt(numbers that a
    filter looks at), as in PyTorch, unless initialisers are given.
    """

    function = F.conv1d

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        *,
        weight_init: Any = None,
        bias_init: Any = None,
        rng: Any = None,
    ):
        kind = type(self).__name__
        self.own((in_channels, out_channels), kernel_size, groups, bias, weight_init, bias_init, rng)
        self.stride, self.dilation = per_axis(kind, self.axes, 1, stride=stride, dilation=dilation)
        if padding == "same":
            same_needs(kind, self.stride)
        self.padding = padding if padding in ("same", "valid") else per_axis(kind, self.axes, 0, padding=padding)

    def forward(self, x: Any) -> Any:
        settings = self.stride, self.padding, self.dilation, self.groups
        return type(self).function(x, self.weight, self.bias, *settings)


class Conv2d(Conv1d):
    """Filters that slide over an image, as `functional.conv2d` says: (N, in_channels, H, W) -> (N, out_channels, P, P).

    Otherwise as Conv1d: weight (out_channels, in_channels / groups, K, K), and settings that may differ by axis.
    """

    axes = 2
    function = F.conv2d


class ConvTranspose1d(_Filters):
    """Each entry times its filters, added up where they lie: (N, in_channels, P) -> (N, out_channels, L).

    As `functional.conv_transpose1d` says. Weight (in_channels, out_channels / groups, kernel_size) and bias start in
    U(-b, b), b = 1 / sqrt(out_channels / groups * entries of a filter), as in PyTorch, unless initialisers are given.
    """

    function = F.conv_transpose1d

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        *,
        weight_init: Any = None,
        bias_init: Any = None,
        rng: Any = None,
    ):
        kind = type(self).__name__
        self.own((in_channels, out_channels), kernel_size, groups, bias, weight_init, bias_init, rng, ("in", "out"))
        self.stride, self.dilation = per_axis(kind, self.axes, 1, stride=stride, dilation=dilation)
        given = {"padding": padding, "output_padding": output_padding}
        self.padding, self.output_padding = per_axis(kind, self.axes, 0, **given)
        extra_fits(kind, self.output_padding, self.stride, self.dilation)

    def forward(self, x: Any) -> Any:
        settings = self.stride, self.padding, self.output_padding, self.groups, self.dilation
        return type(self).function(x, self.weight, self.bias, *settings)


class ConvTranspose2d(ConvTranspose1d):
    """ConvTranspose1d over an image: (N, in_channels, P, P) -> (N, out_channels, H, W), with settings by axis."""

    axes = 2
    function = F.conv_transpose2d
