"""Chapter 1: slopes, the walk back over a graph, and a first thing that learns."""

from . import learning, slopes, walks

ORDER = ("product", "divide", "read", "paths", "nudge", "tanh", "backward", "order", "fit")
TASKS = sorted(
    [*slopes.TASKS, *walks.TASKS, *learning.TASKS], key=lambda task: ORDER.index(task.id.removeprefix("01."))
)
