"""The rotary view has the numbers of complex turns, of ddl's own rope, and scores that see distances only."""

import cmath

import numpy as np
import pytest

import ddl
from ddl import nn
from ddl.fused import rope

pytest.importorskip("anywidget")

from ddl.widgets import Rotary, rotary
from ddl.widgets.rotary import by_distance


@pytest.fixture(autouse=True)
def nobody_listens(monkeypatch):
    monkeypatch.setattr(Rotary, "send", lambda self, said, buffers=None: None)


def ask(widget, **what):
    widget._handle_custom_msg({"ask": what, "number": 1}, [])
    return widget.fault


def by_complex_numbers(x, position, base, interleaved):
    """A vector at a position: each pair is a complex number, multiplied by e^(i angle)."""
    D = len(x)
    y = np.zeros(D)
    for i in range(D // 2):
        a, b = (2 * i, 2 * i + 1) if interleaved else (i, i + D // 2)
        z = complex(x[a], x[b]) * cmath.exp(1j * position / base ** (2 * i / D))
        y[a], y[b] = z.real, z.imag
    return y


@pytest.mark.parametrize("base", [10000.0, 50.0])
@pytest.mark.parametrize("kind", ["split", "interleaved"])
def test_the_vectors_are_turned_as_complex_numbers_and_by_rope(kind, base):
    data = rotary(6, 12, base=base, seed=4).data
    for side in "qk":
        shown = np.array(data["turned"][kind][side])
        truth = [by_complex_numbers(data[side], p, base, kind == "interleaved") for p in range(12)]
        np.testing.assert_allclose(shown, truth, rtol=1e-8, atol=1e-9)
        own = rope(np.tile(data[side], (12, 1)), base=base, interleaved=kind == "interleaved")
        np.testing.assert_allclose(
            shown, ddl.Tensor(np.asarray(getattr(own, "data", own))).numpy(), rtol=1e-8, atol=1e-9
        )
    turns = [2 * np.pi * base ** (i / 3) for i in range(3)]
    np.testing.assert_allclose(data["waves"], turns)


@pytest.mark.parametrize("kind", ["split", "interleaved"])
def test_scores_see_distances_only(kind):
    widget = rotary(8, 10, seed=2)
    of = {side: np.array(x) for side, x in widget.data["turned"][kind].items()}
    told = by_distance(widget.state["turned"][kind])
    for m in range(10):
        for n in range(10):
            assert of["q"][m] @ of["k"][n] == pytest.approx(told[n - m], abs=1e-8)
    assert told[0] == pytest.approx(np.dot(widget.data["q"], widget.data["k"]))
    assert widget.data["spread"][kind] < 1e-13
    assert np.ptp(list(told.values())) > 0.1


def test_a_layer_and_vectors_of_ones_own_are_taken():
    q, k = np.arange(4.0), ddl.tensor([1.0, 0.0, 0.0, 0.0])
    data = rotary(nn.RotaryEmbedding(4, base=100.0, interleaved=True), 5, q=q, k=k).data
    assert (data["dim"], data["base"], data["shown"]) == (4, 100.0, "interleaved")
    assert (data["q"], data["k"]) == ([0, 1, 2, 3], [1, 0, 0, 0])
    np.testing.assert_allclose(data["turned"]["interleaved"]["k"][1], [np.cos(1), np.sin(1), 0, 0], atol=1e-9)


def test_another_width_seed_or_base_is_computed_anew():
    widget = rotary(8, 16)
    first = widget.data
    assert ask(widget, base=100) == ""
    assert (widget.data["q"], widget.data["base"]) == (first["q"], 100)
    assert ask(widget, dim=4) == ""
    assert len(widget.data["q"]) == 4
    assert ask(widget, seed=1) == ""
    assert widget.data["q"] != rotary(4, 16).data["q"]
    assert ask(widget, positions=3) == ""
    assert "2: " in widget.words
    assert "\n3: " not in widget.words
    data = widget.data
    for what, words in [
        ({"dim": 5}, "multiple of 2, but 5"),
        ({"dim": 66}, "dim up to 64, but 66"),
        ({"positions": 65}, "positions up to 64, but 65"),
        ({"positions": 1}, "positions"),
        ({"base": -1}, "base"),
        ({"base": "x"}, "base"),
        ({"seed": "x"}, "seed"),
        ({"dim": 1.5}, "dim"),
    ]:
        assert words in ask(widget, **what)
        assert widget.data == data


def test_words_and_picture_tell_the_convention_and_the_scores():
    one, other = rotary(), rotary(interleaved=True)
    assert "pairs are halves: (i, i + D / 2)" in one.words
    assert "pairs are neighbours: (2i, 2i + 1)" in other.words
    assert f"Without turns q.k is {np.dot(one.data['q'], one.data['k']):.4g}" in one.words
    for d, score in by_distance(one.state["turned"]["split"]).items():
        assert f"\n{d}: {score:.4g}" in one.words
    assert one.picture(one.state) != other.picture(other.state)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: rotary(7), "multiple of 2, but 7"),
        (lambda: rotary("a"), "dim"),
        (lambda: rotary(8, q=[1, 2]), r"q as 8 finite numbers up to 1e\+100, but one of shape \(2,\)"),
        (lambda: rotary(2, k=[1, np.nan]), "k as 2 finite numbers"),
        (lambda: rotary(2, k=[1, 1e300]), "k as 2 finite numbers"),
        (lambda: rotary(2, k="b"), "rotary shows a tensor, an array or a list of numbers, but 'b'"),
        (lambda: rotary(base=0), "rotary needs base above 0, but 0"),
    ],
)
def test_what_cannot_be_shown_is_refused(call, words):
    with pytest.raises((TypeError, ValueError), match=words):
        call()
