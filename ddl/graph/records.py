"""Graphs as JSON, in the schema ddl.graph/1: written by `graph.to_json()`, read by `ddl.graph.load`.

    {"schema": "ddl.graph/1", "title": "", "inputs": [0], "outputs": [2], "assumptions": ["T <= 128"], "gradients": [],
     "nodes": [{"id": 0, "kind": "input", "op": "", "name": "x", "shape": ["B", 3], "dtype": "float32", ..}, ..],
     "edges": [{"from": 0, "to": 2, "slot": 0, "slope": null, "carries": null}, ..]}

`gradients` are pairs of ids, of a node and of the one that holds its gradient, in a backward graph. Of a node:

- `id` is its place in the list; parents come before children. `kind` is "input", "parameter", "constant" or "op".
- `op` is the op's name, "" unless the kind is "op". `name` is the user's, or a parameter's path, or "".
- `shape` holds numbers, and text for sizes with names: ["B", "2*T + 1", 8]. `dtype` is numpy's name of it.
- `weak` marks a constant that is a number of Python's or a named size, and takes its dtype from what it meets. Its
  value is always written; that of a size is null, and `name` says which.
- `scope` is the path of the module that was running, such as "blocks.0.attn"; `tex` the op's formula, as
  LaTeX in which each node goes by its `symbol`: "v_{2} = x + y".
- `settings` are the op's. What JSON lacks is a dict with a tag: {"tuple": [..]}, {"slice": [start, stop, step]},
  {"ellipsis": true}, {"dtype": "float32"}, {"float": "nan"}, {"size": "B*T"}, {"slide": [stride, padding, dilation]},
  {"array": [..], "shape": [..], "dtype": "int64"}, {"spec": [..], "dtype": ".."} for one of unknown values.
- `source` is the user's line that called the op, {"file", "line", "text"}, or null.
- `value` is a number or nested lists of them, or null; NaN and infinities are "nan", "inf", "-inf". `grad` is the same
  for the gradient of the output. Both are written where they hold at most 1024 numbers, or for values="all".
- `statistics` is {"min", "max", "mean", "norm"} of the value, or null.
- `kept_bytes`, `flops` and `bytes` are numbers, or text with names, as in `shape`; null where nobody counted.

An edge leads from a parent to input number `slot` of an op. `slope` is its local derivative, between numbers; `carries`
is what travels back along it, in the shape of the parent. Whole numbers are exact, also where JavaScript rounds them.
What has a default in Graph, Node or Edge may be left out. `layout`, and a node's `mathml`, are for pages: they
are taken and forgotten.
"""

import json
import os
from typing import Any

from ..files import write_whole
from ..sizes import named
from .data import Edge, Graph, Node
from .reading import DTYPES, SCHEMA
from .tagged import number, numbers, size, sizes, tagged

SMALL = 1024  # numbers of a value that is written
VALUES = ("small", "all", "none")
COUNTS = ("kept_bytes", "flops", "bytes")


def to_json(graph: Graph, path: str | os.PathLike[str] | None = None, values: str | int = "small") -> str:
    """The graph as JSON text, of the schema ddl.graph/1: see `ddl.graph.records`. `values` is as in `to_dict`.

    With a `path` it is written there too, for `ddl.graph.load`.
    """
    content = json.dumps(to_dict(graph, values), allow_nan=False)
    if path is not None:
        write_whole(path, content.encode())
    return content


def to_dict(graph: Graph, values: str | int = "small") -> dict[str, Any]:
    """The graph as JSON-plain data. `values` says which arrays are written whole: those of at most 1024 numbers
    ("small"), of at most so many, "all" or "none".
    """
    if not isinstance(values, int) and values not in VALUES:
        raise ValueError(f"values={values!r} was asked for, but the choices are {', '.join(map(repr, VALUES))}")
    most = values if isinstance(values, int) else {"small": SMALL, "all": float("inf"), "none": -1}[values]
    return {
        "schema": SCHEMA,
        "title": graph.title,
        "inputs": [*graph.inputs],
        "outputs": [*graph.outputs],
        "assumptions": [*graph.assumptions],
        "gradients": [[of, at] for of, at in graph.gradients.items()],
        "nodes": [_node(node, most) for node in graph.nodes],
        "edges": [_edge(edge, most) for edge in graph.edges],
    }


def _node(node: Node, most: float) -> dict[str, Any]:
    if node.dtype.name not in DTYPES:
        raise TypeError(f"node {node.id} was to be written, but its dtype {node.dtype} is none that a tensor has")
    source, statistics = node.source, node.statistics
    return {
        "id": node.id,
        "kind": node.kind,
        "op": node.op,
        "name": node.name,
        "shape": sizes(node.shape),
        "dtype": node.dtype.name,
        "weak": node.weak,
        "scope": node.scope,
        "settings": {name: _setting(node, name) for name in node.settings},
        "tex": node.tex,
        "symbol": node.symbol,
        "source": source and {"file": source.file, "line": source.line, "text": source.text},
        "value": _weak(node.value) if node.weak else _array(node.value, most),
        "grad": _array(node.grad, most),
        "statistics": statistics and {name: number(float(x)) for name, x in statistics.items()},
        **{name: None if n is None else size(n) for name in COUNTS for n in [getattr(node, name)]},
    }


def _edge(edge: Edge, most: float) -> dict[str, Any]:
    slope = None if edge.slope is None else number(float(edge.slope))
    carries = _array(edge.carries, most)
    return {"from": edge.start, "to": edge.end, "slot": edge.slot, "slope": slope, "carries": carries}


def _setting(node: Node, name: str) -> Any:
    try:
        return tagged(node.settings[name])
    except TypeError as error:
        raise TypeError(f"the setting {name!r} of node {node.id} ({node.op}) was to be written, but {error}") from None


def _weak(value: Any) -> Any:
    return None if named(value) else number(value)


def _array(array: Any, most: float) -> Any:
    return None if array is None or array.size > most else numbers(array)
