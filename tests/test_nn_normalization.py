"""Norms over time: running moments from training to evaluation, and which numbers each norm looks at."""

import numpy as np
import pytest

import ddl
from ddl import nn
from ddl.nn import functional as F

SHAPES = {"BatchNorm1d": [(6, 3), (4, 3, 5)], "BatchNorm2d": [(4, 3, 2, 5)]}
OPTIONS = [{}, {"momentum": 0.3, "eps": 0.01}, {"momentum": None}, {"affine": False}]
KINDS = [(kind, shape) for kind, shapes in SHAPES.items() for shape in shapes]


@pytest.mark.torch
@pytest.mark.parametrize(
    "options", [{}, {"momentum": 0.3, "eps": 0.01}, {"momentum": None}, {"affine": False}], ids=str
)
@pytest.mark.parametrize(("kind", "shape"), KINDS)
def test_batch_norm_is_pytorchs_from_training_to_evaluation_and_back(kind, shape, options):
    import torch

    rng = np.random.default_rng(0)
    mine, theirs = getattr(nn, kind)(3, **options).double(), getattr(torch.nn, kind)(3, **options).double()

    def agree():
        x = rng.standard_normal(shape) * 3 + 1
        np.testing.assert_allclose(mine(x).numpy(), theirs(torch.tensor(x)).detach().numpy(), rtol=1e-12, atol=1e-12)
        for path, t in theirs.state_dict().items():
            np.testing.assert_allclose(mine.state_dict()[path].numpy(), t.numpy(), rtol=1e-12, atol=1e-12, err_msg=path)

    for training in (True, True, True, False, False, True, False):
        mine.train(training)
        theirs.train(training)
        agree()
    assert mine.num_batches_tracked.item() == 4


@pytest.mark.parametrize(("kind", "shape"), KINDS)
def test_batch_norm_normalises_each_channel_over_all_else(kind, shape):
    spread = np.array([5.0, 1.0, 0.2]).reshape(3, *[1] * (len(shape) - 2))
    x = np.random.default_rng(1).standard_normal(shape) * spread + 7 * spread
    y = getattr(nn, kind)(3, eps=0.0).double()(x).numpy()
    others = tuple(axis for axis in range(len(shape)) if axis != 1)
    np.testing.assert_allclose(y.mean(axis=others), 0, atol=1e-12)
    np.testing.assert_allclose(y.std(axis=others), 1, rtol=1e-12)


def test_evaluation_sees_each_row_by_itself_and_changes_nothing():
    layer = nn.BatchNorm1d(3)
    for seed in range(4):
        layer(np.random.default_rng(seed).random((8, 3), np.float32))
    before = {path: t.numpy().copy() for path, t in layer.state_dict().items()}
    x = np.random.default_rng(9).random((5, 3), np.float32)
    whole = layer.eval()(x).numpy()
    for i in range(5):
        np.testing.assert_array_equal(layer(x[i : i + 1]).numpy(), whole[i : i + 1])
    for path, t in layer.state_dict().items():
        np.testing.assert_array_equal(t.numpy(), before[path])


def test_running_moments_are_no_parameters_and_go_through_a_state():
    a, b = nn.BatchNorm1d(3), nn.BatchNorm1d(3)
    a(np.random.default_rng(0).random((8, 3), np.float32))
    assert [path for path, _ in a.named_parameters()] == ["weight", "bias"]
    assert a.running_mean.grad is None
    b.load_state_dict(a.state_dict())
    x = np.random.default_rng(1).random((2, 3), np.float32)
    np.testing.assert_array_equal(a.eval()(x).numpy(), b.eval()(x).numpy())


@pytest.mark.parametrize(
    ("norm", "sees"),
    [
        (lambda x: F.layer_norm(x, 4), np.s_[0, 0, :]),
        (lambda x: F.rms_norm(x, 4), np.s_[0, 0, :]),
        (lambda x: F.layer_norm(x, (6, 4)), np.s_[0]),
        (lambda x: F.group_norm(x, 2), np.s_[0, :3]),
        (lambda x: F.group_norm(x, 6), np.s_[0, 0]),
        (lambda x: F.batch_norm(x, None, None, training=True), np.s_[:, 0]),
    ],
    ids=["layer", "rms", "layer over two axes", "group", "instance", "batch"],
)
def test_a_norm_looks_at_its_own_numbers_and_no_others(norm, sees):
    x = ddl.randn(2, 6, 4, dtype=np.float64, requires_grad=True)
    norm(x)[0, 0, 0].backward()
    expected = np.zeros(x.shape, bool)
    expected[sees] = True
    np.testing.assert_array_equal(x.grad.numpy() != 0, expected)
