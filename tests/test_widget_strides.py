"""What the strides explorer shows: against numpy's own views, read back from their memory."""

import re

import numpy as np
import pytest

pytest.importorskip("anywidget")

import ddl
from ddl.widgets import strides
from ddl.widgets.chains import parsed

X = np.arange(12.0).reshape(3, 4)
CHAINS = [
    ("x", lambda x: x, False),
    ("x.T", lambda x: x.T, False),
    ("x[::2].T", lambda x: x[::2].T, False),
    ("x[:, ::-1]", lambda x: x[:, ::-1], False),
    ("x[1]", lambda x: x[1], False),
    ("x[1, 2]", lambda x: x[1, 2], True),
    ("x[..., None]", lambda x: x[..., None], False),
    ("x.transpose(0, 1).reshape(-1)", lambda x: x.T.reshape(-1), True),
    ("x.reshape(2, 6).flip(0)", lambda x: x.reshape(2, 6)[::-1], False),
    ("x.reshape((2, 6)).flip((0, 1))", lambda x: x.reshape(2, 6)[::-1, ::-1], False),
    ("x.unsqueeze(0).expand(2, -1, -1)", lambda x: np.broadcast_to(x, (2, 3, 4)), False),
    ("x[[0, 2]]", lambda x: x[[0, 2]], True),
    ("x.T.clone()", lambda x: x.T.copy(), True),
    ("x[5:]", lambda x: x[5:], False),
]


@pytest.mark.parametrize(("text", "f", "copy"), CHAINS, ids=[text for text, *_ in CHAINS])
@pytest.mark.parametrize("kind", ["rows", "columns", "part"])
def test_a_view_lies_where_numpy_finds_it(text, f, copy, kind):
    x = {"rows": X, "columns": np.asfortranarray(X), "part": np.arange(40.0).reshape(5, 8)[1:4, 2:6]}[kind]
    view, wanted = strides(x, text).state[-1], f(x)
    assert np.reshape(view.values, wanted.shape).tolist() == wanted.tolist()
    assert view.shape == wanted.shape
    assert view.copy == copy or (kind != "rows" and "reshape" in text)  # whether that copies depends on how x lies
    if not view.copy and wanted.size:
        assert tuple(s * 8 for s in view.strides) == np.asarray(wanted).strides
        assert view.contiguous == wanted.flags.c_contiguous


def test_the_learners_tensor_is_neither_changed_nor_recorded():
    x = ddl.tensor(X, requires_grad=True)
    widget = strides(x, "x.T")
    assert (x.grad, x.requires_grad, x.numpy().tolist()) == (None, True, X.tolist())
    x.data[0, 0] = 100.0
    assert widget.data["views"][0]["values"][0] == 0.0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x.foo()", "'x.foo()' is no view that is known here"),
        ("y.T", "'y' is no view that is known here"),
        ("x.data", "'x.data' is no view"),
        ("x.__class__", "is no view"),
        ("(lambda: x)()", "is no view"),
        ("x.reshape(*[1])", "is no whole number"),
        ("x.flip(dims=0)", "is no view"),
        ("x[i]", "'i' is no whole number"),
        ("x[True]", "'True' is no whole number"),
        ("x.reshape(2.0)", "is no whole number"),
        ("x.reshape(None)", "is no whole number"),
        ("x[", "a chain of views is written as"),
        (3, "a chain of views is written as"),
        ("x" + ".T" * 13, "a chain of up to 12 operations"),
        ("x.reshape(5, 5)", "cannot reshape array of size 12"),
        ("x.unsqueeze(0).expand(1000000000, -1, -1).clone()", "up to 64 entries"),
    ],
)
def test_what_is_no_view_is_refused(text, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        strides(X, text)


def test_a_chain_is_taken_apart():
    assert [said for said, _ in parsed("x[::2, 1:].T.reshape(2, -1)")] == ["[::2, 1:]", ".T", ".reshape(2, -1)"]


def test_what_is_offered_can_be_done():
    widget = strides(X, "x[1]")
    assert ".T" not in widget.data["offers"] or widget.change("x[1].T")
    assert "[:,1]" not in widget.data["offers"]
    for more in widget.data["offers"]:
        assert widget.change("x[1]" + more)


def test_a_large_tensor_is_refused():
    with pytest.raises(ValueError, match="up to 64 cells, but x has 100 of 100"):
        strides(np.zeros(100))


def test_any_tensor_has_a_chain_of_its_own():
    assert [strides(x).state[-1].text for x in (3.0, np.arange(5), X)] == ["x", "x[::2]", "x[:, ::2].T"]
