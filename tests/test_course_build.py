"""The course's builder makes the same notebook each time, says which are stale, and the chapters keep their form."""

import re
import sys
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
pytest.importorskip("nbclient")

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "course"))

import build  # noqa: E402
import percent  # noqa: E402

LESSONS = {path.parent.name: path for path in sorted((ROOT / "course").glob("*/lesson.py"))}
FOREIGN = re.compile(r"/(?:home|Users|root|work|tmp|usr|var)/")
TINY = '''"""What stands before the first cell is no part of the notebook."""
# %% [markdown]
# # A tiny lesson
#
# with $x^2$ in it

# %%
from matplotlib.figure import Figure

from ddl.course import show

print("one")
print("two")


# %%
figure = Figure((1, 1))
figure.add_axes((0, 0, 1, 1)).plot([1, 2])
show(figure, alt="a rising line from 1 to 2")

# %% tags=["raises-exception"] id="a-division"
import json

json.loads("{")

# %% [markdown] tags=["aside"]
# the end

# %%
1 + 1
'''


@pytest.fixture
def course(tmp_path):
    """A project with one lesson, and ddl from here."""
    (tmp_path / "course" / "01_tiny").mkdir(parents=True)
    (tmp_path / "ddl").symlink_to(ROOT / "ddl")
    (tmp_path / "course" / "01_tiny" / "lesson.py").write_text(TINY)
    return tmp_path


def test_cells_are_read():
    cells = percent.read(TINY).cells
    assert [c.cell_type for c in cells] == ["markdown", "code", "code", "code", "markdown", "code"]
    assert cells[0].source == "# A tiny lesson\n\nwith $x^2$ in it"
    assert cells[1].source.endswith('print("two")')
    assert cells[3].metadata == {"tags": ["raises-exception"]}
    assert cells[3].id == "a-division"
    assert cells[4].metadata == {"tags": ["aside"]}


def test_a_change_touches_one_id():
    before = [c.id for c in percent.read(TINY).cells]
    assert len(set(before)) == len(before)
    assert [c.id for c in percent.read(TINY).cells] == before
    changed = [c.id for c in percent.read(TINY.replace("the end", "The End")).cells]
    assert [a == b for a, b in zip(before, changed)] == [True] * 4 + [False, True]
    grown = [c.id for c in percent.read(TINY + "\n# %%\n1 + 1\n\n# %%\n1 + 1\n").cells]
    assert grown[:6] == before
    assert len(set(grown)) == 8


@pytest.mark.parametrize(
    "line", ["# %%[markdown]", "# %% [md]", "# %% tags=[oops", '# %% name="x"', "# %% A title", '# %% tags=["a"] and']
)
def test_a_header_that_cannot_be_read_is_refused(line):
    with pytest.raises(ValueError, match=r"lesson.py:2 cannot be read"):
        percent.read(f"\n{line}\n1\n")


def test_code_in_a_markdown_cell_is_refused():
    with pytest.raises(ValueError, match=r"lesson.py:3 is in a markdown cell"):
        percent.read("# %% [markdown]\n# text\nx = 1\n")


def test_building_twice_gives_the_same_bytes(course, capsys):
    target = course / "notebooks" / "01_tiny.ipynb"
    assert build.main(["01"], course) == 0
    first = target.read_bytes()
    assert build.main(["01"], course) == 0
    assert target.read_bytes() == first
    capsys.readouterr()
    assert build.main([], course) == 0
    assert capsys.readouterr().out == ""  # nothing is stale, so nothing is run
    notebook = nbformat.reads(first.decode(), 4)
    nbformat.validate(notebook)
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    code = [c for c in notebook.cells if c.cell_type == "code"]
    assert [c.execution_count for c in code] == [1, 2, 3, 4]
    assert all(set(c.metadata) <= {"tags"} for c in notebook.cells)
    assert [o.output_type for c in code for o in c.outputs] == ["stream", "display_data", "error", "execute_result"]
    assert code[0].outputs[0].text == "one\ntwo\n"
    picture = code[1].outputs[0]
    assert picture.metadata["image/png"] == {"alt": "a rising line from 1 to 2", "width": 96}
    assert picture.data["text/plain"] == "a rising line from 1 to 2"
    assert not FOREIGN.search("\n".join(code[2].outputs[0].traceback))
    assert str(course) not in first.decode()


def test_check_tells_which_notebooks_are_stale(course, capsys):
    lesson, target = course / "course" / "01_tiny" / "lesson.py", course / "notebooks" / "01_tiny.ipynb"

    def says(code):
        assert build.main(["--check"], course) == code
        return capsys.readouterr().out

    assert says(1) == "notebooks/01_tiny.ipynb is missing\n"
    target.parent.mkdir()
    build.write(percent.read(TINY), target)
    assert says(1) == "notebooks/01_tiny.ipynb was not run from top to bottom\n"
    notebook = percent.read(TINY)
    for count, cell in enumerate([c for c in notebook.cells if c.cell_type == "code"], 1):
        cell.execution_count = count
    build.write(notebook, target)
    assert says(0) == "notebooks/01_tiny.ipynb is as its source\n"
    for old, new in ('"one"', '"uno"'), ("the end", "The end"), ('["aside"]', '["beside"]'), ('"a-division"', '"b"'):
        lesson.write_text(TINY.replace(old, new))
        assert says(1) == "notebooks/01_tiny.ipynb differs from its source\n"
    with pytest.raises(SystemExit):
        build.main(["07"], course)
    assert "there is no chapter 07: the chapters are 01_tiny" in capsys.readouterr().err


def test_a_picture_without_words_is_refused():
    notebook = percent.read("# %%\n1\n")
    notebook.cells[0].outputs = [nbformat.v4.new_output("display_data", {"image/png": "eA=="})]
    with pytest.raises(ValueError, match="a picture has no alternative text"):
        build.freeze(notebook)


def test_freezing_leaves_out_what_differs_from_run_to_run():
    notebook = percent.read("# %%\n1\n")
    notebook.metadata["widgets"] = {"state": {}}
    notebook.metadata["language_info"]["version"] = "3.11.1"
    cell = notebook.cells[0]
    cell.metadata["execution"] = {"iopub.execute_input": "2020-01-01"}
    view = {build.WIDGET: {"model_id": "1"}, "text/plain": "a slider"}
    cell.outputs = [
        nbformat.v4.new_output("stream", name="stderr", text=f"{ROOT}/ddl/x.py:1: careful, /tmp/ipykernel_7/89.py:2\n"),
        nbformat.v4.new_output("display_data", view | {"text/html": "<b>a slider</b>"}),
    ]
    build.freeze(notebook)
    assert notebook.metadata == percent.read("").metadata
    assert cell.metadata == {}
    assert cell.outputs[0].text == "ddl/x.py:1: careful, cell:2\n"
    assert build.WIDGET not in cell.outputs[1].data


def test_show_refuses_a_picture_without_words():
    from ddl.course import show

    with pytest.raises(ValueError, match="alt is empty"):
        show(None, alt=" ")


@pytest.fixture(scope="module", params=LESSONS)
def chapter(request):
    target = ROOT / "notebooks" / f"{request.param}.ipynb"
    return percent.read(LESSONS[request.param].read_text("utf-8")), target


def test_chapter_keeps_the_form(chapter):
    cells = chapter[0].cells
    prose = "\n".join(c.source for c in cells if c.cell_type == "markdown")
    assert cells[0].source.startswith("# ")
    for cell in cells:
        if cell.cell_type == "code":
            assert len(cell.source.splitlines()) <= 20, cell.source
            assert max(map(len, cell.source.splitlines()), default=0) <= 100, cell.source
    for heading in ("## Recap", "## Go deeper"):
        assert heading in prose
    for link in re.findall(r"\]\(([^)#]+)\)", prose):
        assert link.startswith("https://") or (ROOT / "notebooks" / link).exists(), link
