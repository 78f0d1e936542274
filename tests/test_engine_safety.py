"""Nothing wrong happens in silence: threads, rules of the wrong form, memory that changes, dtypes that do not fit."""

import copy
import threading

import numpy as np
import pytest

import ddl
from ddl import fused
from ddl.define import op
from ddl.nn import functional as F


def leaf(*values):
    return ddl.tensor(np.array(values, np.float64), requires_grad=True)


def test_no_grad_is_each_threads_own():
    """Two threads that enter and leave in turn: neither stops the other's recording, nor the main thread's."""
    entered, left = threading.Event(), threading.Event()

    def first():
        with ddl.no_grad():
            entered.set()
            left.wait(5)

    thread = threading.Thread(target=first)
    thread.start()
    entered.wait(5)
    assert (leaf(1.0) * 2).requires_grad
    with ddl.no_grad():
        left.set()
        thread.join()
    assert (leaf(1.0) * 2).requires_grad


def test_no_grad_can_be_entered_within_itself():
    quiet = ddl.no_grad()
    with quiet, quiet:
        pass
    assert (leaf(1.0) * 2).requires_grad


SHAPE_KEEPERS = {
    "softmax": lambda x: fused.softmax(x),
    "log_softmax": lambda x: fused.log_softmax(x),
    "tanh": lambda x: x.tanh(),
    "causal attention": lambda x: F.scaled_dot_product_attention(x, x, x, is_causal=True),
    "attention": lambda x: F.scaled_dot_product_attention(x, x, x),
}


@pytest.mark.parametrize("name", SHAPE_KEEPERS)
def test_an_output_that_is_kept_and_changed_is_noticed(name):
    x = ddl.tensor(np.random.default_rng(0).standard_normal((2, 3, 4)), requires_grad=True)
    y = SHAPE_KEEPERS[name](x)
    z = (y + 0.0).sum()
    with ddl.no_grad():
        y *= 0.0
    with pytest.raises(RuntimeError, match="changed in place"):
        z.backward()


def test_an_index_is_what_it_was_when_it_was_used():
    for index in (ddl.tensor([0, 0]), np.array([0, 0]), [0, 0]):
        x = leaf(1.0, 2.0, 3.0)
        y = x[index].sum()
        if isinstance(index, list):
            index[:] = [2, 2]
        else:
            index += 2
        y.backward()
        assert x.grad.tolist() == [2, 0, 0]


def test_a_rule_of_the_wrong_shape_is_refused():
    @op("")
    def twice(x):
        return x * 2.0

    twice.vjp(x=lambda g: g.swapaxes(0, 1))
    x = ddl.tensor(np.ones((2, 3)), requires_grad=True)
    with pytest.raises(ValueError, match=r"pull-back of twice gave a gradient of shape \(3, 2\).*shape \(2, 3\)"):
        twice(x).sum().backward()


@pytest.mark.parametrize("pulled", [lambda g, x, y: (g * y,), lambda g, x, y: g * y])
def test_a_joint_rule_gives_one_gradient_for_each_input(pulled):
    @op("")
    def times(x, y):
        return x * y

    times.vjp(pulled)
    with pytest.raises(NotImplementedError, match="one gradient for each of its 2 inputs"):
        times(leaf(1.0), leaf(2.0)).sum().backward()


def test_integer_parameters_are_refused():
    with pytest.raises(TypeError, match="floating-point"):
        ddl.nn.Parameter(np.array([1, 2]))
    with pytest.raises(TypeError, match="int64 was asked for"):
        ddl.nn.Linear(1, 1).to(np.int64)


def test_second_order_gradients_share_no_memory():
    a, b = leaf(1.0, 2.0), leaf(3.0, 4.0)
    s = a + b
    (s * s).sum().backward(create_graph=True)
    assert a.grad is not b.grad
    assert ddl.optim.clip_grad_norm_([a, b], 1.0) > 1
    assert np.hypot(np.linalg.norm(a.grad.numpy()), np.linalg.norm(b.grad.numpy())) == pytest.approx(1, abs=1e-5)


def test_a_mask_of_integers_is_refused():
    x = ddl.ones(1, 2, 2)
    for mask in (np.tri(2, dtype=int), [[1, 0], [1, 1]]):
        with pytest.raises(TypeError, match="boolean"):
            F.scaled_dot_product_attention(x, x, x, mask)


def test_a_fraction_is_not_dropped_into_integers():
    t = ddl.tensor([1, 2])
    with pytest.raises(TypeError, match="float64 was to be written into a tensor of int64"):
        t += 0.5
    assert t.tolist() == [1, 2]
    t += 1
    assert t.tolist() == [2, 3]


def test_cumsum_pulls_back_without_cancellation():
    x = ddl.ones(3, requires_grad=True)
    x.cumsum(0).backward(np.array([1e8, 1, 1], np.float32))
    assert x.grad.tolist() == [np.float32(1e8) + 2, 2, 1]


def test_grad_wants_one_grad_output_for_each_output():
    x = leaf(1.0)
    with pytest.raises(ValueError, match="2 outputs and 1 grad_outputs"):
        ddl.grad([x * 2, x * 3], [x], [ddl.tensor(np.ones(1))])


def test_squeeze_knows_its_axes():
    with pytest.raises(IndexError):
        ddl.ones(3, 1).squeeze(5)


def test_a_frozen_parameter_stays_and_the_rest_trains():
    layer = ddl.nn.Linear(2, 2)
    optimizer = ddl.optim.SGD(layer.parameters(), lr=0.1)
    layer.weight.requires_grad = False
    before = layer.weight.numpy().copy(), layer.bias.numpy().copy()
    layer.zero_grad()
    optimizer.backward_step(layer(ddl.ones(1, 2)).sum())
    assert (layer.weight.numpy() == before[0]).all()
    assert (layer.bias.numpy() != before[1]).all()
    ddl.optim.AdamW(layer.parameters()).backward_step(layer(ddl.ones(1, 2)).sum())


def test_a_gradient_is_a_tensor():
    with pytest.raises(TypeError, match="ndarray was given"):
        leaf(1.0).grad = np.ones(1)


def test_std_has_slope_0_where_nothing_varies():
    x = leaf(1.0, 1.0, 1.0)
    x.std().backward()
    assert x.grad.tolist() == [0, 0, 0]


def test_a_sum_keeps_a_shape_and_no_values():
    x = leaf(1.0, 2.0)
    y = x * 1.0
    total = y.sum()
    assert total.node.saved == ()
    with ddl.no_grad():
        y += 1.0
    total.backward()
    assert x.grad.tolist() == [1, 1]


@pytest.mark.parametrize("causal", [False, True])
def test_mixed_dtypes_give_what_definitions_give(causal):
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((2, 3, 4)).astype(np.float32), rng.standard_normal((4, 4))
    for f, inputs in [
        (F.linear, (x, w)),
        (lambda a, b: fused.layer_norm(a, b), (x, w[0])),
        (lambda a, b: F.scaled_dot_product_attention(a, a, b, is_causal=causal), (x, x.astype(np.float64))),
    ]:
        tensors = [ddl.tensor(v, requires_grad=True) for v in inputs]
        y = f(*tensors)
        assert y.dtype == np.float64
        y.sum().backward()
        assert [t.grad.dtype for t in tensors] == [v.dtype for v in inputs]


def test_integers_are_normalised_and_activated():
    x = ddl.tensor([[1, 2, 3]])
    assert F.gelu(x, "tanh").shape == F.layer_norm(x, 3).shape == (1, 3)
    assert F.cross_entropy(x, [2]).shape == ()


def test_ids_of_every_kind():
    table = ddl.nn.Embedding(5, 2)
    assert table(np.int64(3)).shape == (2,)
    assert table([]).shape == (0, 2)


def test_a_users_note_on_an_error_stays():
    class Layer(ddl.nn.Module):
        def forward(self, x):
            error = ValueError("no")
            error.add_note("mine")
            raise error

    class Model(ddl.nn.Module):
        def __init__(self):
            self.inner = Layer()

        def forward(self, x):
            return self.inner(x)

    with pytest.raises(ValueError, match="no") as caught:
        Model()(1)
    assert caught.value.__notes__ == ["mine", "called from Layer 'inner'"]


def test_astype_copies_unless_told_not_to():
    x = ddl.ones(2)
    y = x.astype(np.float32)
    y += 1
    assert x.tolist() == [1, 1]
    assert x.astype(np.float32, copy=False) is x


def test_a_shallow_copy_inside_a_graph_is_at_the_same_place():
    x = leaf(1.0)
    copy.copy(x * 2).backward()
    assert x.grad.item() == 2


def test_a_matrix_becomes_an_array():
    t = ddl.tensor(np.matrix([[1.0, 2.0], [3.0, 4.0]]))
    assert (t * t).tolist() == [[1, 4], [9, 16]]


@pytest.mark.parametrize("wrong", [ddl.nn.Tanh, F.relu, 3])
def test_sequential_takes_layers_only(wrong):
    with pytest.raises(TypeError, match="at place 1"):
        ddl.nn.Sequential(ddl.nn.Linear(2, 2), wrong)


def test_an_optimizer_wants_parameters_not_their_module():
    with pytest.raises(TypeError, match=r"module\.parameters\(\)"):
        ddl.optim.AdamW(ddl.nn.Linear(1, 1))


def test_a_tensor_as_the_data_of_a_tensor_is_refused():
    p = ddl.nn.Parameter((3,))
    for given, what in ((ddl.ones(3), "a tensor"), ([1.0, 2.0, 3.0], "list"), (1.0, "float")):
        with pytest.raises(TypeError, match=rf"a parameter's data is an array, but {what} was given; write p\.data ="):
            p.data = given
    assert p.numpy().tolist() == [0, 0, 0]
    p.data = ddl.ones(3).data.copy()
    assert p.numpy().tolist() == [1, 1, 1]
    x = ddl.ones(3, requires_grad=True)
    x.data = x - 0.1
    for use in (x.numpy, x.exp, lambda: x.device, lambda: (x * 2).sum().item()):  # whatever reads its values
        with pytest.raises(TypeError, match=r"the data of a tensor is an array; write x\.data = t\.data\.copy\(\)"):
            use()
