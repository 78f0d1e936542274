"""Hooks: who watches a module sees what goes in, what comes out and what comes back, and leaves without a trace."""

import copy

import numpy as np
import pytest

import ddl
from ddl import nn


@pytest.fixture
def model():
    ddl.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))


X = ddl.ones(5, 3)


def test_a_forward_hook_sees_every_layer_and_goes_when_told(model):
    seen = {}
    handles = [
        module.register_forward_hook(
            lambda m, inputs, out, path=path: seen.update({path: (inputs[0].shape, out.shape)})
        )
        for path, module in model.named_modules()
    ]
    plain = model(X).numpy()
    assert seen == {"0": ((5, 3), (5, 4)), "1": ((5, 4), (5, 4)), "2": ((5, 4), (5, 2)), "": ((5, 3), (5, 2))}
    for handle in handles:
        handle.remove()
        handle.remove()
    seen.clear()
    np.testing.assert_array_equal(model(X).numpy(), plain)
    assert seen == {}


def test_hooks_may_replace_inputs_and_output_in_the_order_of_registration(model):
    calls = []

    def doubled(name):
        return lambda module, inputs, out=None: calls.append(name) or (2 * (inputs[0] if out is None else out))

    with model.register_forward_pre_hook(doubled("a")), model.register_forward_pre_hook(doubled("b")):
        np.testing.assert_array_equal(model(X).numpy(), _plain(model, 4 * X))
    with model.register_forward_hook(doubled("c")), model.register_forward_hook(doubled("d")):
        np.testing.assert_array_equal(model(X).numpy(), 4 * _plain(model, X))
    assert calls == ["a", "b", "c", "d"]
    np.testing.assert_array_equal(model(X).numpy(), _plain(model, X))


def _plain(model, x):
    for layer in model:
        x = layer.forward(x)
    return x.numpy()


def test_the_last_inputs_named_arguments_and_nested_results_pass_through():
    attention = nn.MultiHeadAttention(4, 2)
    seen = []
    with attention.register_forward_hook(lambda module, inputs, out: seen.append((len(inputs), len(out)))):
        y, p = attention(ddl.ones(1, 3, 4), need_weights=True)
    assert seen == [(1, 2)]
    assert (y.shape, p.shape) == ((1, 3, 4), (1, 3, 3))


@pytest.mark.torch
def test_a_backward_hook_sees_pytorchs_gradients(model):
    import torch

    twin = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))
    twin.load_state_dict({path: torch.tensor(t.numpy()) for path, t in model.state_dict().items()})
    mine, theirs = [], []
    for net, seen, x in ((model, mine, X * 1.0), (twin, theirs, torch.ones(5, 3))):
        x.requires_grad = True
        for module in net:
            module.register_full_backward_hook(
                lambda m, came_out, came_in, seen=seen: seen.append(
                    [np.array(g.detach().numpy()) for g in (*came_out, *came_in)]
                )
            )
        (net(x) ** 2).sum().backward()
    assert len(mine) == len(theirs) == 3
    for a, b in zip(mine, theirs):
        assert len(a) == len(b)
        for g, h in zip(a, b):
            np.testing.assert_allclose(g, h, rtol=1e-5, atol=1e-6)


def test_a_backward_hook_watches_every_walk_and_may_change_nothing(model):
    seen = []
    handle = model[1].register_full_backward_hook(lambda m, came_out, came_in: seen.append(came_out[0].numpy().copy()))
    loss = model(X).sum()
    loss.backward()
    loss.backward()
    assert len(seen) == 2
    np.testing.assert_array_equal(*seen)
    with ddl.no_grad():
        model(X)
    handle.remove()
    model(X).sum().backward()
    assert len(seen) == 2
    model[1].register_full_backward_hook(lambda m, came_out, came_in: came_out)
    with pytest.raises(TypeError, match="backward hook of Tanh returned a value, but gradients can only be watched"):
        model(X).sum().backward()


def test_a_failing_hook_is_heard_and_says_where(model):
    def fails(module, inputs, out):
        raise RuntimeError("the plot has no axes")

    with model[2].register_forward_hook(fails), pytest.raises(RuntimeError, match="the plot has no axes") as error:
        model(X)
    assert error.value.__notes__ == ["called from Linear '2'"]


def test_a_hook_may_remove_itself_while_it_is_called(model):
    calls = []
    first = model.register_forward_hook(lambda *_: (calls.append("first"), first.remove())[1])
    model.register_forward_hook(lambda *_: calls.append("second"))
    model(X)
    model(X)
    assert calls == ["first", "second", "second"]


def test_a_copy_has_no_hooks_and_a_state_holds_none(model):
    calls = []
    model.register_forward_hook(lambda *_: calls.append(1))
    copy.deepcopy(model)(X)
    assert calls == []
    assert list(model.state_dict()) == ["0.weight", "0.bias", "2.weight", "2.bias"]


def test_hooks_know_no_values_on_shapes_alone():
    shapes = []
    with ddl.shapes_only():
        model = nn.Linear(3, 2)
    with model.register_forward_hook(lambda m, inputs, out: shapes.append(out.shape)):
        model(ddl.Tensor(ddl.Spec((7, 3))))
    assert shapes == [(7, 2)]
