"""Strides: memory as a row of cells, and what a view of it needs to find its entries there."""

from typing import NamedTuple

import numpy as np

from ..arrays import device_of
from ..core import Tensor, no_grad
from ..graph.tagged import number
from .base import Widget
from .cells import Sheet, array_of, written
from .chains import parsed

CHAINS = ("x", "x[::2]", "x[:, ::2].T")  # where none is given, for no axis, one and more
LARGEST = 64  # cells of memory, and entries of a view
NEXT = (
    ".T [::2] [1:] [:,1] [:,::-1] .flip(0) .transpose(0,1) .reshape(-1) .unsqueeze(0) .expand(2,-1) .expand(2,-1,-1) "
    ".clone() [[0,1]]"
).split()


class View(NamedTuple):
    """An array as it lies in memory: entry [i, j] at `offset` + i `strides[0]` + j `strides[1]`, in elements."""

    text: str
    shape: tuple
    strides: tuple
    offset: int
    itemsize: int
    contiguous: bool
    copy: bool
    places: list  # of each entry, in reading order, in its memory
    memory: list  # the numbers that lie there, in order

    @property
    def values(self):
        return [self.memory[place] for place in self.places]


class Strider(Widget, bundle="strides"):
    """`Strider(x, "x[::2].T")` shows where each view of a chain lies in memory, for any tensor or array of up to 64.

    In the chain are indices, T, mT, and methods of tensors such as transpose, reshape, flip and expand.
    """

    def __init__(self, x=None, chain=None):
        self.x = Tensor(np.arange(12).reshape(3, 4)) if x is None else _tensor(x)
        super().__init__(chained(self.x, CHAINS[min(self.x.ndim, 2)] if chain is None else chain))

    def plain(self, state):
        return {"views": [view._asdict() | _numbers(view) for view in state], "offers": offers(self.x, state)}

    def describe(self, state):
        return "\n\n".join(map(_said, state))

    def picture(self, state):
        return _picture(state)

    def change(self, chain):
        return chained(self.x, chain)


def strides(x=None, chain=None):
    """Where the views of a chain lie in the memory of a tensor or array: a `Strider`."""
    return Strider(x, chain)


def chained(x, text):
    """x and what follows from it by each operation of the chain, as views of a memory."""
    steps, done = parsed(text), "x"
    views, home = [viewed(x.data, "x", copy=False)], x.data
    for said, f in steps:
        try:
            with no_grad():
                x = f(x)
        except Exception as error:
            error.add_note(f"in {done}{said}, where {done} has the shape {tuple(x.shape)}")
            raise
        copy = not np.shares_memory(x.data, home) if x.data.size else False
        home, done = (x.data if copy else home), done + said
        views.append(viewed(x.data, done, copy))
    return views


def viewed(array, text, copy):
    """How an array lies in the memory that it, and all that it is a view of, was given."""
    owner = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    order = owner.ravel("K")
    if max(order.size, array.size) > LARGEST or (order.size and not np.shares_memory(order, owner)):
        raise ValueError(
            f"strides shows up to {LARGEST} entries in a memory of up to {LARGEST} cells, but {text} has {array.size} "
            f"of {order.size}; try it on a smaller tensor"
        )
    size = array.itemsize
    start = (array.ctypes.data - _first(owner)) // size if array.size else 0
    steps = tuple(s // size for s in array.strides)
    places = [start + sum(i * s for i, s in zip(at, steps)) for at in np.ndindex(array.shape)]
    found = array.shape, steps, start, size, array.flags.c_contiguous, copy, places, order.tolist()
    return View(text, *found)


def _first(array):
    """The address of the first byte of an array, whichever its strides."""
    return np.lib.array_utils.byte_bounds(array)[0]


def offers(x, state):
    """What could come next in the chain: the operations that this view can do."""
    text, found = state[-1].text, []
    for more in NEXT:
        try:
            chained(x, text + more)
            found.append(more)
        except (ValueError, IndexError, TypeError):
            continue
    return found


def _tensor(x):
    if isinstance(x, Tensor) and device_of(x.data) == "cpu":
        return x.detach()
    return Tensor(array_of("strides", x))


def place_of(view, entry):
    """The sum that leads to an entry's place, in words."""
    at = np.unravel_index(entry, view.shape) if view.shape else ()
    terms = "".join(f" + {i}*{f'({s})' if s < 0 else s}" for i, s in zip(at, view.strides))
    return f"{view.offset}{terms} = {view.places[entry]}"


def kind_of(view):
    told = "a copy in memory of its own" if view.copy else "a view of the same memory"
    return f"{'the memory itself' if view.text == 'x' else told}, {'' if view.contiguous else 'not '}contiguous"


def _numbers(view):
    return {"values": [*map(number, view.values)], "memory": [*map(number, view.memory)]}


def _said(view):
    size = view.itemsize
    lines = [
        f"{view.text}: {kind_of(view)}",
        f"shape {view.shape}, strides {view.strides} elements = {tuple(s * size for s in view.strides)} bytes, "
        f"begins at {view.offset}",
        written(np.reshape(view.values, view.shape)),
        f"memory: {written(np.array(view.memory))}",
        f"places: {written(np.array(view.places, int))}",
    ]
    if view.places:
        last = len(view.places) - 1
        lines.append(f"the last entry lies at {place_of(view, last)}")
    return "\n".join(lines)


def _picture(state):
    sheet, y = Sheet(), 0.0
    for i, view in enumerate([state[0], *state[1:][-2:]]):
        shape, color = view.shape, i % 2
        values = np.reshape(view.values, shape)
        title = f"{view.text}: {kind_of(view)}\nshape {shape}, strides {view.strides} elements, begins at {view.offset}"
        _, y = sheet.grid(values, title, 0, y)
        name = "its memory, a cell an element; shaded: the cells it uses"
        _, y = sheet.grid(np.array(view.memory), name, 0, y - 0.3, [(p, color) for p in view.places], columns=16)
        if view.places:
            y = sheet.text(f"the last entry lies at {place_of(view, len(view.places) - 1)}", 0, y - 0.3)
    return sheet.png()
