"""Who owns which memory: gradients of their own, changes in place seen by the graphs that kept the old values."""

import numpy as np
import pytest

import ddl


def leaf(values):
    return ddl.tensor(np.asarray(values), dtype=np.float64, requires_grad=True)


def test_two_leaves_never_share_the_memory_of_a_gradient():
    for shape in ((), (3,), (2, 3)):
        a, b = leaf(np.ones(shape)), leaf(np.ones(shape))
        seed = ddl.ones(*shape, dtype=np.float64)
        (a + b).backward(seed)
        assert not np.shares_memory(a.grad.numpy(), b.grad.numpy())
        assert not np.shares_memory(a.grad.numpy(), seed.numpy())
        ddl.optim.clip_grad_value_([a], 0.25)
        assert float(b.grad.mean()) == 1.0
        assert float(seed.mean()) == 1.0


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x.sum(),
        lambda x: x.T.sum(),
        lambda x: x.reshape(-1).sum(),
        lambda x: x.broadcast_to(4, 2, 3).sum(),
        lambda x: x.mean(),
        lambda x: ddl.cat([x, x]).sum(),
        lambda x: (x + x).sum(),
        lambda x: x.expand(2, 3).sum(),
    ],
)
def test_a_gradient_is_memory_of_its_own(f):
    x = leaf(np.ones((2, 3)))
    f(x).backward()
    expected = x.grad.numpy() * 3
    with ddl.no_grad():
        x.grad *= 3
    np.testing.assert_array_equal(x.grad.numpy(), expected)


# ---- changes in place
def test_an_array_changed_after_it_was_kept_raises_on_backward():
    x, w = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    y = (x * w).sum()
    with ddl.no_grad():
        w -= 1.0
    with pytest.raises(RuntimeError, match="backward through mul needs values that were changed in place after it ran"):
        y.backward()


def test_a_view_of_a_kept_array_changed_in_place_raises_too():
    w = ddl.tensor(np.ones((2, 3)))
    x = leaf(np.ones((2, 3)))
    y = (x * w).sum()
    w[0] = 5.0
    with pytest.raises(RuntimeError, match="changed in place"):
        y.backward()
    y = (x * w).sum()
    w.reshape(-1)[0] = 7.0
    with pytest.raises(RuntimeError, match="changed in place"):
        y.backward()


def test_an_optimizer_step_between_forward_and_backward_raises():
    model = ddl.nn.Sequential(ddl.nn.Linear(2, 2), ddl.nn.Tanh(), ddl.nn.Linear(2, 1))
    optimizer = ddl.optim.SGD(model.parameters(), lr=0.1)
    x = ddl.ones(1, 2)
    late = model(x).sum()
    optimizer.backward_step(model(x).sum())
    with pytest.raises(RuntimeError, match="changed in place"):
        late.backward()


def test_a_change_in_place_of_what_nobody_kept_is_allowed():
    x, w = leaf([1.0]), ddl.tensor([2.0], dtype=np.float64)
    y = x + w
    w += 1.0
    y.sum().backward()
    assert x.grad.tolist() == [1.0]


def test_a_step_written_by_hand_keeps_the_object():
    p = leaf([1.0, 2.0])
    (p * p).sum().backward()
    same, memory = p, p.data
    with ddl.no_grad():
        p -= 0.5 * p.grad
    assert p is same
    assert p.data is memory
    assert p.tolist() == [0.0, 0.0]
    assert p.requires_grad


def test_a_leaf_cannot_be_changed_in_place_while_it_is_recorded():
    p = leaf([1.0, 2.0])
    with pytest.raises(RuntimeError, match="leaf tensor that requires a gradient was changed in place"):
        p -= 1.0
    with pytest.raises(RuntimeError, match="assigned to in place"):
        p[0] = 1.0
    assert p.tolist() == [1.0, 2.0]


def test_in_place_on_a_result_makes_a_new_node():
    x = leaf([1.0, 2.0])
    y = x * 2
    before = y
    y += x
    y.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]
    assert before.tolist() == [2.0, 4.0]


def test_zero_and_copy_overwrite_the_same_tensor():
    p = leaf([1.0, 2.0])
    (p * p).sum().backward()
    g = p.grad
    assert g.zero_() is g
    assert p.grad.tolist() == [0.0, 0.0]
    with ddl.no_grad():
        assert p.copy_([3.0, 4.0]) is p
    assert p.tolist() == [3.0, 4.0]
    assert p.requires_grad
