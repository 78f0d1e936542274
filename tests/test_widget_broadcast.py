"""What the broadcast explorer shows: against numpy's own broadcasting and gradients by counting."""

import itertools

import numpy as np
import pytest

pytest.importorskip("anywidget")

import ddl
from ddl.widgets import broadcast
from ddl.widgets.broadcast import misfit, parsed

SHAPES = [(), (1,), (3,), (4,), (3, 1), (2, 1, 3), (1, 3), (0,), (2, 3), (4, 1)]


def fits(a, b):
    return all(m == n or 1 in (m, n) for m, n in zip(a[::-1], b[::-1]))


@pytest.mark.parametrize(("a", "b"), [*itertools.product(SHAPES, repeat=2)])
def test_sums_and_gradients_are_those_of_ddl_or_its_words_are(a, b):
    data = broadcast(a, b).data
    if not fits(a, b):
        with pytest.raises(ValueError, match="could not be broadcast") as raised:
            ddl.zeros(a) + ddl.zeros(b)
        assert data["result"] is None
        assert data["fault"] == f"{raised.value}".strip() + "\n" + raised.value.__notes__[0]
        assert "sizes must be equal" in misfit([a, b])
        return
    out = np.zeros(a) + np.zeros(b)
    assert (tuple(data["result"]), data["fault"], misfit([a, b])) == (out.shape, "", None)
    x, y = (ddl.tensor(np.reshape(v, s).astype(float), requires_grad=True) for v, s in zip(data["values"], (a, b)))
    total = x + y
    total.backward(ddl.tensor(np.reshape(data["g"], out.shape)))
    assert np.ravel(total.numpy()).tolist() == data["out"]
    for t, grad, axes in zip((x, y), data["grads"], data["summed"]):
        assert t.grad.numpy().ravel().tolist() == grad
        kept = np.reshape(data["g"], out.shape).sum(tuple(axes), keepdims=True)
        assert kept.ravel().tolist() == grad


def test_three_arrays_show_their_own_numbers():
    x = ddl.randn(2, 3)
    data = broadcast(x, 1.5, [[1], [2]]).data
    assert np.allclose(np.reshape(data["out"], (2, 3)), x.numpy() + 1.5 + np.array([[1], [2]]))
    assert data["summed"] == [[], [0, 1], [1]]


def test_what_is_no_number_is_shown_in_words():
    assert broadcast([float("nan"), float("inf")], [1.0, 2.0]).data["out"] == ["nan", "inf"]


def test_a_spec_is_its_shape():
    assert broadcast(ddl.Spec((2, 3)), (3,)).words == broadcast((2, 3), (3,)).words


def test_large_arrays_show_shapes_alone():
    widget = broadcast((1000, 1), (4000,))
    assert (widget.data["result"], widget.data["out"]) == ((1000, 4000), None)
    assert "4000000 entries" in widget.words


@pytest.mark.parametrize(("text", "shape"), [("3, 1", (3, 1)), ("(4,)", (4,)), ("", ()), (" 5 ", (5,)), ("()", ())])
def test_a_shape_is_read_as_it_is_typed(text, shape):
    assert parsed(text) == shape


@pytest.mark.parametrize("text", ["3, a", "-1", "2.5", "__import__('os')", "True", "'3'", None, "3,,4"])
def test_what_is_no_shape_is_refused(text):
    with pytest.raises(ValueError, match="a shape is whole numbers of 0 or more"):
        parsed(text)


@pytest.mark.parametrize(
    ("operands", "words"),
    [
        (((3,),), "takes 2 to 4 shapes or arrays, but 1 were given"),
        (((3,), "abc"), "shows a tensor, an array or a list of numbers"),
        (((-3,), (3,)), "to be a whole number of 0 or more, but -3 was given"),
        (((1,) * 7, (3,)), "up to 6 axes, but x has 7"),
    ],
)
def test_what_cannot_be_shown_is_refused(operands, words):
    with pytest.raises(ValueError, match=words):
        broadcast(*operands)


def test_shapes_that_are_typed_are_shown():
    widget = broadcast((2, 3), (3,))
    assert widget.change(["4", "3"]).result is None
    assert widget.change(["4,1", "3"]).result == (4, 3)
    for nonsense in ("4", ["4"], ["4"] * 5):
        with pytest.raises(ValueError, match="takes a list of 2 to 4 shapes"):
            widget.change(nonsense)


@pytest.mark.parametrize("shapes", [((0,), (1,)), ((1,), (0,)), ((2, 0), (1,)), ((), ())])
def test_shapes_without_entries_can_be_shown(shapes):
    widget = broadcast(*shapes)
    assert widget.picture(widget.state).startswith(b"\x89PNG")
