"""Questions about each element, whose answers are booleans without a gradient, and the choice by such an answer."""

from ..arrays import FLOAT32, FLOAT64
from ..define import op


@op("{x} = {y}", binds=1, smooth=False)
def eq(x, y):
    return x == y


@op(r"{x} \ne {y}", binds=1, smooth=False)
def ne(x, y):
    return x != y


@op("{x} < {y}", binds=1, smooth=False)
def lt(x, y):
    return x < y


@op(r"{x} \leq {y}", binds=1, smooth=False)
def le(x, y):
    return x <= y


@op("{x} > {y}", binds=1, smooth=False)
def gt(x, y):
    return x > y


@op(r"{x} \geq {y}", binds=1, smooth=False)
def ge(x, y):
    return x >= y


@op(r"\operatorname{{isnan}} {x}", binds=3, smooth=False)
def isnan(xp, x):
    return xp.isnan(x)


@op(r"\operatorname{{isinf}} {x}", binds=3, smooth=False)
def isinf(xp, x):
    return xp.isinf(x)


@op(r"\operatorname{{isfinite}} {x}", binds=3, smooth=False)
def isfinite(xp, x):
    """True where x is a number: neither infinite nor NaN."""
    return xp.isfinite(x)


# ---- answers combined: `logical_` takes any number for its truth, `bitwise_` takes booleans, and integers bit by bit
@op(r"{x} \wedge {y}", binds=1, smooth=False)
def logical_and(xp, x, y):
    return xp.logical_and(x, y)


@op(r"{x} \vee {y}", binds=1, smooth=False)
def logical_or(xp, x, y):
    return xp.logical_or(x, y)


@op(r"{x} \oplus {y}", binds=1, smooth=False)
def logical_xor(xp, x, y):
    return xp.logical_xor(x, y)


@op(r"\neg {x}", binds=3, smooth=False)
def logical_not(xp, x):
    return xp.logical_not(x)


@op(r"{x} \wedge {y}", binds=1, smooth=False)
def bitwise_and(x, y):
    return x & y


@op(r"{x} \vee {y}", binds=1, smooth=False)
def bitwise_or(x, y):
    return x | y


@op(r"{x} \oplus {y}", binds=1, smooth=False)
def bitwise_xor(x, y):
    return x ^ y


@op(r"\neg {x}", binds=3, smooth=False)
def bitwise_not(x):
    return ~x


@op(r"({c}\ ?\ {x} : {y})")
def where(xp, c, x, y):
    """x where the condition is True, y elsewhere; each has its gradient where it was chosen.

    Two Python floats give float32.
    """
    c = c if hasattr(c, "dtype") else xp.asarray(c)
    if c.dtype.kind != "b":
        raise TypeError(f"a condition was given as {c.dtype}, but it must be boolean; compare first, as in x > 0")
    out = xp.where(c, x, y)
    return out.astype(FLOAT32) if out.dtype == FLOAT64 and not (hasattr(x, "dtype") or hasattr(y, "dtype")) else out


where.vjp(c=None, x=lambda g, c: where(c, g, 0.0), y=lambda g, c: where(c, 0.0, g))
