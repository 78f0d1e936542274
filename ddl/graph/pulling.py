"""One step back: what an op's rule sends along the edges into it, read off a graph alone."""

from typing import Any

from ..backward import unbroadcast
from ..core import Node as Call
from ..define import Op
from .data import Edge, Graph, Node
from .table import into, op_of

Sent = list[tuple[Edge, Any]]


class NoValue(ValueError):
    """A walk back needs numbers that the graph does not hold."""

    def __init__(self, node: Node):
        super().__init__(
            f"a walk back with numbers was asked of a graph whose node {node.id} has no value; "
            "trace with tensors instead of Specs, or ask for graph.backward(), which needs shapes alone"
        )


class Pull:
    """The steps back through a graph; `live` are the nodes that move smoothly as inputs and parameters do."""

    def __init__(self, graph: Graph):
        self.graph = graph
        self.into = into(graph)
        self.live: set[int] = set()
        for node in graph.nodes:
            if self.moves(node):
                self.live.add(node.id)

    def moves(self, node: Node) -> bool:
        if node.kind != "op":
            return node.kind != "constant" and node.dtype.kind == "f"
        return any(e.start in self.live for e in self.into[node.id]) and op_of(self.graph, node).smooth

    def __call__(self, node: Node, g: Any, values: list[Any]) -> Sent:
        """The edges into an op by which gradients travel on, each with its own, where `g` arrived at the op.

        `values` holds what each node is: arrays, or tensors where the step itself is to be recorded.
        """
        op, nodes, edges = op_of(self.graph, node), self.graph.nodes, self.into[node.id]
        data: list[Any] = [None] * (len(edges) if op.variadic else len(op.inputs))
        parents: list[Node | None] = [None] * len(data)
        for e in edges:
            data[e.slot] = values[e.start]
            parents[e.slot] = nodes[e.start] if e.start in self.live else None
        self.check(op, node, values)
        call = Call(op, tuple(parents), node.settings, (), node.shape)
        try:
            pulled = op.pull(call, g, _kept(op, node, data, values[node.id]))
        except Exception as error:
            error.add_note(f"in the backward of {op.name}, node {node.id}")
            raise
        along = [e for e in edges if e.start in self.live]
        return [(e, _fitted(op, nodes[e.start], gradient)) for e, (_, gradient) in zip(along, pulled)]

    def check(self, op: Op, node: Node, values: list[Any]) -> None:
        """Refuse a step for which the graph lacks a value."""
        asked = {node.id} if "out" in op.keeps else set()
        asked |= {e.start for e in self.into[node.id] if op.inputs[0 if op.variadic else e.slot] in op.keeps}
        for i in sorted(asked):
            if values[i] is None:
                raise NoValue(self.graph.nodes[i])


def _kept(op: Op, node: Node, data: list[Any], out: Any) -> tuple:
    """What the op's rule asks for, in its order."""
    known = {op.inputs[0]: tuple(data)} if op.variadic else dict(zip(op.inputs, data))
    known["out"] = out
    if set(op.saves) & set(op.keeps):
        _, *extra = op.forward(*data, **node.settings)
        known.update(zip(op.saves, extra))
    return tuple(known[n] for n in op.keeps)


def _fitted(op: Op, start: Node, gradient: Any) -> Any:
    """A gradient in the shape of the node that it is for."""
    if gradient is None:
        raise NotImplementedError(f"a gradient of {op.name} was asked for with respect to an input that has none")
    return gradient if tuple(gradient.shape) == start.shape else unbroadcast(gradient, start.shape, op.name)
