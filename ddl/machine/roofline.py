"""What an op computes and moves beside what the machine could: operations, bytes, microseconds, two ceilings."""

from collections.abc import Sequence
from typing import Any, NamedTuple

MOST = 150  # ops that are shown; of more those that take longest


class Op(NamedTuple):
    """One op of a run: `microseconds` on this machine, and what it has to compute and to move at least."""

    name: str
    scope: str
    source: str
    flops: int
    bytes: int
    microseconds: float


class Measured(NamedTuple):
    """Ops in their order, what all of them took, and the machine's two ceilings, a second."""

    ops: list
    left_out: int
    microseconds: float
    most_flops: float
    most_bytes: float


def beside_ceilings(ops: Sequence[Op], most: tuple[float, float]) -> Measured:
    """The ops that take longest, in their order, beside (operations, bytes) a second."""
    if not ops:
        raise ValueError("roofline needs a graph with an op in it, but this one has none")
    bar = sorted((op.microseconds for op in ops), reverse=True)[:MOST][-1]
    kept = [op for op in ops if op.microseconds >= bar][:MOST]
    fastest = max(most[0], *(1e6 * op.flops / op.microseconds for op in ops))  # a matmul of the run may be faster still
    return Measured(kept, len(ops) - len(kept), sum(op.microseconds for op in ops), fastest, most[1])


def attainable(op: Any, state: Measured) -> dict[str, Any] | None:
    """How many operations a second an op of this intensity could reach, and which end limits it; None without any."""
    if not op.flops or not op.bytes:
        return None
    by_memory = op.flops / op.bytes * state.most_bytes
    limit = "memory" if by_memory < state.most_flops else "arithmetic"
    return {"flops": min(by_memory, state.most_flops), "limit": limit}


def number(x: float, unit: str) -> str:
    """A number with a prefix: 12.3 GFLOP."""
    for size, prefix in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if x >= size:
            return f"{x / size:.3g} {prefix}{unit}"
    return f"{x:.3g} {unit}"


def time(microseconds: float) -> str:
    return f"{microseconds:.4g} us" if microseconds < 1e4 else f"{microseconds:.0f} us"
