"""Timing in turn: every contender once a round, the median over the rounds, so that a slow moment hits all alike."""

import platform
import statistics
import time
from collections.abc import Callable

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


def machine() -> str:
    """The versions and the processor, for under a table."""
    return f"Python {platform.python_version()}, numpy {np.__version__}, {platform.system()} {platform.machine()}"
