"""The backward graph: the rules of a graph's ops, run last op first while they are watched."""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from ..arrays import Spec, as_array, is_array
from ..core import Tensor
from ..ops import astype, where
from ..watch import watching
from .data import Graph, Node, Source
from .formulas import write_formulas
from .pulling import Pull
from .tracing import Tracer


def backward(graph: Graph, gradient: Any = None) -> Graph:
    """The graph that goes on to the gradients: first the nodes of `graph`, as they are, then those of its rules.

    Its outputs are the gradients with respect to the floating-point inputs and then the parameters, in order;
    `gradients` says for every node that has one which node holds its gradient. An output of one element starts with 1;
    the gradient of any other, and where `gradient` is given of each, is one more input, after the inputs of `graph`:
    its value is `gradient` (a list, for several outputs), or ones. Shapes are enough: no values are needed. The result
    is a graph as any other, and has a backward graph itself. Scopes of what the rules did begin with "backward".
    """
    return _Backward(graph).back(gradient)


class _Backward(Tracer):
    """A tracer that starts with a whole graph, and watches what its ops' rules do."""

    def __init__(self, graph: Graph):
        super().__init__({})
        self.pull = Pull(graph)
        self.forward = graph.nodes
        self.graph = replace(
            graph,
            nodes=[replace(node) for node in graph.nodes],
            edges=list(graph.edges),
            inputs=list(graph.inputs),
            ops=dict(graph.ops),
            gradients={},
        )
        self.at = Node(0, "", "", "", (), np.dtype(np.float32))  # whose gradient is being computed
        self.tensors = [self.stand_in(node) for node in graph.nodes]

    def stand_in(self, node: Node) -> Any:
        """A node's value, or its shape alone, as a tensor that is known to be this node."""
        if node.value is not None and not is_array(node.value):
            self.alive.append((node.value, node.value))
            return node.value
        t = Tensor(Spec(node.shape, node.dtype) if node.value is None else node.value)
        self.alive.append((t, t.data))
        self.known[id(t)] = self.known[id(t.data)] = node.id
        return t

    def source(self) -> Source | None:
        return self.at.source

    def turn_to(self, node: Node) -> None:
        self.at, self.scopes = node, [f"backward.{node.scope}".rstrip(".")]

    def back(self, gradient: Any) -> Graph:
        with watching(self.note):
            grads = self.seeds(gradient)
            for node in reversed(self.forward):
                if node.id in grads and node.kind == "op":
                    self.step(node, grads)
            ends = [n for n in self.forward if n.id in self.pull.live and n.kind != "op"]
            for node in ends:
                self.turn_to(node)
                grads[node.id] = self.arrived(node, grads.get(node.id))
        self.graph.gradients = {i: self.place(g) for i, g in sorted(grads.items())}
        order = sorted(ends, key=lambda n: n.kind == "parameter")
        self.graph.outputs = [self.graph.gradients[n.id] for n in order]
        return write_formulas(self.graph, len(self.forward))

    def step(self, node: Node, grads: dict[int, Any]) -> None:
        self.turn_to(node)
        for edge, sent in self.pull(node, grads[node.id], self.tensors):
            i = edge.start
            if i in grads:
                self.turn_to(self.forward[i])
                sent = grads[i] + sent
                self.turn_to(node)
            grads[i] = sent

    def arrived(self, node: Node, g: Any) -> Any:
        """The whole gradient of an input or a parameter: zeros where none came by."""
        if g is None:
            return where(False, self.tensors[node.id], 0.0)
        return g if g.dtype == node.dtype else astype(g, dtype=node.dtype)

    def seeds(self, gradient: Any) -> dict[int, Any]:
        outputs = self.graph.outputs
        several = isinstance(gradient, (list, tuple)) and len(outputs) > 1
        given = list(gradient) if several else [gradient] * len(outputs)
        if len(given) != len(outputs) or (gradient is not None and not several and len(outputs) > 1):
            raise ValueError(
                f"a gradient for each of {len(outputs)} outputs is needed, or none, but {gradient!r} was given"
            )
        found: dict[int, Any] = {}
        for number, (i, one) in enumerate(zip(outputs, given)):
            if i in self.pull.live:
                self.turn_to(self.forward[i])
                g = self.seed(self.forward[i], one, f"gradient {number}" if len(outputs) > 1 else "gradient")
                found[i] = found[i] + g if i in found else g
        return found

    def seed(self, node: Node, gradient: Any, name: str) -> Tensor:
        """What an output's gradient is to start with: a constant 1, or an input of the graph."""
        fixed = gradient is None and math.prod(node.shape) == 1
        if gradient is None:
            ones = np.ones(node.shape, node.dtype) if fixed or node.value is not None else None
            g = Tensor(Spec(node.shape, node.dtype) if node.value is None else ones)
        else:
            g = gradient if isinstance(gradient, Tensor) else Tensor(as_array(gradient))
            if tuple(g.shape) != node.shape:
                raise ValueError(f"the gradient of an output of shape {node.shape} was given with shape {g.shape}")
        i = self.add(g, "constant" if fixed else "input", name="1" if fixed else name, scope=self.scopes[-1])
        if fixed:
            self.graph.nodes[i].value = ones  # also where the rest is shapes alone
        else:
            self.graph.inputs.append(i)
        return g
