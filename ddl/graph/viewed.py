"""A graph as the player takes it: its record, a place for everything, and its formulas as MathML."""

import math
import re
from dataclasses import replace
from functools import cache
from html import escape
from typing import Any

from .data import Edge, Graph, Node
from .nesting import nested
from .table import into, op_of
from .words import number, numeral, setting, settings, shortened

MARK = re.compile(r"<mtext>Q(\d+)Q</mtext>")


def viewed(graph: Graph) -> dict[str, Any]:
    """JSON-plain data of the schema ddl.graph/1, with `layout` (see `nested`) and a `mathml` for each op.

    A graph with values that was not walked back is walked back here, if its outputs are single numbers. Formulas are
    MathML where math-core is installed, of the extra `course`, and else they are left to `tex`.
    """
    graph = walked(graph)
    record = graph.to_dict()  # type: ignore[attr-defined]
    record["layout"] = nested(graph)
    for node, row, edges in zip(graph.nodes, record["nodes"], into(graph)):
        row["tex"], row["mathml"] = _formula(graph, node, edges) if node.tex else ("", "")
    return record


def walked(graph: Graph) -> Graph:
    """A copy with gradients, where there are none yet and outputs are single numbers; else the graph itself."""
    ends = [graph.nodes[i] for i in graph.outputs]
    numbers = ends and all(math.prod(node.shape) == 1 and node.dtype.kind == "f" for node in ends)
    if not numbers or any(node.value is None or node.grad is not None for node in graph.nodes):
        return graph
    copy = replace(graph, nodes=[replace(node) for node in graph.nodes], edges=[*graph.edges])
    try:
        return copy.walk_back()  # type: ignore[attr-defined]
    except (NotImplementedError, RuntimeError):  # an op without a gradient: what is left is the way forward
        return graph


def _formula(graph: Graph, node: Node, edges: list[Edge]) -> tuple[str, str]:
    """The formula with its names filled in, as text and as MathML, "" where that cannot be made."""
    op = op_of(graph, node)
    said = {e.slot: _symbol(graph.nodes[e.start]) for e in edges}
    names = {op.inputs[slot]: x for slot, x in said.items() if not op.variadic}
    names |= {op.inputs[0]: ", ".join(said.values())} if op.variadic else {}
    names |= {name: shortened(setting(x), 16) for name, x in node.settings.items()}
    if node.op == "getitem":
        names["index"] = shortened(settings(node)[1:-1], 24)
    names |= {name: "none" for name in (*op.inputs, *op.settings) if name not in names}
    order = list(names)
    tex = re.sub(r" \+ \{(\w+)\}", lambda found: "" if names[found[1]] == "none" else found[0], node.tex)
    marked = tex.format(**{name: rf"\text{{Q{i}Q}}" for i, name in enumerate(order)})
    mathml = MARK.sub(lambda found: f"<mi>{escape(names[order[int(found[1])]])}</mi>", _mathml(marked))
    return tex.format(**{name: rf"\text{{{text}}}" for name, text in names.items()}), mathml


def _symbol(node: Node) -> str:
    if node.kind == "constant" and node.value is not None and numeral(node):
        return number(node.value if node.weak else node.value.item())
    return shortened(node.name.strip(), 16) or f"#{node.id}"


@cache
def _mathml(tex: str) -> str:
    try:
        from math_core import LatexError, LatexToMathML
    except ImportError:
        return ""
    try:
        return LatexToMathML(fancy_error=False).convert_with_local_state(tex, displaystyle=True)
    except LatexError:
        return ""
