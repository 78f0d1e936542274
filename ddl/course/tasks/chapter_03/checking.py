"""A check of rules that lets no wrong one pass."""

import numpy as np

from ...task import Mistake, Task

TOLERANCE = 1e-6


def agrees(forward, vjp, *inputs):
    return judged(forward, vjp, *inputs)


def judged(
    forward, vjp, *inputs, weigh=True, all_of_them=True, h=1e-5, sides=2, close=None, each=True, kind=np.float64
):
    """The check, with one thing or another done otherwise."""
    inputs = [np.array(x, dtype=kind) for x in inputs]
    out = forward(*inputs)
    g = np.random.default_rng(0).normal(size=out.shape) if weigh else np.ones(out.shape)
    close = close or (lambda exact, nudged: abs(exact - nudged) <= TOLERANCE * (1 + abs(nudged)))
    good = True
    for i, exact in enumerate(vjp(g, out, *inputs)[: None if all_of_them else 1]):
        slopes = np.empty(inputs[i].shape)
        for at in np.ndindex(inputs[i].shape):
            ends = []
            for step in (h, -h if sides == 2 else 0):
                moved = [x.copy() for x in inputs]
                moved[i][at] += step
                ends.append((forward(*moved) * g).sum())
            slopes[at] = (ends[0] - ends[1]) / (sides * h)
        exact = np.asarray(exact)
        same = close(exact, slopes) if each else close(exact.sum(), slopes.sum())
        good = good and bool(np.all(same))
    return good


def otherwise(**how):
    return lambda forward, vjp, *inputs: judged(forward, vjp, *inputs, **how)


def multiply(x, y):
    return x * y


def multiply_back(g, out, x, y):
    return g * y, g * x


def sign_of_the_second(g, out, x, y):
    return g * y, -g * x


def exp_back(g, out, x):
    return (g * out,)


def cube(x):
    return x * x * x


def cube_back(g, out, x):
    return (3 * g * x * x,)


def a_little_off(g, out, x):
    return (1.01 * g * out,)


def one_place_off(g, out, x):
    slope = g * out
    slope[-1, -1] *= 2
    return (slope,)


def centre(x):
    return x - x.mean(axis=1, keepdims=True)


def centre_back(g, out, x):
    return (g - g.mean(axis=1, keepdims=True),)


def zeros(g, out, x):
    return (np.zeros_like(x),)


def product(x, w):
    return x @ w


def product_back(g, out, x, w):
    return g @ w.T, x.T @ g


def forgets_to_transpose(g, out, x, w):
    return g @ w, x.T @ g


def exchanged(g, out, x):
    return ((g * out)[::-1],)


def rules():
    """(forward, vjp, inputs..) by what is special about them."""
    rng = np.random.default_rng(6)
    some = lambda *shape: rng.normal(size=shape)
    return {
        "a right product": (multiply, multiply_back, some(2, 3), some(2, 3)),
        "the second input has the wrong sign": (multiply, sign_of_the_second, some(2, 2), some(2, 2)),
        "a right exp": (np.exp, exp_back, some(2, 2)),
        "a right exp of large numbers": (np.exp, exp_back, np.array([[12.0, 14.0]])),
        "a right cube, at 0 as well": (cube, cube_back, np.array([[0.0, 2.0]])),
        "an exp that is off by a hundredth": (np.exp, a_little_off, some(2, 2)),
        "an exp that is off in one place": (np.exp, one_place_off, some(2, 3)),
        "an exp whose rows are exchanged": (np.exp, exchanged, some(2, 2)),
        "a right centring": (centre, centre_back, some(2, 3)),
        "a centring that sends back zeros": (centre, zeros, some(2, 3)),
        "a right matrix product": (product, product_back, some(2, 3), some(3, 2)),
        "one that forgets to transpose": (product, forgets_to_transpose, some(2, 2), some(2, 2)),
        "whole numbers": (multiply, multiply_back, np.array([[1, 2]]), np.array([[3, -4]])),
        "numbers of 32 bits": (np.exp, exp_back, some(2, 2).astype(np.float32)),
    }


TASKS = [
    Task(
        "03.gradcheck",
        "A check that no wrong rule passes",
        "agrees",
        agrees,
        rules,
        (
            "Begin with 64-bit copies of the inputs and a random g of the shape of the result. The number to nudge is "
            "(forward(..) * g).sum().",
            "For each input, and each place of it: move it by h and by −h. The difference over 2h should agree with "
            "what vjp(g, out, *inputs) gives for that input, in that place.",
            "Agree means |exact − nudged| ≤ 1e-6 · (1 + |nudged|), in every place of every input. h = 1e-5.",
        ),
        (
            Mistake(
                "the plain sum of the outputs",
                "With g = 1 a rule can be wrong where the outputs' sum does not move: weigh them with random numbers.",
                otherwise(weigh=False),
            ),
            Mistake(
                "the first input alone",
                "Each input has a gradient, and each may be wrong.",
                otherwise(all_of_them=False),
            ),
            Mistake(
                "as close for large slopes as for small ones",
                "A slope of a million has fewer digits behind the point: the tolerance has to grow with it.",
                otherwise(close=lambda exact, nudged: abs(exact - nudged) <= 1e-8),
            ),
            Mistake(
                "nudged to one side",
                "One side is off by h/2 times the curvature, more than the tolerance: nudge to both.",
                otherwise(sides=1),
            ),
            Mistake(
                "too generous",
                "A rule that is off by a hundredth is a wrong rule; two-sided nudges have eight digits or so.",
                otherwise(close=lambda exact, nudged: abs(exact - nudged) <= 0.1 * (1 + abs(nudged))),
            ),
            Mistake(
                "sums are compared",
                "Errors of opposite sign cancel in a sum: compare place by place.",
                otherwise(each=False),
            ),
            Mistake(
                "whole numbers stay whole",
                "A whole number cannot be nudged by a hundred-thousandth: make copies of 64 bits first.",
                otherwise(kind=None),
            ),
        ),
        level=3,
    ),
]
