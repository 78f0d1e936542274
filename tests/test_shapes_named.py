"""Shapes with names for sizes: what an op makes of names is, in numbers, what it makes of the numbers."""

import numpy as np
import pytest
from cases import CASES

import ddl
from ddl import sizes
from ddl.assumptions import assumptions

# Ops none of whose cases take a named size, and why. Printed, so that the list is seen.
NEED_NUMBERS = {"nonzero": "how many there are depends on the values"}


def called(n):
    return f"N{n}"


def attempts(case):
    """The case's inputs with the axes of one size named, each size in turn, and with all of them."""
    inputs = case.inputs(np.float32)
    found = sorted({n for x in inputs for n in x.shape if n > 1})
    for chosen in [*({n} for n in found), *([set(found)] if len(found) > 1 else [])]:
        yield [ddl.Spec([called(n) if n in chosen else n for n in x.shape], x.dtype) for x in inputs]


NUMBERS = {called(n): n for n in range(100)}


def outcomes(case):
    """For each naming that the case takes: its result's shape in numbers, and shapes of (gradient, input).

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
        except (TypeError, ValueError, IndexError):
            continue
        if all(fact.at(NUMBERS) >= 0 for fact in known.facts):
            yield sizes.at(out.shape, NUMBERS), [(g.shape, x.shape) for g, x in zip(back, live)]


@pytest.mark.parametrize("case", [c for c in CASES if c.on_spec], ids=[c.id for c in CASES if c.on_spec])
def test_names_become_the_numbers(case):
    expected = case.f(*map(ddl.Tensor, case.inputs(np.float32))).shape
    for shape, gradients in outcomes(case):
        assert shape == expected
        assert all(g == x for g, x in gradients)


def test_every_op_takes_named_sizes():
    able = {c.op for c in CASES if c.on_spec and any(True for _ in outcomes(c))}
    print("\nneed numbers:", *(f"{op} ({why})" for op, why in NEED_NUMBERS.items()))
    assert {c.op for c in CASES} - able == set(NEED_NUMBERS)
