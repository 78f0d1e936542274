"""The decoder beside the same decoder written in PyTorch: logits, gradients, and 50 AdamW steps."""

import numpy as np
import pytest

import ddl
from ddl.models import GPT2, GPT2Config
from ddl.nn import functional as F

pytestmark = pytest.mark.torch


def twin(model):
    """The decoder as a function of PyTorch tensors named as ours: {path: tensor} and forward(ids) -> logits."""
    import torch
    from torch.nn import functional as TF

    config = model.config
    w = {path: torch.tensor(p.numpy().copy(), requires_grad=True) for path, p in model.named_parameters()}

    def norm(x, path):
        return TF.layer_norm(x, (config.n_embd,), w[f"{path}.weight"], w[f"{path}.bias"])

    def linear(x, path):
        return TF.linear(x, w[f"{path}.weight"], w[f"{path}.bias"])

    def forward(ids):
        B, T = ids.shape
        x = w["wte.weight"][ids] + w["wpe.weight"][:T]
        for n in range(config.n_layer):
            at = f"blocks.{n}"
            q, k, v = (
                part.view(B, T, config.n_head, -1).transpose(1, 2)
                for part in linear(norm(x, f"{at}.ln_1"), f"{at}.attn.qkv").split(config.n_embd, dim=-1)
            )
            y = TF.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(B, T, -1)
            x = x + linear(y, f"{at}.attn.proj")
            up = TF.gelu(linear(norm(x, f"{at}.ln_2"), f"{at}.mlp.up"), approximate="tanh")
            x = x + linear(up, f"{at}.mlp.down")
        return norm(x, "ln_f") @ w["wte.weight"].T

    return w, forward


def both_losses(model, forward, x, y):
    import torch

    V = model.config.vocab_size
    mine = F.cross_entropy(model(x).reshape(-1, V), y.reshape(-1))
    theirs = torch.nn.functional.cross_entropy(forward(torch.tensor(x)).view(-1, V), torch.tensor(y).view(-1))
    return mine, theirs


@pytest.mark.parametrize(("dtype", "close"), [(np.float32, 1e-4), (np.float64, 1e-10)])
def test_logits_and_gradients_are_pytorchs(dtype, close):
    import torch

    ddl.manual_seed(1)
    model = GPT2(GPT2Config(vocab_size=31, block_size=70, n_embd=24, n_layer=2, n_head=3)).to(dtype)
    w, forward = twin(model)
    x, y = np.random.default_rng(0).integers(0, 31, (2, 3, 70))
    np.testing.assert_allclose(model(x).numpy(), forward(torch.tensor(x)).detach().numpy(), rtol=close, atol=close)
    mine, theirs = both_losses(model, forward, x, y)
    mine.backward()
    theirs.backward()
    for path, p in model.named_parameters():
        np.testing.assert_allclose(p.grad.numpy(), w[path].grad.numpy(), rtol=close, atol=close / 10, err_msg=path)


@pytest.mark.parametrize(
    ("config", "batch", "dtype", "close"),
    [
        (GPT2Config(vocab_size=968, block_size=128, n_embd=128, n_layer=4, n_head=4), 2, np.float32, 1e-4),
        (GPT2Config(vocab_size=61, block_size=66, n_embd=32, n_layer=2, n_head=4), 3, np.float64, 1e-9),
    ],
    ids=["float32, the seed configuration", "float64"],
)
def test_fifty_adamw_steps_have_pytorchs_losses(config, batch, dtype, close):
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    ddl.manual_seed(1)
    model = GPT2(config).to(dtype)
    w, forward = twin(model)
    factor = ddl.optim.warmup_cosine(10, 50)
    mine = ddl.optim.AdamW(model.parameters(), lr=3e-3, betas=(0.9, 0.99), weight_decay=0.1)
    theirs = torch.optim.AdamW(w.values(), lr=3e-3, betas=(0.9, 0.99), weight_decay=0.1)
    schedules = ddl.optim.LambdaLR(mine, factor), torch.optim.lr_scheduler.LambdaLR(theirs, factor)
    text = np.random.default_rng(0)
    words = text.integers(0, config.vocab_size, (20, 6))  # a language of 20 words, so that there is much to learn
    losses = []
    for _ in range(50):
        ids = words[text.integers(0, 20, (batch, config.block_size // 6 + 1))].reshape(batch, -1)
        x, y = ids[:, : config.block_size - 2], ids[:, 1 : config.block_size - 1]
        a, b = both_losses(model, forward, x, y)
        losses.append((a.item(), b.item()))
        mine.backward_step(a, max_norm=1.0)
        theirs.zero_grad()
        b.backward()
        torch.nn.utils.clip_grad_norm_(w.values(), 1.0)
        theirs.step()
        for schedule in schedules:
            schedule.step()
    torch.set_num_threads(threads)
    a, b = np.array(losses).T
    np.testing.assert_allclose(a, b, rtol=close)
    assert a[-1] < 0.75 * a[0]
