"""Numbers that are copied on the way forward, and add up on the way back."""

import numpy as np

from ...task import Mistake, Task


def rows_back(g, table, ids):
    out = np.zeros_like(table)
    np.add.at(out, ids, g)
    return out


def rows_that_forget(g, table, ids):
    out = np.zeros_like(table)
    out[ids] += g
    return out


def tables():
    """(g, table, ids) by what is special about them."""
    rng = np.random.default_rng(1)

    def case(rows, width, ids, kind=np.float64):
        ids = np.array(ids, dtype=np.int64)
        return rng.normal(size=(*ids.shape, width)).astype(kind), rng.normal(size=(rows, width)).astype(kind), ids

    return {
        "a row each": case(3, 2, [2, 0, 1]),
        "one row of one number": case(1, 1, [0]),
        "a row that nobody asked for": case(4, 3, [3, 1]),
        "a row asked for twice": case(4, 3, [1, 3, 1]),
        "the same row each time": case(2, 2, [1, 1, 1, 1]),
        "two sentences of three words": case(5, 4, [[4, 0, 0], [2, 4, 4]]),
        "a table of zeros": (np.ones((2, 2)), np.zeros((3, 2)), np.array([1, 2])),
        "no row": case(3, 2, []),
        "32 bits": case(3, 2, [2, 2, 1], np.float32),
    }


def windows(x, size):
    return np.lib.stride_tricks.sliding_window_view(x, size)


def windows_back(g, n):
    out = np.zeros(n, g.dtype)
    for start, window in enumerate(g):
        out[start : start + len(window)] += window
    return out


def copied(x, size):
    return windows(x, size).copy()


def without_the_last(x, size):
    return windows(x[:-1], size)


def side_by_side(x, size):
    return x[: x.size // size * size].reshape(-1, size)


def overwritten(g, n):
    out = np.zeros(n, g.dtype)
    for start, window in enumerate(g):
        out[start : start + len(window)] = window
    return out


def averaged(g, n):
    return windows_back(g, n) / windows_back(np.ones_like(g), n)


def turned_round(g, n):
    return windows_back(g[:, ::-1], n)


def both(answer, x, size, g):
    """The windows, whether they are a view, and what comes back to x where g comes back to them."""
    forward, back = answer
    out = forward(x, size)
    view = {"share the memory of x": bool(np.shares_memory(out, x))} if size > 1 else {}
    return {"windows": np.array(out)} | view | {"back": back(g, x.size)}


def signals():
    """(x, size, g) by what is special about them."""
    waves = {
        "windows of one": (np.array([1.0, -2.0, 3.0]), 1),
        "a single window": (np.array([1.0, 2.0, 4.0]), 3),
        "two of four": (np.array([1.0, 2.0, 4.0, 8.0]), 2),
        "three of seven": (np.arange(7.0) ** 2, 3),
        "walked backwards": (np.arange(6.0)[::-1], 2),
        "every other number": (np.arange(10.0)[::2], 3),
    }
    g = np.random.default_rng(4).normal
    return {name: (x, size, g(size=windows(x, size).shape).round(1)) for name, (x, size) in waves.items()}


TASKS = [
    Task(
        "03.rows",
        "Find the bug: rows that were asked for twice",
        "rows_back",
        rows_back,
        tables,
        (
            "Ask for the same row three times with g = 1. What should come back to it, and what does?",
            "`out[ids] += g` reads all the rows, adds, and then writes them all: of equal ids, the last one stays.",
            "np.add.at(out, ids, g) adds one after the other; a loop over ids.ravel() and the rows of g does it too.",
        ),
        (
            Mistake(
                "the last of equal ids stays",
                "Each use of a row sends a gradient, and they add up; `out[ids] += g` writes a row once only.",
                rows_that_forget,
            ),
            Mistake(
                "a mean over the uses",
                "Gradients over several uses add up; they are not averaged.",
                lambda g, table, ids: rows_back(g, table, ids) / np.maximum(rows_back(np.ones_like(g), table, ids), 1),
            ),
            Mistake(
                "a row too far",
                "Ids count from 0.",
                lambda g, table, ids: np.roll(rows_back(g, table, ids), 1, axis=0),
            ),
            Mistake(
                "added to the table",
                "The gradient begins at zero; the values of the table are not part of it.",
                lambda g, table, ids: table + rows_back(g, table, ids),
            ),
        ),
        level=2,
        rtol=1e-5,
        atol=1e-7,
    ),
    Task(
        "03.windows",
        "Windows without a copy, and back",
        ("windows", "windows_back"),
        (windows, windows_back),
        signals,
        (
            "A window starts one further than the one before. So both axes of the result walk with the stride of x.",
            "np.lib.stride_tricks.sliding_window_view(x, size) makes that view. Back: a window's gradient belongs to "
            "the numbers that it has read, and what is read twice adds up.",
            "out = np.zeros(n); for each start and row of g: out[start : start + size] += row.",
        ),
        (
            Mistake(
                "a copy",
                "The windows overlap, so a copy holds each number several times; a view holds none anew.",
                (copied, windows_back),
            ),
            Mistake(
                "the gradient overwrites",
                "A number that stands in several windows hears from all of them: +=.",
                (windows, overwritten),
            ),
            Mistake(
                "a mean over the windows",
                "What comes back from several windows adds up; it is not averaged.",
                (windows, averaged),
            ),
            Mistake(
                "turned round within the window",
                "The first number of a window gets the first number of its gradient.",
                (windows, turned_round),
            ),
        ),
        both,
        level=2,
    ),
]
