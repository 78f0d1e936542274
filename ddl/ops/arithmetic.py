"""Sums, products, quotients and powers: the engine broadcasts their inputs and sums the gradients back."""

from ..define import op
from ..spec import Spec
from .comparisons import eq, where
from .elementwise import floor, log


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


@op(r"\frac{{1}}{{{x}}}")
def reciprocal(x):
    return 1.0 / x


reciprocal.vjp(x=lambda g, out: -g * (out * out))


@op(r"\left\lfloor \frac{{{x}}}{{{y}}} \right\rfloor", smooth=False)
def floor_divide(x, y):
    """The largest integer not above x / y: a function of steps, so without a gradient."""
    _check_divisor("//", x, y)
    return x // y


@op(r"{x} \operatorname{{mod}} {y}", binds=2)
def remainder(x, y):
    """x - y floor(x / y), which has the sign of y; the slope at a jump is that to its right."""
    _check_divisor("%", x, y)
    return x % y


def _check_divisor(symbol, x, y):
    """Refuse 0 under integers: no integer says what comes of it."""
    if _whole(x) and _whole(y) and not isinstance(y, Spec) and not (y.all() if hasattr(y, "all") else y):
        raise ZeroDivisionError(f"integers were divided by 0, with {symbol}; give a divisor without 0, or floats")


def _whole(x):
    return x.dtype.kind in "biu" if hasattr(x, "dtype") else isinstance(x, int)


remainder.vjp(x=lambda g: g, y=lambda g, x, y: -g * floor(x / y))


# ---- powers
@op(r"{x}^{{2}}")
def square(x):
    return x * x


square.vjp(x=lambda g, x: g * (2.0 * x))


@op(r"{x}^{{{exponent}}}")
def power(xp, x, *, exponent):
    """x to a power that is a number. The slope at x = 0 is 0 for exponent 0, and numpy's answer otherwise."""
    if x.dtype.kind == "f":  # some powers have a quicker way
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
