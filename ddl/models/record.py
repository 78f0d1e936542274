"""The recorded run: `python -m ddl.models.record` trains the decoder that ships with the package, in about ten minutes.

Two cores, nothing downloaded: the text is what Python itself carries. Weights, tokenizer and a record of the run
(command, seed, the text's hash, losses, versions) are written to the folder `ddl.models.SMALL`, or to the one given.
"""

import argparse
import json
import platform
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from .. import checkpoint, random
from ..data import DataLoader, Windows
from ..optim import AdamW, LambdaLR, warmup_cosine
from ..text import BPETokenizer, NGram, standard_library
from ..train import Trainer, evaluate
from .gpt2 import GPT2, GPT2Config
from .pretrained import SMALL

CONFIG = GPT2Config(vocab_size=968, block_size=128, n_embd=128, n_layer=4, n_head=4)
RECIPE = {
    "batch_size": 16,
    "lr": 3e-3,
    "betas": [0.9, 0.95],
    "weight_decay": 0.3,
    "warmup": 150,
    "final": 0.02,
    "max_norm": 1.0,
}


def decayed(model: GPT2, weight_decay: float) -> list[dict[str, Any]]:
    """Two groups: matrices, which are pulled towards 0, and biases and norms, which are not."""
    params = list(model.parameters())
    matrices, vectors = [p for p in params if p.ndim > 1], [p for p in params if p.ndim < 2]
    return [{"params": matrices, "weight_decay": weight_decay}, {"params": vectors, "weight_decay": 0.0}]


def record(folder: Path, steps: int, seed: int, progress: bool = True) -> dict[str, Any]:
    """Train, keep the weights in float16, and return what the record holds; a run that was cut short goes on."""
    random.manual_seed(seed)
    corpus = standard_library()
    tokenizer = BPETokenizer.train(corpus.train, CONFIG.vocab_size)
    train_ids, held_ids = (tokenizer.encode_documents(documents) for documents in (corpus.train, corpus.held_out))
    model = GPT2(CONFIG)
    optimizer = AdamW(decayed(model, RECIPE["weight_decay"]), lr=RECIPE["lr"], betas=tuple(RECIPE["betas"]))
    loader = DataLoader(Windows(train_ids, CONFIG.block_size), RECIPE["batch_size"], shuffle=True, seed=seed)
    held_out = DataLoader(Windows(held_ids, CONFIG.block_size, stride=CONFIG.block_size), 32)
    schedule = LambdaLR(optimizer, warmup_cosine(RECIPE["warmup"], steps, RECIPE["final"]))
    trainer = Trainer(model, optimizer, loader, held_out, schedule, max_norm=RECIPE["max_norm"], folder=folder / "run")
    trainer.resume()
    started = time.perf_counter()
    history = trainer.fit(steps, eval_every=500, save_every=250, progress=progress)
    seconds = time.perf_counter() - started
    if trainer.step < steps:
        raise SystemExit(f"stopped at step {trainer.step} of {steps}; the same command goes on from there")
    shutil.rmtree(folder / "run")
    half = {name: p.data.astype(np.float16) for name, p in model.named_parameters()}
    checkpoint.save(half, folder / "model.safetensors")
    tokenizer.save(folder / "tokenizer.json")
    (folder / "config.json").write_text(json.dumps(CONFIG.to_dict(), indent=1) + "\n")
    shipped = evaluate(GPT2.from_pretrained(folder), held_out)
    return {
        "command": f"python -m ddl.models.record --steps {steps} --seed {seed}",
        "recipe": RECIPE,
        "text": {"sha256": corpus.sha256, "train_tokens": len(train_ids), "held_out_tokens": len(held_ids)},
        "held_out_nats_per_token": {
            "bigram": round(NGram(2).fit(train_ids, CONFIG.vocab_size).loss(held_ids), 4),
            "trigram": round(NGram(3).fit(train_ids, CONFIG.vocab_size).loss(held_ids), 4),
            "decoder": round(history[-1]["held_out"], 4),
            "decoder_as_shipped_in_float16": round(shipped, 4),
        },
        "held_out_by_step": {str(h["step"]): round(h["held_out"], 4) for h in history if "held_out" in h},
        "first_loss": round(history[0]["loss"], 4),
        "seconds": round(seconds),
        "versions": {"python": platform.python_version(), "numpy": np.__version__, "machine": platform.machine()},
    }


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m ddl.models.record", description=__doc__.split("\n")[0])
    parser.add_argument("--folder", type=Path, default=SMALL, help="where the weights, the tokenizer and the record go")
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    result = record(given.folder, given.steps, given.seed)
    text = json.dumps(result, indent=1)
    (given.folder / "record.json").write_text(text + "\n")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
