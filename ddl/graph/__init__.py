"""Computations as plain data: recorded, drawn and put into words."""

from .data import Edge, Graph, Node, Source
from .dot import to_dot
from .mermaid import to_mermaid
from .picture import describe, draw
from .tracing import trace

for _export in (to_dot, to_mermaid):
    setattr(Graph, _export.__name__, _export)

__all__ = ["Edge", "Graph", "Node", "Source", "describe", "draw", "trace"]
