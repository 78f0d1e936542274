"""Timing in turn: every contender once a round, the median over the rounds, so that a slow moment hits all alike."""

import platform
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np


def interleaved(contenders: dict[str, Callable[[], object]], rounds: int, calls: int = 1) -> dict[str, float]:
    """Median seconds of one call of each, after one call to warm up."""
    for f in contenders.values():
        f()
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, f in contenders.items():
            start = time.perf_counter()
            for _ in range(calls):
                f()
            seconds[name].append((time.perf_counter() - start) / calls)
    return {name: statistics.median(times) for name, times in seconds.items()}


def beside_torch(ours: Any, twin: Any, x: np.ndarray, y: np.ndarray, rounds: int = 300) -> float:
    """Time SGD steps on one batch beside PyTorch eager's, print the table, and return the ratio to the faster PyTorch.

    PyTorch runs with one thread and with two; the two networks have equal weights, and must lose alike.
    """
    import torch

    import ddl

    state = zip(twin.state_dict(), ours.state_dict().values())
    twin.load_state_dict({name: torch.from_numpy(t.numpy().copy()) for name, t in state})
    optimizer, rival = ddl.optim.SGD(ours.parameters(), lr=0.01), torch.optim.SGD(twin.parameters(), lr=0.01)
    tx, ty, x = torch.from_numpy(x), torch.from_numpy(y), ddl.Tensor(x)

    def ddl_step():
        optimizer.backward_step(ddl.nn.functional.cross_entropy(ours(x), y))

    def torch_step(threads):
        torch.set_num_threads(threads)
        rival.zero_grad()
        torch.nn.functional.cross_entropy(twin(tx), ty).backward()
        rival.step()

    before = ddl.nn.functional.cross_entropy(ours(x), y).item(), torch.nn.functional.cross_entropy(twin(tx), ty).item()
    assert abs(before[0] / before[1] - 1) < 1e-5, "the two are not the same network, so their times say nothing"
    contenders = {"torch, 1 thread": lambda: torch_step(1), "torch, 2 threads": lambda: torch_step(2), "ddl": ddl_step}
    seconds = interleaved(contenders, rounds)
    fastest = min(seconds["torch, 1 thread"], seconds["torch, 2 threads"])
    print("| | ms a step | of the faster torch |\n|---|---|---|")
    for name, t in seconds.items():
        print(f"| {name} | {t * 1e3:.2f} | {t / fastest:.2f} |")
    print(f"\n{machine()}, torch {torch.__version__}; float32, one BLAS thread; medians of {rounds} rounds in turn")
    return seconds["ddl"] / fastest


def machine() -> str:
    """The versions and the processor, for under a table."""
    return f"Python {platform.python_version()}, numpy {np.__version__}, {platform.system()} {platform.machine()}"
