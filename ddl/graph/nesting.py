"""Places for a graph whose scopes open and close: each scope has columns of its own, and rows with few crossings.

Room is given by whoever draws, who knows what is closed: JavaScript, in ddl/widgets/source/arrange.js. It never has to
find an order again, because a scope takes one place among its neighbours whether it is open or closed.
"""

from dataclasses import dataclass, field

from .data import Graph, Node
from .folding import Scope, fold
from .layout import columns_of, ordered


@dataclass
class _Group:
    """A scope: what stands in it by name, first things first, and its wires, (from, to): the edges that they carry."""

    number: int
    scope: Scope
    parent: "_Group | None"
    names: list[str] = field(default_factory=list)
    wires: dict[tuple[str, str, int, int | None], list[int]] = field(default_factory=dict)

    def path(self) -> list["_Group"]:
        return [*(self.parent.path() if self.parent else []), self]


def nested(graph: Graph) -> dict:
    """The layout as plain data: `{"groups": [...]}`, of which the first is the whole and parents come first.

    A group is `{"scope", "part", "parts", "parent", "closed", "columns", "wires"}`. A column lists what stands in it
    from the top: "n5" is node 5, "g2" group 2, "i5" and "o5" are where the value of node 5 comes into the group and
    leaves it, "w4" is where the group's wire number 4 passes through. A wire is `[from, to, edges]`, by names and by
    places in `graph.edges`. `closed` says how a first look at the graph has it.
    """
    groups: list[_Group] = []
    home = _grouped(fold(graph).whole, None, groups)
    for place, edge in enumerate(graph.edges):
        _wire(place, edge.start, edge.end, edge.slot, home)
    return {"groups": [_laid_out(group) for group in groups]}


def _grouped(scope: Scope, parent: _Group | None, groups: list[_Group]) -> dict[int, _Group]:
    group = _Group(len(groups), scope, parent)
    groups.append(group)
    home = {}
    for x in scope.inside:
        if isinstance(x, Node):
            group.names.append(f"n{x.id}")
            home[x.id] = group
        else:
            group.names.append(f"g{len(groups)}")
            home |= _grouped(x, group, groups)
    return home


def _wire(place: int, start: int, end: int, slot: int, home: dict[int, _Group]) -> None:
    """Lead an edge out of the groups around its start and into those around its end, beside others of its value."""
    out, into = home[start].path(), home[end].path()
    shared = max(i for i, (a, b) in enumerate(zip(out, into)) if a is b)
    stops = [f"n{start}", *[f"g{group.number}" for group in out[:shared:-1]]]
    for group, stop in zip(out[:shared:-1], stops):
        _join(group, stop, f"o{start}", start, None, place)
    ends = [*[f"g{group.number}" for group in into[shared + 1 :]], f"n{end}"]
    starts = [stops[-1], *[f"i{start}"] * (len(ends) - 1)]
    for group, begin, stop in zip(into[shared:], starts, ends):
        _join(group, begin, stop, start, slot if stop[0] == "n" else None, place)


def _join(group: _Group, begin: str, stop: str, value: int, slot: int | None, place: int) -> None:
    group.wires.setdefault((begin, stop, value, slot), []).append(place)


def _laid_out(group: _Group) -> dict:
    ins = dict.fromkeys(begin for begin, *_ in group.wires if begin[0] == "i")
    outs = dict.fromkeys(stop for _, stop, *_ in group.wires if stop[0] == "o")
    names = [*group.names, *ins, *outs]
    place = {name: i for i, name in enumerate(names)}
    ends = [(place[begin], place[stop]) for begin, stop, *_ in group.wires]
    inner = len(group.names)
    columns = columns_of(inner, [(a, b) for a, b in ends if a < inner and b < inner])
    columns = [column + 1 for column in columns]  # what comes in stands left of all, what leaves right of all
    columns += [0] * len(ins) + [max(columns, default=0) + 1] * len(outs)
    scope = group.scope
    return {
        "scope": scope.path,
        "part": scope.part,
        "parts": scope.parts,
        "parent": group.parent.number if group.parent else None,
        "closed": scope.closed,
        "columns": [[names[i] if i >= 0 else f"w{~i}" for i in row] for row in ordered(columns, ends)],
        "wires": [[begin, stop, edges] for (begin, stop, *_), edges in group.wires.items()],
    }
