"""Learning-rate schedules: warm-up and cosine step by step, to the last step and beyond."""

import math

import numpy as np
import pytest

from ddl import optim
from ddl.nn import Parameter


def parameters(n=1):
    return [Parameter(np.ones(2)) for _ in range(n)]


def test_warm_up_and_cosine_step_by_step():
    factor = optim.warmup_cosine(4, 12, final=0.1)
    table = [factor(step) for step in range(15)]
    np.testing.assert_allclose(table[:4], [0.25, 0.5, 0.75, 1.0])
    np.testing.assert_allclose(table[4:12], [0.1 + 0.9 * 0.5 * (1 + math.cos(math.pi * k / 7)) for k in range(8)])
    assert table[4] == 1.0
    assert table[11:] == pytest.approx([0.1] * 4)
    assert factor(10_000) == pytest.approx(0.1)
    assert all(f > 0 for f in table)
    assert table[3:] == sorted(table[3:], reverse=True)


@pytest.mark.parametrize(("warmup", "total"), [(0, 1), (0, 5), (1, 2), (3, 4), (9, 10)])
def test_short_schedules_stay_between_their_ends(warmup, total):
    factor = optim.warmup_cosine(warmup, total, final=0.2)
    table = [factor(step) for step in range(total + 3)]
    assert all(0 < f <= 1 for f in table)
    assert table[total:] == pytest.approx([0.2] * 3)
    if warmup:
        assert table[warmup - 1] == 1.0


@pytest.mark.parametrize(("warmup", "total"), [(5, 5), (6, 5), (-1, 5), (0, 0)])
def test_a_warm_up_longer_than_the_run_is_refused(warmup, total):
    with pytest.raises(ValueError, match=f"warmup={warmup} and total={total}"):
        optim.warmup_cosine(warmup, total)


def test_a_schedule_multiplies_each_groups_own_rate():
    a, b = parameters(2)
    optimizer = optim.SGD([{"params": [a], "lr": 1.0}, {"params": [b]}], lr=0.1)
    schedule = optim.LambdaLR(optimizer, optim.warmup_cosine(2, 4))
    seen = []
    for _ in range(5):
        seen.append(schedule.get_last_lr())
        optimizer.step()
        schedule.step()
    np.testing.assert_allclose(seen, [[0.5, 0.05], [1, 0.1], [1, 0.1], [0.1, 0.01], [0.1, 0.01]])


@pytest.mark.torch
def test_lambda_lr_counts_as_pytorchs():
    import torch

    mine, theirs = optim.SGD(parameters(), lr=0.3), torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=0.3)
    f = lambda step: 1 / (step + 1)
    a, b = optim.LambdaLR(mine, f), torch.optim.lr_scheduler.LambdaLR(theirs, f)
    for _ in range(5):
        assert a.get_last_lr() == pytest.approx(b.get_last_lr())
        theirs.step()
        a.step()
        b.step()


def test_a_schedule_continues_from_its_state():
    f = optim.warmup_cosine(3, 9)
    a = optim.LambdaLR(optim.SGD(parameters(), lr=0.3), f)
    for _ in range(5):
        a.step()
    b = optim.LambdaLR(optim.SGD(parameters(), lr=7.0), f)
    b.load_state_dict(a.state_dict())
    assert b.get_last_lr() == a.get_last_lr()
    a.step(), b.step()
    assert b.get_last_lr() == a.get_last_lr()


# name -> (arguments, PyTorch's arguments where they differ, the step from which on nothing may change)
SCHEDULES = {
    "ConstantLR": ({"factor": 0.5, "total_iters": 4}, {}, 4),
    "LinearLR": ({"start_factor": 0.1, "end_factor": 0.8, "total_iters": 6}, {}, 6),
    "StepLR": ({"step_size": 3, "gamma": 0.5}, {}, None),
    "MultiStepLR": ({"milestones": [7, 2], "gamma": 0.2}, {}, 7),
    "ExponentialLR": ({"gamma": 0.9}, {}, None),
    "CosineAnnealingLR": ({"T_max": 11, "eta_min": 0.01}, {}, 11),
    "OneCycleLR": ({"max_lr": 0.5, "total_steps": 12, "pct_start": 0.4}, {"cycle_momentum": False}, 11),
}


def rates(name, steps, scheduled=optim, optimizer=None, **more):
    optimizer = optimizer or optim.SGD(parameters(), lr=0.3)
    schedule = getattr(scheduled, name)(optimizer, **SCHEDULES[name][0], **more)
    seen = []
    for _ in range(steps):
        seen.append(schedule.get_last_lr()[0])
        optimizer.step()
        schedule.step()
    return seen


@pytest.mark.torch
@pytest.mark.parametrize("name", SCHEDULES)
def test_a_schedule_is_pytorchs_at_every_step(name):
    import torch

    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=0.3)
    steps = 11
    theirs = rates(name, steps, torch.optim.lr_scheduler, optimizer, **SCHEDULES[name][1])
    np.testing.assert_allclose(rates(name, steps), theirs, rtol=1e-12)


@pytest.mark.parametrize("name", [name for name, row in SCHEDULES.items() if row[2] is not None])
def test_past_its_end_a_schedule_stays_where_it_ended(name):
    end = SCHEDULES[name][2]
    seen = rates(name, 40)
    assert seen[end:] == pytest.approx([seen[end]] * (40 - end), rel=1e-12)
    assert seen[end - 1] != pytest.approx(seen[end]), "and not before"


@pytest.mark.parametrize("name", SCHEDULES)
def test_a_schedule_taken_up_goes_on(name):
    optimizer = optim.SGD(parameters(), lr=0.3)
    first = getattr(optim, name)(optimizer, **SCHEDULES[name][0])
    for _ in range(5):
        first.step()
    again = getattr(optim, name)(optim.SGD(parameters(), lr=9.0), **SCHEDULES[name][0])
    again.load_state_dict(first.state_dict())
    for _ in range(3):
        first.step(), again.step()
        assert again.get_last_lr() == first.get_last_lr()


@pytest.mark.torch
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"patience": 1, "cooldown": 2},
        {"mode": "max", "threshold": 0.3, "patience": 0},
        {"threshold_mode": "abs", "threshold": 0.2, "patience": 1},
        {"factor": 0.5, "patience": 0, "min_lr": 0.04},
        {"patience": 2, "eps": 0.5},
    ],
)
def test_a_plateau_is_pytorchs(options):
    import torch

    mine, theirs = optim.SGD(parameters(), lr=0.3), torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=0.3)
    a = optim.ReduceLROnPlateau(mine, **options)
    b = torch.optim.lr_scheduler.ReduceLROnPlateau(theirs, **options)
    values = [3, 2, 1.9, 1.95, 2, 1.8, 1.8, 1.8, 1.81, 1, 1.2, 1.3, 5, 6, 0.5, 0.6, float("nan"), *[0.7] * 25]
    seen = set()
    for i, value in enumerate(values):
        if i == 9:
            state, a = a.state_dict(), optim.ReduceLROnPlateau(mine, **options)
            a.load_state_dict(state)
        a.step(value)
        b.step(value)
        assert a.get_last_lr() == pytest.approx(b.get_last_lr(), rel=1e-12)
        seen.add(a.get_last_lr()[0])
    assert len(seen) > 1 or "eps" in options


@pytest.mark.parametrize(("total", "share"), [(1, 0.5), (2, 0.5), (10, 0.1), (3, 0.01)])
def test_a_cycle_without_a_rise_begins_at_its_top_or_below(total, share):
    schedule = optim.OneCycleLR(optim.SGD(parameters(), lr=0.1), 1.0, total, pct_start=share)
    seen = []
    for _ in range(total + 2):
        seen.append(schedule.get_last_lr()[0])
        schedule.step()
    assert 0 < seen[0] <= 1
    assert seen == sorted(seen, reverse=True)


NONSENSE = {
    "no steps": (lambda o: optim.CosineAnnealingLR(o, 0), "CosineAnnealingLR needs T_max to be a whole number of 1"),
    "half a step": (lambda o: optim.StepLR(o, 2.5), "StepLR needs step_size to be a whole number .* but 2.5 was given"),
    "no cycle": (lambda o: optim.OneCycleLR(o, 1.0, 10, pct_start=1.0), "needs pct_start between 0 and 1, but 1.0"),
    "a mode": (lambda o: optim.ReduceLROnPlateau(o, "up"), "has mode 'min' or 'max', but 'up' was given"),
    "a factor": (lambda o: optim.ReduceLROnPlateau(o, factor=1.0), "a factor from 0 up to, not including, 1"),
    "no rate": (lambda o: optim.LRScheduler(o), "LRScheduler has no rate; define"),
    "no optimizer": (lambda o: optim.StepLR(parameters(), 3), "StepLR moves an optimizer's rate, but list was given"),
}  # fmt: skip


@pytest.mark.parametrize("name", NONSENSE)
def test_nonsense_is_refused_in_a_sentence(name):
    call, sentence = NONSENSE[name]
    with pytest.raises((ValueError, TypeError, NotImplementedError), match=sentence):
        call(optim.SGD(parameters(), lr=0.1))
