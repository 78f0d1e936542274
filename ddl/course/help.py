"""Hints, the way back to an empty exercise, and how far one has come."""

import inspect
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import kept
from .task import Task
from .tasks import find

if TYPE_CHECKING:
    from .progressed import Progress


class Words(str):
    """A text that a notebook shows as it is."""

    def __repr__(self) -> str:
        return str(self)


def hint(id: str, number: int | None = None) -> Words:
    """The next hint of an exercise, of three; the last is almost the answer. `number`, from 1, shows one again."""
    task = find(id)
    seen = kept.read(id)
    if number is None:
        number = min(seen["hints"] + 1, len(task.hints))
        kept.write(id, seen | {"hints": max(seen["hints"], number)})
    if number not in range(1, len(task.hints) + 1):
        raise ValueError(f"hint {number} of {id!r} was asked for, but there are {len(task.hints)}: 1 to 3")
    return Words(f"Hint {number} of {len(task.hints)}: {task.hints[number - 1]}")


def reset(id: str) -> Words:
    """Begin an exercise again: what is known of it is put aside, the last answer with it, and a fresh cell appears."""
    task, place = find(id), kept.folder()
    said = [f"{id} begins again."]
    if place is not None and (place / f"{id}.json").exists():
        old = kept.read(id)
        if old["answer"]:
            target = kept.free(place / f"{id}.py")
            kept.write_whole(target, old["answer"].encode())
            said.append(f"Your last answer is kept in {_near(target)}.")
        if (path := place / f"{id}.json").exists():
            path.replace(kept.free(place / f"{id}.json.old"))
    shell = sys.modules.get("IPython") and sys.modules["IPython"].get_ipython()
    if shell:
        shell.set_next_input(stub(task))
        said.append("The cell below is for the new one.")
    return Words(" ".join(said))


def stub(task: Task) -> str:
    """An empty answer: the names, with the parameters that functions take."""
    rights = task.right if len(task.names) > 1 else (task.right,)
    return "\n\n\n".join(_empty(name, right) for name, right in zip(task.names, rights))


def progress() -> "Progress":
    """What is solved and what is left, of all chapters."""
    from .progressed import Progress

    return Progress()


def _near(path: Path) -> str:
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def _empty(name: str, right: Any) -> str:
    if isinstance(right, type):
        return f"class {name}:\n    ..."
    if callable(right):
        return f"def {name}{inspect.signature(right)}:\n    raise NotImplementedError"
    return f"{name} = ..."
