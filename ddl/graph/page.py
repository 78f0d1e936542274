"""A graph as one page that opens from disk, with no network: the player, a picture for who has no script, and words."""

import json
import os
from html import escape
from pathlib import Path

from ..files import write_whole
from .data import Graph
from .folding import fold
from .viewed import viewed, walked
from .words import plain

BUNDLE = Path(__file__).parents[1] / "widgets" / "bundle" / "page.js"
LARGEST = 150  # boxes of a picture
RULES = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{rules}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ margin: 0; background: Canvas; color: CanvasText; color-scheme: light dark; }}
h1 {{ font: 600 1.25rem/1.3 system-ui, sans-serif; margin: 0; overflow-wrap: anywhere; }}
header {{ display: flex; gap: 1rem; justify-content: space-between; align-items: start; margin-bottom: 0.5rem; }}
</style>
</head>
<body>
<main class="ddl-widget">
<header><h1>{title}</h1></header>
<div class="ddl-view"></div>
<noscript>{picture}</noscript>
<p class="ddl-fault" role="alert"></p>
<details class="ddl-words"><summary>In words</summary><pre>{words}</pre></details>
</main>
<script type="application/json" id="ddl-graph">{graph}</script>
<script type="module">{script}</script>
</body>
</html>
"""


def to_html(graph: Graph, path: str | os.PathLike[str] | None = None, title: str = "") -> str:
    """The text of a page in which the graph is walked forward and backward, searched and folded; it loads nothing.

    A graph with values is walked back for it, where its outputs are single numbers. With a `path` it is written there.
    """
    title = plain(title or graph.title or "The graph of a computation")
    graph = walked(graph)
    page = PAGE.format(
        rules=escape(RULES),
        title=escape(title),
        picture=_picture(graph, title),
        words=escape(_words(graph)),
        graph=json.dumps({**viewed(graph), "title": title}, allow_nan=False).replace("<", "\\u003c"),
        script=BUNDLE.read_text("utf-8"),
    )
    if path is not None:
        write_whole(path, page.encode())
    return page


def _picture(graph: Graph, title: str) -> str:
    if len(fold(graph).boxes) > LARGEST:
        return "<p>The picture of this graph needs a script; below it is in words.</p>"
    return graph.to_svg(title=title)  # type: ignore[attr-defined]


def _words(graph: Graph) -> str:
    return graph.to_text()  # type: ignore[attr-defined]
