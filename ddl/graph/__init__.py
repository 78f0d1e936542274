"""Computations as plain data: recorded, drawn and put into words."""

from .data import Edge, Graph, Node, Source
from .picture import describe, draw
from .tracing import trace

__all__ = ["Edge", "Graph", "Node", "Source", "describe", "draw", "trace"]
