"""The recorded run: its command works from end to end and can be stopped; what it shipped is what it says."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ddl.checkpoint import checkpoints, load
from ddl.data import DataLoader, Windows
from ddl.models import GPT2, SMALL
from ddl.text import BPETokenizer, NGram, standard_library
from ddl.train import evaluate

ROOT = Path(__file__).resolve().parents[1]
LOSSES = ("bigram", "trigram", "decoder", "decoder_as_shipped_in_float16")


def assert_complete(record):
    assert set(record) == {
        "command", "recipe", "text", "held_out_nats_per_token", "held_out_by_step", "first_loss", "seconds", "versions",
    }  # fmt: skip
    assert re.fullmatch(r"python -m ddl\.models\.record --steps \d+ --seed \d+", record["command"])
    assert {"batch_size", "lr", "betas", "weight_decay", "warmup", "final", "max_norm"} <= set(record["recipe"])
    assert re.fullmatch(r"[0-9a-f]{64}", record["text"]["sha256"])
    assert record["text"]["train_tokens"] > 5 * record["text"]["held_out_tokens"] > 0
    assert set(LOSSES) == set(record["held_out_nats_per_token"])
    assert all(0 < loss < np.log(968) for loss in record["held_out_nats_per_token"].values())
    assert abs(record["first_loss"] - np.log(968)) < 0.1
    assert {"python", "numpy", "machine"} <= set(record["versions"])
    *_, last = record["held_out_by_step"].values()
    assert last == record["held_out_nats_per_token"]["decoder"]
    assert str(record["command"].split()[4]) in record["held_out_by_step"]


@pytest.mark.slow
def test_the_command_from_end_to_end(tmp_path):
    command = [sys.executable, "-m", "ddl.models.record", "--folder", str(tmp_path / "new"), "--steps", "3"]
    one_thread = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=ROOT, env=one_thread, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    record = json.loads((tmp_path / "new" / "record.json").read_text())
    assert json.loads(done.stdout) == record
    assert_complete(record)
    assert record["command"] == "python -m ddl.models.record --steps 3 --seed 0"
    assert record["text"]["sha256"] == standard_library().sha256
    names = {"config.json", "model.safetensors", "record.json", "tokenizer.json"}
    assert set(os.listdir(tmp_path / "new")) == names, "the run's own checkpoints are gone"
    model, tokenizer = GPT2.from_pretrained(tmp_path / "new"), BPETokenizer.load(tmp_path / "new" / "tokenizer.json")
    assert (model.num_parameters(), tokenizer.vocab_size) == (933_632, 968)
    assert len(tokenizer.decode(model.generate(tokenizer.encode("Return"), 5))) > 6


# The same command with a short text and a small decoder, told to wait after a step for what is to come.
SHORT = """
import signal, sys, time
from pathlib import Path
from ddl.train import trainer
from ddl.models import GPT2Config, record
from ddl.text import Corpus

signal.signal(signal.SIGINT, signal.default_int_handler)
text, at = Path(trainer.__file__).read_text("utf-8"), int(sys.argv.pop())
record.standard_library = lambda: Corpus((text[:5000], text[5000:9000]), (), (text[9000:],), "0" * 64)
record.CONFIG = GPT2Config(vocab_size=300, block_size=16, n_embd=16, n_layer=1, n_head=2)

class Trainer(record.Trainer):
    def fit(self, *args, **kwargs):
        def on_step(trainer):
            if trainer.step == at:
                print("at", at, flush=True)
                while not trainer._stopping:
                    time.sleep(0.01)
        return super().fit(*args, **kwargs, on_step=on_step)

record.Trainer = Trainer
sys.exit(record.main(sys.argv[1:]))
"""


def short(folder, *options, wait=0):
    command = [sys.executable, "-c", SHORT, "--folder", str(folder), *options, str(wait)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def steps_kept(folder):
    return [step for run in (folder / "run").iterdir() for step in checkpoints(run)]


def test_a_run_that_is_stopped_keeps_its_folder_and_goes_on(tmp_path):
    stopped = short(tmp_path / "cut", "--steps", "30", wait=7)
    stopped.stdout.readline()
    stopped.send_signal(signal.SIGINT)
    _, said = stopped.communicate(timeout=60)
    assert stopped.returncode == 1
    assert said.splitlines()[-1] == "stopped at step 7 of 30; the same command goes on from there"
    assert os.listdir(tmp_path / "cut") == ["run"]
    assert steps_kept(tmp_path / "cut") == [7]

    other = short(tmp_path / "cut", "--steps", "31", "--seed", "5", wait=2)
    other.stdout.readline()
    other.send_signal(signal.SIGINT)
    assert other.communicate(timeout=60)[1].splitlines()[-1].startswith("stopped at step 2 of 31; ")
    assert sorted(steps_kept(tmp_path / "cut")) == [2, 7], "another command is another run"

    records = []
    for name in ("cut", "whole"):
        done = short(tmp_path / name, "--steps", "30")
        out, err = done.communicate(timeout=60)
        assert done.returncode == 0, err
        records.append({key: value for key, value in json.loads(out).items() if key != "seconds"})
        assert set(os.listdir(tmp_path / name)) == {"config.json", "model.safetensors", "record.json", "tokenizer.json"}
    assert records[0] == records[1]
    one, other = (load(tmp_path / name / "model.safetensors") for name in ("cut", "whole"))
    assert all(one[name].numpy().tobytes() == other[name].numpy().tobytes() for name in one | other)


# What ships


@pytest.fixture(scope="module")
def shipped():
    if not (SMALL / "record.json").is_file():
        pytest.skip(f"the recorded run is not there yet: `python -m ddl.models.record` makes {SMALL.name}/")
    return json.loads((SMALL / "record.json").read_text())


def test_the_shipped_record_is_complete_and_its_decoder_beats_the_trigram(shipped):
    assert_complete(shipped)
    loss = shipped["held_out_nats_per_token"]
    assert loss["decoder"] < loss["trigram"] - 0.10
    assert loss["trigram"] < loss["bigram"]
    assert abs(loss["decoder_as_shipped_in_float16"] - loss["decoder"]) < 0.01


def test_the_shipped_weights_are_float16_and_load(shipped):
    path = SMALL / "model.safetensors"
    assert 1.8e6 < path.stat().st_size < 2.1e6
    assert {t.dtype for t in load(path).values()} == {np.dtype(np.float16)}
    model, tokenizer = GPT2.from_pretrained(SMALL), BPETokenizer.load(SMALL / "tokenizer.json")
    assert (model.num_parameters(), tokenizer.vocab_size, model.training) == (933_632, 968, False)
    assert all(p.dtype == np.float32 and np.isfinite(p.numpy()).all() for p in model.parameters())
    written = tokenizer.decode(model.generate(tokenizer.encode("Return the "), 30, temperature=0.0))
    assert re.match(r"Return the \w", written)


@pytest.mark.slow
def test_the_shipped_decoder_loses_on_this_pythons_text_what_its_record_says(shipped):
    corpus, tokenizer = standard_library(), BPETokenizer.load(SMALL / "tokenizer.json")
    held_ids = tokenizer.encode_documents(corpus.held_out)
    model = GPT2.from_pretrained(SMALL)
    if corpus.sha256 == shipped["text"]["sha256"]:
        assert len(held_ids) == shipped["text"]["held_out_tokens"]
        loss = evaluate(model, DataLoader(Windows(held_ids, 128, stride=128), 32))
        assert loss == pytest.approx(shipped["held_out_nats_per_token"]["decoder_as_shipped_in_float16"], abs=0.01)
    train_ids = tokenizer.encode_documents(corpus.train)
    some = held_ids[: 64 * 128]
    bigram = NGram(2).fit(train_ids, 968).loss(some)
    assert evaluate(model, DataLoader(Windows(some, 128, stride=128), 32)) < bigram - 0.3
