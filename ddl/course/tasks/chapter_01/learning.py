"""A line that learns by slopes."""

from ....scalar import Scalar
from ...task import Mistake, Task

LINE = [(0.0, 1.0), (1.0, 3.0), (2.0, 5.0), (3.0, 7.0)]


def fit(points, steps, rate):
    w, b = Scalar(0.0), Scalar(0.0)
    for _ in range(steps):
        loss = sum((w * x + b - y) ** 2 for x, y in points) * (1 / len(points))
        w.grad = b.grad = 0.0
        loss.backward()
        w.data -= rate * w.grad
        b.data -= rate * b.grad
    return w.data, b.data


def fitted(points, steps, rate, reset=True, mean=True, sign=-1.0):
    w, b = Scalar(0.0), Scalar(0.0)
    for _ in range(steps):
        loss = sum((w * x + b - y) ** 2 for x, y in points) * (1 / len(points) if mean else 1.0)
        if reset:
            w.grad = b.grad = 0.0
        loss.backward()
        w.data += sign * rate * w.grad
        b.data += sign * rate * b.grad
    return w.data, b.data


TASKS = [
    Task(
        "01.fit",
        "A line that learns",
        "fit",
        fit,
        lambda: {
            "no step": (LINE, 0, 0.1),
            "one step": (LINE, 1, 0.1),
            "two steps": (LINE, 2, 0.1),
            "many steps": (LINE, 200, 0.1),
            "a single point": ([(2.0, 1.0)], 2, 0.1),
            "other points": ([(-1.0, 2.0), (2.0, 0.5), (0.5, 0.5)], 3, 0.05),
        },
        (
            "Begin with w and b as ddl.Scalar(0.0). The loss is the mean of (w·x + b − y)² over the points.",
            "Each step: build the loss anew, set both gradients to 0.0, walk back, then move w.data and b.data.",
            "w.data -= rate * w.grad, and the same for b; return w.data and b.data.",
        ),
        (
            Mistake(
                "gradients pile up",
                "backward adds to what is there: set both gradients to 0.0 before each walk.",
                lambda points, steps, rate: fitted(points, steps, rate, reset=False),
            ),
            Mistake(
                "a sum for a mean",
                "The loss is the mean over the points: divide by how many there are.",
                lambda points, steps, rate: fitted(points, steps, rate, mean=False),
            ),
            Mistake(
                "uphill",
                "The gradient points to where the loss grows: go the other way.",
                lambda points, steps, rate: fitted(points, steps, rate, sign=1.0),
            ),
        ),
        level=3,
        rtol=1e-7,
    ),
]
