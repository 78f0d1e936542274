"""The recorded run: `python -m ddl.models.record` trains the shipped decoder, in ten to twelve minutes.

Two cores, nothing downloaded: the text is what Python itself carries. Weights, tokenizer and a record of the run
(command, seed, the text's hash, losses, versions) are written to the folder `ddl.models.SMALL`, or to the one given.
"""

import argparse
import json
import platform
import shutil
import sys
from pathlib import Path
from typing import Any, cast

import numpy as np

from .. import checkpoint, random
from ..data import DataLoader, Windows
from ..files import write_whole
from ..optim import AdamW, LambdaLR, warmup_cosine
from ..text import BPETokenizer, NGram, standard_library
from ..train import Trainer, evaluate
from .gpt2 import GPT2, GPT2Config
from .pretrained import SMALL

CONFIG = GPT2Config(vocab_size=968, block_size=128, n_embd=128, n_layer=4, n_head=4)
RECIPE: dict[str, Any] = {
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


def prepare(train_ids: Any, held_ids: Any, recipe: dict[str, Any], steps: int, seed: int, folder: Path) -> Trainer:
    """The run before its first step."""
    random.manual_seed(seed)
    model = GPT2(CONFIG)
    optimizer = AdamW(decayed(model, recipe["weight_decay"]), lr=recipe["lr"], betas=tuple(recipe["betas"]))
    loader = DataLoader(Windows(train_ids, CONFIG.block_size), recipe["batch_size"], shuffle=True, seed=seed)
    held_out = DataLoader(Windows(held_ids, CONFIG.block_size, stride=CONFIG.block_size), 32)
    schedule = LambdaLR(optimizer, warmup_cosine(recipe["warmup"], steps, recipe["final"]))
    return Trainer(model, optimizer, loader, held_out, schedule, max_norm=recipe["max_norm"], folder=folder)


def record(folder: Path, steps: int, seed: int, progress: bool = True) -> dict[str, Any]:
    """Train, keep weights, tokenizer and record, and return the record; a run that was cut short goes on."""
    recipe = RECIPE | {"warmup": min(RECIPE["warmup"], steps // 10)}
    corpus = standard_library()
    tokenizer = BPETokenizer.train(corpus.train, CONFIG.vocab_size)
    train_ids, held_ids = (tokenizer.encode_documents(documents) for documents in (corpus.train, corpus.held_out))
    run = folder / "run" / f"steps-{steps}-seed-{seed}-text-{corpus.sha256[:8]}"  # another command is another run
    trainer = prepare(train_ids, held_ids, recipe, steps, seed, run)
    trainer.resume()
    history = trainer.fit(steps, eval_every=500, save_every=250, progress=progress)
    if trainer.step < steps:
        raise SystemExit(f"stopped at step {trainer.step} of {steps}; the same command goes on from there")
    ship(cast(GPT2, trainer.model), tokenizer, folder)
    losses = {
        "bigram": NGram(2).fit(train_ids, CONFIG.vocab_size).loss(held_ids),
        "trigram": NGram(3).fit(train_ids, CONFIG.vocab_size).loss(held_ids),
        "decoder": history[-1]["held_out"],
        "decoder_as_shipped_in_float16": evaluate(GPT2.from_pretrained(folder), trainer.held_out),
    }
    result = {
        "command": f"python -m ddl.models.record --steps {steps} --seed {seed}",
        "recipe": recipe,
        "text": {"sha256": corpus.sha256, "train_tokens": len(train_ids), "held_out_tokens": len(held_ids)},
        "held_out_nats_per_token": {name: round(loss, 4) for name, loss in losses.items()},
        "held_out_by_step": {str(h["step"]): round(h["held_out"], 4) for h in history if "held_out" in h},
        "first_loss": round(history[0]["loss"], 4),
        "seconds": round(sum(h["seconds"] for h in history)),
        "versions": {"python": platform.python_version(), "numpy": np.__version__, "machine": platform.machine()},
    }
    write_whole(folder / "record.json", _json(result))
    shutil.rmtree(folder / "run")  # last: until here a killed run can be taken up
    return result


def ship(model: GPT2, tokenizer: BPETokenizer, folder: Path) -> None:
    """What `GPT2.from_pretrained(folder)` reads, with the weights in float16, and their tokenizer."""
    half = {name: p.numpy().astype(np.float16) for name, p in model.named_parameters()}
    checkpoint.save(half, folder / "model.safetensors")
    tokenizer.save(folder / "tokenizer.json")
    write_whole(folder / "config.json", _json(model.config.to_dict()))


def _json(content: dict[str, Any]) -> bytes:
    return (json.dumps(content, indent=1) + "\n").encode()


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m ddl.models.record", description=__doc__.split("\n")[0])
    parser.add_argument("--folder", type=Path, default=SMALL, help="where the weights, the tokenizer and the record go")
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    print(json.dumps(record(given.folder, given.steps, given.seed), indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
