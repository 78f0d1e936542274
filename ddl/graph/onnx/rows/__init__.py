"""The table's rows, a file for each room of ops."""

from . import elementwise, fused, products, reductions, shaping
from .table import ROWS
