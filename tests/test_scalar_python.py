"""Scalar among Python's numbers: numpy's on either side, comparing, printing, its graph as data, and its errors."""

import json

import numpy as np
import pytest

import ddl
from ddl.scalar import Scalar


def test_numpy_numbers_on_either_side():
    x = Scalar(np.float32(2.0))
    assert type(x.data) is float
    for y in (np.float32(3.0) * x, x * np.float64(3.0), np.int64(3) * x, np.array(3.0) * x):
        assert type(y) is Scalar
        assert type(y.data) is float
        assert y.data == 6.0


def test_comparisons_compare_values_and_hashing_does_not():
    x, y = Scalar(2.0), Scalar(2.0)
    assert x == y
    assert x == 2
    assert x != 3
    assert x < 3 <= Scalar(3)
    assert 3 > x >= 2.0
    assert (x == "2") is False
    assert len({x, y}) == 2
    assert max(x, Scalar(5.0)) == 5
    assert sorted([Scalar(3), Scalar(1)])[0] == 1
    assert not Scalar(0)
    assert Scalar(0.1)


def test_the_built_in_sum_works():
    xs = [Scalar(i) for i in range(4)]
    total = sum(xs)
    total.backward()
    assert total == 6
    assert [x.grad for x in xs] == [1.0] * 4


def test_repr_reads_like_the_call():
    x = Scalar(3)
    (x * 2).backward()
    assert repr(x) == "Scalar(3.0, grad=2.0)"
    assert repr(Scalar(0.1 + 0.2, "w")) == "Scalar(0.3, grad=0.0, name='w')"


def test_graph_is_plain_data():
    x = Scalar(3.0, "x")
    y = x * x + 1
    y.name = "y"
    y.backward()
    graph = y.graph()
    assert json.loads(json.dumps(graph)) == graph
    assert graph["nodes"] == [
        {"id": 0, "op": "", "value": 3.0, "grad": 6.0, "name": "x"},
        {"id": 1, "op": "*", "value": 9.0, "grad": 1.0, "name": ""},
        {"id": 2, "op": "", "value": 1.0, "grad": 1.0, "name": ""},
        {"id": 3, "op": "+", "value": 10.0, "grad": 1.0, "name": "y"},
    ]
    assert graph["edges"] == [
        {"from": 0, "to": 1, "slope": 3.0},
        {"from": 0, "to": 1, "slope": 3.0},
        {"from": 1, "to": 3, "slope": 1.0},
        {"from": 2, "to": 3, "slope": 1.0},
    ]


@pytest.mark.parametrize(
    ("bad", "error", "says"),
    [
        (lambda: Scalar(0.0).log(), ValueError, r"cannot take log\(0.0\): log needs a number above zero"),
        (
            lambda: Scalar(-1.0).sqrt(),
            ValueError,
            r"cannot take sqrt\(-1.0\): sqrt needs a number that is not negative",
        ),
        (lambda: Scalar(1.0) / 0, ZeroDivisionError, "cannot divide 1.0 by zero"),
        (lambda: 1 / Scalar(0.0), ZeroDivisionError, "cannot divide 1.0 by zero"),
        (lambda: Scalar(0.0) ** -1, ZeroDivisionError, "cannot raise zero to the power -1.0"),
        (
            lambda: Scalar(-2.0) ** 0.5,
            ValueError,
            "cannot raise -2.0 to the power 0.5: a negative number needs a whole",
        ),
        (lambda: Scalar(10.0) ** 400, OverflowError, "larger than a float can hold"),
        (lambda: Scalar(1000.0).exp(), OverflowError, r"exp\(1000.0\) is larger than a float can hold"),
        (lambda: Scalar("3"), TypeError, "a Scalar holds one Python number, but got '3'"),
        (lambda: Scalar(None), TypeError, "a Scalar holds one Python number, but got None"),
        (lambda: Scalar([1, 2]), TypeError, "a Scalar holds one Python number"),
        (lambda: Scalar(1j), TypeError, "a Scalar holds one Python number"),
        (lambda: Scalar(Scalar(1.0)), TypeError, "a Scalar holds one Python number"),
        (lambda: Scalar(1.0) + "1", TypeError, "a Scalar holds one Python number, but got '1'"),
        (lambda: Scalar(2.0) + ddl.tensor(1.0), TypeError, r"a tensor, tensor\(1.\), whose graph it cannot join"),
        (lambda: Scalar(1.0) * np.ones(2), TypeError, "a Scalar holds one Python number"),
        (lambda: Scalar(2.0) ** "2", TypeError, "a Scalar holds one Python number"),
        (lambda: Scalar.dot([1, 2], [3]), ValueError, "dot needs as many weights as inputs, but got 2 and 1"),
    ],
)
def test_errors_say_what_was_asked_and_what_to_do(bad, error, says):
    with pytest.raises(error, match=says):
        bad()
