"""An exercise as data: what a right answer does with which inputs, and the mistakes that have a name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .compare import kind


def called(answer: Any, *inputs: Any) -> Any:
    """What most exercises look at: what the answer gives for the inputs."""
    return answer(*inputs)


def itself(answer: Any) -> Any:
    """What is looked at where the answer is no function: a number that was predicted, a choice."""
    return answer


def once() -> Mapping[str, tuple]:
    """The only case of an answer that takes nothing."""
    return {"your answer": ()}


class Malformed(Exception):
    """Why a probe cannot look at what an answer gave, in a sentence."""


def parts(value: Any, *names: str) -> dict[str, Any]:
    """The parts of a tuple or list by their names; Malformed where it has not so many."""
    if not isinstance(value, (tuple, list)) or len(value) != len(names):
        came = f"{len(value)} values" if isinstance(value, (tuple, list)) else kind(value)
        raise Malformed(f"{len(names)} values were expected, {', '.join(names)}, but {came} came")
    return dict(zip(names, value))


@dataclass(frozen=True)
class Mistake:
    """A way to be wrong: `wrong` is an answer that makes it, `why` says in a sentence or two what is wrong with it."""

    name: str
    why: str
    wrong: Any


@dataclass(frozen=True)
class Task:
    """One exercise.

    `id` is the chapter and a name, "03.mul"; `answer` the name, or names, that a notebook gives to what is checked.
    `cases()` gives inputs by their names; on each, `probe(answer, *inputs)` has to come out as `probe(right, *inputs)`
    does, to `rtol` and `atol`, with the same kinds, shapes and dtypes. Inputs are copies, which an answer may change
    only where `changes` is set. `level` is 1 for a line or two, 2 for a function, 3 for half an hour.
    """

    id: str
    title: str
    answer: str | tuple[str, ...]
    right: Any
    cases: Callable[[], Mapping[str, tuple]]
    hints: tuple[str, str, str]
    mistakes: tuple[Mistake, ...] = ()
    probe: Callable[..., Any] = called
    level: int = 1
    rtol: float = 1e-9
    atol: float = 1e-12
    seconds: float = 10.0
    changes: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        return (self.answer,) if isinstance(self.answer, str) else self.answer
