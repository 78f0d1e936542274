"""What it costs to train under the gradient microscope: a step watched beside a step alone, at the default sampling."""

import numpy as np
from timing import interleaved, machine

import ddl
from ddl.memory import keep_freed_memory
from ddl.models import GPT2, MLP, GPT2Config
from ddl.nn import functional as F
from ddl.train import next_token_loss
from ddl.widgets import watch

ROUNDS, LIMIT = 15, 1.05  # of the time of a step alone
rng = np.random.default_rng(0)


def decoder():
    """A step of a small GPT-2: 4 layers, 16 texts of 128 tokens."""
    model = GPT2(GPT2Config(vocab_size=968, block_size=128, n_embd=128, n_layer=4, n_head=4))
    ids = rng.integers(0, 968, (16, 129))
    batch = ids[:, :-1].copy(), ids[:, 1:].copy()
    return model, lambda: next_token_loss(model, batch), 4


def mlp():
    """A step of a small network: 784, 256, 10, batches of 64."""
    model = MLP(784, 256, 10)
    x, y = ddl.Tensor(rng.random((64, 784), np.float32)), rng.integers(0, 10, 64)
    return model, lambda: F.cross_entropy(model(x), y), 100


def contender(make, watched):
    model, loss, steps = make()
    optimizer = ddl.optim.AdamW(model.parameters(), lr=3e-4)
    seen = watch(model) if watched else None

    def run():
        for _ in range(steps):
            optimizer.backward_step(loss())

    return run, steps, seen


def main():
    keep_freed_memory()
    print("| | ms a step | watched | times | looked at |")
    print("|---|---|---|---|---|")
    ratios = {}
    for make in (decoder, mlp):
        (alone, steps, _), (watched, _, seen) = contender(make, False), contender(make, True)
        times = interleaved({"alone": alone, "watched": watched}, ROUNDS)
        seen.close()
        ratio = ratios[make.__name__] = times["watched"] / times["alone"]
        looks = f"{seen.state['looks']} of {seen.watch.step} steps"
        row = [f"{t / steps * 1e3:.3g}" for t in times.values()]
        print(f"| {make.__name__} | {' | '.join(row)} | {ratio:.3f} | {looks} |")
    print(f"\n{machine()}; medians of {ROUNDS} rounds in turn")
    for name, ratio in ratios.items():
        assert ratio <= LIMIT, f"watching {name} was to cost at most {LIMIT} of the time alone, measured {ratio:.3f}"


if __name__ == "__main__":
    main()
