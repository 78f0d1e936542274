"""A CNN's training step on 64 digits beside PyTorch eager's: same network, weights, batch and optimizer, same cores."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read when numpy is imported; its products here are small

import numpy as np
from timing import beside_torch
from torch import nn

import ddl
from ddl.memory import keep_freed_memory
from ddl.models import CNN

LIMIT = 0.8


def main():
    ddl.manual_seed(0)
    keep_freed_memory()
    rng = np.random.default_rng(0)
    x, y = rng.random((64, 1, 8, 8)).astype(np.float32), rng.integers(0, 10, 64)
    layers = [nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
    layers += [nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(128, 10)]
    ratio = beside_torch(CNN(8), nn.Sequential(*layers), x, y)
    assert ratio <= LIMIT, f"asked for at most {LIMIT} of torch's time, measured {ratio:.2f}"


if __name__ == "__main__":
    main()
