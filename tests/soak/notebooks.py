"""Every notebook and solution against its stored outputs once more: other hash seeds, other numbers of BLAS threads."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

from bench.timing import machine

ROOT = Path(__file__).resolve().parents[2]
NBVAL = "notebooks solutions --nbval --nbval-current-env --nbval-cell-timeout 400 --nbval-sanitize-with tests/nbval.cfg"
CONDITIONS = [("0", "1"), ("1", "2"), ("4294967295", "4")]  # PYTHONHASHSEED, OPENBLAS_NUM_THREADS


def run(seed, threads):
    """What pytest says in its last line, and whether all passed."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *NBVAL.split()]
    env = dict(os.environ, PYTHONHASHSEED=seed, OPENBLAS_NUM_THREADS=threads, OMP_NUM_THREADS=threads)
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    if done.returncode:
        print(done.stdout, file=sys.stderr)
    counts = dict(reversed(pair.split()) for pair in re.findall(r"\d+ (?:passed|failed)", done.stdout.splitlines()[-1]))
    return counts, done.returncode == 0


def main():
    print("| hash seed | BLAS threads | cells passed | failed | minutes |\n|---|---|---|---|---|")
    good = []
    for seed, threads in CONDITIONS:
        began = time.monotonic()
        counts, passed = run(seed, threads)
        minutes = (time.monotonic() - began) / 60
        row = [seed, threads, counts.get("passed", 0), counts.get("failed", 0), f"{minutes:.1f}"]
        print("| " + " | ".join(map(str, row)) + " |", flush=True)
        good.append(passed)
    print(f"\n{machine()}")
    assert all(good)


if __name__ == "__main__":
    main()
