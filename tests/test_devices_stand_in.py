"""The stand-in for CuPy is as strict as CuPy, or the tests on it would prove nothing."""

import numpy as np
import pytest
from fake_cupy import installed


@pytest.fixture
def cupy():
    with installed() as module:
        yield module


def test_the_stand_in_refuses_what_cupy_refuses(cupy):
    x, host = cupy.asarray([1.0, 2.0]), np.ones(2)
    for mix in (
        lambda: x + host,
        lambda: host * x,
        lambda: np.exp(x),
        lambda: np.sum(x),
        lambda: np.concatenate([x, x]),
        lambda: np.asarray(x),
        lambda: cupy.exp(host),
        lambda: x * np.asarray(2.0),
        lambda: cupy.where(True, x, x),
        lambda: cupy.concatenate([x, host]),
        lambda: cupy.maximum(x, host),
        lambda: x[np.array([0])],
        lambda: x.__setitem__(0, host),
    ):
        with pytest.raises((TypeError, AttributeError)):
            mix()
    for lacking in ("errstate", "testing", "nditer", "ndindex", "random", "isscalar"):
        assert not hasattr(cupy, lacking)
    assert not hasattr(cupy.add, "reduceat")
    assert not isinstance(x, np.ndarray)
    assert not hasattr(x.flags, "writeable")
    assert type(x.sum()) is cupy.ndarray
    assert (x * np.float64(2) + 1.0).get().tolist() == [3.0, 5.0]
