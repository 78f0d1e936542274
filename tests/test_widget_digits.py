"""What the canvas for digits shows: the answer of a model of either kind of input, which stays as it was."""

import json
import sys

import numpy as np
import pytest

pytest.importorskip("anywidget")

import ddl
from ddl import nn
from ddl.widgets import digits
from ddl.widgets.digits import reader

IMAGE = np.random.default_rng(0).random((8, 8))


def softmax(z):
    e = np.exp(z - z.max())
    return e / e.sum()


@pytest.mark.parametrize("kind", ["cnn", "flat", "function"])
def test_the_answer_is_the_softmax_of_the_models_logits(kind):
    net = nn.Sequential(nn.Linear(64, 6), nn.Tanh(), nn.Linear(6, 4))
    model = {"cnn": ddl.models.CNN(8, channels=(2, 3)), "flat": net, "function": lambda x: net(x.reshape(1, 64))}[kind]
    shape = (1, 64) if kind == "flat" else (1, 1, 8, 8)
    wanted = softmax(model(ddl.tensor(IMAGE.reshape(shape).astype(np.float32))).numpy()[0].astype(float))
    widget = digits(model, IMAGE)
    assert np.allclose(widget.data["answer"], wanted, atol=1e-6)
    assert widget.data["best"] == wanted.argmax()
    assert f"class {wanted.argmax()}, " in widget.words


def test_the_model_and_the_random_streams_stay_as_they_were():
    model = nn.Sequential(nn.Flatten(), nn.Dropout(0.5), nn.Linear(64, 3))
    before = ddl.random.get_state()
    widget = digits(model, IMAGE)
    again = widget.change(IMAGE.ravel().tolist())
    assert np.array_equal(again.answer, widget.state.answer)  # in evaluation, so nothing is dropped
    assert ddl.random.get_state() == before
    assert [model.training, model[1].training, model[2].weight.grad] == [True, True, None]


def test_an_empty_canvas_has_the_models_size():
    assert digits(ddl.models.CNN((12, 10), channels=(2,))).data["shape"] == [12, 10]


@pytest.mark.parametrize(
    ("model", "image", "words"),
    [
        (3, None, "takes a model of images"),
        (nn.Linear(64, 30), IMAGE, "up to 26 classes, but the model tells 30 apart"),
        (nn.Linear(8, 3), IMAGE, r"logits \(1, classes\) are needed"),
        (ddl.models.CNN(8), np.zeros((9, 9)), r"an image of \(8, 8\), up to 32 x 32, but one of shape \(9, 9\)"),
        (ddl.models.CNN(8), IMAGE * 16, "numbers from 0 to 1"),
        (ddl.models.CNN(8), IMAGE * np.nan, "numbers from 0 to 1"),
        (nn.Linear(64, 3), np.zeros((40, 40)), "up to 32 x 32"),
    ],
)
def test_what_cannot_be_asked_is_refused(model, image, words):
    with pytest.raises(ValueError, match=words):
        digits(model, image)


@pytest.mark.parametrize("image", [[0.0] * 63, None, [2.0] * 64, ["<b>"] * 64])
def test_what_no_canvas_sends_is_refused(image):
    with pytest.raises(ValueError, match=r"an image|shows a tensor"):
        digits(nn.Linear(64, 3), IMAGE).change(image)


def test_without_scikit_learn_it_says_what_to_give(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    reader.cache_clear()
    with pytest.raises(ImportError, match=r"give it one, digits\(model\)"):
        digits()


@pytest.mark.slow
def test_the_model_of_its_own_reads_digits():
    bundled = pytest.importorskip("sklearn.datasets").load_digits()
    before = ddl.random.get_state()
    widget = digits()
    assert ddl.random.get_state() == before
    assert (widget.data["shape"], widget.data["best"]) == ([8, 8], 7)
    right = [
        widget.change((x / 16).ravel().tolist()).answer.argmax() == y for x, y in zip(bundled.images, bundled.target)
    ]
    assert np.mean(right) > 0.9


def test_an_answer_that_is_none_is_not_read_as_one():
    model = ddl.models.CNN(8)
    for p in model.parameters():
        p.data[:] = np.nan
    view = digits(model)
    assert view.words.startswith("The model's scores hold NaN or infinity: what it takes this for cannot be told.")
    assert view.data["broken"] == view.words.splitlines()[0]
    assert digits(ddl.models.CNN(8)).data["broken"] == ""
    json.dumps(view.data, allow_nan=False)
