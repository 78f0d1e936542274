"""The base of the widgets without a browser: what an output holds, and how requests are answered."""

import base64
import io
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("anywidget")
pytest.importorskip("matplotlib")
nbformat = pytest.importorskip("nbformat")

from browser.widget_cases import CASES, Probe, probe  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
VIEW = "application/vnd.jupyter.widget-view+json"


@pytest.fixture
def asked(monkeypatch):
    """Asks a widget as its view would, and returns what it sends back."""

    def ask(widget, content):
        sent = []
        monkeypatch.setattr(type(widget), "send", lambda self, said, buffers=None: sent.append(said))
        widget._handle_custom_msg(content, [])
        return sent

    return ask


def output(widget):
    return widget._repr_mimebundle_()


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_an_output_holds_a_view_a_picture_and_the_words(case):
    from matplotlib.image import imread

    widget = case.make(1)
    data, about = output(widget)
    assert data.keys() == {VIEW, "image/png", "text/plain"}
    assert data["text/plain"] == repr(widget) == widget.words == about["image/png"]["alt"]
    height, width, _ = imread(io.BytesIO(base64.b64decode(data["image/png"]))).shape
    assert 40 < width // 2 == about["image/png"]["width"]
    assert height > 40
    again, other = output(case.make(1))[0], output(case.make(2))[0]
    assert {kind for kind in data if data[kind] != again[kind]} == {VIEW}
    assert {kind for kind in data if data[kind] != other[kind]} == data.keys()


def test_a_request_is_answered_and_the_words_follow(asked):
    widget = probe(1)
    first = output(widget)[0]
    assert asked(widget, {"ask": {"first": 5}, "number": "a"}) == [{"answered": "a", "fault": ""}]
    assert widget.data["values"][0] == 5
    assert widget.words.startswith("a = 5\n")
    assert output(widget)[0]["image/png"] != first["image/png"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"ask": {"first": -1}, "number": 1}, "the first number must be 0 or more, but -1 was given"),
        ({"ask": {"second": 1}, "number": 1}, "unexpected keyword argument 'second'"),
        ({"ask": {"first": "<b>"}, "number": 1}, "not supported between instances of 'str' and 'int'"),
        ({"ask": {"self": 1}, "number": 1}, "multiple values for argument 'self'"),
        ({"ask": [1]}, "a view asks with a table of names and values, but this one sent {'ask': [1]}"),
        ("nonsense", "but this one sent 'nonsense'"),
    ],
)
def test_a_request_that_fails_is_told_in_words_and_changes_nothing(asked, content, words):
    widget = probe(1)
    before = widget.data, widget.words
    (sent,) = asked(widget, content)
    assert words in sent["fault"] == widget.fault
    assert (widget.data, widget.words) == before
    assert isinstance(widget.error, (TypeError, ValueError))
    asked(widget, {"ask": {"first": 2}, "number": 2})
    assert widget.fault == ""


class Broken(Probe):
    def change(self, how):
        if how == "describe":
            return {"names": None}
        if how == "stop":
            raise KeyboardInterrupt
        error = KeyError("w")
        error.add_note("in the layer <b>blocks.0</b>")
        raise error


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("note", "KeyError: 'w'\nin the layer <b>blocks.0</b>"),
        ("stop", "Interrupted: nothing was changed."),
        ("describe", "'values'"),
    ],
)
def test_whatever_is_raised_leaves_the_last_good_state(asked, how, words):
    widget = Broken(probe(1).data)
    before = widget.data, widget.words
    asked(widget, {"ask": {"how": how}})
    assert words in widget.fault
    assert (widget.data, widget.words) == before


def test_a_closed_widget_stays_readable_and_says_that_it_is_closed(asked):
    widget = probe(1)
    widget.close()
    (sent,) = asked(widget, {"ask": {"first": 5}})
    assert sent["fault"] == "this widget was closed: run its cell again for a new one"
    assert output(widget)[0]["text/plain"] == probe(1).words


def test_two_widgets_share_nothing(asked):
    a, b = probe(1), probe(1)
    asked(a, {"ask": {"first": 5}})
    asked(a, {"ask": {"first": -5}})
    assert (b.data, b.words, b.fault, b.error) == (probe(1).data, probe(1).words, "", None)


def test_without_anywidget_an_import_says_what_to_install():
    code = "import sys; sys.modules['anywidget'] = None; import ddl; ddl.widgets"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stderr.splitlines()[-1] == (
        'ImportError: ddl.widgets needs anywidget, which is not installed: pip install "ddl[course]"'
    )


def test_a_view_whose_kernel_is_gone_is_left_out_of_a_notebook_where_a_picture_stays():
    contents = pytest.importorskip("ddl.course.contents")
    data, about = output(probe(1))
    bare, here = {VIEW: {}, "text/plain": ""}, about[VIEW]["process"]

    def kept(process):
        outputs = [{"data": dict(data), "metadata": dict(about)}, {"data": dict(bare)}, {"output_type": "stream"}]
        notebook = {"cells": [{"outputs": outputs}, {"source": ""}]}
        contents.still(notebook, process)
        assert outputs[1] == {"data": bare}
        return outputs[0]

    assert kept(here) == {"data": data, "metadata": about}
    for gone in (None, here + 1):
        assert kept(gone)["data"].keys() == {"image/png", "text/plain"} == {*kept(gone)["metadata"], "text/plain"}


@pytest.mark.slow
def test_a_frozen_notebook_keeps_picture_and_words_and_nbval_finds_them_again(tmp_path):
    pytest.importorskip("nbval")
    sys.path.insert(0, str(ROOT / "course"))
    import build

    setup = f"import sys\nsys.path.insert(0, {str(ROOT / 'tests')!r})\nfrom browser.widget_cases import CASES"
    sources = [setup, *(f"CASES[{name!r}].make(1)" for name in CASES)]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    build.execute(notebook, tmp_path)
    assert "widgets" not in notebook.metadata
    for cell in notebook.cells[1:]:
        assert [out.data.keys() for out in cell.outputs] == [{"image/png", "text/plain"}]
        assert [out.metadata.keys() for out in cell.outputs] == [{"image/png"}]
    nbformat.write(notebook, tmp_path / "frozen.ipynb")
    nbval = [sys.executable, "-m", "pytest", "-q", "--nbval", "--nbval-current-env", "-p", "no:cacheprovider"]
    done = subprocess.run([*nbval, "frozen.ipynb"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
