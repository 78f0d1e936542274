"""The lens says what each block's stream would, as computed by hand block by block; its last row is the model."""

import numpy as np
import pytest

import ddl
from ddl.models import GPT2, GPT2Config
from ddl.text import CharTokenizer

pytest.importorskip("anywidget")

from ddl.widgets import Lens, lens
from ddl.widgets.language import small, small_tokenizer
from ddl.widgets.lens import BEST, LONGEST

TEXT = "the name of the file"


@pytest.fixture(autouse=True)
def nobody_listens(monkeypatch):
    monkeypatch.setattr(Lens, "send", lambda self, said, buffers=None: None)


def ask(widget, **what):
    widget._handle_custom_msg({"ask": what, "number": 1}, [])
    return widget.fault


def decoder(**sizes):
    ddl.manual_seed(0)
    return GPT2(GPT2Config(**{"vocab_size": 30, "block_size": 40, "n_embd": 16, "n_layer": 3, "n_head": 2} | sizes))


def by_hand(model, ids):
    """The distributions (layers, T, V) of the stream, normed and led to the head number by number."""
    x, found = model.wte(np.array([ids])) + model.wpe.weight[: len(ids)], []
    for block in [None, *model.blocks]:
        x = x if block is None else block(x)
        rows = x.numpy()[0].astype(np.float64)
        centred = rows - rows.mean(-1, keepdims=True)
        normed = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
        z = (normed * model.ln_f.weight.numpy() + model.ln_f.bias.numpy()) @ model.wte.weight.numpy().T
        e = np.exp(z - z.max(-1, keepdims=True))
        found.append(e / e.sum(-1, keepdims=True))
    return np.array(found)


def test_every_cell_is_the_one_by_hand():
    data, ids = lens(text=TEXT).data, small_tokenizer().encode(TEXT)
    truth = by_hand(small(), ids)
    name = [small_tokenizer().tokens[i].decode("latin1").replace(" ", "␣").replace("\n", "⏎") for i in range(968)]
    assert data["layers"] == ["embedding", "after block 0", "after block 1", "after block 2", "after block 3"]
    for layer, row in enumerate(data["cells"]):
        for t, cell in enumerate(row):
            p, final = truth[layer, t], truth[-1, t].argmax()
            best = np.argsort(-p)[:BEST]
            assert [of for of, _ in cell["best"]] == [name[i] for i in best]
            np.testing.assert_allclose([share for _, share in cell["best"]], p[best], rtol=2e-3)
            assert cell["nats"] == pytest.approx(-(p * np.log(p)).sum(), rel=2e-3, abs=1e-4)
            assert cell["rank"] == 1 + np.sum(p > p[final])
            assert cell["final"] == pytest.approx(p[final], rel=2e-3)


def test_the_last_row_is_what_the_model_says():
    model, ids = decoder().eval(), [1, 5, 9, 2]
    p = ddl.nn.functional.softmax(model([ids]), dim=-1).numpy()[0]
    row = lens(model, ids).data["cells"][-1]
    assert [int(cell["best"][0][0]) for cell in row] == p.argmax(-1).tolist()
    np.testing.assert_allclose([cell["best"][0][1] for cell in row], p.max(-1), rtol=1e-3)
    assert {cell["rank"] for cell in row} == {1}


def test_the_model_runs_once_and_stays_as_it_was(monkeypatch):
    model, runs, forward = decoder(dropout=0.5).train(), [], GPT2.forward
    state = ddl.random.get_state()
    monkeypatch.setattr(GPT2, "forward", lambda self, ids: (runs.append(1), forward(self, ids))[1])
    widget = lens(model, [1, 2, 3])
    repr(widget), widget.picture(widget.state)
    assert len(runs) == 1
    assert all(module.training for module in model.modules())
    assert all(p.grad is None for p in model.parameters())
    assert ddl.random.get_state() == state
    assert not any(block._hooks and (block._hooks.before or block._hooks.after) for block in model.blocks)
    broken = decoder()
    broken.ln_f.forward = lambda x: 1 / 0
    with pytest.raises(ZeroDivisionError):
        lens(broken, [1, 2, 3])
    del broken.ln_f.forward
    assert lens(broken, [1, 2, 3]).data == lens(decoder(), [1, 2, 3]).data


def test_the_end_of_a_long_text_is_shown_after_all_that_fits():
    model, ids = decoder(), [i % 30 for i in range(60)]
    data = lens(model, ids).data
    assert (len(data["tokens"]), data["before"]) == (LONGEST, 60 - LONGEST)
    whole = by_hand(model, ids[-40:])[:, -LONGEST:]
    np.testing.assert_allclose([[c["best"][0][1] for c in row] for row in data["cells"]], whole.max(-1), rtol=1e-3)
    assert "after 36 that are not shown" in lens(model, ids).words


def test_another_text_is_read_and_the_picture_changes():
    tokenizer = CharTokenizer([chr(0x5D0 + i) for i in range(4)] + [chr(97 + i) for i in range(26)])
    widget = lens(decoder(), "abc", tokenizer)
    picture, words = widget.picture(widget.state), widget.words
    assert ask(widget, text="אbc") == ""
    assert widget.data["tokens"] == ["א", "b", "c"]
    assert widget.words != words
    assert widget.picture(widget.state) != picture
    assert "needs at least one token" in ask(widget, text="")
    plain = lens(decoder(), [1, 2])
    assert ask(plain, text="3 4 5") == ""
    assert plain.data["tokens"] == ["3", "4", "5"]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: lens(ddl.nn.Linear(3, 3), [1]), "takes a decoder such as ddl.models.GPT2, but Linear has no wte"),
        (lambda: lens(decoder(), "abc"), "pass tokenizer="),
        (lambda: lens(text=""), "at least one token"),
        (lambda: lens(text=3.5), "a text or a sequence of ids"),
    ],
)
def test_what_cannot_be_shown_is_refused(call, words):
    with pytest.raises((TypeError, ValueError), match=words):
        call()


def test_of_nan_nothing_is_said_to_be_likeliest():
    model = decoder()
    model.ln_f.weight.data[:] = np.nan
    view = lens(model, [1, 2])
    assert view.words.endswith("look for NaN or infinity in the model's weights.")
    assert "likeliest are" not in view.words
    assert "likeliest are" in lens(decoder(), [1, 2]).words
