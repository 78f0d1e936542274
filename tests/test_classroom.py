"""What an instructor hands out and takes in: nbgrader's way through the exercises, and an archive without answers."""

import csv
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("nbformat")

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "course"))

import classroom  # noqa: E402
import cutting  # noqa: E402

from ddl.course.tasks import of_chapter  # noqa: E402

CHAPTER = min(path.stem for path in (ROOT / "solutions").glob("*.ipynb"))


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course of nbgrader with the first chapter released: the notebooks of one who solved it and one who did not."""
    if importlib.util.find_spec("nbgrader") is None:
        pytest.skip("nbgrader is not installed")
    folder = tmp_path_factory.mktemp("nbgrader")
    classroom.for_nbgrader(folder)
    run(folder, "generate_assignment", CHAPTER, "--create")
    for student, place in (("anna", "source"), ("ben", "release")):
        shutil.copytree(folder / place / CHAPTER, folder / "submitted" / student / CHAPTER)
    return folder


def run(folder, *command):
    place = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    place["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), place["PATH"]])  # nbgrader calls alembic by name
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", *command], cwd=folder, env=place, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def sources(path):
    return ["".join(cell["source"]) for cell in json.loads(path.read_text("utf-8"))["cells"]]


@pytest.mark.slow
def test_what_nbgrader_releases_is_the_exercise_without_the_answers(course):
    released = "\n".join(sources(course / "release" / CHAPTER / f"{CHAPTER}.ipynb"))
    assert cutting.BEGIN not in released
    ours = sources(ROOT / "exercises" / f"{CHAPTER}.ipynb")
    functions = [text for text in ours if "raise NotImplementedError()" in text]
    assert functions
    assert all(text in released for text in functions)


@pytest.mark.slow
def test_nbgrader_validates_what_is_solved_and_tells_what_is_not(course):
    assert "Success" in run(course, "validate", str(Path("source") / CHAPTER / f"{CHAPTER}.ipynb"))
    said = run(course, "validate", str(Path("release") / CHAPTER / f"{CHAPTER}.ipynb"))
    assert "Nothing is written yet: fill in" in said


@pytest.mark.slow
def test_nbgrader_gives_all_points_and_none(course):
    run(course, "autograde", CHAPTER)
    run(course, "export")
    scores = {row["student_id"]: float(row["raw_score"]) for row in csv.DictReader((course / "grades.csv").open())}
    assert scores == {"anna": sum(task.level for task in of_chapter(CHAPTER[:2]).values()), "ben": 0.0}


def test_laying_out_again_keeps_what_an_instructor_changed(tmp_path):
    classroom.for_nbgrader(tmp_path)
    (tmp_path / "nbgrader_config.py").write_text("mine")
    classroom.for_nbgrader(tmp_path)
    assert (tmp_path / "nbgrader_config.py").read_text() == "mine"


def test_the_archive_for_students_holds_no_answers(tmp_path):
    classroom.for_students(tmp_path / "class.zip")
    with zipfile.ZipFile(tmp_path / "class.zip") as archive:
        names = archive.namelist()
        assert not [name for name in names if "solutions/" in name or "wrong.py" in name or "lesson.py" in name]
        assert {f"ddl-course/{name}" for name in ("start.py", "README.md", f"exercises/{CHAPTER}.ipynb")} <= set(names)
        for name in names:
            assert cutting.BEGIN.encode() not in archive.read(name), name
        archive.extractall(tmp_path)
    code = "import ddl.course; print(ddl.course.check('01.product'))"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path / "ddl-course", capture_output=True, text=True)
    assert "not known in this session" in done.stdout, done.stderr
    assert not [*tmp_path.glob("*.part")]
