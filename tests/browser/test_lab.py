"""Every notebook as a learner meets it: opened and run in a real JupyterLab, and the harness itself put to the test."""

import os
import shutil
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SHOTS = Path(__file__).with_name("shots")
LONG = ("14",)  # trains for minutes, which nbval does already: here its stored outputs are looked at
PLOT = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()"
IMAGE = "from IPython.display import HTML\nHTML('<img src=\"http://192.0.2.1/a.png\">')"
SCRIPT = "from IPython.display import HTML\nHTML('<script>console.error(\"planted\")</script>')"

pytestmark = pytest.mark.browser


@pytest.fixture
def written(lab):
    """Writes a notebook of these code cells where the lab sees it."""

    def write(name, *sources, text="$x^2$", tags=()):
        cells = [new_markdown_cell(text)]
        cells += [new_code_cell(source, metadata={"tags": list(tags)}) for source in sources]
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        nbformat.write(new_notebook(cells=cells, metadata={"kernelspec": kernel}), lab.root / name)
        return name

    return write


def test_a_good_notebook_passes(lab, written, tmp_path):
    visit = lab.visit(written("good.ipynb", "6 * 7", PLOT), shots=tmp_path)
    assert visit.faults() == []
    assert "42" in visit.seen["text"]
    assert visit.seen["images"] == 1
    assert (tmp_path / "good-1.png").stat().st_size > 10_000


def test_an_error_is_found_unless_it_is_asked_for(lab, written):
    faults = lab.visit(written("bad.ipynb", "1 / 0", "2")).faults()
    assert faults == ["cell 1 raises ZeroDivisionError: division by zero", "cell 2 was not run"]
    asked_for = written("asked.ipynb", "1 / 0", "import time; time.sleep(1)", "3", tags=["raises-exception"])
    assert lab.visit(asked_for).faults() == []


@pytest.mark.parametrize(
    ("source", "text", "fault"),
    [
        (IMAGE, "", "a request left the machine: http://192.0.2.1/a.png"),
        (SCRIPT, "", "the console says: planted"),
        ("1", "![](https://192.0.2.1/b.png)", "a request left the machine: https://192.0.2.1/b.png"),
        ("1", r"$\frac{1}$ and $\nonsense{$", "formulas could not be set"),
    ],
)
def test_a_planted_fault_is_found(lab, written, source, text, fault):
    faults = lab.visit(written("planted.ipynb", source, text=text)).faults()
    assert any(fault in found for found in faults), faults


def test_a_picture_that_is_not_drawn_is_found(lab, written):
    name = written("torn.ipynb", "1")
    notebook = nbformat.read(lab.root / name, 4)
    data = {"image/png": "bm8gcGljdHVyZQ==", "text/plain": "a figure"}
    notebook.cells[1].execution_count = 1
    notebook.cells[1].outputs = [nbformat.v4.new_output("display_data", data=data)]
    nbformat.write(notebook, lab.root / name)
    assert lab.visit(name, run=False).faults() == ["0 of 1 pictures are shown"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_of_the_course(lab, path):
    shutil.copy(path, lab.root)
    run = not path.name.startswith(LONG) or "DDL_RUN_LONG" in os.environ
    assert lab.visit(path.name, run=run, shots=SHOTS).faults() == []
