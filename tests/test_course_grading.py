"""Notebooks of a class, honest and hostile: each grade is right, or nothing with a reason, and nothing is lost."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ddl.course.grading import Limits, grade, reading
from ddl.course.grading.supervise import descendants
from ddl.course.tasks import of_chapter

pytestmark = pytest.mark.skipif(os.name != "posix", reason="grading needs a POSIX system")

LIMITS = Limits(cell=1.5, seconds=20.0, memory=3000, processes=8)
TASKS = of_chapter("01")
RIGHT = "def product_slopes(a, b):\n    return b, a"
ASK = 'check("01.product")'
LAST = "def tanh_slope(out):\n    return 1 - out * out"
ASK_LAST = 'check("01.tanh")'
START = "from ddl.course import check\nimport numpy as np\nimport os, sys"


def notebook(path, *cells):
    made = [{"cell_type": "code", "metadata": {}, "source": c, "outputs": [], "execution_count": None} for c in cells]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))


def graded(tmp_path, *cells, limits=LIMITS):
    """The grades of one notebook, by exercise."""
    notebook(tmp_path / "class" / "a.ipynb", START, *cells)
    found = grade(tmp_path / "class", tmp_path / "grades.csv", limits, say=lambda _: None)
    there = {path.name for path in (tmp_path / "class").glob("*.ipynb")}
    assert {row["notebook"] for row in csv.DictReader((tmp_path / "grades.csv").open())} == there
    return {g.exercise: g for g in found}


def test_an_honest_notebook_gets_its_points_and_words(tmp_path):
    found = graded(tmp_path, RIGHT, ASK, "def tanh_slope(out):\n    return 1 + out * out", ASK_LAST)
    assert [*found] == [*TASKS]
    assert (found["01.product"].points, found["01.product"].of) == (1, 1)
    assert found["01.tanh"].points == 0
    assert "This is a known mistake: a plus for the minus." in found["01.tanh"].words
    assert found["01.fit"].words == "There is no answer."
    assert {g.remarks for g in found.values()} == {""}


def test_cells_that_ask_were_deleted_and_the_answers_count(tmp_path):
    notebook(tmp_path / "class" / "01_mine.ipynb", RIGHT, LAST)
    found = grade(tmp_path / "class", None, LIMITS, say=lambda _: None)
    assert {g.exercise for g in found if g.points} == {"01.product", "01.tanh"}


HOSTILE = {
    "an endless loop": ("while True:\n    pass", "cell 4 was not done in time"),
    "a loop that lets nothing through": (
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        "the notebook was not done in time|cell 4 was not done in time",
    ),
    "an answer that hangs": ("def divide(a, b):\n    while True: pass", ""),
    "sys.exit": ("sys.exit(0)", "cell 4 raised SystemExit"),
    "an interrupt": ("raise KeyboardInterrupt", "cell 4 raised KeyboardInterrupt"),
    "os._exit": ("os._exit(0)", "cell 4 ended its process"),
    "a crash": ("import ctypes; ctypes.string_at(0)", "cell 4 ended its process (SIGSEGV)"),
    "a kill": ("import signal; os.kill(os.getpid(), signal.SIGKILL)", "cell 4 ended its process (SIGKILL)"),
    "a kill of the grader": (
        "import signal; os.kill(os.getppid(), signal.SIGKILL)",
        "sends signals to other processes, which was refused",
    ),
    "a kill of the grader's group": (
        "import signal; os.killpg(os.getpgid(os.getppid()), signal.SIGKILL)",
        "sends signals to other processes, which was refused",
    ),
    "a kill by a name that lies": (
        "import signal\nos.getpid = os.getppid\nos.kill(os.getppid(), signal.SIGKILL)",
        "sends signals to other processes, which was refused",
    ),
    "a kill by a handle": (
        "import signal; signal.pidfd_send_signal(os.pidfd_open(os.getppid()), signal.SIGKILL)",
        "cell 4 raised AttributeError",
    ),
    "a kill in C": (
        "import ctypes; ctypes.CDLL(None).kill(os.getppid(), 9)",
        "looks for the C library's kill",
    ),
    "a connection": ("import socket; socket.socket().connect(('127.0.0.1', 1))", "connects to ('127.0.0.1', 1)"),
    "half a character": ("def divide(a, b): raise ValueError('\\ud800')", ""),
    "much output": ("for _ in range(100): print('x' * 1_000_000)", ""),
    "much memory": ("x = bytearray(10**11)", "cell 4 raised MemoryError"),
    "a fork bomb": ("while True: os.fork()", "starts other processes, which was refused"),
    "a command": ("import subprocess; subprocess.Popen(['sleep', '60'])", "starts other processes, which was refused"),
    "a syntax error": ("def broken(:", "cell 4 raised SyntaxError"),
    "another check": ("def check(*_): return True", ""),
    "another grader": (
        "c = sys.modules['ddl.course.check']\nc.checked = lambda *_: True\nc.difference = lambda *_: ''",
        "changes ddl.course.check.checked, which was put back",
    ),
    "another numpy": ("np.isclose = np.allclose = lambda *a, **k: True", "changes numpy.isclose, which was put back"),
    "another sum": ("import builtins\nbuiltins.sum = lambda *_: 0", "changes builtins.sum, which was put back"),
    "another method": ("import ddl\nddl.Scalar.__add__ = None", "changes Scalar.__add__, which was put back"),
    "another body": (
        "import ddl.course.compare as c\nc.difference.__code__ = (lambda *_, **__: '').__code__",
        "changes ddl.course.compare.difference.__code__, which was put back",
    ),
    "other defaults": (
        "import ddl.course.compare as c\nc.difference.__defaults__ = ('',)",
        "changes ddl.course.compare.difference.__defaults__, which was put back",
    ),
    "another inside of numpy": (
        "np.isclose.__wrapped__.__code__ = (lambda *_, **__: True).__code__",
        "isclose.__code__, which was put back",
    ),
    "another task": (
        "from ddl.course.tasks import find\nfor t in ('01.fit', '01.divide'):\n"
        "    object.__setattr__(find(t), 'probe', lambda *_: 0)",
        "changes exercise 01.divide.probe, which was put back",
    ),
    "another probe within": (
        "from ddl.course.tasks import find\nfind('01.divide').right.__code__ = (lambda *_: 0).__code__",
        "__code__, which was put back",
    ),
    "another op": ("import ddl\nddl.ops.mul.run = lambda *_: 0", "changes ddl.ops.mul.run, which was put back"),
    "an op that stays worn": (
        "import ddl\nfrom ddl.course.wearing import wearing\n"
        "worn = wearing(ddl.ops.mul, lambda x, y: x, lambda g, x, y: (g, g))\nworn.__enter__()",
        "changes ddl.ops.mul.forward, which was put back",
    ),
    "threads": ("import threading\nfor _ in range(5): threading.Thread(target=input, daemon=True).start()", ""),
    "IPython's own": ("%matplotlib inline\n!rm -rf /\nz = 1", ""),
    "a recursion": ("def f(): return f()\nf()", "cell 4 raised RecursionError"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_cell_costs_no_more_than_itself(tmp_path, name):
    cell, remark = HOSTILE[name]
    limits = Limits(cell=1.5, seconds=6.0, memory=3000, processes=8) if "lets nothing" in name else LIMITS
    found = graded(tmp_path, RIGHT, ASK, cell, LAST, ASK_LAST, limits=limits)
    assert found["01.product"].points == 1
    assert found["01.tanh"].points == 2
    assert found["01.fit"].points == found["01.divide"].points == 0
    said = found["01.product"].remarks
    assert any(r in said for r in remark.split("|")), said
    assert descendants(os.getpid()) == []


def test_a_grade_is_not_got_by_a_cheat(tmp_path):
    cheat = "import ddl.course.tasks.chapter_01.slopes as s\ns.TASKS.clear()\ns.product_slopes = lambda a, b: (0, 0)"
    found = graded(tmp_path, cheat, "def product_slopes(a, b):\n    return 0, 0", ASK, RIGHT, "np.isclose = 1")
    assert found["01.product"].points == 0
    assert found["01.tanh"].points == 0


CHEATS = {
    "the comparison": "import ddl.course.compare as c\nc.difference.__code__ = (lambda *_, **__: '').__code__",
    "the probe": "from ddl.course.tasks import find\nvars(find('01.product'))['probe'] = lambda *_: 0",
    "numpy's inside": "np.isclose.__wrapped__.__code__ = (lambda *_, **__: np.True_).__code__",
}


@pytest.mark.parametrize("name", CHEATS)
def test_a_changed_check_passes_nothing_and_is_remarked(tmp_path, name):
    found = graded(tmp_path, CHEATS[name], "def product_slopes(a, b):\n    return 0.0, 0.0", ASK)
    assert found["01.product"].points == 0
    assert "which was put back" in found["01.product"].remarks


ODD = [None, "abc", [], {}, 1e400, True]


@pytest.mark.parametrize("points", ODD, ids=str)
def test_odd_points_end_nothing(tmp_path, points):
    notebook(tmp_path / "class" / "0.ipynb", START, RIGHT, ASK)
    made = json.loads((tmp_path / "class" / "0.ipynb").read_text())
    about = {"nbgrader": {"grade": True, "grade_id": "words-\ud800", "points": points}}
    made["cells"].append({"cell_type": "markdown", "metadata": about, "source": "mine"})
    (tmp_path / "class" / "0.ipynb").write_text(json.dumps(made))
    found = grade(tmp_path / "class", tmp_path / "grades.csv", LIMITS, say=lambda _: None)
    assert sum(g.points for g in found) == 1
    assert found[-1].words == "For a person to read."
    assert "words.\\ud800" in (tmp_path / "grades.csv").read_text()


def test_what_nobody_thought_of_costs_one_notebook(tmp_path, monkeypatch):
    for name in "01":
        notebook(tmp_path / "class" / f"{name}.ipynb", START, RIGHT, ASK)
    known = reading.tasks_of
    monkeypatch.setattr(reading, "tasks_of", lambda n: known(n) if n["name"] == "1.ipynb" else 1 / 0)
    found = grade(tmp_path / "class", None, LIMITS, say=lambda _: None)
    assert found[0].words == "The notebook cannot be graded: ZeroDivisionError: division by zero"
    assert sum(g.points for g in found) == 1


def test_what_lies_outside_is_read_with_a_remark_and_never_changed(tmp_path):
    other = tmp_path / "class" / "theirs.txt"
    notebook(other, "1")
    before = other.read_bytes()
    (tmp_path / "secret.txt").write_text("key")
    cells = [
        f"open({str(tmp_path / 'secret.txt')!r}).read()",
        f"open({str(other)!r}, 'w').write('gone')",
        f"os.remove({str(other)!r})",
        f"os.rename({str(other)!r}, 'mine')",
        "open('mine.txt', 'w').write('here I may')",
    ]
    found = graded(tmp_path, *cells, RIGHT, ASK)
    assert other.read_bytes() == before
    assert found["01.product"].points == 1
    said = found["01.product"].remarks
    assert f"reads {os.path.realpath(tmp_path / 'secret.txt')}" in said
    assert f"writes to {os.path.realpath(other)}, which was refused" in said
    assert f"changes {os.path.realpath(other)}, which was refused" in said
    assert "mine.txt" not in said
    assert not (tmp_path / "class" / "mine.txt").exists()


@pytest.mark.parametrize(
    "text", ["", "{", "[1]", '{"cells": 3}', "\x00\x01", "[" * 100_000, '{"cells": [3, {"cell_type": "code"}]}']
)
def test_what_is_no_notebook_says_so_and_the_others_are_graded(tmp_path, text):
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "0.ipynb").write_text(text)
    notebook(tmp_path / "class" / "1.ipynb", START, RIGHT, ASK)
    found = grade(tmp_path / "class", None, LIMITS, say=lambda _: None)
    assert "cannot be read" in found[0].words or "no exercise" in found[0].words
    assert sum(g.points for g in found) == 1


def test_the_command_writes_a_table_and_says_what_is_wrong(tmp_path):
    notebook(tmp_path / "class" / "=a.ipynb", START, RIGHT, ASK)
    command = [sys.executable, "-m", "ddl.course", "grade"]
    place = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    done = subprocess.run([*command, str(tmp_path / "class")], cwd=tmp_path, env=place, capture_output=True, text=True)
    assert done.stdout.splitlines() == ["=a.ipynb: 1 of 15 points", "The grades are in grades.csv."]
    rows = [*csv.DictReader((tmp_path / "grades.csv").open())]
    assert rows[0]["notebook"] == "'=a.ipynb"
    assert [row["exercise"] for row in rows] == [*TASKS]
    for folder, words in ((tmp_path / "nowhere", "is none"), (tmp_path, "")):
        done = subprocess.run([*command, str(folder)], cwd=tmp_path, env=place, capture_output=True, text=True)
        assert words in done.stderr
        assert "Traceback" not in done.stderr
