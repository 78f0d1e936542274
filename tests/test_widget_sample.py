"""The playground draws what `generate` draws, runs the model once a token, and its sliders are `distribution`."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import ddl
from ddl.models import GPT2, GPT2Config, distribution
from ddl.text import CharTokenizer

pytest.importorskip("anywidget")

from ddl.widgets import Sample, sample
from ddl.widgets.sample import BINS, TOP

SOURCE = Path(__file__).resolve().parents[1] / "ddl" / "widgets" / "source"
SETTINGS = [
    {"temperature": 1.0, "top_k": None, "top_p": None},
    {"temperature": 0.0, "top_k": None, "top_p": None},
    {"temperature": 0.3, "top_k": 5, "top_p": None},
    {"temperature": 2.0, "top_k": None, "top_p": 0.4},
    {"temperature": 1.3, "top_k": 9, "top_p": 0.8},
    {"temperature": 1.0, "top_k": 1000, "top_p": 1.0},
]


@pytest.fixture(autouse=True)
def nobody_listens(monkeypatch):
    monkeypatch.setattr(Sample, "send", lambda self, said, buffers=None: None)


def ask(widget, **what):
    widget._handle_custom_msg({"ask": what, "number": 1}, [])
    return widget.fault


def decoder(vocab_size=40, **sizes):
    ddl.manual_seed(0)
    model = GPT2(GPT2Config(vocab_size, **{"block_size": 16, "n_embd": 8, "n_layer": 1, "n_head": 2} | sizes))
    for p in model.parameters():
        p.data[...] *= 6
    return model


def in_the_view(data, settings):
    """What the view's own JavaScript makes of the data."""
    if not shutil.which("node"):
        pytest.skip("node is not there")
    script = f"""
import {{ distribution, drawn }} from {json.dumps((SOURCE / "sampling.js").as_uri())};
const data = {json.dumps(data)};
const now = distribution(data, {json.dumps(settings)});
console.log(JSON.stringify({{ ...now, drawn: drawn(data.top, now.p, data.u) }}));"""
    run = subprocess.run(["node", "--input-type=module", "-e", script], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def entropy(p):
    return -sum(x * np.log(x) for x in p if x > 0)


@pytest.mark.parametrize("settings", SETTINGS)
def test_the_sliders_are_the_distribution(settings):
    widget = sample(decoder(), [1, 2, 3])
    logits = np.array([z for _, z, _ in sorted(widget.data["top"])])
    p, view = distribution(logits, **settings), in_the_view(widget.data, settings)
    np.testing.assert_allclose(view["p"], [p[i] for i, _, _ in widget.data["top"]], rtol=1e-12, atol=1e-300)
    assert view["kept"] == np.count_nonzero(p)
    assert view["nats"] == pytest.approx(entropy(p), abs=1e-12)
    cuts = np.cumsum(p)
    assert widget.data["top"][view["drawn"]][0] == next(i for i in range(len(p)) if cuts[i] > widget.data["u"])


def test_a_large_vocabulary_is_sent_by_its_likeliest_and_exact_at_temperature_1():
    widget = sample(decoder(3000), [1, 2, 3])
    assert (len(widget.data["top"]), len(widget.data["rest"])) == (TOP, BINS)
    for temperature, near in ((1.0, 1e-6), (0.8, 1e-2), (1.6, 1e-2)):
        settings = {"temperature": temperature, "top_k": None, "top_p": None}
        p = np.sort(distribution(widget.state["logits"], temperature))[::-1]
        view = in_the_view(widget.data, settings)
        assert view["others"] == pytest.approx(p[TOP:].sum(), rel=near)
        np.testing.assert_allclose(view["p"], p[:TOP], rtol=near)


def test_what_is_drawn_is_what_generate_draws():
    model = decoder()
    widget = sample(model, [1, 2, 3], temperature=1.2, top_k=20, top_p=0.9, seed=5)
    for _ in range(20):  # beyond the context of 16
        assert ask(widget, draw=True) == ""
    rng = np.random.default_rng(5)
    made = model.generate([1, 2, 3], 20, temperature=1.2, top_k=20, top_p=0.9, rng=rng)
    assert widget.state["ids"] == made.tolist()
    assert widget.data["tokens"] == [str(i) for i in made]


def test_the_model_runs_once_a_token_and_stays_as_it_was(monkeypatch):
    model, runs, forward = decoder(dropout=0.5).train(), [], GPT2.forward
    monkeypatch.setattr(GPT2, "forward", lambda self, ids: (runs.append(1), forward(self, ids))[1])
    before = ddl.random.get_state()
    widget = sample(model, [1, 2, 3])
    assert len(runs) == 1
    for count, what in enumerate([{"draw": True}, {"add": 7}, {"add": 0, "temperature": 0.5}], 2):
        assert ask(widget, **what) == ""
        assert len(runs) == count
    repr(widget), widget.picture(widget.state)
    for what in ({"back": True}, {"temperature": 2.0}, {"seed": 9}, {"back": True}, {"top_k": 3}):
        assert ask(widget, **what) == ""
    assert len(runs) == 4
    assert widget.state["ids"][:3] == [1, 2, 3]
    assert len(widget.state["ids"]) == 4
    assert all(module.training for module in model.modules())
    assert all(p.grad is None for p in model.parameters())
    assert before == ddl.random.get_state()


def test_back_and_forth_shows_the_same():
    widget = sample(decoder(), [1, 2, 3], seed=3)
    first = widget.data
    ask(widget, draw=True)
    second = widget.data
    assert second["u"] != first["u"]
    ask(widget, back=True)
    assert widget.data == first
    ask(widget, back=True)
    assert widget.data == first
    ask(widget, draw=True)
    assert widget.data == second
    np.testing.assert_array_equal(np.random.default_rng(3).random(2), [first["u"], second["u"]])


def test_the_shipped_decoder_is_what_there_is_without_a_model():
    widget = sample()
    model = GPT2.from_pretrained(ddl.models.SMALL)
    scores = model([widget.state["ids"]]).numpy()[0, -1]
    assert {i: z for i, z, _ in widget.data["top"]} == pytest.approx(
        dict(enumerate(scores.tolist())), rel=1e-4, abs=1e-4
    )
    own = distribution(widget.state["logits"])
    p = distribution(widget.state["logits"], 0.8, None, 0.95)
    assert f"entropy {entropy(p):.4g} nats = {entropy(p) / np.log(2):.4g} bits" in widget.words
    assert f"own {entropy(own):.4g} nats" in widget.words
    assert ask(widget, text="Another text") == ""
    assert "".join(widget.data["tokens"]) == "Another␣text"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: sample(decoder(), "abc"), "not the model's tokenizer: pass tokenizer="),
        (lambda: sample(3), "a model that is called with ids"),
        (lambda: sample(text=""), "at least one token"),
        (lambda: sample(text=[[1]]), "a text or a sequence of ids"),
        (lambda: sample(tokenizer="x"), "sample takes a tokenizer, with encode and decode, but got 'x'"),
        (lambda: sample(text=[]), r"at least one token, but got \[\]"),
        (lambda: sample(temperature=-1), "sample needs temperature of 0 or more, but -1"),
        (lambda: sample(top_p=0.0), "top_p above 0, but 0.0"),
        (lambda: sample(seed=-1), "a seed is a whole number"),
        (lambda: sample(ddl.nn.Embedding(9, 3), [[1]]), "sequence of ids"),
        (lambda: sample(lambda ids: 3, [1]), r"gives logits \(1, T, V\), but it gave 3"),
        (lambda: sample(text="a" * 5000), "up to 2,000 tokens"),
    ],
)
def test_what_cannot_be_shown_is_refused(call, words):
    with pytest.raises((TypeError, ValueError), match=words):
        call()


def test_a_view_that_asks_for_nonsense_changes_nothing():
    widget = sample(decoder(), [1, 2, 3])
    data = widget.data
    for what, words in [
        ({"add": 40}, "tokens are 0 to 39"),
        ({"add": "x"}, "'x' was to be added"),
        ({"seed": "x"}, "whole number"),
        ({"text": "a b"}, "reads ids, but 'a b'"),
        ({"temperature": -1}, "needs temperature of 0 or more, but -1"),
    ]:
        assert words in ask(widget, **what)
        assert widget.data == data
    assert ask(widget, text="4, 5") == ""
    assert widget.state["ids"] == [4, 5]


def test_the_picture_changes_with_the_text():
    tokenizer = CharTokenizer([chr(0x5D0 + i) for i in range(27)] + list("abcdefghijklm"))
    widgets = [sample(decoder(), text, tokenizer) for text in ("abc", "abd")]
    assert widgets[0].picture(widgets[0].state) != widgets[1].picture(widgets[1].state)
