"""An error says in one sentence what was wrong, and in a note which op was at work on which shapes."""

import numpy as np
import pytest
from fake_cupy import installed

import ddl
from ddl.nn import functional as F


def T(*shape, dtype=np.float64):
    return ddl.tensor(np.zeros(shape), dtype=dtype, requires_grad=True)


ERRORS = {
    "add": (lambda: T(2, 3) + T(4), "(2,3) (4,)", "in add(x: float64[2, 3], y: float64[4])"),
    "div": (lambda: T(2, 3) / T(2), "(2,3) (2,)", "in div(x: float64[2, 3], y: float64[2])"),
    "pow": (lambda: T(2) ** T(3), "(2,) (3,)", "in pow(x: float64[2], y: float64[3])"),
    "maximum": (lambda: ddl.maximum(T(2), T(3)), "(2,) (3,)", "in maximum(x: float64[2], y: float64[3])"),
    "where": (lambda: ddl.where(T(2) > 0, T(3), 1.0), "(2,) (3,)", "in where(c: bool[2], x: float64[3], y: float)"),
    "matmul": (
        lambda: T(3, 4) @ T(5, 6), "matmul of (3, 4) and (5, 6): the inner sizes 4 and 5 differ",
        "in matmul(x: float64[3, 4], y: float64[5, 6])",
    ),
    "matmul of a vector": (
        lambda: T(3) @ T(2, 4), "matmul of (3,) and (2, 4): the inner sizes 3 and 2 differ", "in matmul(x: float64[3],",
    ),
    "matmul of 0-d": (
        lambda: T() @ T(3), "matmul needs at least one axis on either side, but () and (3,) were given",
        "in matmul(x: float64[], y: float64[3])",
    ),
    "linear": (
        lambda: F.linear(T(2, 3), T(4, 5)), "matmul of (2, 3) and (5, 4): the inner sizes 3 and 5 differ",
        "in linear(x: float64[2, 3], weight: float64[4, 5]",
    ),
    "sum": (lambda: T(2, 3).sum(dim=2), "axis 2 is out of bounds", "in sum(x: float64[2, 3])"),
    "mean": (lambda: T(2).mean(dim=(0, 0)), "duplicate", "in mean(x: float64[2])"),
    "max of nothing": (lambda: T(0).max(), "zero-size", "in max(x: float64[0])"),
    "argmax of nothing": (lambda: T(0).argmax(), "empty", "in argmax(x: float64[0])"),
    "reshape": (lambda: T(2, 3).reshape(4, 2), "size 6 into shape (4,2)", "in reshape(x: float64[2, 3])"),
    "permute": (lambda: T(2, 3).permute(0), "axes don't match", "in permute(x: float64[2, 3])"),
    "transpose": (lambda: T(2, 3).transpose(0, 2), "out of bounds", "in swapaxes(x: float64[2, 3])"),
    "broadcast_to": (lambda: T(2, 3).broadcast_to(2, 4), "(2,4)", "in broadcast_to(x: float64[2, 3])"),
    "concatenate": (lambda: ddl.cat([T(2, 3), T(2, 4)]), "3", "float64[2, 3], xs[1]: float64[2, 4])"),
    "an index too large": (lambda: T(2, 3)[2], "index 2 is out of bounds", "in getitem(x: float64[2, 3])"),
    "too many indices": (lambda: T(2)[0, 0], "too many indices", "in getitem(x: float64[2])"),
    "an index of floats": (lambda: T(2)[ddl.tensor([0.0])], "integer", "in getitem(x: float64[2])"),
    "a float": (lambda: T(2)[1.5], "integers", "in getitem(x: float64[2])"),
    "a mask that does not fit": (lambda: T(2)[ddl.tensor([True] * 3)], "boolean", "in getitem(x: float64[2])"),
    "softmax": (lambda: F.softmax(T(2), dim=1), "axis 1 is out of bounds", "in softmax(x: float64[2])"),
    "attention": (
        lambda: F.scaled_dot_product_attention(T(2, 3), T(2, 4), T(2, 4)),
        "queries (.., T, D), keys (.., S, D) and values (.., S, E), but (2, 3), (2, 4) and (2, 4) were given",
        None,
    ),
    "grouped attention": (
        lambda: F.scaled_dot_product_attention(T(2, 3), T(2, 3), T(2, 3), enable_gqa=True),
        "queries (.., H, T, D), keys (.., H, S, D) and values (.., H, S, E), but (2, 3), (2, 3) and (2, 3) were given",
        None,
    ),
    "attention's mask": (
        lambda: F.scaled_dot_product_attention(T(2, 3), T(2, 3), T(2, 3), np.ones((5, 5), bool)),
        "an attn_mask that broadcasts to (2, 2), but (5, 5) was given", None,
    ),
    "ids": (lambda: F.embedding([5], T(3, 2)), "id 5 was", "in embedding(weight: float64[3, 2], i: int64[1])"),
    "split": (lambda: T(5).split([2, 2]), "[2, 2] was asked for, but axis 0 has 5 entries", None),
    "two names": (lambda: T(5).sum(dim=0, axis=0), "both dim and axis", None),
    "another gradient": (lambda: T(2, 3).sum(dim=0).backward(np.ones(2)), "(3,) was given with shape (2,)", None),
}  # fmt: skip


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_names_the_op_and_the_shapes(name):
    call, sentence, note = ERRORS[name]
    with pytest.raises((ValueError, TypeError, IndexError, RuntimeError)) as error:
        call()
    assert sentence.replace(" ", "") in str(error.value).replace(" ", "")
    assert note is None or note in error.value.__notes__[-1]


@pytest.mark.parametrize("name", [n for n in ERRORS if "matmul" in ERRORS[n][1]])
@pytest.mark.parametrize("device", ["cpu", "gpu"])
def test_a_product_of_unequal_sizes_is_refused_in_a_sentence_as_the_type_it_was(name, device, monkeypatch):
    """The first line is a learner's on every module, and whoever catches ValueError still does."""
    with installed():
        there = lambda *shape: ddl.tensor(np.zeros(shape), device=device, requires_grad=True)
        monkeypatch.setitem(globals(), "T", there)
        with pytest.raises(ValueError) as error:
            ERRORS[name][0]()
    assert type(error.value) is ValueError
    assert str(error.value) == ERRORS[name][1]


@pytest.mark.parametrize("name", [n for n in ERRORS if ERRORS[n][2] and "mask" not in n and "ids" not in n])
def test_shapes_alone_find_the_same_faults(name, monkeypatch):
    """The shape rules of Spec refuse what arrays refuse, before there is any data."""
    monkeypatch.setitem(globals(), "T", lambda *shape: spec(*shape))
    with pytest.raises((ValueError, TypeError, IndexError, RuntimeError)):
        ERRORS[name][0]()


def spec(*shape):
    t = ddl.Tensor(ddl.Spec(shape, np.float64))
    t.requires_grad = True
    return t


def test_an_error_in_a_pull_back_says_so():
    x = T(2, 3)
    y = x.sum(dim=0)
    y.node.params["axis"] = 7
    with pytest.raises((ValueError, IndexError)) as error:
        y.sum().backward()
    assert error.value.__notes__[-1] == "in the backward of sum, gradient float64[3]"
