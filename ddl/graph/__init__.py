"""Computations as plain data: recorded, drawn and put into words."""

from .backward import backward
from .costs import costs
from .data import Edge, Graph, Node, Source
from .dot import to_dot
from .formulas import equations
from .loading import load
from .mermaid import to_mermaid
from .onnx import to_onnx
from .page import to_html
from .passes import drop_dead, fold_constants, merge_common
from .picture import draw, to_png
from .queries import kept_bytes, longest_path, unused, without_gradient
from .recorded import of
from .records import to_dict, to_json
from .run import evaluated, run
from .svg import to_svg
from .text import describe, to_text
from .tracing import trace
from .walking import walk_back

_DRAWN = (to_dot, to_mermaid, to_svg, to_png, to_text, to_html)
_ASKED = (walk_back, backward, costs, equations, kept_bytes, longest_path, unused, without_gradient)
_RECORDED = (to_dict, to_json, to_onnx, run, evaluated)
for _method in _DRAWN + _ASKED + _RECORDED:
    setattr(Graph, _method.__name__, _method)
Graph.from_json = staticmethod(load)  # type: ignore[attr-defined]

__all__ = [
    *("Edge", "Graph", "Node", "Source", "describe", "draw", "drop_dead", "fold_constants", "load", "merge_common"),
    *("of", "trace", "walk_back"),
]
