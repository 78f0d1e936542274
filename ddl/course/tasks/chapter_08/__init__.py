"""Chapter 8: sizes and weights of convolutions, their two functions, pooling, layers that froze, tests that leak."""

from . import convolving, counting, probes

ORDER = ("size", "params", "conv", "pool", "frozen", "leak", "back")
FOUND = [*convolving.TASKS, *counting.TASKS, *probes.TASKS]
TASKS = sorted(FOUND, key=lambda task: ORDER.index(task.id.removeprefix("08.")))
