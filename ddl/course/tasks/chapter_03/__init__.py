"""Chapter 3: shapes and strides, rules for whole arrays, and the check that finds wrong ones."""

from . import checking, moving, reading, rules

ORDER = ("shapes", "strides", "loss", "rows", "squash", "quadratic", "windows", "gradcheck")
TASKS = sorted(
    [*reading.TASKS, *moving.TASKS, *rules.TASKS, *checking.TASKS],
    key=lambda task: ORDER.index(task.id.removeprefix("03.")),
)
