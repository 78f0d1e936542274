"""Three ways to make a graph smaller that leave what it computes the same to the last bit.

    small = merge_common(drop_dead(fold_constants(graph)))

Each takes a graph and gives a new one; the numbers of a walk back are left out of it.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ..arrays import to_device
from ..core import Tensor, no_grad
from ..sizes import named
from ..spec import Spec
from .data import Edge, Graph, Node
from .run import needed
from .table import into, op_of
from .tagged import tagged
from .tracing import statistics


def fold_constants(graph: Graph) -> Graph:
    """Compute once what comes of constants alone: such an op becomes a constant itself.

    Buffers are constants too, with the values that they have now. What is then of no use is for `drop_dead` to find.
    """
    edges, nodes = into(graph), [*graph.nodes]
    for i, node in enumerate(nodes):
        parents = [nodes[e.start] for e in edges[i]]
        if node.kind == "op" and parents and all(map(_is_known, parents)) and _is_fixed([*node.settings.values()]):
            value = _computed(graph, node, edges[i], nodes)
            nodes[i] = Node(i, "constant", "", "", node.shape, node.dtype, node.scope, source=node.source)
            nodes[i] = replace(nodes[i], value=value, statistics=statistics(value))
    return _rebuilt(graph, nodes)


def drop_dead(graph: Graph) -> Graph:
    """Leave out what no output comes of; inputs stay, so that it is called as before."""
    kept = {*needed(graph), *graph.inputs}
    return _rebuilt(graph, [node for node in graph.nodes if node.id in kept])


def merge_common(graph: Graph) -> Graph:
    """Compute only once what is the same op, with the same settings, of the same nodes: the first stands for all."""
    edges, same = into(graph), list(range(len(graph.nodes)))
    first: dict[Any, int] = {}
    for node in graph.nodes:
        parents = [(e.slot, same[e.start]) for e in edges[node.id]]
        same[node.id] = first.setdefault(_meaning(node, parents), node.id)
    return _rebuilt(graph, [node for node in graph.nodes if same[node.id] == node.id], dict(enumerate(same)))


def _is_known(node: Node) -> bool:
    return node.kind == "constant" and node.value is not None and _is_fixed(node.value)


def _is_fixed(x: Any) -> bool:
    """Whether a setting or a number is the same in every run: a NaN may have been made of a named size."""
    parts = x if isinstance(x, (tuple, list)) else (x.start, x.stop, x.step) if isinstance(x, slice) else ()
    return not (named(x) or isinstance(x, Spec) or (isinstance(x, float) and x != x)) and all(map(_is_fixed, parts))


def _computed(graph: Graph, node: Node, edges: list[Edge], nodes: list[Node]) -> Any:
    values = {e.slot: nodes[e.start].value if nodes[e.start].weak else Tensor(nodes[e.start].value) for e in edges}
    with no_grad():
        return op_of(graph, node)(*(values.get(slot) for slot in range(max(values) + 1)), **node.settings).data


def _meaning(node: Node, parents: list[tuple[int, int]]) -> Any:
    """What two nodes have in common if and only if they are the same in every run."""
    if node.kind == "op":
        try:
            return node.op, json.dumps({name: tagged(x) for name, x in node.settings.items()}), *parents
        except TypeError:  # a setting that does something, such as a hook
            return node.id
    if node.kind != "constant" or node.value is None:
        return node.id
    if node.weak:
        return type(node.value), repr(node.value)
    return node.name, node.dtype, node.shape, to_device(node.value, "cpu").tobytes()


def _rebuilt(graph: Graph, nodes: Iterable[Node], same: Mapping[int, int] | None = None) -> Graph:
    """The graph of these of its nodes, numbered anew; `same` says which of them stands for one that was left out."""
    kept = [*nodes]
    at = {node.id: i for i, node in enumerate(kept)}
    if same:
        at = {i: at[twin] for i, twin in same.items()}
    ends = {node.id for node in kept if node.kind == "op"}
    return replace(
        graph,
        nodes=[replace(node, id=i, grad=None) for i, node in enumerate(kept)],
        edges=[Edge(at[e.start], at[e.end], e.slot) for e in graph.edges if e.end in ends],
        inputs=[at[i] for i in graph.inputs],
        outputs=[at[i] for i in graph.outputs],
        gradients={at[of]: at[g] for of, g in graph.gradients.items() if of in at and g in at},
    )
