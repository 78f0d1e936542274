"""The process that watches over a notebook's own: it waits, counts, ends it where it must, and goes on behind it."""

import contextlib
import json
import os
import secrets
import select
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from . import reading

RESTARTS = 5  # after so many cells that end their process the rest is given up
SAID = 5_000_000  # bytes that a notebook's process may report


@dataclass(frozen=True)
class Limits:
    """What a notebook may use: seconds for a cell and in all, megabytes of memory, processes."""

    cell: float = 60.0
    seconds: float = 600.0
    memory: int = 4000
    processes: int = 8


def results(path, limits):
    """For each exercise of a notebook (id, points, of how many, words, remarks), or a line with the reason."""
    if os.name != "posix":
        raise RuntimeError("grading needs a POSIX system, such as Linux or macOS; on Windows use WSL")
    try:
        return _results(path, limits)
    except Exception as error:  # one notebook never ends the class
        return [("", 0, 0, f"The notebook cannot be graded: {type(error).__name__}: {error}", "")]


def _results(path, limits):
    try:
        notebook = reading.read(path)
    except ValueError as error:
        return [("", 0, 0, f"The notebook cannot be read: {error}", "")]
    tasks, found, remarks, skip = reading.tasks_of(notebook), {}, [], []
    for _ in range(RESTARTS):
        end = _run(path, notebook, tasks, skip, limits, found, remarks)
        if end is None:
            break
        cell, why = end
        remarks.append(f"cell {cell + 1} {why}" if cell is not None else f"the notebook {why}")
        if cell is None or cell in skip:
            break
        skip.append(cell)
    else:
        remarks.append("the rest was given up")
    said = "; ".join(dict.fromkeys(remarks))
    lines = []
    for task in tasks:
        passed, words = found.get(task.id, (False, "It was not reached."))
        lines.append((task.id, task.level if passed else 0, task.level, words, said))
    lines += [(id, 0, points, "For a person to read.", said) for id, points in reading.written(notebook)]
    return lines or [("", 0, 0, "There is no exercise of the course in this notebook.", said)]


def _run(path, notebook, tasks, skip, limits, found, remarks):
    """One life of the notebook's process; None if it came to the end, else (cell or None, why it did not)."""
    nonce = secrets.token_hex(8)
    at = None
    with tempfile.TemporaryDirectory(prefix="grading-") as scratch:
        read, write = os.pipe()
        order = {"nonce": nonce, "cells": reading.code_cells(notebook), "tasks": [t.id for t in tasks], "skip": skip}
        order |= {"limits": asdict(limits), "folder": str(Path(path).parent), "scratch": scratch, "out": write}
        environment = {**os.environ, "DDL_PROGRESS": "", "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-m", "ddl.course.grading.child"]
        quiet = subprocess.DEVNULL
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=quiet,
            stderr=quiet,
            cwd=scratch,
            pass_fds=[write],
            start_new_session=True,
            env=environment | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        os.close(write)
        try:
            process.stdin.write(json.dumps(order).encode())
            process.stdin.close()
            for line in _lines(read, process, limits):
                if line is None:
                    return at, "was not done in time, and was ended"
                if line == "":
                    return at, f"started more than {limits.processes} processes, and was ended"
                if not line.startswith(nonce):
                    continue
                kind, *rest = json.loads(line[len(nonce) :])
                if kind == "done":
                    return None
                if kind == "cell":
                    at = rest[0]
                elif kind == "checked":
                    found[rest[0]] = (rest[1], rest[2])
                elif kind == "remark":
                    remarks.append(rest[0])
            return at, f"ended its process{_how(process.wait())}"
        finally:
            _end(process)
            os.close(read)


def _lines(read, process, limits):
    """The lines that come, None when the time is over, the empty one when there are too many processes."""
    buffer, total, stop = b"", 0, time.monotonic() + limits.seconds
    while True:
        ready, _, _ = select.select([read], [], [], 0.2)
        if ready:
            data = os.read(read, 65536)
            if not data:
                return
            total += len(data)
            buffer += data if total <= SAID else b""
            *lines, buffer = buffer.split(b"\n")
            yield from (line.decode(errors="replace") for line in lines if line)
        if time.monotonic() > stop:
            yield None
        if len(descendants(process.pid)) > limits.processes:
            yield ""


def descendants(pid):
    """The processes that stem from this one, those that left its group as well."""
    children = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            fields = entry.read_text().rpartition(")")[2].split()
            children.setdefault(int(fields[1]), []).append(int(entry.parent.name))
    found = [pid]
    for parent in found:
        found += children.get(parent, [])
    return found[1:]


def _end(process):
    """End a process and all that stem from it."""
    family = [*descendants(process.pid), process.pid]
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    for pid in family:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    process.wait()


def _how(status):
    if status < 0:
        return f" ({signal.Signals(-status).name})"
    return f" (exit status {status})" if status else ""
