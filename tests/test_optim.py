"""Optimizers beside PyTorch's over 20 steps, groups, clipping, state, and what they refuse."""

import math

import numpy as np
import pytest

import ddl
from ddl import optim
from ddl.nn import Parameter
from ddl.optim.adam import SIZE, adam, adam_in_blocks

SHAPES = [(3, 4), (4,), (), (2, 1, 3), (0, 2)]
KINDS = {
    "SGD": ("SGD", {"lr": 0.1}),
    "SGD with momentum": ("SGD", {"lr": 0.1, "momentum": 0.9}),
    "SGD with decay": ("SGD", {"lr": 0.1, "weight_decay": 0.1}),
    "SGD with Nesterov": ("SGD", {"lr": 0.05, "momentum": 0.8, "nesterov": True, "weight_decay": 0.01}),
    "SGD with dampening": ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.3}),
    "Adam": ("Adam", {"lr": 0.01}),
    "Adam with decay": ("Adam", {"lr": 0.02, "betas": (0.8, 0.95), "eps": 1e-3, "weight_decay": 0.3}),
    "AdamW": ("AdamW", {"lr": 0.01}),
    "AdamW without decay": ("AdamW", {"lr": 0.01, "weight_decay": 0.0}),
    "AdamW with its options": ("AdamW", {"lr": 0.02, "betas": (0.8, 0.95), "eps": 1e-3, "weight_decay": 0.3}),
    "RMSprop": ("RMSprop", {"lr": 0.01}),
    "RMSprop centred": ("RMSprop", {"lr": 0.01, "alpha": 0.9, "centered": True, "weight_decay": 0.1}),
    "RMSprop with momentum": ("RMSprop", {"lr": 0.01, "momentum": 0.8, "eps": 1e-4}),
    "Adagrad": ("Adagrad", {"lr": 0.1}),
    "Adagrad with its options": (
        "Adagrad",
        {"lr": 0.1, "lr_decay": 0.1, "weight_decay": 0.1, "initial_accumulator_value": 0.5},
    ),
}


def parameters(dtype=np.float64, shapes=SHAPES):
    rng = np.random.default_rng(0)
    return [Parameter(np.asarray(rng.standard_normal(s), dtype)) for s in shapes]


def gradients(step, shapes=SHAPES):
    rng = np.random.default_rng(100 + step)
    return [np.asarray(rng.standard_normal(s) * 10.0 ** rng.integers(-3, 2)) for s in shapes]


def give(ps, gs):
    for p, g in zip(ps, gs):
        p.grad = None if g is None else ddl.tensor(g, dtype=p.dtype)


# ---- PyTorch
@pytest.mark.torch
@pytest.mark.parametrize("name", KINDS)
def test_twenty_steps_are_pytorchs(name):
    import torch

    kind, options = KINDS[name]
    mine = parameters()
    theirs = [torch.nn.Parameter(torch.tensor(p.numpy().copy())) for p in mine]
    a, b = getattr(optim, kind)(mine, **options), getattr(torch.optim, kind)(theirs, **options)
    for step in range(20):
        gs = gradients(step)
        if step in (3, 4):  # a parameter without a gradient stays, and its step count with it
            gs[0] = None
        give(mine, gs)
        for t, g in zip(theirs, gs):
            t.grad = None if g is None else torch.tensor(g)
        a.step()
        b.step()
        for p, t in zip(mine, theirs):
            np.testing.assert_allclose(p.numpy(), t.detach().numpy(), rtol=1e-10, atol=1e-12)


@pytest.mark.torch
@pytest.mark.parametrize("max_norm", [1e-3, 1.0, 1e6])
def test_clipping_is_pytorchs(max_norm):
    import torch

    def both():
        mine = parameters()
        give(mine, gradients(0))
        theirs = [torch.nn.Parameter(torch.tensor(p.numpy().copy())) for p in mine]
        for p, t in zip(mine, theirs):
            t.grad = torch.tensor(p.grad.numpy().copy())
        return mine, theirs

    mine, theirs = both()
    norm = optim.clip_grad_norm_(mine, max_norm)
    assert norm == pytest.approx(torch.nn.utils.clip_grad_norm_(theirs, max_norm).item(), rel=1e-12)
    for p, t in zip(mine, theirs):
        np.testing.assert_allclose(p.grad.numpy(), t.grad.numpy(), rtol=1e-12)
    mine, theirs = both()
    optim.clip_grad_value_(mine, max_norm)
    torch.nn.utils.clip_grad_value_(theirs, max_norm)
    for p, t in zip(mine, theirs):
        np.testing.assert_array_equal(p.grad.numpy(), t.grad.numpy())


# ---- Adam and AdamW
@pytest.mark.parametrize("size", [0, 1, 7, SIZE - 1, SIZE, SIZE + 1, 3 * SIZE + 5])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("decay", [0.0, 0.01])
def test_adam_in_blocks_equals_its_definition(size, dtype, decay):
    rng = np.random.default_rng(size)
    p, g, m = (rng.standard_normal(size).astype(dtype) for _ in range(3))
    v = rng.random(size).astype(dtype)
    sets = [[x.copy() for x in (p, g, m, v)] for _ in range(2)]
    for f, arrays in zip((adam, adam_in_blocks), sets):
        f(*arrays, step=0.01, decay=decay, beta1=0.9, beta2=0.999, root=1.5, eps=1e-8)
    for a, b in zip(*sets):
        assert a.dtype == b.dtype == dtype
        np.testing.assert_allclose(
            a, b, rtol=2e-6 if dtype is np.float32 else 1e-13, atol=1e-7 if dtype is np.float32 else 1e-15
        )
    np.testing.assert_array_equal(sets[1][1], g)


def test_adamw_moves_a_parameter_of_any_memory_layout():
    """A reshape of an array that is not contiguous is a copy: an update of the copy would be lost."""
    values = np.random.default_rng(0).standard_normal((4, 6))
    contiguous, turned = Parameter(values), Parameter(values)
    turned.data = np.asfortranarray(values)
    gapped = Parameter(values)
    gapped.data = np.repeat(values, 2, axis=1)[:, ::2]
    for p in (contiguous, turned, gapped):
        p.grad = ddl.tensor(np.asfortranarray(np.arange(24.0).reshape(4, 6)))
        optimizer = optim.AdamW([p], lr=0.1)
        optimizer.step()
        optimizer.step()
    for p in (turned, gapped):
        np.testing.assert_allclose(p.numpy(), contiguous.numpy(), rtol=1e-12)
    assert (contiguous.numpy() != values).all()


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_step_keeps_object_memory_and_dtype(name, dtype):
    kind, options = KINDS[name]
    ps = parameters(dtype)
    memory = [p.data for p in ps]
    optimizer = getattr(optim, kind)(ps, **options)
    for step in range(3):
        give(ps, gradients(step))
        kept = [p.grad.numpy().copy() for p in ps]
        optimizer.step()
        for p, g, was in zip(ps, kept, memory):
            assert p.data is was
            assert p.dtype == dtype
            np.testing.assert_array_equal(p.grad.numpy(), g, err_msg="the gradient was changed")
    for state in optimizer.state.values():
        assert all(v.dtype == dtype for v in state.values() if hasattr(v, "dtype"))


# ---- groups and the step from a loss
def test_groups_have_options_of_their_own():
    a, b = parameters(shapes=[(2,), (2,)])
    optimizer = optim.SGD([{"params": [a], "lr": 1.0}, {"params": [b]}], lr=0.1)
    before = [a.numpy().copy(), b.numpy().copy()]
    give([a, b], [np.ones(2), np.ones(2)])
    optimizer.step()
    np.testing.assert_allclose(a.numpy(), before[0] - 1.0)
    np.testing.assert_allclose(b.numpy(), before[1] - 0.1)
    assert optimizer.param_groups[0]["momentum"] == 0.0


def test_decay_can_be_kept_from_biases():
    model = ddl.nn.Linear(2, 2)
    matrices = [p for p in model.parameters() if p.ndim > 1]
    vectors = [p for p in model.parameters() if p.ndim < 2]
    optimizer = optim.AdamW(
        [{"params": matrices, "weight_decay": 0.5}, {"params": vectors, "weight_decay": 0.0}], lr=0.1
    )
    before = model.weight.numpy().copy(), model.bias.numpy().copy()
    give(model.parameters(), [np.zeros((2, 2)), np.zeros(2)])
    optimizer.step()
    np.testing.assert_allclose(model.weight.numpy(), before[0] * (1 - 0.05), rtol=1e-6)
    np.testing.assert_array_equal(model.bias.numpy(), before[1])


def test_backward_step_is_zero_grad_backward_clip_and_step():
    a, b = ddl.nn.Linear(3, 1), ddl.nn.Linear(3, 1)
    b.load_state_dict(a.state_dict())
    x = ddl.randn(4, 3) * 100
    one, two = optim.SGD(a.parameters(), lr=0.1), optim.SGD(b.parameters(), lr=0.1)
    for _ in range(3):
        norm = one.backward_step((a(x) * a(x)).mean(), max_norm=1.0)
        two.zero_grad()
        (b(x) * b(x)).mean().backward()
        assert norm == pytest.approx(optim.clip_grad_norm_(b.parameters(), 1.0), rel=1e-6)
        two.step()
        for p, q in zip(a.parameters(), b.parameters()):
            np.testing.assert_allclose(p.numpy(), q.numpy(), rtol=1e-6)
    assert one.backward_step(a(x).mean()) is None
    assert one.steps == 4


def test_a_gradient_that_is_not_finite_moves_nothing_when_clipped():
    p = Parameter(np.ones(2))
    optimizer = optim.AdamW([p], lr=0.1)
    for factor in (np.inf, np.nan):
        with np.errstate(all="ignore"):
            norm = optimizer.backward_step((p * factor).sum(), max_norm=1.0)
        assert not math.isfinite(norm)
        assert p.tolist() == [1.0, 1.0]
        assert optimizer.steps == 0


def test_an_optimizer_follows_its_state():
    ps, qs = parameters(), parameters()
    a, b = optim.AdamW(ps, lr=0.01), optim.AdamW(qs, lr=0.5)
    for step in range(3):
        give(ps, gradients(step))
        a.step()
    for p, q in zip(ps, qs):
        q.data[...] = p.data
    state = a.state_dict()
    b.load_state_dict(state)
    for step in range(3, 6):
        for given, optimizer in ((ps, a), (qs, b)):
            give(given, gradients(step))
            optimizer.step()
    for p, q in zip(ps, qs):
        np.testing.assert_array_equal(p.numpy(), q.numpy())
    assert b.steps == 6
    with pytest.raises(ValueError, match=r"groups of \[5\] parameters, but this optimizer has groups of \[2\]"):
        optim.AdamW(qs[:2]).load_state_dict(state)


def test_a_group_of_one_parameter_needs_no_list():
    p = Parameter(np.ones(2))
    assert optim.SGD([{"params": p, "lr": 0.5}]).param_groups[0]["params"] == [p]


# ---- nonsense
P = Parameter(np.ones(2))
NONSENSE = {
    "no parameters": (lambda: optim.SGD([]), "SGD was given no parameters; make the model first"),
    "exhausted": (lambda: optim.AdamW(p for p in ()), "AdamW was given no parameters"),
    "twice": (lambda: optim.SGD([P, P]), "same parameter twice"),
    "twice in groups": (lambda: optim.SGD([{"params": [P]}, {"params": [P]}]), "same parameter twice"),
    "a constant": (lambda: optim.SGD([ddl.ones(2)]), "require a gradient, but Tensor was given"),
    "an array": (lambda: optim.SGD([np.ones(2)]), "require a gradient, but ndarray was given"),
    "one parameter": (lambda: optim.SGD(P), r"takes a list of parameters, but one tensor was given; write \[p\]"),
    "a result": (lambda: optim.SGD([P * 2]), "moves parameters and leaf tensors"),
    "unknown option": (lambda: optim.SGD([{"params": [P], "beta": 1}]), r"options \['beta'\], but SGD knows"),
    "nesterov": (lambda: optim.SGD([P], nesterov=True), "needs a momentum above 0"),
    "betas": (lambda: optim.AdamW([P], betas=(0.9, 1.0)), r"but \(0.9, 1.0\) was given"),
    "one beta": (lambda: optim.Adam([P], betas=0.9), "Adam needs two betas .*, but 0.9 was given"),
    "one beta of two": (lambda: optim.Lion([P], betas=(0.9,)), r"Lion needs two betas .*, but \(0.9,\) was given"),
    "betas of letters": (lambda: optim.Adam([P], betas="ab"), "Adam needs two betas .*, but 'ab' was given"),
    "options alone": (lambda: optim.SGD([{"lr": 0.1}]), r"has options \['lr'\] alone; give it its \"params\" too"),
    "negative rate": (lambda: optim.SGD([P], lr=-0.1), "SGD needs lr to be a number of 0 or more, but -0.1 was given"),
    "negative rate of a group": (lambda: optim.AdamW([{"params": [P], "lr": -1.0}]), "-1.0"),
    "negative decay": (lambda: optim.AdamW([P], weight_decay=-1.0), "-1.0"),
    "a rate of letters": (lambda: optim.SGD([P], lr="a"), "SGD needs lr to be a number .*, but 'a' was given"),
    "no rate": (lambda: optim.SGD([{"params": [P], "lr": None}]), "SGD needs lr to be a number .*, but None was given"),
    "a mean that turns": (lambda: optim.RMSprop([P], alpha=2.0), "RMSprop needs alpha between 0 and 1, but 2.0"),
    "endless rate": (lambda: optim.Adam([P], lr=float("inf")), "needs lr to be a number of 0 or more, but inf"),
    "a rate that is none": (lambda: optim.Adagrad([P], lr=float("nan")), "but nan was given"),
    "negative eps": (lambda: optim.RMSprop([P], eps=-1.0), "RMSprop needs eps to be a number of 0 or more"),
    "betas of Lion": (lambda: optim.Lion([P], betas=(1.0, 0.9)), r"Lion needs two betas .* but \(1.0, 0.9\) was given"),
    "a vector for Muon": (lambda: optim.Muon([P]), r"Muon moves matrices, but a parameter of shape \(2,\)"),
    "no update": (lambda: step(optim.Optimizer([P], lr=0.1)), "Optimizer has no update"),
}  # fmt: skip


def step(optimizer):
    give([P], [np.ones(2)])
    optimizer.step()


@pytest.mark.parametrize("name", NONSENSE)
def test_nonsense_is_refused_in_a_sentence(name):
    call, sentence = NONSENSE[name]
    with pytest.raises((ValueError, TypeError, NotImplementedError), match=sentence) as error:
        call()
    assert "\n" not in str(error.value)
