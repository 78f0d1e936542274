"""An MLP's training step, 784-256-10 on 64 rows, beside PyTorch eager's: same weights and batch, same cores."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read when numpy is imported; its products here are small

import numpy as np
from timing import beside_torch
from torch import nn

import ddl
from ddl.memory import keep_freed_memory
from ddl.models import MLP

LIMIT = 0.7


def main():
    ddl.manual_seed(0)
    keep_freed_memory()
    rng = np.random.default_rng(0)
    x, y = rng.random((64, 784)).astype(np.float32), rng.integers(0, 10, 64)
    twin = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10))
    ratio = beside_torch(MLP(784, 256, 10), twin, x, y)
    assert ratio <= LIMIT, f"asked for at most {LIMIT} of torch's time, measured {ratio:.2f}"


if __name__ == "__main__":
    main()
