"""Optimizers that PyTorch lacks, or has in another precision, beside their papers' formulas; averages of weights."""

import math

import numpy as np
import pytest

import ddl
from ddl import optim
from ddl.nn import Parameter
from ddl.optim.muon import COEFFICIENTS, orthogonalised


def train(optimizer, p, gradients):
    for g in gradients:
        p.grad = ddl.tensor(g)
        optimizer.step()
    return p.numpy()


def draws(shape, n=20):
    rng = np.random.default_rng(5)
    return rng.standard_normal(shape), [rng.standard_normal(shape) for _ in range(n)]


@pytest.mark.parametrize("decay", [0.0, 0.2])
def test_lion_is_the_papers_algorithm(decay):
    start, gradients = draws((3, 4))
    p, m = start.copy(), np.zeros((3, 4))
    for g in gradients:
        c = 0.8 * m + (1 - 0.8) * g
        p = p - 0.01 * (np.where(c > 0, 1.0, -1.0) + decay * p)
        m = 0.95 * m + (1 - 0.95) * g
    mine = Parameter(start)
    got = train(optim.Lion([mine], lr=0.01, betas=(0.8, 0.95), weight_decay=decay), mine, gradients)
    np.testing.assert_allclose(got, p, rtol=1e-12)


def by_svd(m, steps=5):
    """The iteration on the singular values themselves."""
    a, b, c = COEFFICIENTS
    u, s, vt = np.linalg.svd(m, full_matrices=False)
    s = s / (np.linalg.norm(m) + 1e-7)
    for _ in range(steps):
        s = a * s + b * s**3 + c * s**5
    return u @ np.diag(s) @ vt


@pytest.mark.parametrize("shape", [(4, 4), (3, 7), (7, 3), (1, 5), (5, 1)])
def test_orthogonalised_acts_on_the_singular_values(shape):
    m = draws(shape)[0]
    got = orthogonalised(m)
    np.testing.assert_allclose(got, by_svd(m), rtol=1e-9, atol=1e-12)
    singular = np.linalg.svd(got, compute_uv=False)
    assert singular.min() > 0.6
    assert singular.max() < 1.3


@pytest.mark.parametrize("nesterov", [True, False])
@pytest.mark.parametrize("shape", [(3, 5), (6, 2)])
def test_muon_is_its_formula(shape, nesterov):
    start, gradients = draws(shape)
    p, m = start.copy(), np.zeros(shape)
    for g in gradients:
        m = 0.9 * m + 0.1 * g
        move = 0.1 * g + 0.9 * m if nesterov else m
        p = p * (1 - 0.02 * 0.3) - 0.02 * math.sqrt(max(1, shape[0] / shape[1])) * by_svd(move)
    mine = Parameter(start)
    optimizer = optim.Muon([mine], lr=0.02, weight_decay=0.3, momentum=0.9, nesterov=nesterov)
    np.testing.assert_allclose(train(optimizer, mine, gradients), p, rtol=1e-9, atol=1e-10)


@pytest.mark.torch
@pytest.mark.parametrize("shape", [(3, 5), (6, 2)])
def test_muon_is_pytorchs_up_to_its_bfloat16(shape):
    import torch

    start, gradients = draws(shape)
    mine, theirs = Parameter(start), torch.nn.Parameter(torch.tensor(start))
    train(optim.Muon([mine], lr=0.02), mine, gradients)
    optimizer = torch.optim.Muon([theirs], lr=0.02)
    for g in gradients:
        theirs.grad = torch.tensor(g)
        optimizer.step()
    moved = np.abs(mine.numpy() - start).max()
    assert np.abs(mine.numpy() - theirs.detach().numpy()).max() < 0.03 * moved


@pytest.mark.parametrize("kind", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Lion", "Muon"])
def test_each_optimizer_fits_a_line_of_matrices(kind):
    rng = np.random.default_rng(0)
    x = ddl.tensor(rng.standard_normal((64, 4)))
    y = x @ ddl.tensor(rng.standard_normal((4, 3)))
    w = Parameter(np.zeros((4, 3)))
    rate = {"SGD": 0.5, "Adagrad": 0.5}.get(kind, 0.05)
    optimizer = getattr(optim, kind)([w], lr=rate)
    schedule = optim.CosineAnnealingLR(optimizer, 400)
    first = ((x @ w - y) ** 2).mean().item()
    for _ in range(400):
        optimizer.backward_step(((x @ w - y) ** 2).mean())
        schedule.step()
    assert ((x @ w - y) ** 2).mean().item() < 1e-3 * first


@pytest.mark.parametrize("kind", ["SGD", "Adam", "RMSprop", "Adagrad", "Lion", "Muon"])
def test_a_state_taken_up_goes_on_to_the_last_bit(kind):
    options = {"SGD": {"momentum": 0.9}, "RMSprop": {"momentum": 0.9, "centered": True}}.get(kind, {})
    start, gradients = draws((4, 3))
    whole, cut = Parameter(start), Parameter(start)
    train(getattr(optim, kind)([whole], lr=0.01, **options), whole, gradients)
    first = getattr(optim, kind)([cut], lr=0.01, **options)
    train(first, cut, gradients[:7])
    second = getattr(optim, kind)([cut], lr=0.5)
    second.load_state_dict(first.state_dict())
    np.testing.assert_array_equal(train(second, cut, gradients[7:]), whole.numpy())


def test_averages_follow_slowly_and_are_lent_to_the_model():
    model = ddl.nn.Linear(2, 2).double()
    ema = optim.EMA(model.parameters(), decay=0.75)
    expected = [p.numpy().copy() for p in model.parameters()]
    rng = np.random.default_rng(1)
    for _ in range(5):
        with ddl.no_grad():
            for p in model.parameters():
                p.copy_(rng.standard_normal(p.shape))
        ema.update()
        expected = [0.75 * e + 0.25 * p.numpy() for e, p in zip(expected, model.parameters())]
    own = [p.numpy().copy() for p in model.parameters()]

    def judge():
        with ema.applied():
            for p, e in zip(model.parameters(), expected):
                np.testing.assert_allclose(p.numpy(), e, rtol=1e-12)
            raise KeyError("the weights come back all the same")

    with pytest.raises(KeyError):
        judge()
    for p, o in zip(model.parameters(), own):
        np.testing.assert_array_equal(p.numpy(), o)
    other = optim.EMA(model.parameters())
    other.load_state_dict(ema.state_dict())
    assert other.decay == 0.75
    for a, b in zip(other.averages, ema.averages):
        np.testing.assert_array_equal(a, b)
        assert a is not b


@pytest.mark.torch
def test_averages_are_pytorchs():
    import torch
    from torch.optim import swa_utils

    start, moves = draws((3, 2), 6)
    mine, layer = Parameter(start), torch.nn.Linear(2, 3, bias=False).double()
    layer.weight.data = torch.tensor(start)
    theirs = swa_utils.AveragedModel(layer, multi_avg_fn=swa_utils.get_ema_multi_avg_fn(0.9))
    theirs.update_parameters(layer)
    ema = optim.EMA([mine], decay=0.9)
    for move in moves:
        mine.data[...] += move
        layer.weight.data += torch.tensor(move)
        ema.update()
        theirs.update_parameters(layer)
    np.testing.assert_allclose(ema.averages[0], theirs.module.weight.detach().numpy(), rtol=1e-12)


def test_averages_refuse_nonsense():
    p = Parameter(np.ones(2))
    with pytest.raises(ValueError, match=r"EMA needs a decay from 0 up to, not including, 1, but 1\.5 was given"):
        optim.EMA([p], decay=1.5)
    with pytest.raises(TypeError, match=r"EMA was given a module; pass its parameters, module\.parameters\(\)"):
        optim.EMA(ddl.nn.Linear(1, 1))
    with pytest.raises(ValueError, match=r"averages are of shapes \[\(3,\)\], but these parameters have \[\(2,\)\]"):
        optim.EMA([p]).load_state_dict({"decay": 0.9, "averages": [np.ones(3)]})
