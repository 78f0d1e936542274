"""The player: a computation that is walked forward and backward, one op at a time, and answers what-ifs."""

import math
from dataclasses import replace

import numpy as np

from ..arrays import is_array, module_of
from ..core import Tensor
from ..graph import Graph, of, trace
from ..graph.formulas import write_formulas
from ..graph.run import evaluated
from ..graph.table import OPS
from ..graph.viewed import viewed, walked
from ..scalar import Scalar
from .base import Widget
from .listed import listed

ACTIVATIONS = ("relu", "tanh", "sigmoid", "gelu", "softplus", "sin", "exp")


class Player(Widget, bundle="player"):
    """A computation with its values and gradients, step by step.

    `Player(y)` shows what a Scalar or a tensor was computed from, `Player(f, x)` what f(x) computes and `Player(graph)`
    a graph. `params`, a module or a dict, names the tensors that y was computed from. An output of several elements
    needs its `gradient` for a walk back. In the view a value that was given can be set anew, and an activation
    exchanged for another; the kernel then computes all that follows from it, on copies.
    """

    def __init__(self, what, *inputs, params=None, gradient=None):
        self.gradient = gradient
        graph = _graph(what, inputs, params)
        super().__init__(self.walked(replace(graph, nodes=[*map(_own, graph.nodes)], edges=[*graph.edges])))

    def walked(self, graph):
        return walked(graph) if self.gradient is None else graph.walk_back(self.gradient)

    def plain(self, graph):
        return viewed(graph) | {"swaps": {op: [other for other in ACTIVATIONS if other != op] for op in ACTIVATIONS}}

    def describe(self, graph):
        return graph.to_text()

    def picture(self, graph):
        try:
            return graph.to_png()
        except ValueError:  # too large to be drawn
            return listed(self.words)

    def change(self, kind, node, **new):
        graph = self.state
        if not isinstance(node, int) or not 0 <= node < len(graph.nodes):
            raise ValueError(f"a change of node {node} was asked for, but the nodes are 0 to {len(graph.nodes) - 1}")
        if kind not in ("value", "op"):
            raise ValueError(f"a change of kind {kind!r} was asked for, but a view changes a 'value' or an 'op'")
        changed = _with_value(graph.nodes[node], **new) if kind == "value" else _with_op(graph.nodes[node], **new)
        graph = replace(graph, nodes=[*graph.nodes[:node], changed, *graph.nodes[node + 1 :]])
        for given in graph.nodes:
            if given.kind != "op" and given.value is None:
                raise ValueError(
                    f"nothing can be computed anew, for node {given.id} has no value here: a tensor's record keeps "
                    "what its gradient needs and no more; play the function and its inputs instead, as in play(f, x)"
                )
        with np.errstate(all="ignore"):
            return self.walked(evaluated(write_formulas(graph), *(graph.nodes[i].value for i in graph.inputs)))


def play(what, *inputs, params=None, gradient=None):
    """A `Player` of a Scalar, a tensor, a graph, or of what f(*inputs) computes."""
    return Player(what, *inputs, params=params, gradient=gradient)


def _graph(what, inputs, params):
    if isinstance(what, Graph):
        return what
    if isinstance(what, (Scalar, Tensor, list, tuple)):
        return of(what, params)
    if callable(what):
        return trace(what, *inputs)
    raise TypeError(f"a player shows a Scalar, a tensor, a graph or a function and its inputs, but got {what!r}")


def _own(node):
    """A node whose value nobody else changes."""
    return replace(node, value=node.value.copy() if node.kind != "op" and is_array(node.value) else node.value)


def _with_value(node, value):
    if node.kind == "op":
        raise ValueError(f"node {node.id} is computed, by {node.op}: set what it is computed from")
    if not is_array(node.value):
        raise ValueError(f"node {node.id} holds no tensor that could be set: trace with tensors instead of Specs")
    wide = np.array(value, object)
    try:  # where JSON has no numbers, for infinities and NaN, there are words
        new = [x if isinstance(x, int) else float(x) for x in wide.ravel()]
    except (TypeError, ValueError):
        raise ValueError(f"node {node.id} holds numbers, but {value!r} was set: give a number, inf or nan") from None
    if wide.shape != node.shape:
        raise ValueError(f"node {node.id} has the shape {node.shape}, but the value that was set has {wide.shape}")
    kept = _kept(new, node.dtype)
    if kept is None:
        what = f"whole numbers ({node.dtype})" if node.dtype.kind in "iub" else f"numbers that {node.dtype} can hold"
        raise ValueError(f"node {node.id} holds {what}, but {str(value)[:40]} was set")
    return replace(node, value=module_of(node.value).asarray(kept.reshape(node.shape)))


def _kept(new, dtype):
    """Numbers in a dtype, where it can hold them: whole ones exactly, others as no infinity that they are not."""
    try:
        with np.errstate(all="ignore"):
            kept = np.array(new, object).astype(dtype)
    except (OverflowError, ValueError):
        return None
    if dtype.kind in "iub":
        return kept if kept.tolist() == new else None
    return kept if all(math.isfinite(k) or not math.isfinite(x) for k, x in zip(kept.tolist(), new)) else None


def _with_op(node, op):
    if node.op not in ACTIVATIONS or op not in ACTIVATIONS:
        raise ValueError(
            f"{op!r} was asked for in the place of {node.op!r}, but activations are {', '.join(ACTIVATIONS)}"
        )
    return replace(node, op=op, settings=dict(OPS[op].defaults))
