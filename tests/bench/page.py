"""A graph of 2,000 nodes as a page: when it is first seen, and how evenly it moves under a hand."""

import statistics
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import ddl
from ddl import nn
from ddl.graph import trace

NODES = 2000
SEEN, FOLDED, UNFOLDED = 1000, 33, 100  # milliseconds that are allowed, for a frame in the median
STATES = {"folded": ["Close all"], "unfolded": ["Open all"], "unfolded, from afar": ["Open all", "Show all"]}
TIMES = 3


def graph():
    """A GPT-2 with as many layers as make 2,000 nodes."""
    layers, traced = 12, None
    while traced is None or len(traced.nodes) < NODES:
        layers = layers * NODES // len(traced.nodes) + 1 if traced else layers
        with nn.shapes_only():
            config = ddl.models.GPT2Config(n_layer=layers, n_embd=64, n_head=4, vocab_size=1000, block_size=64)
            traced = trace(ddl.models.GPT2(config), ddl.Spec(("B", 64), "int64"))
    return traced


def measure(browser, path):
    from browser.lab import VIEW

    page = browser.new_page(viewport=VIEW)
    page.add_init_script(path=Path(__file__).with_suffix(".js"))
    page.goto(path.as_uri(), wait_until="commit")
    took = {"first seen": page.evaluate("bench.seen()")}
    for state, buttons in STATES.items():
        for name in buttons:
            button = page.get_by_role("button", name=name)
            if button.get_attribute("aria-disabled") != "true":  # where all is closed already
                button.click()
        page.wait_for_timeout(500)
        frames = page.evaluate("bench.drag()")
        assert frames, "the graph did not move"
        took[f"a frame, {state}"] = statistics.median(frames)
    page.close()
    return took


def main():
    sys.path.append(str(Path(__file__).parents[1]))
    from browser.lab import FLAGS, chromium

    traced = graph()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "graph.html"
        path.write_text(traced.to_html(), "utf-8")
        size = path.stat().st_size / 1e6
        browser = playwright.chromium.launch(executable_path=chromium(), args=[*FLAGS, "--no-sandbox"])
        runs = [measure(browser, path) for _ in range(TIMES)]
    took = {name: statistics.median(run[name] for run in runs) for name in runs[0]}
    limits = dict(zip(took, (SEEN, FOLDED, UNFOLDED, UNFOLDED)))
    print("| | ms | allowed |\n|---|---|---|")
    for name, ms in took.items():
        print(f"| {name} | {ms:.0f} | {limits[name]} |")
    print(f"\n{len(traced.nodes)} nodes, a page of {size:.1f} MB; medians of {TIMES} times, Chromium without a GPU")
    if missed := [name for name, ms in took.items() if ms > limits[name]]:
        sys.exit(f"too slow: {', '.join(missed)}")


if __name__ == "__main__":
    main()
