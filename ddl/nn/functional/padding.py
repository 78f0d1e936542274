"""Frames: more entries on either side of an axis, of one value or taken from the entries that are there."""

from operator import index
from typing import Any

import numpy as np

from ... import ops
from ...core import Tensor
from .inputs import as_tensor

# PyTorch's mode: numpy's name for it, and by how much a side may at most be longer than the axis.
MODES = {"reflect": ("reflect", -1), "replicate": ("edge", float("inf")), "circular": ("wrap", 0)}


def pad(input: Any, pad: Any, mode: str = "constant", value: float | None = None) -> Tensor:
    """Entries put around: `pad` is (before, after) of the last axis, then of the one before it, and so on.

    A negative number takes entries away. "constant" puts `value` (0), "reflect" mirrors at the outermost entries,
    "replicate" repeats them, and "circular" goes on at the other end.
    """
    x = as_tensor(input)
    before, after = tuple(pad[::2]), tuple(pad[1::2])
    if len(before) != len(after) or len(before) > x.ndim:
        raise ValueError(
            f"pad takes two numbers for an axis, from the last on, but {tuple(pad)} was given for shape {x.shape}"
        )
    if mode != "constant" and (mode not in MODES or value is not None):
        raise ValueError(
            f"pad was asked for mode {mode!r} with value {value}; a value goes with 'constant', "
            f"and the others are {', '.join(map(repr, MODES))}"
        )
    rest = ((0, 0),) * (x.ndim - len(before))
    widths = (*rest, *zip(before[::-1], after[::-1]))
    x = x[tuple(_left(n, *ends) for n, ends in zip(x.shape, widths))] if any(n < 0 for n in pad) else x
    widths = tuple((max(0, a), max(0, b)) for a, b in widths)
    if mode == "constant":
        return ops.pad(x, widths=widths, value=value or 0.0)
    for axis, ends in enumerate(widths):
        x = _continued(x, axis, ends, mode) if any(ends) else x
    return x


def _left(n: int, before: int, after: int) -> slice:
    """What of n entries negative widths leave."""
    start, stop = max(0, -before), n + min(0, after)
    if start > stop:
        raise ValueError(f"pad was asked to take {-before} and {-after} entries from an axis of {n}")
    return slice(start, stop)


def _continued(x: Tensor, axis: int, ends: tuple[int, int], mode: str) -> Tensor:
    numpys, most = MODES[mode]
    n = x.shape[axis]
    if max(ends) > n + most or not n:
        raise ValueError(f"pad by {ends} was asked for in mode {mode!r}, but axis {axis} has {n} entries to take from")
    return x.index_select(axis, np.pad(np.arange(index(n)), ends, mode=numpys).tolist())  # type: ignore[call-overload]
