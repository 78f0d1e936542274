"""What listens to the held-out loss, early stopping, a plateau schedule, the best checkpoint; and resuming with it."""

import math
import shutil

import numpy as np
import pytest
from fake_cupy import installed
from runs import STEPS, everything, run, told, watched

import ddl
from ddl import random
from ddl.checkpoint import checkpoints
from ddl.data import DataLoader
from ddl.optim import ReduceLROnPlateau
from ddl.train import EarlyStopping, Trainer, evaluate

# ---- alone


def model_of(value):
    model = ddl.nn.Linear(2, 1)
    model.weight.data[...] = value
    return model


def stops_at(values, **options):
    """After how many measurements it stops, and the place of the best."""
    stopping = EarlyStopping(**options)
    model = model_of(0)
    for i, value in enumerate(values):
        model.weight.data[...] = i
        if stopping.step(value, model):
            break
    assert stopping.stopped == (stopping.waited == options["patience"])
    stopping.restore(model)
    return i + 1, int(model.weight.data[0, 0])


@pytest.mark.parametrize(
    ("values", "options", "expected"),
    [
        ([5, 4, 3, 2, 1], {"patience": 1}, (5, 4)),
        ([5, 4, 4.5, 4.4, 1], {"patience": 2}, (4, 1)),
        ([5, 4, 4.5, 3.9, 4, 4, 1], {"patience": 2}, (6, 3)),
        ([5, 4, 4, 4, 1], {"patience": 2}, (4, 1)),  # equal is not better
        ([5, 4.95, 4.9, 4.85, 4], {"patience": 2, "min_delta": 0.2}, (3, 0)),  # little steps do not count,
        ([5, 4.9, 4.7, 4.9, 4.4], {"patience": 2, "min_delta": 0.2}, (5, 4)),  # but together they do
        ([1, 2, 1.5, 1.9, 3], {"patience": 2, "mode": "max"}, (4, 1)),
        ([math.inf, 3, math.nan, math.nan, 1], {"patience": 2}, (4, 1)),
        ([math.nan, 3, 4, 2], {"patience": 3}, (4, 3)),
    ],
)
def test_it_stops_after_so_many_that_are_no_better_and_gives_back_the_best(values, options, expected):
    assert stops_at(values, **options) == expected


def test_the_weights_kept_are_a_copy_with_buffers():
    model = ddl.nn.BatchNorm1d(3)
    stopping = EarlyStopping()
    stopping.step(ddl.tensor(1.0), model)
    saved = {name: t.numpy().copy() for name, t in model.state_dict().items()}
    model(ddl.randn(8, 3))
    model.weight.data[...] = 7
    stopping.restore(model)
    assert len(saved) > 2
    assert {name: t.numpy().tolist() for name, t in model.state_dict().items()} == {
        name: value.tolist() for name, value in saved.items()
    }


def test_its_state_goes_into_another_one():
    stopping = EarlyStopping(patience=3)
    for i, value in enumerate((3.0, 2.0, 2.5)):
        stopping.step(value, model_of(i))
    other, model = EarlyStopping(patience=3), model_of(9)
    other.load_state_dict(stopping.state_dict())
    assert (other.best, other.waited) == (2.0, 1)
    assert [other.step(2.1, model), other.step(2.1, model)] == [False, True]
    other.restore(model)
    assert model.weight.numpy().tolist() == [[1, 1]]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: EarlyStopping(0), "EarlyStopping needs patience to be a whole number of 1 or more, but 0 was given"),
        (
            lambda: EarlyStopping(2.5),
            "needs patience to be a whole number of 1 or more, but 2.5 was given",
        ),
        (lambda: EarlyStopping(min_delta=-0.1), "EarlyStopping needs a min_delta of 0 or more, but -0.1 was given"),
        (lambda: EarlyStopping(min_delta=math.nan), "EarlyStopping needs a min_delta of 0 or more, but nan was given"),
        (lambda: EarlyStopping(mode="least"), "EarlyStopping has mode 'min' or 'max', but 'least' was given"),
        (
            lambda: EarlyStopping().restore(model_of(0)),
            "EarlyStopping has no best weights yet; call step(value, model)",
        ),
    ],
)
def test_bad_input_is_refused_in_one_sentence(make, message):
    with pytest.raises(ValueError) as caught:
        make()
    assert message in str(caught.value)


# ---- in a run


@pytest.fixture(scope="module")
def whole():
    trainer = watched()
    history = told(trainer.fit(STEPS, eval_every=5, progress=False))
    return history, everything(trainer)


def test_the_run_is_what_the_other_tests_take_it_for(whole, capsys):
    history, _ = whole
    measured = {line["step"]: line["held_out"] for line in history if "held_out" in line}
    assert list(measured) == [5, 10, 15, 20, 25, 30, 35]
    assert len({line["lr"] for line in history}) > 3
    trainer = watched()
    trainer.fit(STEPS, eval_every=5, progress=False)
    assert capsys.readouterr().out == (
        "stopped early after step 35 of 40; the weights of the best are back (3.688, 3 measurements ago)\n"
    )
    assert trainer.best == min(measured, key=measured.get) == 30
    assert evaluate(trainer.model, trainer.held_out) == measured[20] == trainer.stopping.best
    assert trainer.fit(STEPS, eval_every=5, progress=False) is trainer.history
    assert trainer.step == 35, "it stays stopped"
    trainer.stopping.waited = 0
    trainer.fit(37, eval_every=5, progress=False)
    assert trainer.step == 37


def test_the_plateau_schedule_is_fed_with_the_held_out_loss():
    trainer = watched(patience=100)
    history = trainer.fit(STEPS, eval_every=5, progress=False)
    optimizer = ddl.optim.SGD([ddl.nn.Parameter((1,))], lr=3e-3)
    plan = ReduceLROnPlateau(optimizer, factor=0.5, patience=0, threshold=0.01)
    for line in history:
        assert line["lr"] == optimizer.param_groups[0]["lr"]
        if line["step"] % 5 == 0:
            plan.step(line["held_out"])


@pytest.mark.parametrize("prefetch", [0, 2])
@pytest.mark.parametrize("at", [4, 5, 20, 24, 34, 35])
def test_resume_from_anywhere_gives_the_same_run_to_the_last_bit(whole, tmp_path, at, prefetch):
    """With batches made ahead in a thread too, on either side of the resume."""
    watched(tmp_path, prefetch=2 - prefetch).fit(at, eval_every=5, progress=False)
    random.manual_seed(77)
    trainer = watched(tmp_path, prefetch=prefetch)
    assert trainer.resume() == at
    history = told(trainer.fit(STEPS, eval_every=5, progress=False))
    extra = [at] if at % 5 else []  # a run that ends measures once more, and feeds nobody
    assert [{k: v for k, v in line.items() if k != "held_out" or line["step"] not in extra} for line in history] == (
        whole[0]
    )
    assert trainer.stopping.best == whole[0][19]["held_out"]
    assert evaluate(trainer.model, trainer.held_out) == whole[0][19]["held_out"]


def test_fit_in_parts_is_fit_in_one_go(whole):
    trainer = watched()
    for steps in (3, 15, 15, 31, STEPS):
        trainer.fit(steps, eval_every=5, progress=False)
    assert [line["loss"] for line in trainer.history] == [line["loss"] for line in whole[0]]
    assert (trainer.step, trainer.stopping.waited) == (35, 3)


def test_what_is_resumed_is_what_was_saved(tmp_path):
    trainer = watched(tmp_path)
    trainer.fit(25, eval_every=5, progress=False)
    before = everything(trainer)
    other = watched(tmp_path)
    other.resume()
    resumes = "'_resumes': True", "'_resumes': False"
    assert everything(other).replace(*resumes) == before.replace(*resumes)
    run(tmp_path / "other", schedule=False).fit(2, progress=False)
    before = everything(other)
    with pytest.raises(ValueError, match="schedule none where this run has ReduceLROnPlateau and stopping none where"):
        other.resume(tmp_path / "other" / "step-2.safetensors")
    assert everything(other) == before


def test_a_run_on_another_device_stops_and_resumes_alike(whole, tmp_path):
    def moved():
        trainer = watched(tmp_path)
        trainer.model.to("gpu")
        return trainer

    with installed():
        moved().fit(23, eval_every=5, progress=False)
        trainer = moved()
        assert trainer.resume() == 23
        trainer.fit(STEPS, eval_every=5, progress=False)
        assert trainer.step == 35
        assert {p.device for p in trainer.model.parameters()} == {"gpu"}


# ---- the best checkpoint


def test_the_best_stays_beside_the_newest(tmp_path):
    """The best of each moment was saved when it was measured, whatever save_every; a better one takes its place."""
    seen = {}
    note = lambda t: seen.update({t.step: (t.best, list(checkpoints(tmp_path)))})
    watched(tmp_path).fit(STEPS, eval_every=5, save_every=3, progress=False, on_step=note)
    assert seen[4] == (None, [3])
    assert seen[5] == (5, [3, 5])
    assert seen[9] == (5, [5, 6, 9])
    assert seen[10] == (10, [9, 10])
    assert seen[18] == (15, [15, 18])
    assert seen[29] == (25, [25, 27])
    assert seen[35] == (30, [30, 33])
    assert list(checkpoints(tmp_path)) == [30, 33, 35]
    shutil.copy(tmp_path / "step-30.safetensors", tmp_path / "copy.safetensors")
    trainer = watched()
    trainer.resume(tmp_path / "copy.safetensors")
    assert evaluate(trainer.model, trainer.held_out) == trainer.history[29]["held_out"]


def test_the_best_is_one_of_the_newest_or_one_more(tmp_path):
    trainer = run(tmp_path, keep=2, keep_best=True)
    trainer.fit(STEPS, eval_every=4, save_every=2, progress=False)
    assert list(checkpoints(tmp_path)) == sorted({trainer.best, STEPS - 2, STEPS})
    plain = run(tmp_path / "plain", keep=2)
    plain.fit(STEPS, eval_every=4, save_every=2, progress=False)
    assert list(checkpoints(tmp_path / "plain")) == [STEPS - 2, STEPS]
    assert plain.best == trainer.best < STEPS - 2


def test_a_resumed_run_knows_its_best(tmp_path):
    stop = lambda t: t.step == 19 and t.stop()
    watched(tmp_path).fit(STEPS, eval_every=5, save_every=3, progress=False, on_step=stop)
    trainer = watched(tmp_path)
    trainer.resume()
    assert trainer.best == 15
    trainer.held_out = DataLoader([trainer.held_out.dataset[0]] * 3, 3)
    trainer.loss = lambda model, batch: ddl.nn.functional.cross_entropy(model(batch[0])[:, 0], batch[1][:, 0]) + 5
    trainer.fit(27, eval_every=5, save_every=3, progress=False)
    assert trainer.best == 15
    assert list(checkpoints(tmp_path)) == [15, 24, 27]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"stopping": EarlyStopping()},
            r"Trainer was given EarlyStopping, which needs the held-out loss; give Trainer",
        ),
        (
            {"keep_best": True},
            r"Trainer was given keep_best, which needs the held-out loss; give Trainer\(held_out=\.\.\)",
        ),
    ],
)
def test_what_nothing_would_feed_is_refused(options, message):
    whole = run()
    with pytest.raises(ValueError, match=message):
        Trainer(whole.model, whole.optimizer, whole.loader, **options)
    plan = ReduceLROnPlateau(whole.optimizer)
    with pytest.raises(ValueError, match="Trainer was given ReduceLROnPlateau, which needs the held-out loss"):
        Trainer(whole.model, whole.optimizer, whole.loader, schedule=plan)
    with pytest.raises(ValueError, match=r"asked to keep the best checkpoint; give Trainer\(folder=\.\.\)"):
        run(keep_best=True)
    with pytest.raises(ValueError, match="which is to fall, but mode 'max' was given; use 'min'"):
        run(stopping=EarlyStopping(mode="max"))
    for trainer, name in ((watched(), "ReduceLROnPlateau"), (run(stopping=EarlyStopping()), "EarlyStopping")):
        with pytest.raises(ValueError, match=rf"no eval_every, but {name} is fed at these steps; give fit\(eval_every"):
            trainer.fit(3, progress=False)
        assert trainer.step == 0


def test_a_run_over_dicts_of_arrays():
    """The first part of a batch tells how many samples there are."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(24, 3)).astype(np.float32)
    samples = [{"x": row, "y": row.sum(keepdims=True)} for row in x]
    ddl.manual_seed(0)
    model = ddl.nn.Linear(3, 1)
    loss = lambda model, batch: ddl.nn.functional.mse_loss(model(ddl.tensor(batch["x"])), ddl.tensor(batch["y"]))
    optimizer = ddl.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(samples, 5, shuffle=True, seed=0)
    trainer = Trainer(model, optimizer, loader, DataLoader(samples, 7), loss=loss)
    history = trainer.fit(200, progress=False)
    assert [line["tokens"] for line in history[:5]] == [15, 15, 15, 15, 12]
    errors = ((model(ddl.tensor(x)).numpy()[:, 0] - x.sum(1)) ** 2).mean()
    assert history[-1]["held_out"] == pytest.approx(errors, rel=1e-4)
    assert errors < 1e-6
