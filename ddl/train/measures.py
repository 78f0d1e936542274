"""What is told of an array without sending it: its size, how its numbers are spread, which of its units are silent."""

import math
from typing import Any

import numpy as np

from ..arrays import module_of, to_device

LOOKED_AT = 4096  # entries of an array whose spread is told
POWERS = (-12.0, 6.0)  # sizes are counted between these powers of ten
BINS = 36  # half a power each


def few(x: Any, most: int = LOOKED_AT) -> np.ndarray:
    """A copy of at most `most` entries, evenly spread over all axes, on the CPU."""
    step = -(-x.size // most) if x.size else 1
    while math.gcd(step, x.size) > 1 and step < x.size:  # else a step that divides a row would see the same columns
        step += 1
    return np.array(to_device(x.reshape(-1)[::step], "cpu"))


def norm(x: Any) -> float:
    """The root of the sum of squares of all entries."""
    flat = x.reshape(-1)
    return math.sqrt(total) if math.isfinite(total := float(module_of(x).vdot(flat, flat))) else total


def spread(x: np.ndarray) -> dict[str, Any]:
    """How the sizes |x| are spread: counts from 1e-12 to 1e6 in half powers of ten, and the share of zeros in percent.

    What is smaller or larger counts at the ends; what is not finite, not at all.
    """
    sizes = np.abs(x[np.isfinite(x)])
    powers = np.log10(sizes[sizes > 0])
    places = np.clip((powers - POWERS[0]) * BINS / (POWERS[1] - POWERS[0]), 0, BINS - 1).astype(int)
    zeros = 100 * float((sizes == 0).mean()) if sizes.size else 0.0
    return {"counts": np.bincount(places, minlength=BINS).tolist(), "zeros": digits(zeros)}


class Silent:
    """Since how many positions (samples, tokens, pixels) each unit has been 0."""

    ENOUGH = 100  # positions at which a unit that is dead was 0

    def __init__(self) -> None:
        self.positions: Any = None

    def see(self, x: Any, axis: int) -> None:
        """What the units, along `axis`, gave at all other places."""
        others = tuple(i for i in range(x.ndim) if i != axis)
        active = to_device((x != 0).any(axis=others), "cpu")
        before = 0 if self.positions is None or self.positions.shape != active.shape else self.positions
        self.positions = np.where(active, 0, before + x.size // max(active.size, 1))

    def share(self) -> float | None:
        """The percentage of units that are dead; None before anything was seen."""
        if self.positions is None:
            return None
        return digits(100 * float((self.positions >= self.ENOUGH).mean()))


def digits(x: float) -> Any:
    """Four digits of a number; what JSON has no number for, in words."""
    return float(f"{x:.4g}") if math.isfinite(x) else str(float(x))
