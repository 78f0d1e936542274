"""The page for instructors says of each chapter what the chapter says of itself, and its plans are complete."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "course" / "teaching.md").read_text("utf-8")
LESSONS = {
    path.parent.name: path.read_text("utf-8") for path in sorted((ROOT / "course").glob("[0-9][0-9]_*/lesson.py"))
}
LESSONS = {name: text for name, text in LESSONS.items() if not name.startswith("99")}
WORDS = {"an hour": "60", "two hours": "120", "2 hours": "120"}


def rows(heading):
    """The table under a heading, a list of cells a row."""
    table = re.search(rf"## {heading}\n.*?\n(\|.*?)\n\n", PAGE, re.DOTALL)[1]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]


def test_every_chapter_is_there_with_its_title_and_its_minutes():
    listed = {}
    for chapter, minutes, needs, trouble in rows("What a week holds"):
        number, name, title = re.fullmatch(r"\[(\d\d)\]\(\.\./notebooks/(\w+)\.ipynb\) (.*)", chapter).groups()
        listed[name] = (f"{number} · {title}", minutes)
        assert name.startswith(number)
        assert set(re.findall(r"\d\d", needs)) < {name[:2] for name in LESSONS}
        assert trouble
    said = {}
    for name, text in LESSONS.items():
        time = re.search(r"\*\*Time:?\*\*:? about (.+?)[.,]", text)[1]
        said[name] = (re.search(r"^# # (.*)", text, re.MULTILINE)[1], WORDS.get(time) or re.match(r"\d+", time)[0])
    assert listed == said


@pytest.mark.parametrize(("column", "left_out"), [(1, "04 08 09"), (2, "04 09"), (3, "")])
def test_a_plan_has_every_chapter_once_in_order_but_those_it_leaves_out(column, left_out):
    planned = [number for row in rows("Six, ten, fourteen weeks") for number in re.findall(r"\d\d", row[column])]
    assert planned == sorted({name[:2] for name in LESSONS} - set(left_out.split()))
    weeks = sum(bool(row[column]) for row in rows("Six, ten, fourteen weeks"))
    assert weeks <= (6, 10, 14)[column - 1]


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "course/teaching.md"])
def test_every_link_within_the_project_leads_somewhere(name):
    path = ROOT / name
    links = re.findall(r"\]\(([^)\s]+)\)", path.read_text("utf-8"))
    within = [link for link in links if not re.match(r"\w+:", link)]
    assert [link for link in within if not (path.parent / link.split("#")[0]).exists()] == []
