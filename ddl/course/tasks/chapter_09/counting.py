"""What moves: passes over memory, lines of it, and the time that both ceilings allow."""

import math

import numpy as np

from ...task import Mistake, Task, itself, once


def least(flops, nbytes, peak, bandwidth):
    return max(flops / peak, nbytes / bandwidth)


def lines(start, shape, strides, line=64):
    places = start + sum(stride * at for stride, at in zip(strides, np.indices(shape)))
    return len(np.unique(places // line))


def by_row(start, shape, strides, line=64):
    """Each row of the last axis by itself, so that a line that two rows share counts twice."""
    firsts = start + sum(s * at for s, at in zip(strides[:-1], np.indices(shape[:-1])))
    return sum(lines(int(first), shape[-1:], strides[-1:], line) for first in np.ravel(firsts))


def reach(start, shape, strides, line=64):
    """All lines from the first number to the last."""
    steps = [stride * (n - 1) for n, stride in zip(shape, strides)]
    lowest, highest = start + sum(min(s, 0) for s in steps), start + sum(max(s, 0) for s in steps)
    return highest // line - lowest // line + 1


TASKS = [
    Task(
        "09.passes",
        "Passes of a softmax",
        "passes",
        8,
        once,
        (
            "Go through the operations one by one: which arrays as large as x does each read, which does it write?",
            "There are five: max, minus, exp, sum, divide. What a maximum or a sum writes is one number a row.",
            "max 1, minus 2, exp 2, sum 1, divide 2.",
        ),
        (
            Mistake("what is written was forgotten", "An array that is written crosses the memory's door as well.", 5),
            Mistake("only what is written", "Each operation has to fetch what it works on first.", 3),
            Mistake(
                "a whole array for each maximum and sum",
                "They read a whole array, and write one number a row: that is next to nothing.",
                10,
            ),
            Mistake(
                "what a single kernel would need", "That is for one that fuses all five. Here each walks by itself.", 2
            ),
        ),
        itself,
    ),
    Task(
        "09.least",
        "The least time",
        "least",
        least,
        lambda: {
            "x + y of a million": (1e6, 12e6, 1e12, 1e11),
            "a product of matrices": (2e9, 12e6, 1e12, 1e11),
            "at the corner": (1e9, 1e8, 1e12, 1e11),
            "a copy": (0, 8e6, 1e12, 1e11),
            "a slow processor": (1e6, 12e6, 1e9, 1e11),
            "numbers already there": (1e9, 0, 1e12, 1e11),
        },
        (
            "How long would the arithmetic take if nothing had to be moved? And the moving alone?",
            "Both go on at the same time, so the longer of the two decides.",
            "max(flops / peak, bytes / bandwidth)",
        ),
        (
            Mistake(
                "both added up",
                "The processor computes while it moves: not one after the other, but at the same time.",
                lambda flops, nbytes, peak, bandwidth: flops / peak + nbytes / bandwidth,
            ),
            Mistake(
                "the memory alone",
                "Where there is much to compute for each byte, the arithmetic takes longer.",
                lambda flops, nbytes, peak, bandwidth: nbytes / bandwidth,
            ),
            Mistake(
                "the arithmetic alone",
                "Where there is little to compute for each byte, the memory takes longer.",
                lambda flops, nbytes, peak, bandwidth: flops / peak,
            ),
            Mistake(
                "the shorter one",
                "It is not done before both are done: the longer one decides.",
                lambda flops, nbytes, peak, bandwidth: min(flops / peak, nbytes / bandwidth),
            ),
        ),
    ),
    Task(
        "09.lines",
        "Lines of memory that a view touches",
        "lines",
        lines,
        lambda: {
            "16 numbers in a row": (0, (16,), (4,)),
            "17 numbers in a row": (0, (17,), (4,)),
            "a row that begins within a line": (40, (16,), (4,)),
            "a column of 8 in rows of 64": (0, (8,), (256,)),
            "every 4th number": (0, (16,), (16,)),
            "short rows, two in a line": (0, (4, 8), (32, 4)),
            "a block of 3 x 20 in rows of 64": (128, (3, 20), (256, 4)),
            "transposed": (0, (16, 4), (4, 64)),
            "backwards": (252, (64,), (-4,)),
            "one row, repeated": (0, (5, 16), (0, 4)),
            "one number": (60, (1,), (4,)),
        },
        (
            "First find the place of every number, in bytes: start, and stride times index for each axis.",
            "np.indices(shape) gives the index along each axis. The line of a place is place // 64.",
            "Add start and the sum of stride * index over the axes; then len(np.unique(places // 64)).",
        ),
        (
            Mistake(
                "as if all lay together",
                "So many lines are enough only where the numbers lie side by side, from the beginning of a line.",
                lambda start, shape, strides: max(1, -(-4 * math.prod(shape) // 64)),
            ),
            Mistake(
                "a line for each number",
                "Neighbours share a line: count each line once.",
                lambda start, shape, strides: math.prod(shape),
            ),
            Mistake(
                "where it begins is forgotten",
                "A row that begins within a line reaches into one more.",
                lambda start, shape, strides: lines(0, shape, strides),
            ),
            Mistake(
                "all from the first to the last",
                "Between two numbers that lie far apart are lines that nobody touches.",
                reach,
            ),
            Mistake(
                "each row for itself",
                "Two rows may share a line, or be the same memory: count each line once.",
                by_row,
            ),
        ),
        level=2,
    ),
]
