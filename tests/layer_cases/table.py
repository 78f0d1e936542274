"""A row of the table of layers, and what a layer refuses; inputs are drawn by the makers of cases.table."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from cases import Case


@dataclass(frozen=True)
class Row:
    """A layer that `make` makes, called as layer(*inputs), or as `call(layer, *inputs)`; results may be nested tuples.

    `torch` makes its twin, given torch, which `run(torch, twin, *inputs)` calls. `names` turns a dict by our paths into
    one by the twin's: a dict of paths, or a function of the dict of arrays (linear: gradients go through it too).
    `random`: it draws while training, so that the twin is compared in evaluation only. `still`: parameters whose
    gradient is 0 by mathematics. `on_spec`: whether its shapes can be known without values.
    """

    layer: type
    name: str
    make: Callable[[], Any]
    makers: tuple[Callable[[np.random.Generator], np.ndarray], ...]
    torch: Callable[..., Any] | None = None
    names: Any = None
    call: Callable[..., Any] = lambda layer, *xs: layer(*xs)
    run: Callable[..., Any] = lambda torch, twin, *xs: twin(*xs)
    random: bool = False
    still: tuple[str, ...] = ()
    on_spec: bool = True

    @property
    def id(self) -> str:
        return f"{self.layer.__name__}-{self.name}" if self.name else self.layer.__name__

    def inputs(self, dtype: Any = np.float64) -> list[np.ndarray]:
        return Case(self.layer.__name__, self.name, self.make, self.makers).inputs(dtype)

    def renamed(self, ours: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        if callable(self.names):
            return self.names(ours)
        return {(self.names or {}).get(path, path): x for path, x in ours.items()}


@dataclass(frozen=True)
class Refusal:
    """A call that must end in one sentence, which names the layer and holds each of `words`."""

    layer: type
    name: str
    call: Callable[[], Any]
    words: tuple[str, ...]
    of_inputs: bool

    @property
    def id(self) -> str:
        return f"{self.layer.__name__}-{self.name}"


ROWS: list[Row] = []
REFUSALS: list[Refusal] = []


def row(layer: type, name: str, make: Callable[[], Any], *makers: Any, **options: Any) -> None:
    ROWS.append(Row(layer, name, make, makers, **options))


def bad_arguments(layer: type, name: str, make: Callable[[], Any], *words: str) -> None:
    """`make()` must refuse, in the constructor."""
    REFUSALS.append(Refusal(layer, name, make, words, of_inputs=False))


def bad_inputs(layer: type, name: str, call: Callable[[], Any], *words: str) -> None:
    """`call()` makes the layer, gives it what it can't take, and must be refused."""
    REFUSALS.append(Refusal(layer, name, call, words, of_inputs=True))
