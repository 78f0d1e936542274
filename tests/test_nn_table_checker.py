"""The checks of the table of layers are checked: a layer that is wrong in a known way fails the one meant for it."""

import numpy as np
import pytest
import test_nn_table as table
from cases.table import N
from layer_cases import Refusal, Row

import ddl
from ddl import nn


class Scale(nn.Module):
    """Right in all ways; each layer below is wrong in one."""

    def __init__(self):
        self.w = nn.Parameter((3,), nn.init.normal, axes=("out",))

    def forward(self, x):
        return x * self.w


class OneForgotten(Scale):
    def __init__(self):
        super().__init__()
        self.b = nn.Parameter((3,), axes=("out",))


class NeverMoves(Scale):
    def forward(self, x):
        return x * self.w * 0.0


class OtherFormula(Scale):
    def forward(self, x):
        return x * self.w + 1e-9


class OtherSlope(Scale):
    def forward(self, x):
        return x * (self.w * 2.0 - self.w.detach())


class StateOfItsOwn(Scale):
    def __init__(self):
        super().__init__()
        self.hidden = ddl.rand(3)

    def forward(self, x):
        return x * self.w * self.hidden


class Widens(Scale):
    def forward(self, x):
        return x * self.w * np.ones(3)


class LooksAtValues(Scale):
    def forward(self, x):
        return x * self.w if float(x.sum()) < 1e9 else x


class AnswersAnotherShape(Scale):
    def forward(self, x):
        return (x * self.w)[:1] if x.device == "spec" else x * self.w


class DrawsInEvaluation(Scale):
    def forward(self, x):
        return x * self.w + float(ddl.rand(1))


class NeedsNumpy(Scale):
    def forward(self, x):
        return x * self.w + np.abs(x.data)


class TensorsOnly(Scale):
    def forward(self, x):
        return x.unsqueeze(0).squeeze(0) * self.w


class ArraysGoThrough(Scale):
    def forward(self, x):
        return x * self.w if isinstance(x, ddl.Tensor) else np.asarray(x) * self.w.numpy()


class DeafToSeeds(Scale):
    def __init__(self):
        self.w = nn.Parameter((3,), nn.init.normal, rng=np.random.default_rng())


class AlwaysTheSame(Scale):
    def __init__(self):
        self.w = nn.Parameter((3,), nn.init.normal, rng=np.random.default_rng(0))


class Unprinted(Scale):
    __repr__ = object.__repr__


def twin(torch):
    module = torch.nn.Module()
    module.w = torch.nn.Parameter(torch.zeros(3))
    module.forward = lambda x: x * module.w
    return module


CHECKS = {
    "moves": table.test_every_parameter_gets_a_gradient_and_moves_in_a_training_step,
    "twin": lambda row: table.test_pytorchs_twin_with_equal_weights_agrees(row, True),
    "state": table.test_the_state_goes_round,
    "dtype": lambda row: table.test_a_dtype_stays(row, np.float32),
    "shapes": table.test_shapes_alone_give_the_shapes_that_arrays_give,
    "evaluation": table.test_two_evaluation_passes_are_equal,
    "arrays": table.test_arrays_and_lists_are_taken_as_tensors_are,
    "device": table.test_a_stand_in_gpu_gives_the_cpus_numbers,
    "seed": table.test_the_seed_makes_the_layer,
    "printed": table.test_a_layer_is_printed,
}
WRONG = {
    OneForgotten: "moves", NeverMoves: "moves", OtherFormula: "twin", OtherSlope: "twin", StateOfItsOwn: "state",
    Widens: "dtype", LooksAtValues: "shapes", AnswersAnotherShape: "shapes", DrawsInEvaluation: "evaluation",
    TensorsOnly: "arrays", ArraysGoThrough: "arrays",
    NeedsNumpy: "device", DeafToSeeds: "seed", AlwaysTheSame: "seed", Unprinted: "printed",
}  # fmt: skip


def row(layer):
    return Row(layer, "", layer, (N(4, 3),), torch=twin)


@pytest.mark.parametrize("check", [pytest.param(c, marks=pytest.mark.torch if c == "twin" else ()) for c in CHECKS])
def test_a_right_layer_passes(check):
    CHECKS[check](row(Scale))


@pytest.mark.parametrize(
    ("layer", "check"),
    [pytest.param(l, c, marks=pytest.mark.torch if c == "twin" else (), id=l.__name__) for l, c in WRONG.items()],
)
def test_a_wrong_layer_fails(layer, check):
    with pytest.raises((AssertionError, TypeError, KeyError, ValueError)):
        CHECKS[check](row(layer))


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ("sizes 3 and 4 differ", ValueError),  # names no layer
        ("Scale takes 3 numbers", ValueError),  # names one size alone
        ("Scale takes 3 numbers,\nbut 4 were given", ValueError),  # two lines
        ("Scale takes 3 numbers, but 4 were given", AttributeError),  # a fault, not a refusal
        (None, None),  # nothing refused
    ],
)
def test_a_poor_refusal_fails(said, error):
    def call():
        if error:
            raise error(said)

    with pytest.raises((AssertionError, AttributeError, pytest.fail.Exception)):
        table.test_nonsense_is_refused_in_a_sentence_that_names_the_layer(
            Refusal(Scale, "width", call, ("3", "4"), of_inputs=False)
        )


def test_a_layer_without_a_row_fails(monkeypatch):
    monkeypatch.setattr(nn, "Scale", Scale, raising=False)
    with pytest.raises(AssertionError, match="a row"):
        table.test_every_public_layer_is_in_the_table()
