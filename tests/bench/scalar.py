"""One training step of micrograd's two-moons demo, by Scalar and by micrograd in turn."""

import gc
import random
import statistics
import time
from itertools import pairwise

import numpy as np
from micrograd.engine import Value
from micrograd.nn import MLP

from ddl.scalar import Scalar

SIZES = [2, 16, 16, 1]
ROUNDS = 7
RATE = 0.1


def two_moons(n=100, noise=0.1, seed=1337):
    """Two interleaved half circles, labelled -1 and 1."""
    rng = np.random.default_rng(seed)
    angle = np.linspace(0, np.pi, n // 2)
    upper = np.stack([np.cos(angle), np.sin(angle)], 1)
    lower = np.stack([1 - np.cos(angle), 0.5 - np.sin(angle)], 1)
    points = np.concatenate([upper, lower]) + noise * rng.standard_normal((n, 2))
    return points.tolist(), [-1] * (n // 2) + [1] * (n // 2)


def hinge_and_decay(scores, labels, parameters, add):
    """micrograd's loss: the mean SVM max-margin loss, and an L2 penalty."""
    losses = [(1 + -label * score).relu() for label, score in zip(labels, scores)]
    return add(losses) * (1.0 / len(losses)) + 1e-4 * add([p * p for p in parameters])


class Micrograd:
    def __init__(self, points, weights):
        self.model = MLP(2, SIZES[1:])
        for p, w in zip(self.model.parameters(), weights):
            p.data = w
        self.points = points

    def step(self, labels):
        scores = [self.model([Value(x) for x in point]) for point in self.points]
        loss = hinge_and_decay(scores, labels, self.model.parameters(), sum)
        self.model.zero_grad()
        loss.backward()
        for p in self.model.parameters():
            p.data -= RATE * p.grad
        return loss.data


class Ours:
    """The same network and step; `fused` says whether a neuron's weighted sum is one node, as the library has it."""

    def __init__(self, points, weights, fused):
        weights = iter(weights)
        self.layers = [
            [([Scalar(next(weights)) for _ in range(fan_in)], Scalar(next(weights))) for _ in range(fan_out)]
            for fan_in, fan_out in pairwise(SIZES)
        ]
        self.parameters = [p for layer in self.layers for ws, b in layer for p in (*ws, b)]
        self.points = points
        self.dot = Scalar.dot if fused else lambda ws, xs, b: sum((w * x for w, x in zip(ws, xs)), b)
        self.add = Scalar.sum if fused else sum

    def score(self, point):
        xs = [Scalar(x) for x in point]
        for layer in self.layers:
            xs = [self.dot(ws, xs, b) for ws, b in layer]
            if layer is not self.layers[-1]:
                xs = [x.relu() for x in xs]
        return xs[0]

    def step(self, labels):
        loss = hinge_and_decay([self.score(point) for point in self.points], labels, self.parameters, self.add)
        for p in self.parameters:
            p.grad = 0.0
        loss.backward()
        for p in self.parameters:
            p.data -= RATE * p.grad
        return loss.data


def main():
    points, labels = two_moons()
    random.seed(1337)
    weights = [p.data for p in MLP(2, SIZES[1:]).parameters()]
    rivals = {
        "micrograd": Micrograd(points, weights),
        "ddl.Scalar, a node an operator": Ours(points, weights, fused=False),
        "ddl.Scalar, a node a weighted sum": Ours(points, weights, fused=True),
    }
    times = {name: [] for name in rivals}
    for _ in range(ROUNDS):
        losses = []
        for name, rival in rivals.items():
            gc.collect()  # nobody pays for the rubbish of the one before
            start = time.perf_counter()
            losses.append(rival.step(labels))
            times[name].append(time.perf_counter() - start)
        assert max(losses) - min(losses) < 1e-9, losses  # all three take the same steps

    median = {name: statistics.median(ts) for name, ts in times.items()}
    print(f"two moons, 100 samples, MLP 2-16-16-1, median of {ROUNDS} steps taken in turn\n")
    print("| engine | ms a step | times micrograd's speed |\n|---|---:|---:|")
    for name, seconds in median.items():
        print(f"| {name} | {1e3 * seconds:.1f} | {median['micrograd'] / seconds:.1f} |")
    ratio = median["micrograd"] / median["ddl.Scalar, a node a weighted sum"]
    assert ratio >= 10, f"asked for 10 times micrograd's speed, measured {ratio:.1f}"


if __name__ == "__main__":
    main()
