"""The decision boundary without a browser: the map is what the model answers, and the model is left as it was."""

import json

import numpy as np
import pytest

pytest.importorskip("anywidget")
pytest.importorskip("matplotlib")

import ddl
from ddl import nn
from ddl.widgets import boundary, live
from ddl.widgets.boundary import CELLS, POINTS
from ddl.widgets.demo import moons, network, training


def places(state):
    return np.stack(np.meshgrid(state["across"], state["up"]), -1).reshape(-1, 2)


def test_the_map_is_what_the_model_answers_at_each_place():
    model, (x, y) = network(3), moons(seed=3)
    state = boundary(model, x, y).state
    logits = model(ddl.Tensor(places(state).astype(np.float32))).numpy()
    shares = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    assert (np.array(state["classes"]) == logits.argmax(1)).mean() > 0.999
    np.testing.assert_allclose(state["values"], 100 * shares.max(1), atol=0.05)
    assert state["right"] == pytest.approx(100 * (model(ddl.Tensor(x)).numpy().argmax(1) == y).mean(), abs=0.05)


def test_a_function_of_arrays_is_a_map_of_numbers():
    state = boundary(lambda p: 3 * p[:, 0] - p[:, 1]).state
    across, up = places(state).T
    np.testing.assert_allclose(state["values"], 3 * across - up, rtol=2e-3, atol=2e-3)
    assert (state["level"], state["classes"], state["low"], state["high"]) == (0, [], [-2, -2], [2, 2])
    assert boundary(lambda p: 1 / (1 + np.exp(-p[:, :1]))).state["level"] == 0.5


def test_the_model_is_left_as_it_was():
    model = nn.Sequential(nn.Linear(2, 8), nn.BatchNorm1d(8), nn.Dropout(0.5), nn.Linear(8, 2))
    model[2].eval()
    before = {name: t.numpy().copy() for name, t in model.state_dict().items()}
    random, modes = ddl.random.get_state(), [m.training for m in model.modules()]
    boundary(model, *moons())
    boundary(lambda p: ddl.rand(len(p)))
    assert ddl.random.get_state() == random
    assert [m.training for m in model.modules()] == modes
    assert all((t.numpy() == before[name]).all() for name, t in model.state_dict().items())
    assert all(p.grad is None for p in model.parameters())


def test_it_follows_a_training_and_ends_with_the_last_step(monkeypatch):
    clock, asked = [0.0], []
    monkeypatch.setattr(live.time, "monotonic", lambda: clock[0])
    model, (x, y) = network(), moons()
    forward = type(model).forward
    monkeypatch.setattr(type(model), "forward", lambda self, x: (asked.append(len(x)), forward(self, x))[1])
    with boundary(model, x, y) as view:
        first = view.state["right"]
        for _ in training(model, x, y, 100):
            view.update()
            clock[0] += live.REDRAW / 20
    assert 5 <= asked.count(CELLS**2) <= 8
    assert view.state["right"] == boundary(model, x, y).state["right"] > first


def test_what_is_sent_is_bounded():
    rng = np.random.default_rng(0)
    view = boundary(lambda p: rng.normal(size=(len(p), 7)), rng.normal(size=(5000, 2)), rng.integers(0, 7, 5000))
    assert len(view.data["points"]) <= POINTS
    assert 30_000 < len(json.dumps(view.data)) < 80_000


def test_the_view_can_be_moved_closer_and_back():
    view = boundary(lambda p: p[:, 0])
    view._handle_custom_msg({"ask": {"zoom": 2}, "number": 1}, [])
    assert (view.state["low"], view.state["high"]) == ([-1, -1], [1, 1])
    view._handle_custom_msg({"ask": {"zoom": 3}, "number": 2}, [])
    assert "zoomed by 0.5 or 2" in view.fault
    view._handle_custom_msg({"ask": {"zoom": 0.5}, "number": 3}, [])
    assert view.state["low"] == [-2, -2]


def test_numbers_that_are_not_finite_are_shown():
    with np.errstate(all="ignore"):
        view = boundary(lambda p: np.log(p[:, 0]))
    json.dumps(view.data, allow_nan=False)
    view.picture(view.state)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ((3,), "that of a model or a function, but int was given"),
        ((len, [[1, 2, 3]]), r"points x of shape \(N, 2\), but the shape \(1, 3\)"),
        ((len, [[1.0, float("nan")]]), "finite points x of shape .* but NaN or an infinity was given"),
        ((None, [[1, 2]], [1]), "points and no model"),
        ((len, None, [1]), "classes y without points"),
        ((len, [[1, 2]], [1, 2]), "1 points and 2 came"),
        ((lambda p: p[0], [[1, 2]]), r"\(N, C\), but for \(3721, 2\) the answer has the shape \(2,\)"),
    ],
)
def test_what_has_no_boundary_is_refused(given, words):
    with pytest.raises((TypeError, ValueError), match=words):
        boundary(*given)


def test_classes_of_a_perceptron_are_two_sides_and_what_is_no_class_is_refused():
    x = np.random.default_rng(0).normal(size=(20, 2))
    side = np.where(x[:, 0] > 0, 1, -1)
    assert "100.0% of the points are on the right side" in boundary(lambda p: p[:, 0], x, side).words
    assert "100.0% of the points are on the right side" in boundary(lambda p: p[:, 0], x, side > 0).words
    for wrong in ([0.5] * 20, [-2] * 20, ["a"] * 20, [np.nan] * 20):
        with pytest.raises(ValueError, match="classes"):
            boundary(lambda p: p[:, 0], x, wrong)


def test_numbers_part_at_one_level_however_close_the_view_is():
    near, far = (boundary(lambda p: p[:, 0], x, [1] * len(x)) for x in ([[0.5, 0]], [[0.5, 0], [-3, 1]]))
    assert near.state["level"] == far.state["level"] == 0.0
    assert near.state["right"] == 100.0
    assert boundary(lambda p: 1 / (1 + np.exp(-p[:, 0])), [[0.5, 0]]).state["level"] == 0.5


@pytest.mark.parametrize("outputs", [1, 2])
def test_where_the_answer_is_nan_there_is_none(outputs):
    model = ddl.nn.Linear(2, outputs)
    model.weight.data[:] = np.nan
    view = boundary(model, [[0.0, 0.0], [1.0, 1.0]], [0, 0])
    assert view.words.splitlines()[1] == "No answer, but NaN, at 100.0% of the places."
    assert view.state["right"] == 0.0
    assert "class" not in view.words
