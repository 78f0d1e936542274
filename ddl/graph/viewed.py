"""A graph as the player takes it: its record, a place for everything, and its formulas as MathML."""

import math
from dataclasses import replace
from functools import cache
from typing import Any

from .data import Graph
from .nesting import nested
from .pulling import NoValue
from .records import SMALL
from .roles import roles

NUMBERS = 40_000  # of a view, some 20 bytes each


def viewed(graph: Graph) -> dict[str, Any]:
    """JSON-plain data of the schema ddl.graph/1, with `layout` (see `nested`) and a `mathml` for each op.

    In the layout are also `roles`, which input of its op an edge brings (see `roles`), by its place in `graph.edges`.
    A graph with values that was not walked back is walked back here, if its outputs are single numbers. Formulas are
    MathML where math-core is installed, of the extra `course`, and else they are left to `tex`. Of a large graph only
    the smaller arrays are written, so that values, gradients and what edges carry are at most NUMBERS in all.
    """
    graph = walked(graph)
    record = graph.to_dict(_most(graph))  # type: ignore[attr-defined]
    said = roles(graph)
    told = {str(i): said[e.end, e.slot] for i, e in enumerate(graph.edges) if (e.end, e.slot) in said}
    record["layout"] = nested(graph) | {"roles": told}
    for node, row in zip(graph.nodes, record["nodes"]):
        row["mathml"] = _mathml(node.tex) if node.tex else ""
    return record


def _most(graph: Graph) -> int:
    """The largest size of an array to be written, so that all together stay within NUMBERS."""
    arrays = [a for node in graph.nodes for a in (node.value, node.grad)] + [edge.carries for edge in graph.edges]
    sizes = [getattr(a, "size", 1) for a in arrays if a is not None]
    fits = lambda most: sum(size for size in sizes if size <= most) <= NUMBERS
    return next((most for most in (SMALL, 256, 64, 16, 4, 1) if fits(most)), 0)


def walked(graph: Graph) -> Graph:
    """A copy with gradients, where there are none yet and outputs are single numbers; else the graph itself."""
    ends = [graph.nodes[i] for i in graph.outputs]
    numbers = ends and all(math.prod(node.shape) == 1 and node.dtype.kind == "f" for node in ends)
    if not numbers or any(node.grad is not None for node in graph.nodes):
        return graph
    copy = replace(graph, nodes=[replace(node) for node in graph.nodes], edges=[*graph.edges])
    try:
        return copy.walk_back()  # type: ignore[attr-defined]
    except (NoValue, NotImplementedError, RuntimeError):  # shapes alone, or an op without a gradient: the way forward
        return graph


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
