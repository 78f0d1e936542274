"""How windows slide over an input, from PyTorch's arguments; what could not be meant is refused."""

from typing import Any

from ... import ops
from ...checks import is_whole
from ...core import Tensor
from .inputs import as_tensor

INPUTS = {1: "(N, C, L)", 2: "(N, C, H, W)"}
Sizes = tuple[int, ...]


def per_axis(owner: str, axes: int, least: int, **settings: Any) -> Any:
    """Each setting as a tuple of a whole number an axis; one number stands for all axes."""
    found = []
    for name, given in settings.items():
        numbers = tuple(given) if isinstance(given, (tuple, list)) else (given,) * axes
        if len(numbers) != axes or any(not is_whole(n) or n < least for n in numbers):
            many = f" or {axes} of them" if axes > 1 else ""
            raise ValueError(
                f"{owner} needs {name} to be a whole number of {least} or more{many}, but {given!r} was given"
            )
        found.append(tuple(map(int, numbers)))
    return found[0] if len(found) == 1 else found


def pictures(owner: str, axes: int, x: Any, beside: Tensor | None = None) -> Tensor:
    """The input as a tensor, refused unless it has samples, channels, and so many axes."""
    x = as_tensor(x, beside)
    if x.ndim != axes + 2 or x.dtype.kind != "f":
        raise ValueError(
            f"{owner} takes floating-point inputs {INPUTS[axes]}, but {x.dtype} of shape {tuple(x.shape)} was given"
        )
    return x


def reach(size: Sizes, dilation: Sizes) -> Sizes:
    """How far a window extends."""
    return tuple((k - 1) * d + 1 for k, d in zip(size, dilation))


def counted(owner: str, inner: Sizes, size: Sizes, slide: ops.Slide, ceil_mode: bool = False) -> Sizes:
    """How many windows lie in the padded input; with `ceil_mode` also those that begin in it and reach past its end."""
    shape = []
    wide = tuple(n + 2 * p for n, p in zip(inner, slide.padding))
    for n, m, r, s, p in zip(inner, wide, reach(size, slide.dilation), slide.stride, slide.padding):
        if m < r:
            raise ValueError(
                f"{owner} has windows that reach over {reach(size, slide.dilation)}, "
                f"but the input with its padding has {wide}"
            )
        count = (m - r) // s + 1
        if ceil_mode:
            count = -((r - m) // s) + 1
            count -= (count - 1) * s >= n + p
        shape.append(count)
    return tuple(shape)
