"""What optimizers, schedules, clipping and samplers refuse, and that a refused state changes nothing."""

import math

import numpy as np
import pytest

import ddl
from ddl import data, optim

NAN = math.nan


def made():
    p = ddl.nn.Parameter(ddl.tensor([1.0, 2.0]))
    return p, optim.Adam([p], lr=0.1)


REFUSED = {
    "a negative norm": (lambda p, o: optim.clip_grad_norm_([p], -1.0), "clip_grad_norm_ needs max_norm"),
    "no norm": (lambda p, o: optim.clip_grad_norm_([p], NAN), "clip_grad_norm_ needs max_norm"),
    "a negative value": (lambda p, o: optim.clip_grad_value_([p], -1.0), "clip_grad_value_ needs clip_value"),
    "a constant for less than no steps": (lambda p, o: optim.ConstantLR(o, total_iters=-3), "total_iters"),
    "a rate times nan": (lambda p, o: optim.ExponentialLR(o, NAN), "ExponentialLR needs gamma"),
    "a rate that turns": (lambda p, o: optim.ExponentialLR(o, -1.0), "ExponentialLR needs gamma"),
    "less than no patience": (lambda p, o: optim.ReduceLROnPlateau(o, patience=-5), "patience"),
    "no optimizer": (lambda p, o: optim.ReduceLROnPlateau(3), "moves an optimizer's rate, but int was given"),
    "milestones of letters": (lambda p, o: optim.MultiStepLR(o, ["a"]), "MultiStepLR needs"),
    "no function": (lambda p, o: optim.LambdaLR(o, 0.5), "LambdaLR takes a function of the step, but float"),
    "a cycle from no rate": (lambda p, o: optim.OneCycleLR(o, 1.0, 10, div_factor=0), "div_factor"),
    "samples of nothing": (lambda p, o: data.RandomSampler([], num_samples=3), "none to draw from"),
}


@pytest.mark.parametrize(("ask", "sentence"), REFUSED.values(), ids=REFUSED)
def test_it_is_refused_in_a_sentence(ask, sentence):
    with pytest.raises((TypeError, ValueError), match=sentence):
        ask(*made())


def test_no_order_of_nothing():
    assert list(data.RandomSampler([])) == []


@pytest.mark.parametrize(
    ("moments", "sentence"),
    [
        ({0: {"m": np.zeros(99)}}, r"has m of shape \(99,\) for parameter 0"),
        ({7: {}}, "of a parameter 7, but .* has 1"),
    ],
)
def test_a_state_that_does_not_fit_is_refused_and_changes_nothing(moments, sentence):
    p, optimizer = made()
    (p * p).sum().backward()
    optimizer.step()
    before = optimizer.state_dict()
    with pytest.raises(ValueError, match=sentence):
        optimizer.load_state_dict({**before, "steps": 7, "state": moments})
    assert optimizer.steps == before["steps"] == 1
    np.testing.assert_array_equal(optimizer.state[0]["m"], before["state"][0]["m"])


@pytest.mark.torch
def test_measures_below_0_cut_the_rate_when_pytorch_does():
    import torch

    ours, theirs = made()[1], torch.optim.Adam([torch.nn.Parameter(torch.ones(2))], lr=0.1)
    ours, theirs = (
        s(o, patience=0)
        for s, o in ((optim.ReduceLROnPlateau, ours), (torch.optim.lr_scheduler.ReduceLROnPlateau, theirs))
    )
    for measure in [-10, -9.9995, -9.9995, -9.9995, -10.0005, -10.0005]:
        ours.step(measure)
        theirs.step(measure)
        assert ours.get_last_lr() == pytest.approx(theirs.get_last_lr())


def test_a_cnn_takes_lists():
    model = ddl.models.CNN(8)
    image = np.random.default_rng(0).random((1, 1, 8, 8), np.float32)
    np.testing.assert_array_equal(model(image.tolist()).data, model(ddl.tensor(image)).data)


def test_relu_of_booleans_is_that_of_its_definition():
    x = np.array([True, False])
    assert ddl.ops.relu(x).dtype == ddl.ops.relu.forward(np, x).dtype
