"""The walk back through a graph with numbers: what arrives at every node, and what each edge carries there."""

import math
from dataclasses import replace
from typing import Any

from ..arrays import as_array, boxed, module_of
from ..core import Tensor
from .data import Edge, Graph, Node
from .pulling import NoValue, Pull


def walk_back(graph: Graph, gradient: Any = None) -> Graph:
    """Fill in `grad`, the gradient of the outputs with respect to each node, and what each edge carries to it.

    `gradient` is the gradient of the output (a list, of several), as for `Tensor.backward`; outputs of one element need
    none. `grad` is the sum of what the edges out of a node carry, and None where nothing arrives. An edge between
    nodes of one element gets its `slope` too. Returns the graph; a graph without values, as one of Specs, is refused.
    """
    values = [node.value for node in graph.nodes]
    pull = Pull(graph)
    grads = {i: g for i, g in _seeds(graph, gradient).items() if i in pull.live}
    walked: dict[tuple[int, int], Edge] = {}
    for node in reversed(graph.nodes):
        g = node.grad = grads.get(node.id)
        if g is None or node.kind != "op":
            continue
        slopes = _slopes(pull, node, g, values)
        for edge, carries in pull(node, g, values):
            carries = boxed(carries)
            walked[edge.end, edge.slot] = replace(edge, carries=carries, slope=slopes.get(edge.slot))
            i = edge.start
            grads[i] = boxed(grads[i] + carries) if i in grads else carries
    graph.edges = [walked.get((e.end, e.slot), replace(e, carries=None)) for e in graph.edges]
    return graph


def _slopes(pull: Pull, node: Node, g: Any, values: list[Any]) -> dict[int, float]:
    """How fast a number moves as one number that it was made from moves alone, by slot."""
    if math.prod(node.shape) != 1:
        return {}
    sent = pull(node, module_of(g).ones_like(g), values)
    return {e.slot: float(slope.reshape(())) for e, slope in sent if math.prod(slope.shape) == 1}


def _seeds(graph: Graph, gradient: Any) -> dict[int, Any]:
    """The gradient that the walk starts from at each output."""
    outputs = graph.outputs
    given = list(gradient) if isinstance(gradient, (list, tuple)) and len(outputs) > 1 else [gradient]
    if gradient is None:
        given = [None] * len(outputs)
    if len(given) != len(outputs):
        raise ValueError(f"{len(given)} gradients were given for {len(outputs)} outputs; give one for each, or none")
    found: dict[int, Any] = {}
    for i, one in zip(outputs, given):
        seed = _seed(graph.nodes[i], one)
        found[i] = found[i] + seed if i in found else seed
    return found


def _seed(node: Node, gradient: Any) -> Any:
    if node.value is None:
        raise NoValue(node)
    if gradient is None:
        if math.prod(node.shape) != 1:
            raise RuntimeError(
                f"a walk back without a gradient needs an output of one element, but its shape is {node.shape}; "
                "reduce it (.sum(), .mean()) or pass gradient="
            )
        return module_of(node.value).ones_like(node.value)
    seed = gradient.data if isinstance(gradient, Tensor) else as_array(gradient)
    if seed.shape != node.shape:
        raise ValueError(f"the gradient of an output of shape {node.shape} was given with shape {seed.shape}")
    return seed
