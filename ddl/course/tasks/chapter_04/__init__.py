"""Chapter 4: what a list of operations says of gradients, shapes, names, order, formulas and memory."""

from . import formulas, lists, reading, shapes

ORDER = ("read", "kept", "rule", "bind", "order", "lines", "peak")
FOUND = [*formulas.TASKS, *lists.TASKS, *reading.TASKS, *shapes.TASKS]
TASKS = sorted(FOUND, key=lambda task: ORDER.index(task.id.removeprefix("04.")))
