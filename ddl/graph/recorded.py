"""Graphs of what was computed already: from a Scalar's record, or from a tensor's."""

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..arrays import Spec, is_array, written_since
from ..backward import lost, walk
from ..core import Leaf, Tensor
from ..core import Node as Call
from ..define import Op
from ..scalar import Scalar
from .data import Edge, Graph, Node
from .formulas import write_formulas
from .kept import Kept
from .scalars import of_scalars
from .tracing import statistics


def of(result: Any, params: Any = None) -> Graph:
    """The graph of what `result`, a Scalar, a tensor or a list of the one or the other, was computed from.

    `params`, a module or a dict from names to tensors, gives names to parameters and inputs. A tensor's record holds
    what its gradient needs and no more, so that a constant or a number on the way may have no value here, and modules
    and source lines are not known: `ddl.trace` sees all of it. RuntimeError for a tensor without a record, or one whose
    record was freed or changed in place; what was written through `.data` since goes unnoticed, there as everywhere.
    """
    results = [*result] if isinstance(result, (list, tuple)) else [result]
    kind = next((kind for kind in (Scalar, Tensor) if results and all(isinstance(x, kind) for x in results)), None)
    if kind is None:
        raise TypeError(f"the graph of a Scalar, a tensor or a list of either can be had, but {result!r} was given")
    if kind is Scalar:
        return of_scalars(results)
    for t in results:
        if t.node is None:
            raise RuntimeError(
                "the graph of a tensor that does not require a gradient was asked for, and it has no record; "
                "use ddl.trace(f, *inputs)"
            )
    return _Record(params).run(results)


class _Record:
    """The graph as it grows; `values` holds what is known of the result of each call of an op, or of a leaf."""

    def __init__(self, params: Any):
        self.graph, self.kept = Graph(), Kept()
        self.ids: dict[Any, int] = {}  # of calls and leaves; of constant arrays by identity
        self.values: dict[Call, Any] = {}
        module = hasattr(params, "named_parameters")
        named: Mapping[str, Tensor] = dict(params.named_parameters()) if module else {} if params is None else params
        if not isinstance(named, Mapping) or not all(isinstance(t, Tensor) for t in named.values()):
            raise TypeError(f"params names tensors, as a module or as {{'x': x}} does, but {params!r} was given")
        self.names = {t.node: name for name, t in named.items() if t.node is not None}
        self.values.update((t.node, t.data) for t in named.values() if t.node is not None)
        self.kind = "parameter" if module else "input"

    def run(self, results: list[Tensor]) -> Graph:
        calls = walk(*(t.node for t in results if t.node is not None))
        for call in calls:
            if call.op is not None and (call.saved is None or written_since(call.saved, call.born)):
                raise lost(call)
            self.values.update((made, x) for made, x in _told(call) if made is not None)
        self.values.update((t.node, t.data) for t in results if t.node is not None)
        for call in reversed(calls):
            self.ids[call] = self.leaf(call) if isinstance(call, Leaf) else self.call(call)
        self.graph.outputs = [self.ids[t.node] for t in results]
        return write_formulas(self.graph)

    def add(self, kind: str, value: Any, shape: tuple, dtype: Any, **about: Any) -> int:
        known = {} if value is None or isinstance(value, Spec) else {"value": value}
        known |= {"statistics": statistics(np.asarray(value) if not is_array(value) else value)} if known else {}
        dtype = getattr(value, "dtype", dtype)
        about = {"op": "", "name": "", **known, **about}
        self.graph.nodes.append(Node(len(self.graph.nodes), kind, shape=shape, dtype=dtype, **about))
        return len(self.graph.nodes) - 1

    def leaf(self, leaf: Leaf) -> int:
        name = self.names.get(leaf, "")
        i = self.add(self.kind if name else "input", self.values.get(leaf), leaf.shape, leaf.dtype, name=name)
        if self.graph.nodes[i].kind == "input":
            self.graph.inputs.append(i)
        return i

    def constant(self, x: Any, dtype: Any) -> int:
        """The node of a constant that an op kept, or of one that it did not keep (None), of the dtype that it met."""
        if not is_array(x):
            dtype = dtype if x is None else np.asarray(x).dtype
            return self.add("constant", x, (), dtype, name="" if x is None else str(x))
        if id(x) not in self.ids:
            self.ids[id(x)] = self.add("constant", x, x.shape, x.dtype)
        return self.ids[id(x)]

    def call(self, call: Call) -> int:
        op, known = call.op, _inputs(call)
        dtype = np.result_type(*[self.graph.nodes[self.ids[p]].dtype for p in call.parents if p is not None])
        starts: dict[int, int] = {}
        for slot, parent in enumerate(call.parents):
            if parent is not None:
                starts[slot] = self.ids[parent]
            elif known.get(slot) is not None or (slot not in known and _must_be_given(op, slot)):
                starts[slot] = self.constant(known.get(slot), dtype)
        sure = all(parent is not None or slot in known for slot, parent in enumerate(call.parents))
        arrays = [x.dtype for x in known.values() if is_array(x) and x.dtype.kind == "f"]
        dtype = np.result_type(dtype, *arrays)
        value = self.values.get(call)
        if value is None and sure:
            value = self.values[call] = self.again(call, starts)
        end = self.add("op", value, call.shape, dtype, name="", op=op.name, settings=call.params)
        self.graph.nodes[end].kept_bytes = self.kept.add(call.saved)
        self.graph.ops[op.name] = op
        self.graph.edges += [Edge(start, end, slot) for slot, start in starts.items()]
        return end

    def again(self, call: Call, starts: dict[int, int]) -> Any:
        """What the call gave, computed once more, where all that it was given is known."""
        inputs: list[Any] = [None] * len(call.parents)
        for slot, i in starts.items():
            value = self.graph.nodes[i].value
            if value is None:
                return None
            inputs[slot] = Tensor(value) if is_array(value) else value
        return call.op(*inputs, **call.params).data


def _must_be_given(op: Op, slot: int) -> bool:
    return op.variadic or op.__signature__.parameters[op.inputs[slot]].default is inspect.Parameter.empty


def _inputs(call: Call) -> dict[int, Any]:
    """What a call kept of its inputs, by slot."""
    op, kept = call.op, dict(zip(call.op.keeps, call.saved))
    if op.variadic:
        return dict(enumerate(kept.get(op.inputs[0], ())))
    return {slot: kept[name] for slot, name in enumerate(op.inputs) if name in kept}


def _told(call: Call) -> list[tuple[Any, Any]]:
    """What a call's record says of results: those that it was given, and its own."""
    if call.op is None:
        return []
    found = [(call.parents[slot], x) for slot, x in _inputs(call).items()]
    return found + [(call, x) for name, x in zip(call.op.keeps, call.saved) if name == "out"]
