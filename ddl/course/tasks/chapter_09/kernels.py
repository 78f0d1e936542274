"""Threads and blocks: whose number is whose, a tree for any size, and a softmax's sums in one walk."""

import numpy as np

from ...task import Mistake, Task, parts

SPARE = 64


def scale_thread(block, thread, threads, x, factor, out, rows, width):
    i = block * threads + thread
    if i < rows * width:
        out[i] = x[i] * factor[i // width]


def launched(answer, rows, width, threads):
    """What all threads together write, in an order that nobody promised, with other people's memory behind it."""
    rng, n = np.random.default_rng(3), rows * width
    x, factor = rng.normal(size=n + SPARE), rng.normal(size=n + SPARE)
    out = np.full(n + SPARE, np.nan)
    blocks = -(-n // threads)
    for at in rng.permutation(blocks * threads):
        answer(int(at) // threads, int(at) % threads, threads, x, factor, out, rows, width)
    beyond = int(np.isfinite(out[n:]).sum())
    return {"out": np.nan_to_num(out[:n], nan=-999.0), "numbers written behind the array": beyond}


def numbered(number, end=lambda rows, width: rows * width, row=lambda i, width: i // width):
    """A thread that finds its number, the end or the row in some other way."""

    def thread_of(block, thread, threads, x, factor, out, rows, width):
        i = number(block, thread, threads, width)
        if i < end(rows, width):
            out[i] = x[i] * factor[row(i, width)]

    return thread_of


def usual(block, thread, threads, width):
    return block * threads + thread


def tree(part, join):
    part, n = part.copy(), len(part)
    while n > 1:
        half = (n + 1) // 2
        part[: n - half] = join(part[: n - half], part[half:n])
        n = half
    return part[0]


def joined(answer, part, name):
    """The result, and how many times whole arrays were joined."""
    f, calls = {"sum": np.add, "largest": np.maximum}[name], []

    def join(a, b):
        calls.append(1)
        return f(a, b)

    return {"result": answer(part, join), "steps": len(calls)}


def halves(part, join):
    part, half = part.copy(), len(part) // 2
    while half > 0:
        part[:half] = join(part[:half], part[half : 2 * half])
        half //= 2
    return part[0]


def middle_twice(part, join):
    part, n = part.copy(), len(part)
    while n > 1:
        half = (n + 1) // 2
        part[:half] = join(part[:half], part[n - half : n])
        n = half
    return part[0]


def one_by_one(part, join):
    total = part[0]
    for p in part[1:]:
        total = join(total, p)
    return total


def odd_aside(part, join):
    """The last number of an odd row is added at once, in a step of its own."""
    part, n = part.copy(), len(part)
    while n > 1:
        if n % 2:
            part[0] = join(part[0], part[n - 1])
        n //= 2
        part[:n] = join(part[:n], part[n : 2 * n])
    return part[0]


def running(blocks):
    m, s = -np.inf, 0.0
    for block in blocks:
        new = max(m, block.max())
        s = s * np.exp(m - new) + np.exp(block - new).sum()
        m = new
    return float(m), float(s)


def walked(answer, *blocks):
    """The two numbers of one walk: each block is handed over once."""
    with np.errstate(all="ignore"):
        return parts(answer(iter(blocks)), "m", "s")


def other(start=-np.inf, again=lambda s, m, new: s * np.exp(m - new), top=lambda m, block: max(m, block.max())):
    def walk(blocks):
        m, s = start, 0.0
        for block in blocks:
            new = top(m, block)
            s = again(s, m, new) + np.exp(block - new).sum()
            m = new
        return float(m), float(s)

    return walk


def unshifted(blocks):
    rows = [*blocks]
    return float(max(b.max() for b in rows)), float(sum(np.exp(b).sum() for b in rows))


TASKS = [
    Task(
        "09.thread",
        "Whose number is it",
        "scale_thread",
        scale_thread,
        lambda: {
            "1 x 1, blocks of 1": (1, 1, 1),
            "2 x 4, blocks of 4": (2, 4, 4),
            "4 x 8, blocks of 8": (4, 8, 8),
            "3 x 3, blocks of 3": (3, 3, 3),
            "3 x 5, blocks of 4": (3, 5, 4),
            "5 x 3, blocks of 8": (5, 3, 8),
            "1 x 7, blocks of 8": (1, 7, 8),
            "6 x 1, blocks of 4": (6, 1, 4),
        },
        (
            "As in the chapter, block and thread give i. In which row does number i lie, if a row has width numbers?",
            "The row is i // width. How many numbers are there, and which threads have none?",
            "i = block * threads + thread; if i < rows * width: out[i] = x[i] * factor[i // width]",
        ),
        (
            Mistake(
                "no end",
                "The last block is not full: a thread with i beyond rows * width has nothing to do, or it writes into "
                "what lies behind the array.",
                numbered(usual, end=lambda rows, width: np.inf),
            ),
            Mistake(
                "one thread too many",
                "The numbers are 0 to rows * width − 1, so i has to be less than rows * width.",
                numbered(usual, end=lambda rows, width: rows * width + 1),
            ),
            Mistake(
                "the column for the row",
                "i % width says where in its row a number lies; i // width says which row it is.",
                numbered(usual, row=lambda i, width: i % width),
            ),
            Mistake(
                "a block for a row",
                "Blocks have as many threads as somebody chose, and rows as many numbers as they have.",
                numbered(lambda block, thread, threads, width: block * width + thread),
            ),
            Mistake(
                "thread and block exchanged",
                "In front of this thread are block whole blocks, of `threads` numbers each.",
                numbered(lambda block, thread, threads, width: thread * threads + block),
            ),
        ),
        launched,
        level=2,
    ),
    Task(
        "09.tree",
        "Find the bug: a tree for powers of two",
        "tree",
        tree,
        lambda: {
            f"{name} of {n}{', 32 bits' if kind == np.float32 else ''}": (
                np.random.default_rng(n).normal(size=n).astype(kind),
                name,
            )
            for n, name, kind in (
                (1, "sum", float),
                (2, "sum", float),
                (8, "largest", float),
                (256, "sum", float),
                (3, "sum", float),
                (5, "largest", float),
                (7, "sum", float),
                (100, "sum", np.float32),
                (257, "sum", float),
            )
        },
        (
            "Give it 3 numbers, and write down which are joined. Which one is never looked at?",
            "After a step as many are left as the larger half has: (n + 1) // 2. An odd one waits for the next step.",
            "While n > 1: half = (n + 1) // 2; join part[:n - half] with part[half:n] into part[:n - half]; n = half.",
        ),
        (
            Mistake("the odd one is lost", "Where n is odd, n // 2 twice is one less than n.", halves),
            Mistake(
                "the one in the middle twice",
                "Where n is odd, the two halves must not overlap: the middle one would be joined with itself.",
                middle_twice,
            ),
            Mistake(
                "one after the other",
                "The result is right, but one thread works while the others wait: a tree has a step for each halving.",
                one_by_one,
            ),
            Mistake(
                "a step of its own for the odd one",
                "The odd one can wait: a row of n takes no more steps than one of the next power of two.",
                odd_aside,
            ),
        ),
        joined,
        level=2,
        rtol=1e-5,
        atol=1e-6,
    ),
    Task(
        "09.running",
        "A softmax's sums in one walk",
        "running",
        running,
        lambda: {
            "one block": (np.array([1.0, 3.0, 2.0]),),
            "the largest first": (np.array([5.0, 1.0]), np.array([2.0, 3.0])),
            "the largest last": (np.array([1.0, 2.0]), np.array([4.0, 0.5])),
            "the same largest twice": (np.array([2.0, 1.0]), np.array([2.0, 0.0])),
            "all negative": (np.array([-3.0, -1.0]), np.array([-2.0])),
            "three blocks that climb": (np.array([0.0]), np.array([1.0, -1.0]), np.array([2.0, 2.0])),
            "hundreds": (np.array([800.0, 790.0]), np.array([805.0])),
            "zeros": (np.zeros(2), np.zeros(3)),
        },
        (
            "Keep two numbers: the largest so far, m, and the sum so far of exp(x − m). A new block brings a new m.",
            "The old sum was made with the old m. exp(x − new) = exp(x − m) exp(m − new): one factor mends all of it.",
            "Begin with -inf and 0. new = max(m, block.max()); s = s * exp(m - new) + exp(block - new).sum(); m = new.",
        ),
        (
            Mistake(
                "the old sum is not mended",
                "It was made with the old largest: it takes the factor exp(m − new).",
                other(again=lambda s, m, new: s),
            ),
            Mistake(
                "mended the wrong way",
                "The largest can only grow, so the old sum can only shrink: exp(m − new), not exp(new − m).",
                other(again=lambda s, m, new: s * np.exp(new - m) if s else 0.0),
            ),
            Mistake(
                "begun at 0",
                "Where all numbers are negative, 0 is larger than each: begin with minus infinity.",
                other(start=0.0),
            ),
            Mistake(
                "the largest of the last block",
                "Keep the largest of all so far, not that of the last block.",
                other(top=lambda m, block: block.max()),
            ),
            Mistake(
                "nothing subtracted",
                "exp(800) is too large for a number: the largest is subtracted before exp.",
                unshifted,
            ),
        ),
        walked,
        level=3,
    ),
]
