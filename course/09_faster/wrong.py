"""Wrong answers to the exercises of chapter 9, as learners give them, and right ones written in another way."""

import math
import statistics

import numpy as np
from answers import Answers

ANSWERS = Answers()
wrong, right = ANSWERS.wrong, ANSWERS.right

right("09.passes")(np.int64(5 + 3))
wrong("09.passes", "what is written was forgotten")(5)
wrong("09.passes", "only what is written")(3)
wrong("09.passes", "a whole array for each maximum and sum")(10)
wrong("09.passes", "what a single kernel would need")(2)
wrong("09.passes")(9)


@right("09.least")
def least(flops, nbytes, peak, bandwidth):
    by_memory, by_arithmetic = nbytes / bandwidth, flops / peak
    return by_memory if by_memory > by_arithmetic else by_arithmetic


wrong("09.least", "both added up")(lambda f, b, peak, speed: b / speed + f / peak)
wrong("09.least", "the shorter one")(lambda f, b, peak, speed: min(b / speed, f / peak))
wrong("09.least", "the memory alone")(lambda f, b, peak, speed: b / speed)
wrong("09.least", "the arithmetic alone")(lambda f, b, peak, speed: f / peak)
wrong("09.least")(lambda f, b, peak, speed: math.hypot(f / peak, b / speed))


def places(start, shape, strides):
    return [start + sum(i * s for i, s in zip(at, strides)) for at in np.ndindex(*shape)]


def all_lines(found, line=64):
    return len({place // line for place in found})


right("09.lines")(lambda start, shape, strides: all_lines(places(start, shape, strides)))
wrong("09.lines", "as if all lay together")(lambda start, shape, strides: math.ceil(4 * math.prod(shape) / 64))
wrong("09.lines", "a line for each number")(lambda start, shape, strides: int(np.prod(shape)))
wrong("09.lines", "where it begins is forgotten")(lambda start, shape, strides: all_lines(places(0, shape, strides)))


@wrong("09.lines", "all from the first to the last")
def from_first_to_last(start, shape, strides):
    found = places(start, shape, strides)
    return max(found) // 64 - min(found) // 64 + 1


@wrong("09.lines", "each row for itself")
def row_for_row(start, shape, strides):
    rows = places(start, shape[:-1], strides[:-1])
    return sum(all_lines(places(row, shape[-1:], strides[-1:])) for row in rows)


wrong("09.lines")(lambda start, shape, strides: all_lines(places(start, shape, strides), 32))
wrong("09.lines")(lambda start, shape, strides: all_lines(places(start, shape, [4 * s for s in strides])))
wrong("09.lines")(lambda start, shape, strides: all_lines(places(start, shape, strides[::-1])))


def sigmoid(xp, x):
    return 1 / (1 + xp.exp(-x))


def there(xp, x):
    return x / (1 + xp.exp(-x))


def back(xp, g, x):
    s = sigmoid(xp, x)
    return g * s * (1 + x * (1 - s))


right("09.silu")((there, back))
wrong("09.silu", "numpy by its name")((lambda xp, x: x * sigmoid(np, x), back))
wrong("09.silu", "numpy by its name")((there, lambda xp, g, x: back(np, g, x)))
wrong("09.silu", "the slope of the sigmoid alone")((there, lambda xp, g, x: g * sigmoid(xp, x) * (1 - sigmoid(xp, x))))
wrong("09.silu", "the sigmoid taken for a constant")((there, lambda xp, g, x: g * sigmoid(xp, x)))
wrong("09.silu", "the gradient that comes back is left out")((there, lambda xp, g, x: back(xp, 1.0, x)))
wrong("09.silu", "the sigmoid alone")((sigmoid, back))
wrong("09.silu")((there, lambda xp, g, x: back(xp, g, 2 - x)))
wrong("09.silu")((lambda xp, x: x * x * sigmoid(xp, x), back))


@right("09.thread")
def by_row_and_column(block, thread, threads, x, factor, out, rows, width):
    row, column = divmod(block * threads + thread, width)
    if row >= rows:
        return
    at = row * width + column
    out[at] = factor[row] * x[at]


@wrong("09.thread", "no end")
def endless(block, thread, threads, x, factor, out, rows, width):
    i = block * threads + thread
    out[i] = x[i] * factor[i // width]


@wrong("09.thread", "one thread too many")
def one_more(block, thread, threads, x, factor, out, rows, width):
    i = block * threads + thread
    if i <= rows * width:
        out[i] = x[i] * factor[i // width]


@wrong("09.thread", "the column for the row")
def columns(block, thread, threads, x, factor, out, rows, width):
    i = block * threads + thread
    if i < rows * width:
        out[i] = x[i] * factor[i % width]


@wrong("09.thread", "a block for a row")
def block_is_row(block, thread, threads, x, factor, out, rows, width):
    i = block * width + thread
    if i < rows * width:
        out[i] = x[i] * factor[i // width]


@wrong("09.thread", "thread and block exchanged")
def exchanged(block, thread, threads, x, factor, out, rows, width):
    i = thread * threads + block
    if i < rows * width:
        out[i] = x[i] * factor[i // width]


@wrong("09.thread")
def factor_of_the_block(block, thread, threads, x, factor, out, rows, width):
    i = block * threads + thread
    if i < rows * width:
        out[i] = x[i] * factor[block]


@right("09.tree")
def evens_and_odds(part, join):
    while len(part) > 1:
        pairs = join(part[0 : len(part) // 2 * 2 : 2], part[1::2])
        part = np.concatenate([pairs, part[-1:]]) if len(part) % 2 else pairs
    return part[0]


@wrong("09.tree", "the odd one is lost")
def lost(part, join):
    while len(part) > 1:
        half = len(part) // 2
        part = join(part[:half], part[half : 2 * half])
    return part[0]


@wrong("09.tree", "the one in the middle twice")
def twice(part, join):
    while len(part) > 1:
        half = -(-len(part) // 2)
        part = join(part[:half], part[-half:])
    return part[0]


@wrong("09.tree", "one after the other")
def in_a_row(part, join):
    out = part[0]
    for i in range(1, len(part)):
        out = join(out, part[i])
    return out


@wrong("09.tree", "a step of its own for the odd one")
def apart(part, join):
    part = part.copy()
    while len(part) > 1:
        if len(part) % 2:
            part[0] = join(part[0], part[-1])
            part = part[:-1]
        part = join(part[: len(part) // 2], part[len(part) // 2 :])
    return part[0]


@wrong("09.tree")
def one_step(part, join):
    half = len(part) // 2
    return join(part[:half], part[half : 2 * half])[0] if half else part[0]


def timed(warm=1, before=True, after=True):
    def times(f, wait, clock, rounds):
        found = []
        for _ in range(rounds + warm):
            if before:
                wait()
            start = clock()
            f()
            if after:
                wait()
            found.append(clock() - start)
        return found[warm:]

    return times


right("09.stopwatch")(lambda *given: float(np.median(timed()(*given))))
wrong("09.stopwatch", "nothing is waited for at the end")(lambda *given: np.median(timed(after=False)(*given)))


@wrong("09.stopwatch", "begun while earlier work was under way")
def never_before(f, wait, clock, rounds):
    f()
    return statistics.median(timed(warm=0, before=False)(f, wait, clock, rounds))


wrong("09.stopwatch", "the first call counts")(lambda *given: np.median(timed(warm=0)(*given)))
wrong("09.stopwatch", "the mean")(lambda *given: np.mean(timed()(*given)))
wrong("09.stopwatch", "the least")(lambda *given: min(timed()(*given)))
wrong("09.stopwatch")(lambda *given: max(timed()(*given)))


@wrong("09.stopwatch")
def all_together(f, wait, clock, rounds):
    f()
    wait()
    start = clock()
    for _ in range(rounds):
        f()
    wait()
    return (clock() - start) / rounds


@right("09.running")
def recursive(blocks):
    m, s = float("-inf"), 0.0
    for block in blocks:
        top = float(block.max())
        mine = float(np.exp(block - top).sum())
        m, s = (m, s + mine * np.exp(top - m)) if top <= m else (top, s * np.exp(m - top) + mine)
    return float(m), float(s)


def walk(start=-np.inf, mend=lambda m, new: np.exp(m - new), top=lambda m, block: max(m, block.max())):
    def answer(blocks):
        m, s = start, 0.0
        for block in blocks:
            new = top(m, block)
            s = (s * mend(m, new) if s else 0.0) + np.exp(block - new).sum()
            m = new
        return float(m), float(s)

    return answer


wrong("09.running", "the old sum is not mended")(walk(mend=lambda m, new: 1.0))
wrong("09.running", "mended the wrong way")(walk(mend=lambda m, new: np.exp(new - m)))
wrong("09.running", "begun at 0")(walk(start=0.0))
wrong("09.running", "the largest of the last block")(walk(top=lambda m, block: block.max()))


@wrong("09.running", "nothing subtracted")
def plainly(blocks):
    m, s = -np.inf, 0.0
    for block in blocks:
        m, s = max(m, block.max()), s + np.exp(block).sum()
    return float(m), float(s)


@wrong("09.running")
def last_block_only(blocks):
    m, s = -np.inf, 0.0
    for block in blocks:
        m = max(m, block.max())
        s = np.exp(block - m).sum()
    return float(m), float(s)
