"""Arithmetic, functions of each element, comparisons and choices."""

import numpy as np

from ..writer import INT, Value
from .table import ROWS, row

ALIKE = {
    "add": "Add", "sub": "Sub", "mul": "Mul", "div": "Div", "neg": "Neg", "reciprocal": "Reciprocal", "exp": "Exp",
    "log": "Log", "sqrt": "Sqrt", "tanh": "Tanh", "sigmoid": "Sigmoid", "sin": "Sin",
    "cos": "Cos", "erf": "Erf", "abs": "Abs", "sign": "Sign", "relu": "Relu", "maximum": "Max", "minimum": "Min",
    "pow": "Pow",
}  # fmt: skip
BOOLEAN = {"Add": "Or", "Max": "Or", "Mul": "And", "Min": "And"}  # what numpy makes of booleans
COMPARED = {"eq": "Equal", "lt": "Less", "le": "LessOrEqual", "gt": "Greater", "ge": "GreaterOrEqual"}
COMBINED = {"logical_and": "And", "logical_or": "Or", "logical_xor": "Xor"}
BITWISE = {"bitwise_and": "And", "bitwise_or": "Or", "bitwise_xor": "Xor", "bitwise_not": "Not"}


def together(w, *xs):
    """The inputs in the dtype that numpy compares them in: numbers take an array's dtype, if that can hold them."""
    dtype = np.result_type(*(x.dtype if isinstance(x, Value) else 1.0 if isinstance(x, float) else 1 for x in xs))
    fits = lambda n: not isinstance(n, int) or np.iinfo(dtype).min <= n <= np.iinfo(dtype).max
    return [w.cast(x, dtype if dtype.kind not in "iu" or all(map(fits, xs)) else INT) for x in xs]


def alike(kind):
    def write(w, out, *xs):
        return w.op(BOOLEAN[kind] if out.dtype == bool else kind, *(w.cast(x, out.dtype) for x in xs))

    return write


def compared(kind):
    def write(w, out, x, y):
        x, y = together(w, x, y)
        if x.dtype == bool:
            x, y = w.cast(x, np.int32), w.cast(y, np.int32)
        return w.op(kind, x, y, dtype=bool)

    return write


def combined(kind):
    return lambda w, out, *xs: w.op(kind, *(w.cast(x, bool) for x in xs))


def bitwise(kind):
    def write(w, out, *xs):
        return w.op(kind if out.dtype == bool else f"Bitwise{kind}", *(w.cast(x, out.dtype) for x in xs))

    return write


ROWS.update({name: alike(kind) for name, kind in ALIKE.items()})
ROWS.update({name: compared(kind) for name, kind in COMPARED.items()})
ROWS.update({name: combined(kind) for name, kind in COMBINED.items()})
ROWS.update({name: bitwise(kind) for name, kind in BITWISE.items()})


@row("ne")
def _(w, out, x, y):
    return w.op("Not", ROWS["eq"](w, out, x, y))


@row("logical_not")
def _(w, out, x):
    return w.op("Not", w.cast(x, bool))


@row("where")
def _(w, out, c, x, y):
    x, y = w.cast(x, out.dtype), w.cast(y, out.dtype)
    if out.dtype == bool:
        return w.op("Or", w.op("And", c, x), w.op("And", w.op("Not", c), y))
    return w.op("Where", c, x, y, dtype=out.dtype)


def question(kind):
    def write(w, out, x):
        return w.op(kind, x if x.dtype.kind == "f" else w.cast(x, np.float32), dtype=bool)

    return write


ROWS.update(isnan=question("IsNaN"), isinf=question("IsInf"))


@row("isfinite")
def _(w, out, x):
    return w.op("Not", w.op("Or", ROWS["isnan"](w, out, x), ROWS["isinf"](w, out, x)))


def steps(kind):
    return lambda w, out, x: w.op(kind, x) if x.dtype.kind == "f" else x


ROWS.update(floor=steps("Floor"), ceil=steps("Ceil"), round=steps("Round"))


@row("square")
def _(w, out, x):
    return w.op("Mul", x, x)


@row("rsqrt")
def _(w, out, x):
    return w.op("Reciprocal", w.op("Sqrt", x))


@row("power")
def _(w, out, x, *, exponent):
    return w.op("Pow", w.cast(x, out.dtype), exponent)


@row("clip")
def _(w, out, x, *, low, high):
    return w.op("Clip", w.cast(x, out.dtype), *(b if b is None else w.cast(b, out.dtype) for b in (low, high)))


# ---- what ONNX has no operator for
@row("expm1")
def _(w, out, x):
    """tanh(x / 2) (exp(x) + 1), which is exact for small x too."""
    return w.op("Mul", w.op("Tanh", w.op("Mul", x, 0.5)), w.op("Add", w.op("Exp", x), 1.0))


@row("log1p")
def _(w, out, x):
    """x log(u) / (u - 1) for u = 1 + x as it is rounded (W. Kahan); x itself where u is 1, or infinite."""
    u = w.op("Add", x, 1.0)
    plain = w.op("Or", w.op("Equal", u, 1.0, dtype=bool), w.op("IsInf", u, detect_negative=0, dtype=bool))
    slope = w.op("Div", w.op("Log", u), w.op("Sub", u, 1.0))
    return w.op("Where", plain, x, w.op("Mul", x, slope), dtype=x.dtype)


@row("softplus")
def _(w, out, x):
    """As ddl defines it where runtimes lack a kernel, which they do in float64."""
    if out.dtype != np.float64:
        return w.op("Softplus", x)
    small = w.op("Exp", w.op("Neg", w.op("Abs", x)))
    return w.op("Add", w.op("Relu", x), ROWS["log1p"](w, out, small))


def divided(w, out, x, y):
    """fmod(x, y), which has x's sign, and where it is to be moved by one y for y's sign."""
    rest = w.op("Mod", x, y, fmod=1)
    wrong = w.op("Less", w.op("Mul", w.op("Sign", rest), w.op("Sign", y)), 0.0, dtype=bool)
    return rest, wrong


@row("remainder")
def _(w, out, x, y):
    x, y = w.cast(x, out.dtype), w.cast(y, out.dtype)
    if out.dtype.kind != "f":
        return w.op("Mod", x, y)
    rest, wrong = divided(w, out, x, y)
    return w.op("Where", wrong, w.op("Add", rest, y), rest, dtype=out.dtype)


@row("floor_divide")
def _(w, out, x, y):
    x, y = w.cast(x, out.dtype), w.cast(y, out.dtype)
    if out.dtype.kind != "f":
        return w.op("Div", w.op("Sub", x, w.op("Mod", x, y)), y)
    rest, wrong = divided(w, out, x, y)
    whole = w.op("Sub", w.op("Round", w.op("Div", w.op("Sub", x, rest), y)), w.cast(wrong, out.dtype))
    return w.op("Where", w.op("Equal", y, 0.0, dtype=bool), w.op("Div", x, y), whole, dtype=out.dtype)
