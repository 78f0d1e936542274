"""Turn the course's sources into notebooks that come out the same, byte for byte, each time.

A chapter's lesson.py becomes an executed notebook in notebooks/; its exercises.py one with the answers, executed, in
solutions/, and one without them in exercises/.

python course/build.py             build every notebook whose source changed
python course/build.py 01 02       build these chapters
python course/build.py --check     say which notebooks are stale, and run nothing
"""

import argparse
import os
import re
import sys
import sysconfig
from pathlib import Path

import cutting
import nbformat
import percent
from nbclient import NotebookClient

from ddl.course.tasks import of_chapter

ROOT = Path(__file__).resolve().parents[1]
WIDGET = "application/vnd.jupyter.widget-view+json"
TIMEOUT = 400  # seconds a cell may take


def execute(notebook, folder, root=ROOT):
    """Run every cell in a fresh kernel whose working directory is `folder`, and freeze what came out."""
    paths = [str(root), *filter(None, [os.environ.get("PYTHONPATH")])]
    client = NotebookClient(
        notebook,
        timeout=TIMEOUT,
        kernel_name="python3",
        coalesce_streams=True,
        record_timing=False,
        store_widget_state=False,
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute(env=os.environ | {"PYTHONPATH": os.pathsep.join(paths), "DDL_PROGRESS": ""})
    freeze(notebook, root)
    return notebook


def freeze(notebook, root=ROOT):
    """Take out of an executed notebook what differs from run to run or names this machine."""
    notebook.metadata.pop("widgets", None)
    notebook.metadata["language_info"] = {"name": "python"}
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if WIDGET in data and len(data.keys() - {WIDGET, "text/plain"}):
                del data[WIDGET]  # its model is gone; the picture and the words stay
                output.metadata.pop(WIDGET, None)
            if "image/png" in data and not output.metadata.get("image/png", {}).get("alt"):
                raise ValueError(f"a picture has no alternative text: show(figure, alt=...) in the cell\n{cell.source}")
            if "traceback" in output:
                output["traceback"] = [_anywhere(line, root) for line in output["traceback"]]
            if "text" in output:
                output["text"] = _anywhere(output["text"], root)


def _anywhere(text, root):
    """The text without the folders of this machine."""
    home = str(Path.home())
    for place in (str(root), *map(sysconfig.get_path, ("purelib", "platlib", "stdlib"))):
        for written in (place, place.replace(home, "~", 1)):
            text = text.replace(written + os.sep, "")
    return re.sub(r"\S*ipykernel_\d+\S*\.py", "cell", text)


def products(root=ROOT):
    """Every notebook of the course as (where it lies, what its source gives, whether it is run), chapter by chapter."""
    for folder in sorted(path for path in (root / "course").glob("[0-9][0-9]_*") if path.is_dir()):
        if (lesson := folder / "lesson.py").exists():
            yield root / "notebooks" / f"{folder.name}.ipynb", percent.read(lesson.read_text("utf-8"), lesson), True
        if (source := folder / "exercises.py").exists():
            levels = {id: task.level for id, task in of_chapter(folder.name[:2]).items()}
            solved = cutting.solved(percent.read(source.read_text("utf-8"), source), levels)
            yield root / "solutions" / f"{folder.name}.ipynb", solved, True
            yield root / "exercises" / f"{folder.name}.ipynb", cutting.cut(solved), False


def stale(fresh, target, executed=True):
    """Why the notebook at `target` is not what this source would give, in a few words; None if it is."""
    if not target.exists():
        return "is missing"
    built = nbformat.read(target, as_version=4)
    if [(c.id, c.cell_type, c.source, c.metadata) for c in built.cells] != [
        (c.id, c.cell_type, c.source, c.metadata) for c in fresh.cells
    ]:
        return "differs from its source"
    code = [c for c in built.cells if c.cell_type == "code" and c.source]
    if not executed:
        return "has outputs" if any(c.outputs or c.execution_count for c in code) else None
    counts = [c.execution_count for c in code]
    return None if counts == [*range(1, len(counts) + 1)] else "was not run from top to bottom"


def write(notebook, target):
    """Replace the file in one step, so that no half notebook is ever seen."""
    nbformat.validate(notebook)
    part = target.with_suffix(".part")
    part.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8", newline="\n")
    part.replace(target)


def main(arguments=None, root=ROOT):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chapters", nargs="*", metavar="NN", help="chapters to build, stale or not")
    parser.add_argument("--check", action="store_true", help="only say which notebooks are stale")
    chosen = parser.parse_args(arguments)
    chapters = sorted({path.parent.name for path in (root / "course").glob("[0-9][0-9]_*/*.py")})
    for chapter in chosen.chapters:
        if not any(name.startswith(chapter) for name in chapters):
            parser.error(f"there is no chapter {chapter}: the chapters are {', '.join(chapters)}")
    old = 0
    for target, notebook, executed in products(root):
        if chosen.chapters and not target.name.startswith(tuple(chosen.chapters)):
            continue
        where, why = target.relative_to(root).as_posix(), stale(notebook, target, executed)
        if chosen.check:
            old += why is not None
            print(f"{where} {why or 'is as its source'}")
        elif why or chosen.chapters:
            print(f"{where} is being {'run' if executed else 'written'}", flush=True)
            target.parent.mkdir(exist_ok=True)
            write(execute(notebook, target.parent, root) if executed else notebook, target)
    return 1 if old else 0


if __name__ == "__main__":
    sys.exit(main())
