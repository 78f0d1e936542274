"""The capstone's training step beside PyTorch eager's: same model, weights, batch and optimizer, on the same cores."""

import math

import numpy as np
import torch
from timing import interleaved, machine
from twin import Twin

import ddl
from ddl.memory import keep_freed_memory
from ddl.models import GPT2, GPT2Config
from ddl.train import next_token_loss

ROUNDS = 15
CONFIG = GPT2Config(vocab_size=968, block_size=128, n_embd=128, n_layer=4, n_head=4)
RATE = {"lr": 3e-4, "betas": (0.9, 0.95), "eps": 1e-8}


def main():
    ddl.manual_seed(0)
    keep_freed_memory()
    torch.set_num_threads(2)
    ours, twin = GPT2(CONFIG), Twin(CONFIG)
    twin.load_state_dict({name: torch.from_numpy(t.numpy().copy()) for name, t in ours.state_dict().items()})
    ids = np.random.default_rng(0).integers(0, 968, (16, 129))
    x, y = ids[:, :-1].copy(), ids[:, 1:].copy()
    tx, ty = torch.from_numpy(x), torch.from_numpy(y)
    optimizer = ddl.optim.AdamW(ours.parameters(), weight_decay=0.1, **RATE)
    rival = torch.optim.AdamW(twin.parameters(), weight_decay=0.1, **RATE)
    losses = {"ddl": [], "torch eager": []}

    def ddl_step():
        loss = next_token_loss(ours, (x, y))
        losses["ddl"].append(loss.item())
        optimizer.backward_step(loss)

    def torch_step():
        loss = twin(tx, ty)
        rival.zero_grad()
        loss.backward()
        rival.step()
        losses["torch eager"].append(loss.item())

    seconds = interleaved({"torch eager": torch_step, "ddl": ddl_step}, ROUNDS)
    apart = max(abs(a / b - 1) for a, b in zip(*losses.values()))
    assert apart < 1e-4, "the two do not train alike, so their times say nothing"
    assert abs(losses["ddl"][0] - math.log(968)) < 0.1
    print("| | ms a step | of torch | tokens a second |\n|---|---|---|---|")
    for name, t in seconds.items():
        print(f"| {name} | {t * 1e3:.0f} | {t / seconds['torch eager']:.2f} | {x.size / t:,.0f} |")
    print(f"\n{machine()}, torch {torch.__version__}, 2 threads; batch 16, float32; medians of {ROUNDS} rounds in turn")
    print(f"Losses over the {ROUNDS + 1} steps differ by at most {apart:.0e}, relative.")
    ratio = seconds["ddl"] / seconds["torch eager"]
    assert ratio < 1.4, f"asked for less than 1.4 of torch's time, measured {ratio:.2f}"


if __name__ == "__main__":
    main()
