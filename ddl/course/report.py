"""What a check answers: a few lines of words, and the same as a small table with heat maps for arrays."""

from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from ..core import Tensor
from ..scalar import Scalar
from .compare import is_array, plain

TOLD, SHOWN = 1, 3  # as many failing cases are written out in words, and in the table
NOTHING = object()  # what came where an answer raised
WRITTEN = 24  # numbers of an array that are written out
PAINTED = 12  # rows and columns of a heat map
RUST, BLUE = "179,71,0", "0,88,138"


@dataclass(frozen=True)
class Row:
    """One case: what went in, what was expected and what came, and what is wrong with it, nothing if nothing is."""

    case: str
    inputs: dict[str, Any]
    expected: Any
    got: Any = NOTHING
    wrong: str = ""
    printed: str = ""


@dataclass(frozen=True)
class Report:
    """The answer to an answer. `passed` says whether it is right; `bool(report)` as well."""

    id: str
    title: str
    rows: tuple[Row, ...] = ()
    trouble: str = ""  # why nothing could be checked
    mistake: str = ""  # the known mistake that this is, and why it is one
    note: str = ""

    @property
    def passed(self) -> bool:
        return not self.trouble and bool(self.rows) and not self.failed

    @property
    def failed(self) -> list[Row]:
        return [row for row in self.rows if row.wrong]

    def __bool__(self) -> bool:
        return self.passed

    @property
    def heading(self) -> str:
        if self.passed:
            return f"{self.id} passed: {self.title}."
        return f"{self.id} not yet: {self.title}."

    @property
    def count(self) -> str:
        total, good = len(self.rows), len(self.rows) - len(self.failed)
        if self.trouble:
            return ""
        if self.passed:
            return "It is right." if total == 1 else f"All {total} cases are right."
        return "" if total == 1 else f"{good} of {total} cases {'is' if good == 1 else 'are'} right."

    @property
    def advice(self) -> str:
        return "" if self.passed or self.trouble else f'For a hint: hint("{self.id}")'

    @property
    def tabled(self) -> list[Row]:
        """The cases that a table shows; a prediction has neither inputs nor an expected number to tell."""
        return [row for row in self.failed if row.inputs or row.expected is not NOTHING][:SHOWN]

    def __repr__(self) -> str:
        parts = [" ".join(filter(None, (self.heading, self.count))), self.trouble]
        for row in self.failed[:TOLD]:
            lines = [("case", row.case), *((name, short(x)) for name, x in row.inputs.items())]
            lines += [("expected", short(row.expected))] if row.expected is not NOTHING else []
            lines += [("got", short(row.got))] if row.got is not NOTHING else []
            lines += [("", row.wrong)] + [("printed", row.printed)] * bool(row.printed)
            wide = max(len(name) for name, _ in lines)
            parts.append("\n".join(f"  {name:{wide}}  {_hung(text, wide + 4)}".rstrip() for name, text in lines))
        return "\n".join(filter(None, [*parts, self.mistake, self.note, self.advice]))

    def _repr_html_(self) -> str:
        said = [self.trouble, self.mistake, self.note]
        parts = [
            f"<p><b>{escape(self.heading)}</b> {escape(self.count)}</p>",
            *(f"<p>{escape(x)}</p>" for x in said if x),
        ]
        if self.tabled:
            names = ("case", "inputs", "expected", "got", "what is wrong")
            head = "".join(f"<th style='text-align:left'>{name}</th>" for name in names)
            parts.append(f"<table><tr>{head}</tr>{''.join(map(_line, self.tabled))}</table>")
            if any(is_array(x) for row in self.tabled for x in (row.expected, row.got)):
                parts.append("<p>In the small pictures brown is above zero, blue below, and strong is far.</p>")
        elif self.failed:
            row = self.failed[0]
            parts.append(f"<p>Your answer is {escape(short(row.got))}: {escape(row.wrong)}.</p>")
        return "".join(parts) + (f"<p>{escape(self.advice)}</p>" if self.advice else "")


def short(x: Any) -> str:
    """A value on a line or two: numbers to six digits, of a large array its shape and its range."""
    if isinstance(x, Scalar):
        return f"Scalar({x.data:.6g})"
    if isinstance(x, (Tensor, np.ndarray)):
        array, name = plain(x), "tensor" if isinstance(x, Tensor) else "array"
        if array.size <= WRITTEN:
            return f"{name} {np.array2string(array, precision=6, separator=', ', suppress_small=True)}"
        said = f"{name} of shape {array.shape}"
        return f"{said}, {array.min():.6g} to {array.max():.6g}" if array.dtype.kind in "fiu" else said
    if isinstance(x, (float, np.floating)):
        return f"{x:.10g}"
    if isinstance(x, (list, tuple)):
        inner = ", ".join(short(y) for y in x[:8]) + (", …" if len(x) > 8 else "")
        return f"[{inner}]" if isinstance(x, list) else f"({inner}{',' * (len(x) == 1)})"
    if isinstance(x, dict):
        return "{" + ", ".join(f"{k!r}: {short(v)}" for k, v in [*x.items()][:8]) + ("}" if len(x) <= 8 else ", …}")
    if callable(x) and hasattr(x, "__name__"):
        return x.__name__
    said = repr(x)
    return said if len(said) <= 300 else f"{said[:300]}…"


def _hung(text: str, indent: int) -> str:
    return text.replace("\n", "\n" + " " * indent)


def _line(row: Row) -> str:
    inputs = "<br>".join(f"{escape(name)} = {_cell(x)}" for name, x in row.inputs.items())
    got, expected = ("" if x is NOTHING else _cell(x) for x in (row.got, row.expected))
    if is_array(row.got) and is_array(row.expected):
        x, y = plain(row.got), plain(row.expected)
        if x.shape == y.shape and x.dtype.kind in "fi":
            got += "<br>got − expected" + _heat(x - y)
    printed = f"<br>printed: {escape(row.printed)}" if row.printed else ""
    cells = (escape(row.case), inputs, expected, got, escape(row.wrong) + printed)
    return "<tr>" + "".join(f"<td style='text-align:left;vertical-align:top'>{cell}</td>" for cell in cells) + "</tr>"


def _cell(x: Any) -> str:
    return escape(short(x)).replace("\n", "<br>") + (_heat(plain(x)) if is_array(x) else "")


def _heat(array: np.ndarray) -> str:
    """A small table in colours, above zero one and below another, whose strength says how far; 2-d, cut where large."""
    if array.dtype.kind not in "fi" or array.size < 2:
        return ""
    grid = array.reshape(-1, array.shape[-1])[:PAINTED, :PAINTED].astype(float)
    largest = np.abs(grid[np.isfinite(grid)]).max(initial=0.0) or 1.0
    rows = "".join(f"<tr>{''.join(_square(x, largest) for x in line)}</tr>" for line in grid.tolist())
    return f"<table style='border-collapse:collapse;margin:2px 0'>{rows}</table>"


def _square(x: float, largest: float) -> str:
    if not np.isfinite(x):
        color = "150,0,150,1"
    else:
        color = f"{RUST if x > 0 else BLUE},{abs(x) / largest:.2f}"
    return f"<td style='width:12px;height:12px;padding:0;background:rgba({color});border:1px solid #9996'></td>"
