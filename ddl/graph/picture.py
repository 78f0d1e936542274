"""A graph as matplotlib's Figure and as PNG, drawn from the same shapes as its SVG."""

import warnings
from collections.abc import Iterable
from typing import Any

from ..figures import png
from .data import Graph
from .drawing import Drawing
from .folding import fold
from .painter import paint
from .shapes import Path, Scene, Text
from .text import of_data

FONTS = ["DejaVu Sans Mono", "DejaVu Sans"]  # matplotlib brings them along, so a picture is the same everywhere


def draw(graph: Graph | dict[str, Any], title: str = "", grad: bool = True, slope: bool = True, **how: Any) -> Any:
    """A matplotlib Figure of a graph, or of the data that `Scalar.graph()` gives; pyplot is left alone.

    Each box says what made the number, its value and its gradient; each edge carries the local derivative. `grad=False`
    and `slope=False` leave those out; `depth`, `open`, `theme` and `direction` are those of `Graph.to_svg`. Raises
    ValueError above 150 boxes: nobody could read that.
    """
    graph = of_data(graph) if isinstance(graph, dict) else graph
    folded = fold(graph, how.pop("depth", None), how.pop("open", ()))
    return painted(paint(Drawing(folded, title, grad, slope, **how)))


def to_png(
    graph: Graph,
    depth: int | None = None,
    open: Iterable[str] = (),
    title: str = "",
    theme: str = "light",
    direction: str = "",
    grad: bool = True,
    slope: bool = True,
) -> bytes:
    """The picture of `to_svg` as a PNG, which holds the graph in words as its description; needs matplotlib."""
    figure = draw(graph, title, grad, slope, depth=depth, open=open, theme=theme, direction=direction)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)  # such a letter is drawn as a box
        return png(figure, Title=str(title), Description=graph.to_text(depth, open, grad, slope))


def painted(scene: Scene) -> Any:
    from matplotlib.figure import Figure

    width, height = scene.size
    figure = Figure(figsize=(width / 72, height / 72), facecolor=scene.page)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
    axes.axis("off")
    for part in (part for mark in scene.marks for part in mark.parts):
        _shape(axes, part) if isinstance(part, Path) else _text(axes, part)
    return figure


def _shape(axes: Any, part: Path) -> None:
    from matplotlib import path
    from matplotlib.patches import PathPatch

    codes = {"M": [path.Path.MOVETO], "L": [path.Path.LINETO], "C": [path.Path.CURVE4] * 3, "Z": [path.Path.CLOSEPOLY]}
    points, kinds = [], []
    for kind, *xy in part.steps:
        points += list(zip(xy[::2], xy[1::2])) or [(0.0, 0.0)]
        kinds += codes[kind]
    line = {"ec": part.stroke, "lw": part.width} if part.stroke else {"ec": "none"}
    axes.add_patch(
        PathPatch(path.Path(points, kinds), fc=part.fill or "none", ls=(0, (4, 2)) if part.dashed else "-", **line)
    )


def _text(axes: Any, part: Text) -> None:
    if part.text:
        axes.text(
            part.x,
            part.y,
            part.text,
            family=FONTS,
            size=part.size,
            color=part.color,
            weight="bold" if part.bold else "normal",
            ha="center" if part.centred else "left",
            va="center_baseline",
            parse_math=False,
        )
