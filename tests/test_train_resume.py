"""A run left and taken up, in this process or from its folder, equals one that never stopped."""

import os
import shutil
from contextlib import nullcontext

import numpy as np
import pytest
from fake_cupy import installed
from runs import STEPS, everything, run, told

from ddl import random
from ddl.train import NonFiniteLoss, Trainer


@pytest.fixture(scope="module", params=["adamw", "sgd"])
def whole(request):
    kind = request.param
    return kind, told(run(kind=kind).fit(STEPS, progress=False))


def test_fit_in_parts_is_fit_in_one_go(whole):
    kind, history = whole
    trainer = run(kind=kind)
    for steps in (3, 3, 7, 21, STEPS):  # the loader has 20 batches an epoch
        trainer.fit(steps, progress=False)
    assert [line["loss"] for line in trainer.history] == [line["loss"] for line in history]
    assert trainer.history[2]["held_out"] > 0


@pytest.mark.parametrize("at", [1, 19, 20, 21])
def test_resume_from_any_place_of_an_epoch(whole, tmp_path, at):
    kind, history = whole
    run(tmp_path, kind).fit(at, progress=False)
    random.manual_seed(77)
    trainer = run(tmp_path, kind)
    for stream in random.STREAMS:
        random.stream(stream).random(3)
    assert trainer.resume() == at
    assert [line["step"] for line in trainer.history] == list(range(1, at + 1))
    trainer.fit(STEPS, progress=False)
    assert [line["loss"] for line in trainer.history] == [line["loss"] for line in history]
    assert trainer.history[-1]["lr"] == history[-1]["lr"]


def test_what_is_resumed_is_what_was_saved(tmp_path):
    for kind in ("adamw", "sgd"):
        for steps in (0, 5, 23):
            trainer = run(tmp_path / kind, kind)
            trainer.fit(steps, progress=False)
            before = everything(trainer)
            path = trainer.save()
            trainer.fit(steps + 2, progress=False)
            other = run(tmp_path / kind, kind)
            assert other.resume(path) == steps
            resumes = "'_resumes': True", "'_resumes': False"  # what a fit in hand and a resumed one differ in
            assert everything(other).replace(*resumes) == before.replace(*resumes)
            shutil.rmtree(tmp_path / kind)


def test_a_float64_run_without_schedule_or_held_out(tmp_path):
    def double(folder):
        trainer = run(folder, schedule=False)
        trainer.model.double()
        return Trainer(trainer.model, trainer.optimizer, trainer.loader, folder=folder)

    whole = double(tmp_path / "whole").fit(12, progress=False)
    double(tmp_path).fit(5, progress=False)
    trainer = double(tmp_path)
    assert trainer.resume(str(tmp_path / "step-5.safetensors")) == 5
    assert told(trainer.fit(12, progress=False)) == told(whole)
    assert all(p.dtype == np.float64 for p in trainer.model.parameters())


def test_a_run_without_a_checkpoint_begins_at_0(tmp_path):
    trainer = run(tmp_path / "not there yet")
    before = everything(trainer)
    assert trainer.resume() == run().resume() == 0
    assert everything(run(tmp_path)) == before


def test_the_newest_by_number_is_taken(tmp_path):
    trainer = run(tmp_path, keep=5)
    trainer.fit(11, save_every=3, progress=False)
    assert {p.name for p in tmp_path.iterdir()} == {f"step-{n}.safetensors" for n in (3, 6, 9, 11)}
    assert run(tmp_path).resume() == 11


def test_no_checkpoint_is_written_twice(tmp_path, monkeypatch):
    written = []
    save = Trainer.save
    monkeypatch.setattr(Trainer, "save", lambda self: written.append(self.step) or save(self))
    trainer = run(tmp_path)
    for steps in (4, 7, 7, 9, 9, 3):
        trainer.fit(steps, save_every=2, progress=False, on_step=lambda t: t.step in (6, 7) and t.stop())
    assert written == [2, 4, 6, 7, 8, 9]


@pytest.mark.parametrize("keep", [2, 3, 5])
def test_the_newest_are_kept_and_nothing_else_is_touched(tmp_path, keep):
    others = {"step-best.safetensors", "notes.txt"}
    for name in others:
        (tmp_path / name).touch()
    run(tmp_path, keep=keep).fit(12, save_every=2, progress=False)
    assert {p.name for p in tmp_path.iterdir()} == others | {
        f"step-{n}.safetensors" for n in range(14 - 2 * keep, 13, 2)
    }


def test_a_checkpoint_that_cannot_be_removed_does_not_stop_the_run(tmp_path, monkeypatch):
    def busy(self, missing_ok=False):
        raise PermissionError(13, "The file is in use")

    monkeypatch.setattr("pathlib.Path.unlink", busy)
    run(tmp_path).fit(8, save_every=2, progress=False)
    assert len(list(tmp_path.iterdir())) == 4


def test_saving_an_earlier_step_by_hand_keeps_it(tmp_path):
    run(tmp_path, keep=3).fit(9, save_every=3, progress=False)
    trainer = run(tmp_path, keep=3)
    trainer.resume(tmp_path / "step-3.safetensors")
    assert trainer.save().exists()


def test_a_full_disk_ends_the_run_and_keeps_what_is_there(tmp_path, monkeypatch):
    trainer = run(tmp_path)
    trainer.fit(4, save_every=2, progress=False)

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left on device") as caught:
        trainer.fit(STEPS, save_every=2, progress=False)
    monkeypatch.undo()
    assert str(tmp_path / "step-6.safetensors") in caught.value.__notes__[-1]
    assert sorted(os.listdir(tmp_path)) == ["step-2.safetensors", "step-4.safetensors"]
    whole = run().fit(STEPS, progress=False)
    again = run(tmp_path)
    assert again.resume() == 4
    assert told(again.fit(STEPS, progress=False))[4:] == told(whole)[4:]


def test_a_folder_with_a_run_further_on_is_refused(tmp_path):
    run(tmp_path).fit(4, progress=False)
    fresh = run(tmp_path)
    with pytest.raises(ValueError, match="holds a checkpoint of step 4, but this run is at step 0; call resume"):
        fresh.fit(2, progress=False)
    assert os.listdir(tmp_path) == ["step-4.safetensors"]
    assert fresh.step == 0
    fresh.resume()
    fresh.fit(6, progress=False)


def test_history_is_no_burden_on_the_header(tmp_path):
    trainer = run(tmp_path)
    trainer.fit(1, progress=False)
    trainer.history = [{"step": i, "loss": 1 / (i + 1), "note": "é"} for i in range(50_000)]
    path = trainer.save()
    assert int.from_bytes(path.read_bytes()[:8], "little") < 20_000
    again = run(tmp_path)
    again.resume()
    assert again.history == trainer.history


def test_saving_without_a_folder_says_so():
    with pytest.raises(ValueError, match=r"this Trainer has no folder; give Trainer\(folder=\.\.\)"):
        run().save()


@pytest.mark.parametrize("kind", ["adamw", "sgd"])
@pytest.mark.parametrize("where", ["stand-in", pytest.param("GPU", marks=pytest.mark.gpu)])
def test_a_run_on_another_device_is_saved_taken_up_and_put_back_there(where, kind, tmp_path):
    def moved(folder):
        trainer = run(folder, kind)
        trainer.model.to("gpu")
        return trainer

    with installed() if where == "stand-in" else nullcontext():
        whole = told(moved(tmp_path / "whole").fit(12, progress=False))
        moved(tmp_path).fit(5, progress=False)
        trainer = moved(tmp_path)
        assert trainer.resume() == 5
        assert told(trainer.fit(12, progress=False))[5:] == whole[5:]
        run(tmp_path / "cpu", "sgd" if kind == "adamw" else "adamw").fit(2, progress=False)
        with pytest.raises(ValueError, match="is of a run with optimizer"):
            trainer.resume(tmp_path / "cpu" / "step-2.safetensors")
        trainer.model.blocks[0].ln_1.weight.data[0] = float("nan")
        with pytest.raises(NonFiniteLoss, match=r"blocks\.0\.ln_1\.weight is the first parameter"):
            trainer.fit(14, progress=False)
        assert {p.device for p in trainer.model.parameters()} == {"gpu"}
        here = run(tmp_path, kind)  # a checkpoint knows no device: here it goes on without a GPU
        assert here.resume() == 12
