"""How far a step goes: limits, first steps, momentum, schedules, clipping."""

import numpy as np

from ...task import Mistake, Task, itself, once


def best(least, largest):
    low, high = least**0.5, largest**0.5
    return (2 / (high + low)) ** 2, ((high - low) / (high + low)) ** 2


def factor(step, warmup, decay, total):
    if step < warmup:
        return (step + 1) / warmup
    return max(0.0, min(1.0, (total - step) / decay))


def at_steps(answer, steps, warmup, decay, total):
    """{step: factor}"""
    return {step: answer(step, warmup, decay, total) for step in steps}


def clipped(gradients, c):
    norm = float(sum((g**2).sum() for g in gradients)) ** 0.5
    return [g * min(1.0, c / norm) if norm else g.copy() for g in gradients]


def by(measure, gradients, c):
    """The same by another measure of how long the gradients are."""
    size = float(measure(gradients))
    return [g * min(1.0, c / size) if size else g.copy() for g in gradients]


def norm(g):
    return float((g**2).sum()) ** 0.5


def in_place(gradients, c):
    for g, new in zip(gradients, clipped(gradients, c)):
        g[...] = new
    return gradients


def always(gradients, c):
    size = norm(np.concatenate([g.ravel() for g in gradients]))
    return [g * (c / size if size else 1.0) for g in gradients]


def gradients():
    """(gradients, c) by what is special about them."""
    rng = np.random.default_rng(4)

    def case(*shapes, c=1.0, size=1.0, kind=np.float64):
        return [(size * rng.normal(size=shape)).astype(kind) for shape in shapes], c

    return {
        "one array, too long": ([np.array([3.0, -4.0])], 1.0),
        "one number, too long": ([np.array([5.0])], 2.0),
        "short enough": case((2, 2), (2,), size=0.1),
        "a weight and a bias, too long": case((3, 2), (3,), c=0.5),
        "a quiet one and a loud one": ([np.array([0.5]), np.array([[60.0, -80.0]])], 1.0),
        "each is short, together they are long": ([np.array([0.8]), np.array([-0.8]), np.array([[0.6]])], 1.0),
        "all zeros": ([np.zeros((2, 2)), np.zeros(2)], 1.0),
        "32 bits": case((4, 3), (4,), c=1.0, kind=np.float32),
    }


TASKS = [
    Task(
        "06.limit",
        "The largest rate",
        "largest_rate",
        2 / 20,
        once,
        (
            "The gradient is (6 a, 20 b). By what does one step of rate η multiply a and b?",
            "By 1 − 6 η and 1 − 20 η. Each must lie between −1 and 1.",
            "1 − 20 η > −1 gives the smaller bound: η < 2 / 20.",
        ),
        (
            Mistake(
                "the coefficient for the curvature",
                "The slope of 10 b² is 20 b: the curvature is the second derivative, twice the coefficient.",
                2 / 10,
            ),
            Mistake("the flat direction", "Every direction must come to rest, and the steepest sets the limit.", 2 / 6),
            Mistake(
                "where the step just reaches the bottom",
                "At 1/λ the steep direction arrives in one step. It may overshoot, as long as the factor is above −1.",
                1 / 20,
            ),
            Mistake(
                "the best rate",
                "2 / (6 + 20) makes both factors equal in size. It is the best, not the largest one.",
                2 / 26,
            ),
        ),
        itself,
    ),
    Task(
        "06.first",
        "Adam's first step",
        "w",
        1.1,
        once,
        (
            "After one step m = 0.1 g and v = 0.001 g². What do the hats make of them?",
            "m̂ = g and v̂ = g². So the step is the rate, in the direction against the sign of g.",
            "The gradient is negative, so w grows by the rate: 1 + 0.1.",
        ),
        (
            Mistake("uphill", "The step goes against the gradient: where that is negative, w grows.", 0.9),
            Mistake("the step of SGD", "Adam divides by √v̂, the size of the gradient itself.", 1 + 0.1 * 20),
            Mistake(
                "the factor of 1000 left out, and SGD's step",
                "Adam's first step does not hang on the size of the gradient at all.",
                1 + 0.1 * 0.02,
            ),
            Mistake(
                "the hats are forgotten",
                "m and v begin at 0 and are too small at first, by 0.1 and 0.001: the hats divide by that.",
                1 + 0.1 * 0.1 / 0.001**0.5,
            ),
        ),
        itself,
        rtol=1e-4,
    ),
    Task(
        "06.clip",
        "Find the bug: a clip that turns",
        "clipped",
        clipped,
        gradients,
        (
            "All arrays are one long vector, cut into pieces. What is its norm, when you know that of each piece?",
            "Squares add up: add the squares of all entries of all arrays, and take one root.",
            "norm = float(sum((g**2).sum() for g in gradients)) ** 0.5; then every g times min(1.0, c / norm). "
            "float() keeps arrays of 32 bits as they are. A norm of 0 needs no clip.",
        ),
        (
            Mistake(
                "each array by itself",
                "Loud and quiet arrays are shortened by different factors, and so the whole is turned: one factor for "
                "all.",
                lambda gradients, c: [by(lambda one: norm(one[0]), [g], c)[0] for g in gradients],
            ),
            Mistake(
                "element by element",
                "That turns the gradient as well: it is the clip by value.",
                lambda gradients, c: [np.clip(g, -c, c) for g in gradients],
            ),
            Mistake(
                "a short gradient is made longer",
                "A clip only shortens: the factor is never above 1.",
                always,
            ),
            Mistake(
                "norms are added",
                "Squares add up, norms do not: one root, of the sum of all squares.",
                lambda gradients, c: by(lambda all: sum(map(norm, all)), gradients, c),
            ),
            Mistake(
                "the square of the norm",
                "The norm is the root of the sum of squares.",
                lambda gradients, c: by(lambda all: sum(norm(g) ** 2 for g in all), gradients, c),
            ),
            Mistake(
                "the largest of the norms",
                "Three short pieces can make a long vector.",
                lambda gradients, c: by(lambda all: max(map(norm, all)), gradients, c),
            ),
            Mistake("what was given is changed", "Return new arrays.", in_place),
        ),
        level=2,
        rtol=1e-5,
    ),
    Task(
        "06.momentum",
        "The best momentum of a valley",
        "best",
        best,
        lambda: {
            "the chapter's valley": (1.0, 25.0),
            "a round bowl": (1.0, 1.0),
            "a round, steep bowl": (4.0, 4.0),
            "from 9 to 16": (9.0, 16.0),
            "from 0.5 to 200": (0.5, 200.0),
            "from 1 to 10,000": (1.0, 10_000.0),
        },
        (
            "With r = √μ the two ends are (1 − r)² = η λ₁ and (1 + r)² = η λ₂. Take roots of both.",
            "1 − r = √(η λ₁) and 1 + r = √(η λ₂). Their sum has no r, their difference gives r.",
            "√η = 2 / (√λ₂ + √λ₁) and √μ = (√λ₂ − √λ₁) / (√λ₂ + √λ₁). Both come back squared.",
        ),
        (
            Mistake(
                "√μ for μ",
                "The roots have size √μ: what the optimizer takes is its square.",
                lambda least, largest: (best(least, largest)[0], best(least, largest)[1] ** 0.5),
            ),
            Mistake(
                "√η for η",
                "Taking roots of both ends gives √η: square it.",
                lambda least, largest: (best(least, largest)[0] ** 0.5, best(least, largest)[1]),
            ),
            Mistake(
                "the ratio of the curvatures without its root",
                "Both ends of the range are squares: the roots of the curvatures go into the formula.",
                lambda least, largest: (best(least, largest)[0], ((largest - least) / (largest + least)) ** 2),
            ),
            Mistake(
                "the best rate of plain descent",
                "With momentum the rate may be larger than 2/(λ₁ + λ₂), nearly twice as large.",
                lambda least, largest: (2 / (least + largest), best(least, largest)[1]),
            ),
        ),
        level=2,
    ),
    Task(
        "06.schedule",
        "Up, level, down",
        "factor",
        factor,
        lambda: {
            "on the level part": ([10, 11, 50, 80], 10, 20, 100),
            "the way up": ([0, 1, 5, 9], 10, 20, 100),
            "the way down": ([79, 80, 81, 90, 99], 10, 20, 100),
            "beyond the end": ([100, 101, 150], 10, 20, 100),
            "no warm-up": ([0, 1, 49], 0, 10, 60),
            "a warm-up of one step": ([0, 1, 2], 1, 10, 60),
            "down from the end of the warm-up": ([3, 4, 5, 7, 9], 4, 6, 10),
            "down in one step": ([48, 49, 50], 5, 1, 50),
        },
        (
            "Three pieces: `(step + 1) / warmup` while step < warmup, then 1, then a line down to 0.",
            "The line down is 1 at step total − decay and 0 at step total: (total − step) / decay.",
            "Past the warm-up: max(0.0, min(1.0, (total - step) / decay)).",
        ),
        (
            Mistake(
                "the first step stands still",
                "Steps count from 0: with step / warmup the first one moves nothing.",
                lambda step, warmup, decay, total: (
                    step / warmup if step < warmup else factor(step, warmup, decay, total)
                ),
            ),
            Mistake(
                "the last step stands still",
                "The last step is number total − 1 and still moves, by 1 / decay; at step total the factor is 0.",
                lambda step, warmup, decay, total: (
                    factor(step, warmup, decay, total) if step < warmup else factor(step + 1, warmup, decay, total)
                ),
            ),
            Mistake(
                "below zero beyond the end",
                "A run that goes on too long would go uphill: from step total on the factor stays 0.",
                lambda step, warmup, decay, total: (
                    (step + 1) / warmup if step < warmup else min(1.0, (total - step) / decay)
                ),
            ),
            Mistake(
                "no level part",
                "The fall takes the last `decay` steps; until then the factor stays 1.",
                lambda step, warmup, decay, total: factor(step, warmup, total - warmup, total),
            ),
            Mistake(
                "it stays up beyond the end",
                "From step total on the factor is 0.",
                lambda step, warmup, decay, total: 1.0 if step >= total else factor(step, warmup, decay, total),
            ),
        ),
        at_steps,
        level=2,
    ),
]
