"""The text twin of a graph's picture: a line a box, oldest first, for those who cannot see it and for tests."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from .data import Edge, Graph, Node
from .folding import Folded, Scope, fold
from .words import array, ends, number, numeral, ops, plain, settings, shape, values

INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "**", "matmul": "@"}
INFIX |= {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="} | {sign: sign for sign in "+-*/"}


def to_text(
    graph: Graph, depth: int | None = None, open: Iterable[str] = (), grad: bool = True, slope: bool = True
) -> str:
    """Each box in words: how it was made, its shape, its numbers and gradient; folded as its picture is."""
    folded = fold(graph, depth, open)
    names = _names(folded)
    into: list[list[Edge]] = [[] for _ in graph.nodes]
    for edge in sorted(graph.edges, key=lambda edge: edge.slot):
        into[edge.end].append(edge)
    lines = [
        _scope(folded, box, names) if isinstance(box, Scope) else _node(graph, box, names, into[box.id], grad, slope)
        for box in folded.boxes
    ]
    given = [f"taken for granted: {', '.join(graph.assumptions)}"] if graph.assumptions else []
    return "\n".join(lines + given)


def describe(data: dict[str, Any], grad: bool = True, slope: bool = True) -> str:
    """The data of `Scalar.graph()` in words: how each number was made, value, gradient, local derivatives."""
    return to_text(of_data(data), grad=grad, slope=slope)


def of_data(data: dict[str, Any]) -> Graph:
    """The graph of what `Scalar.graph()` gives."""
    graph = Graph()
    for n in data["nodes"]:
        kind = "op" if n["op"] else "input"
        numbers = {"value": np.float64(n["value"]), "grad": np.float64(n["grad"])}
        graph.nodes.append(Node(n["id"], kind, n["op"], n["name"], (), np.dtype(float), **numbers))
    slots: Counter = Counter()
    for e in data["edges"]:
        graph.edges.append(Edge(e["from"], e["to"], slots[e["to"]], e["slope"]))
        slots[e["to"]] += 1
    starts = {edge.start for edge in graph.edges}
    graph.inputs = [node.id for node in graph.nodes if node.kind == "input"]
    graph.outputs = [node.id for node in graph.nodes if node.kind == "op" and node.id not in starts]
    return graph


def _names(folded: Folded) -> list[str]:
    """What each node is called: by its own name where no other has it, by its folded scope's, or by its number."""
    taken = Counter(plain(node.name).strip() for node in folded.graph.nodes)
    names = []
    for node in folded.graph.nodes:
        name = plain(node.name).strip()
        names.append(name if name and taken[name] == 1 else f"{name}#{node.id}")
    for box in folded.boxes:
        if isinstance(box, Scope):
            for node in box.nodes():
                names[node.id] = _called(box)
    return names


def _called(scope: Scope) -> str:
    return plain(scope.path) + (f" ({scope.part} of {scope.parts})" if scope.parts > 1 else "")


def _scope(folded: Folded, scope: Scope, names: list[str]) -> str:
    taken, given = ends(folded, scope)
    count = scope.parameters
    shapes = " -> ".join(", ".join(shape(node, dtype=True) for node in nodes) or "nothing" for nodes in (taken, given))
    inside = sum(node.kind == "op" for node in scope.nodes())
    of = ", ".join(dict.fromkeys(names[node.id] for node in taken))
    about = [f"{count:,} parameters"] if count else []
    return (
        f"{_called(scope)} = {inside} ops ({', '.join(ops(scope))}) of {of or 'nothing'}: {', '.join([*about, shapes])}"
    )


def _node(graph: Graph, node: Node, names: list[str], into: list[Edge], grad: bool, slope: bool) -> str:
    parents = [names[edge.start] for edge in into]
    line = names[node.id] + (f" = {_made(node, parents)}" if node.op else "")
    if not numeral(node):
        line += f": {'' if node.op else node.kind + ' '}{shape(node, dtype=True)}"
    if array(node.value) is not None:
        line += f" = {_numbers(node.value)}"
    if grad and array(node.grad) is not None:
        line += f", grad {_numbers(node.grad)}"
    told = [(parent, edge.slope) for parent, edge in zip(parents, into) if edge.slope is not None]
    if slope and told:
        line += ", slopes: " + ", ".join(f"{parent} {number(x)}" for parent, x in told)
    return line + (f", in {plain(node.scope)}" if node.scope else "")


def _numbers(x: Any) -> str:
    x = array(x)
    return number(x.reshape(-1)[0].item()) if x.ndim == 0 else values(x)


def _made(node: Node, parents: list[str]) -> str:
    op, said = node.op, settings(node)
    if op in INFIX and len(parents) == 2:
        return f" {INFIX[op]} ".join(parents)
    if op == "neg":
        return f"-{parents[0]}"
    if op.startswith("**"):
        return f" {op} ".join(parents) if len(parents) == 2 else f"{parents[0]}{op}"
    if op == "getitem":
        return f"{parents[0]}{said}"
    return f"{op}({', '.join([*parents, said] if said else parents)})"
