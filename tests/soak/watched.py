"""What the kernel and the page hold, minute by minute, while a small GPT-2 trains under `watch` and `dashboard`."""

import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import nbformat
import psutil
from bench.timing import machine
from browser.lab import chromium, open_browser, open_lab
from nbformat.v4 import new_code_cell, new_notebook

MINUTES, SETTLED = 10, 2  # what grows is counted from the end of minute SETTLED
BOUNDS = {"kernel MB": 16, "page's heap MB": 4, "elements": 200}  # of growth
START = """
import numpy as np
import ddl
from ddl.memory import keep_freed_memory
from ddl.models import GPT2, GPT2Config
from ddl.train import next_token_loss
from ddl.widgets import dashboard, watch
keep_freed_memory()
rng = np.random.default_rng(0)
model = GPT2(GPT2Config(vocab_size=968, block_size=128, n_embd=128, n_layer=4, n_head=4))
optimizer = ddl.optim.AdamW(model.parameters(), lr=3e-4)
sum(p.numel() for p in model.parameters())"""
TRAIN = """
with watch(model) as seen, dashboard(optimizer=optimizer) as board:
    while not board.stopped:
        ids = rng.integers(0, 968, (16, 129))
        loss = next_token_loss(model, (ids[:, :-1], ids[:, 1:]))
        optimizer.backward_step(loss)
        board.log(loss=loss.item(), tokens=16 * 128)"""
STEP = "+(drive.widgets().at(-1)?.querySelector('[data-place=step]')?.dataset.value ?? 0)"


def kernel_of(server):
    """The process that runs the notebook's cells: the one child of the server that is a kernel."""
    [kernel] = [child for child in server.children(recursive=True) if "ipykernel_launcher" in " ".join(child.cmdline())]
    return kernel


def held(page, devtools, kernel):
    """What is held now, in the page after its garbage is collected."""
    devtools.send("HeapProfiler.collectGarbage")
    found = {metric["name"]: metric["value"] for metric in devtools.send("Performance.getMetrics")["metrics"]}
    return {
        "steps": page.evaluate(STEP),
        "kernel MB": kernel.memory_info().rss / 1e6,
        "page's heap MB": found["JSHeapUsedSize"] / 1e6,
        "elements": found["Nodes"],
    }


def watched(minutes):
    """What was held at the end of each minute, and whether the page said anything in its console or asked abroad."""
    name, spec = "soak.ipynb", {"name": "python3", "display_name": "Python 3", "language": "python"}
    cells = [new_code_cell(START), new_code_cell(TRAIN)]
    with ExitStack() as stack:
        root, home = (Path(stack.enter_context(tempfile.TemporaryDirectory())) for _ in "rh")
        nbformat.write(new_notebook(cells=cells, metadata={"kernelspec": spec}), root / name)
        lab = stack.enter_context(open_lab(root, home, stack.enter_context(open_browser(chromium()))))
        page, visit = stack.enter_context(lab.opened(name))
        devtools, kernel = page.context.new_cdp_session(page), kernel_of(psutil.Process())
        devtools.send("Performance.enable")
        page.evaluate("drive.run()")
        page.wait_for_function(f"drive.stopped() || {STEP} > 0", timeout=120_000)
        assert not page.evaluate("drive.stopped()"), page.evaluate("drive.notebook()")
        began, rows = time.monotonic(), []
        for minute in range(1, minutes + 1):
            page.wait_for_timeout(max(0, 1000 * (began + 60 * minute - time.monotonic())))
            rows.append({"minute": minute} | held(page, devtools, kernel))
            print("| " + " | ".join(f"{x:.1f}" if isinstance(x, float) else f"{x}" for x in rows[-1].values()) + " |")
        page.locator(".ddl-stop").click()
        page.wait_for_function("drive.idle()", timeout=60_000)
        return rows, visit.console + visit.abroad


def main():
    print("| minute | steps | kernel MB | page's heap MB | elements |\n|---|---|---|---|---|")
    rows, faults = watched(int(sys.argv[1]) if len(sys.argv) > 1 else MINUTES)
    grown = {name: max(row[name] for row in rows[SETTLED:]) - rows[SETTLED - 1][name] for name in BOUNDS}
    for name, bound in BOUNDS.items():
        print(f"\n{name}: grown by {grown[name]:.1f} after minute {SETTLED}, at most {bound} are allowed")
    print(f"\nThe small GPT-2 of 933,632 parameters; {machine()}")
    assert not faults, faults
    assert rows[-1]["steps"] > rows[0]["steps"] > 0
    assert all(grown[name] <= bound for name, bound in BOUNDS.items())


if __name__ == "__main__":
    main()
