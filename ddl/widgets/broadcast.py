"""Broadcasting: shapes aligned from the right, what repeats, and where the gradient sums."""

import ast
import math
from itertools import zip_longest
from typing import NamedTuple

import numpy as np

from ..arrays import Spec
from ..backward import sum_to
from ..checks import whole
from ..core import Tensor
from ..graph.tagged import number
from .base import Widget, in_words
from .cells import Sheet, array_of, entry_of, written

NAMES = "xyzw"
LARGEST = 64  # entries of a result whose numbers are shown
EXAMPLES = (("3, 1", "4"), ("2, 3", "3"), ("2, 3", "2, 1"), ("2, 1, 3", "4, 1"), ("5", ""), ("3", "4"), ("2, 3", "2"))


class Broadcast(NamedTuple):
    """Arrays that are added: `out` and the `grads` of the entries of each for a gradient `g`, where they are shown."""

    shapes: list
    result: tuple | None
    fault: str
    values: list
    out: np.ndarray | None = None
    g: np.ndarray | None = None
    grads: tuple = ()


class Broadcaster(Widget, bundle="broadcast"):
    """`Broadcaster((3, 1), (4,))` shows how arrays of these shapes are added; arrays and tensors show their numbers.

    Of up to 64 entries all numbers are shown. The gradient that comes back to the sum is 1, 2, 3, .. in reading order,
    so that it can be seen which of its entries add up.
    """

    def __init__(self, *operands):
        if not 2 <= len(operands or (0, 0)) <= len(NAMES):
            raise ValueError(f"broadcast takes 2 to {len(NAMES)} shapes or arrays, but {len(operands)} were given")
        super().__init__(added([_operand(i, x) for i, x in enumerate(operands or ((3, 1), (4,)))]))

    def plain(self, state):
        flat = lambda x: None if x is None else [*map(number, np.ravel(x).tolist())]
        return {
            "names": list(NAMES[: len(state.shapes)]),
            "shapes": state.shapes,
            "result": state.result,
            "fault": state.fault,
            "summed": [summed(shape, state.result) for shape in state.shapes if state.result is not None],
            "values": [flat(x) for x in state.values] if state.out is not None else [],
            "out": flat(state.out),
            "g": flat(state.g),
            "grads": [flat(x) for x in state.grads],
            "largest": LARGEST,
            "examples": EXAMPLES,
        }

    def describe(self, state):
        return "\n".join(_lines(state))

    def picture(self, state):
        return _picture(state)

    def change(self, shapes):
        if not isinstance(shapes, list) or not 2 <= len(shapes) <= len(NAMES):
            raise ValueError(f"broadcast takes a list of 2 to {len(NAMES)} shapes, but {shapes!r} was given")
        return added([_operand(i, parsed(text)) for i, text in enumerate(shapes)])


def broadcast(*operands):
    """How arrays of these shapes, or these arrays, are broadcast: a `Broadcaster`."""
    return Broadcaster(*operands)


def parsed(text):
    """The shape that a text like 3, 1 or (4,) means; an empty one is that of a number."""
    try:
        found = ast.literal_eval(text.strip() or "()")
        shape = found if isinstance(found, tuple) else (found,)
        whole("a shape", 0, **{f"axis {i}": n for i, n in enumerate(shape)})
    except (SyntaxError, ValueError, AttributeError):
        raise ValueError(f"a shape is whole numbers of 0 or more, as in 3, 1, but {text!r} was given") from None
    return shape


def summed(shape, result):
    """The axes of the result over which the gradient of an operand of this shape is summed."""
    new = len(result) - len(shape)
    return [i for i, n in enumerate(result) if i < new or (shape[i - new] == 1 and n != 1)]


def added(operands):
    """What becomes of arrays, or of shapes, when they are added."""
    shapes = [x if isinstance(x, tuple) else x.shape for x in operands]
    shapes = [tuple(int(n) for n in shape) for shape in shapes]
    try:
        result = np.broadcast_shapes(*shapes)
    except ValueError:
        return Broadcast(shapes, None, _refused(shapes), [])
    if math.prod(result) > LARGEST or max(map(math.prod, shapes)) > LARGEST:
        return Broadcast(shapes, result, "", [])
    values = [_example(i, len(operands), x) if isinstance(x, tuple) else x for i, x in enumerate(operands)]
    g = np.arange(1.0, math.prod(result) + 1).reshape(result)
    return Broadcast(shapes, result, "", values, sum(values), g, tuple(sum_to(g, shape) for shape in shapes))


def _operand(i, x):
    x = x.shape if isinstance(x, Spec) else x
    if isinstance(x, tuple) and len(x) <= 6:
        whole(f"shape {NAMES[i]}", 0, **{f"axis {axis}": n for axis, n in enumerate(x)})
        return x
    found = array_of("broadcast", x)
    if found.ndim > 6 or isinstance(x, tuple):
        raise ValueError(f"broadcast shows up to 6 axes, but {NAMES[i]} has {max(found.ndim, np.size(x))}")
    return found


def _example(i, count, shape):
    """1, 2, 3, .. for the last of several, ten times as much for the one before it, and so on."""
    return np.arange(1, math.prod(shape) + 1).reshape(shape) * 10 ** (count - 1 - i)


def _refused(shapes):
    """What ddl's own addition says to tensors of these shapes."""
    total = ()
    try:
        for shape in shapes:
            total = np.broadcast_shapes(total, shape)
    except ValueError:
        x, y = (Tensor(np.broadcast_to(np.float32(0), shape)) for shape in (total, shape))
        try:
            x + y
        except ValueError as error:
            return in_words(error)


def _lines(state):
    names = NAMES[: len(state.shapes)]
    columns = [
        *zip_longest(*(reversed([str(n) for n in s]) for s in [*state.shapes, state.result or ()]), fillvalue=".")
    ]
    for i, name in enumerate([*names, "sum"] if state.result is not None else names):
        yield f"{name:>3} " + "".join(f"{column[i]:>5}" for column in reversed(columns))
    if state.result is None:
        yield f"These shapes do not fit: {misfit(state.shapes)}\nddl says: {state.fault}"
        return
    for name, shape in zip(names, state.shapes):
        axes = summed(shape, state.result)
        yield f"{name} {shape} " + (
            f"repeats along axes {axes} of the result; its gradient sums over them" if axes else "repeats nowhere"
        )
    if state.out is None:
        yield f"The result has {math.prod(state.result)} entries; numbers are shown of up to {LARGEST}."
        return
    for name, values in [*zip(names, state.values), ("sum", state.out), ("gradient of the sum", state.g)]:
        yield f"{name} =\n{written(np.asarray(values))}"
    for name, grad in zip(names, state.grads):
        yield f"gradient of {name} =\n{written(np.asarray(grad))}"


def misfit(shapes):
    """The first axis, from the right, on which shapes differ, in a sentence."""
    for back in range(1, 1 + max(map(len, shapes))):
        sizes = {name: shape[-back] for name, shape in zip(NAMES, shapes) if len(shape) >= back}
        if len({n for n in sizes.values() if n != 1}) > 1:
            told = " and ".join(f"{name} has {n}" for name, n in sizes.items() if n != 1)
            return f"on axis -{back}, {told}; sizes must be equal, or one of them 1 or missing."
    return None


def _picture(state):
    sheet = Sheet()
    names = NAMES[: len(state.shapes)]
    if state.out is None or not math.prod(state.shapes[0]) or not state.out.size:
        sheet.text("\n".join(_lines(state)))
        return sheet.png()
    feeds = places(state.shapes[0], state.result, 0)
    first = entry_of("x", 0, state.shapes[0])
    y = sheet.text(
        f"Above, what is added; below, the gradients that come back. Shaded: {first} and all that it goes to"
    )
    for color, title, total, parts in (
        (0, "sum", state.out, [*zip(names, state.values)]),
        (1, "gradient of the sum", state.g, [*zip((f"gradient of {name}" for name in names), state.grads)]),
    ):
        x, below = 0.0, y
        for name, array in [*parts, (title, total)]:
            marks = feeds if array is total else [0] if x == 0 else []
            x, bottom = sheet.grid(
                np.asarray(array), f"{name}\n{np.shape(array)}", x, y, [(place, color) for place in marks]
            )
            below = max(below, bottom)
        y = below
    return sheet.png()


def places(shape, result, place):
    """The places of the result that one entry of an operand of this shape goes to."""
    ids = np.arange(math.prod(shape)).reshape(shape)
    return np.flatnonzero(np.broadcast_to(ids, result) == place).tolist()
