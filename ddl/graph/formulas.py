"""Formulas read off a graph: a line for each op, and in a backward graph for each gradient."""

import re
from collections.abc import Callable
from string import Formatter
from typing import Any, NamedTuple

from .data import Edge, Graph, Node
from .symbols import accent, name_nodes, written
from .table import into, op_of

ATOM = 10  # a symbol binds tighter than any op
SHORT = 40  # letters of a formula that may stand twice
OPEN, CLOSE = "\1", "\2"  # braces of LaTeX, while those of placeholders are looked for
HEAD = re.compile(rf"\\operatorname{OPEN}[^{CLOSE}]*{CLOSE}|\\(?:sum|prod|max|min)\b|{CLOSE}$|$")


class Term(NamedTuple):
    """A formula, and how tightly it binds: 1 as a sum does, 2 a product, 3 a function, 9 a fraction or a power."""

    tex: str
    binds: int


def write_formulas(graph: Graph, start: int = 0) -> Graph:
    """Fill in the `tex` of the ops from node `start` on: "v_{2} = x + y". Returns the graph.

    What rules do on the way to a gradient is written into the line of that gradient, unless it is long and used more
    than once: then it stands for itself.
    """
    name_nodes(graph)
    stands = _standing(graph)
    terms = [_symbol(node) for node in graph.nodes]
    for node, edges in list(zip(graph.nodes, into(graph)))[start:]:
        if node.kind == "op":
            term = _applied(graph, node, edges, terms)
            node.tex = f"{node.symbol} = {term.tex}"
            if not stands(node):
                terms[node.id] = term
    return graph


def equations(graph: Graph) -> list[str]:
    """The lines of a graph in LaTeX, in order: one for each op, and in a backward graph one for each gradient."""
    if not graph.gradients:
        return [node.tex for node in graph.of_kind("op")]
    over, stands, found = accent(graph), _standing(graph), []
    of: dict[int, list[str]] = {}
    for i, j in sorted(graph.gradients.items(), reverse=True):
        of.setdefault(j, []).append(f"{over}{{{graph.nodes[i].symbol}}}")
    first = min(j for j, symbols in of.items() if graph.nodes[j].symbol in symbols)
    for node in graph.nodes[first:]:
        if node.kind == "constant" and node.id in of:
            found.append(f"{node.symbol} = 1")
        elif node.kind == "op" and stands(node):
            found.append(node.tex)
        found += [f"{symbol} = {node.symbol}" for symbol in of.get(node.id, []) if symbol != node.symbol]
    return found


def _standing(graph: Graph) -> Callable[[Node], bool]:
    """Whether an op has a line of its own: all have, but for what a rule does on the way to a gradient."""
    uses = [0] * len(graph.nodes)
    for edge in graph.edges:
        uses[edge.start] += 1
    ends = {*graph.gradients.values(), *graph.outputs}

    def stands(node: Node) -> bool:
        long = len(node.tex) - len(f"{node.symbol} = ") > SHORT
        return not graph.gradients or node.id in ends or (long and uses[node.id] > 1)

    return stands


def _symbol(node: Node) -> Term:
    """A node by its symbol, or the number that it is: less than an atom with a sign or a power of ten."""
    tex = node.symbol
    return Term(tex, 1 if tex.startswith("-") else 2 if r"\times" in tex else ATOM)


def _applied(graph: Graph, node: Node, edges: list[Edge], terms: list[Term]) -> Term:
    """The op's formula with its inputs and settings filled in; an input that was left out takes its + along."""
    op = op_of(graph, node)
    given = {} if op.variadic else {op.inputs[e.slot]: terms[e.start] for e in edges}
    plain = {name: written(x, f"[{{{name}}}]" in op.tex) for name, x in node.settings.items()}
    if op.variadic:
        plain[op.inputs[0]] = ", ".join(terms[e.start].tex for e in edges)
    template = _along(_marked(op.tex), node.settings)
    for name in set(op.inputs) - given.keys() - plain.keys():
        template = template.replace(f" + {{{name}}}", "").replace(f"{{{name}}}", "")
    if template in [f"{{{name}}}" for name in given]:
        return next(iter(given.values()))

    def fill(found: re.Match[str]) -> str:
        if (name := found[1]) not in given:
            return plain[name]
        before, after = template[: found.start()], template[found.end() :]
        return _fitted(given[name], before, after, op.binds)

    tex = re.sub(r"\{(\w+)\}", fill, template)
    return Term(tex.replace(OPEN, "{").replace(CLOSE, "}"), op.binds)


def _marked(template: str) -> str:
    """A template whose only braces are those of its placeholders."""
    pieces = [(text.replace("{", OPEN).replace("}", CLOSE), name) for text, name, *_ in Formatter().parse(template)]
    return "".join(text + (f"{{{name}}}" if name else "") for text, name in pieces)


def _along(template: str, settings: dict[str, Any]) -> str:
    """A template with the axes that it leaves out: below the op's sign or, where it has none, below all of it."""
    axes = [x for name, x in settings.items() if name.startswith("axis") and x is not None]
    if not axes or "{axis" in template:
        return template
    below = rf"\mathrm{OPEN}axis{CLOSE}\,{OPEN}{', '.join(written(x, True) for x in axes)}{CLOSE}"
    return HEAD.sub(lambda at: f", {below}{CLOSE}" if at[0] == CLOSE else f"{at[0]}_{OPEN}{below}{CLOSE}", template, 1)


def _fitted(term: Term, before: str, after: str, binds: int) -> str:
    """A formula between two pieces of a template, in parentheses where it would be read otherwise."""
    enclosed = before.endswith((OPEN, "(", "|", "[", "; ", ", ", ",", r"\lfloor ", r"\lceil ")) and (
        after.startswith((CLOSE, ")", "|", r"\|", "]", ";", ",", r" \rfloor", r" \rceil"))
    )
    product = after.startswith((r"\,", " *", r" \odot")) or before.endswith((r"\,", "* ", r"\odot "))
    need = ATOM if after.startswith(("^", "[")) else 9 if binds == 3 else max(binds, 2 if product else 0)
    loose = term.binds < need or (term.binds == need < 9 and bool(before))
    return f"({term.tex})" if loose and not enclosed else term.tex
