"""What widgets show when they are given nothing: two half-moons and a small network that is to tell them apart."""

import numpy as np

from .. import nn
from ..core import Tensor
from ..nn import functional as F
from ..optim import Adam


def moons(n=200, noise=0.12, seed=0):
    """Points (n, 2) of two interleaved half-moons, and which of the two each is of, 0 or 1."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    angle = np.pi * rng.random(n)
    x = np.stack([np.cos(angle), np.sin(angle)], 1) * np.where(y, -1, 1)[:, None] + np.outer(y, [1, 0.5])
    return (x + noise * rng.normal(size=x.shape)).astype(np.float32), y


def network(seed=0, width=16):
    """Two inputs, two hidden layers, two logits; no random stream of the learner's is drawn from."""
    rng = np.random.default_rng(seed)
    sizes = [nn.Linear(2, width, rng=rng), nn.ReLU(), nn.Linear(width, width, rng=rng), nn.ReLU()]
    return nn.Sequential(*sizes, nn.Linear(width, 2, rng=rng))


def training(model, x, y, steps, lr=0.02):
    """Train the model on all points at once, and yield the loss after each step."""
    optimizer = Adam(model.parameters(), lr=lr)
    for _ in range(steps):
        loss = F.cross_entropy(model(Tensor(x)), y)
        optimizer.backward_step(loss)
        yield loss.item()
