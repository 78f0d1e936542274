"""Questions to a graph: what it keeps, how deep it is, what takes no part in it."""

from typing import Any

from .data import Graph, Node
from .pulling import Pull
from .table import into


def kept_bytes(graph: Graph) -> Any:
    """The bytes that its ops keep for their gradients, each array once; parameters and inputs left out."""
    return sum(node.kept_bytes for node in graph.nodes)


def longest_path(graph: Graph) -> list[Node]:
    """The nodes of a longest chain of ops, first node first: so many steps cannot be done side by side."""
    depth = [0] * len(graph.nodes)
    before: dict[int, int] = {}
    for node, edges in zip(graph.nodes, into(graph)):
        for edge in edges:
            if depth[edge.start] >= depth[node.id]:
                depth[node.id], before[node.id] = depth[edge.start] + 1, edge.start
    if not depth:
        return []
    path = [depth.index(max(depth))]
    while path[-1] in before:
        path.append(before[path[-1]])
    return [graph.nodes[i] for i in reversed(path)]


def unused(graph: Graph) -> list[Node]:
    """The nodes from which no way leads to an output: dead branches, and inputs and parameters that take no part."""
    reached, edges = set(graph.outputs), into(graph)
    for node in reversed(graph.nodes):
        if node.id in reached:
            reached.update(edge.start for edge in edges[node.id])
    return [node for node in graph.nodes if node.id not in reached]


def without_gradient(graph: Graph) -> list[Node]:
    """The parameters and floating-point inputs that no gradient of an output reaches: they take no part, or only by
    steps such as argmax or detach.
    """
    pull = Pull(graph)
    reached = pull.live.intersection(graph.outputs)
    for node in reversed(graph.nodes):
        if node.id in reached:
            reached.update(edge.start for edge in pull.into[node.id] if edge.start in pull.live)
    return [node for node in graph.nodes if node.kind != "op" and node.id in pull.live - reached]
