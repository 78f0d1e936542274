"""How far a run is: tqdm's bar where tqdm is installed, and otherwise a line every few seconds."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

SECONDS = 5.0  # from one line to the next

Report = Callable[[str], None]


@contextmanager
def progress(total: int, done: int = 0) -> Iterator[Report]:
    """A function to be called after each step with what to say of it; steps done and time left are said besides."""
    try:
        from tqdm import tqdm
    except ImportError:
        yield _lines(total, done)
        return
    with tqdm(total=total, initial=done, unit="step", mininterval=0.5, file=_stream()) as bar:

        def report(said: str) -> None:
            bar.set_postfix_str(said, refresh=False)
            bar.update()

        yield report


def _stream() -> TextIO:
    """Standard error; in a notebook standard output, as JupyterLab shows the other in red."""
    return sys.stdout if type(sys.stdout).__module__.startswith("ipykernel") else sys.stderr


def _lines(total: int, first: int) -> Report:
    began = shown = time.monotonic()
    done = first

    def report(said: str) -> None:
        nonlocal done, shown
        done += 1
        now = time.monotonic()
        if now - shown >= SECONDS or done == total:
            minutes, seconds = divmod(int((now - began) / (done - first) * (total - done)), 60)
            print(f"step {done}/{total}, {minutes}:{seconds:02} left, {said}", file=_stream(), flush=True)
            shown = now

    return report
