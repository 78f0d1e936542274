"""A check looks at the learner's own object, in words, and outlives whatever that does."""

import contextlib
import random
import subprocess
import sys
import threading
import time
from dataclasses import replace

import numpy as np
import pytest

import ddl
from ddl.course import check, kept
from ddl.course.check import checked
from ddl.course.task import Mistake, Task, itself, once, parts
from ddl.course.tasks import every, find

X = np.arange(6.0).reshape(2, 3)
TASK = Task(
    "99.total",
    "The sum of each row",
    "total",
    lambda x: x.sum(1),
    lambda: {"two rows": (X,), "one row": (X[:1],), "square": (X[:, :2],)},
    ("first", "second", "third"),
    (Mistake("the other axis", "Axis 0 runs down the rows.", lambda x: x.sum(0)),),
    seconds=0.3,
)


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("DDL_PROGRESS", str(tmp_path / "progress"))
    return tmp_path / "progress"


def said(answer, task=TASK):
    report = checked(task, answer)
    assert not report.passed
    assert not report
    assert "not yet" in repr(report)
    assert report._repr_html_().count("<table") == report._repr_html_().count("</table")
    return repr(report)


def test_a_right_answer_passes_however_it_is_written():
    for answer in (lambda x: x.sum(axis=-1), lambda rows: np.array([sum(row) for row in rows])):
        report = checked(TASK, answer)
        assert report.passed
        assert repr(report) == "99.total passed: The sum of each row. All 3 cases are right."


def test_a_wrong_answer_is_shown_beside_the_right_one():
    text = said(lambda x: x.sum(1) * [1.0] + (len(x) == 2))
    assert text.splitlines() == [
        "99.total not yet: The sum of each row. 1 of 3 cases is right.",
        "  case      two rows",
        "  x         array [[0., 1., 2.],",
        "             [3., 4., 5.]]",
        "  expected  array [ 3., 12.]",
        "  got       array [ 4., 13.]",
        "            2 of 2 numbers differ; at [0] 4 came where 3 was expected",
        'For a hint: hint("99.total")',
    ]


def test_a_known_mistake_is_named():
    assert "This is a known mistake: the other axis. Axis 0 runs down the rows." in said(lambda x: x.sum(axis=0))
    assert "known mistake" not in said(lambda x: x.sum(1) + 1)


def test_a_known_mistake_is_named_whatever_kind_of_number_it_comes_as():
    largest = Mistake("the largest", "It should be the sum.", lambda x: float(x.max()))
    task = replace(TASK, right=lambda x: float(x.sum()), mistakes=(largest,))
    for answer in (lambda x: x.max(), lambda x: int(x.max())):
        assert "known mistake: the largest" in said(answer, task)


def test_what_a_probe_cannot_look_at_is_said_in_a_sentence():
    task = replace(TASK, probe=lambda answer, x: parts(answer(x), "sum", "count"), right=lambda x: (x.sum(), len(x)))
    assert "2 values were expected, sum, count, but 3 values came" in said(lambda x: (1, 2, 3), task)
    assert "2 values were expected, sum, count, but a number came" in said(lambda x: 1, task)
    assert "it raised" not in said(lambda x: 1, task)


def test_where_a_probe_looks_at_the_answer_the_inputs_have_its_names():
    task = replace(TASK, probe=lambda answer, rows: answer(rows))
    assert "  rows      array [[0., 1., 2.]," in said(lambda x: x.sum(0), task).splitlines()


def loop(x):
    while True:
        pass


def stubborn(x):
    while True:
        with contextlib.suppress(Exception):
            time.sleep(0.01)


def raising(error):
    def answer(x):
        raise error

    return answer


def deep(x):
    return deep(x)


def loud(x):
    print("noise " * 200_000)
    return x


def changing(x):
    x *= 2
    return x.sum(1) / 2


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (raising(NotImplementedError), "Nothing is written yet: fill in `total` above"),
        (None, "`total` has no answer yet"),
        (..., "`total` has no answer yet"),
        (3, "`total` should be a function, but it is int"),
        (loop, "it was not done after 0.3 seconds: does a loop never end?"),
        (stubborn, "it was not done after 0.3 seconds"),
        (raising(ValueError("no <b>luck</b>")), "it raised ValueError: no <b>luck</b>"),
        (raising(SystemExit(3)), "it raised SystemExit: 3"),
        (raising(MemoryError()), "it raised MemoryError"),
        (deep, "it raised RecursionError"),
        (loud, "(1,200,001 characters in all)"),
        (lambda x: None, "an array was expected, but None came: is there a return?"),
        (changing, "the result is right, but an input came out changed: work on a copy"),
        (lambda x, y: x, "it raised TypeError"),
    ],
)
def test_whatever_an_answer_does_is_said(answer, words, capsys):
    assert words in said(answer)
    assert capsys.readouterr().out == ""
    assert checked(TASK, TASK.right).passed


def test_markup_of_a_learner_stays_text():
    html = checked(TASK, raising(ValueError("<script>x</script>")))._repr_html_()
    assert "&lt;script&gt;" in html
    assert "<script>" not in html


def test_the_inputs_are_copies():
    before = X.copy()
    checked(TASK, changing)
    np.testing.assert_array_equal(X, before)
    assert checked(replace(TASK, changes=True), changing).passed


def test_a_prediction_is_not_given_away():
    task = Task("99.guess", "How many", "guess", 4_294_967_297, once, ("", "", ""), probe=itself)
    text = said(5, task)
    assert "that is not it" in text
    assert "4294967297" not in text + checked(task, 5)._repr_html_()
    assert "a whole number was expected, but 5.5 is a float" in said(5.5, task)
    assert "a number was expected, but a text came" in said("5", task)
    assert checked(task, 4_294_967_297).passed
    both = replace(task, right={"shape": (4, 3), "size": 12})
    assert "that is not it" in said({"shape": (3, 4), "size": 12}, both)
    assert "at 'shape': a tuple was expected, but a list came" in said({"shape": [4, 3], "size": 12}, both)
    assert "the keys are 'shape', but 'shape', 'size' were expected" in said({"shape": (4, 3)}, both)


def test_several_things_are_checked_together():
    task = replace(
        TASK,
        answer=("forward", "vjp"),
        right=(lambda x: x * x, lambda g, x: 2 * g * x),
        probe=lambda both, x: (both[0](x), both[1](np.ones_like(x), x)),
        mistakes=(),
    )
    assert checked(task, (lambda x: x**2, lambda g, x: g * x + x * g)).passed
    assert "value 2" in said((lambda x: x**2, lambda g, x: g * x), task)
    assert "This exercise takes 2 things: forward, vjp." in said(lambda x: x, task)


def test_the_learners_object_is_what_is_called():
    calls = []

    def spy(x):
        calls.append(x.copy())
        return TASK.right(x)

    assert checked(TASK, spy).passed
    assert [x.tolist() for x in calls] == [x.tolist() for (x,) in TASK.cases().values()]


@pytest.mark.parametrize("answer", [loop, stubborn])
def test_a_thread_is_stopped_as_well_and_no_other(answer):
    found = []
    thread = threading.Thread(
        target=lambda: found.extend((checked(TASK, answer), checked(TASK, TASK.right))), daemon=True
    )
    thread.start()
    thread.join(20)
    slow, right = found
    assert "it was not done after 0.3 seconds" in repr(slow)
    assert right.passed


def test_an_input_that_cannot_be_compared_has_not_changed():
    task = replace(TASK, right=lambda x, f: x.sum(1) * f.random(), cases=lambda: {"one": (X, random.Random(3))})
    assert checked(task, lambda x, f: x.sum(1) * f.random()).passed


@pytest.fixture
def task():
    return next(iter(every().values()))


def test_an_answer_is_found_by_its_name(task):
    names = {"check": check, "id": task.id}
    report = eval("check(id)", names)
    assert "not known in this session: run the cell above again" in repr(report)
    names |= dict(zip(task.names, [task.right] if len(task.names) == 1 else task.right))
    assert eval("check(id)", names).passed
    assert kept.read(task.id) | {"first_passed": "", "last_tried": "", "answer": ""} == {
        **kept.EMPTY,
        "passed": True,
        "tries": 2,
    }


def test_an_exercise_that_is_not_there_is_refused(task):
    with pytest.raises(ValueError, match=f"there is no exercise '{task.id}x': did you mean {task.id}"):
        check(task.id + "x")
    with pytest.raises(ValueError, match="there is no exercise"):
        check("77")
    assert find(task.id) is task


def test_checking_needs_no_widget():
    code = "import sys, ddl.course; sys.exit(any(m in sys.modules for m in ('matplotlib', 'anywidget', 'IPython')))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_tensors_are_compared_as_tensors():
    task = replace(TASK, right=lambda x: ddl.tensor(x) * 2.0)
    assert "a tensor was expected, but an array came" in said(lambda x: x * 2.0, task)
    assert checked(task, lambda x: ddl.tensor(x) + ddl.tensor(x)).passed
