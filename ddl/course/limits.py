"""Other people's code run within bounds: so long, so much printed, its inputs watched, whatever it raises."""

import contextlib
import copy
import ctypes
import io
import signal
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from .compare import difference

PRINTED = 2000  # characters that are kept of what was printed


class TooSlow(BaseException):
    """The time is over. No Exception, so that `except Exception` in an answer does not hold it up."""


@dataclass(frozen=True)
class Outcome:
    """What came of a call: a value or an error, what was printed, how much that was, and which inputs were changed."""

    value: Any = None
    error: BaseException | None = None
    printed: str = ""
    length: int = 0
    changed: tuple[int, ...] = ()


def run(f: Callable[..., Any], *inputs: Any, seconds: float, fixed: int = 0) -> Outcome:
    """`f` of copies of the inputs; those from number `fixed` on should come out as they went in."""
    mine = [*inputs[:fixed], *copy.deepcopy(inputs[fixed:])]
    out = Printed()
    value, error = None, None
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            with at_most(seconds):
                value = f(*mine)
        except KeyboardInterrupt:
            raise
        except BaseException as raised:  # sys.exit as well
            error = raised
    changed = tuple(i for i in range(fixed, len(inputs)) if difference(mine[i], inputs[i], 0, 0, strange=""))
    return Outcome(value, error, out.getvalue(), out.length, changed)


class Printed(io.StringIO):
    """Keeps the beginning of what is written, and how much that was."""

    length = 0

    def write(self, text: str) -> int:
        super().write(text[: max(PRINTED - self.length, 0)])
        self.length += len(text)
        return len(text)


@contextlib.contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise TooSlow in this thread after so many seconds, and again each second until the block is left."""
    if hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread():
        with _alarm(seconds):
            yield
    else:
        with _thrown(seconds):
            yield


@contextlib.contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    def ring(*_: Any) -> None:
        raise TooSlow(f"{seconds:g} seconds were over")

    handler = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)


@contextlib.contextmanager
def _thrown(seconds: float) -> Iterator[None]:
    """Where there are no alarms, as in a thread or on Windows: between two steps of Python, so never out of a sleep."""
    here, left, lock = ctypes.c_ulong(threading.get_ident()), threading.Event(), threading.Lock()
    throw = ctypes.pythonapi.PyThreadState_SetAsyncExc

    def ring() -> None:
        pause = seconds
        while not left.wait(pause):
            pause = 1.0
            with lock:
                if not left.is_set():
                    throw(here, ctypes.py_object(TooSlow))

    threading.Thread(target=ring, daemon=True).start()
    try:
        try:
            yield
        finally:
            left.set()
    finally:  # it may have been thrown within the line above
        left.set()
        with lock:
            throw(here, None)
