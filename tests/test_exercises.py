"""The exercises: each check accepts what is right and rejects what is wrong, and says which known mistake it is."""

import contextlib
import io
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
pytest.importorskip("nbclient")

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "course"))

import build  # noqa: E402
import cutting  # noqa: E402
import percent  # noqa: E402
from mutants import mutants  # noqa: E402

from ddl.course.check import checked  # noqa: E402
from ddl.course.limits import TooSlow, at_most  # noqa: E402
from ddl.course.tasks import CHAPTERS, every, of_chapter  # noqa: E402

FOLDERS = {path.parent.name[:2]: path.parent for path in sorted((ROOT / "course").glob("[0-9][0-9]_*/exercises.py"))}
TASKS = every()
STARS = "★"
SURVIVORS = json.loads((ROOT / "course" / "survivors.json").read_text("utf-8"))

each_task = pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
each_chapter = pytest.mark.parametrize("number", FOLDERS)


def answers(number):
    """What a chapter's wrong.py holds."""
    path = FOLDERS[number] / "wrong.py"
    names = {"__name__": f"wrong_{number}"}
    exec(compile(path.read_text("utf-8"), path, "exec"), names)
    return names["ANSWERS"]


ANSWERS = {number: answers(number) for number in FOLDERS}
WRONG = [(id, answer, name) for a in ANSWERS.values() for id, of in a.of_wrong.items() for answer, name in of]


def cells(number):
    """The cells of a chapter's exercises."""
    return percent.read((FOLDERS[number] / "exercises.py").read_text("utf-8")).cells


def test_every_chapter_with_exercises_has_them_in_both_places():
    assert tuple(FOLDERS) == CHAPTERS
    for number in FOLDERS:
        asked = [c.metadata.task for c in cells(number) if c.cell_type == "code" and "task" in c.metadata]
        assert asked == [*of_chapter(number)]
        assert 5 <= len(asked) <= 10


@each_task
def test_an_exercise_is_whole(task):
    assert len(set(task.hints)) == 3
    assert task.level in (1, 2, 3)
    assert task.mistakes
    assert len({mistake.name for mistake in task.mistakes}) == len(task.mistakes)
    assert len(task.cases()) >= (3 if callable(task.right) else 1)
    heading = f"### {task.id} {STARS * task.level} {task.title}\n"
    assert any(heading in c.source + "\n" for c in cells(task.id[:2]) if c.cell_type == "markdown"), heading


@each_task
def test_the_right_answer_and_one_of_another_make_are_accepted(task):
    assert checked(task, task.right)
    others = ANSWERS[task.id[:2]].of_right[task.id]
    assert others
    for other in others:
        assert other is not task.right
        report = checked(task, other)
        assert report.passed, report


@each_task
def test_there_are_at_least_four_wrong_answers_and_every_known_mistake_is_among_them(task):
    wrong = ANSWERS[task.id[:2]].of_wrong[task.id]
    assert len(wrong) >= 4
    assert {name for _, name in wrong} - {""} == {mistake.name for mistake in task.mistakes}


@pytest.mark.parametrize(("id", "answer", "name"), WRONG, ids=[f"{id}-{name or 'unnamed'}" for id, _, name in WRONG])
def test_a_wrong_answer_is_rejected_and_its_mistake_named(id, answer, name):
    report = checked(TASKS[id], answer)
    assert not report.passed
    assert not report.trouble
    said = report.mistake.removeprefix("This is a known mistake: ")
    assert said.startswith(f"{name}.") if name else said == ""


def does(right):
    """Whether an answer is a function, or several, and no value."""
    return callable(right) or (isinstance(right, tuple) and all(map(callable, right)))


@pytest.mark.parametrize(("id", "answer"), [(id, a) for id, a, _ in WRONG if does(TASKS[id].right)])
def test_a_wrong_answer_is_no_straw_man(id, answer):
    """It runs, what comes is of the right kind, and on one of the inputs at least it is even right."""
    rows = checked(TASKS[id], answer).rows
    assert any(not row.wrong for row in rows), rows[0]
    for row in rows:
        assert (
            not row.wrong.startswith(("it raised", "it was not done"))
            or "Recursion" in row.wrong
            or "Overflow" in row.wrong
        )
        assert "was expected, but" not in row.wrong, row


@each_task
def test_the_empty_stub_is_rejected(task):
    for empty in (None, ...):
        answer = empty if len(task.names) == 1 else (empty,) * len(task.names)
        assert "no answer yet" in checked(task, answer).trouble

    def stub(*_):
        raise NotImplementedError

    if callable(task.right) and not isinstance(task.right, type):
        assert "Nothing is written yet" in checked(task, stub).trouble


@each_chapter
def test_no_line_of_an_answer_is_left_in_the_exercises(number):
    lines = lambda text: {line.strip() for line in text.splitlines() if len(line.strip()) > 8}
    source = cells(number)
    shown = "\n".join("".join(c["source"]) for c in plain(number, "exercises"))
    given = {line for c in source if "task" not in c.metadata for line in lines(c.source)}
    for cell in (c for c in source if "task" in c.metadata):
        answer = {line for region in cutting.REGION.finditer(cell.source) for line in lines(region[0])}
        assert answer & lines(shown) <= given, cell.metadata.task
    assert cutting.BEGIN not in shown


def levels(number):
    return {id: task.level for id, task in of_chapter(number).items()}


def plain(number, name):
    return json.loads((ROOT / name / f"{FOLDERS[number].name}.ipynb").read_text("utf-8"))["cells"]


@each_chapter
def test_solutions_keep_the_marks_and_what_nbgrader_needs(number):
    for folder in ("solutions", "exercises"):
        about = {c["id"]: c["metadata"]["nbgrader"] for c in plain(number, folder) if "nbgrader" in c["metadata"]}
        for id, task in of_chapter(number).items():
            assert about[cutting.name(id)]["solution"]
            assert about[f"check-{cutting.name(id)}"] == {
                "grade": True,
                "grade_id": f"check-{cutting.name(id)}",
                "locked": True,
                "points": task.level,
                "schema_version": 3,
                "solution": False,
                "task": False,
            }
    marked = [c for c in plain(number, "solutions") if cutting.BEGIN in "".join(c["source"])]
    assert len(marked) >= len(of_chapter(number))


@each_chapter
def test_every_solution_passes_its_check(number):
    outputs = [out for c in plain(number, "solutions") for out in c.get("outputs", ())]
    texts = ["".join(out.get("data", {}).get("text/plain", "")) for out in outputs]
    assert sum(" passed: " in text for text in texts) == len(of_chapter(number))


@each_chapter
@pytest.mark.slow
def test_unsolved_each_check_says_what_to_do_and_nothing_crashes(number, tmp_path):
    notebook = nbformat.read(ROOT / "exercises" / f"{FOLDERS[number].name}.ipynb", 4)
    done = build.execute(notebook, tmp_path)
    said = [out["data"]["text/plain"] for c in done.cells for out in c.get("outputs", ()) if "data" in out]
    for id in of_chapter(number):
        (text,) = (text for text in said if text.startswith(f"{id} not yet"))
        assert "Nothing is written yet" in text or "has no answer yet" in text
    assert not any(out.output_type == "error" for c in done.cells for out in c.get("outputs", ()))


def solution(task):
    """The program of a chapter's notebook up to the answer, and the answer's own cell."""
    before = []
    for cell in cells(task.id[:2]):
        if cell.metadata.get("task") == task.id:
            return "\n".join(before), cell.source
        if cell.cell_type == "code" and not cell.metadata.get("tags"):
            before.append(cell.source)
    raise AssertionError(f"{task.id} has no cell")


def outcome(task, source, names):
    """Whether a program's answer passes."""
    names = dict(names)
    try:
        with contextlib.redirect_stdout(io.StringIO()), at_most(2):
            exec(compile(source, "answer", "exec"), names)
        found = tuple(names[name] for name in task.names)
    except TooSlow:
        return False
    except Exception:
        return False
    return checked(replace(task, seconds=2, mistakes=()), found if len(found) > 1 else found[0]).passed


PROGRAMS = [task for task in TASKS.values() if callable(task.right) or len(task.names) > 1]  # and no mere values


def tried(task):
    """All automatic changes of a solution, and those of them that its check lets pass."""
    before, source = solution(task)
    names = {"__name__": "notebook"}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(before, "before", "exec"), names)
    assert outcome(task, source, names)
    changes = mutants(source)
    return changes, [f"{line}: {new}" for line, new, text in changes if outcome(task, text, names)]


def row(task, changes, alive):
    """The line of course/caught.md for one exercise."""
    wrong = ANSWERS[task.id[:2]].of_wrong[task.id]
    named = sum(bool(name) for _, name in wrong)
    automatic = f"{changes - alive} of {changes}" if changes else ""
    return f"| {task.id} | {STARS * task.level} | {len(wrong)} | {named} | {automatic} |"


CAUGHT = (ROOT / "course" / "caught.md").read_text("utf-8").splitlines()
STALE = "run `python tests/caught.py`, or `python tests/caught.py NN` for one chapter"


def test_the_table_of_what_is_caught_has_every_exercise():
    listed = [line.split("|")[1].strip() for line in CAUGHT if line.startswith(("| 0", "| 1"))]
    assert listed == [*TASKS], STALE
    for task in TASKS.values():
        assert task in PROGRAMS or row(task, 0, 0) in CAUGHT, STALE


@pytest.mark.parametrize("task", PROGRAMS, ids=[task.id for task in PROGRAMS])
@pytest.mark.slow
def test_automatic_mutants_of_the_solution_are_rejected(task, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DDL_PROGRESS", "")
    changes, alive = tried(task)
    print(f"{task.id}: {len(changes) - len(alive)} of {len(changes)} rejected; left: {alive}")
    assert row(task, len(changes), len(alive)) in CAUGHT, STALE
    assert len(changes) >= 10
    argued = SURVIVORS.get(task.id, {})
    assert sorted(alive) == sorted(argued), "survivors are listed with a reason in course/survivors.json"
    assert len(alive) <= 0.05 * len(changes) or all(why.startswith("equivalent") for why in argued.values())
