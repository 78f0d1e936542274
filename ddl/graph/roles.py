"""Which of an op's inputs a wire brings, where a picture does not show it: x - y is not y - x."""

from .data import Graph
from .table import OPS, into

SYMMETRIC = set("add mul maximum minimum total eq ne logical_and logical_or logical_xor".split())
SYMMETRIC |= {"bitwise_and", "bitwise_or", "bitwise_xor"}
WORDS = {"where": ("if", "then", "else")}


def roles(graph: Graph) -> dict[tuple[int, int], str]:
    """Words by node and slot, for ops of which two inputs or more cannot be told by what their boxes are called."""
    found = {}
    for node, edges in zip(graph.nodes, into(graph)):
        if node.op in SYMMETRIC or len({edge.start for edge in edges}) < 2:
            continue
        said = {edge.slot: _word(graph, node.op, edge.slot) for edge in edges}
        unclear = [e.slot for e in edges if graph.nodes[e.start].name.rpartition(".")[2] != said[e.slot]]
        if len(unclear) > 1:
            found.update(((node.id, slot), said[slot]) for slot in unclear)
    return found


def _word(graph: Graph, name: str, slot: int) -> str:
    op = graph.ops.get(name) or OPS.get(name)
    names = WORDS.get(name) or (op.inputs if op and not op.variadic and op.inputs != ("x", "y") else ())
    return names[slot][:12] if slot < len(names) else {0: "1st", 1: "2nd", 2: "3rd"}.get(slot, f"{slot + 1}th")
