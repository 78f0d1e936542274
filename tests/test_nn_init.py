"""Initialisers: the scale each one promises, their generator, and what a deep network keeps of it."""

import math
from functools import partial

import numpy as np
import pytest

import ddl
from ddl.nn import init

SHAPE = (300, 400)  # out, in
UNIFORM, NORMAL = "uniform", "normal"
SCALES = {
    "uniform": (lambda **k: init.uniform(SHAPE, low=-1, high=3, **k), 1.0, 4 / math.sqrt(12), UNIFORM),
    "normal": (lambda **k: init.normal(SHAPE, mean=2.0, std=0.5, **k), 2.0, 0.5, NORMAL),
    "xavier_uniform": (lambda **k: init.xavier_uniform(SHAPE, **k), 0.0, math.sqrt(2 / 700), UNIFORM),
    "xavier_normal": (lambda **k: init.xavier_normal(SHAPE, gain=2.0, **k), 0.0, 2 * math.sqrt(2 / 700), NORMAL),
    "kaiming_uniform": (
        lambda **k: init.kaiming_uniform(SHAPE, nonlinearity="relu", **k), 0.0, math.sqrt(2 / 400), UNIFORM,
    ),
    "kaiming_uniform fan_out": (
        lambda **k: init.kaiming_uniform(SHAPE, a=5**0.5, mode="fan_out", **k), 0.0, math.sqrt(1 / 3 / 300), UNIFORM,
    ),
    "kaiming_normal": (
        lambda **k: init.kaiming_normal(SHAPE, nonlinearity="tanh", **k), 0.0, 5 / 3 / math.sqrt(400), NORMAL,
    ),
    "trunc_normal": (lambda **k: init.trunc_normal(SHAPE, std=1.0, **k), 0.0, 0.8796, None),
    "orthogonal": (lambda **k: init.orthogonal(SHAPE, **k), 0.0, math.sqrt(1 / 400), None),
}  # fmt: skip


@pytest.mark.parametrize("name", SCALES)
def test_mean_and_spread_are_the_formulas(name):
    make, mean, std, kind = SCALES[name]
    values = make(rng=np.random.default_rng(0))
    n = values.size
    assert (values.shape, values.dtype) == (SHAPE, np.float32)
    assert abs(values.mean() - mean) < 5 * std / math.sqrt(n)
    assert abs(values.std() / std - 1) < 0.01
    if kind == UNIFORM:
        half = std * math.sqrt(3)
        assert values.min() >= np.float32(mean - half)
        assert values.max() <= np.float32(mean + half)
        assert np.histogram(values, 10, (mean - half, mean + half))[0].std() < 0.02 * n / 10
    if kind == NORMAL:
        z = (values.astype(np.float64) - mean) / std
        assert abs((z**4).mean() - 3) < 0.1
        assert abs((abs(z) < 1).mean() - 0.6827) < 0.005


@pytest.mark.parametrize("name", SCALES)
def test_a_generator_makes_it_reproducible_and_the_stream_follows_the_seed(name):
    make = SCALES[name][0]
    np.testing.assert_array_equal(make(rng=np.random.default_rng(7)), make(rng=np.random.default_rng(7)))
    assert (make(rng=np.random.default_rng(7)) != make(rng=np.random.default_rng(8))).any()
    ddl.manual_seed(4)
    a, b = make(), make()
    ddl.manual_seed(4)
    np.testing.assert_array_equal(a, make())
    assert (a != b).any()


def test_drawing_data_does_not_shift_the_weights():
    ddl.manual_seed(4)
    plain = init.normal((3, 3))
    ddl.manual_seed(4)
    ddl.randn(100), ddl.nn.functional.dropout(ddl.ones(5), 0.5)
    np.testing.assert_array_equal(init.normal((3, 3)), plain)


def test_an_explicit_generator_leaves_the_stream_alone():
    ddl.manual_seed(4)
    plain = init.normal((3, 3))
    ddl.manual_seed(4)
    ddl.nn.Linear(5, 5, rng=np.random.default_rng(0))
    np.testing.assert_array_equal(init.normal((3, 3)), plain)


def test_constants():
    assert (init.zeros((2, 3)) == 0).all()
    assert (init.ones((2, 3)) == 1).all()
    assert (init.constant((2, 3), value=0.25) == 0.25).all()


def test_trunc_normal_stays_inside():
    values = init.trunc_normal((200, 200), mean=1.0, std=2.0, low=0.0, high=1.5, rng=np.random.default_rng(0))
    assert values.min() >= 0
    assert values.max() <= 1.5
    with pytest.raises(ValueError, match=r"cannot reach \[100, 101\]"):
        init.trunc_normal((2, 2), low=100, high=101)


@pytest.mark.parametrize("shape", [(5, 5), (3, 7), (7, 3), (4, 2, 3)])
def test_orthogonal_rows_or_columns(shape):
    q = init.orthogonal(shape, gain=2.0, rng=np.random.default_rng(0)).reshape(shape[0], -1).astype(float)
    small = q @ q.T if q.shape[0] <= q.shape[1] else q.T @ q
    np.testing.assert_allclose(small, 4 * np.eye(len(small)), atol=1e-5)


def test_fans_follow_the_names_of_the_axes():
    assert init.fans((8, 4)) == (4, 8)
    assert init.fans((4, 8), ("in", "out")) == (4, 8)
    assert init.fans((16, 3, 5, 5)) == (3 * 25, 16 * 25)
    with pytest.raises(ValueError, match=r"an 'in' and an 'out' .* shape \(4,\) was given"):
        init.fans((4,))
    with pytest.raises(ValueError, match="kaiming mode 'fan' was asked for"):
        init.kaiming_normal((2, 2), mode="fan")
    with pytest.raises(ValueError, match="'swish' was asked for"):
        init.kaiming_normal((2, 2), nonlinearity="swish")


@pytest.mark.torch
def test_the_gains_are_pytorchs():
    import torch

    for name in ("linear", "sigmoid", "tanh", "relu", "selu"):
        assert init.gain(name) == pytest.approx(torch.nn.init.calculate_gain(name))
    assert init.gain("leaky_relu", 0.3) == pytest.approx(torch.nn.init.calculate_gain("leaky_relu", 0.3))


def scales(initialiser, f, seed):
    """The size (root mean square) of what 50 layers of 128 make of N(0, 1), and of the gradient that comes back."""
    rng = np.random.default_rng(seed)
    layers = [ddl.nn.Linear(128, 128, bias=False, weight_init=initialiser, rng=rng).double() for _ in range(50)]
    x = ddl.tensor(rng.standard_normal((64, 128)), requires_grad=True)
    h = x
    for layer in layers:
        h = f(layer(h))
    h.backward(rng.standard_normal(h.shape))
    return [(t.numpy() ** 2).mean() ** 0.5 for t in (h, x.grad)]


LINES = lambda x: x


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("initialiser", "f", "low", "high"),
    [
        (partial(init.kaiming_normal, nonlinearity="relu"), ddl.relu, 0.2, 5),
        (partial(init.kaiming_uniform, nonlinearity="relu"), ddl.relu, 0.2, 5),
        (init.xavier_uniform, LINES, 0.5, 2),
        (init.xavier_normal, LINES, 0.5, 2),
        (init.orthogonal, LINES, 0.9, 1.1),
        (init.xavier_uniform, ddl.tanh, 0.05, 0.5),  # tanh bends down: as 1 / sqrt(depth), not as a power of a factor
        (init.xavier_normal, ddl.tanh, 0.05, 0.5),
    ],
    ids=["kaiming_normal relu", "kaiming_uniform relu", "xavier_uniform", "xavier_normal", "orthogonal",
         "xavier_uniform tanh", "xavier_normal tanh"],
)  # fmt: skip
def test_fifty_layers_keep_the_scale_of_values_and_gradients(initialiser, f, low, high, seed):
    values, gradients = scales(initialiser, f, seed)
    assert low < values < high
    assert low < gradients < high


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("f", [ddl.relu, LINES], ids=["relu", "lines"])
def test_a_plain_normal_explodes_and_one_of_a_hundredth_vanishes(f, seed):
    """By sqrt(128 / 2) = 8 a layer, 10^45 in 50, through relu; by a hundredth of that a layer where std is 0.01."""
    values, gradients = scales(init.normal, f, seed)
    assert values > 1e40
    assert gradients > 1e40
    values, gradients = scales(partial(init.normal, std=0.01), f, seed)
    assert 0 < values < 1e-40
    assert 0 < gradients < 1e-40


def test_through_tanh_a_plain_normal_saturates_and_its_gradient_explodes():
    values, gradients = scales(init.normal, ddl.tanh, 0)
    assert 0.9 < values < 1
    assert gradients > 1e15
    values, gradients = scales(partial(init.normal, std=0.01), ddl.tanh, 0)
    assert 0 < values < 1e-40
    assert 0 < gradients < 1e-40


def test_layers_start_as_pytorchs_do():
    linear, table = ddl.nn.Linear(400, 300), ddl.nn.Embedding(300, 400)
    for p in (linear.weight, linear.bias):
        assert abs(p.numpy()).max() <= 1 / 20
        assert abs(p.numpy().std() / (1 / 20 / math.sqrt(3)) - 1) < 0.1
    assert abs(table.weight.numpy().std() - 1) < 0.02
