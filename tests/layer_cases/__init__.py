"""The table of layers: a row per layer and way of making it drives every check of tests/test_nn_table.py.

A file a room: adding a file here adds its rows.
"""

import importlib
import pkgutil

from .table import REFUSALS, ROWS, Refusal, Row

for _module in sorted(m.name for m in pkgutil.iter_modules(__path__)):
    importlib.import_module(f".{_module}", __name__)

__all__ = ["REFUSALS", "ROWS", "Refusal", "Row"]
