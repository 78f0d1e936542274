"""What a picture is made of: paths, texts and colours, which SVG and matplotlib then only have to put down."""

from dataclasses import dataclass, field

from .contents import LETTER, SIZE
from .words import cells

MARGIN = 10.0
THEMES = {
    "light": {
        "page": "#ffffff",
        "ink": "#222222",
        "dim": "#5a5a5a",
        "slope": "#00588a",
        "grad": "#9c3d00",
        "frame": "#f6f6f4",
        "input": "#e1edf6",
        "parameter": "#f7ead2",
        "constant": "#ffffff",
        "op": "#ffffff",
        "scope": "#ecebf4",
        "below": "#2f6fb0",
        "zero": "#f7f7f7",
        "above": "#c8690e",
    },
    "dark": {
        "page": "#17181b",
        "ink": "#ececec",
        "dim": "#b8b8b8",
        "slope": "#7cc4f0",
        "grad": "#f2a36b",
        "frame": "#202226",
        "input": "#1d3a52",
        "parameter": "#4a3a17",
        "constant": "#17181b",
        "op": "#26282d",
        "scope": "#35324c",
        "below": "#5aa6e8",
        "zero": "#2b2d31",
        "above": "#ef9440",
    },
}


@dataclass(frozen=True)
class Path:
    """Steps ("M", x, y), ("L", x, y), ("C", x, y, x, y, x, y) and ("Z",); a colour or "" for none."""

    steps: list[tuple]
    fill: str = ""
    stroke: str = ""
    width: float = 1.1
    dashed: bool = False


@dataclass(frozen=True)
class Text:
    """Words from x on, or around it, with their middle at y."""

    x: float
    y: float
    text: str
    color: str
    bold: bool = False
    centred: bool = False
    size: float = SIZE

    @property
    def width(self) -> float:
        return cells(self.text) * LETTER * self.size / SIZE


@dataclass
class Mark:
    """Shapes that belong together, and what they are in full."""

    parts: list[Path | Text]
    about: str = ""


@dataclass
class Scene:
    size: tuple[float, float]
    page: str
    marks: list[Mark] = field(default_factory=list)


def rounded(x: float, y: float, w: float, h: float, r: float) -> list[tuple]:
    r, k = min(r, w / 2, h / 2), 0.45 * min(r, w / 2, h / 2)
    if not r:
        return [("M", x, y), ("L", x + w, y), ("L", x + w, y + h), ("L", x, y + h), ("Z",)]
    return [
        *[("M", x + r, y), ("L", x + w - r, y), ("C", x + w - k, y, x + w, y + k, x + w, y + r)],
        *[("L", x + w, y + h - r), ("C", x + w, y + h - k, x + w - k, y + h, x + w - r, y + h)],
        *[("L", x + r, y + h), ("C", x + k, y + h, x, y + h - k, x, y + h - r)],
        *[("L", x, y + r), ("C", x, y + k, x + k, y, x + r, y), ("Z",)],
    ]


def cut(x: float, y: float, w: float, h: float, r: float) -> list[tuple]:
    r = min(r, w / 3, h / 3)
    corners = [(x + r, y), (x + w - r, y), (x + w, y + r), (x + w, y + h - r)]
    corners += [(x + w - r, y + h), (x + r, y + h), (x, y + h - r), (x, y + r)]
    return [("M", *corners[0]), *[("L", *corner) for corner in corners[1:]], ("Z",)]


def mixed(a: str, b: str, part: float) -> str:
    mix = lambda i: round(int(a[i : i + 2], 16) * (1 - part) + int(b[i : i + 2], 16) * part)
    return "#" + "".join(f"{mix(i):02x}" for i in (1, 3, 5))
