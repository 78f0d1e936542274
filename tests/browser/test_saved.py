"""A notebook with widgets, saved by a learner, as others open it: without its kernel, untrusted, as a page."""

import base64
import re

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

pytest.importorskip("anywidget")

from browser.test_widgets import SETUP
from browser.widget_cases import CASES

pytestmark = pytest.mark.browser
SOURCES = [SETUP, *(f"CASES[{name!r}].make(1)" for name in CASES)]
# JupyterLab's own, when its page or its kernel goes while it waits: for its debugger, or for its shell's own channel
LEFT_UNANSWERED = "debugger|Canceled future for create_subshell_request message before replies were done"
SHOWN = """() => {
  const { node } = drive.panel(), outs = [...node.querySelectorAll(".jp-CodeCell .jp-OutputArea-output")];
  const pictures = outs.map((out) => out.querySelector("img")).filter((image) => image?.naturalWidth > 40);
  return { pictures: pictures.map(({ src }) => src), live: drive.widgets().length, text: node.innerText };
}"""


@pytest.fixture(scope="module")
def saved(lab):
    """A notebook of one widget a case, run and saved in JupyterLab."""
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    cells = [new_code_cell(source) for source in SOURCES]
    nbformat.write(new_notebook(cells=cells, metadata={"kernelspec": kernel}), lab.root / "saved.ipynb")
    with lab.opened("saved.ipynb") as (page, _):
        lab.run(page)
        page.wait_for_function(f"drive.widgets().length === {len(CASES)}")
        page.evaluate("drive.save()")
    return lab.root / "saved.ipynb"


def pictures():
    return [f"data:image/png;base64,{base64.b64encode(widget.picture(widget.state)).decode()}" for widget in made()]


def made():
    return [case.make(1) for case in CASES.values()]


def test_what_is_saved_is_the_view_the_picture_and_the_words(saved):
    notebook = nbformat.read(saved, 4)
    assert "widgets" not in notebook.metadata
    assert [cell.outputs[0].data["text/plain"] for cell in notebook.cells[1:]] == [w.words for w in made()]


def other(saved, name, kernel="python3", foreign=False):
    """A copy; a foreign one was written elsewhere, so that JupyterLab does not trust it."""
    notebook = nbformat.read(saved, 4)
    notebook.metadata.kernelspec.name = kernel
    notebook.cells += [new_markdown_cell("from elsewhere")] if foreign else []
    nbformat.write(notebook, saved.with_name(name))
    return name


@pytest.mark.parametrize("foreign", [False, True], ids=["trusted", "untrusted"])
@pytest.mark.parametrize("kernel", ["python3", "absent"])
def test_it_opens_with_pictures_and_no_error(lab, saved, kernel, foreign):
    name = "saved.ipynb"
    if foreign or kernel == "absent":
        name = other(saved, f"{kernel}-{foreign}.ipynb", kernel, foreign)
    with lab.opened(name, kernel=kernel == "python3") as (page, visit):
        page.wait_for_timeout(1500)
        shown = page.evaluate(SHOWN)
        assert "Error" not in shown["text"]
        assert "Loading widget" not in shown["text"]
        assert shown["pictures"] == pictures()
    assert (visit.console, visit.abroad) == ([], [])


def test_a_page_that_is_loaded_again_has_its_widgets_while_their_kernel_runs_and_then_their_pictures(lab, saved):
    name = other(saved, "again.ipynb")
    with lab.opened(name) as (page, visit):
        lab.run(page)
        page.wait_for_function(f"drive.widgets().length === {len(CASES)}")
        page.evaluate("drive.save()")
        page.reload()
        page.wait_for_function(f"window.drive.panel() && drive.widgets().length === {len(CASES)}")
        page.wait_for_function("drive.idle()")
        page.evaluate("drive.kernel().restart()")
        page.wait_for_timeout(1000)
        page.reload()
        page.wait_for_function("path => window.drive.opened(path)", arg=name)
        page.wait_for_function("drive.idle()")
        page.wait_for_timeout(1000)
        shown = page.evaluate(SHOWN)
        assert (shown["pictures"], shown["live"]) == (pictures(), 0)
        assert "Error" not in shown["text"]
    assert [text for text in visit.console if not re.search(LEFT_UNANSWERED, text)] == []


def test_nbconvert_makes_a_page_with_pictures_and_no_error(saved):
    from nbconvert import HTMLExporter

    page, _ = HTMLExporter(embed_images=True).from_filename(str(saved))
    body = page[page.index("<body") :]
    assert [picture for picture in pictures() if picture not in body] == []
    assert "Error" not in re.sub(r"<[^>]*>|[A-Za-z0-9+/=]{200,}", "", body)
    assert "widget-view" not in body
