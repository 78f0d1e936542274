"""Functions of each element by itself."""

from ..arrays import plain
from ..define import op
from .comparisons import eq, gt, le, lt, where


# ---- exponentials and roots
@op(r"e^{{{x}}}", real=True)
def exp(xp, x):
    return xp.exp(x)


exp.vjp(x=lambda g, out: g * out)


@op(r"e^{{{x}}} - 1", binds=1, real=True)
def expm1(xp, x):
    """exp(x) - 1, exact where x is so small that exp(x) rounds to 1."""
    return xp.expm1(x)


expm1.vjp(x=lambda g, out: g * (out + 1.0))


@op(r"\log {x}", binds=3, real=True)
def log(xp, x):
    return xp.log(x)


log.vjp(x=lambda g, x: g / x)


@op(r"\log(1 + {x})", real=True)
def log1p(xp, x):
    """log(1 + x), exact where x is so small that 1 + x rounds to 1."""
    return xp.log1p(x)


log1p.vjp(x=lambda g, x: g / (1.0 + x))


@op(r"\sqrt{{{x}}}", real=True)
def sqrt(xp, x):
    """The square root; its slope at 0 is infinite, as the mathematics says."""
    return xp.sqrt(x)


sqrt.vjp(x=lambda g, out: g / (2.0 * out))


@op(r"\frac{{1}}{{\sqrt{{{x}}}}}", real=True)
def rsqrt(xp, x):
    """1 / sqrt(x)."""
    return 1.0 / xp.sqrt(x)


rsqrt.vjp(x=lambda g, out: g * (out * out * out * -0.5))


@op(r"\tanh {x}", binds=3, real=True)
def tanh(xp, x):
    return xp.tanh(x)


tanh.vjp(x=lambda g, out: g * (1.0 - out * out))


@op(r"\sigma({x})", real=True)
def sigmoid(xp, x):
    """1 / (1 + exp(-x)), where no exponential overflows and every small probability keeps its digits."""
    return xp.exp(xp.minimum(x, 0)) / (1.0 + xp.exp(-xp.abs(x)))


sigmoid.vjp(x=lambda g, out: g * (out * (1.0 - out)))


@op(r"\log(1 + e^{{{x}}})", real=True)
def softplus(xp, x):
    """log(1 + exp(x)), finite for every x; its slope is the sigmoid."""
    return xp.maximum(x, 0) + xp.log1p(xp.exp(-xp.abs(x)))


softplus.vjp(x=lambda g, x: g * sigmoid(x))


@op(r"\sin {x}", binds=3, real=True)
def sin(xp, x):
    return xp.sin(x)


sin.vjp(x=lambda g, x: g * cos(x))


@op(r"\cos {x}", binds=3, real=True)
def cos(xp, x):
    return xp.cos(x)


cos.vjp(x=lambda g, x: -g * sin(x))


# ---- kinks: the slope at the kink is stated, and equals PyTorch's
@op(r"|{x}|")
def abs(xp, x):
    """The absolute value; its slope at 0 is 0."""
    return xp.abs(x)


abs.vjp(x=lambda g, x: g * sign(x))


@op(r"\max(0, {x})")
def relu(xp, x):
    """max(0, x); its slope at 0 is 0."""
    return xp.maximum(x, 0)


relu.vjp(x=lambda g, out: where(le(out, 0), 0.0, g))


@op(r"\max({x}, {y})")
def maximum(xp, x, y):
    """The larger of two; at a tie each side gets half the gradient."""
    return xp.maximum(x, y)


maximum.vjp(x=lambda g, x, y: g * _share(lt(x, y), eq(x, y)), y=lambda g, x, y: g * _share(gt(x, y), eq(x, y)))


@op(r"\min({x}, {y})")
def minimum(xp, x, y):
    """The smaller of two; at a tie each side gets half the gradient."""
    return xp.minimum(x, y)


minimum.vjp(x=lambda g, x, y: g * _share(gt(x, y), eq(x, y)), y=lambda g, x, y: g * _share(lt(x, y), eq(x, y)))


def _share(loses, ties):
    return where(loses, 0.0, where(ties, 0.5, 1.0))


@op(r"\operatorname{{clip}}({x}, {low}, {high})")
def clip(xp, x, *, low=None, high=None):
    """x kept between two numbers (None: no bound); the slope is 1 inside and on the bounds, 0 outside."""
    return xp.clip(x, plain(low), plain(high))


clip.vjp(x=lambda g, out, x: where(eq(out, x), g, 0.0))


# ---- steps: flat wherever they have a slope, so that their results are constants to the graph; integers pass unchanged
@op(r"\operatorname{{sign}} {x}", binds=3, smooth=False)
def sign(xp, x):
    """-1, 0 or 1."""
    return xp.sign(x)


@op(r"\lfloor {x} \rfloor", smooth=False)
def floor(xp, x):
    """The largest integer not above x, as a number of x's dtype."""
    return xp.floor(x) if x.dtype.kind == "f" else x.copy()


@op(r"\lceil {x} \rceil", smooth=False)
def ceil(xp, x):
    """The smallest integer not below x, as a number of x's dtype."""
    return xp.ceil(x) if x.dtype.kind == "f" else x.copy()


@op(r"\operatorname{{round}} {x}", binds=3, smooth=False)
def round(xp, x):
    """The nearest integer, the even one of two as near, as a number of x's dtype."""
    return xp.rint(x) if x.dtype.kind == "f" else x.copy()
