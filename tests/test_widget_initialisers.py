"""What the initialiser explorer shows: against plain numpy, forward and backward by hand."""

import json

import numpy as np
import pytest

pytest.importorskip("anywidget")

from ddl.widgets import initialisers
from ddl.widgets.initialisers import BINS, INITIALISERS, SAMPLES, verdict


@pytest.mark.parametrize("name", INITIALISERS)
def test_the_scales_are_those_of_a_net_written_out(name):
    data = initialisers(depth=3, width=8, activation="tanh", shown=name, seed=4).data
    found = data["passages"][data["shown"]]
    assert found["name"] == name
    rng = np.random.default_rng(4)
    xs, ws = [rng.normal(size=(SAMPLES, 8))], []
    for _ in range(3):
        ws.append(INITIALISERS[name]((8, 8), rng=rng).astype(float))
        xs.append(np.tanh(xs[-1] @ ws[-1].T))
    gs = [rng.normal(size=(SAMPLES, 8))]
    for w, x in zip(ws[::-1], xs[::-1]):
        gs.insert(0, (gs[0] * (1 - x**2)) @ w)
    size = lambda x: np.sqrt((x**2).mean())
    assert np.allclose(found["forward"], [size(x) for x in xs], rtol=1e-4)
    assert np.allclose(found["backward"], [size(g) for g in gs], rtol=1e-3, atol=1e-7)
    for shape, x in zip(found["shapes"], xs):
        assert shape["of"] == sum(shape["counts"]) == x.size
        counted = np.histogram(np.clip(x, -shape["reach"], shape["reach"]), BINS, (-shape["reach"], shape["reach"]))[0]
        assert np.abs(np.array(shape["counts"]) - counted).sum() <= 6  # by rounding to float32 an entry may change bins


def test_what_is_known_of_initialisers_is_seen():
    told = {p["name"]: verdict(p["forward"])[0] for p in initialisers(20, 64, "relu").data["passages"]}
    assert told["kaiming_normal"] == told["kaiming_uniform"] == "keeps its size"
    assert told["xavier_normal"] == told["normal, std 0.01"] == "vanishes"
    assert told["normal, std 1"] == told["uniform, 0 to 1"] == "explodes"


def test_what_overflows_is_said_and_sent_as_words():
    widget = initialisers(30, 128, "none")
    json.dumps(widget.data, allow_nan=False)
    assert "uniform, 0 to 1: forward overflows" in widget.words
    assert widget.picture(widget.state)[:4] == b"\x89PNG"


def test_dead_units_are_counted():
    data = initialisers(4, 32, "relu").data
    zeros = data["passages"][data["shown"]]["shapes"][2]
    assert 0.3 < zeros["zeros"] / zeros["of"] < 0.7


def test_a_new_net_has_the_same_seed():
    widget = initialisers(4, 16, "tanh", seed=3)
    again = widget.change(4, 16, "tanh", "orthogonal")
    assert again.passages == widget.state.passages
    assert again.passages[again.shown].name == "orthogonal"


def test_a_single_layer_is_judged_by_its_factor():
    lines = initialisers(depth=1).words.splitlines()
    assert lines[0].startswith("Layers: 1, each of 64 units")
    told = next(line for line in lines if line.startswith("normal, std 0.01"))
    assert "forward vanishes (x 0.08" in told
    assert "backward vanishes (x 0.08" in told


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"depth": 0}, "depth to be a whole number of 1 or more, but 0 was given"),
        ({"width": 1.5}, "width to be a whole number"),
        ({"seed": -1}, "seed to be a whole number of 0 or more, but -1 was given"),
        ({"depth": 31}, "a depth of up to 30, but 31 was given"),
        ({"width": 300}, "a width of up to 256, but 300 was given"),
        ({"activation": "softmax"}, "activations are tanh, relu"),
        ({"shown": "ones"}, "initialisers are normal, std 1; "),
    ],
)
def test_what_cannot_be_shown_is_refused(given, words):
    with pytest.raises(ValueError, match=words):
        initialisers(**given)
