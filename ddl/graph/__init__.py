"""Computations as plain data: recorded, drawn and put into words."""

from .backward import backward
from .costs import costs
from .data import Edge, Graph, Node, Source
from .dot import to_dot
from .mermaid import to_mermaid
from .picture import describe, draw
from .queries import kept_bytes, longest_path, unused, without_gradient
from .recorded import of
from .tracing import trace
from .walking import walk_back

for _method in (to_dot, to_mermaid, walk_back, backward, costs, kept_bytes, longest_path, unused, without_gradient):
    setattr(Graph, _method.__name__, _method)

__all__ = ["Edge", "Graph", "Node", "Source", "describe", "draw", "of", "trace", "walk_back"]
