"""Training steps of small networks beside PyTorch eager's: same weights, batch and optimizer, on the same cores."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read when numpy is imported; the products here are small

import numpy as np
import torch
from timing import interleaved, machine
from torch import nn

import ddl
from ddl.memory import keep_freed_memory
from ddl.models import CNN, MLP

ROUNDS, BATCH = 300, 64


def mlp():
    """784-256-10, as for handwritten digits of 28 by 28."""
    return MLP(784, 256, 10), nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10)), (784,)


def cnn():
    """Two convolutions and a linear layer, for digits of 8 by 8."""
    layers = [nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
    layers += [nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(128, 10)]
    return CNN(8), nn.Sequential(*layers), (1, 8, 8)


LIMITS = {mlp: 0.7, cnn: 0.8}  # of the faster of PyTorch with one thread and with two


def measured(network):
    """Median seconds of an SGD step of each contender."""
    ours, twin, shape = network()
    state = zip(twin.state_dict(), ours.state_dict().values())
    twin.load_state_dict({name: torch.from_numpy(t.numpy().copy()) for name, t in state})
    rng = np.random.default_rng(0)
    x, y = rng.random((BATCH, *shape), np.float32), rng.integers(0, 10, BATCH)
    optimizer, rival = ddl.optim.SGD(ours.parameters(), lr=0.01), torch.optim.SGD(twin.parameters(), lr=0.01)
    tx, ty, x = torch.from_numpy(x), torch.from_numpy(y), ddl.Tensor(x)
    our_loss = lambda: ddl.nn.functional.cross_entropy(ours(x), y)
    their_loss = lambda: nn.functional.cross_entropy(twin(tx), ty)

    def torch_step(threads):
        torch.set_num_threads(threads)
        rival.zero_grad()
        their_loss().backward()
        rival.step()

    apart = abs(our_loss().item() / their_loss().item() - 1)
    assert apart < 1e-5, "the two are not the same network, so their times say nothing"
    steps = {f"torch, {n} thread{'s' * (n > 1)}": lambda n=n: torch_step(n) for n in (1, 2)}
    return interleaved({**steps, "ddl": lambda: optimizer.backward_step(our_loss())}, ROUNDS)


def main():
    ddl.manual_seed(0)
    keep_freed_memory()
    ratios = {}
    print("| network | | ms a step | of the faster torch |\n|---|---|---|---|")
    for network in LIMITS:
        seconds = measured(network)
        fastest = min(t for name, t in seconds.items() if name != "ddl")
        ratios[network] = seconds["ddl"] / fastest
        for name, t in seconds.items():
            print(f"| {network.__name__} | {name} | {t * 1e3:.2f} | {t / fastest:.2f} |")
    print(f"\n{machine()}, torch {torch.__version__}; batch {BATCH}, float32, one BLAS thread; ", end="")
    print(f"medians of {ROUNDS} rounds in turn")
    for network, limit in LIMITS.items():
        ratio = ratios[network]
        assert ratio <= limit, f"{network.__name__}: asked for at most {limit} of torch's time, measured {ratio:.2f}"


if __name__ == "__main__":
    main()
