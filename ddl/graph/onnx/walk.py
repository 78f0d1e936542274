"""A graph of ddl in ONNX, node by node: by a row of the table, or by the op's definition, which is traced for it."""

from typing import Any

import numpy as np

from ...spec import Spec
from ..data import Edge, Graph, Node
from ..table import OPS, into
from ..tracing import trace_definition
from .refusals import no_values, refuse
from .rows import ROWS
from .writer import Value, Writer


def write(w: Writer, graph: Graph, values: dict[int, Any]) -> list[Any]:
    """Write what the outputs come of; `values` has the inputs, and gets the rest. Returns the outputs."""
    edges = into(graph)
    for node in needed(graph, edges):
        if node.id not in values:
            inputs = [None] * max((e.slot + 1 for e in edges[node.id]), default=0)
            for edge in edges[node.id]:
                inputs[edge.slot] = values[edge.start]
            values[node.id] = applied(w, graph, node, inputs) if node.kind == "op" else given(w, node)
    return [values[i] for i in graph.outputs]


def needed(graph: Graph, edges: list[list[Edge]]) -> list[Node]:
    """The nodes that the outputs come of, in order."""
    found, left = set(), list(graph.outputs)
    while left:
        if (i := left.pop()) not in found:
            found.add(i)
            left += [edge.start for edge in edges[i]]
    return [graph.nodes[i] for i in sorted(found)]


def given(w: Writer, node: Node) -> Any:
    """A parameter or a constant as an initializer; what is no array takes its dtype from others, and stays a number."""
    value = node.value if node.value is not None else w.values.get(node.name)
    if value is None:
        no_values(node)
    if node.kind == "constant" and not hasattr(value, "dtype"):
        return value
    value = np.asarray(value.get() if hasattr(value, "get") else value).astype(node.dtype)
    return w.initializer(value, node.name or "constant")


def applied(w: Writer, graph: Graph, node: Node, inputs: list[Any]) -> Value:
    """What an op gives; of one that is not the library's the name says nothing."""
    outside, w.scope = w.scope, node.scope or w.scope
    op = graph.ops.get(node.op, OPS.get(node.op))
    row = ROWS.get(node.op) if op is OPS.get(node.op) else None
    out = row(w, node, *inputs, **node.settings) if row else NotImplemented
    if out is NotImplemented:
        out = defined(w, op, node, inputs)
    w.scope = outside
    return out._replace(shape=node.shape)


def defined(w: Writer, op: Any, node: Node, inputs: list[Any]) -> Value:
    """The op by its definition, traced on shapes."""
    if op is None or op.wants_xp:
        refuse(node, w.scope)

    def define(*xs: Any) -> Any:
        out = op.forward(*xs, **node.settings)
        return out[0] if op.saves else out

    inner = trace_definition(define, *(Spec(x.shape, x.dtype) if isinstance(x, Value) else x for x in inputs))
    if any(n.op == node.op for n in inner.nodes):
        refuse(node, w.scope)
    (out,) = write(w, inner, dict(zip(inner.inputs, (x for x in inputs if isinstance(x, Value)))))
    return out
