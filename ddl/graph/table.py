"""Where a graph finds its ops by name, and its edges by their ends."""

from .. import fused, ops
from ..define import Op
from .data import Edge, Graph, Node

OPS = {v.name: v for room in (ops, fused) for v in vars(room).values() if isinstance(v, Op)}


def op_of(graph: Graph, node: Node) -> Op:
    """The op of a node: the one that was called, or, of a graph that was read from a file, the library's."""
    op = graph.ops.get(node.op) or OPS.get(node.op)
    if op is None:
        raise NotImplementedError(
            f"the op {node.op!r} of node {node.id} was asked for, but the library has none of that name; "
            "trace a function made of its ops"
        )
    return op


def into(graph: Graph) -> list[list[Edge]]:
    """For each node the edges that end in it, by slot."""
    if not isinstance(graph, Graph):
        raise TypeError(f"a graph is worked on here, but {graph!r} was given: make one with ddl.trace(f, *inputs)")
    found: list[list[Edge]] = [[] for _ in graph.nodes]
    for edge in sorted(graph.edges, key=lambda e: e.slot):
        found[edge.end].append(edge)
    return found
