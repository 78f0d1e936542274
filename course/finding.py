"""The sections of a notebook, each with its heading, its place on the page and its words, for the site's search."""

import re

SHOWN = 20_000  # characters of a section that are searched
MARKS = re.compile(r"\[([^]]*)\]\([^)]*\)|[*`|]")  # of markdown; of a link its text stays


def slug(heading):
    """The id of a heading on its page."""
    plain = re.sub(r"<[^>]*>|&\w+;|[`*$\\{}]", "", heading)
    return "-".join(re.findall(r"\w+", plain.lower())) or "section"


def lines(cell):
    """(line, whether it is code) of a cell, without the fences around code in its prose."""
    code = cell.cell_type != "markdown"
    for line in cell.source.splitlines():
        if cell.cell_type == "markdown" and line.lstrip().startswith("```"):
            code = not code
        else:
            yield line, code


def sections(notebook):
    """[heading, words] from each heading of the notebook to the next, code included, outputs not."""
    found = []
    for line, code in (pair for cell in notebook.cells for pair in lines(cell)):
        if not code and (title := re.match(r"#{1,6} +(.*)", line)):
            found.append([re.sub(r"[`*$]", "", title[1]).strip(), ""])
        elif found:
            found[-1][1] += (line if code else MARKS.sub(r"\1", line)).strip() + " "
    return [[heading, words[:SHOWN].strip()] for heading, words in found]


def places(pages):
    """A line for each section of all pages: page, title of the page, id of the heading, heading, words."""
    titles = {name: page.cells[0].source.splitlines()[0].removeprefix("# ") for name, page in pages.items()}
    return [
        [name, titles[name], slug(heading), heading, words]
        for name, page in pages.items()
        for heading, words in sections(page)
    ]
