"""What a box holds, line by line, and how much room that takes: words, tables of numbers, heat maps."""

from dataclasses import dataclass
from typing import Any

from .data import Node
from .folding import Folded, Scope
from .heat import Grid, grid
from .words import array, cells, number, numeral, plain, told, values

SIZE = 9.0  # of letters, in points
LETTER, LINE, PAD = 0.63 * SIZE, 1.4 * SIZE, 6.0
CELL = 7.0  # of a heat map


@dataclass(frozen=True)
class Line:
    text: str
    role: str  # "title", "plain" or "grad"

    @property
    def size(self) -> tuple[float, float]:
        return cells(self.text) * LETTER, LINE


@dataclass(frozen=True)
class Map:
    """A grid below the word for what it holds."""

    name: str
    grid: Grid

    @property
    def cell(self) -> tuple[float, float]:
        """A table has cells as wide as its longest number."""
        widest = max((len(text) for row in self.grid.texts for text in row), default=1)
        return (widest * LETTER + PAD, LINE) if self.grid.written else (CELL, CELL)

    @property
    def notes(self) -> list[str]:
        return [note for note in (self.grid.caption, self.grid.left_out) if note]

    @property
    def size(self) -> tuple[float, float]:
        rows, columns = self.grid.numbers.shape
        width, height = self.cell
        written = max(map(cells, [self.name, *self.notes]))
        return max(columns * width, written * LETTER), rows * height + (1 + len(self.notes)) * LINE


@dataclass(frozen=True)
class Contents:
    """Lines from the top, below them heat maps side by side; and all of it in full, for who points at the box."""

    lines: list[Line]
    maps: list[Map]
    full: str

    @property
    def size(self) -> tuple[float, float]:
        side_by_side = sum(m.size[0] for m in self.maps) + 2 * PAD * max(len(self.maps) - 1, 0)
        width = max([side_by_side, *(line.size[0] for line in self.lines)])
        return width + 2 * PAD, len(self.lines) * LINE + max((m.size[1] for m in self.maps), default=0.0) + 2 * PAD


def contents(folded: Folded, box: Scope | Node, frame: str, grad: bool = True) -> Contents:
    """Title, shapes and settings; of a node with numbers also those, and its gradient where there is one."""
    short, full = told(folded, box, frame)
    written = [Line(text, "plain" if i else "title") for i, text in enumerate(short)]
    if isinstance(box, Scope):
        return Contents(written, [], "\n".join(full))
    maps = []
    for name, x, role in (("value", box.value, "plain"), ("grad", box.grad if grad else None, "grad")):
        if array(x) is None or (name == "value" and _literal(box)):
            continue
        if shown := grid(x):
            maps.append(Map(name, shown))
        else:
            written.append(Line(_numbers(name, x, box), role))
        full.append(f"{name} {values(x)}")
    if box.source:
        full.append(plain(f"line {box.source.line}: {box.source.text}"))
    return Contents(written, maps, "\n".join(full))


def _literal(node: Node) -> bool:
    """Whether its name is its value."""
    return node.kind == "constant" and node.shape == () and node.name == str(array(node.value).item())


def _numbers(name: str, x: Any, node: Node) -> str:
    x = array(x)
    said = number(x.reshape(-1)[0].item()) if x.size == 1 and x.dtype.kind in "fiub" else values(x)
    return f"{name:5} {said}" if numeral(node) else f"{name} {said}"
