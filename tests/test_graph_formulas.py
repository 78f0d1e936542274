"""Formulas read off graphs: what they say, that MathML's converter reads them all, and that names stay text."""

import pytest
from cases import CASES
from hostile import NAMES

import ddl
from ddl.graph.symbols import escaped, written

DIFFERENTIABLE = [c for c in CASES if c.order]


def math(tex):
    converter = pytest.importorskip("math_core", reason="math-core is not installed").LatexToMathML()
    return converter.convert_with_local_state(tex, displaystyle=True)


def readable(graph):
    for line in graph.equations():
        assert " = " in line
        assert not line.endswith(" = ")
    math(r"\quad ".join(graph.equations()))
    assert all(node.symbol for node in graph.nodes)
    assert all(node.tex.startswith(f"{node.symbol} = ") for node in graph.of_kind("op"))


@pytest.mark.parametrize("case", CASES, ids=[c.id for c in CASES])
def test_the_formulas_of_every_op_are_read(case):
    readable(ddl.trace(case.f, *map(ddl.Tensor, case.inputs())))


@pytest.mark.parametrize("case", DIFFERENTIABLE, ids=[c.id for c in DIFFERENTIABLE])
def test_the_formulas_of_every_gradient_are_read(case):
    back = ddl.trace(case.f, *map(ddl.Tensor, case.inputs())).backward()
    readable(back)
    assert sum(r"\bar{" in line.split(" = ")[0] for line in back.equations()) >= len(back.outputs)
    readable(back.backward())


def back_of(f, *names):
    xs = {name: ddl.tensor([2.0, 3.0], requires_grad=True) for name in names}
    return ddl.graph.of(f(*xs.values()), xs).backward().equations()


@pytest.mark.parametrize(
    ("f", "names", "lines"),
    [
        (lambda x: x.tanh(), "x", [r"\bar{x} = \bar{v_{1}} \odot (1 - v_{1} \odot v_{1})"]),
        (lambda x, y: x - y, "xy", [r"\bar{x} = \bar{v_{2}}", r"\bar{y} = -\bar{v_{2}}"]),
        (lambda x, y: x / y, "xy", [r"\bar{x} = \frac{\bar{v_{2}}}{y}",
                                    r"\bar{y} = \frac{-\bar{v_{2}} \odot v_{2}}{y}"]),
        (lambda x: x * x, "x", [r"\bar{x} = \bar{v_{1}} \odot x + \bar{v_{1}} \odot x"]),
        (lambda x: x.exp().sum(), "x", [r"\bar{v_{2}} = 1", r"\bar{v_{1}} = \bar{v_{2}}",
                                        r"\bar{x} = \bar{v_{1}} \odot v_{1}"]),
        (lambda A, x: A.reshape(1, 2) @ x, "Ax", [
            r"\bar{v_{3}} = 1", r"\bar{v_{2}} = \bar{v_{3}} \odot x",
            r"\bar{x} = v_{2}^\top\,\bar{v_{3}}", r"\bar{A} = \bar{v_{2}}",
        ]),
    ],
)  # fmt: skip
def test_gradients_are_read_off_the_rules(f, names, lines):
    assert back_of(f, *names) == lines


@pytest.mark.parametrize(
    ("f", "line"),
    [
        (lambda x: x * -2.0 + 1e-9, [r"v_{2} = x \odot (-2)", r"v_{4} = v_{2} + 1 \times 10^{-9}"]),
        (lambda x: x * 1e-9 * 3, [r"v_{2} = x \odot (1 \times 10^{-9})", r"v_{4} = v_{2} \odot 3"]),
        (lambda x: x[1:, None, ...], [r"v_{1} = x[1{:}, \mathrm{none}, \ldots ]"]),
        (lambda x: ddl.nn.functional.linear(x, x.reshape(1, 2)), [r"v_{1} = x", r"v_{2} = x\,v_{1}^\top"]),
        (lambda x: ddl.cat([x, x]), [r"v_{1} = [x, x]_{\mathrm{axis}\,{0}}"]),
        (lambda x: (x > 0).detach(), [r"v_{2} = x > 0"]),
        (lambda x: x.clip(0.5, float("inf")), [r"v_{1} = \operatorname{clip}(x, 0.5, \infty )"]),
    ],
)
def test_lines_of_ops(f, line):
    assert ddl.trace(f, ddl.tensor([1.0, 2.0])).equations() == line


@pytest.mark.parametrize(
    ("f", "line"),
    [
        (lambda x: x.sum(0), r"\sum_AXIS{0} x"),
        (lambda x: x.sum((0, 1)), r"\sum_AXIS{0, 1} x"),
        (lambda x: x.max(1), r"\max_AXIS{1} x"),
        (lambda x: x.mean(-1), r"\operatorname{mean}_AXIS{-1} x"),
        (lambda x: x.cumsum(0), r"\operatorname{cumsum}_AXIS{0} x"),
        (lambda x: x.softmax(-1), r"\operatorname{softmax}_AXIS{-1} x"),
        (lambda x: x.logsumexp(0), r"\log \sum_AXIS{0} e^{x}"),
        (lambda x: x.norm(2, 1), r"\|x\|_{2, \mathrm{axis}\,{1}}"),
        (lambda x: x.roll(1, 0), r"\operatorname{roll}_AXIS{0}(x, (1))"),
        (lambda x: x.diagonal(0, 1, 0), r"\operatorname{diag}_AXIS{1, 0} x"),
        (lambda x: x.sum(), r"\sum x"),
    ],
)
def test_the_axis_that_an_op_goes_along_is_in_its_line(f, line):
    found = ddl.trace(f, ddl.ones((2, 2))).equations()[0]
    math(found)
    for axes in ("0", "0, 1", "1, 0", "1", "-1"):
        line = line.replace(f"AXIS{{{axes}}}", rf"{{\mathrm{{axis}}\,{{{axes}}}}}")
    assert found == f"v_{{1}} = {line}"


def test_the_second_order_has_an_accent_of_its_own():
    second = ddl.trace(lambda x: x.exp(), ddl.tensor(1.0)).backward().backward()
    assert second.equations() == [
        r"\tilde{\bar{x}} = 1",
        r"\tilde{v_{1}} = \tilde{\bar{x}} \odot \bar{v_{1}}",
        r"\tilde{x} = \tilde{v_{1}} \odot v_{1}",
    ]


@pytest.mark.parametrize("name", NAMES)
def test_names_stay_text(name):
    a, b = ddl.Scalar(1.0, name), ddl.Scalar(2.0, "b_2")
    graph = ddl.graph.of(a * b + a)
    readable(graph)
    readable(graph.backward())
    mathml = math(graph.nodes[0].symbol)
    assert "<img" not in mathml
    assert "<script" not in mathml
    assert len(escaped(name)) < 500
    assert graph.nodes[1].symbol == "b_{2}"


@pytest.mark.parametrize(
    ("x", "tex"),
    [(3, "3"), (0.1, "0.1"), (-1.5e20, r"-1.5 \times 10^{20}"), (float("nan"), r"\mathrm{nan}"),
     (True, r"\mathrm{True}"), (slice(None, 3, -1), "{:}3{:}-1"), ((1, 2), "(1, 2)"),
     (ddl.Spec(("B",)).shape[0] * 2 + 1, r"2\,B + 1")],
)  # fmt: skip
def test_numbers_and_settings_are_written(x, tex):
    assert written(x) == tex
    math(tex or "x")
