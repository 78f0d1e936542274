"""Layers beside PyTorch's with equal weights: values and every gradient, in float64."""

import numpy as np
import pytest

import ddl
from ddl import nn

pytestmark = pytest.mark.torch


def twins(mine, theirs, names=None):
    """Copy the weights of ours into PyTorch's module of the same structure, and make both float64."""
    import torch

    mine.double()
    state = {(names or {}).get(path, path): torch.tensor(p.numpy()) for path, p in mine.named_parameters()}
    theirs.double().load_state_dict(state)
    return mine, theirs


def compare(mine, theirs, x, names=None, run=lambda module, x: module(x)):
    import torch

    x = np.asarray(x)
    a = ddl.tensor(x, requires_grad=x.dtype.kind == "f")
    b = torch.tensor(x, requires_grad=x.dtype.kind == "f")
    out, expected = mine(a), run(theirs, b)
    np.testing.assert_allclose(out.numpy(), expected.detach().numpy(), rtol=1e-12, atol=1e-12)
    direction = np.random.default_rng(3).standard_normal(out.shape)
    out.backward(direction)
    expected.backward(torch.tensor(direction))
    if a.requires_grad:
        np.testing.assert_allclose(a.grad.numpy(), b.grad.numpy(), rtol=1e-10, atol=1e-10)
    gradients = {path: p.grad.numpy() for path, p in theirs.named_parameters()}
    for path, p in mine.named_parameters():
        np.testing.assert_allclose(
            p.grad.numpy(), gradients[(names or {}).get(path, path)], rtol=1e-10, atol=1e-10, err_msg=path
        )


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.mark.parametrize("shape", [(4,), (5, 4), (2, 3, 4), (0, 4)])
@pytest.mark.parametrize("bias", [True, False])
def test_linear(shape, bias, rng):
    import torch

    compare(*twins(nn.Linear(4, 3, bias), torch.nn.Linear(4, 3, bias)), rng.standard_normal(shape))


@pytest.mark.parametrize("shape", [(), (7,), (2, 3), (0,)])
def test_embedding(shape, rng):
    import torch

    compare(*twins(nn.Embedding(5, 3), torch.nn.Embedding(5, 3)), rng.integers(0, 5, shape))


@pytest.mark.parametrize("shape", [(4,), (5, 4), (2, 3, 4)])
@pytest.mark.parametrize("bias", [True, False])
def test_layer_norm(shape, bias, rng):
    import torch

    mine, theirs = nn.LayerNorm(4, bias=bias), torch.nn.LayerNorm(4, bias=bias)
    mine.weight.data[:] = rng.standard_normal(4)
    compare(*twins(mine, theirs), rng.standard_normal(shape) * 3 + 1)


ATTENTION = {
    "qkv.weight": "in_proj_weight",
    "qkv.bias": "in_proj_bias",
    "proj.weight": "out_proj.weight",
    "proj.bias": "out_proj.bias",
}


@pytest.mark.parametrize("heads", [1, 2, 4])
def test_causal_self_attention(heads, rng):
    import torch

    def run(module, x):
        mask = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)  # True hides here
        return module(x, x, x, attn_mask=mask, need_weights=False)[0]

    mine = nn.CausalSelfAttention(8, heads)
    theirs = torch.nn.MultiheadAttention(8, heads, batch_first=True)
    compare(*twins(mine, theirs, ATTENTION), rng.standard_normal((2, 5, 8)), ATTENTION, run)


def test_transformer_block(rng):
    import torch

    mine = nn.TransformerBlock(8, 2)
    gelu = lambda x: torch.nn.functional.gelu(x, approximate="tanh")
    theirs = torch.nn.TransformerEncoderLayer(8, 2, 32, 0.0, gelu, batch_first=True, norm_first=True)
    names = {f"attn.{a}": f"self_attn.{b}" for a, b in ATTENTION.items()}
    for mine_name, their_name in {"ln_1": "norm1", "ln_2": "norm2", "mlp.up": "linear1", "mlp.down": "linear2"}.items():
        names |= {f"{mine_name}.{part}": f"{their_name}.{part}" for part in ("weight", "bias")}

    def run(module, x):
        return module(x, src_mask=torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1))

    compare(*twins(mine, theirs, names), rng.standard_normal((2, 70, 8)), names, run)


@pytest.mark.parametrize("kind", ["ReLU", "Tanh", "Sigmoid", "GELU"])
def test_activations(kind, rng):
    import torch

    compare(getattr(nn, kind)(), getattr(torch.nn, kind)(), rng.standard_normal((3, 4)))


@pytest.mark.parametrize("options", [{}, {"reduction": "sum"}, {"reduction": "none"}])
def test_loss_layers(options, rng):
    import torch

    x, y, classes = rng.standard_normal((4, 3)), rng.random((4, 3)), rng.integers(0, 3, 4)
    for kind, target in (("MSELoss", y), ("BCEWithLogitsLoss", y), ("CrossEntropyLoss", classes)):
        mine = getattr(nn, kind)(**options)(ddl.tensor(x), ddl.tensor(target))
        theirs = getattr(torch.nn, kind)(**options)(torch.tensor(x), torch.tensor(target))
        np.testing.assert_allclose(mine.numpy(), theirs.numpy(), rtol=1e-12)
    mine = nn.CrossEntropyLoss(ignore_index=1, label_smoothing=0.2)(ddl.tensor(x), ddl.tensor(classes))
    theirs = torch.nn.CrossEntropyLoss(ignore_index=1, label_smoothing=0.2)(torch.tensor(x), torch.tensor(classes))
    np.testing.assert_allclose(mine.numpy(), theirs.numpy(), rtol=1e-12)
