"""Write course/caught.md: how many wrong answers there are to each exercise, and how many its check rejects.

python tests/caught.py       all of it
python tests/caught.py 07    the lines of one chapter
"""

import contextlib
import os
import sys
import tempfile

from test_exercises import CAUGHT, PROGRAMS, ROOT, TASKS, row, tried

HEAD = """# What the checks catch

For every exercise: the wrong answers written by hand in `course/NN_name/wrong.py`, of which every one is rejected; how
many of them are known mistakes that the check calls by name; and how many of the single changes that `tests/mutants.py`
makes in the right answer are rejected. Those that are let pass stand in `course/survivors.json`, each with its reason.
Where no number stands, the answer is a value and no program. `python tests/caught.py` writes this table, and
`tests/test_exercises.py` compares it with what it finds.

| exercise | level | wrong answers | by name | automatic changes rejected |
|---|---|---|---|---|
"""


def main(chapters):
    kept = {line.split("|")[1].strip(): line for line in CAUGHT if line.startswith("| ")}
    os.environ["DDL_PROGRESS"] = ""
    lines = []
    for id, task in TASKS.items():
        line = kept.get(id)
        if line is None or not chapters or id[:2] in chapters:
            with tempfile.TemporaryDirectory() as place, contextlib.chdir(place):
                changes, alive = tried(task) if task in PROGRAMS else ((), ())
            line = row(task, len(changes), len(alive))
            print(line, flush=True)
        lines.append(line)
    target = ROOT / "course" / "caught.md"
    target.write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
