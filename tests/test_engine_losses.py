"""The fused ops where they go wrong in other kits: large logits, reductions, masks, dropout, the two forms of GELU."""

import math

import numpy as np
import pytest

import ddl
from ddl import fused
from ddl.nn import functional as F


def test_softmax_and_cross_entropy_are_finite_at_logits_of_10000():
    x = ddl.tensor([[1e4, -1e4, 0.0], [-1e4, 0.0, 1e4]], requires_grad=True)
    loss = F.cross_entropy(x, ddl.tensor([0, 0]), reduction="none")
    assert loss.tolist() == [0.0, 2e4]
    loss.sum().backward()
    assert x.grad.tolist() == [[0, 0, 0], [-1, 0, 1]]
    assert F.log_softmax(x)[0].tolist() == [0.0, -2e4, -1e4]
    assert ddl.sigmoid(ddl.tensor([1e4, -1e4])).tolist() == [1.0, 0.0]


@pytest.mark.parametrize("shape", [(4, 5), (2, 4, 8, 8)])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_softmax_backward_sums_over_its_own_axis_alone(shape, axis):
    x = ddl.randn(*shape, dtype=np.float64)
    for f in (F.softmax, F.log_softmax):
        assert ddl.gradcheck(lambda x, f=f: f(x, dim=axis), x)


def test_rows_of_softmax_sum_to_one_and_do_not_see_each_other():
    x = ddl.randn(4, 5, dtype=np.float64, requires_grad=True)
    p = F.softmax(x)
    np.testing.assert_allclose(p.numpy().sum(-1), 1.0)
    p[1, 2].backward()
    others = np.delete(x.grad.numpy(), 1, axis=0)
    assert (others == 0).all()
    assert (x.grad.numpy()[1] != 0).all()


# ---- masks
def scores_of(mask):
    q = k = ddl.zeros(2, 2)
    return F.scaled_dot_product_attention(q, k, ddl.tensor([[1.0, 0.0], [0.0, 1.0]]), mask).numpy()


def test_a_boolean_mask_keeps_and_a_float_mask_is_added():
    keep = np.array([[True, False], [True, True]])
    np.testing.assert_allclose(scores_of(keep), [[1, 0], [0.5, 0.5]])
    added = keep.astype(np.float32)
    e = math.e / (math.e + 1)
    np.testing.assert_allclose(scores_of(added), [[e, 1 - e], [0.5, 0.5]], rtol=1e-6)  # ones and zeros hide nothing
    np.testing.assert_allclose(scores_of(np.where(keep, 0.0, -np.inf)), [[1, 0], [0.5, 0.5]])
    assert "boolean mask keeps where it is True; a float mask is added" in F.scaled_dot_product_attention.__doc__


@pytest.mark.parametrize("mask", [np.zeros((2, 2), bool), np.full((2, 2), -np.inf)], ids=["bool", "float"])
def test_a_query_that_may_see_nothing_gets_zeros_and_sends_none_back(mask):
    q, k, v = (ddl.randn(2, 2, requires_grad=True) for _ in range(3))
    out = F.scaled_dot_product_attention(q, k, v, mask)
    out.sum().backward()
    for t in (out, q.grad, k.grad, v.grad):
        assert (t.numpy() == 0).all()


# ---- dropout
def test_dropout_keeps_the_mean_and_drops_its_share():
    x = ddl.ones(1000, 1000)
    for p in (0.1, 0.5, 0.9):
        y = F.dropout(x, p).numpy()
        assert abs((y == 0).mean() - p) < 0.002
        assert abs(y.mean() - 1) < 0.01
        assert np.unique(y).size == 2


def test_dropout_has_no_pattern_over_places_or_calls():
    a, b = (F.dropout(ddl.ones(512, 512), 0.5).numpy() > 0 for _ in range(2))
    for other in (b, np.roll(a, 1, 0), np.roll(a, 1, 1), a.T):
        assert abs((a == other).mean() - 0.5) < 0.01
    assert abs(a.mean(axis=0) - 0.5).max() < 0.15
    assert abs(a.mean(axis=1) - 0.5).max() < 0.15


def test_dropout_is_its_own_transpose():
    x, g = ddl.randn(50, 7, requires_grad=True), ddl.randn(50, 7)
    y = fused.dropout(x, p=0.3, seed=5)
    y.backward(g)
    np.testing.assert_array_equal(x.grad.numpy(), fused.dropout(g, p=0.3, seed=5).numpy())


def test_dropout_is_off_in_evaluation_and_new_at_each_training_pass():
    layer, x = ddl.nn.Dropout(0.5), ddl.ones(20, 20)
    assert (layer(x).numpy() != layer(x).numpy()).any()
    layer.eval()
    assert layer(x) is x
    layer.train()
    ddl.manual_seed(3)
    a = layer(x).numpy()
    ddl.manual_seed(3)
    assert (a == layer(x).numpy()).all()


def test_dropout_at_its_ends():
    x = ddl.tensor([1.0, 2.0], requires_grad=True)
    assert F.dropout(x, 0.0) is x
    y = F.dropout(x, 1.0)
    y.sum().backward()
    assert (y.tolist(), x.grad.tolist()) == ([0, 0], [0, 0])
    for p in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match="dropout needs p between 0 and 1"):
            F.dropout(x, p)


# ---- GELU, both forms
def test_gelu_has_the_slope_of_its_own_formula():
    x = np.linspace(-6, 6, 41)
    phi = np.array([0.5 * (1 + math.erf(v / math.sqrt(2))) for v in x])
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    forms = {
        "none": (x * phi, phi + x * np.exp(-x * x / 2) / math.sqrt(2 * math.pi)),
        "tanh": (
            0.5 * x * (1 + np.tanh(inner)),
            0.5 * (1 + np.tanh(inner))
            + 0.5 * x / np.cosh(inner) ** 2 * math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * x**2),
        ),
    }
    for form, (value, slope) in forms.items():
        t = ddl.tensor(x, requires_grad=True)
        y = F.gelu(t, approximate=form)
        y.sum().backward()
        np.testing.assert_allclose(y.numpy(), value, atol=1e-14)
        np.testing.assert_allclose(t.grad.numpy(), slope, atol=1e-14)
    assert abs(forms["none"][0] - forms["tanh"][0]).max() > 1e-4
    with pytest.raises(ValueError, match="the forms are 'none' and 'tanh'"):
        F.gelu(t, approximate="sigmoid")
