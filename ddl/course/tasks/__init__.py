"""The exercises of all chapters, a folder each; a chapter's are loaded when one of them is asked for."""

import difflib
import importlib
from pathlib import Path

from ..task import Task

CHAPTERS = tuple(sorted(path.name[-2:] for path in Path(__file__).parent.glob("chapter_[0-9][0-9]")))


def of_chapter(number: str) -> dict[str, Task]:
    """The exercises of a chapter, "03", by their ids, in their order."""
    return {task.id: task for task in importlib.import_module(f".chapter_{number}", __package__).TASKS}


def every() -> dict[str, Task]:
    return {id: task for number in CHAPTERS for id, task in of_chapter(number).items()}


def find(id: str) -> Task:
    """The exercise of this id; ValueError, which names those that are meant, where there is none."""
    number = str(id)[:2]
    tasks = of_chapter(number) if number in CHAPTERS else {}
    if id in tasks:
        return tasks[id]
    near = difflib.get_close_matches(str(id), every(), 3) or list(tasks)
    meant = f"did you mean {', '.join(near)}?" if near else f"there are some for the chapters {', '.join(CHAPTERS)}"
    raise ValueError(f"there is no exercise {id!r}: {meant}")
