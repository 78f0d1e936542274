"""Every widget in a real JupyterLab: by keyboard, in both themes, twice on a page, at fault, without its kernel."""

import base64
import json
import re
from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbformat.v4 import new_code_cell, new_notebook

pytest.importorskip("anywidget")

from browser.lab import VIEW
from browser.widget_cases import CASES

ROOT = Path(__file__).resolve().parents[2]
SHOTS = Path(__file__).with_name("shots")
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
SETUP = f"import sys\nsys.path[:0] = [{str(ROOT)!r}, {str(ROOT / 'tests')!r}]\nfrom browser.widget_cases import CASES"
PLANT = """
def planted(self, **asked):
    raise ValueError("planted <img src=x onerror=console.error(1)>")
kept, type(a).change = type(a).change, planted"""
KEYS = ("ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp", "Enter", "Space", "7")  # Enter opens the list of a select

pytestmark = pytest.mark.browser


class Stage:
    """A notebook that shows a widget made from seed 1 and one made from seed 2, and what can be done with them."""

    def __init__(self, lab, case, page, visit):
        self.lab, self.case, self.page, self.visit = lab, case, page, visit

    def do(self, script, argument=None):
        return self.page.evaluate(f"argument => drive.{script}", argument)

    def wait(self, condition):
        self.page.wait_for_function(condition, timeout=20_000)

    def run(self):
        self.do("revive()")
        self.wait("drive.idle()")
        self.lab.run(self.page)
        self.wait("drive.widgets().length === 2 && drive.widgets().every((root) => root.dataset.ddlTheme)")

    def numbers(self, widget):
        """The numbers on the page, by kind and by what they belong to."""
        self.press(widget, self.case.ready)
        found = self.do(f"numbers({widget}, argument)", self.case.shown)
        return {kind: {key: read(x) for key, x in of.items() if x != ""} for kind, of in found.items()}

    def part(self, widget, name):
        return self.do(f"widgets()[{widget}].querySelector('.ddl-{name}').textContent")

    def press(self, widget, steps):
        for selector, keys in steps:
            self.page.locator(".ddl-widget").nth(widget).locator(selector).first.focus()
            for key in keys:
                self.page.keyboard.press(key)
        self.page.evaluate("new Promise(requestAnimationFrame)")  # a view may draw by then

    def ask(self, widget):
        self.press(widget, self.case.asks)


def read(text):
    """The number, or the numbers of the list, in an attribute."""
    return np.array(json.loads(text) if text.startswith("[") else text, float)


def expected(case, data):
    found = case.numbers(data)
    return {kind: {key: np.array(x, float) for key, x in of.items() if x is not None} for kind, of in found.items()}


def differing(found, wanted):
    """Where two tables of numbers differ, by more than the order of a sum."""
    assert found.keys() == wanted.keys()
    same = lambda x, y: x is not None and y is not None and np.allclose(x, y, rtol=1e-12, atol=0, equal_nan=True)
    keys = [(kind, key) for kind in found for key in found[kind].keys() | wanted[kind].keys()]
    return [at for at in keys if not same(found[at[0]].get(at[1]), wanted[at[0]].get(at[1]))]


@pytest.fixture(scope="module", params=CASES.values(), ids=CASES)
def opened(lab, request):
    sources = [SETUP, *(f"{x} = CASES[{request.param.name!r}].make({seed})\n{x}" for seed, x in enumerate("ab", 1))]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    cells = [new_code_cell(source) for source in sources]
    name = f"widget-{request.param.name}.ipynb"
    nbformat.write(new_notebook(cells=cells, metadata={"kernelspec": kernel}), lab.root / name)
    with lab.opened(name) as (page, visit):
        yield Stage(lab, request.param, page, visit)


@pytest.fixture
def stage(opened):
    """The notebook run anew; after the test nothing may have left the machine or been said in the console."""
    opened.run()
    yield opened
    assert (opened.visit.console, opened.visit.abroad) == ([], [])


def outputs(stage):
    return [cell["outputs"][0] for cell in stage.do("notebook()")["cells"][1:]]


def test_the_output_holds_a_view_a_picture_and_the_words(stage):
    for seed, out in enumerate(outputs(stage), 1):
        widget = stage.case.make(seed)
        assert base64.b64decode(out["data"]["image/png"]) == widget.picture(widget.state)
        assert out["data"]["text/plain"] == widget.words == out["metadata"]["image/png"]["alt"]
        assert "application/vnd.jupyter.widget-view+json" in out["data"]
    assert "widgets" not in stage.do("notebook()")["metadata"]


def test_the_numbers_on_the_page_are_those_of_the_data(stage):
    for seed in (1, 2):
        widget = stage.case.make(seed)
        numbers = expected(stage.case, widget.data)
        assert all(numbers.values())
        assert differing(stage.numbers(seed - 1), numbers) == []
        assert stage.part(seed - 1, "words pre") == widget.words
        told = [float(x) for x in re.findall(r"-?(?:\d+\.?\d*(?:e[-+]?\d+)?|inf|nan)\b", widget.words)]
        for number in (x for kind in numbers.keys() - {"carries"} for of in numbers[kind].values() for x in of.flat):
            assert np.isclose(told, number, rtol=6e-4, atol=1e-12, equal_nan=True).any(), number
    assert differing(stage.numbers(0), stage.numbers(1))


def test_the_keyboard_alone_reaches_and_uses_every_control(stage):
    other, used, before = stage.do("state(1)"), set(), None
    while before != len(used):  # again, for what could do nothing until others were used
        before = len(used)
        stage.page.locator(".jp-InputPrompt").nth(1).click()
        tab_into(stage, 0)
        while found := stage.do("focused(0)"):
            assert found["seen"], f"the focus cannot be seen on {found['name']}"
            if not found["usable"] or found["name"] in used:
                stage.page.keyboard.press("Tab")
                continue
            assert answers(stage), f"no key does anything on {found['name']}"
            used.add(found["name"])
            assert len(used) < 100, "new controls come without an end"
        tab_into(stage, 1)
    assert used
    assert set(stage.do("names(0)")) - used == set()
    assert stage.do("state(1)") == other, "the other copy changed"


def tab_into(stage, widget):
    """Tab from outside; on the way are a few things of JupyterLab's own, such as the toolbar of the cell."""
    for _ in range(5):
        if stage.do(f"focused({widget})"):
            return
        stage.page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not come to widget {widget}")


def answers(stage):
    """Whether any key changes what is seen, once nothing changes by itself."""
    before = None
    while before != (before := stage.do("state(0)")):
        stage.page.wait_for_timeout(60)
    return any(changes(stage, key, before) for key in KEYS)


def changes(stage, key, before):
    stage.page.keyboard.press(key)
    stage.page.evaluate("new Promise(requestAnimationFrame)")
    return stage.do("state(0)") != before


def test_what_the_kernel_computes_anew_is_shown_in_one_copy(stage):
    before = [stage.numbers(0), stage.numbers(1)]
    words = stage.part(0, "words pre")
    stage.ask(0)
    stage.wait(f"drive.widgets()[0].querySelector('.ddl-words pre').textContent !== {words!r}")
    assert differing(stage.numbers(0), before[0])
    assert differing(stage.numbers(1), before[1]) == []
    assert [stage.part(0, "fault"), stage.part(0, "status")] == ["", ""]


def test_an_exception_is_shown_in_the_widget_and_the_last_state_stays(stage):
    before, words = stage.numbers(0), stage.part(0, "words pre")
    assert stage.do("execute(argument)", PLANT) == "ok"
    stage.ask(0)
    stage.wait("drive.widgets()[0].querySelector('.ddl-fault').textContent")
    assert stage.part(0, "fault") == "planted <img src=x onerror=console.error(1)>"
    assert stage.page.locator(".ddl-widget").first.locator(".ddl-fault[role=alert]").is_visible()
    assert differing(stage.numbers(0), before) == []
    assert [stage.part(0, "words pre"), stage.part(1, "fault")] == [words, ""]
    assert stage.do("execute(argument)", "type(a).change = kept") == "ok"
    stage.ask(0)
    stage.wait("!drive.widgets()[0].querySelector('.ddl-fault').textContent")


@pytest.mark.parametrize("how", ["kernel().restart()", "panel().sessionContext.shutdown()"])
def test_without_its_kernel_a_widget_can_be_read_and_says_so_when_asked(stage, how):
    before, words = [stage.numbers(0), stage.numbers(1)], stage.part(0, "words pre")
    stage.do(how)
    stage.page.wait_for_timeout(1000)
    assert [differing(stage.numbers(widget), before[widget]) for widget in (0, 1)] == [[], []]
    assert stage.part(0, "status") == ""
    stage.ask(0)
    stage.wait("drive.widgets()[0].querySelector('.ddl-status').textContent.includes('kernel is gone')")
    assert differing(stage.numbers(0), before[0]) == []
    assert stage.part(0, "words pre") == words


@pytest.mark.parametrize(("theme", "width"), [("Light", 900), ("Dark", 1400)])
def test_both_themes_are_accessible_and_nothing_is_cut(stage, theme, width):
    if not AXE.exists():
        pytest.skip("axe-core is not there: npm ci")
    stage.do("execute(argument)", PLANT)
    stage.ask(0)
    stage.wait("drive.widgets()[0].querySelector('.ddl-fault').textContent")
    stage.do("theme(argument)", theme)
    stage.wait(f"drive.widgets().every((root) => root.dataset.ddlTheme === '{theme.lower()}')")
    stage.do("widgets()[1].querySelector('details').open = true")
    stage.page.set_viewport_size({"width": width, "height": VIEW["height"]})
    stage.page.wait_for_timeout(300)
    assert [stage.do("cut(0)"), stage.do("cut(1)")] == [[], []]
    SHOTS.mkdir(exist_ok=True)
    stage.page.screenshot(path=SHOTS / f"widget-{stage.case.name}-{theme.lower()}.png")
    stage.page.evaluate(AXE.read_text("utf-8"))
    found = stage.page.evaluate("axe.run({ include: ['.ddl-widget'] }, { resultTypes: ['violations'] })")
    assert found["passes"]
    grave = [fault for fault in found["violations"] if fault["impact"] in ("serious", "critical")]
    assert [(fault["help"], [node["html"] for node in fault["nodes"]]) for fault in grave] == []
    stage.page.set_viewport_size(VIEW)
    stage.do("theme(argument)", "Light")
