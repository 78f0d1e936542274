"""The training dashboard without a browser: it tells of a run, and pause, rate and stop reach the run."""

import json
import threading
import time

import numpy as np
import pytest

pytest.importorskip("anywidget")
pytest.importorskip("matplotlib")

from browser.live_cases import dashboard as filled

import ddl
from ddl.data import DataLoader, TensorDataset
from ddl.nn import functional as F
from ddl.optim import SGD, LambdaLR
from ddl.train import Record, Trainer
from ddl.train.record import LETTERS, POINTS, TEXTS, Curve
from ddl.widgets import dashboard
from ddl.widgets.demo import moons, network


def trainer(schedule=None):
    model, (x, y) = network(), moons()
    optimizer = SGD([{"params": model[0].parameters()}, {"params": model[2].parameters(), "lr": 0.02}], lr=0.1)
    schedule = schedule and schedule(optimizer)
    loader = DataLoader(TensorDataset(x, y), 50)
    loss = lambda model, batch: F.cross_entropy(model(ddl.Tensor(batch[0])), batch[1])
    return Trainer(model, optimizer, loader, held_out=loader, schedule=schedule, loss=loss)


def ask(widget, **asked):
    widget._handle_custom_msg({"ask": asked, "number": 1}, [])
    return widget.fault


def test_a_trainers_run_is_told():
    run = trainer()
    with dashboard(run) as board:
        run.fit(20, eval_every=5, progress=False, on_step=board)
    state = board.state
    assert (state["step"], state["status"], state["tokens"]) == (20, "ended", 20 * 50 * 2)
    assert state["loss"] == pytest.approx(run.history[-1]["loss"], rel=1e-3)
    assert [step for step, _ in state["curves"]["held_out"]] == [5, 10, 15, 20]
    losses = [line["loss"] for line in run.history]
    assert [x for _, x in state["curves"]["loss"]] == pytest.approx(losses, rel=1e-3)
    assert state["memory"] > 20
    assert f"loss {state['loss']}, held-out loss {state['held_out']}, learning rate 0.1" in board.words
    assert dashboard(run).state["curves"] == state["curves"]  # a run that is taken up again begins with its history


def test_a_loop_of_ones_own_is_told():
    with dashboard() as board:
        for _ in range(3):
            board.log(loss=2.5, tokens=10, seconds=0.5, memory=3e6, sample="<b>once</b>")
    assert board.words.splitlines()[:2] == [
        "Step 3, ended.",
        "loss 2.5, speed 20.0 tokens a second, seen 30 tokens, memory 3.0 MB.",
    ]
    assert board.words.endswith("Sample at step 3: <b>once</b>")


def test_speed_is_that_of_the_last_steps_above_all():
    record = Record()
    for step, seconds in enumerate([1.0, 1.0, 0.5], 1):
        record.note(step, tokens=10, seconds=seconds)
    assert record.report()["speed"] == pytest.approx(0.9 * 10 + 0.1 * 20)


@pytest.mark.parametrize("mean", [True, False])
def test_a_curve_is_bounded_and_true(mean):
    curve, values = Curve(mean), np.random.default_rng(0).normal(size=1003)
    for step, x in enumerate(values, 1):
        curve.add(step, x)
    points = curve.points()
    assert (curve.stretch, POINTS // 2 <= len(points) <= POINTS) == (8, True)
    steps = [*range(8, 1001, 8), 1003]
    assert [step for step, _ in points] == steps
    wanted = [values[max(0, s - 8) : s].mean() if s % 8 == 0 else values[1000:].mean() for s in steps]
    wanted = wanted if mean else [values[s - 1] for s in steps]
    assert [x for _, x in points] == pytest.approx(wanted, rel=1e-3)


def test_what_is_sent_and_kept_is_bounded():
    board = dashboard()
    for step in range(1, 3001):
        board.log(step, loss=1 / 3 / step, held_out=1.0, lr=1 / 7, tokens=1, sample="x" * 1000)
    board.catch_up()
    assert len(json.dumps(board.data)) < 30_000
    assert [text["step"] for text in board.data["texts"]] == [*range(3001 - TEXTS, 3001)]
    assert {len(text["text"]) for text in board.data["texts"]} == {LETTERS}


def test_a_loss_that_is_not_finite_is_told_in_words():
    board = dashboard()
    for loss in (1.0, float("nan"), float("inf")):
        board.log(loss=loss)
    board.catch_up()
    json.dumps(board.data, allow_nan=False)
    assert "loss inf" in board.words
    board.picture(board.state)


def test_a_new_rate_goes_to_all_groups_and_to_the_schedule():
    run = trainer(lambda optimizer: LambdaLR(optimizer, lambda step: 0.5))
    board = dashboard(run)
    assert ask(board, lr="0.1") == ""
    rates = lambda: [group["lr"] for group in run.optimizer.param_groups]
    assert rates() == pytest.approx([0.1, 0.02])  # the schedule had halved 0.1 and 0.02
    run.fit(2, progress=False, on_step=board)
    assert rates() == pytest.approx([0.1, 0.02])
    assert board.lr == 0.1
    free = dashboard()
    ask(free, lr=3)
    assert (free.lr, free.data["lr"]) == (3, 3)


@pytest.mark.parametrize("rate", ["fast", -1, float("nan"), float("inf"), None.__class__])
def test_a_rate_that_is_none_is_refused(rate):
    board = dashboard(optimizer=trainer().optimizer)
    assert "a learning rate is a number of 0 or more, but" in ask(board, lr=rate)
    assert board.optimizer.param_groups[0]["lr"] == 0.1


def test_stop_ends_a_fit_and_keeps_what_was_reached(capsys):
    run = trainer()
    board = dashboard(run)

    def step(trainer):
        if trainer.step == 3:
            ask(board, stop=True)
        board(trainer)

    run.fit(100, progress=False, on_step=step)
    assert (run.step, board.stopped, len(run.history)) == (3, True, 3)
    assert "stopped after step 3 of 100" in capsys.readouterr().out
    ask(board, stop=False)
    run.fit(5, progress=False, on_step=board)
    assert run.step == 5


def test_a_pause_waits_between_steps_until_it_is_over():
    board, ends = dashboard(), []
    ask(board, paused=True)
    assert board.data["status"] == "paused, no step yet"
    thread = threading.Thread(target=lambda: (board.log(loss=1.0), ends.append(board.record.step)), daemon=True)
    thread.start()
    wait_until(lambda: board.record.step == 1)
    assert thread.is_alive()
    assert ends == []
    ask(board, paused=False)
    thread.join(10)
    assert ends == [1]


@pytest.mark.parametrize("how", ["stop of the view", "interrupt of the trainer"])
def test_a_pause_can_be_left_by_a_stop(how):
    run = trainer()
    board = dashboard(run)
    ask(board, paused=True)
    thread = threading.Thread(target=lambda: run.fit(100, progress=False, on_step=board), daemon=True)
    thread.start()
    wait_until(lambda: board.record.step == 1)
    if how == "stop of the view":
        ask(board, stop=True)
    else:
        run.stop()
    thread.join(10)
    assert (run.step, thread.is_alive()) == (1, False)


def wait_until(true):
    end = time.monotonic() + 10
    while not true() and time.monotonic() < end:
        time.sleep(0.01)
    assert true()


def test_what_was_asked_for_is_not_overdrawn_by_an_older_state():
    board = dashboard()
    board.log(loss=1.0)
    board.log(loss=0.5)  # waits to be drawn
    ask(board, paused=True)
    board.catch_up()
    assert board.data["status"] == "paused"


def test_the_picture_follows_and_no_step_is_no_fault():
    empty, one, two = dashboard(), filled(1), filled(2)
    assert empty.words == "Step 0, running, no step yet."
    assert len({widget.picture(widget.state) for widget in (empty, one, two)}) == 3


@pytest.mark.parametrize("wrong", [{"trainer": 3}, {"optimizer": "sgd"}])
def test_what_trains_nothing_is_refused(wrong):
    with pytest.raises(TypeError, match=r"dashboard needs its \w+ to be of the type \w+, but \w+ was given"):
        dashboard(**wrong)


@pytest.mark.parametrize(
    ("known", "words"),
    [
        ({"step": "x", "loss": 1.0}, "needs step to be a whole number of 0 or more, but 'x'"),
        ({"loss": "a"}, "needs loss to be a number, but 'a' was given"),
        ({"los": 1.0}, "shows loss, held_out, lr, norm, tokens, seconds, memory and sample, but los was given"),
    ],
)
def test_what_is_no_number_of_a_step_is_refused(known, words):
    board = dashboard()
    with pytest.raises((TypeError, ValueError), match=words):
        board.log(**known)
    assert board.words == "Step 0, running, no step yet."
