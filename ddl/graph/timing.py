"""How long each op of a graph takes on this machine, and how fast the machine is at most."""

import time
from collections.abc import Callable
from typing import Any

from .. import matrices
from ..arrays import device_of, is_array, module_of
from ..core import Tensor, no_grad
from .data import Graph, Node
from .run import _Run, needed

# Of the matrices of the matmul that shows how fast a device computes, and bytes of the array whose copy shows how fast
# it moves numbers: large enough for either to run much longer than a call takes to start, and past its caches.
SIDE = {"cpu": 768, "gpu": 8192}
COPIED = {"cpu": 1 << 26, "gpu": 1 << 30}


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
    """(operations, bytes) a second on the device of an array, in its dtype: those of a large matmul, and of a copy.

    The matmul is in the precision that is in use.
    """
    xp, device = module_of(beside), device_of(beside)
    dtype = beside.dtype if beside.dtype.kind == "f" else "float32"
    n, moved = SIDE[device], COPIED[device]
    x = xp.sin(xp.arange(n * n, dtype=dtype)).reshape(n, n)  # zeros and ones would be multiplied faster than numbers
    long = xp.ones(moved // x.itemsize, dtype)
    room = xp.empty_like(long)

    def copied() -> Any:
        room[...] = long
        return room

    return 2 * n**3 / _least(lambda: matrices.product(x, x), rounds), 2 * moved / _least(copied, rounds)


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
