"""Numbers of a tensor as a small table or a heat map: what is below zero turns one colour, what is above the other."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .words import array, number

TABLE = 4  # as many rows and columns are still written out in numbers
ROWS, COLUMNS = 16, 24


@dataclass(frozen=True)
class Grid:
    """Numbers in rows, and whether to write them; `left_out` says what of the tensor is not here."""

    numbers: np.ndarray
    written: bool
    left_out: str

    @property
    def texts(self) -> list[list[str]]:
        return [[_brief(x) for x in row] for row in self.numbers.tolist()]

    @property
    def shades(self) -> np.ndarray:
        """From -1 to 1, 0 for zero, in parts of the largest finite number; infinities are at the ends, nan stays."""
        x = self.numbers.astype(np.float64)
        largest = np.abs(x[np.isfinite(x)]).max(initial=0.0)
        return np.clip(x / largest if largest else x, -1.0, 1.0)

    @property
    def caption(self) -> str:
        finite = self.numbers[np.isfinite(self.numbers)] if self.numbers.dtype.kind == "f" else self.numbers
        span = f"{number(finite.min())} … {number(finite.max())}" if finite.size else ""
        return "" if self.written else span


def grid(value: Any) -> Grid | None:
    """A tensor of one axis as a row, of more with its last axis across; None where there are no numbers, or one.

    Of a larger one every so many rows and columns are shown.
    """
    x = array(value)
    if x is None or x.size < 2 or x.dtype.kind not in "fiub":
        return None
    x = x.reshape(-1, x.shape[-1])
    step = [-(-n // most) for n, most in zip(x.shape, (ROWS, COLUMNS))]
    left_out = " and ".join(f"1 {name} in {n}" for n, name in zip(step, ("row", "column")) if n > 1)
    x = x[:: step[0], :: step[1]]
    return Grid(x.astype(np.float64) if x.dtype.kind == "f" else x, max(x.shape) <= TABLE, left_out)


def _brief(x: Any) -> str:
    """Three digits, so that columns stay narrow."""
    return f"{x + 0.0:.3g}" if isinstance(x, float) else number(x)
