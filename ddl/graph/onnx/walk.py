"""A graph of ddl in ONNX, node by node: by a row of the table, or by the op's definition, which is traced for it."""

from typing import Any

import numpy as np

from ... import fused, ops
from ...define import Op
from ...spec import Spec
from ..data import Graph, Node
from ..tracing import trace
from .refusals import no_values, refuse
from .rows import ROWS
from .writer import Value, Writer

OPS = {v.name: v for room in (ops, fused) for v in vars(room).values() if isinstance(v, Op)}


def write(w: Writer, graph: Graph, values: dict[int, Any]) -> list[Any]:
    """Write what the outputs come of; `values` has the inputs, and gets the rest. Returns the outputs."""
    slots = slots_of(graph)
    for node in needed(graph, slots):
        if node.id not in values:
            starts = slots.get(node.id, {})
            inputs = [values[starts[s]] if s in starts else None for s in range(max(starts, default=-1) + 1)]
            values[node.id] = applied(w, node, inputs) if node.kind == "op" else given(w, node)
    return [values[i] for i in graph.outputs]


def slots_of(graph: Graph) -> dict[int, dict[int, int]]:
    """For each node what its inputs are, by their place."""
    slots: dict[int, dict[int, int]] = {}
    for edge in graph.edges:
        slots.setdefault(edge.end, {})[edge.slot] = edge.start
    return slots


def needed(graph: Graph, slots: dict[int, dict[int, int]]) -> list[Node]:
    """The nodes that the outputs come of, in order."""
    found, left = set(), list(graph.outputs)
    while left:
        if (i := left.pop()) not in found:
            found.add(i)
            left += slots.get(i, {}).values()
    return [graph.nodes[i] for i in sorted(found)]


def given(w: Writer, node: Node) -> Any:
    """A parameter or a constant as an initializer; a number of Python, which takes its dtype from others, as it is."""
    value = node.value if node.value is not None else w.values.get(node.name)
    if value is None:
        no_values(node)
    value = np.asarray(value.get() if hasattr(value, "get") else value).astype(node.dtype)
    if value.shape != node.shape:
        raise ValueError(f"to_onnx was given {node.name!r} of shape {value.shape}, but the graph has {node.shape}")
    if node.kind == "constant" and not value.ndim and node.name == str(value.item()):
        return value.item()
    return w.initializer(value, node.name or "constant")


def applied(w: Writer, node: Node, inputs: list[Any]) -> Value:
    """What an op gives."""
    outside, w.scope = w.scope, node.scope or w.scope
    row = ROWS.get(node.op)
    out = row(w, node, *inputs, **node.settings) if row else NotImplemented
    if out is NotImplemented:
        out = defined(w, node, inputs)
    w.scope = outside
    return out._replace(shape=node.shape)


def defined(w: Writer, node: Node, inputs: list[Any]) -> Value:
    """The op by its definition, traced on shapes."""
    op = OPS.get(node.op)
    if op is None or op.wants_xp:
        refuse(node, w.scope)

    def define(*xs: Any) -> Any:
        out = op.forward(*xs, **node.settings)
        return out[0] if op.saves else out

    inner = trace(define, *(Spec(x.shape, x.dtype) if isinstance(x, Value) else x for x in inputs))
    if any(n.op == node.op for n in inner.nodes):
        refuse(node, w.scope)
    (out,) = write(w, inner, dict(zip(inner.inputs, (x for x in inputs if isinstance(x, Value)))))
    return out
