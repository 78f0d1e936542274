"""What the outlines, colours and numbers of a picture mean, of those that are in it."""

import math
from collections.abc import Callable, Iterator, Sequence

from .contents import LETTER, LINE, PAD
from .data import Node
from .drawing import Drawing
from .folding import Scope
from .heat import Grid
from .shapes import MARGIN, THEMES, Mark, Path, Text, rounded
from .signs import odd, outline, shade
from .words import array, cells, gives, numeral

KINDS = {"input": "input", "parameter": "parameter", "constant": "constant", "op": "operation", "scope": "folded scope"}
SIGN = 15.0  # how wide an outline is here
LEAST = 240.0  # how wide a row may always be

Sign = Callable[[float, float], Sequence[Path | Text]]
Meaning = tuple[float, Sign, str]  # how wide a sign is, the sign at a place, and what it means


class Legend:
    """Of a drawing and the grids that were painted in it."""

    def __init__(self, drawing: Drawing, grids: list[Grid]):
        self.drawing, self.grids, self.colors = drawing, grids, THEMES[drawing.theme]
        self.boxes = self.drawing.folded.boxes
        self.nodes = [box for box in self.boxes if isinstance(box, Node)]

    def marks(self, width: float, top: float) -> tuple[list[Mark], float, float]:
        """Signs and their meanings in rows no wider than the picture; the width of all and where it ends."""
        marks: list[Mark] = []
        x, y, widest = MARGIN, top, width
        for size, sign, text in [*self.outlines(), *self.numbers(), *self.shades()]:
            wide = size + PAD + cells(text) * LETTER
            if x > MARGIN and x + wide > MARGIN + max(width, LEAST):
                x, y = MARGIN, y + LINE + 2
            marks.append(Mark([*sign(x, y), Text(x + size + PAD, y + LINE / 2, text, self.colors["dim"])]))
            widest = max(widest, x + wide - MARGIN)
            x += wide + 2 * PAD
        return marks, widest, y + LINE if marks else top - LINE

    def outlines(self) -> Iterator[Meaning]:
        kinds = {"scope" if isinstance(box, Scope) else box.kind for box in self.boxes}
        plain = all(numeral(node) for node in self.nodes if node.kind == "input")
        for kind, text in KINDS.items():
            if kind in kinds:
                sign = lambda x, y, kind=kind: outline(self.colors, kind, (x, y + 1, SIGN, LINE - 2))
                yield SIGN, sign, "given" if kind == "input" and plain else text
        if any(gives(self.drawing.folded, box) for box in self.boxes):
            thick = lambda x, y: [Path(rounded(x, y + 1, SIGN, LINE - 2, 2), "", self.colors["ink"], 2.4)]
            yield SIGN, thick, "result"

    def numbers(self) -> Iterator[Meaning]:
        wires = self.drawing.folded.wires
        colors = {color for wire in wires for color, _ in self.drawing.label(list(wire.edges))}
        if "slope" in colors:
            yield self.word("slope", "0.5", "local derivative")
        if "dim" in colors:
            yield self.word("dim", "1st", "which input it is")
        if self.drawing.grad and any(array(node.grad) is not None for node in self.nodes):
            yield self.word("grad", "grad", "slope of the result")
        if "grad" in colors:
            yield self.word("grad", "|g|", "norm of what comes back along a wire: at a fork it adds up to grad")

    def word(self, color: str, word: str, text: str) -> Meaning:
        return cells(word) * LETTER, lambda x, y: [Text(x, y + LINE / 2, word, self.colors[color])], text

    def shades(self) -> Iterator[Meaning]:
        if self.grids:
            for part, text in ((-1.0, "below 0"), (1.0, "above 0")):
                fill = shade(self.colors, part)
                yield SIGN, lambda x, y, fill=fill: [Path(rounded(x, y + 1, SIGN, LINE - 2, 0), fill)], text
        shown = (x for grid in self.grids if not grid.written for x in grid.numbers.ravel().tolist())
        for x in sorted(map(float, {str(x) for x in shown if not math.isfinite(x)})):
            yield LINE, lambda left, top, x=x: [odd(self.colors, x, (left, top, LINE, LINE))], str(x)
