"""Two numbers that depth decides: how many paths a gradient has, and how much a stack multiplies it by."""

from ...task import Mistake, Task, itself, once

TASKS = [
    Task(
        "13.paths",
        "Paths that go through few",
        "few",
        301,
        once,
        (
            "How many halves have 12 blocks? At each of them a path goes past or through.",
            "Through none of the 24 there is 1 path, through exactly one there are 24. Through exactly two, as many as "
            "there are pairs.",
            "1 + 24 + 24 · 23 / 2.",
        ),
        (
            Mistake("blocks were counted for halves", "Each block adds twice: 12 blocks are 24 halves.", 79),
            Mistake("exactly two", "At most two: those through one, and the one through none, count as well.", 276),
            Mistake("the path past all is left out", "The path through no half is a path too: g itself.", 300),
            Mistake("an order of two", "A path through two halves takes them in one order: 24 · 23 / 2.", 577),
            Mistake("all paths", "That is how many there are in all: asked for are those through at most two.", 2**24),
        ),
        itself,
    ),
    Task(
        "13.growth",
        "Forty-eight blocks",
        "ratio",
        (1 + 0.43 * 96) ** 0.5,
        once,
        (
            "Which of the four laws is that of pre-norm, and what is M for 48 blocks?",
            "M = 96, and the mean square of the gradient grows by 1 + c M.",
            "The root mean square grows by its root: √(1 + 0.43 · 96).",
        ),
        (
            Mistake("the mean square", "Asked for is the root mean square: take the root.", 1 + 0.43 * 96),
            Mistake("blocks for halves", "A block adds twice: M = 2 · 48.", (1 + 0.43 * 48) ** 0.5),
            Mistake(
                "a power of depth",
                "That is the law without a norm: (1 + c) for each half. In pre-norm it is 1 + c M.",
                1.43**48,
            ),
            Mistake("the law of post-norm", "In post-norm the size stays; here the norm stands before f.", 1.0),
            Mistake("it shrinks", "The gradient is larger at the first block, where the stream is small.", 0.1538),
        ),
        itself,
        rtol=5e-3,
    ),
]
