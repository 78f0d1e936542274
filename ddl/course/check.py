"""`check("03.mul")`: the learner's answer beside the right one, and an answer in words."""

import copy
import inspect
import linecache
import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from . import kept
from .compare import difference, kind
from .limits import Outcome, TooSlow, run
from .report import NOTHING, Report, Row
from .task import Malformed, Task, called, itself
from .tasks import find


def check(id: str, *answer: Any) -> Report:
    """Whether an exercise is solved, in words; `bool(check(..))` is True where it is.

    The answer is what the notebook binds to the name that the exercise gives it, or what is handed over here:
    `check("03.mul", mine)`. It runs on copies of the exercise's inputs, for a limited time; whatever it prints or
    raises is shown and hurts nothing. ValueError if there is no such exercise. Where nbgrader runs the notebook,
    an unsolved exercise raises NotSolved with the same words, since an error is what nbgrader grades by.
    """
    task = find(id)
    if answer:
        found = answer if len(task.names) > 1 else answer[0]
    else:
        found = _named(task, _names(sys._getframe(1).f_globals))
    report = checked(task, found)
    kept.record(task, report.passed, _source(found))
    if os.environ.get("NBGRADER_EXECUTION") and not report.passed:
        raise NotSolved(repr(report))
    return report


def checked(task: Task, answer: Any) -> Report:
    """The report on an answer, which nothing remembers."""
    report = Report(task.id, task.title)
    if isinstance(answer, Missing):
        return replace(report, trouble=str(answer))
    if trouble := _unfit(task, answer):
        return replace(report, trouble=trouble)
    rows, outcomes = [], []
    for name, inputs in task.cases().items():
        expected = task.probe(task.right, *copy.deepcopy(inputs))
        out = run(task.probe, answer, *inputs, seconds=task.seconds, fixed=1)
        got = out.value if out.error is None else NOTHING
        wrong, told = _wrong(task, out, expected), expected
        if task.probe is itself:  # a prediction is not given away
            told, wrong = NOTHING, wrong and (wrong if _of_form(wrong) else "that is not it")
        rows.append(Row(name, _inputs(task, inputs), told, got, wrong, _printed(out)))
        outcomes.append(out)
        if isinstance(out.error, TooSlow):
            break
    if all(isinstance(error, NotImplementedError) for error in (out.error for out in outcomes)):
        names = " and ".join(f"`{name}`" for name in task.names)
        return replace(report, trouble=f"Nothing is written yet: fill in {names} above, run that cell, then this one.")
    report = replace(report, rows=tuple(rows))
    return report if report.passed else replace(report, mistake=_mistake(task, rows, outcomes))


class NotSolved(AssertionError):
    """An exercise that is not solved, where somebody grades it."""


class Missing(str):
    """Why there is no answer."""


def _names(globals: dict[str, Any]) -> Mapping[str, Any]:
    """The names of the notebook: of IPython where it runs, else of whoever called."""
    shell = sys.modules.get("IPython") and sys.modules["IPython"].get_ipython()
    return shell.user_ns if shell else globals


def _named(task: Task, names: Mapping[str, Any]) -> Any:
    missing = [f"`{name}`" for name in task.names if name not in names]
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        them = "it" if len(missing) == 1 else "them"
        return Missing(
            f"{' and '.join(missing)} {verb} not known in this session: "
            f"run the cell above again, which defines {them}, then this one."
        )
    found = tuple(names[name] for name in task.names)
    return found if len(found) > 1 else found[0]


def _unfit(task: Task, answer: Any) -> str:
    """Why an answer cannot be tried at all, in a sentence."""
    parts = answer if len(task.names) > 1 else (answer,)
    rights = task.right if len(task.names) > 1 else (task.right,)
    if not isinstance(parts, tuple) or len(parts) != len(rights):
        return f"This exercise takes {len(rights)} things: {', '.join(task.names)}."
    for name, part, right in zip(task.names, parts, rights):
        if part is ... or (part is None and right is not None):
            empty = "..." if part is ... else part
            return f"`{name}` has no answer yet: put yours in the place of {empty}, run that cell, then this one."
        if callable(right) and not callable(part):
            kind = "class" if isinstance(right, type) else "function"
            return f"`{name}` should be a {kind}, but it is {type(part).__name__}: run the cell that defines it again."
    return ""


def _inputs(task: Task, inputs: tuple) -> dict[str, Any]:
    """The inputs by the names that the right answer has for them, or what looks at the answer."""
    if task.probe is called:
        names = [*inspect.signature(task.right).parameters]
    else:
        names = [*inspect.signature(task.probe).parameters][1:]
    if len(names) != len(inputs):
        names = ["input"] if len(inputs) == 1 else [f"input {i + 1}" for i in range(len(inputs))]
    return dict(zip(names, inputs))


def _wrong(task: Task, out: Outcome, expected: Any) -> str:
    if isinstance(out.error, TooSlow):
        return f"it was not done after {task.seconds:g} seconds: does a loop never end?"
    if isinstance(out.error, Malformed):
        return str(out.error)
    if out.error is not None:
        said = str(out.error).strip().splitlines()
        what = f"{type(out.error).__name__}{f': {said[0][:300]}' if said else ''}"
        return f"it raised {what}{_where(out.error)}"
    if said := difference(out.value, expected, task.rtol, task.atol):
        return said
    if out.changed and not task.changes:
        which = "an input" if len(out.changed) == 1 else "inputs"
        return f"the result is right, but {which} came out changed: work on a copy"
    return ""


def _of_form(wrong: str) -> bool:
    """Whether what is wrong is the kind of an answer, its keys or its length, and not a value."""
    return "was expected, but" in wrong or "were expected" in wrong


def _where(error: BaseException) -> str:
    """The last line of the learner's own code on the way to an error."""
    place = ""
    trace = error.__traceback__
    while trace:
        file = trace.tb_frame.f_code.co_filename
        if "ipykernel" in file or file.startswith("<"):
            line = linecache.getline(file, trace.tb_lineno).strip()
            place = f", in the line: {line}" if line else place
        trace = trace.tb_next
    return place


def _printed(out: Outcome) -> str:
    if out.length <= 120:
        return out.printed.strip()
    return f"{out.printed[:120].strip()} … ({out.length:,} characters in all)"


def _mistake(task: Task, rows: list[Row], outcomes: list[Outcome]) -> str:
    """The first known mistake that comes out as this answer does, wherever the answer is wrong."""
    failed = [(row, out) for row, out in zip(rows, outcomes) if row.wrong]
    for mistake in task.mistakes:
        for row, mine in failed:
            theirs = run(task.probe, mistake.wrong, *row.inputs.values(), seconds=task.seconds, fixed=1)
            if not _alike(mine, theirs, task):
                break
        else:
            return f"This is a known mistake: {mistake.name}. {mistake.why}"
    return ""


def _alike(mine: Outcome, theirs: Outcome, task: Task) -> bool:
    if mine.error is not None or theirs.error is not None:
        return type(mine.error) is type(theirs.error)
    same = kind(mine.value) == kind(theirs.value) and not difference(mine.value, theirs.value, task.rtol, task.atol)
    return same and mine.changed == theirs.changed


def _source(answer: Any) -> str:
    """The text of an answer, where there is one."""
    parts = answer if isinstance(answer, tuple) else (answer,)
    texts = []
    for part in parts:
        try:
            texts.append(inspect.getsource(part))
        except (OSError, TypeError):
            texts.append(repr(part)[:2000] + "\n")
    return "\n".join(texts)
