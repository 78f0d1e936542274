"""Room for a folded graph: columns get lengths, rows breadths, and open scopes frames around what they hold.

All is reckoned along the computation and across it, so that one picture can run to the right and another one down.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

from .data import Edge, Node
from .folding import Folded, Scope
from .layout import spread
from .nesting import nested

GAP, LANE = 12.0, 12.0
SHORTEST, LONGEST = 22.0, 70.0  # of the stretch between two columns in which wires turn
HEAD = 6.0  # of an arrow

Size = tuple[float, float]  # along and across
Room = tuple[float, float, float, float]  # where it begins, along and across, and its size


@dataclass(eq=False)
class Run:
    """A wire of one scope: stops that turn only between columns, and what it ends in, None for a scope's frame."""

    stops: list[Size]
    edges: list[Edge]
    end: Scope | Node | None
    frame: str  # the path of the scope that it runs in


@dataclass
class Plan:
    """Where everything is; of an open scope also where values come in and leave, by node and across."""

    size: Size = (0.0, 0.0)
    boxes: list[tuple[Scope | Node, str, Room]] = field(default_factory=list)  # with the path of the frame around
    frames: list[tuple[Scope, str, Room]] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    ports: dict[str, float] = field(default_factory=dict)

    def add(self, other: "Plan", along: float, across: float) -> None:
        move = lambda room: (room[0] + along, room[1] + across, *room[2:])
        self.boxes += [(box, frame, move(room)) for box, frame, room in other.boxes]
        self.frames += [(scope, frame, move(room)) for scope, frame, room in other.frames]
        self.runs += [Run([move(stop) for stop in run.stops], run.edges, run.end, run.frame) for run in other.runs]


@dataclass(eq=False)
class _Item:
    """What takes a place in a column: a box, a scope that is open, a port in its frame or a wire passing through."""

    size: Size = (0.0, LANE)
    box: Scope | Node | None = None
    plan: Plan | None = None
    begin: float = 0.0
    middle: float = 0.0
    arriving: list[int] = field(default_factory=list)

    def port(self, side: str, value: int) -> float:
        """How far from the middle a value enters or leaves."""
        return self.plan.ports[f"{side}{value}"] - self.size[1] / 2 if self.plan else 0.0


@dataclass
class Placing:
    """Asks whoever draws how large things are: boxes by the paths of their frames, labels, the titles of frames."""

    folded: Folded
    box: Callable[[Scope | Node, str, list[Size]], Size]
    label: Callable[[list[Edge]], Size]
    head: Callable[[Scope, str], Size]
    right: bool  # whether along the computation means to the right, and not down

    def plan(self) -> Plan:
        self.groups = nested(self.folded.graph)["groups"]
        self.scopes = [self.folded.whole, *self.folded.whole.scopes()]
        return self._plan(0)

    def _plan(self, g: int) -> Plan:
        group, scope = self.groups[g], self.scopes[g]
        edges = [[self.folded.graph.edges[e] for e in wire[2]] for wire in group["wires"]]
        arriving: dict[str, list[int]] = {}
        for w, (_, end, _) in enumerate(group["wires"]):
            arriving.setdefault(end, []).append(w)
        columns = [{n: self._item(n, scope, arriving.get(n, []), edges) for n in c} for c in group["columns"]]
        chains = [self._chain(columns, w, *wire[:2]) for w, wire in enumerate(group["wires"])]
        values = [wire[0].start for wire in edges]
        _spread(columns, chains, values)
        across = [_across(chain, value) for chain, value in zip(chains, values)]
        for item in (item for column in columns for item in column.values()):
            item.arriving.sort(key=lambda w: across[w][-2])
            if item.box and not item.plan:
                for w, at in zip(item.arriving, self._ports([edges[w] for w in item.arriving])):
                    across[w][-1] = item.middle + at
        hops = _hops(columns, chains, across)
        turns, length = self._along(columns, hops, edges)
        return self._settled(g, columns, chains, across, edges, turns, length)

    def _item(self, name: str, scope: Scope, arriving: list[int], edges: list[list[Edge]]) -> _Item:
        if name[0] not in "ng":
            return _Item()
        number = int(name[1:])
        box = self.folded.graph.nodes[number] if name[0] == "n" else self.scopes[number]
        if isinstance(box, Scope) and not box.closed:
            plan = self._plan(number)
            return _Item(plan.size, box, plan, arriving=arriving)
        return _Item(self.box(box, scope.path, [self.label(edges[w]) for w in arriving]), box, arriving=arriving)

    def _chain(self, columns: list[dict[str, _Item]], w: int, start: str, end: str) -> list[tuple[int, _Item]]:
        """The items that a wire touches, each with its column."""
        return [(c, column[n]) for c, column in enumerate(columns) for n in (start, f"w{w}", end) if n in column]

    def _ports(self, arriving: list[list[Edge]]) -> list[float]:
        sizes = [self.label(edges)[1] for edges in arriving]
        at, places = -sum(sizes) / 2, []
        for size in sizes:
            places.append(at + size / 2)
            at += size
        return places

    def _along(self, columns: list, hops: list, edges: list) -> tuple[list[Size], float]:
        """By column where wires begin and end to turn before it; sets where its items begin, and gives the length."""
        turns, at = [], 0.0
        for c, (column, entering) in enumerate(zip(columns, hops)):
            steepest = max((abs(after - before) for before, after in entering), default=0.0)
            turned = at + (min(max(SHORTEST, 0.4 * steepest), LONGEST) if c and entering else 0.0)
            leaves = [item for item in column.values() if item.box and not item.plan]
            strip = max((self.label(edges[w])[0] for item in leaves for w in item.arriving), default=0.0)
            longest = max((item.size[0] for item in leaves), default=0.0)
            for item in column.values():
                item.begin = turned + strip
                if self.right and item in leaves:
                    item.size = (longest, item.size[1])
            turns.append((at, turned))
            at = max([turned + strip] + [item.begin + item.size[0] for item in column.values()])
        return turns, at

    def _settled(
        self, g: int, columns: list, chains: list, across: list, edges: list, turns: list, length: float
    ) -> Plan:
        plan, path = Plan(), self.scopes[g].path
        items = [(name, item) for column in columns for name, item in column.items()]
        breadth = max((item.middle + item.size[1] / 2 for _, item in items), default=0.0)
        (along, over), least = self._head(g, items)
        for name, item in items:
            room = (item.begin + along, item.middle - item.size[1] / 2 + over, *item.size)
            if item.plan:
                plan.frames.append((item.box, path, room))
                plan.add(item.plan, *room[:2])
            elif item.box:
                plan.boxes.append((item.box, path, room))
            elif name[0] in "io":
                plan.ports[name] = item.middle + over
        for chain, ys, carried in zip(chains, across, edges):
            stops = _stops(chain, ys, turns)
            stops[0] = (0.0 - along, ys[0]) if g and not chain[0][1].box else stops[0]
            stops = [(a + along, b + over) for a, b in stops]
            end = chain[-1][1]
            plan.runs.append(Run(stops, carried, None if end.plan else end.box, path))
        side = GAP if g else 0.0
        after = 0.0 if any(name[0] == "o" for name, _ in items) else side
        plan.size = (max(length + along + after, least[0]), max(breadth + over + side, least[1]))
        return plan

    def _head(self, g: int, items: list[tuple[str, _Item]]) -> tuple[Size, Size]:
        """How far the title of a frame moves all along and across, and how large the frame is at least."""
        if not g:
            return (0.0, 0.0), (0.0, 0.0)
        along, across = self.head(self.scopes[g], self.scopes[self.groups[g]["parent"]].path)
        if self.right:
            return (0.0, across), (along, 0.0)
        first = min((item.middle for name, item in items if name[0] == "i"), default=across)
        return (along, max(GAP, across - first)), (0.0, across)  # what comes in passes beside the title


def _spread(columns: list[dict[str, _Item]], chains: list, values: list[int]) -> None:
    """Middles that keep the order and pull each item to what it is linked with."""
    items = [item for column in columns for item in column.values()]
    place = {item: i for i, item in enumerate(items)}
    near: list[list[tuple[int, float]]] = [[] for _ in items]
    for chain, value in zip(chains, values):
        for (_, a), (_, b) in pairwise(chain):
            shift = a.port("o", value) - b.port("i", value)
            near[place[b]].append((place[a], shift))
            near[place[a]].append((place[b], -shift))
    rows = [[place[item] for item in column.values()] for column in columns]
    for item, middle in zip(items, spread(rows, near, [item.size[1] for item in items], GAP)):
        item.middle = middle


def _across(chain: list[tuple[int, _Item]], value: int) -> list[float]:
    """Where a wire is in each column that it touches."""
    ys = [item.middle for _, item in chain]
    ys[0] += chain[0][1].port("o", value)
    ys[-1] += chain[-1][1].port("i", value)
    return ys


def _hops(columns: list, chains: list, across: list) -> list[list[Size]]:
    """By column, where each wire that enters it comes from and arrives."""
    hops: list[list[Size]] = [[] for _ in columns]
    for chain, ys in zip(chains, across):
        for (c, _), before, after in zip(chain[1:], ys, ys[1:]):
            hops[c].append((before, after))
    return hops


def _stops(chain: list[tuple[int, _Item]], ys: list[float], turns: list[Size]) -> list[Size]:
    (_, first), (_, last) = chain[0], chain[-1]
    stops = [(first.begin + first.size[0], ys[0])]
    for (c, _), before, after in zip(chain[1:], ys, ys[1:]):
        stops += [(turns[c][0], before), (turns[c][1], after)]
    return [*stops, (last.begin, ys[-1])]
