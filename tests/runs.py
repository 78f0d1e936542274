"""A small run, built the same each time; as a program, one that is killed or interrupted at a chosen moment."""

import hashlib
import json
import os
import signal
import sys
import time
from pathlib import Path

import numpy as np

import ddl
import ddl.files
from ddl import random
from ddl.data import DataLoader, Windows
from ddl.models import GPT2, GPT2Config
from ddl.optim import SGD, AdamW, LambdaLR, ReduceLROnPlateau, warmup_cosine
from ddl.train import EarlyStopping, Trainer

V, T, STEPS = 40, 8, 40
TOKENS = np.random.default_rng(5).integers(0, V, 220)
CONFIG = GPT2Config(vocab_size=V, block_size=T, n_embd=16, n_layer=2, n_head=2, dropout=0.2)
OPTIMIZERS = {
    "adamw": lambda params: AdamW(params, lr=1e-2, betas=(0.9, 0.95)),
    "sgd": lambda params: SGD(params, lr=0.05, momentum=0.9, weight_decay=0.01),
}


def run(folder=None, kind="adamw", config=CONFIG, batch_size=9, schedule=True, **options):
    """Dropout, a warm-up and a cosine, and a shuffled loader of 20 batches an epoch, the last one smaller."""
    ddl.manual_seed(1)
    model = GPT2(config)
    matrices, vectors = ([p for p in model.parameters() if (p.ndim > 1) == wanted] for wanted in (True, False))
    optimizer = OPTIMIZERS[kind]([{"params": matrices}, {"params": vectors, "weight_decay": 0.0}])
    loader = DataLoader(Windows(TOKENS[:180], T), batch_size, shuffle=True, seed=2)
    held_out = DataLoader(Windows(TOKENS[180:], T), 9)
    plan = LambdaLR(optimizer, warmup_cosine(4, STEPS)) if schedule else None
    return Trainer(model, optimizer, loader, held_out, plan, folder=folder, **options)


def watched(folder=None, patience=3, prefetch=0, **options):
    """The same run with all that listens to the held-out loss: a plateau schedule, early stopping, the best kept.

    Measured every 5 steps, the loss falls until step 30, by less and less, and the run is stopped after step 35.
    """
    trainer = run(folder, schedule=False)
    trainer.loader.prefetch = prefetch
    for group in trainer.optimizer.param_groups:
        group["lr"] = 3e-3
    plan = ReduceLROnPlateau(trainer.optimizer, factor=0.5, patience=0, threshold=0.01)
    parts = trainer.model, trainer.optimizer, trainer.loader, trainer.held_out, plan
    stopping = EarlyStopping(patience, min_delta=0.001)
    return Trainer(*parts, folder=folder, keep_best=folder is not None, stopping=stopping, **options)


def told(history):
    """What two equal runs have in common, which is all but the time they took."""
    return [{key: value for key, value in line.items() if key != "seconds"} for line in history]


def everything(trainer):
    """All that a run is, as one comparable value."""
    optimizer = trainer.optimizer.state_dict()
    state = sorted(optimizer.pop("state").items())
    arrays = [(n, sorted((k, np.asarray(v).tobytes()) for k, v in kept.items())) for n, kept in state]
    parts = [vars(part).copy() for part in (trainer.schedule, trainer.loader, trainer.stopping) if part is not None]
    for part in parts:
        if "weights" in part:
            part["weights"] = sorted((n, np.asarray(w).tobytes()) for n, w in part["weights"].items())
        for name in ("dataset", "optimizer", "lr_lambda"):
            part.pop(name, None)
    weights = {name: (p.dtype, p.numpy().tobytes()) for name, p in trainer.model.named_parameters()}
    return repr((weights, optimizer, arrays, parts, random.get_state(), trainer.step, trainer.history))


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def die_while_saving(moment, at):
    """Arrange that the process is killed while it saves step `at`."""
    write, fsync, replace, unlink = ddl.files.open, os.fsync, os.replace, Path.unlink

    def saves(path):
        return f"step-{at}.safetensors" in str(path)

    class Torn:
        def __init__(self, file):
            self.file = file

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.file.close()

        def write(self, data):
            self.file.write(data[: len(data) // 2])
            self.file.flush()
            die()

    def torn_open(path, mode):
        file = write(path, mode)
        return Torn(file) if moment == "write" and saves(path) else file

    def torn_fsync(handle):
        if moment == "fsync" and any(saves(name) for name in os.listdir(sys.argv[1])):
            die()
        fsync(handle)

    def torn_replace(draft, path):
        if moment == "replace" and saves(path):
            die()
        replace(draft, path)
        if moment == "replaced" and saves(path):
            die()

    def torn_unlink(path, missing_ok=False):
        unlink(path, missing_ok)
        if moment == "unlink" and (path.parent / f"step-{at}.safetensors").exists():
            die()

    ddl.files.open, os.fsync, os.replace, Path.unlink = torn_open, torn_fsync, torn_replace, torn_unlink


def main(folder, kind, moment="", at="0"):
    """Take the run up and finish it, or die at the moment: after step `at` ("step"), or inside its save."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever this process was started with
    trainer = watched(folder, prefetch=2) if kind == "watched" else run(folder, kind)
    if moment not in ("", "step", "wait"):
        die_while_saving(moment, int(at))

    def on_step(trainer):
        print(trainer.step, flush=True)
        if moment == "step" and trainer.step == int(at):
            die()
        while moment == "wait" and trainer.step == int(at) and not trainer._stopping:
            time.sleep(0.01)  # for the interrupt
        if trainer.step % 6 == 0:
            trainer.model.generate([1, 2], 3)  # draws of another stream, in the middle of training

    begun = trainer.resume()
    history = trainer.fit(STEPS, eval_every=5, save_every=3, progress=False, on_step=on_step)
    weights = hashlib.sha256(b"".join(p.numpy().tobytes() for p in trainer.model.parameters())).hexdigest()
    ended = {"begun": begun, "step": trainer.step, "history": told(history), "weights": weights}
    print(json.dumps(ended), flush=True)


if __name__ == "__main__":
    ddl.files.open = open
    main(*sys.argv[1:])
