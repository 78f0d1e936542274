"""Chapter 9: lines and passes, the two ceilings, one code for two machines, threads, and honest times."""

from . import clocks, counting, kernels, portable

ORDER = ("passes", "least", "lines", "silu", "thread", "tree", "stopwatch", "running")
TASKS = sorted(
    [*clocks.TASKS, *counting.TASKS, *kernels.TASKS, *portable.TASKS],
    key=lambda task: ORDER.index(task.id.removeprefix("09.")),
)
