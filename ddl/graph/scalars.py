"""The graph of a Scalar: its record in the names of the table's ops."""

import operator
from functools import reduce
from operator import attrgetter

import numpy as np

from ..define import Op, op
from ..scalar import Scalar
from .data import Edge, Graph, Node
from .formulas import write_formulas
from .table import OPS
from .tracing import statistics

NAMES = {"+": "add", "-": "sub", "*": "mul", "/": "div", "**": "pow", "max": "maximum", "sum": "total"}


@op(r"\operatorname{{sum}}({xs})")
def total(*xs):
    """x1 + x2 + ..., of numbers."""
    return reduce(operator.add, xs, 0.0)


total.vjp(lambda g, xs: (g,) * len(xs))


@op(r"\operatorname{{dot}}({xs})")
def dot(*xs):
    """w1 x1 + w2 x2 + ... (+ bias), of numbers: first the w, then the x."""
    n = len(xs) // 2
    return reduce(operator.add, [w * x for w, x in zip(xs, xs[n : 2 * n])] + list(xs[2 * n :]), 0.0)


@dot.vjp
def _(g, xs):
    n = len(xs) // 2
    return (*(g * x for x in xs[n : 2 * n]), *(g * w for w in xs[:n]), *(g for _ in xs[2 * n :]))


OPS.update(total=total, dot=dot)


def of_scalars(results: list[Scalar]) -> Graph:
    """The graph of all that these were computed from; every number that was given is an input."""
    graph = Graph()
    made = sorted({scalar for result in results for scalar in result._history()}, key=attrgetter("birth"))
    ids = {scalar: i for i, scalar in enumerate(made)}
    for scalar, i in ids.items():
        value = np.asarray(scalar.data)
        node = Node(i, "input", "", scalar.name, (), value.dtype, value=value, statistics=statistics(value))
        if scalar.op:
            called, node.settings = _called(scalar.op)
            node.kind, node.op = "op", called.name
        else:
            graph.inputs.append(i)
        graph.nodes.append(node)
        graph.edges += [
            Edge(ids[parent], i, slot, slope) for slot, (parent, slope) in enumerate(zip(scalar.parents, scalar.slopes))
        ]
    graph.outputs = [ids[result] for result in results]
    return write_formulas(graph)


def _called(name: str) -> tuple[Op, dict[str, float]]:
    """The op, and its settings, that a Scalar calls by this name."""
    if name.startswith("**") and name != "**":
        return OPS["power"], {"exponent": float(name[2:])}
    return OPS[NAMES.get(name, name)], {}
