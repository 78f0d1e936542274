"""Every widget in a real JupyterLab: by keyboard, in both themes, twice on a page, at fault, without its kernel."""

import base64
import math
import re
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

pytest.importorskip("anywidget")

from browser.widget_cases import CASES

ROOT = Path(__file__).resolve().parents[2]
SHOTS = Path(__file__).with_name("shots")
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
SETUP = f"import sys\nsys.path[:0] = [{str(ROOT)!r}, {str(ROOT / 'tests')!r}]\nfrom browser.widget_cases import CASES"
PLANT = """
def planted(self, **asked):
    raise ValueError("planted <img src=x onerror=console.error(1)>")
kept, type(a).change = type(a).change, planted"""
KEYS = ("Enter", "Space", "ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp", "7")

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
        return list(map(float, self.do(f"numbers({widget}, argument)", self.case.shown)))

    def part(self, widget, name):
        return self.do(f"widgets()[{widget}].querySelector('.ddl-{name}').textContent")

    def ask(self, widget):
        selector, keys = self.case.asks
        self.page.locator(".ddl-widget").nth(widget).locator(selector).first.focus()
        for key in keys:
            self.page.keyboard.press(key)


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
        assert base64.b64decode(out["data"]["image/png"]) == widget.picture()
        assert out["data"]["text/plain"] == widget.words == out["metadata"]["image/png"]["alt"]
        assert "application/vnd.jupyter.widget-view+json" in out["data"]
    assert "widgets" not in stage.do("notebook()")["metadata"]


def test_the_numbers_on_the_page_are_those_of_the_data(stage):
    for seed in (1, 2):
        widget = stage.case.make(seed)
        numbers = stage.case.numbers(widget.data)
        assert numbers
        assert stage.numbers(seed - 1) == pytest.approx(numbers, rel=0, abs=0, nan_ok=True)
        assert stage.part(seed - 1, "words pre") == widget.words
        spoken = [float(x) for x in re.findall(r"-?(?:\d+\.?\d*(?:e[-+]?\d+)?|inf|nan)\b", widget.words)]
        for number in numbers:
            assert any(math.isclose(x, number, rel_tol=6e-4) or (x != x and number != number) for x in spoken), number
    assert stage.numbers(0) != stage.numbers(1)


def test_the_keyboard_alone_reaches_and_uses_every_control(stage):
    other = stage.do("state(1)")
    stage.page.locator(".jp-InputPrompt").nth(1).click()
    stage.page.keyboard.press("Tab")
    used = 0
    while found := stage.do("focused(0)"):
        assert found["seen"], f"the focus cannot be seen on {found['name']}"
        if found["control"]:
            before = stage.do("state(0)")
            assert any(changes(stage, key, before) for key in KEYS), f"no key does anything on {found['name']}"
            used += 1
        assert used < 100, "Tab never leaves the widget"
        stage.page.keyboard.press("Tab")
    assert used
    assert stage.do("unreached(0)") == []
    assert stage.do("state(1)") == other, "the other copy changed"
    assert stage.do("focused(1)"), "Tab does not go on to the next widget"


def changes(stage, key, before):
    stage.page.keyboard.press(key)
    for _ in range(5):
        if stage.do("state(0)") != before:
            return True
        stage.page.wait_for_timeout(30)
    return False


def test_what_the_kernel_computes_anew_is_shown_in_one_copy(stage):
    before = [stage.numbers(0), stage.numbers(1)]
    words = stage.part(0, "words pre")
    stage.ask(0)
    stage.wait(f"drive.widgets()[0].querySelector('.ddl-words pre').textContent !== {words!r}")
    assert stage.numbers(0) != before[0]
    assert stage.numbers(1) == before[1]
    assert [stage.part(0, "fault"), stage.part(0, "status")] == ["", ""]


def test_an_exception_is_shown_in_the_widget_and_the_last_state_stays(stage):
    before, words = stage.numbers(0), stage.part(0, "words pre")
    assert stage.do("execute(argument)", PLANT) == "ok"
    stage.ask(0)
    stage.wait("drive.widgets()[0].querySelector('.ddl-fault').textContent")
    assert stage.part(0, "fault") == "planted <img src=x onerror=console.error(1)>"
    assert stage.page.locator(".ddl-widget").first.get_by_role("alert").is_visible()
    assert [stage.numbers(0), stage.part(0, "words pre"), stage.part(1, "fault")] == [before, words, ""]
    assert stage.do("execute(argument)", "type(a).change = kept") == "ok"
    stage.ask(0)
    stage.wait("!drive.widgets()[0].querySelector('.ddl-fault').textContent")


@pytest.mark.parametrize("how", ["kernel().restart()", "panel().sessionContext.shutdown()"])
def test_without_its_kernel_a_widget_can_be_read_and_says_so_when_asked(stage, how):
    before, words = [stage.numbers(0), stage.numbers(1)], stage.part(0, "words pre")
    stage.do(how)
    stage.page.wait_for_timeout(1000)
    assert [stage.numbers(0), stage.numbers(1)] == before
    assert stage.part(0, "status") == ""
    stage.ask(0)
    stage.wait("drive.widgets()[0].querySelector('.ddl-status').textContent.includes('kernel is gone')")
    assert [stage.numbers(0), stage.part(0, "words pre")] == [before[0], words]


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_both_themes_are_accessible(stage, theme):
    if not AXE.exists():
        pytest.skip("axe-core is not there: npm ci")
    stage.do("execute(argument)", PLANT)
    stage.ask(0)
    stage.wait("drive.widgets()[0].querySelector('.ddl-fault').textContent")
    stage.do("theme(argument)", theme)
    stage.wait(f"drive.widgets().every((root) => root.dataset.ddlTheme === '{theme.lower()}')")
    stage.do("widgets()[1].querySelector('details').open = true")
    stage.page.wait_for_timeout(300)
    SHOTS.mkdir(exist_ok=True)
    stage.page.screenshot(path=SHOTS / f"widget-{stage.case.name}-{theme.lower()}.png")
    stage.page.evaluate(AXE.read_text("utf-8"))
    found = stage.page.evaluate("axe.run({ include: ['.ddl-widget'] }, { resultTypes: ['violations'] })")
    assert found["passes"]
    grave = [fault for fault in found["violations"] if fault["impact"] in ("serious", "critical")]
    assert [(fault["help"], [node["html"] for node in fault["nodes"]]) for fault in grave] == []
    stage.do("theme(argument)", "Light")
