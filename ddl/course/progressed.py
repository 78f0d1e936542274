"""How far one has come: a tile for each exercise, in a row a chapter."""

from pathlib import Path

from ..figures import COLORS, figure, png
from ..widgets.base import Widget
from . import kept
from .tasks import every

TILE = 86, 40  # pixels on the page
FILLS = {"solved": COLORS[2], "tried": "#f3d9c6", "": "white"}


class Progress(Widget, bundle="progress"):
    """What is solved and what is left, of all chapters; `.csv(path)` writes it as a table for spreadsheets."""

    def __init__(self):
        super().__init__({"exercises": self.look(), "written": ""})

    def look(self):
        """A line for each exercise, with what is kept of it."""
        shown = ("passed", "tries", "hints", "first_passed", "last_tried")
        return [
            {"id": id, "title": task.title, "level": task.level} | {name: seen[name] for name in shown}
            for id, task in every().items()
            for seen in [kept.read(id)]
        ]

    def describe(self, state):
        exercises = state["exercises"]
        lines = [f"{sum(x['passed'] for x in exercises)} of {len(exercises)} exercises are solved."]
        for x in exercises:
            tries = f", {counted(x['tries'], 'try', 'tries')}" if x["tries"] else ""
            hints = f", {counted(x['hints'], 'hint', 'hints')}" if x["hints"] else ""
            lines.append(f"  {standing(x):6}  {'*' * x['level']:3}  {x['id']:18} {x['title']}{tries}{hints}")
        return "\n".join(lines)

    def picture(self, state):
        return drawn(state["exercises"])

    def change(self, write=False):
        """Look again at what is kept; `write` also puts the table beside it, as progress.csv."""
        if write and (place := kept.folder()) is None:
            raise ValueError("the table was to be written beside the progress, but here nobody's progress is kept")
        state = {"exercises": self.look(), "written": ""}
        return state | {"written": str(self.csv(place.parent / "progress.csv"))} if write else state

    def csv(self, path: str | Path | None = None) -> str | Path:
        """The table as text, or written to `path`."""
        text = kept.to_csv(self.look())
        if path is None:
            return text
        kept.write_whole(path, text.encode())
        return Path(path)


def standing(exercise):
    return "solved" if exercise["passed"] else "tried" if exercise["tries"] else ""


def counted(n, one, more):
    return f"{n} {one if n == 1 else more}"


def drawn(exercises):
    """The tiles as an image: green with a tick what is solved, orange what was tried, white what is left."""
    chapters = [*dict.fromkeys(x["id"][:2] for x in exercises)]
    rows = {chapter: [x for x in exercises if x["id"][:2] == chapter] for chapter in chapters}
    widest = max(map(len, rows.values()), default=1)
    page = figure(TILE[0] * (widest + 0.6), TILE[1] * (len(rows) + 1))
    axes = page.subplots()
    axes.set(xlim=(-0.6, widest), ylim=(len(rows), -0.6))
    axes.axis("off")
    solved = sum(x["passed"] for x in exercises)
    axes.text(-0.55, -0.3, f"{solved} of {len(exercises)} exercises are solved", fontsize=10, va="center")
    for y, (chapter, row) in enumerate(rows.items()):
        axes.text(-0.3, y + 0.5, chapter, fontsize=10, ha="center", va="center", fontweight="bold")
        for x, exercise in enumerate(row):
            state = standing(exercise)
            axes.add_patch(_tile(x, y, FILLS[state]))
            ink = "white" if state == "solved" else "black"
            sign = {"solved": "✓ ", "tried": "… ", "": ""}[state]
            axes.text(x + 0.5, y + 0.36, sign + exercise["id"][3:], fontsize=7.5, ha="center", va="center", color=ink)
            axes.text(x + 0.5, y + 0.7, "★" * exercise["level"], fontsize=6, ha="center", va="center", color=ink)
    return png(page)


def _tile(x, y, fill):
    from matplotlib.patches import Rectangle

    return Rectangle((x + 0.04, y + 0.07), 0.92, 0.86, facecolor=fill, edgecolor="#888888", linewidth=0.8)
