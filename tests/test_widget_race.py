"""The optimizer race without a browser: paths are those of the formulas, on surfaces and on a model's own loss."""

import json

import numpy as np
import pytest

pytest.importorskip("anywidget")
pytest.importorskip("matplotlib")

import ddl
from ddl import nn
from ddl.nn import functional as F
from ddl.widgets import race
from ddl.widgets.demo import moons, network
from ddl.widgets.race import CELLS, STEPS
from ddl.widgets.surfaces import SURFACES, Slice


def by_name(widget):
    return {one["name"]: one for one in widget.state["runs"]}


def test_paths_are_those_of_the_formulas():
    slopes = np.array([1.0, 20.0])  # of the narrow bowl, times the place
    runs = by_name(race("narrow bowl", steps=40, start=(-3, 1)))
    place = np.array([-3.0, 1.0])
    heavy, speed, adam, m, v = place.copy(), np.zeros(2), place.copy(), 0.0, 0.0
    for step in range(41):
        for name, where in (("SGD", place), ("momentum", heavy), ("Adam", adam)):
            np.testing.assert_allclose(runs[name]["path"][step], where, rtol=1e-3, atol=1e-6)
        assert runs["SGD"]["losses"][step] == pytest.approx(0.5 * (slopes * place**2).sum(), rel=1e-3)
        place = place - 0.005 * slopes * place
        speed = 0.9 * speed + slopes * heavy
        heavy = heavy - 0.005 * speed
        g = slopes * adam
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        adam = adam - 0.1 * (m / (1 - 0.9 ** (step + 1))) / (np.sqrt(v / (1 - 0.999 ** (step + 1))) + 1e-8)


@pytest.mark.parametrize("name", SURFACES)
def test_the_slopes_and_heights_of_every_surface_agree(name):
    surface, place, h = SURFACES[name], np.array([0.4, -0.7]), 1e-5
    height, slope = surface.slope(place)
    assert surface.heights(place[:1], place[1:])[0, 0] == pytest.approx(height)
    steps = [surface.slope(place + h * e)[0] - surface.slope(place - h * e)[0] for e in np.eye(2)]
    np.testing.assert_allclose(slope, np.array(steps) / (2 * h), rtol=1e-6, atol=1e-8)
    assert race(name, steps=5).state["surface"] == name


def test_a_slice_through_a_models_loss_is_true_and_leaves_the_model_as_it_was():
    model, (x, y) = nn.Sequential(network().double(), nn.Dropout(0.5)), moons()
    loss = lambda model: F.cross_entropy(model(ddl.Tensor(x.astype(float))), y)
    before, random = [p.numpy().copy() for p in model.parameters()], ddl.random.get_state()
    cut, h = Slice(loss, model, seed=1), 1e-5
    place = np.array([0.3, -0.2])
    _, slope = cut.slope(place)
    steps = [cut.slope(place + h * e)[0] - cut.slope(place - h * e)[0] for e in np.eye(2)]
    np.testing.assert_allclose(slope, np.array(steps) / (2 * h), rtol=1e-5, atol=1e-8)
    for p, *directions in zip(model.parameters(), *cut.directions):
        assert [np.linalg.norm(d) for d in directions] == pytest.approx([np.linalg.norm(p.numpy())] * 2)
    widget = race(loss, model, steps=3)
    model.eval()
    middle = widget.state["heights"][CELLS * CELLS // 2]
    assert middle == pytest.approx(loss(model).item(), rel=1e-3)
    model.train()
    assert all((p.numpy() == old).all() and p.grad is None for p, old in zip(model.parameters(), before))
    assert (ddl.random.get_state(), model[1].training) == (random, True)


def test_a_rate_and_a_surface_are_changed_and_a_refusal_changes_nothing():
    widget = race("narrow bowl", steps=10)
    ask = lambda **asked: (widget._handle_custom_msg({"ask": asked, "number": 1}, []), widget.fault)[1]
    assert ask(runner="SGD", lr="0.04") == ""
    other = by_name(race("narrow bowl", steps=10, lr={"SGD": 0.04}))
    assert by_name(widget) == other
    assert "a learning rate is a number of 0 or more, but 'fast'" in ask(runner="SGD", lr="fast")
    assert "but in the race are SGD, momentum" in ask(runner="Lion", lr=1)
    assert "the surfaces are valley" in ask(surface="hole")
    assert by_name(widget) == other
    assert ask(surface="saddle") == ""
    assert (widget.state["surface"], by_name(widget)["SGD"]["lr"]) == ("saddle", 0.04)


def test_a_run_that_leaves_for_infinity_is_given_up():
    widget = race(lambda a, b: a * a + b * b, lr={"SGD": 10}, steps=50)
    one = by_name(widget)["SGD"]
    assert len(one["losses"]) == len(one["path"]) < 51
    assert f"given up after step {len(one['losses']) - 1}" in widget.words
    widget.picture(widget.state)
    json.dumps(widget.data, allow_nan=False)


def test_what_is_sent_is_bounded():
    assert len(json.dumps(race("hills", steps=STEPS).data)) < 60_000


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"surface": "hole"}, "the surfaces are valley, narrow bowl, saddle, hills"),
        ({"steps": 0}, "a race has 1 to 300 steps, but 0 was given"),
        ({"lr": {"Lion": 1}}, r"rates of \['Lion'\] were given"),
        ({"surface": 3, "model": 4}, "takes loss"),
    ],
)
def test_what_is_no_race_is_refused(given, words):
    with pytest.raises((TypeError, ValueError), match=words):
        race(**given)
