"""What a graph costs: operations on numbers and bytes moved, node by node."""

import math
from typing import Any, NamedTuple

from ..arrays import Spec, is_array
from ..define import Op
from .data import Edge, Graph, Node
from .table import into, op_of
from .tracing import trace_definition

MOVES = set(
    "reshape swapaxes permute broadcast_to flip roll tile pad concatenate clone detach astype move getitem setitem "
    "assign embedding pick put gather one_hot windows tril triu diagonal put_diagonal causal".split()
)
VIEWS = set("reshape swapaxes permute broadcast_to diagonal detach".split())
LOOKUPS = set("embedding pick gather".split())
FOLDS = set("sum mean max min prod any all argmax argmin cumsum argsort nonzero add_rows add_along add_windows".split())


class Cost(NamedTuple):
    """Operations on numbers, and bytes read and written: ints, or polynomials of named sizes."""

    flops: Any
    bytes: Any


def costs(graph: Graph) -> Cost:
    """Fill in each node's `flops` and `bytes`; returns their sums.

    A product of matrices (m, k) (k, n) counts 2 m n k, what works on each element one for each element of its result,
    whichever function it is; what folds axes one for each element that it is given; what moves numbers none. An op that
    is defined by others counts what these do, so a convolution or attention (its masked half included) counts its
    products. An op reads each of its inputs once and writes its result once; a view does neither, and a look-up reads
    what it takes.
    """
    known: dict[Any, Any] = {}
    for node, edges in zip(graph.nodes, into(graph)):
        op = node.kind == "op"
        node.flops = _flops(graph, node, edges, known) if op else 0
        node.bytes = _bytes(graph, node, edges) if op else 0
    return Cost(sum(node.flops for node in graph.nodes), sum(node.bytes for node in graph.nodes))


def _flops(graph: Graph, node: Node, edges: list[Edge], known: dict[Any, Any]) -> Any:
    given = [graph.nodes[e.start] for e in edges]
    if node.op in MOVES:
        return 0
    if node.op in FOLDS:
        return math.prod(given[0].shape)
    if node.op == "matmul":
        return 2 * math.prod(node.shape) * given[0].shape[-1]
    op = op_of(graph, node)
    if op.wants_xp:
        return math.prod(node.shape)
    shapes = tuple((e.slot, n.shape, n.dtype) for e, n in zip(edges, given))
    key = (op.name, shapes, repr(node.settings))
    if key not in known:
        inner = _definition(op, node, edges, given)
        same = any(n.op == node.op for n in inner.nodes)
        known[key] = math.prod(node.shape) if same else costs(inner).flops
    return known[key]


def _definition(op: Op, node: Node, edges: list[Edge], given: list[Node]) -> Graph:
    """The graph of what an op is defined by, on shapes alone."""
    xs: list[Any] = [None] * (len(edges) if op.variadic else len(op.inputs))
    for e, n in zip(edges, given):
        xs[e.slot] = n.value if _plain(n) else Spec(n.shape, n.dtype)
    return trace_definition(lambda *xs: op.forward(*xs, **node.settings), *xs)


def _bytes(graph: Graph, node: Node, edges: list[Edge]) -> Any:
    if node.op in VIEWS or (node.op == "getitem" and not _picks(node.settings["index"])):
        return 0
    written = math.prod(node.shape) * node.dtype.itemsize
    if node.op == "getitem":
        return 2 * written
    read = 0
    for e in edges:
        start = graph.nodes[e.start]
        if not _plain(start):
            taken = node.op in LOOKUPS and e.slot == 0
            read = read + (written if taken else math.prod(start.shape) * start.dtype.itemsize)
    return read + written


def _plain(node: Node) -> bool:
    """Whether a node is a number that lies in no array."""
    return node.value is not None and not is_array(node.value)


def _picks(index: Any) -> bool:
    """Whether an index has arrays of places, so that what it takes is copied."""
    parts = index if isinstance(index, tuple) else (index,)
    return any(isinstance(part, list) or getattr(part, "ndim", 0) for part in parts)
