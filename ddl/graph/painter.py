"""The shapes of a picture: the outline of a box shows what it is, so that nobody has to tell colours apart."""

import math
from typing import TYPE_CHECKING

from .contents import LETTER, LINE, PAD, SIZE, Map
from .data import Node
from .folding import Scope
from .heat import Grid
from .legend import Legend
from .placing import HEAD, Plan, Room, Run, Size
from .shapes import MARGIN, THEMES, Mark, Path, Scene, Text, cut, mixed, rounded
from .words import gives, plain, shortened, title

if TYPE_CHECKING:
    from .drawing import Drawing

TABLE_SHADE = 0.5  # how much colour is left behind numbers, which have to be read


class Painter:
    def __init__(self, drawing: "Drawing", right: bool):
        self.drawing, self.right = drawing, right
        self.colors = THEMES[drawing.theme]
        self.grids: list[Grid] = []  # that were drawn

    def scene(self, plan: Plan) -> Scene:
        head = 2 * LINE if self.drawing.title else 0.0
        self.move = (MARGIN, MARGIN + head)
        marks = [self.frame(*frame) for frame in plan.frames]
        marks += [self.wire(run) for run in plan.runs]
        marks += [self.box(*box) for box in plan.boxes]
        width, height = plan.size if self.right else plan.size[::-1]
        if self.drawing.title:
            text = Text(
                MARGIN, MARGIN + LINE / 2, shortened(self.drawing.title, 80), self.colors["ink"], True, size=SIZE + 1
            )
            marks.append(Mark([text], plain(self.drawing.title)))
            width = max(width, text.width)
        legend, width, below = Legend(self).marks(width, height + head + MARGIN + LINE)
        marks += legend
        return Scene((width + 2 * MARGIN, below + MARGIN), self.colors["page"], marks)

    def xy(self, stop: Size) -> Size:
        x, y = stop if self.right else stop[::-1]
        return x + self.move[0], y + self.move[1]

    def room(self, room: Room) -> Room:
        along, across, length, breadth = room
        return (*self.xy((along, across)), *((length, breadth) if self.right else (breadth, length)))

    def frame(self, scope: Scope, frame: str, room: Room) -> Mark:
        x, y, w, h = self.room(room)
        text = Text(x + PAD, y + PAD / 2 + LINE / 2, shortened(title(scope, frame)), self.colors["dim"], True)
        outline = Path(rounded(x, y, w, h, 4), self.colors["frame"], self.colors["dim"], 0.8)
        return Mark([outline, text], plain(title(scope)))

    def wire(self, run: Run) -> Mark:
        stops, grey = [self.xy(stop) for stop in run.stops], self.colors["dim"]
        steps: list[tuple] = [("M", *stops[0])]
        for (x0, y0), (x1, y1) in zip(stops[1:-1:2], stops[2:-1:2]):
            x, y = (x0 + x1) / 2, (y0 + y1) / 2
            steps += [("L", x0, y0), ("C", *((x, y0, x, y1) if self.right else (x0, y, x1, y)), x1, y1)]
        if run.end is None:
            return Mark([Path([*steps, ("L", *stops[-1])], "", grey)])
        x, y = stops[-1]
        dx, dy = (HEAD, 0.0) if self.right else (0.0, HEAD)
        tip = [("M", x, y), ("L", x - dx - dy / 2, y - dy - dx / 2), ("L", x - dx + dy / 2, y - dy + dx / 2), ("Z",)]
        parts: list[Path | Text] = [Path([*steps, ("L", x - dx, y - dy)], "", grey), Path(tip, grey)]
        if text := self.drawing.label(run.edges):
            wide, back = len(text) * LETTER, self.colors["frame" if run.frame else "page"]
            x, y = (x - HEAD - PAD / 2 - wide / 2, y) if self.right else (x, y - HEAD - PAD / 2 - LINE / 2)
            parts.append(Path(rounded(x - wide / 2 - 1, y - LINE / 2 + 1, wide + 2, LINE - 2, 1), back))
            parts.append(Text(x, y, text, self.colors["slope"], centred=True))
        return Mark(parts)

    def outline(self, kind: str, room: Room, thick: float = 1.1) -> list[Path | Text]:
        x, y, w, h = room
        ink = self.colors["ink"]
        corner = {"input": 10.0, "op": 2.0}.get(kind, 0.0)
        steps = cut(x, y, w, h, 6.0) if kind == "parameter" else rounded(x, y, w, h, corner)
        inner = [Path(rounded(x + 2.5, y + 2.5, w - 5, h - 5, 0), "", ink, 0.7)] if kind == "scope" else []
        return [Path(steps, self.colors[kind], ink, thick, kind == "constant"), *inner]

    def box(self, box: Scope | Node, frame: str, room: Room) -> Mark:
        x, y, w, h = self.room(room)
        inside = self.drawing.contents(box, frame)
        kind = "scope" if isinstance(box, Scope) else box.kind
        parts = self.outline(kind, (x, y, w, h), 2.4 if gives(self.drawing.folded, box) else 1.1)
        left, top = x + PAD, y + (h - inside.size[1]) / 2 + PAD
        for i, line in enumerate(inside.lines):
            color = self.colors["grad" if line.role == "grad" else "ink"]
            parts.append(Text(left, top + (i + 0.5) * LINE, line.text, color, line.role == "title"))
        for each in inside.maps:
            parts += self.map(each, left, top + len(inside.lines) * LINE)
            left += each.size[0] + 2 * PAD
        return Mark(parts, inside.full)

    def map(self, shown: Map, left: float, top: float) -> list[Path | Text]:
        c, (w, h), grid = self.colors, shown.cell, shown.grid
        self.grids.append(grid)
        parts: list[Path | Text] = [
            Text(left, top + LINE / 2, shown.name, c["grad" if shown.name == "grad" else "dim"])
        ]
        top += LINE
        for i, row in enumerate(zip(grid.numbers.tolist(), grid.shades.tolist(), grid.texts)):
            for j, (x, shade, text) in enumerate(zip(*row)):
                room = (left + j * w, top + i * h, w, h)
                parts.append(Path(rounded(*room, 0), self.shade(shade * (TABLE_SHADE if grid.written else 1.0))))
                if grid.written:
                    parts.append(Text(room[0] + w / 2, room[1] + h / 2, text, c["ink"], centred=True))
                elif not math.isfinite(x):
                    parts.append(self.sign(x, room))
        rows, columns = grid.numbers.shape
        parts.append(Path(rounded(left, top, columns * w, rows * h, 0), "", c["dim"], 0.6))
        top += rows * h
        return parts + [Text(left, top + (i + 0.5) * LINE, note, c["dim"]) for i, note in enumerate(shown.notes)]

    def shade(self, shade: float) -> str:
        return mixed(
            self.colors["zero"], self.colors["above" if shade > 0 else "below"], 0.0 if shade != shade else abs(shade)
        )

    def sign(self, x: float, room: Room) -> Path:
        """A cross in a cell that holds no number, a plus or a minus in one that holds an infinity."""
        left, top, w, h = room
        a, b, r = left + w / 2, top + h / 2, min(w, h) / 2 - 1.5
        bar, post = [("M", a - r, b), ("L", a + r, b)], [("M", a, b - r), ("L", a, b + r)]
        cross = [("M", a - r, b - r), ("L", a + r, b + r), ("M", a - r, b + r), ("L", a + r, b - r)]
        return Path(cross if x != x else bar + post if x > 0 else bar, "", self.colors["ink"], 0.9)
