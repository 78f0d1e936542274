"""kill -9 at random and at hard moments: a run that is taken up equals one that never stopped, to the last bit."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from runs import STEPS, run, told

from ddl.checkpoint import checkpoints, newest

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no kill -9")
TESTS = Path(__file__).resolve().parent
ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join([str(TESTS.parent), str(TESTS)])}


def start(folder, kind, *moment):
    command = [sys.executable, str(TESTS / "runs.py"), str(folder), kind, *map(str, moment)]
    return subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(process):
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return json.loads(out.splitlines()[-1])


@pytest.fixture(scope="module", params=["adamw", "sgd"])
def kind(request):
    return request.param


@pytest.fixture(scope="module")
def uninterrupted(kind, tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    whole = finish(start(folder, kind))
    assert (whole["begun"], whole["step"]) == (0, STEPS)
    assert sum("held_out" in line for line in whole["history"]) == STEPS // 5
    return whole["history"]


MOMENTS = [
    ("step", 2),  # before there is a checkpoint
    ("write", 3),  # the first checkpoint half written
    ("step", 8),
    ("write", 12),
    ("fsync", 15),  # written, not yet named
    ("replace", 18),
    ("replaced", 21),  # named, older ones still there
    ("unlink", 27),
    ("step", 29),  # in the second epoch
    ("write", 40),  # the last one
]


def test_killed_at_hard_moments_and_taken_up(kind, uninterrupted, tmp_path):
    for moment, at in MOMENTS:
        process = start(tmp_path, kind, moment, at)
        _, err = process.communicate(timeout=120)
        assert process.returncode == -signal.SIGKILL, (moment, at, err)
        named = at if moment in ("replaced", "unlink") else (at - 1) // 3 * 3
        assert max(checkpoints(tmp_path), default=0) == named, (moment, at)
    assert len(list(tmp_path.glob(".*"))) == 5, "every draft that was cut short is still there"
    last = finish(start(tmp_path, kind))
    assert last["begun"] == 39
    assert last["history"] == uninterrupted


def test_what_killed_writes_left_is_passed_over_and_then_removed(kind, tmp_path):
    start(tmp_path, kind, "write", 12).communicate(timeout=120)
    (draft,) = tmp_path.glob(".*")
    assert newest(tmp_path).name == "step-9.safetensors"
    assert 0 < draft.stat().st_size < newest(tmp_path).stat().st_size
    trainer = run(tmp_path, kind)
    assert trainer.resume() == 9
    trainer.save()
    assert draft.exists(), "it is new, and might be another process's"
    long_ago = time.time() - 3600
    os.utime(draft, (long_ago, long_ago))
    trainer.save()
    assert sorted(os.listdir(tmp_path)) == ["step-6.safetensors", "step-9.safetensors"]


def test_killed_at_random_moments_and_taken_up(kind, uninterrupted, tmp_path):
    chance = random.Random(7 if kind == "adamw" else 8)
    for _ in range(4):
        process = start(tmp_path, kind)
        lines = chance.randrange(1, 12)
        for _ in range(lines):
            process.stdout.readline()
        time.sleep(chance.random() * 0.02)
        process.kill()
        process.communicate()
    last = finish(start(tmp_path, kind))
    assert last["history"] == uninterrupted


def test_this_process_and_another_one_train_alike(kind, uninterrupted, tmp_path):
    generate = lambda t: t.model.generate([1, 2], 3) if t.step % 6 == 0 else None
    history = run(tmp_path, kind).fit(STEPS, eval_every=5, save_every=3, progress=False, on_step=generate)
    assert told(history) == uninterrupted


def test_an_interrupt_lets_the_step_finish_keeps_a_checkpoint_and_returns_the_history(kind, uninterrupted, tmp_path):
    process = start(tmp_path, kind, "wait", 7)
    for _ in range(7):
        process.stdout.readline()
    process.send_signal(signal.SIGINT)
    stopped = finish(process)
    assert (stopped["step"], stopped["history"]) == (7, uninterrupted[:7])
    assert newest(tmp_path).name == "step-7.safetensors"
    last = finish(start(tmp_path, kind))
    assert last["begun"] == 7
    assert last["history"] == uninterrupted


@pytest.mark.parametrize("moment", ["step", "write", "fsync", "replaced", "unlink"])
def test_what_listens_to_the_held_out_loss_is_taken_up_too(moment, tmp_path):
    """Plateau schedule, early stopping, the best checkpoint and a prefetch thread: all goes on, to the last bit."""
    whole = finish(start(tmp_path / "whole", "watched"))
    assert (whole["begun"], whole["step"]) == (0, 35)
    folder = tmp_path / "killed"
    for at in (10, 24, 30):
        process = start(folder, "watched", moment, at)
        _, err = process.communicate(timeout=120)
        assert process.returncode == -signal.SIGKILL, (moment, at, err)
    last = finish(start(folder, "watched"))
    assert 27 <= last["begun"] <= 30
    assert last | {"begun": 0} == whole
    assert list(checkpoints(folder)) == list(checkpoints(tmp_path / "whole")) == [30, 33, 35]
