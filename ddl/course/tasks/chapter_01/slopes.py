"""Local slopes, found on paper and by nudging."""

import math

from ...task import Mistake, Task

PAIRS = {
    "ones": (1.0, 1.0),
    "small": (2.0, 3.0),
    "negative": (-1.5, 4.0),
    "a zero": (0.0, 2.0),
    "the same twice": (3.0, 3.0),
    "below one": (0.5, 0.25),
}


def product_slopes(a, b):
    return b, a


def divide(a, b):
    return a / b, 1 / b, -a / (b * b)


def nudge(f, x, h=1e-5):
    return (f(x + h) - f(x - h)) / (2 * h)


def tanh_slope(out):
    return 1 - out * out


TASKS = [
    Task(
        "01.product",
        "The slopes of a product",
        "product_slopes",
        product_slopes,
        lambda: PAIRS,
        (
            "Leave b alone and move a by h: by how much does a·b move?",
            "(a + h)·b is a·b + h·b. For each step of a the product makes b steps.",
            "Return two numbers, first the slope in a, then the slope in b. Each is the other factor.",
        ),
        (
            Mistake(
                "each factor as its own slope", "When a moves, the product moves b times as far.", lambda a, b: (a, b)
            ),
            Mistake(
                "the slopes of a sum", "A sum moves one step for one step; a product does not.", lambda a, b: (1.0, 1.0)
            ),
            Mistake("one slope for both", "a and b have a slope each: return two numbers.", lambda a, b: (b, b)),
        ),
    ),
    Task(
        "01.divide",
        "A division and its two slopes",
        "divide",
        divide,
        lambda: PAIRS,
        (
            "a / b is a times 1/b. You know the slopes of a product; what is missing is the slope of 1/b in b.",
            "1/(b + h) − 1/b is −h / (b·(b + h)). Divide by h and let h go to zero.",
            "Return three numbers: a / b, then 1 / b, then −a / b².",
        ),
        (
            Mistake(
                "the minus is missing",
                "A larger b makes the quotient smaller, so its slope in b has the opposite sign.",
                lambda a, b: (a / b, 1 / b, a / (b * b)),
            ),
            Mistake(
                "the slope in b is that of 1/b alone",
                "The quotient is a times 1/b, so a is a factor of its slope.",
                lambda a, b: (a / b, 1 / b, -1 / (b * b)),
            ),
            Mistake(
                "b instead of its square",
                "1/b falls with 1/b², not with 1/b: check it at b = 2 with a small nudge.",
                lambda a, b: (a / b, 1 / b, -a / b),
            ),
        ),
    ),
    Task(
        "01.nudge",
        "A better nudge",
        "nudge",
        nudge,
        lambda: {
            "a constant": (lambda x: 5.0, 1.0),
            "a square": (lambda x: x * x, 3.0),
            "a cube": (lambda x: x * x * x, -2.0),
            "a sine": (math.sin, 1.0),
            "an exponential": (math.exp, 0.5),
            "a wider nudge": (math.exp, 0.5, 0.1),
        },
        (
            "Nudge to both sides: compare f(x + h) with f(x − h).",
            "Those two points are 2h apart, not h.",
            "(f(x + h) − f(x − h)) / (2·h)",
        ),
        (
            Mistake(
                "a nudge to one side",
                "It is off by h times half the curvature; nudging to both sides cancels that.",
                lambda f, x, h=1e-5: (f(x + h) - f(x)) / h,
            ),
            Mistake(
                "divided by h",
                "The two points are 2h apart, so the slope comes out twice too large.",
                lambda f, x, h=1e-5: (f(x + h) - f(x - h)) / h,
            ),
            Mistake(
                "the points exchanged",
                "What comes after, less what came before: f(x + h) − f(x − h).",
                lambda f, x, h=1e-5: (f(x - h) - f(x + h)) / (2 * h),
            ),
            Mistake("h is ignored", "The size of the nudge is a parameter: use h.", lambda f, x, h=1e-5: nudge(f, x)),
        ),
        level=2,
        rtol=1e-8,
    ),
    Task(
        "01.tanh",
        "The slope of tanh from its value",
        "tanh_slope",
        tanh_slope,
        lambda: {f"tanh of {x}": (math.tanh(x),) for x in (0.0, 0.5, -2.0, 4.0, 40.0)},
        (
            "tanh x is u / v with u = eˣ − e⁻ˣ and v = eˣ + e⁻ˣ. What are the slopes of u and of v?",
            "The slope of u is v and that of v is u. So the slope of u / v is (v·v − u·u) / v².",
            "(v² − u²) / v² is 1 − (u/v)², and u/v is the output itself.",
        ),
        (
            Mistake(
                "a plus for the minus",
                "tanh is steepest at 0 and flat far out: the square is taken away.",
                lambda out: 1 + out * out,
            ),
            Mistake(
                "not squared", "Try out = −0.5: the slope of tanh is the same on both sides of 0.", lambda out: 1 - out
            ),
            Mistake(
                "computed from the output as if it were the input",
                "What you get is tanh x already: no further tanh is needed.",
                lambda out: 1 - math.tanh(out) ** 2,
            ),
        ),
        level=2,
    ),
]
