"""A graph as a Mermaid flowchart, which many Markdown pages draw, with a subgraph for each open scope."""

import re
from collections.abc import Iterable, Iterator

from .data import Graph
from .folding import Folded, Scope, fold
from .words import gives, number, shortened, title, told

SHAPES = {
    "input": '(["{}"])',
    "parameter": '{{{{"{}"}}}}',
    "constant": '[/"{}"/]',
    "op": '["{}"]',
    "scope": '[["{}"]]',
}


def to_mermaid(graph: Graph, depth: int | None = None, open: Iterable[str] = ()) -> str:
    """A flowchart; `depth` and `open` say what is folded, as in `ddl.graph.folding.fold`.

    Inputs have round ends, parameters are hexagons, constants slanted, folded scopes have double sides, and outputs a
    thick line.
    """
    folded = fold(graph, depth, open)
    outputs = [f"class n{i} output" for i, box in enumerate(folded.boxes) if gives(folded, box)]
    style = ["classDef output stroke-width:4px", *outputs] if outputs else []
    return "\n".join(["flowchart TD", *_inside(folded, folded.whole), *_wires(folded), *style, ""])


def _inside(folded: Folded, scope: Scope) -> Iterator[str]:
    for x in scope.inside:
        if isinstance(x, Scope) and not x.closed:
            yield f'subgraph s{next(x.nodes()).id}_{x.path.count(".")}["{_escaped(shortened(title(x, scope.path)))}"]'
            yield from [*_inside(folded, x), "end"]
        else:
            text = "<br/>".join(map(_escaped, told(folded, x, scope.path)[0]))
            yield f"n{folded.boxes.index(x)}" + SHAPES["scope" if isinstance(x, Scope) else x.kind].format(text)


def _wires(folded: Folded) -> Iterator[str]:
    for wire in folded.wires:
        slopes = [edge.slope for edge in wire.edges if edge.slope is not None]
        label = f'|"{_escaped(number(slopes[0]))}"|' if len(slopes) == 1 else ""
        yield f"n{wire.start} -->{label} n{wire.end}"


def _escaped(text: str) -> str:
    """With all that could be markup, of Mermaid's own, of HTML or of Markdown, as the numbers of its characters."""
    return re.sub(r"[^\w ,()\[\]=:→×…]|^\d+(?=\.)", lambda sign: "".join(f"#{ord(c)};" for c in sign[0]), text)
