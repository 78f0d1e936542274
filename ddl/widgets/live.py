"""Widgets that follow a computation while it runs: redrawn a few times a second, and kept as it ended."""

import threading
import time
from contextlib import suppress

from .base import Widget

REDRAW = 0.4  # seconds from one redraw to the next, at least


class Live(Widget):
    """A widget to whose view new states are offered as often as they come; few are drawn, the last one always.

    In a with-statement the widget is shown, and at its end `close()` follows: the picture and the words in the output
    are then those of the last state.
    """

    def __init__(self, state, **kwargs):
        self.lock = threading.RLock()  # what a view asks for may come in another thread than the computation's
        self.drawn, self.waiting, self.timer, self.output = time.monotonic(), None, None, None
        super().__init__(state, **kwargs)
        if (shell := _shell()) is not None:
            shell.events.register("post_run_cell", self.after_cell)

    def after_cell(self, *_):
        """A cell has ended, and perhaps what was followed with it."""
        self.catch_up()

    def offer(self, state):
        """Show this state when it is time to; a later one may take its place before."""
        with self.lock:
            self.waiting = state
            left = self.drawn + REDRAW - time.monotonic()
            if left <= 0:
                self.draw()
            elif self.timer is None:
                self.timer = threading.Timer(left, self.draw)
                self.timer.daemon = True
                self.timer.start()

    def draw(self):
        """Show now what was offered last."""
        with self.lock:
            if self.waiting is not None:
                self.renew(self.waiting)

    def renew(self, state):
        """Show this state; what was offered before is older."""
        with self.lock:
            if self.timer is not None:
                self.timer.cancel()
            self.waiting, self.timer = None, None
            super().renew(state)
            self.drawn = time.monotonic()

    def catch_up(self):
        """Show the last state; a widget that can tell more than was offered says so here."""
        self.draw()

    def show(self):
        """Show the widget below the running cell, as its output."""
        if self.output is None and _in_notebook():
            from IPython.display import display

            self.output = display(self, display_id=True)

    def close(self):
        """Follow no more. What is shown stays, with the picture and the words of the last state."""
        if getattr(self, "closed", True):  # one that could not be made is closed when it is thrown away
            return
        self.catch_up()
        if (shell := _shell()) is not None:
            with suppress(ValueError):  # made before there was one
                shell.events.unregister("post_run_cell", self.after_cell)
        if self.output is not None:
            self.output.update(self)
        super().close()

    def let_go(self):
        self.model = None  # the state is plain data, and what followed can be read after the end

    def _repr_mimebundle_(self, **kwargs):
        self.catch_up()
        return super()._repr_mimebundle_(**kwargs)

    def __enter__(self):
        self.show()
        return self

    def __exit__(self, *_):
        self.close()


def _in_notebook():
    return hasattr(_shell(), "kernel")


def _shell():
    try:
        from IPython import get_ipython
    except ImportError:
        return None
    return get_ipython()
