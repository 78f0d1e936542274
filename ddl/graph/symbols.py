"""What formulas call the nodes of a graph, and how they write numbers, settings and the names that users give."""

import math
import re
from typing import Any

import numpy as np

from ..arrays import is_array
from ..sizes import named
from .data import Graph, Node

ACCENTS = (r"\bar", r"\tilde", r"\hat", r"\check")  # of gradients, of gradients of graphs with gradients, and so on
LONGEST = 40
ESCAPES = {c: f"\\{c}" for c in "{}_$%&#"} | {
    "\\": r"\backslash ", "^": r"\wedge ", "~": r"\sim ", " ": r"\ ", "'": r"\prime ",
}  # fmt: skip


def name_nodes(graph: Graph) -> None:
    """Give every node that has none its symbol: an accent over what it is the gradient of, or as it is called."""
    new = {node.id for node in graph.nodes if not node.symbol}
    holds = {j: i for i, j in sorted(graph.gradients.items()) if j in new}  # the latest, where several share one
    over = accent(graph, unused=True)
    for node in graph.nodes:
        if node.id in new:
            node.symbol = f"{over}{{{graph.nodes[holds[node.id]].symbol}}}" if node.id in holds else _symbol(node)


def accent(graph: Graph, unused: bool = False) -> str:
    """The accent of the gradients that a backward graph has come to last, or the one after it."""
    used = [a for a in ACCENTS if any(f"{a}{{" in node.symbol for node in graph.nodes)]
    return ACCENTS[min(len(used), len(ACCENTS) - 1)] if unused else used[-1]


def _symbol(node: Node) -> str:
    if node.kind == "constant" and node.value is not None and not is_array(node.value):
        return written(node.value)
    if not node.name:
        return f"{'c' if node.kind == 'constant' else 'a' if node.kind == 'input' else 'v'}_{{{node.id}}}"
    if short := re.fullmatch(r"(?a:([A-Za-z])_?(\d*)|input (\d+))", node.name):
        letter, number = short[1] or "x", short[2] or short[3] or ""
        return letter + (f"_{{{number}}}" if number else "")
    if one := re.fullmatch(r"(?a:(\w+)\[(\d+)\])", node.name):  # of several that a function takes as *xs
        return rf"\mathrm{{{escaped(one[1])}}}_{{{one[2]}}}"
    return rf"\mathrm{{{escaped(node.name)}}}"


def escaped(text: str) -> str:
    """Text that may be anything as letters of a formula."""
    cut = text[:LONGEST]
    return "".join(ESCAPES.get(c, c if c.isprintable() else "\N{REPLACEMENT CHARACTER}") for c in cut) + (
        r"\ldots " if len(text) > LONGEST else ""
    )


def written(x: Any, enclosed: bool = False) -> str:
    """A number, or a setting, as a formula; a tuple without its parentheses where others enclose it."""
    if x is None:
        return r"\mathrm{none}"
    if isinstance(x, (bool, str, np.dtype, type)):
        return rf"\mathrm{{{escaped(x.__name__ if isinstance(x, type) else str(x))}}}"
    if named(x):
        return escaped(str(x)).replace(r"\ ", " ").replace("*", r"\,")
    if isinstance(x, (int, float, np.generic)):
        return _number(x)
    if isinstance(x, slice):
        bounds = [x.start, x.stop] + ([x.step] if x.step is not None else [])
        return "{:}".join("" if b is None else written(b) for b in bounds)
    if x is Ellipsis:
        return r"\ldots "
    if isinstance(x, (tuple, list)) and len(x) <= 8:
        return _several(x) if enclosed and x else f"({_several(x)})"
    return r"\cdot "


def _number(x: Any) -> str:
    if not math.isfinite(x):
        return r"\mathrm{nan}" if math.isnan(x) else r"\infty " if x > 0 else r"-\infty "
    digits, _, power = f"{x:.4g}".partition("e")
    return rf"{digits} \times 10^{{{int(power)}}}" if power else digits


def _several(xs: Any) -> str:
    return ", ".join(map(written, xs))
