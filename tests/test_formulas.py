"""Every op's line of the table holds a formula; with its names filled in, a reader of LaTeX sets it."""

from string import Formatter

import pytest

from ddl import fused, ops
from ddl.define import Op, op

parser = pytest.importorskip("matplotlib.mathtext", reason="matplotlib is not installed").MathTextParser("path")
OPS = {v.name: v for room in (ops, fused) for v in vars(room).values() if isinstance(v, Op)}


def filled(o, written):
    """The op's formula with `written(name)` for each input and setting."""
    return o.tex.format(**{name: written(name) for name in (*o.inputs, *o.settings)})


def plain(name):
    return name.replace("_", r"\_")


def nested(name):
    return rf"\frac{{{plain(name)}}}{{2}} + \sqrt{{y_{{1}}}}"


def render(o):
    for written in (plain, nested):
        formula = filled(o, written)
        if not formula.strip():
            raise ValueError(f"{o.name} has no formula")
        parser.parse(f"${formula}$")


@pytest.mark.parametrize("name", OPS)
def test_a_formula_renders(name):
    render(OPS[name])


@pytest.mark.parametrize("name", OPS)
def test_a_formula_speaks_of_each_array_that_must_be_given(name):
    check_names(OPS[name])


def check_names(o):
    spoken = {field for _, field, _, _ in Formatter().parse(o.tex) if field is not None}
    given = {p.name for p in o.__signature__.parameters.values() if p.kind != p.KEYWORD_ONLY and p.default is p.empty}
    assert given <= spoken <= {*o.inputs, *o.settings}


@pytest.mark.parametrize(
    "tex",
    ["", r"\frac{{{x}}}{{2", r"\nosuchcommand {x}", r"{x}^^2", r"\sqrt", r"{x}}}", r"\left( {x}", "{y}"],
)
def test_a_wrong_formula_is_found(tex):
    with pytest.raises((ValueError, KeyError)):
        render(op(tex)(lambda x: x))


def test_a_formula_that_forgets_an_array_is_found():
    check_names(op("{x} + {y}")(lambda x, y: x + y))
    with pytest.raises(AssertionError):
        check_names(op("{x} + 1")(lambda x, y: x + y))
