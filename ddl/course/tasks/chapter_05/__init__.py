"""Chapter 5: what a layer sends back, what a module owns, how large weights start, dropout."""

from . import layers, owning, scales

ORDER = ("count", "scale", "linear", "walk", "dropout", "gain", "calibrate")
TASKS = sorted([*layers.TASKS, *owning.TASKS, *scales.TASKS], key=lambda task: ORDER.index(task.id.removeprefix("05.")))
