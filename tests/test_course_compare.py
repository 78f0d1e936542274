"""How what came differs from what was expected, in a sentence."""

import numpy as np
import pytest

import ddl
from ddl.course.compare import difference, kind

A = np.array([[1.0, 2.0], [3.0, 4.0]])
SAME = [
    (1.0, 1.0 + 1e-12),
    (1, 1),
    (np.float64(2.0), 2.0),
    (2, 2.0),
    (True, True),
    (np.True_, True),
    ("a", "a"),
    (None, None),
    (A, A.copy()),
    (ddl.tensor(A), ddl.tensor(A)),
    (ddl.Scalar(2.0), ddl.Scalar(2.0)),
    ([1.0, (2, A)], [1.0, (2, A)]),
    ({"a": A}, {"a": A}),
    ({1, 2}, {2, 1}),
    (range(3), range(3)),
    (np.dtype("f4"), np.dtype(np.float32)),
    (len, len),
    (np.array([np.nan]), np.array([np.nan])),
]


class Agreeable:
    def __eq__(self, other):
        return True

    __hash__ = None


STRANGE = "it cannot be compared: a probe has to turn it into numbers"
DIFFERENT = [
    (object(), object(), STRANGE),
    ([object()], [object()], f"value 1: {STRANGE}"),
    ({"a": iter(())}, {"a": iter(())}, f"at 'a': {STRANGE}"),
    (3, iter(()), "a tuple_iterator was expected, but a number came"),
    (range(3), range(4), "it is another one"),
    (Agreeable(), object(), "a object was expected, but a Agreeable came"),
    (Agreeable(), {1}, "a set was expected, but a Agreeable came"),
    (2.0, 2, "a whole number was expected, but 2.0 is a float"),
    (1, True, "True or False was expected, but a number came"),
    (None, A, "an array was expected, but None came: is there a return?"),
    (A, ddl.tensor(A), "a tensor was expected, but an array came"),
    ([1.0], (1.0,), "a tuple was expected, but a list came"),
    ((1.0,), (1.0, 2.0), "1 values came, but 2 were expected"),
    (A[:1], A, "the shape is (1, 2), but (2, 2) was expected"),
    (A[:1].T, A[:1], "the shape is (2, 1), but (1, 2) was expected. It is right, but transposed"),
    (A.astype(np.float32), A, "the dtype is float32, but float64 was expected"),
    (A + [[0, 0], [0, 1]], A, "1 of 4 numbers differ; at [1, 1] 5 came where 4 was expected"),
    (-A, A, "All signs are turned round"),
    (-2.0, 2.0, "-2 came where 2 was expected. The sign is wrong"),
    (A.T, A, "It is right, but transposed"),
    (A / 4, A, "All of it is 0.25 times what was expected"),
    (A * np.nan, A, "Not all that came is finite"),
    (np.nan, 1.0, "nan came where 1 was expected. Not all that came is finite"),
    ({"a": 1}, {"b": 1}, "the keys are 'a', but 'b' were expected"),
    ({"a": A, "b": -A}, {"a": A, "b": A}, "at 'b': 4 of 4 numbers differ"),
    ((A, -A), (A, A), "value 2: 4 of 4 numbers differ"),
    ("a", "b", "'a' came where 'b' was expected"),
    (object(), 1.0, "a number was expected, but a object came"),
]


@pytest.mark.parametrize(("got", "expected"), SAME, ids=lambda x: kind(x))
def test_what_agrees_has_no_difference(got, expected):
    assert difference(got, expected, 1e-9, 0) == ""


@pytest.mark.parametrize(("got", "expected", "said"), DIFFERENT, ids=[said for *_, said in DIFFERENT])
def test_a_difference_is_said(got, expected, said):
    assert said in difference(got, expected, 1e-9, 0)


@pytest.mark.parametrize("factor", [1 - 1e-6, 1 + 1e-6])
def test_the_tolerance_is_the_one_that_was_asked_for(factor):
    assert difference(A * factor, A, 1e-5, 0) == ""
    assert difference(A * factor, A, 1e-7, 0) != ""
