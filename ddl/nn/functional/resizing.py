"""Images of another size."""

from operator import index
from typing import Any

from ...checks import above
from ...core import Tensor
from .inputs import as_tensor
from .slides import per_axis


def interpolate(input: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest") -> Tensor:
    """The input at another size: (N, C, L) or (N, C, H, W) -> the same with other last axes.

    Either `size` says them or `scale_factor` says by how much they grow. Each entry is that of the input at
    floor(place * input size / size), or at floor(place / scale_factor): mode "nearest" is the only one.
    """
    x = as_tensor(input)
    if x.ndim not in (3, 4) or not all(x.shape[2:]):
        raise ValueError(
            f"interpolate takes inputs (N, C, L) or (N, C, H, W) with entries along each last axis, "
            f"but {tuple(x.shape)} was given"
        )
    check_sizes("interpolate", size, scale_factor, mode)
    axes = x.ndim - 2
    if size is not None:
        sizes = per_axis("interpolate", axes, 1, size=size)
        places = [[i * n // m for i in range(m)] for n, m in zip(x.shape[2:], sizes)]
    else:
        factors = _each(scale_factor, axes)
        if len(factors) != axes:
            raise ValueError(f"interpolate needs a scale_factor for each of {axes} axes, but {factors} was given")
        places = [[min(int(i / f), n - 1) for i in range(int(n * f))] for n, f in zip(map(index, x.shape[2:]), factors)]
        if not all(places):
            raise ValueError(f"interpolate by {scale_factor!r} would leave nothing of {tuple(x.shape)}")
    for axis, at in enumerate(places, start=2):
        x = x[(slice(None),) * axis + (at,)]
    return x


def check_sizes(owner: str, size: Any, scale_factor: Any, mode: str) -> None:
    """Refuse what no input could be resized to."""
    if mode != "nearest":
        raise ValueError(f"{owner} with mode {mode!r} was asked for, but its only mode is 'nearest'")
    if (size is None) == (scale_factor is None):
        raise ValueError(f"{owner} takes size or scale_factor, but {size!r} and {scale_factor!r} were given")
    if size is not None:
        per_axis(owner, len(_each(size)), 1, size=size)
    else:
        for f in _each(scale_factor):
            above(owner, 0, scale_factor=f)


def _each(given: Any, axes: int = 1) -> tuple[Any, ...]:
    return tuple(given) if isinstance(given, (tuple, list)) else (given,) * axes
