"""What a grader needs of a notebook: its cells, which of them ask for a check, and the exercises of its chapter."""

import json
import math
import re

from ..tasks import CHAPTERS, every, of_chapter

ASKED = re.compile(r"""\bcheck\(\s*["'](\d\d\.\w+)["']""")


def read(path):
    """The notebook as a dict; ValueError where it is none."""
    try:
        notebook = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(str(error)) from None
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise ValueError("it holds no cells")
    return notebook | {"name": path.name, "cells": [cell for cell in notebook["cells"] if isinstance(cell, dict)]}


def source(cell):
    text = cell.get("source", "")
    return "".join(map(str, text)) if isinstance(text, list) else str(text)


def code_cells(notebook):
    """(the cell's text, the ids of the exercises that it checks) of each code cell, in order."""
    return [(source(c), asked(c)) for c in notebook["cells"] if c.get("cell_type") == "code"]


def asked(cell):
    known = every()
    return [id for id in dict.fromkeys(ASKED.findall(source(cell))) if id in known]


def tasks_of(notebook):
    """All exercises of the chapters that the notebook asks about; if it asks about none, of the one in its name."""
    chapters = {id[:2] for cell in notebook["cells"] if cell.get("cell_type") == "code" for id in asked(cell)}
    number = re.match(r"\d\d", notebook["name"])
    chapters = chapters or ({number[0]} if number and number[0] in CHAPTERS else set())
    return [task for chapter in sorted(chapters) for task in of_chapter(chapter).values()]


def written(notebook):
    """(id, points) of what is answered in words."""
    for cell in notebook["cells"]:
        about = cell.get("metadata", {}).get("nbgrader", {}) if isinstance(cell.get("metadata"), dict) else {}
        if cell.get("cell_type") == "markdown" and isinstance(about, dict) and about.get("grade"):
            points = about.get("points")
            whole = int(points) if isinstance(points, (int, float)) and math.isfinite(points) else 0
            yield str(about.get("grade_id", "")).replace("-", ".", 1), whole
