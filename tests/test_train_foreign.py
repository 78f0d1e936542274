"""Files that are not this run's: one sentence each, and nothing of the run changes."""

import json
import re

import numpy as np
import pytest
from runs import CONFIG, STEPS, everything, run, told
from safetensors import numpy as theirs

import ddl
from ddl import random
from ddl.data import DataLoader, Windows
from ddl.models import GPT2, GPT2Config
from ddl.optim import LambdaLR, warmup_cosine


def other_model(folder):
    run(folder, config=GPT2Config(CONFIG.vocab_size, block_size=8, n_embd=16, n_layer=1, n_head=2)).fit(
        2, progress=False
    )


def narrow(folder):
    run(folder, config=GPT2Config(CONFIG.vocab_size, block_size=8, n_embd=8, n_layer=2, n_head=2)).fit(
        2, progress=False
    )


def double(folder):
    trainer = run(folder)
    trainer.model.double()
    trainer.fit(2, progress=False)


def ungrouped(folder):
    trainer = run(folder)
    trainer.optimizer = type(trainer.optimizer)(trainer.model.parameters(), lr=0.1)
    trainer.schedule = LambdaLR(trainer.optimizer, warmup_cosine(2, STEPS))
    trainer.fit(2, progress=False)


def other_data(folder):
    trainer = run(folder)
    trainer.loader = DataLoader(Windows(np.arange(100) % 40, 8), 4, shuffle=True)
    trainer.fit(2, progress=False)


def tampered(change):
    def make(folder):
        trainer = run(folder)
        trainer.fit(2, progress=False)
        path = folder / "step-2.safetensors"
        metadata, arrays = ddl.checkpoint.load_metadata(path), theirs.load_file(path)
        change(metadata, arrays)
        theirs.save_file(arrays, path, {"ddl": json.dumps(metadata)})

    return make


FOREIGN = {
    "another model": (other_model, "fit this run: the state does not fit GPT2: missing: blocks.1.ln_1.weight, "),
    "another width": (narrow, "the state does not fit GPT2: of another shape: wte.weight (40, 8) where (40,"),
    "another dtype": (double, "it does not fit this run: wte.weight is float64 there and float32 here"),
    "another optimizer": (
        lambda folder: run(folder, "sgd").fit(2, progress=False),
        "is of a run with optimizer SGD where this run has AdamW",
    ),
    "other groups": (ungrouped, "it does not fit this run: the optimizer state is of groups of [28] parameters, but"),
    "no schedule": (
        lambda folder: run(folder, schedule=False).fit(2, progress=False),
        "is of a run with schedule none where this run has LambdaLR",
    ),
    "other data": (other_data, "it does not fit this run: the state {'epoch': 0, 'position': 2,"),
    "weights": (
        lambda folder: ddl.save(GPT2(CONFIG), folder / "step-2.safetensors"),
        "is no checkpoint of a run; load weights alone with ddl.load",
    ),
    "weights of another library": (
        lambda folder: theirs.save_file({"w": np.ones(3)}, folder / "step-2.safetensors"),
        "is no checkpoint of a run; load weights alone with ddl.load",
    ),
    "metadata that is a list": (
        lambda folder: ddl.save({"w": np.ones(3)}, folder / "step-2.safetensors", [1, 2]),
        "is no checkpoint of a run; load weights alone with ddl.load",
    ),
    "text": (
        lambda folder: (folder / "step-2.safetensors").write_text("Dear reader,"),
        "is not a whole safetensors file (",
    ),
    "a weight less": (
        tampered(lambda metadata, arrays: arrays.pop("model.ln_f.bias")),
        "the state does not fit GPT2: missing: ln_f.bias",
    ),
    "no optimizer step": (
        tampered(lambda metadata, arrays: metadata["optimizer"].pop("steps")),
        "does not fit this run: 'steps' is missing",
    ),
    "a stream less": (
        tampered(lambda metadata, arrays: metadata["random"].pop("dropout")),
        "does not fit this run: a random state needs the streams",
    ),
    "no kinds": (
        tampered(lambda metadata, arrays: metadata.pop("kinds")),
        "does not fit this run: 'kinds' is missing",
    ),
    "no step": (
        tampered(lambda metadata, arrays: metadata.pop("step")),
        "does not fit this run: 'step' is missing",
    ),
    "a step that is no number": (
        tampered(lambda metadata, arrays: metadata.update(step="two")),
        "does not fit this run: 'str' object cannot be interpreted as an integer",
    ),
    "no history": (
        tampered(lambda metadata, arrays: arrays.pop("history")),
        "does not fit this run: 'history' is missing",
    ),
    "a broken history": (
        tampered(lambda metadata, arrays: arrays.update(history=np.frombuffer(b"[{", np.uint8))),
        "does not fit this run: Expecting property name",
    ),
    "a broken stream": (
        tampered(lambda metadata, arrays: metadata["random"]["sampling"].update(bit_generator="MT19937")),
        "does not fit this run: ",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", FOREIGN)
def test_a_foreign_checkpoint_gets_one_sentence_and_changes_nothing(what, tmp_path):
    make, sentence = FOREIGN[what]
    (tmp_path / "foreign").mkdir()
    make(tmp_path / "foreign")
    trainer = run(tmp_path)
    trainer.fit(3, progress=False)
    before = everything(trainer)
    with pytest.raises(ValueError) as caught:
        trainer.resume(tmp_path / "foreign" / "step-2.safetensors")
    said = str(caught.value)
    assert sentence in said
    assert said.startswith(f"{tmp_path / 'foreign' / 'step-2.safetensors'} was to be ")
    assert "\n" not in said
    assert everything(trainer) == before
    whole = told(run().fit(8, progress=False))
    trainer.resume()
    assert told(trainer.fit(8, progress=False))[3:] == whole[3:]


@pytest.mark.parametrize(
    ("name", "sentence"), [("step-5.safetensors", "there is no such file"), (".", "that is a folder; give one of its")]
)
def test_no_file_and_a_folder(tmp_path, name, sentence):
    trainer = run(tmp_path)
    before = everything(trainer)
    with pytest.raises(FileNotFoundError, match=f"was to be loaded, but {sentence}"):
        trainer.resume(tmp_path / name)
    assert everything(trainer) == before


def test_a_newest_checkpoint_that_was_cut_when_copied(tmp_path):
    run(tmp_path).fit(4, save_every=2, progress=False)
    path = tmp_path / "step-4.safetensors"
    content = path.read_bytes()
    for size in (0, 100, len(content) // 2, len(content) - 1):
        path.write_bytes(content[:size])
        trainer = run(tmp_path)
        before = everything(trainer)
        with pytest.raises(ValueError, match=re.escape(f"{path} was to be loaded, but it is not a whole safetensors")):
            trainer.resume()
        assert everything(trainer) == before
    path.unlink()
    assert trainer.resume() == 2


def test_an_interrupted_resume_changes_nothing(tmp_path, monkeypatch):
    run(tmp_path).fit(4, progress=False)
    trainer = run(tmp_path)
    before = everything(trainer)

    def interrupted(state):
        raise KeyboardInterrupt

    monkeypatch.setattr(random, "set_state", lambda state: (monkeypatch.undo(), interrupted(state)))
    with pytest.raises(KeyboardInterrupt):
        trainer.resume()
    assert everything(trainer) == before
