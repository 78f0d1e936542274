"""The table's rows, a file for each room of ops."""

from . import (
    diagonals,
    elementwise,
    fused,
    indexing,
    lookup,
    ordering,
    positions,
    products,
    reductions,
    shaping,
    windows,
)
from .table import ROWS
