"""graph.to_html() in a browser: true numbers, nothing loaded, by keyboard, for screen readers, in both themes."""

import json
import math
import random
import re
from pathlib import Path

import numpy as np
import pytest

import ddl
from ddl import Scalar, nn
from ddl.graph import of, trace
from ddl.graph.viewed import viewed

sync_api = pytest.importorskip("playwright.sync_api")
pytestmark = pytest.mark.browser

AXE = Path(__file__).resolve().parents[2] / "node_modules" / "axe-core" / "axe.min.js"
SHOTS = Path(__file__).with_name("shots")
WIDE = {"width": 3000, "height": 2000}  # all boxes of a small graph are drawn
ODD = {
    "<img src=x onerror=console.error(1)>": math.nan,
    "</script><script>console.error(2)</script>": math.inf,
    "x" * 500: 1e300,
    "שלום\u202eexe": -1e-300,
    "&lt;": -math.inf,
}


@pytest.fixture
def show(browser, tmp_path):
    """Opens a graph's page from disk; after the test it may have asked for nothing and complained of nothing."""
    faults, contexts = [], []

    def opened(graph, **options):
        path = tmp_path / "graph.html"
        path.write_text(graph.to_html(), "utf-8")
        contexts.append(browser.new_context(**{"viewport": WIDE, **options}))
        page = contexts[-1].new_page()
        page.on("request", lambda request: faults.append(request.url) if request.url != path.as_uri() else None)
        page.on("console", lambda said: faults.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(path.as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()
    assert faults == []


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def shown(page, selector, *names):
    """By a data attribute, what the others of the same element say."""
    read = "(all, names) => all.map((it) => names.map((name) => it.dataset[name]))"
    return {key: tuple(rest) for key, *rest in page.locator(selector).evaluate_all(read, list(names))}


def exact(text):
    for word, number in {"nan": "NaN", "-inf": "-Infinity", "inf": "Infinity"}.items():
        text = text.replace(f'"{word}"', number)
    return json.loads(text)


def same(text, array):
    array = np.asarray(getattr(array, "data", array))
    found = np.asarray(exact(text) if text[0] == "[" else float(text), array.dtype)
    return found.shape == array.shape and np.array_equal(found, array, equal_nan=True)


def scalars(seed):
    rng = random.Random(seed)
    made = [Scalar(rng.uniform(-2, 2), name) for name in "abc"]
    steps = [lambda x, y: x + y, lambda x, y: x * y, lambda x, y: x - y, lambda x, _: x.tanh(), lambda x, y: x.max(y)]
    for _ in range(7):
        made.append(rng.choice(steps)(rng.choice(made[-3:]), rng.choice(made)))
    return made[-1]


@pytest.mark.parametrize("seed", range(5))
def test_numbers_of_a_random_program_are_those_of_backward(show, seed):
    out = scalars(seed)
    graph = of(out)
    out.backward()
    page = show(graph)
    press(page, "To the end")
    boxes = shown(page, ".ddl-box", "node", "value", "grad")
    told = out.graph()
    assert len(boxes) == len(told["nodes"])
    for node in told["nodes"]:
        value, grad = boxes[str(node["id"])]
        assert float(value) == node["value"]
        assert float(grad or 0.0) == pytest.approx(node["grad"], rel=1e-12, abs=1e-300)
    wires = shown(page, ".ddl-edge[data-edge]", "edge", "slope", "carries")
    walked = viewed(graph)
    assert len(wires) == len(walked["edges"])
    for edge in walked["edges"]:
        slope, carries = wires[f"{edge['from']}-{edge['to']}-{edge['slot']}"]
        assert float(slope) == edge["slope"]
        assert (float(carries) if carries else None) == edge["carries"]


def layer(seed):
    ddl.manual_seed(seed)
    inner = nn.Linear(3, 4)
    x = ddl.randn(2, 3, requires_grad=True)
    return (lambda x: (inner(x).tanh() * inner(x)).sum()), x, inner


@pytest.mark.parametrize("seed", range(3))
def test_arrays_of_a_random_layer_are_those_of_grad(show, seed):
    f, x, inner = layer(seed)
    page = show(trace(f, x))
    press(page, "To the end")
    named = {"x": x, "inner.weight": inner.weight, "inner.bias": inner.bias}
    grads = dict(zip(named, ddl.grad(f(x), list(named.values()))))
    boxes = shown(page, ".ddl-box", "node", "value", "grad")
    found = 0
    for node in viewed(trace(f, x))["nodes"]:
        value, grad = boxes[str(node["id"])]
        if node["name"] in named:
            assert same(value, named[node["name"]])
            assert np.allclose(exact(grad), grads[node["name"]].data, rtol=1e-6)
            found += 1
        assert exact(grad) == node["grad"]
    assert found == 3


def test_a_walk_shows_what_has_arrived_and_says_it(show):
    a = Scalar(1.0, "a")
    b = a + a
    c = b + b
    page = show(of(c))
    drawing, said = page.locator(".ddl-drawing"), page.get_by_role("status")
    place = page.locator(".ddl-svg > g").get_attribute("transform")
    drawing.focus()
    grads = []
    for step in ("forward", "forward", "begins", "Backward", "Backward"):
        page.keyboard.press("ArrowRight")
        assert step.lower() in said.inner_text().lower()
        grads.append([grad for _, grad in sorted(shown(page, ".ddl-box", "node", "value", "grad").items())])
    assert [[grad for _, grad in row] for row in grads] == [
        ["", "", ""],
        ["", "", ""],
        ["", "", "1"],
        ["", "2", "1"],
        ["4", "2", "1"],
    ]
    assert "a gets 1 × 2 = 2. a gets 1 × 2 = 2, in all 2 + 2 = 4." in said.inner_text()
    assert page.locator(".ddl-svg > g").get_attribute("transform") == place, "it moved, and all was in sight"
    page.keyboard.press("Home")
    assert "Start" in said.inner_text()
    page.keyboard.press("Space")
    sync_api.expect(said).to_contain_text("Done.", timeout=20_000)


def test_the_wrong_order_goes_wrong_and_says_why(show):
    a = Scalar(1.0, "a")
    b = a + a
    page = show(of(b + b))
    page.get_by_label("backward order").select_option("soon")
    press(page, "To the end")
    assert shown(page, ".ddl-box", "node", "grad")["0"] == ("2",)
    said = page.get_by_role("status").inner_text()
    assert "a has 2 instead of 4" in said
    assert "newest first" in said


def test_names_and_numbers_of_any_kind_stay_text(show):
    numbers = [Scalar(x, name) for name, x in ODD.items()]
    total = numbers[0]
    for x in numbers[1:]:
        total = total + x * 1.0
    page = show(of(total))
    press(page, "To the end")
    boxes = shown(page, ".ddl-box", "node", "value")
    kinds = page.evaluate("document.querySelectorAll('img, iframe, object, main script').length")
    assert kinds == 0
    nodes = viewed(of(total))["nodes"]
    for node in nodes:
        if node["name"]:
            page.locator(f"[data-node='{node['id']}']").dispatch_event("click")
            title = page.locator(".ddl-panel h3").inner_text()
            assert title == re.sub("\u202e", " ", node["name"])
            assert float(boxes[str(node["id"])][0]) == pytest.approx(float(node["value"]), rel=0, nan_ok=True)
    page.get_by_role("searchbox").fill("<img")
    assert page.locator(".ddl-results button").count() == 1


def gpt():
    with nn.shapes_only():
        config = ddl.models.GPT2Config(n_layer=12, n_embd=64, n_head=4, vocab_size=100, block_size=16)
        return trace(ddl.models.GPT2(config), ddl.Spec(("B", 8), "int64"))


def test_scopes_open_and_close_and_a_search_opens_them(show):
    graph = gpt()
    page = show(graph)
    press(page, "Close all")
    few = page.locator(".ddl-box").count()
    assert few < 20
    page.get_by_role("searchbox").fill("blocks.7.attn scaled_dot")
    page.keyboard.press("Enter")
    focused = page.evaluate("document.activeElement.dataset.node")
    assert "scaled_dot" in graph.nodes[int(focused)].op
    assert graph.nodes[int(focused)].scope == "blocks.7.attn"
    page.keyboard.press("ArrowRight")
    assert "Forward" in page.get_by_role("status").inner_text()
    frame = page.get_by_role("button", name="Close 7.attn").or_(page.get_by_role("button", name="Close attn"))
    frame.first.focus()
    page.keyboard.press("Enter")
    closed = page.locator(".ddl-box[data-box^=g]").first
    closed.focus()
    page.keyboard.press("Enter")
    assert page.get_by_role("button", name=re.compile("^Close ")).count() > 0


def test_a_hand_moves_boxes_with_their_wires_and_all_else_with_the_ground(show):
    page = show(of(scalars(0)), viewport={"width": 1100, "height": 800})
    box, wire = page.locator(".ddl-box").first, page.locator(".ddl-edge path").first
    before, line = box.bounding_box(), wire.get_attribute("d")
    drag(page, before["x"] + 20, before["y"] + 20, 60, 30)
    after = box.bounding_box()
    assert (after["x"] - before["x"], after["y"] - before["y"]) == pytest.approx((60, 30), abs=2)
    assert wire.get_attribute("d") != line
    ground = page.locator(".ddl-drawing").bounding_box()
    drag(page, ground["x"] + 5, ground["y"] + 5, 40, 10)
    moved = box.bounding_box()
    assert (moved["x"] - after["x"], moved["y"] - after["y"]) == pytest.approx((40, 10), abs=2)


def drag(page, x, y, dx, dy):
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + dx, y + dy, steps=4)
    page.mouse.up()


def test_without_scripts_there_are_a_picture_and_words(show):
    page = show(of(scalars(0)), java_script_enabled=False)
    assert page.locator("noscript svg, svg").first.is_visible()
    page.locator("summary").click()
    assert of(scalars(0)).to_text().splitlines()[0] in page.locator(".ddl-words pre").inner_text()


def test_a_page_has_no_kernel_and_edits_nothing(show):
    page = show(of(scalars(1)))
    page.locator(".ddl-box").first.click()
    assert page.locator(".ddl-panel").locator("input, select").count() == 0


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", ["numbers", "layer", "gpt"])
def test_axe_finds_nothing_grave(show, name, theme):
    if not AXE.exists():
        pytest.skip("axe-core is not there: npm ci")
    make = {"numbers": lambda: of(scalars(0)), "layer": lambda: trace(*layer(0)[:2]), "gpt": gpt}[name]
    page = show(make(), viewport={"width": 1100, "height": 800}, color_scheme=theme, reduced_motion="reduce")
    assert page.evaluate("document.documentElement.dataset.ddlTheme") == theme
    SHOTS.mkdir(exist_ok=True)
    page.evaluate(AXE.read_text("utf-8"))
    states = {
        "start": lambda: None,
        "middle": lambda: press(page, "Step forward"),
        "end": lambda: press(page, "To the end"),
    }
    for state, go in {**states, "found": lambda: page.get_by_role("searchbox").fill("a")}.items():
        go()
        page.locator("details").evaluate_all("all => all.forEach((it) => (it.open = true))")
        page.screenshot(path=SHOTS / f"page-{name}-{state}-{theme}.png")
        found = page.evaluate("axe.run({ resultTypes: ['violations'] })")
        assert found["passes"]
        grave = [it for it in found["violations"] if it["impact"] in ("serious", "critical")]
        assert [(it["help"], [node["html"] for node in it["nodes"]]) for it in grave] == []
    press(page, "Dark colours" if theme == "light" else "Light colours")
    assert page.evaluate("document.documentElement.dataset.ddlTheme") != theme
