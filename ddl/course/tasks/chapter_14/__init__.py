"""Chapter 14: what to know before the first step, what decays and what moved, writing with a cache, resuming."""

from . import parameters, resuming, writing
from .resuming import Run

ORDER = ("first", "size", "groups", "moved", "nucleus", "cache", "resume")
FOUND = [*parameters.TASKS, *writing.TASKS, *resuming.TASKS]
TASKS = sorted(FOUND, key=lambda task: ORDER.index(task.id.removeprefix("14.")))

__all__ = ["TASKS", "Run"]
