"""Chapter 10: bytes and pairs, what a loss means, rows and their targets, warmth, a mixture, a text as one vector."""

from . import learning, measuring, pieces

ORDER = ("floor", "bits", "rows", "encode", "warmth", "mix", "bag")
FOUND = [*measuring.TASKS, *pieces.TASKS, *learning.TASKS]
TASKS = sorted(FOUND, key=lambda task: ORDER.index(task.id.removeprefix("10.")))
