"""Python's clock and the device's."""

import time
from typing import Any


class Clocks:
    """Python's clock for the CPU, and events on the device for a GPU; both in microseconds since here."""

    def __init__(self) -> None:
        self.began = time.perf_counter()
        self.cupy: Any = None
        self.first: Any = None

    def now(self, device: str) -> Any:
        if device != "gpu":
            return time.perf_counter()
        event = self._gpu().cuda.Event()
        event.record()
        self.first = self.first or event
        return event

    def _gpu(self) -> Any:
        if self.cupy is None:
            import cupy

            self.cupy = cupy
        return self.cupy

    def wait(self) -> None:
        if self.cupy is not None:
            self.cupy.cuda.get_current_stream().synchronize()

    def microseconds(self, device: str, moment: Any) -> float:
        if device != "gpu":
            return 1e6 * (moment - self.began)
        return 1e3 * self.cupy.cuda.get_elapsed_time(self.first, moment)
