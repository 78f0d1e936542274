"""The gradient microscope without a browser: it follows a training, redraws seldom, sends little and lets go."""

import json
import time
from types import SimpleNamespace

import pytest

pytest.importorskip("anywidget")
pytest.importorskip("matplotlib")

from IPython.core.events import EventManager

import ddl
from ddl import nn
from ddl.train.layers import LAYERS
from ddl.widgets import Microscope, live, watch
from ddl.widgets.demo import moons, network, training


def train(model, steps, **how):
    return list(training(model, *moons(), steps, **how))


@pytest.fixture
def renewals(monkeypatch):
    """The states that were drawn."""
    drawn = []
    kept = Microscope.renew
    monkeypatch.setattr(Microscope, "renew", lambda self, state: (drawn.append(state), kept(self, state))[1])
    return drawn


def test_alone_it_shows_a_network_that_learns():
    words = watch().words
    assert words.startswith("Step 12, look 12; layers: 5\nNo alarm.\n0 Linear: output rms")
    state = ddl.random.get_state()
    watch()
    assert ddl.random.get_state() == state


def test_the_end_of_a_with_statement_tells_of_the_last_step_and_lets_go():
    model = network()
    with watch(model, every=1) as seen:
        train(model, 4)
    assert seen.state["step"] == 4
    assert seen.data["layers"] == seen.state["layers"]
    assert seen.closed
    train(model, 2)
    assert seen.watch.report()["step"] == 4


def test_of_many_steps_few_are_drawn_and_the_last_one_is(renewals, monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(live.time, "monotonic", lambda: clock[0])
    model = network()
    with watch(model, every=1) as seen:
        for loss in training(model, *moons(), 50):
            clock[0] += live.REDRAW / 10
            assert loss > 0
        assert 4 <= len(renewals) <= 6
    assert renewals[-1]["step"] == seen.state["step"] == 50


def test_what_came_last_is_drawn_although_nothing_follows(monkeypatch):
    monkeypatch.setattr(live, "REDRAW", 0.05)
    model = network()
    seen = watch(model, every=1)
    train(model, 3)
    end = time.monotonic() + 10
    while seen.state["step"] < 2 and time.monotonic() < end:  # the third is told of once it has ended
        time.sleep(0.01)
    assert seen.state["step"] == 2
    assert seen._repr_mimebundle_()[0]["text/plain"].startswith("Step 3,")
    seen.close()


def test_what_is_sent_at_a_redraw_is_bounded():
    model = nn.Sequential(*(nn.Linear(64, 64) for _ in range(LAYERS + 10)))
    optimizer = ddl.optim.SGD(model.parameters(), lr=1e-3)
    with watch(model, every=1) as seen:
        for _ in range(50):
            optimizer.backward_step((model(ddl.ones(4, 64)) ** 2).mean())
    assert 100_000 < len(json.dumps(seen.data, allow_nan=False)) + len(seen.words) < 300_000
    assert f"layers: {LAYERS}, 10 more are left out" in seen.words


def test_the_end_of_a_cell_draws_the_last_step_but_not_half_of_one(monkeypatch):
    events = EventManager(None, {"post_run_cell": None})
    monkeypatch.setattr("IPython.get_ipython", lambda: SimpleNamespace(events=events))
    seen = watch(model := network(), every=1)
    train(model, 3)
    events.trigger("post_run_cell", None)
    assert seen.words.startswith("Step 3, look 3;")
    optimizer = ddl.optim.SGD(model.parameters(), lr=0.1)
    loss = (model(ddl.ones(4, 2)) ** 2).mean()
    events.trigger("post_run_cell", None)
    assert seen.words.startswith("Step 3, look 3;")
    loss.backward()
    optimizer.step()
    events.trigger("post_run_cell", None)
    assert seen.words.startswith("Step 4, look 4;")
    assert "gradient rms" in seen.words
    seen.close()
    assert events.callbacks["post_run_cell"] == []


def test_alarms_are_said_in_the_words_and_in_the_picture():
    model = network()
    model[0].weight.data[0, 0] = float("nan")
    with watch(model, every=1) as seen:
        train(model, 1)
    assert "Alarm, NaN: weight of 0 (Linear) holds NaN or infinity" in seen.words
    assert seen.picture(seen.state) != watch().picture(watch().state)


def test_a_layer_that_did_not_run_has_a_line_too():
    model = nn.ModuleDict({"a": nn.Linear(2, 2), "b": nn.Linear(2, 2)})
    model.forward = lambda x: model["a"](x)
    with watch(model, every=1) as seen:
        model(ddl.ones(1, 2)).sum().backward()
    assert "b Linear: did not run, update/weight 0.0\n    weight (2, 2): norm" in seen.words
    assert "no gradient" in seen.words
    seen.picture(seen.state)


def test_it_can_start_anew():
    model = network()
    seen = watch(model, every=1)
    train(model, 3)
    seen._handle_custom_msg({"ask": {"anew": True}, "number": 1}, [])
    assert (seen.fault, seen.data["layers"]) == ("", [])
    assert seen.words == "No step was looked at yet: train the model, and its layers appear here."
    seen.picture(seen.state)
    train(model, 1)
    seen.close()
    assert seen.state["step"] == 1


def test_what_is_no_module_is_refused():
    with pytest.raises(TypeError, match="layers of a module are watched, but int was given"):
        watch(3)
