"""What of a graph is drawn, and where: it is folded and given room."""

from dataclasses import dataclass, field

from .contents import LETTER, LINE, PAD, Contents, contents
from .data import Edge, Node
from .folding import Folded, Scope
from .placing import HEAD, Placing, Plan, Size
from .shapes import THEMES
from .words import cells, number, shortened, title

LARGEST = 150  # boxes
PAGE = 900.0  # points, beyond which a picture runs down and not to the right


@dataclass
class Drawing:
    """A picture of a folded graph; `direction` is "right", "down" or, where it is "", what fits a page."""

    folded: Folded
    title: str = ""
    grad: bool = True
    slope: bool = True
    theme: str = "light"
    direction: str = ""
    _contents: dict[int, Contents] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        if self.theme not in THEMES:
            raise ValueError(f"a picture was asked for in theme {self.theme!r}: the themes are {', '.join(THEMES)}")
        if self.direction not in ("", "right", "down"):
            raise ValueError(f"a picture was asked to run {self.direction!r}: it runs 'right' or 'down'")
        count, scopes = len(self.folded.boxes), any(self.folded.whole.scopes())
        if count > LARGEST:
            raise ValueError(
                f"this graph has {count} {'boxes' if scopes else 'nodes'} and a picture holds {LARGEST}: "
                + ("close scopes with depth=0, or draw a part of it" if scopes else "draw a smaller expression")
            )

    def directed(self) -> tuple[Plan, bool]:
        """The plan, and whether it runs to the right."""
        plan = self.plan(self.direction != "down")
        right = self.direction == "right" or (not self.direction and plan.size[0] <= PAGE)
        return plan if right == (self.direction != "down") else self.plan(False), right

    def label(self, edges: list[Edge]) -> str:
        """What stands on the wire of these edges."""
        return number(edges[0].slope) if self.slope and len(edges) == 1 and edges[0].slope is not None else ""

    def contents(self, box: Scope | Node, frame: str) -> Contents:
        if id(box) not in self._contents:
            self._contents[id(box)] = contents(self.folded, box, frame, self.grad)
        return self._contents[id(box)]

    def plan(self, right: bool) -> Plan:
        turned = (lambda w, h: (w, h)) if right else (lambda w, h: (h, w))

        def label(edges: list[Edge]) -> Size:
            text = self.label(edges)
            if not text:
                return HEAD + PAD, 2 * PAD
            wide = len(text) * LETTER + 2 * PAD
            return (wide + HEAD, LINE) if right else (LINE + HEAD + PAD, wide)

        def box(box: Scope | Node, frame: str, labels: list[Size]) -> Size:
            along, across = turned(*self.contents(box, frame).size)
            return along, max(across, sum(size[1] for size in labels) + 2 * PAD)

        def head(scope: Scope, frame: str) -> Size:
            return turned(cells(shortened(title(scope, frame))) * LETTER + 2 * PAD, LINE + PAD)

        return Placing(self.folded, box, label, head, right).plan()
