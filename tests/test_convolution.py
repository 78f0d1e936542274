"""Convolution and pools: what no row of the table shows."""

import tracemalloc
import warnings

import numpy as np
import pytest
from cases import CASES

import ddl
from ddl import nn, ops
from ddl.backward import walk
from ddl.nn import functional as F

CONVOLUTIONS = ("conv1d", "conv2d", "conv_transpose1d", "conv_transpose2d")
TWICE = [c for c in CASES if c.op in CONVOLUTIONS and c.torch and c.order == 2 and "0-size" not in c.name]


def test_what_goes_wrong_elsewhere_has_rows_in_the_table():
    """Bias, dilation, groups, padding 'same' and even kernels, alone and together, in either direction."""
    for op in CONVOLUTIONS:
        cases = [c for c in TWICE if c.op == op]
        of = lambda word, cases=cases: [c for c in cases if word in c.name]
        assert any(len(c.makers) == 3 for c in cases), op
        assert any(len(c.makers) == 3 for c in of("'dilation'")), op
        assert any(len(c.makers) == 3 for c in of("'groups'")), op
        if "transpose" in op:
            assert of("'output_padding'"), op
            continue
        sizes = {c.inputs()[1].shape[2:] for c in of("'same'")}
        assert {k % 2 for size in sizes for k in size} == {0, 1}, op
        assert any(c.inputs()[1].shape[-1] % 2 == 0 for c in of("'dilation'") if "'same'" in c.name), op


@pytest.mark.torch
@pytest.mark.parametrize("case", TWICE, ids=[c.id for c in TWICE])
def test_the_gradient_of_the_gradient_is_pytorchs(case):
    import torch

    inputs, rng = case.inputs(), np.random.default_rng(4)
    xs, ts = ([f(x, requires_grad=True) for x in inputs] for f in (ddl.tensor, torch.tensor))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of even kernels
        out, theirs = case.f(*xs), case.torch(torch, *ts)
    along = [rng.standard_normal(out.shape), *(rng.standard_normal(x.shape) for x in inputs)]
    first = ddl.grad((out * along[0]).sum(), xs, create_graph=True)
    total = sum(((g * d).sum() for g, d in zip(first[1:], along[2:])), (first[0] * along[1]).sum())
    expected = torch.autograd.grad((theirs * torch.tensor(along[0])).sum(), ts, create_graph=True)
    sum((g * torch.tensor(d)).sum() for g, d in zip(expected, along[1:])).backward()
    for g, t in zip(ddl.grad(total, xs[:2]), ts[:2]):  # a bias is added: it has no part in the second
        np.testing.assert_allclose(g.numpy(), t.grad.numpy(), rtol=1e-10, atol=1e-10)
        assert t.grad.any()


def test_same_with_an_even_kernel_pads_one_more_at_the_end():
    x, w = ddl.tensor([[[1.0, 2.0, 3.0]]]), ddl.ones(1, 1, 2)
    assert F.conv1d(x, w, padding="same").tolist() == [[[3, 5, 3]]]
    assert F.conv1d(x, ddl.ones(1, 1, 4), padding="same").tolist() == [[[6, 6, 5]]]


def test_an_image_shifted_gives_its_features_shifted():
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((1, 2, 9, 9)), ddl.tensor(rng.standard_normal((3, 2, 3, 3)))
    at = F.conv2d(x, w).numpy()
    moved = F.conv2d(np.roll(x, (1, 2), axis=(2, 3)), w).numpy()
    np.testing.assert_allclose(moved[:, :, 1:, 2:], at[:, :, :-1, :-2], rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float32", "float64"])
def test_conv_and_its_transpose_give_one_scalar_product(dtype):
    """<conv(x), y> = <x, conv_transpose(y)>, with settings that leave part of x untouched."""
    rng = np.random.default_rng(0)
    settings = {"stride": 3, "padding": 1, "dilation": 2, "groups": 2}
    x, w = (ddl.tensor(rng.standard_normal(s).astype(dtype)) for s in ((2, 4, 12, 11), (6, 2, 2, 3)))
    out = F.conv2d(x, w, **settings)
    y = ddl.tensor(rng.standard_normal(out.shape).astype(dtype))
    back = F.conv_transpose2d(y, w, output_padding=2, **settings)
    assert back.shape == (2, 4, 12, 11)
    np.testing.assert_allclose(
        (out * y).sum().item(), (x * back).sum().item(), rtol=1e-4 if dtype == np.float32 else 1e-12
    )


# ---- pools
def test_of_several_largest_the_first_in_reading_order_has_the_gradient():
    x = ddl.tensor([[[[1.0, 2.0, 2.0], [2.0, 2.0, 0.0], [2.0, 2.0, 2.0]]]], requires_grad=True)
    F.max_pool2d(x, 3).backward(ddl.ones(1, 1, 1, 1))
    assert x.grad.tolist() == [[[[0, 1, 0], [0, 0, 0], [0, 0, 0]]]]
    x.grad = None
    F.adaptive_max_pool2d(x, 2).sum().backward()  # windows of 2 that share the middle row and column
    assert x.grad.tolist() == [[[[0, 2, 0], [1, 1, 0], [0, 0, 0]]]]


@pytest.mark.torch
def test_ties_go_where_pytorch_sends_them():
    import torch

    values = np.random.default_rng(0).integers(0, 3, (3, 2, 7, 9)).astype(np.float64)
    for ours, theirs in (
        (lambda x: F.max_pool2d(x, 3, 2, 1), lambda x: torch.max_pool2d(x, 3, 2, 1)),
        (lambda x: F.max_pool2d(x, 2, ceil_mode=True), lambda x: torch.max_pool2d(x, 2, ceil_mode=True)),
        (
            lambda x: F.adaptive_max_pool2d(x, (3, 4)),
            lambda x: torch.nn.functional.adaptive_max_pool2d(x, (3, 4)),
        ),
    ):
        x, t = ddl.tensor(values, requires_grad=True), torch.tensor(values, requires_grad=True)
        out = ours(x)
        direction = np.random.default_rng(1).standard_normal(out.shape)
        out.backward(direction)
        theirs(t).backward(torch.tensor(direction))
        np.testing.assert_allclose(x.grad.numpy(), t.grad.numpy(), rtol=1e-12)


def test_padding_is_never_the_largest():
    x = ddl.tensor([[[-3.0, -2.0]]])
    assert F.max_pool1d(x, 2, padding=1).tolist() == [[[-3, -2]]]
    assert F.avg_pool1d(x, 2, padding=1).tolist() == [[[-1.5, -1]]]
    assert F.avg_pool1d(x, 2, padding=1, count_include_pad=False).tolist() == [[[-3, -2]]]


def test_padding_has_no_gradient_beside_minus_infinity():
    """Also not where a window's first entries are padding, and all that is in it is as small."""
    x = ddl.tensor(np.full((1, 1, 2, 2), -np.inf), requires_grad=True)
    assert (F.max_pool2d(x, 2, padding=1).numpy() == -np.inf).all()
    F.max_pool2d(x, 2, padding=1).backward(ddl.ones(1, 1, 2, 2))
    assert x.grad.tolist() == [[[[1, 1], [1, 1]]]]


def test_nan_stays_visible_and_has_the_gradient():
    x = ddl.tensor([[[1.0, np.nan, 5.0]]], requires_grad=True)
    y = F.max_pool1d(x, 3)
    assert np.isnan(y.item())
    y.backward()
    assert x.grad.tolist() == [[[0, 1, 0]]]


@pytest.mark.torch
@pytest.mark.parametrize("settings", [(2, 2, 1), (3, 1, 1), (4, 1, 2), (3, 2, 1, 2)])
def test_infinities_and_a_nan_go_where_pytorch_sends_them(settings):
    import torch

    values = np.random.default_rng(0).choice([-np.inf, np.inf, 1.0], (3, 2, 7, 9), p=[0.8, 0.1, 0.1])
    values[0, 0, 3, 3] = np.nan
    x, t = ddl.tensor(values, requires_grad=True), torch.tensor(values, requires_grad=True)
    out = F.max_pool2d(x, *settings)
    direction = np.random.default_rng(1).standard_normal(out.shape)
    out.backward(direction)
    torch.max_pool2d(t, *settings).backward(torch.tensor(direction))
    np.testing.assert_allclose(x.grad.numpy(), t.grad.numpy(), rtol=1e-12)


# ---- memory
def test_a_convolution_keeps_no_unfolded_input_and_never_needs_two():
    """Kept for the pull-back are the inputs alone; at the peak one unfolded input is there, and its gradient after."""
    ddl.manual_seed(0)
    layer = nn.Conv2d(8, 8, 5, padding=2)
    x = ddl.randn(4, 8, 32, 32)
    x.requires_grad = True
    layer(x).sum().backward()  # what is set up once
    unfolded = x.data.nbytes * 25
    tracemalloc.start()
    out = layer(x)
    kept, peak = tracemalloc.get_traced_memory()
    assert kept < 0.2 * unfolded
    assert peak < 1.3 * unfolded
    saved = [a for node in walk(out.node) if node.op for a in node.saved if hasattr(a, "nbytes")]
    assert {a.shape for a in saved} <= {x.shape, layer.weight.shape, layer.bias.shape}
    tracemalloc.reset_peak()
    out.backward(ddl.ones(*out.shape))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2 * unfolded


def test_windows_laid_out_are_what_the_definition_says():
    x = np.arange(12.0).reshape(1, 1, 3, 4)
    laid = ops.windows(x, size=(2, 2), shape=(2, 3), slide=ops.Slide((1, 1), (0, 0), (1, 1)))
    for p, q in np.ndindex(2, 3):
        np.testing.assert_array_equal(laid[0, 0, :, :, p, q], x[0, 0, p : p + 2, q : q + 2])
