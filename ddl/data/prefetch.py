"""Batches made ahead in a background thread, so that the next one is ready when it is asked for."""

import threading
from collections import deque
from collections.abc import Generator, Iterator
from typing import Any


class _Shelf:
    """Room for a few batches between the thread that makes them and the loop that takes them."""

    def __init__(self, room: int):
        self.room = room
        self.batches: deque[Any] = deque()
        self.changed = threading.Condition()
        self.left = False  # the loop wants no more
        self.made = False  # the thread has no more
        self.error: BaseException | None = None

    def fill(self, batches: Iterator[Any]) -> None:
        """The thread: one batch after the other, waiting while the shelf is full."""
        try:
            for batch in batches:
                with self.changed:
                    self.batches.append(batch)
                    self.changed.notify_all()
                    self.changed.wait_for(lambda: self.left or len(self.batches) < self.room)
                    if self.left:
                        return
        except BaseException as error:
            self.error = error
        finally:
            with self.changed:
                self.made = True
                self.changed.notify_all()

    def taken(self) -> Iterator[Any]:
        """The loop: the batches as they come, and then what went wrong in the thread, with its own traceback."""
        while True:
            with self.changed:
                self.changed.wait_for(lambda: self.batches or self.made)
                if not self.batches:
                    break
                batch = self.batches.popleft()
                self.changed.notify_all()
            yield batch
        if self.error is not None:
            try:
                raise self.error
            finally:
                self.error = None  # whose traceback knows this shelf

    def leave(self) -> None:
        with self.changed:
            self.left = True
            self.changed.notify_all()


def ahead(batches: Iterator[Any], room: int) -> Generator[Any, None, None]:
    """The same batches in the same order, up to `room` of them ready; closing the generator ends the thread."""
    shelf = _Shelf(room)
    thread = threading.Thread(target=shelf.fill, args=(batches,), name="ddl-prefetch", daemon=True)
    thread.start()
    try:
        yield from shelf.taken()
    finally:
        shelf.leave()
        thread.join()
