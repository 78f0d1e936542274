"""A graph as SVG text: nothing in it but shapes and words, so that no name of a user's becomes more than that."""

from collections.abc import Iterable
from xml.sax.saxutils import escape

from .data import Graph
from .drawing import Drawing
from .folding import fold
from .painter import paint
from .shapes import Mark, Path, Scene, Text
from .words import plain

FONTS = "DejaVu Sans Mono, Menlo, Consolas, monospace"


def to_svg(
    graph: Graph,
    depth: int | None = None,
    open: Iterable[str] = (),
    title: str = "",
    theme: str = "light",
    direction: str = "",
    grad: bool = True,
    slope: bool = True,
) -> str:
    """An SVG picture; `depth` and `open` say what is folded, as in `ddl.graph.folding.fold`.

    `direction` is "right" or "down", and if it is left out what fits a page. Pointing at a box tells what is shortened
    in it. Raises ValueError above 150 boxes.
    """
    drawing = Drawing(fold(graph, depth, open), title, grad, slope, theme, direction)
    return written(paint(drawing), title or "graph of a computation", graph.to_text(depth, open))


def written(scene: Scene, title: str, words: str) -> str:
    width, height = (_length(x) for x in scene.size)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}pt" height="{height}pt" '
            f'viewBox="0 0 {width} {height}" role="img" style="white-space:pre" font-family="{FONTS}">',
            f"<title>{_safe(title)}</title>",
            "<desc>" + "\n".join(map(_safe, words.splitlines())) + "</desc>",
            f'<rect width="{width}" height="{height}" fill="{scene.page}"/>',
            *map(_mark, scene.marks),
            "</svg>",
            "",
        ]
    )


def _mark(mark: Mark) -> str:
    about = "\n".join(map(_safe, mark.about.splitlines()))
    return "<g>" + (f"<title>{about}</title>" if about else "") + "".join(map(_part, mark.parts)) + "</g>"


def _part(part: Path | Text) -> str:
    if isinstance(part, Path):
        steps = "".join(step[0] + " ".join(map(_length, step[1:])) for step in part.steps)
        line = f' stroke="{part.stroke}" stroke-width="{part.width}"' if part.stroke else ""
        dashes = ' stroke-dasharray="4 2"' if part.dashed else ""
        return f'<path d="{steps}" fill="{part.fill or "none"}"{line}{dashes}/>'
    middle = ' text-anchor="middle"' if part.centred else ""
    bold = ' font-weight="bold"' if part.bold else ""
    fitted = "" if part.text.isascii() else f' textLength="{_length(part.width)}" lengthAdjust="spacingAndGlyphs"'
    place = f'x="{_length(part.x)}" y="{_length(part.y + 0.35 * part.size)}"'
    return (
        f'<text {place} font-size="{part.size:g}" fill="{part.color}"{middle}{bold}{fitted}>{_safe(part.text)}</text>'
    )


def _length(x: float) -> str:
    return f"{x:.1f}".removesuffix(".0")


def _safe(text: str) -> str:
    return escape(plain(text))
