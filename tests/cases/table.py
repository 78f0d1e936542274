"""A row of the table, and the makers of its inputs."""

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Case:
    """A call f(*inputs); the inputs are drawn by `makers`, floats are float64, and each is differentiated.

    `torch` is the same call given (torch, *inputs). `order` says how many times f is differentiated (0: no gradient),
    `on_spec` whether its shape can be known without values, `keeps_dtype` whether float32 stays float32.
    """

    op: str
    name: str
    f: Callable[..., Any]
    makers: tuple[Callable[[np.random.Generator], np.ndarray], ...]
    torch: Callable[..., Any] | None = None
    order: int = 2
    on_spec: bool = True
    keeps_dtype: bool = True

    @property
    def id(self) -> str:
        return f"{self.op}-{self.name}"

    def inputs(self, dtype: Any = np.float64) -> list[np.ndarray]:
        rng = np.random.default_rng(zlib.crc32(self.id.encode()))
        arrays = [make(rng) for make in self.makers]
        return [x.astype(dtype) if x.dtype.kind == "f" else x for x in arrays]


CASES: list[Case] = []


def case(op, name, f, *makers, **options):
    CASES.append(Case(op, str(name), f, makers, **options))


def same(op, name, f, *makers, **options):
    """A case whose text means the same in PyTorch."""
    case(op, name, f, *makers, torch=lambda t, *xs: f(*xs), **options)


# ---- inputs
def N(*shape):
    return lambda rng: np.asarray(rng.standard_normal(shape))


def P(*shape):
    """Positive, far from 0."""
    return lambda rng: np.asarray(rng.uniform(0.5, 2.0, shape))


def D(*shape, shift=0.0):
    """Distinct, 0.1 apart and nowhere near 0: no step of gradcheck crosses a kink."""
    return lambda rng: np.asarray((rng.permutation(int(np.prod(shape))) - 5.35) * 0.1 + shift).reshape(shape)


def Z(n, *shape):
    return lambda rng: np.asarray(rng.integers(0, n, shape))


def B(*shape):
    return lambda rng: np.asarray(rng.random(shape) < 0.6)


def fixed(values):
    return lambda rng: np.array(values)


SHAPES = {"0-d": (), "0-size": (0, 3), "ordinary": (2, 3), "one": (1,), "deep": (2, 1, 3)}
PAIRS = {
    "ordinary": ((2, 3), (2, 3)), "left": ((3,), (2, 3)), "right": ((2, 3), (3,)), "both": ((2, 1), (1, 3)),
    "0-d": ((), ()), "0-d left": ((), (2, 3)), "0-d right": ((2, 3), ()), "ones": ((1, 1), (2, 1, 3)),
    "0-size": ((0, 3), (3,)), "0-size of one": ((2, 1), (2, 0)), "0-size and 0-d": ((), (0, 3)),
}  # fmt: skip


def torch_of(name):
    return lambda t, *xs: getattr(t, name)(*xs)
