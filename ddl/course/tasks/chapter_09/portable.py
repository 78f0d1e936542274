"""A function for two machines: checked on numpy, and on a module that is not numpy and notices who asks numpy."""

import numpy as np

from ...task import Mistake, Task, parts


class Elsewhere:
    """An array of another machine: what numpy is asked to do with it, or Python with its numbers, is noted."""

    def __init__(self, array, noted):
        self.array, self.noted = np.asarray(array), noted

    shape = property(lambda self: self.array.shape)
    ndim = property(lambda self: self.array.ndim)
    dtype = property(lambda self: self.array.dtype)
    size = property(lambda self: self.array.size)

    def __array_ufunc__(self, ufunc, method, *inputs, **how):
        self.noted.add("numpy was asked")
        return Elsewhere(getattr(ufunc, method)(*map(inner, inputs), **how), self.noted)

    def __array__(self, dtype=None, copy=None):
        self.noted.add("it was made numpy's")
        return self.array.astype(dtype or self.array.dtype)

    def __len__(self):
        return len(self.array)

    def __neg__(self):
        return Elsewhere(-self.array, self.noted)


def inner(x):
    return x.array if isinstance(x, Elsewhere) else x


def _operator(name):
    def method(self, other):
        return Elsewhere(getattr(self.array, name)(inner(other)), self.noted)

    return method


for _name in ("add", "sub", "mul", "truediv", "pow", "lt", "le", "gt", "ge"):
    for _side in ("", "r") if not _name.endswith(("t", "e")) else ("",):
        setattr(Elsewhere, f"__{_side}{_name}__", _operator(f"__{_side}{_name}__"))


class Module:
    """numpy's functions under their own names, for arrays that live elsewhere."""

    def __init__(self):
        self.noted = set()

    def __getattr__(self, name):
        f = getattr(np, name)
        if not callable(f) or isinstance(f, type):
            return f
        return lambda *args, **how: Elsewhere(f(*map(inner, args), **how), self.noted)


def silu(xp, x):
    return 0.5 * x * (1 + xp.tanh(0.5 * x))


def silu_vjp(xp, g, x):
    s = 0.5 * (1 + xp.tanh(0.5 * x))
    return g * (s + x * s * (1 - s))


def there_and_back(answer, where, x, g):
    """The results on a machine, and what of it was done by numpy's name."""
    forward, vjp = parts(answer, "silu", "silu_vjp").values()
    xp = np if where == "numpy" else Module()
    there = (x, g) if xp is np else (Elsewhere(x, xp.noted), Elsewhere(g, xp.noted))
    with np.errstate(all="ignore"):
        out, dx = forward(xp, there[0]), vjp(xp, there[1], there[0])
    noted = sorted(xp.noted) if xp is not np else []
    return {"out": inner(out), "dx": inner(dx), "beside xp": noted}


def inputs():
    rng = np.random.default_rng(0)
    draw = lambda *shape: rng.normal(size=shape)
    return {
        "numpy, a few numbers": ("numpy", draw(5), draw(5)),
        "numpy, all ones": ("numpy", np.ones(3), np.ones(3)),
        "numpy, nothing comes back": ("numpy", draw(4), np.zeros(4)),
        "numpy, two axes": ("numpy", draw(3, 4), draw(3, 4)),
        "another machine": ("elsewhere", draw(6), draw(6)),
        "another machine, 32 bits": ("elsewhere", draw(2, 3).astype(np.float32), draw(2, 3).astype(np.float32)),
        "another machine, all ones": ("elsewhere", np.ones(2), np.ones(2)),
    }


def slope(of):
    return lambda xp, g, x: of(g, x, 0.5 * (1 + xp.tanh(0.5 * x)))


TASKS = [
    Task(
        "09.silu",
        "An operation for both machines",
        ("silu", "silu_vjp"),
        (silu, silu_vjp),
        inputs,
        (
            "Write it for numpy first, and derive the slope: it is a product of x and the sigmoid of x.",
            "The slope of the sigmoid s is s (1 − s). So that of x s is s + x s (1 − s).",
            "s = 1 / (1 + xp.exp(-x)); then x * s, and g * (s + x * s * (1 - s)).",
        ),
        (
            Mistake(
                "numpy by its name",
                "np.exp and np.tanh are numpy's, whatever the array: take them from xp.",
                (lambda xp, x: 0.5 * x * (1 + np.tanh(0.5 * x)), silu_vjp),
            ),
            Mistake(
                "the slope of the sigmoid alone",
                "x s is a product: both factors move with x, and both slopes count.",
                (silu, slope(lambda g, x, s: g * s * (1 - s))),
            ),
            Mistake(
                "the sigmoid taken for a constant",
                "It moves with x too: that is the second part, x s (1 − s).",
                (silu, slope(lambda g, x, s: g * s)),
            ),
            Mistake(
                "the gradient that comes back is left out",
                "The slope is multiplied with g, number by number.",
                (silu, slope(lambda g, x, s: s + x * s * (1 - s))),
            ),
            Mistake(
                "the sigmoid alone",
                "silu is x times the sigmoid of x.",
                (lambda xp, x: 0.5 * (1 + xp.tanh(0.5 * x)), silu_vjp),
            ),
        ),
        there_and_back,
        level=2,
        rtol=1e-6,
        atol=1e-7,
    ),
]
