"""What is known of a run so far, in bounded space: its last numbers, and curves of means that widen as it goes on."""

from typing import Any

from ..memory import resident
from .measures import digits

POINTS = 200  # of a curve
TEXTS, LETTERS = 5, 300  # samples that are kept, and how much of each


class Curve:
    """At most POINTS of however many values: each point is the mean of a stretch, or where `mean` is false its last."""

    def __init__(self, mean: bool = True):
        self.mean, self.stretch = mean, 1
        self.done: list[tuple[int, float]] = []
        self.open: list[float] = []
        self.step = 0

    def add(self, step: int, value: float) -> None:
        self.step = step
        self.open = [*self.open, value] if self.mean else [value] * (len(self.open) + 1)
        if len(self.open) == self.stretch:
            self.done.append((step, self._now()))
            self.open = []
        if len(self.done) == POINTS:
            pairs = zip(self.done[::2], self.done[1::2])
            self.done = [(step, (a + b) / 2 if self.mean else b) for (_, a), (step, b) in pairs]
            self.stretch *= 2

    def _now(self) -> float:
        return sum(self.open) / len(self.open) if self.mean else self.open[-1]

    def points(self) -> list[list[Any]]:
        """[step, value] pairs, the last of what has come of a stretch that is still open."""
        return [[step, digits(x)] for step, x in [*self.done, *([(self.step, self._now())] if self.open else [])]]


class Record:
    """A run's steps as they come in: `note(step, loss=.., held_out=.., lr=.., tokens=.., seconds=.., sample=..)`.

    `sample` is a text that the model wrote, `memory` the bytes that the process holds, which is found out where it is
    not given. Speed is tokens over seconds, where a step counts 0.9 times as much as the next one.
    """

    def __init__(self) -> None:
        self.step = self.tokens = 0
        self.speed: float | None = None
        self.memory: int | None = None
        self.last: dict[str, Any] = {"loss": None, "held_out": None, "lr": None}
        self.curves = {"loss": Curve(), "held_out": Curve(mean=False), "lr": Curve(mean=False)}
        self.texts: list[dict[str, Any]] = []

    def note(self, step: int, sample: Any = None, **known: Any) -> None:
        self.step = step
        for name, curve in self.curves.items():
            if known.get(name) is not None:
                curve.add(step, float(known[name]))
                self.last[name] = digits(float(known[name]))
        if sample is not None:
            self.texts = [*self.texts, {"step": step, "text": str(sample)[:LETTERS]}][-TEXTS:]
        self.memory = known["memory"] if "memory" in known else resident()
        tokens, seconds = known.get("tokens", 0), known.get("seconds", 0)
        self.tokens += int(tokens)
        if tokens and seconds > 0:
            speed = tokens / seconds
            self.speed = speed if self.speed is None else 0.9 * self.speed + 0.1 * speed

    def report(self) -> dict[str, Any]:
        """Plain numbers, lists and texts."""
        told = {"step": self.step, "tokens": self.tokens, "texts": self.texts, **self.last}
        told |= {"memory": None if self.memory is None else digits(self.memory / 1e6)}  # MB
        told |= {"speed": None if self.speed is None else digits(self.speed)}
        return told | {"curves": {name: curve.points() for name, curve in self.curves.items()}}
