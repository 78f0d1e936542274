"""An exercise notebook and its solution, from one source: where an answer stands between two marks, it is cut out."""

import copy
import re

from nbformat.v4 import new_code_cell

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
REGION = re.compile(rf"^([ \t]*){BEGIN}\n.*?^[ \t]*{END}[ \t]*(\n|\Z)", re.MULTILINE | re.DOTALL)
STUB = "{0}# YOUR CODE HERE\n{0}raise NotImplementedError()\n"  # as nbgrader writes it
WRITTEN = "Write your answer here."


def solved(notebook, tasks):
    """The notebook with a cell that checks after each answer, and what nbgrader has to know of both.

    `tasks` has for each exercise its level, which is its points. A markdown cell that holds an answer is one that a
    person grades. ValueError where an answer has no marks or its exercise is not known.
    """
    made = copy.deepcopy(notebook)
    made.cells = []
    for cell in copy.deepcopy(notebook.cells):
        made.cells.append(cell)
        if not (id := cell.metadata.pop("task", None)):
            continue
        if not REGION.search(cell.source):
            raise ValueError(f"the answer to {id} has to stand between {BEGIN} and {END}")
        cell["id"] = name(id)
        if cell.cell_type == "markdown":
            cell.metadata["nbgrader"] = about(id, solution=True, grade=True, points=3)
            continue
        if id not in tasks:
            raise ValueError(f"{id} is not among the exercises of this chapter: {', '.join(tasks)}")
        cell.metadata["nbgrader"] = about(id, solution=True)
        made.cells.append(new_code_cell(f'check("{id}")', id=f"check-{name(id)}"))
        made.cells[-1].metadata["nbgrader"] = about(f"check-{id}", grade=True, points=tasks[id])
    return made


def cut(notebook):
    """The same without the answers: in a function a stub that says so, elsewhere what stands around the answer."""
    made = copy.deepcopy(notebook)
    for cell in made.cells:
        if cell.cell_type == "markdown":
            cell.source = REGION.sub(WRITTEN, cell.source).strip()
        else:
            cell.source = REGION.sub(lambda match: STUB.format(match[1]) if match[1] else "", cell.source).strip("\n")
            cell.outputs, cell.execution_count = [], None
    return made


def name(id):
    """The id of a cell, which has no dots."""
    return id.replace(".", "-")


def about(id, **how):
    plain = {"grade": False, "solution": False, "task": False, "schema_version": 3, "grade_id": name(id)}
    return plain | {"locked": not how.get("solution", False)} | how
