"""Layers without parameters for images: pools, windows laid out and added back, other sizes, other shapes."""

from typing import Any

from ..checks import is_whole, whole
from . import functional as F
from .applied import Applied
from .functional.inputs import as_tensor
from .functional.pooling import part_sizes, pool_settings
from .functional.resizing import check_sizes
from .functional.slides import per_axis
from .module import Module


class MaxPool1d(Applied):
    """The largest entry of each window, as `functional.max_pool1d` says: (N, C, L) -> (N, C, P)."""

    axes = 1
    function = F.max_pool1d

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
    ):
        pool_settings(type(self).__name__, self.axes, kernel_size, stride, padding, dilation)
        self.keep(kernel_size=kernel_size, stride=stride, padding=padding, dilation=dilation, ceil_mode=ceil_mode)


class MaxPool2d(MaxPool1d):
    """The largest entry of each window of an image: (N, C, H, W) -> (N, C, P, P)."""

    axes = 2
    function = F.max_pool2d


class AvgPool1d(Applied):
    """The mean of each window, as `functional.avg_pool1d` says: (N, C, L) -> (N, C, P)."""

    axes = 1
    function = F.avg_pool1d

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ):
        pool_settings(type(self).__name__, self.axes, kernel_size, stride, padding)
        counts = {"ceil_mode": ceil_mode, "count_include_pad": count_include_pad}
        self.keep(kernel_size=kernel_size, stride=stride, padding=padding, **counts)


class AvgPool2d(AvgPool1d):
    """The mean of each window of an image, as `functional.avg_pool2d` says: (N, C, H, W) -> (N, C, P, P)."""

    axes = 2
    function = F.avg_pool2d

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ):
        super().__init__(kernel_size, stride, padding, ceil_mode, count_include_pad)
        if divisor_override is not None:
            per_axis("AvgPool2d", 1, 1, divisor_override=divisor_override)
        self.keep(divisor_override=divisor_override)


class AdaptiveAvgPool1d(Applied):
    """The mean of each of `output_size` parts, as `functional.adaptive_avg_pool1d` says: (N, C, L) -> (N, C, P)."""

    axes = 1
    function = F.adaptive_avg_pool1d

    def __init__(self, output_size: Any):
        part_sizes(type(self).__name__, self.axes, output_size)
        self.keep(output_size=output_size)


class AdaptiveAvgPool2d(AdaptiveAvgPool1d):
    """The mean of each part of an image: (N, C, H, W) -> (N, C, P, P); a size of None keeps an axis."""

    axes = 2
    function = F.adaptive_avg_pool2d


class AdaptiveMaxPool1d(AdaptiveAvgPool1d):
    """The largest entry of each of `output_size` parts: (N, C, L) -> (N, C, P)."""

    function = F.adaptive_max_pool1d


class AdaptiveMaxPool2d(AdaptiveAvgPool2d):
    """The largest entry of each part of an image: (N, C, H, W) -> (N, C, P, P); a size of None keeps an axis."""

    function = F.adaptive_max_pool2d


class Unfold(Applied):
    """Every window as a column: (N, C, H, W) -> (N, C * entries of a window, windows)."""

    function = F.unfold

    def __init__(self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1):
        per_axis("Unfold", 2, 1, kernel_size=kernel_size, dilation=dilation, stride=stride)
        per_axis("Unfold", 2, 0, padding=padding)
        self.keep(kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride)


class Fold(Applied):
    """The transpose of Unfold: columns added up where their windows lie, in an image of `output_size`."""

    function = F.fold

    def __init__(self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1):
        sizes = {"output_size": output_size, "kernel_size": kernel_size}
        per_axis("Fold", 2, 1, **sizes, dilation=dilation, stride=stride)
        per_axis("Fold", 2, 0, padding=padding)
        self.keep(**sizes, dilation=dilation, padding=padding, stride=stride)


class Upsample(Applied):
    """The input at another size, as `functional.interpolate` says: (N, C, L) or (N, C, H, W)."""

    function = F.interpolate

    def __init__(self, size: Any = None, scale_factor: Any = None, mode: str = "nearest"):
        check_sizes("Upsample", size, scale_factor, mode)
        self.keep(size=size, scale_factor=scale_factor, mode=mode)


class Flatten(Module):
    """The axes from `start_dim` to `end_dim` as one; all but the first, unless told otherwise."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1):
        whole("Flatten", start_dim=start_dim, end_dim=end_dim)
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, x: Any) -> Any:
        return as_tensor(x).flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """One axis split into several of these sizes, of which one may be -1."""

    def __init__(self, dim: int, unflattened_size: Any):
        sizes = tuple(unflattened_size)
        if not is_whole(dim) or sizes.count(-1) > 1 or not all(is_whole(n) and n >= -1 for n in sizes):
            raise ValueError(
                f"Unflatten needs a dim and whole sizes of which one may be -1, but {dim!r} and {sizes} were given"
            )
        self.dim, self.unflattened_size = int(dim), tuple(map(int, sizes))

    def forward(self, x: Any) -> Any:
        return as_tensor(x).unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"
