"""What was tried and solved: a small file for each exercise, written whole, in the learner's own folder."""

import csv
import io
import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..files import write_whole
from .task import Task

SCHEMA = "ddl.progress/1"
EMPTY = {"schema": SCHEMA, "passed": False, "tries": 0, "hints": 0, "first_passed": "", "last_tried": "", "answer": ""}


def folder() -> Path | None:
    """Where progress is kept: the folder that DDL_PROGRESS names (nowhere if it is empty), or `progress` in `work`.

    `work` is the nearest folder of that name around the notebook; without one it is `progress` beside the notebook.
    Solutions are nobody's progress.
    """
    if (named := os.environ.get("DDL_PROGRESS")) is not None:
        return Path(named) if named else None
    here = Path.cwd()
    if here.name == "solutions":
        return None
    work = next((place for place in (here, *here.parents) if place.name == "work"), here)
    return work / "progress"


def read(id: str) -> dict[str, Any]:
    """What is kept of an exercise; a file that cannot be read is put aside, never lost."""
    place = folder()
    path = place and place / f"{id}.json"
    if path is None or not path.exists():
        return dict(EMPTY)
    try:
        kept = json.loads(path.read_text("utf-8"))
        if kept["schema"] != SCHEMA:
            raise ValueError(kept["schema"])
        return EMPTY | kept
    except (ValueError, KeyError, TypeError, AttributeError):
        path.replace(free(path.with_suffix(".unreadable")))
        return dict(EMPTY)


def write(id: str, kept: dict[str, Any]) -> None:
    place = folder()
    if place is not None:
        write_whole(place / f"{id}.json", (json.dumps(kept, indent=1, ensure_ascii=False) + "\n").encode())


def record(task: Task, passed: bool, source: str) -> None:
    """Keep that an answer was checked, and the answer; what was once passed stays so."""
    if folder() is None:
        return
    kept, now = read(task.id), datetime.now(UTC).isoformat(timespec="seconds")
    kept |= {"tries": kept["tries"] + 1, "last_tried": now}
    if passed or not kept["passed"]:
        kept["answer"] = source
    if passed and not kept["passed"]:
        kept |= {"passed": True, "first_passed": now}
    write(task.id, kept)


def free(path: Path) -> Path:
    """This path, or with a number the first that is not taken."""
    n = 1
    while path.with_name(f"{path.stem}-{n}{path.suffix}").exists():
        n += 1
    return path.with_name(f"{path.stem}-{n}{path.suffix}")


def to_csv(exercises: list[dict[str, Any]]) -> str:
    """A line for each exercise: id, title, passed, tries, hints, and when."""
    out = io.StringIO()
    columns = ("id", "title", "passed", "tries", "hints", "first_passed", "last_tried")
    writer = csv.DictWriter(out, columns, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(exercises)
    return out.getvalue()
