"""What of a graph is drawn, and where: it is folded and given room."""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from .contents import LETTER, LINE, PAD, Contents, contents
from .data import Edge, Node
from .folding import Folded, Scope
from .placing import HEAD, Placing, Plan, Size
from .roles import roles
from .shapes import THEMES
from .words import array, cells, number, shortened, title

Said = tuple[str, str]  # a colour of the theme, and a few letters in it
LARGEST = 150  # boxes
PAGE = 900.0  # points, beyond which a picture runs down and not to the right


def extent(label: list[Said]) -> float:
    return LETTER * sum(len(text) + 1 for _, text in label) - LETTER


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
    _roles: dict[tuple[int, int], str] = field(default_factory=dict, init=False)
    _forks: set[int] = field(default_factory=set, init=False)

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
        open_ones = {box.id for box in self.folded.boxes if isinstance(box, Node)}
        self._roles = {at: word for at, word in roles(self.folded.graph).items() if at[0] in open_ones}
        self._forks = {i for i, n in Counter(edge.start for edge in self.folded.graph.edges).items() if n > 1}

    def directed(self) -> tuple[Plan, bool]:
        """The plan, and whether it runs to the right."""
        plan = self.plan(self.direction != "down")
        right = self.direction == "right" or (not self.direction and plan.size[0] <= PAGE)
        return plan if right == (self.direction != "down") else self.plan(False), right

    def label(self, edges: list[Edge]) -> list[Said]:
        """What stands on the wire of these edges: a slope, or which input it is and how much of a gradient comes back.

        Where a value is used once, all of its gradient does, and its box says so already.
        """
        if len(edges) > 1:
            return []
        (edge,) = edges
        if edge.slope is not None:
            return [("slope", number(edge.slope))] if self.slope else []
        role, back = self._roles.get((edge.end, edge.slot)), array(edge.carries)
        shared = self.grad and back is not None and edge.start in self._forks
        length = [("grad", f"|g| {float(np.linalg.norm(back)):.3g}")] if shared else []
        return ([("dim", role)] if role else []) + length

    def contents(self, box: Scope | Node, frame: str) -> Contents:
        if id(box) not in self._contents:
            self._contents[id(box)] = contents(self.folded, box, frame, self.grad)
        return self._contents[id(box)]

    def plan(self, right: bool) -> Plan:
        turned = (lambda w, h: (w, h)) if right else (lambda w, h: (h, w))

        def label(edges: list[Edge]) -> Size:
            said = self.label(edges)
            if not said:
                return HEAD + PAD, 2 * PAD
            wide = extent(said) + 2 * PAD
            return (wide + HEAD, LINE) if right else (LINE + HEAD + PAD, wide)

        def box(box: Scope | Node, frame: str, labels: list[Size]) -> Size:
            along, across = turned(*self.contents(box, frame).size)
            return along, max(across, sum(size[1] for size in labels) + 2 * PAD)

        def head(scope: Scope, frame: str) -> Size:
            return turned(cells(shortened(title(scope, frame))) * LETTER + 2 * PAD, LINE + PAD)

        return Placing(self.folded, box, label, head, right).plan()
