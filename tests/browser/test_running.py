"""What a view asks for reaches a training cell while it runs, and a page that is loaded anew follows on."""

from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

pytest.importorskip("anywidget")

ROOT = Path(__file__).resolve().parents[2]
TRAINING = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
import time
from ddl import Tensor
from ddl.nn import functional as F
from ddl.optim import Adam
from ddl.widgets import dashboard
from ddl.widgets.demo import moons, network

model, (x, y) = network(), moons()
optimizer = Adam(model.parameters(), lr=0.02)
with dashboard(optimizer=optimizer) as board:
    while not board.stopped:
        loss = F.cross_entropy(model(Tensor(x)), y)
        optimizer.backward_step(loss)
        board.log(loss=loss.item(), tokens=len(y))
        time.sleep(0.01)
optimizer.param_groups[0]["lr"]"""
STEP = "drive.widgets()[0]?.querySelector('[data-place=step]')"

pytestmark = pytest.mark.browser


def step(page):
    return int(page.evaluate(f"{STEP}.dataset.value"))


def on(page, after):
    page.wait_for_function(f"after => +({STEP}?.dataset.value ?? 0) > after", arg=after, timeout=30_000)


def says(page, words):
    said = "words => drive.widgets()[0].querySelector('.ddl-run').textContent.includes(words)"
    page.wait_for_function(said, arg=words, timeout=30_000)


def test_a_run_is_paused_changed_and_stopped_while_its_cell_runs(lab):
    name, kernel = "running.ipynb", {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(new_notebook(cells=[new_code_cell(TRAINING)], metadata={"kernelspec": kernel}), lab.root / name)
    with lab.opened(name) as (page, visit):
        page.evaluate("drive.run()")
        on(page, 5)
        page.locator(".ddl-pause").click()
        says(page, "paused")
        held = step(page)
        page.wait_for_timeout(1500)
        assert step(page) == held
        rate = page.locator(".ddl-dashboard [type=text]")
        rate.fill("0.005")
        rate.press("Enter")
        page.locator(".ddl-pause").click()
        says(page, "running")
        on(page, held + 5)
        page.evaluate("drive.save()")
        page.reload()
        page.wait_for_function("path => drive.opened(path)", arg=name, timeout=60_000)
        on(page, held + 50)
        page.locator(".ddl-stop").click()
        says(page, "stopped")
        page.wait_for_function("drive.idle()", timeout=30_000)
        assert page.evaluate("drive.execute('assert optimizer.param_groups[0][\"lr\"] == 0.005')") == "ok"
        assert (visit.console, visit.abroad) == ([], [])
