"""The committed notebooks: executed, frozen, readable without a kernel, and exactly what the course's source makes."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
PICTURES = ("image/png", "image/svg+xml", "image/jpeg")
MACHINE = re.compile(r"/(?:home|Users|root|tmp)/\w+|0x[0-9a-f]{8,}")


def source(cell):
    return "".join(cell["source"])


def kinds(cell):
    return [out["output_type"] for out in cell["outputs"]]


def faults_of_output(cell, out):
    tags = cell["metadata"].get("tags", [])
    if out["output_type"] == "error" and "raises-exception" not in tags:
        yield f"raises {out['ename']} without saying that it should"
    if out.get("name") == "stderr":
        yield "writes to stderr"
    for kind in set(PICTURES) & set(out.get("data", {})):
        if not out.get("metadata", {}).get(kind, {}).get("alt", "").strip():
            yield f"shows an {kind} without alternative text"
    data = {kind: value for kind, value in out.get("data", {}).items() if kind not in PICTURES}
    if hit := MACHINE.search(json.dumps([data, out.get("text"), out.get("traceback")])):
        yield f"prints {hit.group()}, which differs on another machine"


def faults(notebook):
    """What is wrong with a notebook that learners open, as sentences."""
    cells = notebook["cells"]
    ids = [cell.get("id") for cell in cells]
    found = []
    if "widgets" in notebook["metadata"]:
        found.append("the notebook stores widget state")
    if len(set(ids)) < len(ids) or None in ids:
        found.append("cell ids are missing or repeated")
    for cell in cells:
        wrong = [] if source(cell).count("\n") < 20 or cell["cell_type"] != "code" else ["has more than 20 lines"]
        if cell["cell_type"] == "code":
            wrong += [] if cell["execution_count"] else ["was not run"]
            wrong += [fault for out in cell["outputs"] for fault in faults_of_output(cell, out)]
            if "raises-exception" in cell["metadata"].get("tags", []) and "error" not in kinds(cell):
                wrong.append("raises nothing, though it says that it should")
        wrong += (
            ["shows an image without alternative text"]
            if re.search(r"!\[\s*\]\(|<img(?![^>]*alt=)", source(cell))
            else []
        )
        found += [f"cell {cell.get('id')} {fault}" for fault in wrong]
    counts = [cell["execution_count"] for cell in cells if cell["cell_type"] == "code"]
    if counts != list(range(1, len(counts) + 1)):
        found.append("the cells were not run once each, from the first to the last")
    if not any(cell.get("outputs") for cell in cells):
        found.append("nothing has an output, so that nbval would compare nothing")
    return found


def test_there_are_notebooks():
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_committed_notebook_is_fit_to_read(path):
    assert faults(json.loads(path.read_text("utf-8"))) == []


def cell(source="1", count=1, id="a", tags=(), outputs=(), kind="code"):
    made = {"cell_type": kind, "id": id, "metadata": {"tags": list(tags)}, "source": source}
    return made | ({"execution_count": count, "outputs": list(outputs)} if kind == "code" else {})


TEXT = {"output_type": "stream", "name": "stdout", "text": "1"}
ERROR = {"output_type": "error", "ename": "ValueError", "evalue": "no", "traceback": []}
PLAIN = {"output_type": "display_data", "metadata": {}, "data": {"image/png": "", "text/plain": "<Figure>"}}
TOLD = PLAIN | {"metadata": {"image/png": {"alt": "a line that rises"}}}
WHERE = TEXT | {"text": "saved in " + "/tmp" + "/run"}


@pytest.mark.parametrize(
    ("planted", "fault"),
    [
        (cell(count=2, id="b", outputs=[ERROR]), "raises ValueError"),
        (cell(count=2, id="b", outputs=[TEXT | {"name": "stderr"}]), "writes to stderr"),
        (cell(count=2, id="b", outputs=[TEXT], tags=["raises-exception"]), "raises nothing"),
        (cell(count=2, id="b", outputs=[PLAIN]), "without alternative text"),
        (cell(count=2, id="b", outputs=[WHERE]), "differs on another machine"),
        (cell(count=None, id="b"), "was not run"),
        (cell(count=1, id="b"), "from the first to the last"),
        (cell(count=2, id="a"), "repeated"),
        (cell(count=2, id="b", source="1\n" * 20 + "1"), "more than 20 lines"),
        (cell(id="b", kind="markdown", source="![](graph.png)"), "without alternative text"),
    ],
)
def test_a_planted_fault_is_found(planted, fault):
    good = [cell(outputs=[TEXT]), cell(count=2, id="c", outputs=[TOLD, ERROR], tags=["raises-exception"])]
    assert faults({"metadata": {}, "cells": good}) == []
    found = faults({"metadata": {}, "cells": [good[0], planted]})
    assert any(fault in sentence for sentence in found), found


def test_widget_state_and_empty_outputs_are_found():
    found = faults({"metadata": {"widgets": {}}, "cells": [cell()]})
    assert any("widget state" in sentence for sentence in found)
    assert any("nothing has an output" in sentence for sentence in found)


def test_the_notebooks_are_what_the_source_makes():
    done = subprocess.run([sys.executable, "course/build.py", "--check"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
