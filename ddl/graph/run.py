"""A recorded graph run again, op by op, on other inputs: what that needs is in the graph, or is said to be missing."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..arrays import is_array, put_beside
from ..core import Tensor
from ..sizes import named
from ..spec import Spec
from .data import Graph, Node
from .given import called, number, numbers_of, parameters_of, received
from .table import into, op_of
from .tracing import statistics


def run(graph: Graph, *inputs: Any, parameters: Mapping[str, Any] | None = None) -> Any:
    """What the traced function gives for these inputs: a tensor, or a tuple of the tensors that it returned.

    Inputs are tensors, arrays or lists, of the shapes and dtypes they were traced with; a named size takes any number
    that fits `graph.assumptions`. Where they are, all is computed. `parameters` gives parameters and buffers by their
    paths, as `model.state_dict()` does; the others are as the graph holds them. What was decided while tracing stays:
    branches, loops, an index that was read from a tensor, and the seeds of dropout, which drops the same places again.
    ValueError names what is missing or does not fit.
    """
    found = _Run(graph, inputs, parameters).tensors(needed(graph))
    outputs = tuple(found[i] for i in graph.outputs)
    return outputs[0] if len(outputs) == 1 else outputs


def evaluated(graph: Graph, *inputs: Any, parameters: Mapping[str, Any] | None = None) -> Graph:
    """The graph with the values that all its nodes have for these inputs, taken as in `run`."""
    found = _Run(graph, inputs, parameters).tensors(range(len(graph.nodes)))
    nodes = []
    for node in graph.nodes:
        x = found[node.id]
        about = {"value": x}
        if isinstance(x, Tensor):
            about = {"value": x.data, "shape": tuple(x.shape), "statistics": statistics(x.data)}
        nodes.append(replace(node, grad=None, **about))
    edges = [replace(edge, slope=None, carries=None) for edge in graph.edges]
    return replace(graph, nodes=nodes, edges=edges, assumptions=[])


def needed(graph: Graph) -> list[int]:
    """The ids of the nodes that the outputs come of, parents first."""
    edges, found = into(graph), {*graph.outputs}
    for node in reversed(graph.nodes):
        if node.id in found:
            found.update(e.start for e in edges[node.id])
    return sorted(found)


class _Run:
    """One run: what it was given, and the numbers that named sizes have in it."""

    def __init__(self, graph: Graph, inputs: tuple, parameters: Mapping[str, Any] | None):
        self.graph, self.edges = graph, into(graph)
        self.given = received(graph, inputs)
        self.sizes = numbers_of(graph, self.given)
        self.beside = next((t for t in self.given.values() if t.device == "gpu"), None)
        self.given |= parameters_of(graph, parameters or {})

    def tensors(self, ids: Any) -> dict[int, Any]:
        """The tensor, or the Python number, that each of these nodes is here."""
        found: dict[int, Any] = {}
        for i in ids:
            node = self.graph.nodes[i]
            try:
                found[i] = self.applied(node, found) if node.kind == "op" else self.at_hand(node)
            except Exception as error:
                error.add_note(f"in a run of a graph, at node {i}: {node.op or node.kind} {node.name or node.scope}")
                raise
        return found

    def applied(self, node: Node, found: dict[int, Any]) -> Any:
        starts = {e.slot: found[e.start] for e in self.edges[node.id]}
        inputs = [starts.get(slot) for slot in range(max(starts, default=-1) + 1)]
        return op_of(self.graph, node)(*inputs, **{name: self.fixed(x) for name, x in node.settings.items()})

    def at_hand(self, node: Node) -> Any:
        if node.id in self.given:
            return self.given[node.id]
        if node.weak:
            return self.fixed(node.value)
        if node.value is None:
            advice = f"give parameters={{{node.name!r}: ..}}" if node.name else "trace with values"
            raise ValueError(
                f"the {node.kind} {called(node)} is needed, but the graph has no value of it; "
                f"{advice}, or write the graph with values='all'"
            )
        return Tensor(put_beside(node.value, self.beside))

    def fixed(self, x: Any) -> Any:
        """A setting with numbers for its sizes, and its arrays beside the inputs."""
        if isinstance(x, tuple):
            parts = map(self.fixed, x)
            return x._make(parts) if hasattr(x, "_make") else (*parts,)
        if isinstance(x, list):
            return [*map(self.fixed, x)]
        if isinstance(x, slice):
            return slice(*map(self.fixed, (x.start, x.stop, x.step)))
        if named(x):
            return number(x, self.sizes)
        if isinstance(x, Spec):
            raise ValueError(f"an index of unknown values was traced, {x}; trace with its values")
        if isinstance(x, float) and x != x and self.sizes:
            raise ValueError(
                "a number was made of a size without one, as 1 / sqrt(D); trace with a number for that size"
            )
        return put_beside(x, self.beside) if is_array(x) else x
