"""What a test may need and this machine may lack: such a test is skipped, with the reason in the summary."""

import importlib.util
from functools import cache

import pytest


@cache
def missing(marker):
    """Why tests with this marker can't run here, or None."""
    if marker == "torch":
        return None if importlib.util.find_spec("torch") else "PyTorch is not installed"
    if not importlib.util.find_spec("cupy"):
        return "CuPy is not installed"
    import cupy

    try:
        return None if cupy.cuda.runtime.getDeviceCount() else "no GPU is visible"
    except cupy.cuda.runtime.CUDARuntimeError as error:
        return f"no GPU can be used: {error}"


def pytest_collection_modifyitems(items):
    for item in items:
        for marker in ("torch", "gpu"):
            if item.get_closest_marker(marker) and missing(marker):
                item.add_marker(pytest.mark.skip(reason=missing(marker)))
