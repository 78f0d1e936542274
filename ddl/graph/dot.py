"""A graph in Graphviz's language, with a cluster for each open scope."""

from collections.abc import Iterable, Iterator

from .data import Graph
from .folding import Folded, Scope, fold
from .words import gives, number, plain, shortened, title, told

SHAPES = {
    "input": "shape=oval",
    "parameter": "shape=octagon",
    "constant": "shape=box, style=dashed",
    "op": "shape=box, style=rounded",
    "scope": "shape=box3d",
}


def to_dot(graph: Graph, depth: int | None = None, open: Iterable[str] = ()) -> str:
    """DOT for `dot -Tsvg` and its like; `depth` and `open` say what is folded, as in `ddl.graph.folding.fold`.

    Inputs are ovals, parameters octagons, constants dashed, folded scopes blocks in three dimensions, and outputs have
    a thick line. The full text of what is shortened is the tooltip.
    """
    folded = fold(graph, depth, open)
    begin = ["digraph {", 'node [fontname="monospace", fontsize=10]', 'edge [fontname="monospace", fontsize=9]']
    return "\n".join([*begin, *_inside(folded, folded.whole), *_wires(folded), "}", ""])


def _inside(folded: Folded, scope: Scope) -> Iterator[str]:
    for x in scope.inside:
        if isinstance(x, Scope) and not x.closed:
            yield f"subgraph cluster_{next(x.nodes()).id}_{x.path.count('.')} {{"
            yield f"label={_quoted(shortened(title(x, scope.path)))}; tooltip={_quoted(plain(x.path))}"
            yield from [*_inside(folded, x), "}"]
        else:
            kind = "scope" if isinstance(x, Scope) else x.kind
            label, full = (r"\n".join(map(_escaped, texts)) for texts in told(folded, x, scope.path))
            twice = ", penwidth=3" if gives(folded, x) else ""
            yield f'n{folded.boxes.index(x)} [label="{label}", tooltip="{full}", {SHAPES[kind]}{twice}]'


def _wires(folded: Folded) -> Iterator[str]:
    for wire in folded.wires:
        slopes = [edge.slope for edge in wire.edges if edge.slope is not None]
        label = f" [label={_quoted(number(slopes[0]))}]" if len(slopes) == 1 else ""
        yield f"n{wire.start} -> n{wire.end}{label}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")


def _quoted(text: str) -> str:
    return f'"{_escaped(text)}"'
