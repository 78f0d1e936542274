"""Notebooks of a class, graded: a line for each exercise, with the words of its check."""

import csv
import io
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from ...files import write_whole
from .supervise import Limits, results

USUAL = Limits()


@dataclass(frozen=True)
class Grade:
    """One exercise of one notebook: its points, of how many, what the check said, and what else was noticed."""

    notebook: str
    exercise: str
    points: int
    of: int
    words: str
    remarks: str = ""


def grade(folder, target=None, limits=USUAL, say=print):
    """The grades of all notebooks in a folder and below it, and written to the CSV file `target` after each of them.

    A notebook is run cell by cell in a process of its own, with limits of time, memory and processes; what it writes
    goes to a folder that is thrown away. A cell that hangs or dies costs what it was to define, no more. This is
    against mischief, not against an attacker, who runs beside the check and can forge its words: for that, grade in a
    container that has nothing to lose, and read the answers. POSIX only.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise ValueError(f"a folder of notebooks was to be graded, but {folder} is none")
    paths = [path for path in sorted(folder.rglob("*.ipynb")) if ".ipynb_checkpoints" not in path.parts]
    if not paths:
        raise ValueError(f"there is no notebook to be graded in {folder}")
    grades = []
    for path in paths:
        name = _printable(path.relative_to(folder).as_posix())
        found = [Grade(name, *line) for line in results(path.resolve(), limits)]
        grades += found
        if target is not None:
            write_whole(target, to_csv(grades).encode())
        say(f"{name}: {sum(g.points for g in found)} of {sum(g.of for g in found)} points")
    return grades


def to_csv(grades):
    """The grades as a table for spreadsheets, whose cells never begin as a formula does."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([field.name for field in fields(Grade)])
    writer.writerows([_tame(x) for x in astuple(grade)] for grade in grades)
    return out.getvalue()


def _tame(x):
    if not isinstance(x, str):
        return x
    return _printable(f"'{x}" if x.startswith(("=", "+", "-", "@")) else x)


def _printable(text):
    """A text without halves of characters, which no file takes."""
    return text.encode(errors="backslashreplace").decode()
