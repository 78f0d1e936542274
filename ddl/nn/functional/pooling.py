"""One number from each window: its largest entry, or its mean."""

import math
from typing import Any

import numpy as np

from ... import ops
from ...arrays import put_beside
from ...core import Tensor
from ...sizes import named
from ...spec import Spec
from .slides import Sizes, counted, per_axis, pictures


def max_pool1d(
    input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
) -> Tensor:
    """The largest entry of each window: (N, C, L) -> (N, C, P); windows lie side by side unless `stride` is given.

    Padding is never the largest. Of several that are, the first has the gradient. With `ceil_mode` a last window may
    reach past the end.
    """
    return _max_pool("max_pool1d", 1, input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool2d(
    input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
) -> Tensor:
    """`max_pool1d` over two axes: (N, C, H, W) -> (N, C, P, P). Settings may differ by axis."""
    return _max_pool("max_pool2d", 2, input, kernel_size, stride, padding, dilation, ceil_mode)


def avg_pool1d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """The mean of each window: (N, C, L) -> (N, C, P); windows lie side by side unless `stride` is given.

    The zeros of the padding count as entries if `count_include_pad`; what lies past the padding never does.
    """
    return _avg_pool("avg_pool1d", 1, input, kernel_size, stride, padding, ceil_mode, count_include_pad)


def avg_pool2d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """`avg_pool1d` over two axes: (N, C, H, W) -> (N, C, P, P); `divisor_override` divides in place of the count."""
    return _avg_pool(
        "avg_pool2d", 2, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    )


def adaptive_avg_pool1d(input: Any, output_size: Any) -> Tensor:
    """The mean of each of `output_size` parts: (N, C, L) -> (N, C, P). Part p is floor(p L / P) .. ceil((p + 1) L / P).

    Where P does not divide L, neighbours share entries.
    """
    return _adaptive_avg_pool("adaptive_avg_pool1d", 1, input, output_size)


def adaptive_avg_pool2d(input: Any, output_size: Any) -> Tensor:
    """`adaptive_avg_pool1d` over two axes: (N, C, H, W) -> (N, C, P, P); a size of None keeps an axis as it is."""
    return _adaptive_avg_pool("adaptive_avg_pool2d", 2, input, output_size)


def adaptive_max_pool1d(input: Any, output_size: Any) -> Tensor:
    """The largest of each of `output_size` parts, as `adaptive_avg_pool1d` cuts them: (N, C, L) -> (N, C, P)."""
    return _adaptive_max_pool("adaptive_max_pool1d", 1, input, output_size)


def adaptive_max_pool2d(input: Any, output_size: Any) -> Tensor:
    """`adaptive_max_pool1d` over two axes: (N, C, H, W) -> (N, C, P, P); a size of None keeps an axis as it is."""
    return _adaptive_max_pool("adaptive_max_pool2d", 2, input, output_size)


def pool_settings(
    owner: str, axes: int, kernel_size: Any, stride: Any, padding: Any, dilation: Any = 1
) -> tuple[Sizes, ops.Slide]:
    """A window's size, and how it slides; refused where the padding could fill a window."""
    size, dilation = per_axis(owner, axes, 1, kernel_size=kernel_size, dilation=dilation)
    stride = size if stride is None else per_axis(owner, axes, 1, stride=stride)
    padding = per_axis(owner, axes, 0, padding=padding)
    if any(2 * p > k for p, k in zip(padding, size)):
        raise ValueError(f"{owner} needs a padding of at most half of kernel_size {size}, but {padding} was given")
    return size, ops.Slide(stride, padding, dilation)


def _max_pool(
    owner: str, axes: int, input: Any, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
) -> Tensor:
    size, slide = pool_settings(owner, axes, kernel_size, stride, padding, dilation)
    x = pictures(owner, axes, input)
    shape = counted(owner, x.shape[2:], size, slide, ceil_mode)
    return ops.max_pool(x, size=size, shape=shape, slide=slide)


def _avg_pool(
    owner: str,
    axes: int,
    input: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor: Any = None,
) -> Tensor:
    size, slide = pool_settings(owner, axes, kernel_size, stride, padding)
    x = pictures(owner, axes, input)
    shape = counted(owner, x.shape[2:], size, slide, ceil_mode)
    total = ops.windows(x, size=size, shape=shape, slide=slide).sum(tuple(range(2, 2 + axes)))
    if divisor is not None:
        per_axis(owner, 1, 1, divisor_override=divisor)
        return total * (1.0 / divisor)
    if not ceil_mode and (count_include_pad or not any(slide.padding)):
        return total * (1.0 / math.prod(size))
    return total * _one_over_entries(x, size, shape, slide, count_include_pad)


def _one_over_entries(x: Tensor, size: Sizes, shape: Sizes, slide: ops.Slide, with_padding: bool) -> Tensor:
    """1 / the number of entries of each window, without those past the padding, or past an edge."""
    if any(map(named, shape)):
        return Tensor(Spec(shape, x.dtype))
    share: Any = np.ones(())
    for n, k, count, s, p in zip(x.shape[2:], size, shape, slide.stride, slide.padding):
        low, high = (-p, n + p) if with_padding else (0, n)
        start = np.arange(count) * s - p
        share = np.multiply.outer(share, 1.0 / (np.minimum(start + k, high) - np.maximum(start, low)))
    return _beside(x, share)


def _beside(x: Tensor, constant: np.ndarray) -> Tensor:
    """A constant of numpy's, of the dtype and on the device of x."""
    return Tensor(put_beside(constant.astype(x.dtype), x))


def _parts(n: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Where each of `count` parts of n entries starts, and where it stops."""
    p = np.arange(count)
    return p * n // count, -(-(p + 1) * n // count)


def part_sizes(owner: str, axes: int, given: Any) -> tuple[int | None, ...]:
    """The sizes that an adaptive pool makes; None keeps an axis."""
    sizes = tuple(given) if isinstance(given, (tuple, list)) else (given,) * axes
    found = per_axis(owner, axes, 1, output_size=tuple(1 if n is None else n for n in sizes))
    return tuple(n if size is not None else None for n, size in zip(found, sizes))


def _cut(owner: str, axes: int, input: Any, output_size: Any) -> tuple[Tensor, Sizes]:
    x, sizes = pictures(owner, axes, input), part_sizes(owner, axes, output_size)
    if not all(x.shape[2:]):
        raise ValueError(f"{owner} needs inputs with entries along each axis, but shape {tuple(x.shape)} was given")
    return x, tuple(n if count is None else count for n, count in zip(x.shape[2:], sizes))


def _adaptive_avg_pool(owner: str, axes: int, input: Any, output_size: Any) -> Tensor:
    x, counts = _cut(owner, axes, input, output_size)
    for axis, count in enumerate(counts, start=2):
        if count == 1:
            x = x.mean(axis, keepdim=True)
        elif count != x.shape[axis]:
            x = (x.swapaxes(axis, -1) @ _means(x, x.shape[axis], count).T).swapaxes(axis, -1)
    return x


def _means(x: Tensor, n: Any, count: int) -> Tensor:
    """(count, n): each row takes the mean of its part."""
    if named(n):
        return Tensor(Spec((count, n), x.dtype))
    start, stop = _parts(n, count)
    inside = (np.arange(n) >= start[:, None]) & (np.arange(n) < stop[:, None])
    return _beside(x, inside / (stop - start)[:, None])


def _adaptive_max_pool(owner: str, axes: int, input: Any, output_size: Any) -> Tensor:
    x, counts = _cut(owner, axes, input, output_size)
    for axis, count in enumerate(counts, start=2):
        if x.shape[axis] % count:  # parts of one length, the shorter ones with their last entry again
            if named(x.shape[axis]):
                raise TypeError(
                    f"{owner} cuts an axis into {count} parts, for which its size must be a number, "
                    f"but the size is named {x.shape[axis]}"
                )
            start, stop = _parts(x.shape[axis], count)
            places = np.minimum(start[:, None] + np.arange((stop - start).max()), stop[:, None] - 1)
            x = x[(slice(None),) * axis + (places.reshape(-1).tolist(),)]
    size = tuple(n // count for n, count in zip(x.shape[2:], counts))
    return ops.max_pool(x, size=size, shape=counts, slide=ops.Slide(size, (0,) * axes, (1,) * axes))
