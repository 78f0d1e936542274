"""What all widgets share: a view, a picture and the words in one output, and requests that are answered in words."""

import base64
import os
import struct
from collections.abc import Mapping
from pathlib import Path

try:
    from anywidget import AnyWidget
    from traitlets import Dict, Unicode
except ImportError as error:
    raise ImportError('ddl.widgets needs anywidget, which is not installed: pip install "ddl[course]"') from error

BUNDLES = Path(__file__).with_name("bundle")
VIEW = "application/vnd.jupyter.widget-view+json"
SHARP = 2  # pixels of a picture for each pixel on the page


class Widget(AnyWidget):
    """A view of `state`; `class Player(Widget, bundle="player")` is drawn by bundle/player.js.

    A widget defines `describe(state)`, its numbers in words, `picture(state)`, a PNG of SHARP pixels a pixel, and,
    where the state is no plain data itself, `plain(state)`, the data for the view. If its view asks for anything, it
    defines `change(**asked)`, the state after that. Where that raises, the view says why and the state stays; the
    exception is kept in `error`. An output holds the view, the picture and the words, which are also the repr.
    """

    data = Dict().tag(sync=True)
    words = Unicode().tag(sync=True)
    fault = Unicode().tag(sync=True)

    def __init_subclass__(cls, bundle="", **kwargs):
        if bundle:
            cls._esm = (BUNDLES / f"{bundle}.js").read_text("utf-8")
        super().__init_subclass__(**kwargs)

    def __init__(self, state, **kwargs):
        self.error = None
        self.closed = False
        self.state = state
        super().__init__(data=self.plain(state), words=self.describe(state), **kwargs)
        self.on_msg(self._answer)

    def plain(self, state):
        return state

    def describe(self, state):
        raise NotImplementedError(f"{type(self).__name__} has no words: define describe(state)")

    def picture(self, state):
        raise NotImplementedError(f"{type(self).__name__} has no picture: define picture(state), the bytes of a PNG")

    def change(self, **asked):
        raise NotImplementedError(f"{type(self).__name__} changes nothing, but was asked for {asked}")

    def renew(self, state):
        """Show this state from now on."""
        data, words = self.plain(state), self.describe(state)  # if that fails nothing has changed
        self.state = state
        with self.hold_sync():
            self.data, self.words, self.fault = data, words, ""

    def close(self):
        """Answer no more, and let go of the model and of what was computed; the words and the picture stay."""
        if not getattr(self, "closed", True):  # one that could not be made has nothing to close
            self.last, self.closed = self.picture(self.state), True
            self.let_go()

    def let_go(self):
        """Drop what is large: the kernel keeps every widget for as long as it runs."""
        self.state = self.model = None

    def __del__(self):
        """Nothing: ipywidgets would close here, also while Python itself ends."""

    def _answer(self, _, asked, __):
        try:
            if self.closed:
                raise RuntimeError("this widget was closed: run its cell again for a new one")
            if not isinstance(asked, Mapping) or not isinstance(asked.get("ask"), Mapping):
                raise TypeError(f"a view asks with a table of names and values, but this one sent {asked!r}")
            self.renew(self.change(**asked["ask"]))
        except (Exception, KeyboardInterrupt) as error:
            self.error = error
            self.fault = in_words(error)
        self.send({"answered": asked.get("number") if isinstance(asked, Mapping) else None, "fault": self.fault})

    def __repr__(self):
        return self.words

    def _repr_mimebundle_(self, **kwargs):
        data, about = super()._repr_mimebundle_(**kwargs)
        png = self.last if self.closed else self.picture(self.state)
        (width,) = struct.unpack(">I", png[16:20])  # where a PNG keeps its width
        data |= {"text/plain": self.words, "image/png": base64.b64encode(png).decode()}
        about |= {"image/png": {"alt": self.words, "width": width // SHARP}, VIEW: {"process": os.getpid()}}
        return data, about


def in_words(error):
    """What an exception says, with its notes; its kind as well where it says little."""
    if isinstance(error, KeyboardInterrupt):
        return "Interrupted: nothing was changed."
    said = str(error).strip()
    kind = "" if " " in said and isinstance(error, (ValueError, TypeError, RuntimeError)) else type(error).__name__
    return "\n".join([": ".join(filter(None, (kind, said))), *getattr(error, "__notes__", ())])
