"""A graph folded by its scopes: a closed one becomes one box, an open one a frame around what it holds.

A scope that is left and entered again, because its module ran twice or something else ran in between, has a box for
each stretch of the run. One box for all would have arrows going round in a circle that the computation does not have.
"""

from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby, takewhile

import numpy as np

from ..checks import whole as whole_number
from .data import Edge, Graph, Node

LEGIBLE = 20  # boxes that are taken in at one look


@dataclass(eq=False)
class Scope:
    """One stretch of a run inside a scope: its nodes, and the stretches of scopes within it, parents first."""

    path: str
    inside: "list[Scope | Node]"
    closed: bool = False
    part: int = 1
    parts: int = 1

    def nodes(self) -> Iterator[Node]:
        for x in self.inside:
            yield from x.nodes() if isinstance(x, Scope) else (x,)

    def boxes(self) -> "Iterator[Scope | Node]":
        """What is drawn as one box each: nodes, and scopes that are closed."""
        for x in self.inside:
            yield from x.boxes() if isinstance(x, Scope) and not x.closed else (x,)

    def scopes(self) -> "Iterator[Scope]":
        for x in self.inside:
            if isinstance(x, Scope):
                yield x
                yield from x.scopes()

    @property
    def parameters(self) -> int:
        """How many numbers the parameters inside hold."""
        return sum(int(np.prod(node.shape)) for node in self.nodes() if node.kind == "parameter")

    def close(self, depth: int, open: Iterable[str] = (), layers: bool = True) -> None:
        """Close what lies deeper than this many scopes, with no `layers` what holds none too; nothing in `open`."""
        for x in self.inside:
            if isinstance(x, Scope):
                x.closed = (depth < 1 or not (layers or any(x.scopes()))) and x.path not in open
                x.close(depth - 1, open, layers)


@dataclass(frozen=True)
class Wire:
    """The value of one node on its way into a box: by one edge into an op, by all into a closed scope."""

    start: int
    end: int
    edges: tuple[Edge, ...]


@dataclass
class Folded:
    """Boxes, parents first, and the wires between them; `whole` nests the boxes in the scopes that are open."""

    graph: Graph
    whole: Scope
    boxes: list[Scope | Node] = field(init=False)
    wires: list[Wire] = field(init=False)

    def __post_init__(self) -> None:
        self.boxes = list(self.whole.boxes())
        home = {}
        for i, box in enumerate(self.boxes):
            home |= {node.id: i for node in (box.nodes() if isinstance(box, Scope) else [box])}
        along: dict[tuple, list[Edge]] = {}
        for edge in self.graph.edges:
            start, end = home[edge.start], home[edge.end]
            if start != end:
                slot = None if isinstance(self.boxes[end], Scope) else edge.slot
                along.setdefault((start, end, edge.start, slot), []).append(edge)
        self.wires = [Wire(start, end, tuple(edges)) for (start, end, *_), edges in along.items()]


def fold(graph: Graph, depth: int | None = None, open: Iterable[str] = ()) -> Folded:
    """The graph with the scopes of the `depth` outermost levels open, and those in `open`, by their paths.

    Without either, all is open if no more than 20 boxes come of it; or else layers are closed, and of the scopes around
    them those that lie too deep for 20. A parameter that one box alone uses is inside it; one of several stands alone.
    """
    if depth is not None:
        whole_number("a folded graph", 0, depth=depth)
    users: dict[int, list[int]] = {}
    for edge in graph.edges:
        users.setdefault(edge.start, []).append(edge.end)
    whole = Scope("", _nested(graph.nodes, "", users, {*graph.inputs, *graph.outputs}))
    _count_parts(whole)
    opened = {open} if isinstance(open, str) else set(open)
    if unknown := opened - {scope.path for scope in whole.scopes()}:
        raise ValueError(f"asked to open {sorted(unknown)}, but the graph's scopes are {_paths(whole)}")
    opened |= {scope.path for scope in whole.scopes() if any(path.startswith(f"{scope.path}.") for path in opened)}
    if depth is None and not opened:
        _close_to_read(whole)
    else:
        whole.close(depth or 0, opened)
    return Folded(graph, whole)


def _nested(nodes: list[Node], path: str, users: dict[int, list[int]], kept: set[int]) -> list[Scope | Node]:
    """The nodes of a stretch in the scope `path`, with those of scopes below it put into stretches of their own."""
    ops = [node for node in nodes if node.kind == "op"]
    runs = [list(run) for _, run in groupby(ops, lambda node: _child(node.scope, path) or node.id)]
    home = {node.id: i for i, run in enumerate(runs) for node in run}
    ends = [run[-1].id for run in runs]
    before: list[list[Scope | Node]] = [[] for _ in range(len(runs) + 1)]
    for node in nodes:
        if node.kind != "op":
            homes = sorted({home[user] for user in users.get(node.id, [])})
            alone = len(homes) == 1 and node.id not in kept and _child(runs[homes[0]][0].scope, path)
            (runs[homes[0]] if alone else before[bisect(ends, node.id)]).append(node)
    inside = []
    for run, others in zip(runs, before):
        inside += [*others, _stretch(run, path, users, kept)]
    return inside + before[-1]


def _stretch(run: list[Node], path: str, users: dict[int, list[int]], kept: set[int]) -> Scope | Node:
    """What came of a run of ops: a scope, or the op alone where that is all there is."""
    if len(run) == 1:
        return run[0]
    scopes = [node.scope.split(".") for node in run if node.kind == "op"]
    steps = zip(min(scopes), max(scopes))
    below = ".".join(a for a, _ in takewhile(lambda step: step[0] == step[1], steps))
    return Scope(below, _nested(run, below, users, kept))


def _child(scope: str, path: str) -> str:
    """The first step from `path` down to `scope`, "" where there is none."""
    return scope[len(path) + bool(path) :].partition(".")[0]


def _count_parts(whole: Scope) -> None:
    parts = Counter(scope.path for scope in whole.scopes())
    seen: Counter = Counter()
    for scope in whole.scopes():
        seen[scope.path] += 1
        scope.part, scope.parts = seen[scope.path], parts[scope.path]


def _close_to_read(whole: Scope) -> None:
    deepest = max((scope.path.count(".") + 1 for scope in whole.scopes()), default=0)
    for depth, layers in ((deepest, True), *((depth, False) for depth in range(deepest, -1, -1))):
        whole.close(depth, layers=layers)
        if len(list(whole.boxes())) <= LEGIBLE:
            return


def _paths(whole: Scope, most: int = 8) -> str:
    paths = sorted({scope.path for scope in whole.scopes()})
    return ", ".join(map(repr, paths[:most])) + (", ..." if len(paths) > most else "") if paths else "none"
