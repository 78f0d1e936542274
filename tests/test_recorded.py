"""What chapter 09 shows of a GPU was made by the very functions and kernels that stand in it, and by all of them."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PLACE = ROOT / "course" / "09_faster"
spec = importlib.util.spec_from_file_location("record", PLACE / "record.py")
record = importlib.util.module_from_spec(spec)
spec.loader.exec_module(record)


def written(sources):
    return [line for source in sources for line in source.splitlines() if line.strip()]


@pytest.fixture(scope="module")
def recorded():
    return json.loads(record.TARGET.read_text("utf-8"))


def test_the_lesson_holds_what_was_recorded_line_by_line(recorded):
    assert written(recorded["cells"]) == written(record.cells())
    assert "extern" in "".join(record.cells())


def test_every_table_was_recorded_and_on_a_device(recorded):
    assert recorded["tables"].keys() == {table.__name__ for table in record.TABLES}
    assert all(isinstance(table, list) and table for table in recorded["tables"].values())
    assert recorded["device"]
    assert recorded["command"] == record.COMMAND
    assert recorded["versions"]["cupy"].startswith("14.")


def test_the_lessons_marked_cells_run_by_themselves():
    own = record.lessons_own()
    x, ones = record.drawn(3, 5), record.np.ones(5)
    assert abs(own["layer_norm"](record.np, x, ones, ones).mean() - 1) < 1e-5
    assert own["median_ms"](lambda: None, rounds=1) >= 0


def test_without_a_gpu_it_says_so_in_a_sentence():
    code = "import sys; sys.modules['cupy'] = None; sys.argv = ['record.py']; import runpy; "
    code += f"runpy.run_path({str(PLACE / 'record.py')!r}, run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert "this needs a GPU and CuPy" in done.stderr
    assert "Traceback" not in done.stderr
