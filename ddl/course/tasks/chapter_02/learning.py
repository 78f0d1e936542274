"""A perceptron that keeps its best line, and the way back through a hidden layer."""

import math
import random

from ...task import Mistake, Task, parts

XOR = [((-1, -1), -1), ((-1, 1), 1), ((1, -1), 1), ((1, 1), -1)]
EASY = [((2.0, 1.0), 1), ((0.5, 1.5), 1), ((-1.0, -0.5), -1), ((-2.0, 0.5), -1)]


def noisy(n, inputs, seed):
    """Points labelled by the sign of their sum, every fifth of them wrongly."""
    rng = random.Random(seed)
    points = [tuple(rng.uniform(-1, 1) for _ in range(inputs)) for _ in range(n)]
    return [(x, (1 if sum(x) > 0.1 else -1) * (-1 if i % 5 == 4 else 1)) for i, x in enumerate(points)]


def score(w, b, x):
    return sum(wi * xi for wi, xi in zip(w, x)) + b


def wrong_of(w, b, data):
    return sum(y * score(w, b, x) <= 0 for x, y in data)


def pocket(data, passes):
    w, b = [0.0] * len(data[0][0]), 0.0
    best = w, b, len(data)
    for _ in range(passes):
        for x, y in data:
            if y * score(w, b, x) <= 0:
                w, b = [wi + y * xi for wi, xi in zip(w, x)], b + y
                if (count := wrong_of(w, b, data)) < best[2]:
                    best = w, b, count
    return best


def kept(answer, data, passes):
    return parts(answer(data, passes), "weights", "bias", "wrong")


def last_line(data, passes):
    w, b = [0.0] * len(data[0][0]), 0.0
    for _ in range(passes):
        for x, y in data:
            if y * score(w, b, x) <= 0:
                w, b = [wi + y * xi for wi, xi in zip(w, x)], b + y
    return w, b, wrong_of(w, b, data)


def same_list(data, passes):
    w, b = [0.0] * len(data[0][0]), 0.0
    best = w, b, len(data)
    for _ in range(passes):
        for x, y in data:
            if y * score(w, b, x) <= 0:
                for i, xi in enumerate(x):
                    w[i] += y * xi
                b += y
                if (count := wrong_of(w, b, data)) < best[2]:
                    best = w, b, count
    return best


def end_of_pass(data, passes):
    w, b = [0.0] * len(data[0][0]), 0.0
    best = w, b, len(data)
    for _ in range(passes):
        w, b, count = one_pass(w, b, data)
        if count < best[2]:
            best = w, b, count
    return best


def one_pass(w, b, data):
    for x, y in data:
        if y * score(w, b, x) <= 0:
            w, b = [wi + y * xi for wi, xi in zip(w, x)], b + y
    return w, b, wrong_of(w, b, data)


def latest_of_equals(data, passes):
    w, b = [0.0] * len(data[0][0]), 0.0
    best = w, b, len(data)
    for _ in range(passes):
        for x, y in data:
            if y * score(w, b, x) <= 0:
                w, b = [wi + y * xi for wi, xi in zip(w, x)], b + y
                if (count := wrong_of(w, b, data)) <= best[2]:
                    best = w, b, count
    return best


def slopes(x, t, W, c, v, d):
    h = [math.tanh(score(w, bias, x)) for w, bias in zip(W, c)]
    g = 1 / (1 + math.exp(-score(v, d, h))) - t
    back = [g * vj * (1 - hj * hj) for vj, hj in zip(v, h)]
    return [[bj * xi for xi in x] for bj in back], back, [g * hj for hj in h], g


def named(answer, x, t, W, c, v, d):
    return parts(answer(x, t, W, c, v, d), "dW", "dc", "dv", "dd")


def slopes_but(x, t, W, c, v, d, squash=True, inputs=True, through=True, target=True):
    """The slopes with one thing or another left out."""
    h = [math.tanh(score(w, bias, x)) for w, bias in zip(W, c)]
    g = 1 / (1 + math.exp(-score(v, d, h))) - (t if target else 0)
    back = [g * (vj if through else 1) * (1 - hj * hj if squash else 1) for vj, hj in zip(v, h)]
    return [[bj * (xi if inputs else 1) for xi in x] for bj in back], back, [g * hj for hj in h], g


def without(**parts):
    return lambda x, t, W, c, v, d: slopes_but(x, t, W, c, v, d, **parts)


def uphill(x, t, W, c, v, d):
    dW, dc, dv, dd = slopes(x, t, W, c, v, d)
    return [[-s for s in row] for row in dW], [-s for s in dc], [-s for s in dv], -dd


def networks():
    """(x, t, W, c, v, d) by what is special about them."""
    rng = random.Random(4)
    some = lambda n: [rng.uniform(-1, 1) for _ in range(n)]
    return {
        "one input, one neuron": ([1.0], 1, [[0.5]], [0.0], [1.0], 0.0),
        "hidden scores of 0": ([1.0, 1.0], 0, [[0.0, 0.0], [0.0, 0.0]], [0.0, 0.0], [1.0, 1.0], 0.5),
        "an example of 0 and last weights of 0": ([0.0, 0.0], 1, [some(2), some(2)], some(2), [0.0, 0.0], 0.0),
        "an example it is sure of": ([1.0, -1.0], 1, [some(2), some(2)], some(2), some(2), 50.0),
        "two inputs, four neurons, true": ([-1.0, 1.0], 1, [some(2) for _ in range(4)], some(4), some(4), 0.3),
        "two inputs, four neurons, false": ([-1.0, 1.0], 0, [some(2) for _ in range(4)], some(4), some(4), -0.2),
        "three inputs, two neurons": (some(3), 0, [some(3), some(3)], some(2), some(2), 0.1),
    }


TASKS = [
    Task(
        "02.pocket",
        "The best line in the pocket",
        "pocket",
        pocket,
        lambda: {
            "no pass": (EASY, 0),
            "a single point": ([((3.0,), -1)], 2),
            "points that a line parts": (EASY, 3),
            "exclusive or, one pass": (XOR, 1),
            "exclusive or, ten passes": (XOR, 10),
            "one label in five wrong": (noisy(20, 2, seed=3), 5),
            "three inputs, one label in five wrong": (noisy(15, 3, seed=7), 4),
        },
        (
            "Train as before. After each change of the weights, count how many of all points are wrong with them.",
            "Keep the weights, the bias and that count where it is smaller than the smallest so far, which is "
            "len(data) at first.",
            "`if count < fewest: best, fewest = (w, b), count`. Make a new list for w at each step; one that is "
            "changed in place changes in the pocket too.",
        ),
        (
            Mistake(
                "the last line, not the best",
                "On data that no line parts the weights never rest: return the best that were met on the way.",
                last_line,
            ),
            Mistake(
                "the pocket holds the list that goes on changing",
                "What was put away is the same list that the training changes: make a new one at each step, or a copy.",
                same_list,
            ),
            Mistake(
                "looked at after each pass only",
                "The best line may be met in the middle of a pass: count after each change.",
                end_of_pass,
            ),
            Mistake(
                "the latest of equals",
                "Of two lines that are equally good the first is kept: < and not <=.",
                latest_of_equals,
            ),
        ),
        kept,
        level=3,
    ),
    Task(
        "02.hidden",
        "Back through a hidden layer, by hand",
        "slopes",
        slopes,
        networks,
        (
            "Go forward: hidden values h, score s, p = σ(s). The loss has the slope g = p − t in s, and in d too.",
            "From s, the slope g goes on: to v_j times h_j, and to h_j times v_j. Then tanh: times 1 − h_j².",
            "dv_j = g·h_j;  dc_j = g·v_j·(1 − h_j²);  dW_ji = dc_j·x_i;  dd = g.",
        ),
        (
            Mistake("the slope of tanh is missing", "On the way through tanh: times 1 − h².", without(squash=False)),
            Mistake(
                "the inputs are missing",
                "A weight moves its neuron's score by as much as its input: dW_ji is dc_j times x_i.",
                without(inputs=False),
            ),
            Mistake(
                "the last weights are missing",
                "A hidden value reaches the score through its last weight: times v_j.",
                without(through=False),
            ),
            Mistake(
                "p for p − t",
                "The slope of the loss in the score is p − t: for a true example it is negative.",
                without(target=False),
            ),
            Mistake(
                "t − p for p − t", "These point downhill; the slope points to where the loss grows: p − t.", uphill
            ),
        ),
        named,
        level=3,
    ),
]
