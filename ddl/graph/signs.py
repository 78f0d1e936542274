"""The signs of a picture: the outline of a box shows what it is, so that nobody has to tell colours apart."""

from .contents import PAD
from .placing import Room
from .shapes import Path, cut, mixed, rounded

Colors = dict[str, str]


def outline(colors: Colors, kind: str, room: Room, thick: float = 1.1) -> list[Path]:
    """The box of an input, a parameter, a constant, an op or a folded scope."""
    x, y, w, h = room
    ink = colors["ink"]
    corner = {"input": 10.0, "op": 2.0}.get(kind, 0.0)
    steps = cut(x, y, w, h, PAD) if kind == "parameter" else rounded(x, y, w, h, corner)
    inner = [Path(rounded(x + 2.5, y + 2.5, w - 5, h - 5, 0), "", ink, 0.7)] if kind == "scope" else []
    return [Path(steps, colors[kind], ink, thick, kind == "constant"), *inner]


def shade(colors: Colors, part: float) -> str:
    """The colour of a number that is this part of the largest, from -1 to 1; nan has that of zero."""
    return mixed(colors["zero"], colors["above" if part > 0 else "below"], 0.0 if part != part else abs(part))


def odd(colors: Colors, x: float, room: Room) -> Path:
    """A cross in a cell that holds no number, a plus or a minus in one that holds an infinity."""
    left, top, w, h = room
    a, b, r = left + w / 2, top + h / 2, min(w, h) / 2 - 1.5
    bar, post = [("M", a - r, b), ("L", a + r, b)], [("M", a, b - r), ("L", a, b + r)]
    cross = [("M", a - r, b - r), ("L", a + r, b + r), ("M", a - r, b + r), ("L", a + r, b - r)]
    return Path(cross if x != x else bar + post if x > 0 else bar, "", colors["ink"], 0.9)
