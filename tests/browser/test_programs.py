"""Random programs in the player, in a real JupyterLab: at every node the numbers of ddl.grad."""

import nbformat
import numpy as np
import pytest
from nbformat.v4 import new_code_cell, new_notebook

pytest.importorskip("anywidget")

from browser.test_widgets import SETUP, read
from browser.widget_cases import PLAYED
from test_player import leaves, scalar_truth, tensor_program, tensor_truth

from ddl.widgets import play

pytestmark = pytest.mark.browser
WIDE = {"width": 3000, "height": 2000}  # so that all boxes are near enough to have their numbers
SEEDS = (1, 2, 3)
SCALARS = "play(scalar_program(np.random.default_rng({0}).normal(size=3).tolist(), {0})[1])"
TENSORS = "play(lambda *xs: tensor_program(xs, {0}), *leaves({0}))"
IMPORTS = (
    "\nimport numpy as np\nfrom ddl.widgets import play\nfrom test_player import leaves, scalar_program, tensor_program"
)


def truths(kind, seed):
    if kind == SCALARS:
        return scalar_truth(np.random.default_rng(seed).normal(size=3).tolist(), seed)
    given = leaves(seed)
    return tensor_truth(play(lambda *xs: tensor_program(xs, seed), *given).state, given, seed)


def opened(lab, *sources):
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    cells = [new_code_cell(source) for source in [SETUP + IMPORTS, *sources]]
    nbformat.write(new_notebook(cells=cells, metadata={"kernelspec": kernel}), lab.root / "programs.ipynb")
    return lab.opened("programs.ipynb")


@pytest.mark.parametrize("kind", [SCALARS, TENSORS], ids=["scalars", "tensors"])
def test_a_random_program_shows_what_ddl_grad_gives(lab, kind):
    with opened(lab, *map(kind.format, SEEDS)) as (page, visit):
        page.set_viewport_size(WIDE)
        lab.run(page)
        page.wait_for_function(f"drive.widgets().length === {len(SEEDS)}")
        for widget, seed in enumerate(SEEDS):
            page.locator(".ddl-drawing").nth(widget).focus()
            for key in ("End", "-", "0"):
                page.keyboard.press(key)
            page.evaluate("new Promise(requestAnimationFrame)")
            shown = page.evaluate("shown => drive.numbers(...shown)", [widget, PLAYED])
            values, grads = truths(kind, seed)
            assert len(shown["value"]) == len(values)
            for i, (value, grad) in enumerate(zip(values, grads)):
                np.testing.assert_allclose(read(shown["value"][str(i)]), value, rtol=1e-12)
                np.testing.assert_allclose(read(shown["grad"][str(i)] or "0"), grad, rtol=1e-9, atol=1e-12)
    assert (visit.console, visit.abroad) == ([], [])


def test_what_is_no_number_is_refused_and_what_is_keeps_all_in_sight(lab):
    with opened(
        lab, "from ddl import Scalar\nplay((Scalar(0.5, 'x') * Scalar(-1.5, 'w') + Scalar(0.25, 'b')).tanh())"
    ) as (page, _):
        lab.run(page)
        page.locator('[data-box="n0"]').focus()
        page.keyboard.press("Enter")
        field, words = page.locator(".ddl-fields input"), page.locator(".ddl-fields").get_by_role("alert")
        field.fill("<b>")
        field.press("Enter")
        assert words.inner_text() == "“<b>” is no number: write one like 0.5 or -2e3."
        field.fill("-1.23456e-100")
        field.press("Enter")
        page.locator('[data-node="0"][data-value="-1.23456e-100"]').wait_for()
        assert words.inner_text() == ""
        frame, result = (page.locator(at).bounding_box() for at in (".ddl-drawing", '[data-box="n5"]'))
        assert result["x"] + result["width"] < frame["x"] + frame["width"]
