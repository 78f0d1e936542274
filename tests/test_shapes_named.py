"""Shapes with names for sizes: what an op makes of names is, in numbers, what it makes of the numbers."""

import re

import numpy as np
import pytest
from cases import CASES
from hypothesis import given, settings
from hypothesis import strategies as st
from indices import drawn
from namings import NUMBERS, attempts

import ddl
from ddl import sizes
from ddl.assumptions import assumptions

# Ops none of whose cases take a named size, and why. Printed, so that the list is seen.
NEED_NUMBERS = {"nonzero": "how many there are depends on the values"}

# Ops and functions of which some case takes no named size at all, and why: what it is told is in numbers.
TOLD_IN_NUMBERS = {
    "shapes": "layer_norm rms_norm reshape broadcast_to fold add_along setitem put_diagonal",
    "weights beside the input": "cross_entropy nll_loss binary_cross_entropy binary_cross_entropy_with_logits",
    "lengths that must be even": "glu swiglu rope",
    "a list of places": "pad interpolate adaptive_max_pool2d",
    "a loop over the axis": "prod cosine_similarity",
    "windows that must fit": "max_pool1d avg_pool1d",
}


def outcomes(case, refused):
    """For each naming that the case takes: its result's shape in numbers, and shapes of (gradient, input).

    What the others are refused with is added to the list `refused`.

    Where an order of sizes was taken for granted that does not hold of the numbers, nothing is said of them.
    """
    for specs in attempts(case):
        xs = [ddl.Tensor(s) for s in specs]
        for x in xs:
            x.requires_grad = x.dtype.kind == "f"
        live = [x for x in xs if x.requires_grad]
        try:
            with assumptions() as known:
                out = case.f(*xs)
                back = ddl.grad(out, live, ddl.Tensor(ddl.Spec(out.shape, out.dtype))) if case.order else []
        except (TypeError, ValueError, IndexError) as error:
            refused.append(str(error))
            continue
        if known.hold(NUMBERS):
            yield sizes.at(out.shape, NUMBERS), [(g.shape, x.shape) for g, x in zip(back, live)]


@pytest.mark.parametrize("case", [c for c in CASES if c.on_spec], ids=[c.id for c in CASES if c.on_spec])
def test_names_become_the_numbers_or_the_refusal_says_which(case):
    expected, refused = case.f(*map(ddl.Tensor, case.inputs(np.float32))).shape, []
    for shape, gradients in outcomes(case, refused):
        assert shape == expected
        assert all(g == x for g, x in gradients)
    for sentence in refused:
        assert re.search(r"\bN\d+\b", sentence), sentence
        assert "operand type" not in sentence


def test_every_op_takes_named_sizes():
    able, unable = set(), set()
    for c in CASES:
        if c.on_spec and any(True for _ in attempts(c)):
            (able if any(True for _ in outcomes(c, [])) else unable).add(c.op)
    print("\nneed numbers:", *(f"{op} ({why})" for op, why in NEED_NUMBERS.items()))
    print("in some cases:", *(f"{ops} ({why})" for why, ops in TOLD_IN_NUMBERS.items()), sep="\n  ")
    assert {c.op for c in CASES} - able == set(NEED_NUMBERS)
    assert unable == {op for ops in TOLD_IN_NUMBERS.values() for op in ops.split()}


bounds = st.one_of(st.none(), st.integers(-12, 12), st.sampled_from(["T", "T + 2", "-T"]))


@settings(max_examples=500, deadline=None)
@given(bounds, bounds, st.sampled_from([None, 1, 2, 3]), st.integers(1, 10), st.integers(1, 10))
def test_a_slice_of_a_named_axis_has_the_numbers_length(start, stop, step, n, t):
    def bound(b, T):
        return eval(b, {"T": T}) if isinstance(b, str) else b

    expected = len(range(n)[slice(bound(start, t), bound(stop, t), step)])
    with assumptions() as known:
        got = ddl.Spec("N")[slice(bound(start, sizes.name("T")), bound(stop, sizes.name("T")), step)].shape
    if known.hold({"N": n, "T": t}):
        assert sizes.at(got, {"N": n, "T": t}) == (expected,)


@pytest.mark.parametrize("step", [-1, -2, -3])
@pytest.mark.parametrize("n", range(1, 8))
def test_a_named_axis_backwards(n, step):
    assert sizes.at(ddl.Spec("N")[::step].shape, {"N": n}) == (len(range(n)[::step]),)


@pytest.mark.parametrize("seed", range(500))
def test_an_index_gives_the_shape_that_numpy_gives(seed):
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(2, 5, rng.integers(1, 5)).tolist())
    if (index := drawn(rng, shape)) is not None:
        assert ddl.Spec(shape)[index].shape == np.empty(shape)[index].shape


def test_what_a_slice_from_the_end_takes_for_granted_is_said():
    with assumptions() as known:
        assert ddl.Spec("N")[-3:].shape == (3,)
    assert list(known) == ["N >= 3"]


def test_of_values_cut_to_a_named_size_the_shape_is_known():
    table, T = ddl.randn(8, 3, requires_grad=True), sizes.name("T")
    with assumptions() as known:
        rows = table[:T]
        assert (rows.shape, rows.device) == ((T, 3), "spec")
        assert ddl.grad(rows.sum(), [table])[0].shape == (8, 3)
    assert list(known) == ["T <= 8"]
    assert ddl.ones(1, 3).broadcast_to((T, 3)).shape == (T, 3)
    with pytest.raises(ValueError, match="cannot reshape array of size 24 into shape"):
        table.reshape(T, 4)
