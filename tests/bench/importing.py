"""What `import ddl` costs beside `import numpy`, each in a fresh Python."""

import os
import subprocess
import sys

from timing import interleaved, machine

ROUNDS = 21
USERS = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}  # compiled once


def fresh(statement):
    return lambda: subprocess.run([sys.executable, "-c", statement], check=True, env=USERS)


def main():
    seconds = interleaved({s: fresh(s) for s in ("pass", "import numpy", "import ddl")}, ROUNDS)
    bare = seconds["pass"]
    numpy = seconds["import numpy"] - bare
    print("| | seconds over a bare Python | of numpy's |\n|---|---|---|")
    for statement in ("import numpy", "import ddl"):
        own = seconds[statement] - bare
        print(f"| `{statement}` | {own:.3f} | {own / numpy:.2f} |")
    print(f"\n{machine()}; medians of {ROUNDS} rounds")
    ratio = (seconds["import ddl"] - bare) / numpy
    assert ratio < 1.5, f"asked for less than 1.5 of numpy's time, measured {ratio:.2f}"


if __name__ == "__main__":
    main()
