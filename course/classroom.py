"""The exercises laid out for a class.

python course/classroom.py nbgrader FOLDER   a folder in which nbgrader generates, validates and grades
python course/classroom.py zip FILE          notebooks and exercises for students, without the answers
"""

import argparse
import shutil
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CONFIG = """c = get_config()  # read by nbgrader, which runs in this folder
c.CourseDirectory.course_id = "ddl"
c.ExecutePreprocessor.timeout = 400
"""
STUDENTS = ("ddl", "notebooks", "exercises", "course/labconfig", "course/jupyter_server_config.json")
STUDENTS += ("README.md", "LICENSE", "environment.yml", "pyproject.toml", "start.py")
LEFT_OUT = ("__pycache__", ".ipynb_checkpoints", "source", "run", "progress")


def for_nbgrader(folder, root=ROOT):
    """An assignment for each chapter; what is already there stays, but for the sources."""
    for path in sorted((root / "solutions").glob("*.ipynb")):
        target = folder / "source" / path.stem / path.name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    config = folder / "nbgrader_config.py"
    if not config.exists():
        config.write_text(CONFIG)


def for_students(target, root=ROOT):
    """One archive to hand out: nothing of solutions/, course/ and tests/ is in it."""
    part = target.with_name(target.name + ".part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in STUDENTS:
            place = root / name
            for path in [place] if place.is_file() else sorted(place.rglob("*")):
                inside = path.relative_to(root)
                if path.is_file() and not set(LEFT_OUT) & set(inside.parts):
                    archive.write(path, Path("ddl-course") / inside)
    part.replace(target)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=["nbgrader", "zip"])
    parser.add_argument("target", type=Path)
    chosen = parser.parse_args(arguments)
    (for_nbgrader if chosen.kind == "nbgrader" else for_students)(chosen.target)
    print(f"It is in {chosen.target}.")


if __name__ == "__main__":
    sys.exit(main())
