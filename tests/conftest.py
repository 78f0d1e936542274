"""What tests may need: where this machine lacks it they are skipped, with the reason in the summary."""

import importlib.util
from functools import cache

import pytest
from fake_cupy import installed


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


@pytest.fixture(params=["stand-in", pytest.param("GPU", marks=pytest.mark.gpu)])
def cupy(request):
    """CuPy itself, and a stand-in that refuses to mix with numpy."""
    if request.param == "GPU":
        yield pytest.importorskip("cupy")
    else:
        with installed() as module:
            yield module
