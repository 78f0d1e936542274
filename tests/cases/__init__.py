"""The table: a row per call of an op drives the checks of gradients, shapes, dtypes, kernels, devices and PyTorch.

A file a room: adding a file here adds its rows.
"""

import importlib
import pkgutil

from .table import CASES, Case

for _module in sorted(m.name for m in pkgutil.iter_modules(__path__)):
    importlib.import_module(f".{_module}", __name__)

__all__ = ["CASES", "Case"]
