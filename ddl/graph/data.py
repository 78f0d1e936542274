"""A computation as plain data: what was computed, from what, where in the model and by which line."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Source:
    """The user's line that called an op."""

    file: str
    line: int
    text: str


@dataclass
class Node:
    """An input, a parameter, a constant, or one application of an op.

    `shape` holds numbers and named sizes. `scope` is the path of the module that was running ("blocks.0.attn"). `value`
    is the array, where there was one; of a constant that is no array but a number, such as the 3.0 of `x * 3.0`, it is
    that number or named size, which takes its dtype from what it meets. `statistics` are the value's least, greatest
    and mean entry and its norm. `kept_bytes` is what the op keeps for its gradient and no earlier one keeps, parameters
    and inputs left out; of shapes alone, which share no memory, views count too. `grad` is the gradient of the output,
    where backward was walked. `flops` and `bytes`, where counted, are the operations on numbers that the op takes, and
    how much it reads and writes. `tex` is an op's formula, "v_{2} = x + y", in which nodes go by their `symbol`.
    """

    id: int
    kind: str  # "input", "parameter", "constant" or "op"
    op: str
    name: str
    shape: tuple
    dtype: np.dtype
    scope: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    tex: str = ""
    source: Source | None = None
    value: Any = None
    grad: Any = None
    statistics: dict[str, float] | None = None
    kept_bytes: Any = 0
    flops: Any = None
    bytes: Any = None
    symbol: str = ""

    @property
    def weak(self) -> bool:
        """Whether it is a number without a dtype of its own."""
        return self.kind == "constant" and self.value is not None and not hasattr(self.value, "dtype")


@dataclass(frozen=True)
class Edge:
    """Node `start` is input number `slot` of node `end`.

    After a walk back `carries` is what travels back along it, an array of the start's shape, and between two numbers
    `slope` is how fast the end moves as the start moves alone.
    """

    start: int
    end: int
    slot: int
    slope: float | None = None
    carries: Any = None


@dataclass
class Graph:
    """Nodes in the order in which they came about, so that parents come before children, and the edges between them.

    `assumptions` says what was taken for granted about named sizes, such as "T <= 128". In a backward graph
    `gradients` says which node holds the gradient of which.
    """

    nodes: list[Node] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    inputs: list[int] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)
    assumptions: list[str] = field(default_factory=list)
    gradients: dict[int, int] = field(default_factory=dict)
    title: str = ""
    ops: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)  # those met, for who defines their own

    def parents(self, node: Node | int) -> list[Node]:
        """The nodes that an op was applied to, in its own order."""
        end = node if isinstance(node, int) else node.id
        return [self.nodes[e.start] for e in sorted(self.edges, key=lambda e: e.slot) if e.end == end]

    def of_kind(self, kind: str) -> list[Node]:
        return [node for node in self.nodes if node.kind == kind]

    @property
    def parameters(self) -> int:
        """How many numbers the parameters hold."""
        return sum(int(np.prod(node.shape)) for node in self.of_kind("parameter"))

    def __repr__(self) -> str:
        into: dict[int, list[Edge]] = {}
        for edge in self.edges:
            into.setdefault(edge.end, []).append(edge)
        rows = [("", "what", "of", "shape", "where")]
        for node in self.nodes:
            of = ", ".join(f"#{e.start}" for e in sorted(into.get(node.id, []), key=lambda e: e.slot))
            what = node.op or f"{node.kind} {node.name}".strip()
            shape = f"{node.dtype.name}[{', '.join(map(str, node.shape))}]"
            rows.append((f"#{node.id}", what, of, shape, node.scope))
        widths = [max(map(len, column)) for column in zip(*rows)]
        lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() for row in rows]
        given = [f"taken for granted: {', '.join(self.assumptions)}"] if self.assumptions else []
        return "\n".join(lines + given)
