"""Arrays as grids of cells: in words, and drawn on matplotlib's axes for the pictures of widgets."""

import math

import numpy as np

from ..arrays import Spec, is_array
from ..core import Tensor
from ..figures import COLORS, figure, png

CELL = 38


def array_of(owner, x):
    """The numbers of a tensor, an array or a list, on the CPU."""
    if isinstance(x, Tensor) and not isinstance(x.data, Spec):
        return x.numpy()
    x = None if isinstance(x, (Spec, Tensor)) else x
    try:
        found = np.asarray(x.get() if is_array(x) and not isinstance(x, np.ndarray) else x)
    except ValueError:
        found = np.asarray(None)
    if found.dtype.kind not in "biuf":
        raise ValueError(f"{owner} shows a tensor, an array or a list of numbers, but {x!r} was given")
    return found


def entry_of(name, place, shape):
    """How the entry at this place, in reading order, is written: x[1, 0]."""
    return f"{name}[{', '.join(str(i) for i in np.unravel_index(place, shape))}]" if shape else name


def written(array):
    """An array as text, numbers with four digits, rows below each other."""
    if not array.size:
        return "[]"
    words = [[f"{x:.4g}" for x in row] for row in array.reshape(-1, array.shape[-1] if array.ndim else 1)]
    width = max(len(word) for row in words for word in row)
    rows = math.prod(array.shape[-2:-1])
    lines = ["  ".join(word.rjust(width) for word in row) for row in words]
    return "\n\n".join("\n".join(lines[i : i + rows]) for i in range(0, len(lines), rows))


class Sheet:
    """Grids of cells beside and below each other on one figure, a cell CELL pixels wide on the page."""

    def __init__(self):
        self.parts, self.width, self.height = [], 0.0, 0.0

    def grid(self, array, title, x=0.0, y=0.0, marks=(), words=None, columns=None, edge="-"):
        """An array whose first cell lies at (x, y), y pointing down; where the next may begin, as (x, y).

        `marks` are pairs of a place and the number of the colour that fills it.
        """
        columns = columns or (array.shape[-1] if array.ndim else 1)
        rows = math.prod(array.shape[-2:-1])
        marks, last = dict(marks), y
        lines = title.split("\n")
        top = y + 0.45 * len(lines)
        self.parts += [("text", x, y + 0.45 * i, line) for i, line in enumerate(lines)]
        for place, value in enumerate(array.ravel()):
            row, column = divmod(place, columns)
            last = top + row + (0.3 * (row // rows) if array.ndim > 2 else 0)
            word = words[place] if words else f"{value:.3g}"
            self.parts.append(("cell", x + column, last, word, marks.get(place), edge))
        right = x + max(columns, 0.17 * max(map(len, lines)))
        self.width, self.height = max(self.width, right), max(self.height, last + 1)
        return right + 0.8, last + 1.5

    def text(self, words, x=0.0, y=0.0):
        """Lines of text from (x, y) down; where the next thing may begin."""
        lines = words.split("\n")
        self.parts += [("text", x, y + 0.45 * i, line) for i, line in enumerate(lines)]
        self.width = max(self.width, x + 0.17 * max(map(len, lines)))
        self.height = max(self.height, y + 0.45 * len(lines))
        return y + 0.45 * len(lines) + 0.3

    def png(self):
        made = figure(CELL * (self.width + 0.4), CELL * (self.height + 0.4))
        made.set_layout_engine("none")
        axes = made.add_axes((0, 0, 1, 1))
        axes.set(xlim=(-0.2, self.width + 0.2), ylim=(self.height + 0.2, -0.2))
        axes.axis("off")
        for kind, x, y, *about in self.parts:
            if kind == "text":
                axes.text(x, y + 0.2, about[0], va="center", fontsize=9.5, parse_math=False)
            else:
                _cell(axes, x, y, *about)
        return png(made)


def _cell(axes, x, y, word, color, edge):
    from matplotlib.patches import Rectangle

    if color is not None:
        axes.add_patch(Rectangle((x, y), 1, 1, facecolor=COLORS[color], alpha=0.25, edgecolor="none"))
    axes.add_patch(Rectangle((x, y), 1, 1, facecolor="none", edgecolor="#555555", linestyle=edge))
    axes.text(
        x + 0.5, y + 0.5, word, ha="center", va="center", fontsize=min(9, 44 / max(len(word), 1)), parse_math=False
    )
