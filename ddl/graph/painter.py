"""A planned drawing as the shapes of a picture, with the legend of what is in it."""

import math

from .contents import LETTER, LINE, PAD, SIZE, Map
from .data import Node
from .drawing import Drawing, extent
from .folding import Scope
from .heat import Grid
from .legend import Legend
from .placing import HEAD, Plan, Room, Run, Size
from .shapes import MARGIN, THEMES, Mark, Path, Scene, Text, rounded
from .signs import odd, outline, shade
from .words import gives, plain, shortened, title

TABLE_SHADE = 0.5  # how much colour is left behind numbers, which have to be read


def paint(drawing: Drawing) -> Scene:
    """The picture of a drawing: to the right where it may and that fits a page, or else down."""
    plan, right = drawing.directed()
    return Painter(drawing, right).scene(plan)


class Painter:
    def __init__(self, drawing: Drawing, right: bool):
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
        legend, width, below = Legend(self.drawing, self.grids).marks(width, height + head + MARGIN + LINE)
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
        if said := self.drawing.label(run.edges):
            wide, back = extent(said), self.colors["frame" if run.frame else "page"]
            x, y = (x - HEAD - PAD / 2 - wide / 2, y) if self.right else (x, y - HEAD - PAD / 2 - LINE / 2)
            left = x - wide / 2
            parts.append(Path(rounded(left - 1, y - LINE / 2 + 1, wide + 2, LINE - 2, 1), back))
            for color, text in said:
                middle = left + len(text) * LETTER / 2
                parts.append(Text(middle, y, text, self.colors[color], centred=True))
                left += (len(text) + 1) * LETTER
        return Mark(parts)

    def box(self, box: Scope | Node, frame: str, room: Room) -> Mark:
        x, y, w, h = self.room(room)
        inside = self.drawing.contents(box, frame)
        kind = "scope" if isinstance(box, Scope) else box.kind
        thick = 2.4 if gives(self.drawing.folded, box) else 1.1
        parts: list[Path | Text] = [*outline(self.colors, kind, (x, y, w, h), thick)]
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
            for j, (x, part, text) in enumerate(zip(*row)):
                room = (left + j * w, top + i * h, w, h)
                parts.append(Path(rounded(*room, 0), shade(c, part * (TABLE_SHADE if grid.written else 1.0))))
                if grid.written:
                    parts.append(Text(room[0] + w / 2, room[1] + h / 2, text, c["ink"], centred=True))
                elif not math.isfinite(x):
                    parts.append(odd(c, x, room))
        rows, columns = grid.numbers.shape
        parts.append(Path(rounded(left, top, columns * w, rows * h, 0), "", c["dim"], 0.6))
        top += rows * h
        return parts + [Text(left, top + (i + 0.5) * LINE, note, c["dim"]) for i, note in enumerate(shown.notes)]
