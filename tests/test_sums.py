"""Sums of many float32 numbers: as exact along a long axis as along a short one."""

import numpy as np
import pytest

import ddl
from ddl.nn import functional as F
from ddl.sums import BLOCK, averaged, summed
from ddl.sums import LONG as NUMPYS

LONG = 20 * NUMPYS + 3
SHAPES = {
    "rows": ((LONG, 3), 0), "the middle": ((2, LONG, 3), 1), "two axes": ((2, LONG, 3), (1, -1)),
    "all": ((LONG, 3), None), "all axes": ((LONG, 2), (0, 1)), "the last": ((2, LONG), 1),
    "the short one": ((LONG, 3), 1), "no axes": ((LONG, 2), ()),
    "blocks alone": ((10 * BLOCK, 2), 0), "short": ((5, 3), 0), "a vector": ((LONG,), 0), "nothing": ((0, LONG), 0),
    "of nothing": ((LONG, 0), 0), "images": ((NUMPYS + 1, 3, 2, 2), (0, 2, 3)),
}  # fmt: skip


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("layout", ["C", "F", "gaps"])
def test_a_sum_is_exact_to_a_few_steps_of_float32(name, keepdims, layout):
    shape, axis = SHAPES[name]
    x = np.random.default_rng(0).random(shape, np.float32)
    x = np.asfortranarray(x) if layout == "F" else np.repeat(x, 2, axis=-1)[..., ::2] if layout == "gaps" else x
    exact = x.sum(axis=axis, keepdims=keepdims, dtype=np.float64)
    found = np.asarray(summed(x, axis, keepdims))
    assert (found.shape, found.dtype) == (exact.shape, np.float32)
    np.testing.assert_allclose(found, exact, rtol=1e-6)
    if exact.size and x.size:
        mean = np.asarray(averaged(x, axis, keepdims))
        assert (mean.shape, mean.dtype) == (exact.shape, np.float32)
        np.testing.assert_allclose(mean, x.mean(axis=axis, keepdims=keepdims, dtype=np.float64), rtol=1e-6)


def test_float64_integers_and_shapes_alone_are_summed_as_ever():
    for x in (np.ones((LONG, 2)), np.ones((LONG, 2), np.int32), np.ones((LONG, 2), bool)):
        assert summed(x, 0).dtype == x.sum(axis=0).dtype
        np.testing.assert_array_equal(summed(x, 0), x.sum(axis=0))
        np.testing.assert_array_equal(averaged(x, 0), x.mean(axis=0))
    assert summed(ddl.Spec(("B", LONG)), 1).shape == ddl.Spec("B").shape


N = 500_000
TENTHS = np.full((N, 2), 0.1, np.float32)
SUMS = {
    "sum": (lambda x: x.sum(0), 0.1 * N),
    "mean": (lambda x: x.mean(0), 0.1),
    "variance": (lambda x: (x * ddl.tensor([1.0, -1.0])).var(), 0.01),
    "cumsum": (lambda x: x.cumsum(0)[-1], 0.1 * N),
    "the gradient of what was broadcast": (lambda x: slope(lambda w: x * w, ddl.ones(1, 2)), 0.1 * N),
    "of what was broadcast on demand": (lambda x: slope(lambda w: x * w.broadcast_to(N, 2), ddl.ones(2)), 0.1 * N),
    "of a bias": (lambda x: slope(lambda b: F.linear(ddl.ones(N, 1), ddl.ones(2, 1), b) * x, ddl.ones(2)), 0.1 * N),
    "of a filter's bias": (
        lambda x: slope(lambda b: F.conv1d(ddl.ones(N, 1, 1), ddl.ones(2, 1, 1), b)[..., 0] * x, ddl.ones(2)), 0.1 * N,
    ),
}  # fmt: skip


def slope(f, w):
    w.requires_grad = True
    return ddl.grad(f(w).sum(), [w])[0]


@pytest.mark.parametrize("name", SUMS)
def test_half_a_million_tenths_are_fifty_thousand(name):
    """numpy's own sum along the first axis is 0.35 % off."""
    f, expected = SUMS[name]
    np.testing.assert_allclose(f(ddl.tensor(TENTHS)).numpy(), expected, rtol=4e-6)
    assert abs(TENTHS.sum(axis=0)[0] / (0.1 * N) - 1) > 1e-3
