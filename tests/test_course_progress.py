"""What is kept of a learner's work is never lost."""

import csv
import io
import json

import pytest

from ddl.course import check, hint, kept, progress, reset
from ddl.course.tasks import every


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("DDL_PROGRESS", str(tmp_path / "progress"))
    return tmp_path / "progress"


@pytest.fixture
def task():
    return next(task for task in every().values() if callable(task.right))


def wrong(*_):
    return "no"


def test_what_was_solved_stays_solved_and_its_answer_stays(task):
    check(task.id, wrong)
    assert not kept.read(task.id)["passed"]
    assert "def wrong" in kept.read(task.id)["answer"]
    check(task.id, task.right)
    first = kept.read(task.id)
    check(task.id, wrong)
    now = kept.read(task.id)
    assert (now["passed"], now["tries"], now["first_passed"]) == (True, 3, first["first_passed"])
    assert now["answer"] == first["answer"]


def test_hints_come_one_after_the_other_and_are_counted(task):
    assert [str(hint(task.id)) for _ in range(4)] == [f"Hint {n} of 3: {task.hints[n - 1]}" for n in (1, 2, 3, 3)]
    assert kept.read(task.id)["hints"] == 3
    assert str(hint(task.id, 1)).startswith("Hint 1")
    with pytest.raises(ValueError, match="hint 4 of"):
        hint(task.id, 4)


def test_reset_keeps_the_old_answer(task, place):
    check(task.id, wrong)
    words = str(reset(task.id))
    assert kept.read(task.id) == kept.EMPTY
    (copy,) = place.glob(f"{task.id}*.py")
    assert "def wrong" in copy.read_text()
    assert copy.name in words
    check(task.id, wrong)
    reset(task.id)
    assert len([*place.glob(f"{task.id}*.py")]) == 2
    reset(task.id)
    assert len([*place.glob(f"{task.id}*.py")]) == 2


@pytest.mark.parametrize("broken", ["", "{", "[]", '{"schema": "ddl.progress/9"}', "\x00"])
def test_a_file_that_cannot_be_read_is_put_aside(task, place, broken):
    place.mkdir()
    (place / f"{task.id}.json").write_text(broken)
    check(task.id, task.right)
    assert kept.read(task.id)["passed"]
    (aside,) = place.glob("*.unreadable")
    assert aside.read_text() == broken


def test_progress_is_a_line_an_exercise_and_a_table(task, tmp_path):
    check(task.id, task.right)
    text = repr(progress())
    assert text.startswith(f"1 of {len(every())} exercises are solved.")
    assert f"{task.id} " in next(line for line in text.splitlines() if "solved  " in line)
    rows = [*csv.DictReader(io.StringIO(progress().csv()))]
    assert [row["id"] for row in rows] == [*every()]
    assert [row["passed"] for row in rows if row["id"] == task.id] == ["True"]
    assert progress().csv(tmp_path / "a.csv").read_text() == progress().csv()


def test_the_view_can_look_again_and_write_the_table_beside_what_is_kept(task, place):
    seen = progress()
    check(task.id, task.right)
    assert "solved  " not in seen.words
    seen._answer(seen, {"ask": {}, "number": 1}, [])
    assert f"solved  {'*' * task.level:3}  {task.id} " in seen.words
    seen._answer(seen, {"ask": {"write": True}, "number": 2}, [])
    assert seen.data["written"] == str(place.parent / "progress.csv")
    assert (place.parent / "progress.csv").read_text() == seen.csv()


def test_where_nothing_is_kept_the_view_says_so(monkeypatch):
    monkeypatch.setenv("DDL_PROGRESS", "")
    seen = progress()
    seen._answer(seen, {"ask": {"write": True}, "number": 1}, [])
    assert "nobody's progress is kept" in seen.fault


def test_it_is_kept_in_the_folder_work_or_beside_the_notebook_or_nowhere(task, tmp_path, monkeypatch):
    monkeypatch.delenv("DDL_PROGRESS")
    inside = tmp_path / "work" / "exercises"
    inside.mkdir(parents=True)
    monkeypatch.chdir(inside)
    check(task.id, task.right)
    assert json.loads((tmp_path / "work" / "progress" / f"{task.id}.json").read_text())["passed"]
    monkeypatch.chdir(tmp_path)
    assert kept.folder() == tmp_path / "progress"
    (tmp_path / "solutions").mkdir()
    monkeypatch.chdir(tmp_path / "solutions")
    assert kept.folder() is None
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DDL_PROGRESS", "")
    assert kept.folder() is None
    check(task.id, task.right)
    assert not (tmp_path / "progress").exists()
    assert not kept.read(task.id)["passed"]


def test_a_killed_write_leaves_the_old_file(task, place, monkeypatch):
    check(task.id, task.right)
    before = (place / f"{task.id}.json").read_text()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        check(task.id, task.right)
    assert (place / f"{task.id}.json").read_text() == before
