"""Sizes with names: whatever is reckoned with names comes out as with their numbers."""

import math
import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ddl
from ddl.assumptions import assumptions, at_most, settled
from ddl.sizes import Size, name

NAMES = ("B", "T", "H")
values = st.fixed_dictionaries({n: st.integers(1, 50) for n in NAMES})
leaves = st.one_of(st.sampled_from(NAMES), st.integers(-6, 9))
divisors = st.one_of(st.sampled_from(NAMES), st.integers(1, 9), st.just(("*", "B", "T")), st.just(("+", "H", 1)))
programs = st.recursive(
    leaves,
    lambda p: st.one_of(st.tuples(st.sampled_from("+-*"), p, p), st.tuples(st.sampled_from("/%"), p, divisors)),
    max_leaves=8,
)
OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.floordiv, "%": operator.mod}
B, T, H = map(name, NAMES)


def reckoned(program, numbers):
    """The program's outcome, with names where `numbers` is None."""
    if isinstance(program, str):
        return name(program) if numbers is None else numbers[program]
    if isinstance(program, int):
        return program
    sign, left, right = program
    return OPERATORS[sign](reckoned(left, numbers), reckoned(right, numbers))


def number(size, numbers):
    return size.at(numbers) if isinstance(size, Size) else size


@settings(max_examples=1000, deadline=None)
@given(programs, values)
def test_names_come_out_as_their_numbers(program, numbers):
    assert number(reckoned(program, None), numbers) == reckoned(program, numbers)


@settings(max_examples=300, deadline=None)
@given(programs, programs, values)
def test_what_is_equal_is_equal_for_all_numbers(one, other, numbers):
    a, b = reckoned(one, None), reckoned(other, None)
    x, y = reckoned(one, numbers), reckoned(other, numbers)
    assert a != b or (x == y and hash(a) == hash(b))


@settings(max_examples=300, deadline=None)
@given(programs, programs, values)
def test_an_answer_about_order_holds_where_its_facts_do(one, other, numbers):
    a, b = reckoned(one, None), reckoned(other, None)
    x, y = reckoned(one, numbers), reckoned(other, numbers)
    with assumptions() as known:
        less, small = a < b, at_most(a, b)
    if known.hold(numbers):
        assert less == (x < y)
        assert number(small, numbers) == min(x, y)


def test_what_is_even_comes_out_and_the_rest_stays():
    assert B * T // B == T
    assert (6 * B + 4) // 2 == 3 * B + 2
    assert (B * T + B) // (T + 1) == B
    assert 12 * B // 8 == 3 * B // 2
    assert str(B * T // 2 + 1) == "(B*T) // 2 + 1"
    assert (B + 2 * 1 - 3) // 1 + 1 == B


def test_a_size_is_written_as_one_would():
    assert str(2 * B * T + 1 - H) == "2*B*T - H + 1"
    assert f"{B:>3}" == "  B"


def test_a_name_is_never_a_number():
    assert B not in (128, 1, 0)
    assert name("B") == B
    assert len({B, name("B"), T}) == 2
    with pytest.raises(TypeError, match="a number was asked for where the size is named B"):
        range(B)
    with pytest.raises(ValueError, match="'2B', but a name is a word"):
        name("2B")
    assert math.isnan(float(B))
    assert np.int64(3) * B == 3 * B


def test_what_cannot_be_proved_is_taken_for_granted_and_said():
    with assumptions() as known:
        assert not T > 128
        assert not T + 1 > 129  # follows
        assert B * T >= 1  # always
    assert list(known) == ["T <= 128"]


def asked(question):
    """What a question about sizes takes for granted."""
    with assumptions() as known:
        question()
    return list(known)


@pytest.mark.parametrize(
    ("question", "granted"),
    [
        (lambda: B == 3, ["B != 3"]),
        (lambda: B != 3, ["B != 3"]),
        (lambda: B in (1, 2), ["B != 1", "B != 2"]),
        (lambda: B == T, ["B != T"]),
        (lambda: B % 2 == 0, ["B != 2*(B // 2)"]),
        (lambda: bool(B - 1), ["B != 1"]),
        (lambda: float(B) > 3, ["no choice depends on the number B"]),
        (lambda: math.sqrt(B), ["no choice depends on the number B"]),
        (lambda: B / 2 > 3, ["no choice depends on the number B"]),
        (lambda: 2.0**B, ["no choice depends on the number B"]),
        (lambda: (B == B, B == 0, B == -1, B + 1 == 1, B == "B", B == 0.5, bool(B)), []),  # known without
        (lambda: (B // 2) * (T // 3) // (T // 3), []),
    ],
)
def test_what_a_program_asks_of_a_size_is_said_where_the_answer_might_be_another(question, granted):
    assert asked(question) == granted


def test_what_the_library_asks_of_sizes_is_said_where_it_decides():
    x = ddl.Tensor(ddl.Spec(("B", "T", 8)))
    assert asked(lambda: (x + x[:, :1] * ddl.ones(8)).softmax(-1).sum((0, 1))) == []
    for call, granted in (
        (lambda: x[5], ["B >= 6"]),
        (lambda: x[:, -3], ["T >= 3"]),
        (lambda: x[[1, 4]], ["B >= 5"]),
        (lambda: x[:, T - 1], []),
        (lambda: x.sum(2).gather(1, [[0, 2]]), ["T >= 3"]),
        (lambda: x.squeeze(1), ["T != 1"]),
        (lambda: x.squeeze(), ["B != 1", "T != 1"]),
        (lambda: ddl.nn.BatchNorm1d(8)(x[:, 0]), ["B >= 2"]),
        (lambda: ddl.nn.BatchNorm1d(8).eval()(x[:, 0]), []),
    ):
        assert asked(call) == granted
    with assumptions():
        assert not B > 80  # now known
        with pytest.raises(IndexError, match="index 99 is out of bounds for axis of size B"):
            x[99]


def test_another_answer_is_tried_where_the_likely_one_raises():
    def run():
        if not T > 512:
            raise ValueError("too short")
        return T

    found, known = settled(run)
    assert found == T
    assert list(known) == ["T >= 513"]

    def never():
        raise ValueError("long" if T > 8 else "short")

    with pytest.raises(ValueError, match="long") as error:  # the first error counts
        settled(never)
    assert error.value.__notes__ == ["taken for granted: T >= 9"]


def test_a_spec_takes_names():
    x = ddl.Spec(("B", "T", 128))
    assert x.shape == (B, T, 128)
    assert repr(x) == "Spec(float32[B, T, 128])"
    assert ddl.Spec("N").shape == (name("N"),)
    assert x.size == 128 * B * T
    with pytest.raises(TypeError, match="a number was asked for"):
        len(x)
    with pytest.raises(TypeError, match=r"whole numbers or names as sizes, but 2\.9 was given"):
        ddl.Spec((2.9,))
    assert ddl.Spec((np.int64(2), True)).shape == (2, 1)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda x: x + ddl.Spec((128,)), r"\(B,C\) \(128,\): C meets 128"),
        (lambda x: x @ ddl.Tensor(ddl.Spec((128, 3))), "the inner sizes C and 128 differ"),
        (lambda x: x.reshape("B", 7), "."),
        (lambda x: x.reshape(-1, 7), r"cannot reshape array of size B\*C into shape \(-1,7\)"),
        (lambda x: ddl.cat([x, ddl.Tensor(ddl.Spec(("T", "D")))]), "equal other sizes"),
        (lambda x: x[0, 0, 0], "an index with 3 parts"),
        (lambda x: x.expand(4, 5), r"which it does not fit"),
    ],
)
def test_a_wrong_shape_is_refused_with_both_sizes(call, sentence):
    with pytest.raises((ValueError, TypeError, IndexError), match=sentence):
        call(ddl.Tensor(ddl.Spec(("B", "C"))))
