"""Chapter 6: losses, how far a step goes, schedules, clipping, AdamW."""

from . import losses, optimizers, rates

ORDER = ("limit", "first", "xent", "mean", "clip", "momentum", "schedule", "adamw")
FOUND = [*losses.TASKS, *rates.TASKS, *optimizers.TASKS]
TASKS = sorted(FOUND, key=lambda task: ORDER.index(task.id.removeprefix("06.")))
