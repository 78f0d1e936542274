"""How long each chapter runs and how much memory it takes, in a fresh kernel on this machine's cores."""

import os
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from timing import machine

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
SECONDS, BYTES = 180, 1e9
PROBE = "import resource; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)"


def run(path):
    """(seconds, peak bytes of the kernel) of one run from top to bottom."""
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.append(nbformat.v4.new_code_cell(PROBE))
    start = time.perf_counter()
    NotebookClient(notebook, timeout=400, resources={"metadata": {"path": str(path.parent)}}).execute()
    return time.perf_counter() - start, int(notebook.cells[-1].outputs[0].text)


def main():
    print("| chapter | seconds | peak MB |\n|---|---|---|")
    measured = {path.stem: run(path) for path in sorted(NOTEBOOKS.glob("*.ipynb"))}
    for name, (seconds, peak) in measured.items():
        print(f"| {name} | {seconds:.0f} | {peak / 1e6:.0f} |")
    print(f"\n{machine()}, {os.cpu_count()} cores; the limits are {SECONDS} seconds and {BYTES / 1e6:.0f} MB")
    assert all(seconds < SECONDS and peak < BYTES for seconds, peak in measured.values())


if __name__ == "__main__":
    main()
