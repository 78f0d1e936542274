"""What a run is given, held against what the graph was traced with: inputs, parameters, numbers for named sizes."""

import operator
from collections.abc import Mapping
from typing import Any

from ..arrays import as_array, is_array
from ..assumptions import NO_CHOICE, NUMBER_READ
from ..core import Tensor
from ..sizes import at, named
from .data import Graph, Node
from .size_text import read_size

SIGNS = {"<=": operator.le, ">=": operator.ge, "!=": operator.ne}  # of what a graph takes for granted


def received(graph: Graph, inputs: tuple) -> dict[int, Tensor]:
    """The inputs as tensors, by their nodes."""
    nodes = [graph.nodes[i] for i in graph.inputs]
    if len(inputs) != len(nodes):
        wanted = ", ".join(f"{node.name} {told(node.dtype, node.shape)}".strip() for node in nodes)
        raise ValueError(f"{len(inputs)} inputs were given to a graph of {len(nodes)}; give {wanted or 'none'}")
    return {node.id: fitting(node, x) for node, x in zip(nodes, inputs)}


def parameters_of(graph: Graph, parameters: Mapping[str, Any]) -> dict[int, Tensor]:
    """Those of the given parameters and buffers that the graph has, by their nodes."""
    return {node.id: fitting(node, parameters[node.name]) for node in named_in(graph, parameters)}


def named_in(graph: Graph, parameters: Mapping[str, Any]) -> list[Node]:
    """The parameters and buffers of the graph that are among the given; of names that it lacks one is refused."""
    if not isinstance(parameters, Mapping):
        raise TypeError(f"parameters are given as a dict from names to tensors, but {parameters!r} was given")
    named_nodes = [n for n in graph.nodes if n.kind in ("parameter", "constant") and n.name and not n.weak]
    names = {node.name for node in named_nodes}
    unknown, missing = [p for p in parameters if p not in names], [n for n in names if n not in parameters]
    if unknown and (missing or not names):  # a state dict of more than the graph uses is fine, a misspelt name is not
        known = ", ".join(sorted(names)[:8]) + (", .." if len(names) > 8 else "") if names else "none"
        raise ValueError(f"a parameter {unknown[0]!r} was given, but the names in the graph are {known}")
    return [node for node in named_nodes if node.name in parameters]


def fitting(node: Node, x: Any) -> Tensor:
    """What was given for a node, as a tensor of its dtype and shape, where a named size can be any number."""
    if not isinstance(x, Tensor):
        x = Tensor(x if is_array(x) else _numbers(node, x))
    fits = len(x.shape) == len(node.shape) and all(named(m) or m == n for m, n in zip(node.shape, x.shape))
    if x.dtype != node.dtype or not fits:
        advice = f".astype({node.dtype.name!r}) makes one" if fits else "trace with a named size to have it open"
        wanted, found = told(node.dtype, node.shape), told(x.dtype, x.shape)
        raise ValueError(f"{called(node)} was traced as {wanted}, but {found} was given; {advice}")
    return x


def _numbers(node: Node, x: Any) -> Any:
    try:
        return as_array(x, node.dtype)
    except (TypeError, ValueError):
        wanted = f"{called(node)} is {told(node.dtype, node.shape)}"
        raise TypeError(f"{wanted}, but {x!r} was given: give numbers, in lists of equal length") from None


def numbers_of(graph: Graph, inputs: dict[int, Tensor]) -> dict[str, int]:
    """The numbers that the inputs give to the named sizes; ValueError where they contradict what the graph takes."""
    met = [(graph.nodes[i], m, n) for i, t in inputs.items() for m, n in zip(graph.nodes[i].shape, t.shape) if named(m)]
    sizes: dict[str, int] = {}
    for node, m, n in met:
        if n < 1:
            raise ValueError(f"{called(node)} was traced with a size {m} of 1 or more, but {n} was given")
        if str(m).isidentifier():
            sizes.setdefault(str(m), n)
    for node, m, n in met:
        if number(m, sizes) != n:
            raise ValueError(f"{called(node)} was traced with the size {m}, here {number(m, sizes)}, but {n} was given")
    for fact in graph.assumptions:
        if fact.startswith((NO_CHOICE, NUMBER_READ)):  # a size without a number is refused where it is met
            continue
        sign = next((s for s in SIGNS if s in fact), ">=")
        if not SIGNS[sign](*(number(read_size(side.strip()), sizes) for side in fact.split(sign))):
            raise ValueError(
                f"the graph takes {fact} for granted, but was given {sizes}; trace it anew with such a size"
            )
    return sizes


def number(size: Any, sizes: dict[str, int]) -> int:
    """The number that a size is here."""
    try:
        return at((size,), sizes)[0]
    except KeyError as error:
        raise ValueError(
            f"the size {error.args[0]!r} is needed, but no input has it as a size alone; trace anew, with one that has"
        ) from None


def called(node: Node) -> str:
    return node.name or f"node {node.id}"


def told(dtype: Any, shape: tuple) -> str:
    return f"{dtype.name}[{', '.join(map(str, shape))}]"
