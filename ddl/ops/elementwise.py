"""Ops on each element by itself: the engine broadcasts their inputs and sums the gradients back."""

from ..define import op, plain


# ---- arithmetic
@op(r"{x} + {y}", binds=1)
def add(x, y):
    return x + y


add.vjp(x=lambda g: g, y=lambda g: g)


@op(r"{x} - {y}", binds=1)
def sub(x, y):
    return x - y


sub.vjp(x=lambda g: g, y=lambda g: -g)


@op(r"{x} \odot {y}", binds=2)
def mul(x, y):
    return x * y


mul.vjp(x=lambda g, y: g * y, y=lambda g, x: g * x)


@op(r"\frac{{{x}}}{{{y}}}")
def div(x, y):
    return x / y


div.vjp(x=lambda g, y: g / y, y=lambda g, out, y: -g * out / y)


@op(r"-{x}", binds=2)
def neg(x):
    return -x


neg.vjp(x=lambda g: -g)


@op(r"{x}^{{{exponent}}}")
def power(xp, x, *, exponent):
    """x to a power that is a number. The slope at x = 0 is 0 for exponent 0, and numpy's answer otherwise."""
    if exponent == 2:
        return x * x
    if exponent == 3:
        return x * x * x
    if exponent == 0.5:
        return xp.sqrt(x)
    return x**exponent


power.vjp(x=lambda g, x, exponent: g * (exponent * power(x, exponent=exponent - 1)) if exponent else g * 0.0)


@op(r"{x}^{{{y}}}")
def pow(xp, x, y):
    """x to the power y, differentiable in both; where x is 0 the slope in y is 0, where y is 0 the slope in x is 0."""
    return xp.power(x, y)


def _slope_in_the_exponent(g, out, x):
    if isinstance(x, (int, float)):
        return g * (out * float(log(x))) if x else g * 0.0
    zero = eq(x, 0)
    return g * where(zero, 0.0, out * log(where(zero, 1.0, x)))


pow.vjp(
    x=lambda g, x, y: g * where(eq(y, 0), 0.0, y * pow(where(eq(y, 0), 1.0, x), y - 1)),
    y=_slope_in_the_exponent,
)


# ---- exponentials
@op(r"e^{{{x}}}")
def exp(xp, x):
    return xp.exp(x)


exp.vjp(x=lambda g, out: g * out)


@op(r"\log {x}", binds=3)
def log(xp, x):
    return xp.log(x)


log.vjp(x=lambda g, x: g / x)


@op(r"\sqrt{{{x}}}")
def sqrt(xp, x):
    """The square root; its slope at 0 is infinite, as the mathematics says."""
    return xp.sqrt(x)


sqrt.vjp(x=lambda g, out: g / (2.0 * out))


@op(r"\tanh {x}", binds=3)
def tanh(xp, x):
    return xp.tanh(x)


tanh.vjp(x=lambda g, out: g * (1.0 - out * out))


@op(r"\sigma({x})")
def sigmoid(xp, x):
    """1 / (1 + exp(-x)), through tanh so that no exponential overflows."""
    return 0.5 * xp.tanh(0.5 * x) + 0.5


sigmoid.vjp(x=lambda g, out: g * (out * (1.0 - out)))


@op(r"\log(1 + e^{{{x}}})")
def softplus(xp, x):
    """log(1 + exp(x)), finite for every x; its slope is the sigmoid."""
    return xp.maximum(x, 0) + xp.log1p(xp.exp(-xp.abs(x)))


softplus.vjp(x=lambda g, x: g * sigmoid(x))


@op(r"\sin {x}", binds=3)
def sin(xp, x):
    return xp.sin(x)


sin.vjp(x=lambda g, x: g * cos(x))


@op(r"\cos {x}", binds=3)
def cos(xp, x):
    return xp.cos(x)


cos.vjp(x=lambda g, x: -g * sin(x))


# ---- kinks: the slope at the kink is stated, and equals PyTorch's
@op(r"|{x}|")
def abs(xp, x):
    """The absolute value; its slope at 0 is 0."""
    return xp.abs(x)


abs.vjp(x=lambda g, x: g * sign(x))


@op(r"\operatorname{{sign}} {x}", binds=3, smooth=False)
def sign(xp, x):
    return xp.sign(x)


@op(r"\max(0, {x})")
def relu(xp, x):
    """max(0, x); its slope at 0 is 0."""
    return xp.maximum(x, 0)


relu.vjp(x=lambda g, out: where(gt(out, 0), g, 0.0))


@op(r"\max({x}, {y})")
def maximum(xp, x, y):
    """The larger of two; at a tie each side gets half the gradient."""
    return xp.maximum(x, y)


maximum.vjp(x=lambda g, x, y: g * _share(gt(x, y), eq(x, y)), y=lambda g, x, y: g * _share(gt(y, x), eq(x, y)))


@op(r"\min({x}, {y})")
def minimum(xp, x, y):
    """The smaller of two; at a tie each side gets half the gradient."""
    return xp.minimum(x, y)


minimum.vjp(x=lambda g, x, y: g * _share(lt(x, y), eq(x, y)), y=lambda g, x, y: g * _share(lt(y, x), eq(x, y)))


def _share(wins, ties):
    return where(wins, 1.0, where(ties, 0.5, 0.0))


@op(r"\operatorname{{clip}}({x}, {low}, {high})")
def clip(xp, x, *, low=None, high=None):
    """x kept between two numbers (None: no bound); the slope is 1 inside and on the bounds, 0 outside."""
    return xp.clip(x, plain(low), plain(high))


clip.vjp(x=lambda g, out, x: where(eq(out, x), g, 0.0))


@op(r"({c}\ ?\ {x} : {y})")
def where(xp, c, x, y):
    return xp.where(c if hasattr(c, "dtype") else xp.asarray(c), x, y)


where.vjp(c=None, x=lambda g, c: where(c, g, 0.0), y=lambda g, c: where(c, 0.0, g))


# ---- comparisons: their results are booleans and have no gradient
@op("{x} = {y}", binds=1, smooth=False)
def eq(x, y):
    return x == y


@op(r"{x} \ne {y}", binds=1, smooth=False)
def ne(x, y):
    return x != y


@op("{x} < {y}", binds=1, smooth=False)
def lt(x, y):
    return x < y


@op(r"{x} \le {y}", binds=1, smooth=False)
def le(x, y):
    return x <= y


@op("{x} > {y}", binds=1, smooth=False)
def gt(x, y):
    return x > y


@op(r"{x} \ge {y}", binds=1, smooth=False)
def ge(x, y):
    return x >= y
