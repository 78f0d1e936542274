"""The checker is checked: rules that are wrong in known ways must fail it, each by the order that shows it."""

import numpy as np
import pytest
from cases import CASES

import ddl
from ddl import backward, ops
from ddl.define import op
from ddl.ops import exp, getitem, put, setitem, spread, where

SQUARE, ROWS = (3, 3), (4, 5)


def wrong(forward, *inputs, **rules):
    """An op with these rules, and where to try it."""
    made = op()(forward)
    made.vjp(**rules)
    return made, inputs


def made_jointly(forward, rule, *inputs):
    made = op()(forward)
    made.vjp(rule)
    return made, inputs


def sign():
    return wrong(lambda x, y: x - y, SQUARE, SQUARE, x=lambda g: g, y=lambda g: g)


def missing_factor():
    return wrong(lambda x: x * x, SQUARE, x=lambda g, x: g * x)


def a_percent_off():
    return wrong(lambda x: 2.0 * x, SQUARE, x=lambda g: g * 2.002)


def broadcast_over_the_wrong_axis():
    return wrong(lambda x: x.sum(axis=0), SQUARE, x=lambda g, x: g.reshape(3, 1) + x * 0.0)


def transposed_operand():
    return made_jointly(lambda x, y: x @ y, lambda g, x, y: (g @ y, x.swapaxes(0, 1) @ g), SQUARE, SQUARE)


def swapped_inputs():
    return made_jointly(lambda x, y: x * y, lambda g, x, y: (g * x, g * y), SQUARE, SQUARE)


def mean_for_sum():
    return wrong(lambda x: x.sum(axis=-1), ROWS, x=lambda g, x: spread(g, x.shape, -1) * 0.2)


def one_input_forgotten():
    return wrong(lambda x, y: x * y, SQUARE, SQUARE, x=lambda g, y: g * y, y=lambda g: g * 0.0)


def input_for_output():
    return wrong(lambda x: exp(x), SQUARE, x=lambda g, x: g * x)


def slope_of_one_point():
    return wrong(lambda x: x * x * x, SQUARE, x=lambda g: g * 3.0)


def gradient_of_the_input_left_out():
    """A rule that forgets the gradient that comes back: right for a sum of outputs only."""
    return wrong(lambda x: 2.0 * x, SQUARE, x=lambda g: g * 0.0 + 2.0)


def softmax_over_all_rows():
    return wrong(ops_softmax, ROWS, x=lambda g, out: out * (g - (g * out).sum()))


def repeats_overwritten():
    index = [1, 1, 0]
    once = lambda g, x: setitem(getitem(g, index=[1, 2]), index=[1, 0], shape=x.shape)
    return wrong(lambda x: x[index], (4,), x=once)


def rows_in_the_wrong_order():
    return wrong(lambda x: x[::-1] * 1.0, ROWS, x=lambda g: g)


def norm_without_its_own_slope():
    """LayerNorm's pull-back without the term of the variance."""

    def normalised(x):
        d = x - x.mean(axis=-1, keepdims=True)
        return d / ops.sqrt((d * d).mean(axis=-1, keepdims=True))

    def rule(g, x):
        d = x - x.mean(axis=-1, keepdims=True)
        return (g - g.mean(axis=-1, keepdims=True)) / ops.sqrt((d * d).mean(axis=-1, keepdims=True))

    return wrong(normalised, ROWS, x=rule)


def ops_softmax(x):
    e = exp(x)
    return e / e.sum(axis=-1, keepdims=True)


ONCE = [
    sign, missing_factor, a_percent_off, broadcast_over_the_wrong_axis, transposed_operand, swapped_inputs,
    mean_for_sum, one_input_forgotten, input_for_output, slope_of_one_point, gradient_of_the_input_left_out,
    softmax_over_all_rows, repeats_overwritten, rows_in_the_wrong_order, norm_without_its_own_slope,
]  # fmt: skip


# ---- right once, wrong when pulled back again
def constants_in_the_rule():
    """Right once; but the input it keeps is cut from the graph."""
    cut = lambda g, x: g * 2.0 * (ddl.Tensor(x.data) if isinstance(x, ddl.Tensor) else x)
    return wrong(lambda x: x * x, SQUARE, x=cut)


def arrays_in_the_rule():
    return wrong(
        lambda x: x * x,
        SQUARE,
        x=lambda g, x: ddl.Tensor(g.data * 2.0 * x.data) if isinstance(g, ddl.Tensor) else g * 2.0 * x,
    )


def numpy_in_the_rule():
    return wrong(lambda x: np.sin(x), SQUARE, x=lambda g, x: g * np.cos(np.asarray(x)))


def kept_slope_is_constant():
    """The slope made by a function that the graph does not see through."""
    return wrong(
        lambda x: exp(x),
        SQUARE,
        x=lambda g, out: g * (where(out > 0, out.detach(), 0.0) if isinstance(out, ddl.Tensor) else out),
    )


def wrong_second_rule():
    """A right rule, written in an op whose own rule is wrong."""
    double, _ = wrong(lambda x: 2.0 * x, x=lambda g: g * 3.0)
    return wrong(lambda x: x * x, SQUARE, x=lambda g, x: g * double(x))


def second_rule_a_little_off():
    """As above, by a fiftieth of a percent, and for one input of two."""
    double, _ = wrong(lambda x: 2.0 * x, x=lambda g: g * 2.0004)
    return wrong(
        lambda x, y: x * x * y * y,
        SQUARE,
        SQUARE,
        x=lambda g, x, y: g * double(x) * y * y,
        y=lambda g, x, y: g * 2.0 * x * x * y,
    )


TWICE = [
    constants_in_the_rule, arrays_in_the_rule, numpy_in_the_rule, kept_slope_is_constant, wrong_second_rule,
    second_rule_a_little_off,
]  # fmt: skip


def inputs_of(shapes):
    return [ddl.Tensor(np.random.default_rng(i).standard_normal(s)) for i, s in enumerate(shapes)]


@pytest.mark.parametrize("fault", ONCE, ids=lambda f: f.__name__)
def test_a_wrong_rule_is_caught(fault):
    made, shapes = fault()
    with pytest.raises(AssertionError, match=r"gradient of input \d .* is wrong in \d+ of \d+ places: at \("):
        ddl.gradcheck(made, inputs_of(shapes))


@pytest.mark.parametrize("fault", TWICE, ids=lambda f: f.__name__)
def test_a_rule_that_is_right_only_once_is_caught_at_the_second_order(fault):
    made, shapes = fault()
    assert ddl.gradcheck(made, inputs_of(shapes))
    with pytest.raises((AssertionError, TypeError, RuntimeError)):
        ddl.gradcheck(made, inputs_of(shapes), order=2)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_right_rules_pass(order):
    cube = op()(lambda x: x * x * x)
    cube.vjp(x=lambda g, x: g * 3.0 * x * x)
    assert ddl.gradcheck(cube, inputs_of([SQUARE]), order=order)
    assert ddl.gradcheck(lambda x, y: (x @ y, x * 2), inputs_of([SQUARE, SQUARE]), order=order)


def test_two_plain_functions_make_an_op():
    """What a learner writes is what the package itself is made of."""

    def pick_first(x):
        return x[..., 0]

    def put_first(g, x):
        return (put(g, np.zeros(g.shape, int), n=x.shape[-1]),)

    mine = op(r"{x}_0")(pick_first)
    mine.vjp(put_first)
    assert mine.keeps == ("x",)
    assert ddl.gradcheck(mine, inputs_of([ROWS]), order=2)


def test_the_checker_asks_for_float64():
    with pytest.raises(TypeError, match="float64, but input 0 is float32"):
        ddl.gradcheck(lambda x: x, ddl.tensor([1.0]))
    with pytest.raises(ValueError, match="floating-point tensor"):
        ddl.gradcheck(lambda i: i, ddl.tensor([1]))


def test_a_rule_may_only_ask_for_what_its_op_knows():
    made = op()(lambda x: x)
    with pytest.raises(TypeError, match=r"asks for \['z'\], but its op knows"):
        made.vjp(x=lambda g, z: g * z)


def test_nan_is_no_agreement():
    bad, _ = wrong(lambda x: x * 1.0, SQUARE, x=lambda g: g * float("nan"))
    with pytest.raises(AssertionError):
        ddl.gradcheck(bad, inputs_of([SQUARE]))


def test_an_engine_that_forgets_to_sum_what_was_broadcast_fails_the_table(monkeypatch):
    """A gradient cut to its input's shape, instead of summed to it."""
    cut = lambda g, shape, op: g[(0,) * (g.ndim - len(shape))].reshape(shape) if g.ndim > len(shape) else g
    monkeypatch.setattr(backward, "unbroadcast", cut)
    for op_name in ("add", "sub", "mul", "div", "pow", "maximum", "where"):
        row = next(c for c in CASES if c.id in (f"{op_name}-left", f"{op_name}-0-d left"))
        with pytest.raises(AssertionError, match=r"gradient of input \d .* is wrong"):
            ddl.gradcheck(row.f, [ddl.Tensor(x) for x in row.inputs()])


def test_the_checker_is_tried_on_every_kind_of_mistake():
    """A dozen in the first order at least, and those that only the second order shows."""
    assert len(ONCE) >= 12
    assert len(TWICE) >= 4


def test_a_planted_fault_in_the_package_fails_the_table(monkeypatch):
    """One sign in one rule, and the row of that op fails."""
    monkeypatch.setattr(ops.tanh, "pulls", (lambda g, saved, params: -g * (1.0 - saved[0] * saved[0]),))
    row = next(c for c in CASES if c.id == "tanh-ordinary")
    with pytest.raises(AssertionError, match="is wrong in 6 of 6"):
        ddl.gradcheck(row.f, [ddl.Tensor(x) for x in row.inputs()])
