"""Images of another size."""

from typing import Any

from ...core import Tensor
from ..sizes import above
from .inputs import as_tensor
from .slides import per_axis


def interpolate(input: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest") -> Tensor:
    """The input at another size: (N, C, L) or (N, C, H, W) -> the same with other last axes.

    Either `size` says them or `scale_factor` says by how much they grow. Each entry is that of the input at
    floor(place * input size / size), or at floor(place / scale_factor): mode "nearest" is the only one.
    """
    x = as_tensor(input)
    if mode != "nearest":
        raise ValueError(f"interpolate with mode {mode!r} was asked for, but its only mode is 'nearest'")
    if x.ndim not in (3, 4) or not all(x.shape[2:]):
        raise ValueError(
            f"interpolate takes inputs (N, C, L) or (N, C, H, W) with entries along each last axis, "
            f"but {tuple(x.shape)} was given"
        )
    axes = x.ndim - 2
    if (size is None) == (scale_factor is None):
        raise ValueError(f"interpolate takes size or scale_factor, but {size!r} and {scale_factor!r} were given")
    if size is not None:
        sizes = per_axis("interpolate", axes, 1, size=size)
        places = [[i * n // m for i in range(m)] for n, m in zip(x.shape[2:], sizes)]
    else:
        factors = scales("interpolate", axes, scale_factor)
        places = [[min(int(i / f), n - 1) for i in range(int(n * f))] for n, f in zip(x.shape[2:], factors)]
        if not all(places):
            raise ValueError(f"interpolate by {scale_factor!r} would leave nothing of {tuple(x.shape)}")
    for axis, at in enumerate(places, start=2):
        x = x[(slice(None),) * axis + (at,)]
    return x


def scales(owner: str, axes: int, given: Any) -> tuple[float, ...]:
    """A factor for each axis; one number stands for all."""
    factors = tuple(given) if isinstance(given, (tuple, list)) else (given,) * axes
    if len(factors) != axes:
        raise ValueError(f"{owner} needs a scale_factor for each of {axes} axes, but {given!r} was given")
    for f in factors:
        above(owner, 0, scale_factor=f)
    return factors
