"""Training steps of small networks beside PyTorch eager's: same shapes, batch and optimizer, on the same cores.

Each contender is a process of its own, as a learner runs it, with one thread for its products and with two; processes
take turns of a few steps, and sleep between them, so that no library's waiting threads take another's core.
"""

import os
import statistics
import subprocess
import sys
import time

ROUNDS, STEPS, BATCH, REST = 60, 10, 64, 0.03
LIMITS = {"mlp": 0.7, "cnn": 0.8}  # of the faster of PyTorch with one thread and with two
SHAPES = {"mlp": (784,), "cnn": (1, 8, 8)}


def our_step(network, x, y):
    import ddl
    from ddl.memory import keep_freed_memory

    keep_freed_memory()
    ddl.manual_seed(0)
    model = ddl.models.MLP(784, 256, 10) if network == "mlp" else ddl.models.CNN(8)
    optimizer, x = ddl.optim.SGD(model.parameters(), lr=0.01), ddl.Tensor(x)
    return lambda: optimizer.backward_step(ddl.nn.functional.cross_entropy(model(x), y))


def their_step(network, x, y):
    import torch
    from torch import nn

    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    if network == "mlp":  # 784-256-10, as for handwritten digits of 28 by 28
        model = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10))
    else:  # two convolutions and a linear layer, for digits of 8 by 8
        layers = [nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
        layers += [nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(128, 10)]
        model = nn.Sequential(*layers)
    optimizer, x, y = torch.optim.SGD(model.parameters(), lr=0.01), torch.from_numpy(x), torch.from_numpy(y)

    def step():
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()

    return step


def hand_step(network, x, y):
    """The MLP's step in numpy alone: no graph, gradients worked out on paper, large arrays written over."""
    import numpy as np

    rng, rows = np.random.default_rng(0), np.arange(BATCH)
    W1, W2 = (rng.uniform(-0.05, 0.05, shape).astype(np.float32) for shape in ((256, 784), (10, 256)))
    b1, b2 = np.zeros(256, np.float32), np.zeros(10, np.float32)
    h, dW1, lr = np.empty((BATCH, 256), np.float32), np.empty_like(W1), np.float32(0.01)

    def step():
        np.matmul(x, W1.T, out=h)
        np.add(h, b1, out=h)
        np.maximum(h, 0, out=h)
        z = h @ W2.T + b2
        z -= z.max(axis=1, keepdims=True)
        loss = (np.log(np.exp(z).sum(axis=1)) - z[rows, y]).mean()
        dz = np.exp(z)
        dz /= dz.sum(axis=1, keepdims=True)
        dz[rows, y] -= 1
        dz /= BATCH
        dh = dz @ W2
        dh *= h > 0
        np.matmul(dh.T, x, out=dW1)
        for parameter, gradient in ((W1, dW1), (b1, dh.sum(axis=0)), (W2, dz.T @ h), (b2, dz.sum(axis=0))):
            gradient *= lr
            parameter -= gradient
        return loss

    return step


STEPS_OF = {"torch": their_step, "ddl": our_step, "numpy by hand": hand_step}
RIVALS = {"mlp": [*STEPS_OF], "cnn": ["torch", "ddl"]}


def contend(library, network):
    """In its own process: for each line that comes in, a few steps, and the median seconds of one."""
    import numpy as np  # after the number of its threads was set

    rng = np.random.default_rng(0)
    x, y = rng.random((BATCH, *SHAPES[network]), np.float32), rng.integers(0, 10, BATCH)
    step = STEPS_OF[library](network, x, y)
    print("ready", flush=True)
    for _ in sys.stdin:
        step()
        seconds = []
        for _ in range(STEPS):
            start = time.perf_counter()
            step()
            seconds.append(time.perf_counter() - start)
        print(statistics.median(seconds), flush=True)


def started(library, network, threads):
    words = [sys.executable, __file__, library, network]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
    process.stdout.readline()
    return process


def measured(network):
    """Median seconds of an SGD step of each contender, {(library, threads): seconds}."""
    contenders = {(lib, n): started(lib, network, n) for lib in RIVALS[network] for n in (1, 2)}
    seconds = {which: [] for which in contenders}
    for _ in range(ROUNDS):
        for which, process in contenders.items():
            time.sleep(REST)
            print("go", file=process.stdin, flush=True)
            seconds[which].append(float(process.stdout.readline()))
    for process in contenders.values():
        process.communicate()
    return {which: statistics.median(times) for which, times in seconds.items()}


def main():
    from timing import machine

    ratios = {}
    print("| network | | threads | ms a step | of the faster torch |\n|---|---|---|---|---|")
    for network in LIMITS:
        seconds = measured(network)
        fastest = min(t for (library, _), t in seconds.items() if library == "torch")
        ratios[network] = min(t for (library, _), t in seconds.items() if library == "ddl") / fastest
        for (library, threads), t in seconds.items():
            print(f"| {network} | {library} | {threads} | {t * 1e3:.2f} | {t / fastest:.2f} |")
    print(f"\n{machine()}; batch {BATCH}, float32; medians of {ROUNDS} turns of {STEPS} steps")
    print("\nBy hand, with no graph at all, is how far a step in numpy goes on this machine.")
    missed = [f"{name}: asked for {LIMITS[name]}, measured {r:.2f}" for name, r in ratios.items() if r > LIMITS[name]]
    assert not missed, f"more of torch's time than asked for: {'; '.join(missed)}"


if __name__ == "__main__":
    contend(*sys.argv[1:]) if len(sys.argv) > 1 else main()
