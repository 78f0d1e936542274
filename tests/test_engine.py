"""The graph: what is shared, repeated, freed, kept and accumulated, and what is refused."""

import gc
import time
import tracemalloc
import weakref

import numpy as np
import pytest
from cases import PAIRS

import ddl
from ddl.define import op


def leaf(values, dtype=np.float64):
    return ddl.tensor(np.asarray(values), dtype=dtype, requires_grad=True)


def test_a_node_that_is_used_twice_is_visited_once():
    a = leaf(1.0)
    b = a
    start = time.perf_counter()
    for _ in range(25):
        b = b + b
    b.backward()
    assert a.grad.item() == 2**25
    assert time.perf_counter() - start < 1  # one visit per path would take minutes


def test_x_times_x_has_two_parents():
    x = leaf([3.0, -2.0])
    (x * x).sum().backward()
    assert x.grad.tolist() == [6.0, -4.0]


@pytest.mark.parametrize("shape", [(), (1,), (2, 3)])
def test_many_uses_of_one_tensor_all_count(shape):
    x = leaf(np.full(shape, 2.0))
    (x + 3 * x + x * x + x / 2 + x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), np.full(shape, 1 + 3 + 4 + 0.5 + 1))


@pytest.mark.parametrize("shape", [(), (1,), (2, 3)])
def test_a_gradient_is_an_array_that_can_be_written_to(shape):
    x = leaf(np.full(shape, 2.0))
    for _ in range(2):
        (x * 3).sum().backward()
        ddl.optim.clip_grad_norm_([x], 1e-3)
        assert type(x.grad.data) is np.ndarray
    assert type(ddl.grad((x * x).sum(), x).data) is np.ndarray
