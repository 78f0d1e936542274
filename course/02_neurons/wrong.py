"""Wrong answers to the exercises of chapter 2, as learners give them, and right ones written in another way."""

import math

import numpy as np
from answers import Answers

import ddl

ANSWERS = Answers()
wrong, right = ANSWERS.wrong, ANSWERS.right

right("02.follow")({"mistakes": 3, "b": 1, "w2": 1.0, "w1": -2.0})
wrong("02.follow", "a score of 0 taken as right")({"w1": 0, "w2": 0, "b": 0, "mistakes": 0})
wrong("02.follow", "the label left out")({"w1": 2, "w2": 1, "b": 3, "mistakes": 3})
wrong("02.follow", "moved by every point")({"w1": -2, "w2": 2, "b": 2, "mistakes": 3})
wrong("02.follow", "the bias moved without its label")({"w1": -2, "w2": 1, "b": 3, "mistakes": 3})
wrong("02.follow")({"w1": -2, "w2": 1, "b": 1, "mistakes": 2})
wrong("02.follow")({"w1": -1, "w2": 2, "b": 0, "mistakes": 2})

ANSWER = {"hidden biases": True, "hidden weights": True, "last weights": False, "last bias": True}
right("02.hears")(ANSWER)
wrong("02.hears", "as if all were zero")(ANSWER | {"hidden biases": False, "hidden weights": False})
wrong("02.hears", "everybody")(ANSWER | {"last weights": True})
wrong("02.hears", "the last layer alone")(
    ANSWER | {"hidden biases": False, "hidden weights": False, "last weights": True}
)
wrong("02.hears", "no hidden weights")(ANSWER | {"hidden weights": False})
wrong("02.hears")(ANSWER | {"last bias": False})

right("02.xor")([(-1, 1, -1), (1, -1, -1), (1, 1, 1)])
right("02.xor")(((2, 2, 3), (-3, -3, 3), (0.5, 0.5, -0.5)))
wrong("02.xor", "the bias of the last neuron is missing")([(2, 2, 1), (1, 1, -1), (1, -1, 0)])
wrong("02.xor", "turned round")([(1, 1, 1), (1, 1, -1), (-1, 1, 1)])
wrong("02.xor", "or")([(1, 1, 1), (1, 1, -1), (1, 0, 0)])
wrong("02.xor", "and")([(1, 1, 1), (1, 1, -1), (0, 1, 0)])
wrong("02.xor")([(1, 1, 0), (1, 1, -1), (1, -1, -1)])
wrong("02.xor")([(1, 0, 0), (0, 1, 0), (1, -1, 0)])


@right("02.layer")
def layer(inputs, outputs, rng):
    neurons = []
    for _ in range(outputs):
        weights = [ddl.Scalar(rng.uniform(-1, 1)) for _ in range(inputs)]
        neurons.append([*weights, ddl.Scalar(rng.uniform(-1, 1))])
    return neurons


@wrong("02.layer", "one neuron, many times")
def layer(inputs, outputs, rng):
    weights = [ddl.Scalar(rng.uniform(-1, 1)) for _ in range(inputs)]
    neuron = [*weights, ddl.Scalar(rng.uniform(-1, 1))]
    return [list(neuron) for _ in range(outputs)]


@wrong("02.layer", "one number, many times")
def layer(inputs, outputs, rng):
    return [[ddl.Scalar(rng.uniform(-1, 1))] * (inputs + 1) for _ in range(outputs)]


@wrong("02.layer", "different numbers that start alike")
def layer(inputs, outputs, rng):
    start = [rng.uniform(-1, 1) for _ in range(inputs + 1)]
    return [[*map(ddl.Scalar, start)] for _ in range(outputs)]


@wrong("02.layer", "inputs and outputs exchanged")
def layer(inputs, outputs, rng):
    return [[ddl.Scalar(rng.uniform(-1, 1)) for _ in range(outputs + 1)] for _ in range(inputs)]


@wrong("02.layer")
def layer(inputs, outputs, rng):
    return [[ddl.Scalar(rng.uniform(-1, 1)) for _ in range(inputs)] for _ in range(outputs)]


@wrong("02.layer")
def layer(inputs, outputs, rng):
    return [[ddl.Scalar(rng.uniform(0, 1)) for _ in range(inputs + 1)] for _ in range(outputs)]


def softplus(s):
    return s + math.log1p(math.exp(-s)) if s > 0 else math.log1p(math.exp(s))


def slope(s):
    return (1 + math.tanh(s / 2)) / 2


def naive(s):
    return math.log(1 + math.e**s)


def naive_slope(s):
    return 1 / (1 + math.e**-s)


right("02.softplus")((softplus, slope))
wrong("02.softplus", "e to a large score")((naive, slope))
wrong("02.softplus", "e to a large negative score")((softplus, naive_slope))
wrong("02.softplus", "e to large scores of both signs")((naive, naive_slope))
wrong("02.softplus", "the slope of the sigmoid")((softplus, lambda s: slope(s) * (1 - slope(s))))
wrong("02.softplus", "the sign of the score turned round")((softplus, lambda s: 1 - slope(s)))
wrong("02.softplus", "|s| for max(s, 0)")((lambda s: abs(s) + math.log1p(math.exp(-abs(s))), slope))
wrong("02.softplus", "e to a large score")((softplus, lambda s: math.exp(s) / (1 + math.exp(s))))
wrong("02.softplus")((softplus, lambda s: float(s > 0)))
wrong("02.softplus")((lambda s: max(s, 0.0), slope))
wrong("02.softplus")((lambda s: math.log1p(math.exp(-abs(s))), slope))


def trained(data, passes, better=lambda new, old: new < old, kept=list, moved=True, wrong_at=0.0):
    """The pocket, with one thing or another done otherwise."""
    w, b = np.zeros(len(data[0][0])), 0.0
    pocket = kept(w), b, len(data)
    for _ in range(passes):
        for x, y in data:
            if y * (w @ np.array(x) + b) > 0:
                continue
            w, b = w + y * np.array(x), b + y * moved
            count = sum(int(label * (w @ np.array(point) + b) <= wrong_at) for point, label in data)
            if better(count, pocket[2]):
                pocket = kept(w.tolist()), b, count
    return pocket


right("02.pocket")(trained)


@wrong("02.pocket", "the last line, not the best")
def pocket(data, passes):
    w, b, count = trained(data, passes, better=lambda new, old: True)
    return w, b, count


@wrong("02.pocket", "the pocket holds the list that goes on changing")
def pocket(data, passes):
    w, b = [0.0] * len(data[0][0]), 0.0
    best_w, best_b, fewest = w, b, len(data)
    for x, y in data * passes:
        if y * (sum(wi * xi for wi, xi in zip(w, x)) + b) <= 0:
            for i in range(len(w)):
                w[i] += y * x[i]
            b += y
            count = sum(label * (sum(wi * xi for wi, xi in zip(w, point)) + b) <= 0 for point, label in data)
            if count < fewest:
                best_w, best_b, fewest = w, b, count
    return best_w, best_b, fewest


@wrong("02.pocket", "looked at after each pass only")
def pocket(data, passes):
    best = [0.0] * len(data[0][0]), 0.0, len(data)
    for number in range(1, passes + 1):
        w, b, count = trained(data, number, better=lambda new, old: True)
        if count < best[2]:
            best = w, b, count
    return best


@wrong("02.pocket", "the latest of equals")
def pocket(data, passes):
    return trained(data, passes, better=lambda new, old: new <= old)


@wrong("02.pocket")
def pocket(data, passes):
    return trained(data, passes, wrong_at=-1e-9)


@wrong("02.pocket")
def pocket(data, passes):
    return trained(data, passes, moved=False)


def by_scalars(x, t, W, c, v, d):
    W, c, v, d = [[*map(ddl.Scalar, row)] for row in W], [*map(ddl.Scalar, c)], [*map(ddl.Scalar, v)], ddl.Scalar(d)
    s = ddl.Scalar.dot(v, [ddl.Scalar.dot(row, x, bias).tanh() for row, bias in zip(W, c)], d)
    (s.max(0) + (1 + (-abs(s)).exp()).log() - t * s).backward()
    return [[w.grad for w in row] for row in W], [p.grad for p in c], [p.grad for p in v], d.grad


right("02.hidden")(by_scalars)


def by_arrays(x, t, W, c, v, d, slope=lambda h: 1 - h * h, feed=None, down=None, error=lambda p, t: p - t):
    """The slopes, with one part or another exchanged."""
    x, W, c, v = map(np.array, (x, W, c, v))
    h = np.tanh(W @ x + c)
    g = error(1 / (1 + np.exp(-(v @ h + d))), t)
    dc = g * (v if down is None else down) * slope(h)
    return np.outer(dc, x if feed is None else feed(x)).tolist(), dc.tolist(), (g * h).tolist(), float(g)


@wrong("02.hidden", "the slope of tanh is missing")
def slopes(*network):
    return by_arrays(*network, slope=lambda h: 1.0)


@wrong("02.hidden", "the inputs are missing")
def slopes(*network):
    return by_arrays(*network, feed=np.ones_like)


@wrong("02.hidden", "the last weights are missing")
def slopes(*network):
    return by_arrays(*network, down=1.0)


@wrong("02.hidden", "p for p − t")
def slopes(*network):
    return by_arrays(*network, error=lambda p, t: p)


@wrong("02.hidden", "t − p for p − t")
def slopes(*network):
    return by_arrays(*network, error=lambda p, t: t - p)


@wrong("02.hidden")
def slopes(*network):
    return by_arrays(*network, slope=lambda h: 1 - h)


@wrong("02.hidden")
def slopes(x, t, W, c, v, d):
    dW, dc, _, g = by_scalars(x, t, W, c, v, d)
    return dW, dc, [g * vj for vj in v], g
