"""Rules of shapes, and sizes with names."""

import itertools

from ...compare import kind
from ...task import Malformed, Mistake, Task


def broadcast(*shapes):
    """Aligned from the right; where sizes differ, one of them has to be 1."""
    out = []
    for sizes in itertools.zip_longest(*(shape[::-1] for shape in shapes), fillvalue=1):
        known = set(sizes) - {1} or {1}
        if len(known) > 1:
            raise ValueError(f"shapes {shapes} do not fit")
        out.insert(0, known.pop())
    return tuple(out)


def matmul_rule(a, b):
    if a[-1] != b[-2]:
        raise ValueError(f"a product of {a} and {b}: the inner sizes have to be equal")
    return (*broadcast(a[:-2], b[:-2]), a[-2], b[-1])


def verdict(answer, a, b):
    """The shape as a text, or that it was refused."""
    try:
        shape = answer(a, b)
    except ValueError:
        return {"refused": True, "shape": ""}
    if not isinstance(shape, tuple):
        raise Malformed(f"a shape is a tuple, but {kind(shape)} came")
    return {"refused": False, "shape": f"({', '.join(map(str, shape))})"}


def longer(a, b):
    if a[-1] != b[-2]:
        raise ValueError("inner sizes")
    return (*(a if len(a) >= len(b) else b)[:-2], a[-2], b[-1])


def unchecked(a, b):
    return (*broadcast(a[:-2], b[:-2]), a[-2], b[-1])


def one_fits_all(a, b):
    broadcast(a[-1:], b[-2:-1])
    return unchecked(a, b)


def equal_batches(a, b):
    if a[:-2] != b[:-2] and a[:-2] and b[:-2]:
        raise ValueError("batches")
    return matmul_rule(a, b)


def two_axes(a, b):
    matmul_rule(a, b)
    return a[-2], b[-1]


def bind(named, real):
    found = {}
    for name, shape in named.items():
        if len(shape) != len(real[name]):
            raise ValueError(f"{name} has the shape {real[name]}, but {shape} was declared")
        for declared, size in zip(shape, real[name]):
            known = found.setdefault(declared, size) if isinstance(declared, str) else declared
            if known != size:
                raise ValueError(f"{name}: {declared} is {known}, and cannot be {size}")
    return found


def bound(answer, named, real):
    """The sizes by name, or that it was refused."""
    try:
        return {"refused": False, "sizes": answer(named, real)}
    except ValueError:
        return {"refused": True, "sizes": {}}


def pairs(named, real):
    return [pair for name, shape in named.items() for pair in zip(shape, real[name])]


def the_last(named, real):
    found = {declared: size for declared, size in pairs(named, real) if isinstance(declared, str)}
    if any(len(shape) != len(real[name]) for name, shape in named.items()):
        raise ValueError("axes")
    if any(declared != size for declared, size in pairs(named, real) if isinstance(declared, int)):
        raise ValueError("numbers")
    return found


def each_by_itself(named, real):
    found = {}
    for name, shape in named.items():
        found |= bind({name: shape}, real)
    return found


def axes_let_pass(named, real):
    short = {name: shape[: len(real[name])] for name, shape in named.items()}
    return bind(short, {name: real[name][: len(shape)] for name, shape in short.items()})


def numbers_let_pass(named, real):
    free = {name: tuple(s if isinstance(s, str) else f"={name}{i}" for i, s in enumerate(shape))
            for name, shape in named.items()}  # fmt: skip
    return {name: size for name, size in bind(free, real).items() if not name.startswith("=")}


TASKS = [
    Task(
        "04.rule",
        "Find the bug: the batch of the longer one",
        "matmul_rule",
        matmul_rule,
        lambda: {
            "two matrices": ((4, 3), (3, 5)),
            "a batch on the left": ((7, 4, 3), (3, 5)),
            "a batch on the right": ((4, 3), (7, 3, 5)),
            "the same batch": ((7, 4, 3), (7, 3, 5)),
            "a 1 that is stretched": ((1, 4, 3), (7, 3, 5)),
            "two batches that stretch each other": ((8, 1, 4, 3), (6, 3, 5)),
            "names": (("B", "T", 32), (32, "V")),
            "names of heads": (("B", 1, "T", "D"), ("H", "D", "T")),
            "other inner sizes": ((4, 3), (4, 3)),
            "an inner size of 1": ((4, 1), (3, 5)),
            "other batches": ((2, 4, 3), (7, 3, 5)),
            "another name inside": (("N", "C"), ("D", "K")),
        },
        (
            "The last two axes are those of a matrix product. What about all others?",
            "The axes in front are broadcast, as in an addition: `broadcast_rule(a[:-2], b[:-2])`.",
            "If a[-1] != b[-2], refuse. Else (*broadcast_rule(a[:-2], b[:-2]), a[-2], b[-1]).",
        ),
        (
            Mistake(
                "the batch of the longer one",
                "Axes in front are broadcast: a 1 in the longer shape is stretched by the other's size, and sizes "
                "that do not fit are refused.",
                longer,
            ),
            Mistake(
                "an inner size of 1 fits all",
                "Only the axes in front are broadcast. The inner sizes have to be equal, 1 as well.",
                one_fits_all,
            ),
            Mistake(
                "the inner sizes are not compared", "(.., N, C) times (.., C, D): both C have to be equal.", unchecked
            ),
            Mistake(
                "batches have to be equal",
                "They have to fit, as in an addition: where they differ, one of them is 1.",
                equal_batches,
            ),
            Mistake("the batch is lost", "The axes in front stay in the result.", two_axes),
        ),
        verdict,
        level=2,
    ),
    Task(
        "04.bind",
        "What a name stands for",
        "bind",
        bind,
        lambda: {
            "one name": ({"x": ("N", 2)}, {"x": (200, 2)}),
            "a network": (
                {"x": ("N", 2), "w": (2, "H"), "b": ("H",)},
                {"x": (5, 2), "w": (2, 16), "b": (16,)},
            ),
            "a square": ({"a": ("N", "N")}, {"a": (3, 3)}),
            "no axes": ({"loss": ()}, {"loss": ()}),
            "sizes of 1": ({"x": ("N", 1), "y": ("N", "K")}, {"x": (1, 1), "y": (1, 4)}),
            "no square": ({"a": ("N", "N")}, {"a": (3, 4)}),
            "two arrays that disagree": ({"x": ("N", 2), "t": ("N",)}, {"x": (5, 2), "t": (6,)}),
            "a number that differs": ({"x": ("N", 2)}, {"x": (5, 3)}),
            "an axis too many": ({"x": ("N",)}, {"x": (5, 1)}),
            "an axis too few": ({"x": ("N", "C")}, {"x": (5,)}),
            "a 1 for a name": ({"x": ("N", 2), "t": ("N",)}, {"x": (5, 2), "t": (1,)}),
        },
        (
            "Go through the arrays, and through the axes of each, with the dict of what is known so far.",
            "A name that is new takes the size it meets; one that is known has to meet that size again. A number has "
            "to meet itself.",
            "Compare the numbers of axes first: zip stops at the shorter shape and says nothing.",
        ),
        (
            Mistake(
                "each array by itself",
                "A name means the same in all arrays: that is what names are for.",
                each_by_itself,
            ),
            Mistake("the last size wins", "A name has one size: where it meets another one, refuse.", the_last),
            Mistake(
                "the number of axes is not compared",
                "zip stops at the shorter of two shapes: compare their lengths first.",
                axes_let_pass,
            ),
            Mistake(
                "numbers are not compared", "Where a number was declared, that number has to come.", numbers_let_pass
            ),
        ),
        bound,
        level=2,
    ),
]
