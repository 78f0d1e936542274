"""Graphs read from JSON, strictly: what is wrong in a file is said of its first entry that is."""

import json
import os
from pathlib import Path
from typing import Any

from . import reading
from .data import Edge, Graph, Node, Source
from .reading import SCHEMA, dict_of, list_of, maybe, one_of, record, text, whole, wrong
from .size_text import read_size
from .tagged import untagged


def load(source: Any) -> Graph:
    """The graph in a file, in JSON text or in the dict of it, as `to_json` and `to_dict` write them.

    ValueError says which entry is wrong, what was found and what was expected.
    """
    found = source if isinstance(source, dict) else _parsed(source)
    if not isinstance(found, dict) or found.get("schema") != SCHEMA:
        schema = found.get("schema") if isinstance(found, dict) else found
        raise wrong("schema", repr(SCHEMA), schema)
    about = record(found, "graph", GRAPH, GRAPH_MAY)
    nodes = [_read_node(entries, i) for i, entries in enumerate(about.pop("nodes"))]
    edges = _read_edges(about.pop("edges"), nodes)
    for i, at in enumerate(about["outputs"]):
        _known(at, f"outputs[{i}]", nodes)
    for i, at in enumerate(about["inputs"]):
        if _known(at, f"inputs[{i}]", nodes).kind != "input":
            raise wrong(f"inputs[{i}]", "the id of a node of the kind 'input'", at)
    about["gradients"] = dict(about.get("gradients", ()))
    for of, at in about["gradients"].items():
        _known(of, "gradients", nodes), _known(at, "gradients", nodes)
    return Graph(nodes, edges, **{name: x for name, x in about.items() if name not in ("schema", "layout")})


def _parsed(source: Any) -> Any:
    if not isinstance(source, (str, os.PathLike)) or source == "":
        raise TypeError(f"a graph was to be loaded from {repr(source)[:40]}; give a path, JSON text or a dict")
    if not isinstance(source, str) or not source.lstrip().startswith(("{", "[")):
        source = Path(source).read_text("utf-8")
    try:
        return json.loads(source, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"a graph was to be loaded, but this is not JSON ({error}); use graph.to_json()") from None


def _no_constant(name: str) -> Any:
    raise ValueError(f'{name} stands there, where JSON has "nan", "inf" or "-inf"')


def _known(i: int, where: str, nodes: list[Node]) -> Node:
    if i >= len(nodes):
        raise wrong(where, f"the id of a node, of which there are {len(nodes)}", i)
    return nodes[i]


def _read_node(entries: Any, i: int) -> Node:
    where = f"nodes[{i}]"
    found = record(entries, where, NODE, NODE_MAY)
    found.pop("mathml", None)
    weak = found.pop("weak", False)
    if found["id"] != i:
        raise wrong(f"{where}.id", f"{i}, its place in the list", found["id"])
    if (found["op"] != "") != (found["kind"] == "op"):
        raise wrong(f"{where}.op", "the name of an op where the kind is 'op', and empty elsewhere", found["op"])
    if weak and (found["kind"] != "constant" or found["shape"] != ()):
        raise wrong(f"{where}.weak", "false of what is no constant of shape []", weak)
    for name in ("value", "grad"):
        if found.get(name) is not None:
            found[name] = reading.array(found[name], f"{where}.{name}", found["shape"], found["dtype"])
    if weak:
        found["value"] = _read_weak(found, where)
    return Node(**found)


def _read_weak(found: dict[str, Any], where: str) -> Any:
    try:
        return read_size(found["name"]) if found.get("value") is None else found["value"].item()
    except ValueError:
        raise wrong(f"{where}.name", "a size, since the node is weak and has no value", found["name"]) from None


def _read_edges(found: list[Any], nodes: list[Node]) -> list[Edge]:
    edges, taken = [], set()
    for i, entries in enumerate(found):
        where = f"edges[{i}]"
        about = record(entries, where, EDGE, EDGE_MAY)
        start, end, slot = (about.pop(name) for name in ("from", "to", "slot"))
        parent = _known(start, f"{where}.from", nodes)
        if _known(end, f"{where}.to", nodes).kind != "op" or start >= end:
            raise wrong(f"{where}.to", "the id of an op that comes after its parent", end)
        if (end, slot) in taken:
            raise wrong(f"{where}.slot", f"one that no other edge to node {end} has", slot)
        taken.add((end, slot))
        if about.get("carries") is not None:
            about["carries"] = reading.array(about["carries"], f"{where}.carries", parent.shape, parent.dtype)
        edges.append(Edge(start, end, slot, **about))
    return edges


def _read_source(x: Any, where: str) -> Source:
    return Source(**record(x, where, {"file": text, "line": whole, "text": text}))


def _pair(x: Any, where: str) -> list[int]:
    if not isinstance(x, list) or len(x) != 2:
        raise wrong(where, "a pair of ids", x)
    return list_of(whole)(x, where)


_any = lambda x, where: x
GRAPH = {
    "schema": text,
    "inputs": list_of(whole),
    "outputs": list_of(whole),
    "nodes": list_of(_any),
    "edges": list_of(_any),
}
GRAPH_MAY = {"title": text, "assumptions": list_of(text), "gradients": list_of(_pair), "layout": _any}
NODE = {
    "id": whole,
    "kind": one_of("input", "parameter", "constant", "op"),
    "op": text,
    "name": text,
    "shape": reading.shape,
    "dtype": reading.dtype,
}
NODE_MAY = {
    "weak": one_of(True, False),
    "scope": text,
    "settings": dict_of(untagged),
    "tex": text,
    "symbol": text,
    "mathml": text,
    "source": maybe(_read_source),
    "value": _any,
    "grad": _any,
    "statistics": maybe(dict_of(reading.number)),
    "kept_bytes": reading.size,
    "flops": maybe(reading.size),
    "bytes": maybe(reading.size),
}
EDGE = {"from": whole, "to": whole, "slot": whole}
EDGE_MAY = {"slope": maybe(reading.number), "carries": _any}
