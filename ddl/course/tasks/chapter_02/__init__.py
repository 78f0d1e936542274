"""Chapter 2: the perceptron and its better memory, a layer of neurons, a steady loss, the way back by hand."""

from . import building, learning, reading

ORDER = ("follow", "hears", "xor", "layer", "softplus", "pocket", "hidden")
TASKS = sorted(
    [*reading.TASKS, *building.TASKS, *learning.TASKS], key=lambda task: ORDER.index(task.id.removeprefix("02."))
)
