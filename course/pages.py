"""Turn the executed notebooks into a site: pages that open from disk, with no network; only the search runs a script.

python course/pages.py            write it into the folder site
python course/pages.py FOLDER     write it there
"""

import json
import re
import shutil
import sys
from importlib.resources import files
from pathlib import Path

import nbformat
from finding import places, slug
from math_core import LatexError, LatexToMathML
from nbconvert import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat.v4 import new_markdown_cell, new_notebook

ROOT = Path(__file__).resolve().parents[1]
TEMPLATE = Path(__file__).with_name("site")
TEACHING = Path(__file__).with_name("teaching.md")
FONT = files("ziamath") / "fonts" / "STIXTwoMath-Regular.ttf"  # not every machine has one for formulas
MATHML = LatexToMathML(fancy_error=False)
SEARCH = """# Search

<form role="search"><label>Words <input type="search" name="q"></label></form>
<p role="status"></p>
<ol></ol>
<script src="places.js"></script>
<script src="search.js"></script>
"""
FORMS = ["image/png", "image/svg+xml", "text/html", "text/plain"]  # of an output the first that it has is shown


class Prose(IPythonRenderer):
    """Markdown whose formulas are MathML, which browsers draw by themselves, and whose links lead from page to page."""

    def __init__(self):
        super().__init__(escape=False, exclude_anchor_links=True)

    def inline_math(self, body):
        return formula(body, block=False)

    def block_math(self, body):
        return f'<span class="wide">{formula(body, block=True)}</span>'

    def latex_environment(self, name, body):
        return self.block_math(rf"\begin{{{name}}}{body}\end{{{name}}}")

    def heading(self, text, level, **attrs):
        return f'<h{level} id="{slug(text)}">{text}</h{level}>\n'

    def link(self, text, url, title=None):
        return super().link(text, re.sub(r"^(?:\.\./notebooks/)?([^:/?#]+)\.ipynb\b", r"\1.html", url), title)

    def table(self, text):
        return f'<div class="wide"><table>\n{text}</table></div>\n'


def formula(body, block):
    """The LaTeX formula `body` as a MathML element; ValueError where it cannot be read."""
    try:
        return MATHML.convert_with_local_state(body, displaystyle=block)
    except LatexError as error:
        raise ValueError(f"the formula {body!r} cannot be set: {error}") from None


def markdown(source):
    return MarkdownWithMath(renderer=Prose()).render(source)


def contents(readme, names):
    """The first page: what the README says of the course, and its table of chapters, each linked to its notebook."""
    title, opening = readme.split("\n\n")[:2]
    table = re.search(r"## The course\n\n(.*?)\n\n", readme, re.DOTALL)[1]
    for name in names:
        table = re.sub(rf"^(\| {name[:2]} \| )(.*?)( \|)", rf"\1[\2]({name}.ipynb)\3", table, flags=re.MULTILINE)
    more = "Whoever teaches with it finds plans and advice in [Teaching with this course](teaching.html)."
    return alone(f"{title}\n\n{opening}\n\n## The chapters\n\n{table}\n\n{more}")


def alone(text):
    """A page of text, as a notebook of one cell."""
    return new_notebook(cells=[new_markdown_cell(text)])


def build(target, root=ROOT):
    """Write a page for each notebook of `root`, and index.html, which leads to them, into the folder `target`."""
    chapters = {path.stem: nbformat.read(path, as_version=4) for path in sorted(root.glob("notebooks/*.ipynb"))}
    pages = {"index": contents((root / "README.md").read_text("utf-8"), chapters), **chapters}
    pages["teaching"] = alone(TEACHING.read_text("utf-8"))
    known = places({name: page for name, page in pages.items() if name != "index"})
    pages["search"] = alone(SEARCH)
    titles = {name: page.cells[0].source.splitlines()[0].removeprefix("# ") for name, page in pages.items()}
    exporter = HTMLExporter(
        template_name=TEMPLATE.name,
        extra_template_basedirs=[str(TEMPLATE.parent)],
        filters={"markdown2html": markdown},
        config={"NbConvertBase": {"display_data_priority": FORMS}},
    )
    target.mkdir(parents=True, exist_ok=True)
    for file in (TEMPLATE / "style.css", TEMPLATE / "search.js", FONT):
        shutil.copy(file, target)
    (target / "places.js").write_text(
        f"const PLACES = {json.dumps(known, indent=0)};\n", encoding="utf-8", newline="\n"
    )
    for here, (name, page) in enumerate(pages.items()):
        html, _ = exporter.from_notebook_node(page, {"here": here, "pages": list(titles.items()), "chapters": chapters})
        (target / f"{name}.html").write_text(html, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "site"
    build(folder)
    print(f"open {folder / 'index.html'}")
