"""How long each op of a graph takes on this machine, and how fast the machine is at most."""

import time
from collections.abc import Callable
from typing import Any

from ..arrays import device_of, is_array, module_of
from ..core import Tensor, no_grad
from .data import Graph, Node
from .run import _Run, needed

SIDE = 768  # of the matrices of the matmul that shows how fast the machine computes
COPIED = 1 << 26  # bytes of the array whose copy shows how fast it moves numbers


class _Timed(_Run):
    """A run that notes how long each op took, the least of several."""

    def __init__(self, graph: Graph, inputs: tuple, seconds: dict[int, float]):
        super().__init__(graph, inputs, None)
        self.seconds = seconds

    def applied(self, node: Node, found: dict[int, Any]) -> Any:
        start = time.perf_counter()
        out = finished(super().applied(node, found))
        self.seconds[node.id] = min(time.perf_counter() - start, self.seconds.get(node.id, float("inf")))
        return out


def seconds(graph: Graph, *inputs: Any, rounds: int = 5) -> dict[int, float]:
    """By the ids of its ops, the least time each takes in `rounds` runs, those of the inputs that `run` takes."""
    found: dict[int, float] = {}
    with no_grad():
        for _ in range(rounds):
            _Timed(graph, inputs, found).tensors(needed(graph))
    return found


def ceilings(beside: Any, rounds: int = 15) -> tuple[float, float]:
    """(operations, bytes) a second on the device of an array, in its dtype: those of a large matmul, and of a copy."""
    xp = module_of(beside)
    dtype = beside.dtype if beside.dtype.kind == "f" else "float32"
    x = xp.ones((SIDE, SIDE), dtype)
    long = xp.ones(COPIED // x.itemsize, dtype)
    return 2 * SIDE**3 / _least(lambda: x @ x, rounds), 2 * COPIED / _least(long.copy, rounds)


def _least(f: Callable[[], Any], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        finished(f())
        times.append(time.perf_counter() - start)
    return min(times)


def finished(x: Any) -> Any:
    """x, once a GPU has computed it."""
    data = x.data if isinstance(x, Tensor) else x
    if is_array(data) and device_of(data) == "gpu":
        module_of(data).cuda.get_current_stream().synchronize()
    return x
