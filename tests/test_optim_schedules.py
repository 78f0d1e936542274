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
