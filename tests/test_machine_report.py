"""What is in use, in words: without a GPU, with a stand-in, and with one."""

import sys

import pytest

import ddl
from ddl.machine import report


def test_without_a_gpu_it_says_why_and_what_would_help(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    monkeypatch.setattr(report, "_version", lambda name: None)
    found = ddl.device_report()
    assert (found.gpu, found.kernels, found.tf32) == (None, (), False)
    words = str(found)
    assert "GPU: none can be used (" in words
    assert "everything runs on the CPU." in words
    assert "cupy is not installed; it runs everything on an NVIDIA GPU (pip install" in words
    assert repr(found) == words


def test_a_gpu_is_named_with_its_memory_and_its_kernels(cupy):
    found = ddl.device_report()
    assert found.gpu in str(found)
    assert 0 < found.free <= found.total
    assert {"layer_norm", "scaled_dot_product_attention", "add_rows", "Adam.step"} <= {*found.kernels}
    assert "matmul" not in found.kernels
    assert f"CuPy {cupy.__version__}, CUDA 1" in found.software
    assert str(found).count("\n") == 3 + len(report.OPTIONAL)


def test_what_the_pool_holds_back_counts_as_free(monkeypatch):
    from fake_cupy import installed

    with installed():
        assert ddl.device_report().free == 4 * 2**30
        assert "GPU: Stand-In 1, 4.3 GB of 8.6 GB free; CuPy 14.0.0, CUDA 13.0." in str(ddl.device_report())


def test_a_package_that_is_there_is_named_with_its_version(monkeypatch):
    monkeypatch.setattr(report, "_version", lambda name: "1.2" if name == "ml_dtypes" else None)
    words = str(ddl.device_report())
    assert "ml_dtypes 1.2: gives CuPy bfloat16, in which a GPU multiplies matrices" in words
    assert "tqdm is not installed; it shows a bar" in words


@pytest.mark.gpu
def test_tf32_is_what_cupy_says():
    import cupy._core._routines_linalg as linear_algebra
    import numpy as np

    before = linear_algebra.get_compute_type(np.float32)
    try:
        for number, on in ((7, True), (1, False)):
            linear_algebra.set_compute_type(np.float32, number)
            assert ddl.device_report().tf32 is on
            assert f"tf32 is {'on' if on else 'off'}" in str(ddl.device_report())
    finally:
        linear_algebra.set_compute_type(np.float32, before)
