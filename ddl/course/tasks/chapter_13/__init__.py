"""Chapter 13: paths and growth by depth, where the norm stands, there and back, two looks, small starts, a gate."""

from . import gated, halves, predictions, stacks

ORDER = ("paths", "growth", "places", "back", "looks", "shrink", "gated")
FOUND = [*predictions.TASKS, *halves.TASKS, *stacks.TASKS, *gated.TASKS]
TASKS = sorted(FOUND, key=lambda task: ORDER.index(task.id.removeprefix("13.")))
