"""The learner's part in the library's place, and the library as it was afterwards."""

import numpy as np
import pytest

import ddl
from ddl import nn
from ddl.course import wearing
from ddl.nn import functional as F


def gradient(f, *xs):
    ts = [ddl.tensor(x, requires_grad=True) for x in xs]
    f(*ts).sum().backward()
    return [t.grad.data for t in ts]


A, B = np.array([[1.0, 2.0, 3.0]]), np.array([[4.0], [5.0]])


def test_an_op_computes_and_pulls_back_by_the_learners_functions():
    calls = []

    def forward(a, b):
        calls.append("forward")
        return a * b

    def vjp(g, a, b):
        calls.append("vjp")
        return g * b, g * a

    expected = gradient(lambda x, y: x * y, A, B)
    with wearing(ddl.ops.mul, forward, vjp):
        found = gradient(lambda x, y: x * y, A, B)
    assert calls == ["forward", "vjp"]
    for x, y in zip(found, expected):
        np.testing.assert_array_equal(x, y)
    gradient(lambda x, y: x * y, A, B)
    assert len(calls) == 2


def test_a_wrong_rule_shows_and_goes_away():
    right = gradient(lambda x: x.tanh(), A)[0]
    with wearing(ddl.ops.tanh, np.tanh, lambda g, out: g * (1 + out * out)):
        assert not np.allclose(gradient(lambda x: x.tanh(), A)[0], right)
    np.testing.assert_array_equal(gradient(lambda x: x.tanh(), A)[0], right)


def test_it_goes_away_after_an_error_too():
    with pytest.raises(ZeroDivisionError), wearing(ddl.ops.exp, lambda x: 1 / 0, lambda g: g):
        ddl.tensor([1.0]).exp()
    assert ddl.tensor([0.0]).exp().tolist() == [1.0]


def test_an_op_with_settings_and_a_kernel():
    def softmax(x, *, axis):
        e = np.exp(x - x.max(axis=axis, keepdims=True))
        return e / e.sum(axis=axis, keepdims=True)

    def vjp(g, out, axis):
        return out * (g - (g * out).sum(axis=axis, keepdims=True))

    loss = lambda x: (F.softmax(x, 1) * ddl.tensor(A)).sum()
    expected = gradient(loss, A + B)
    with wearing(ddl.fused.softmax, softmax, vjp):
        np.testing.assert_allclose(gradient(loss, A + B), expected, rtol=1e-12)


def test_a_layer_and_an_optimizer_stand_in():
    class Norm(nn.LayerNorm):
        """As the library's."""

    class Plain(ddl.optim.SGD):
        """As the library's."""

    with wearing(nn.LayerNorm, Norm), wearing(ddl.optim.SGD, Plain):
        assert isinstance(nn.TransformerBlock(8, 2).ln_1, Norm)
        assert ddl.optim.SGD is Plain
    assert not isinstance(nn.TransformerBlock(8, 2).ln_1, Norm)
    assert ddl.optim.SGD is not Plain


@pytest.mark.parametrize(
    ("theirs", "mine", "words"),
    [
        (ddl.ops.mul, (abs,), "mul wears two functions, forward and vjp, but 1 things were given"),
        (ddl.ops.mul, (lambda x: x, lambda g: g), "mul takes 2 inputs, x, y, but the forward that was given takes 1"),
        (nn.LayerNorm, (), "one thing stands in for"),
        (object(), (1,), "the library has no name for"),
    ],
)
def test_what_cannot_be_worn_is_refused(theirs, mine, words):
    with pytest.raises(ValueError, match=words), wearing(theirs, *mine):
        pass
