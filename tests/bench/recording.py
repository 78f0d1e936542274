"""What it costs to record one small op, and to walk back through it: ddl beside numpy, PyTorch and HIPS autograd."""

import autograd
import autograd.numpy as anp
import numpy as np
import torch
from timing import interleaved, machine

import ddl

LENGTH, ROUNDS, CALLS = 100, 31, 20
values = np.random.default_rng(0).uniform(0.9, 1.1, (2, 4, 4)).astype(np.float32)
ones = np.ones((4, 4), np.float32)


def chain(x, y):
    """A hundred products, so that what is paid once a call does not count."""
    for _ in range(LENGTH):
        x = x * y
    return x


def contenders():
    x, y = (ddl.tensor(v, requires_grad=True) for v in values)
    tx, ty = (torch.tensor(v, requires_grad=True) for v in values)
    record = {
        "numpy": lambda: chain(*values),
        "ddl": lambda: chain(x, y),
        "torch": lambda: chain(tx, ty),
        "autograd": lambda: autograd.make_vjp(lambda v: chain(v[0], v[1]))(anp.array(values)),
    }
    both = {
        "ddl": lambda: chain(x, y).backward(ones),
        "torch": lambda: chain(tx, ty).backward(torch.from_numpy(ones)),
        "autograd": lambda: autograd.make_vjp(lambda v: chain(v[0], v[1]))(anp.array(values))[0](ones),
    }
    single = {
        "ddl": lambda: (x * y).backward(ones),
        "torch": lambda: (tx * ty).backward(torch.from_numpy(ones)),
    }
    return record, both, single


def main():
    torch.set_num_threads(1)
    record, both, single = contenders()
    recorded = {k: v / LENGTH * 1e6 for k, v in interleaved(record, ROUNDS, CALLS).items()}
    walked = {k: v / LENGTH * 1e6 for k, v in interleaved(both, ROUNDS, CALLS).items()}
    alone = {k: v * 1e6 for k, v in interleaved(single, ROUNDS, 500).items()}
    print("One product of 4x4 float32 arrays, microseconds\n")
    columns = "recorded | over numpy | of torch | with its backward | over numpy | of torch"
    print(f"| | {columns} | a lone op and backward | of torch |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, t in recorded.items():
        row = [f"{t:.2f}", f"{t - recorded['numpy']:.2f}", f"{t / recorded['torch']:.2f}"]
        if name in walked:
            w = walked[name]
            row += [f"{w:.2f}", f"{w - recorded['numpy']:.2f}", f"{w / walked['torch']:.2f}"]
        if name in alone:
            row += [f"{alone[name]:.1f}", f"{alone[name] / alone['torch']:.2f}"]
        print(f"| {name} | " + " | ".join(row + [""] * (8 - len(row))) + " |")
    print(f"\n{machine()}, torch {torch.__version__}; chains of {LENGTH}, one thread, medians of {ROUNDS} rounds")
    limits = [("record an op", recorded, 0.9), ("record an op and walk back", walked, 0.6)]
    for what, times, limit in (*limits, ("record a lone op and walk back", alone, 0.6)):
        ratio = times["ddl"] / times["torch"]
        assert ratio <= limit, f"asked to {what} in at most {limit} of torch's time, measured {ratio:.2f}"


if __name__ == "__main__":
    main()
