"""How large signals become on their way through many layers."""

import numpy as np

from ...task import Mistake, Task, itself, once


def identity(z):
    return z


def relu(z):
    return np.maximum(z, 0)


def leaky(z):
    return np.where(z > 0, z, 0.2 * z)


def swish(z):
    return z / (1 + np.exp(-z))


def softplus(z):
    return np.log1p(np.exp(z))


def mean_over_normal(f):
    """The mean of f(z) for a z that is normal with mean 0 and variance 1."""
    z = np.linspace(-8, 8, 4001)
    density = np.exp(-z * z / 2)
    return float((f(z) * density).sum() / density.sum())


def gain(squash):
    return mean_over_normal(lambda z: squash(z) ** 2) ** -0.5


def calibrated(weights, x, squash):
    scaled = []
    for w in weights:
        w = w / np.sqrt(((x @ w.T) ** 2).mean())
        scaled.append(w)
        x = squash(x @ w.T)
    return scaled


def by(measure, weights, x, squash, along=True):
    """The same with another measure of a layer's size."""
    scaled = []
    for w in weights:
        new = w / measure(x @ w.T)
        scaled.append(new)
        x = squash(x @ (new if along else w).T)
    return scaled


def rms(z):
    return np.sqrt((z**2).mean())


def in_place(weights, x, squash):
    for w in weights:
        w /= rms(x @ w.T)
        x = squash(x @ w.T)
    return weights


def stacks():
    """(weights, x, squash) by what is special about them."""
    rng = np.random.default_rng(2)
    some = lambda *shape, std=0.5: rng.normal(0, std, shape)
    sizes = [some(3, 2), some(2, 3), some(1, 2)]
    return {
        "already right": ([np.array([[1.0]])], np.array([[1.0], [-1.0]]), identity),
        "one layer, inputs on both sides of 0": ([some(1, 2)], np.array([[1.0, 2.0], [-1.0, -2.0]]), relu),
        "no layer": ([], some(3, 2), relu),
        "three layers, nothing between": (sizes, some(5, 2), identity),
        "three layers, relu": (sizes, some(5, 2), relu),
        "three layers, tanh": (sizes, some(5, 2), np.tanh),
        "tiny weights, deep": ([some(4, 4, std=0.01) for _ in range(6)], some(9, 4), relu),
        "32 bits": ([w.astype(np.float32) for w in sizes], some(5, 2).astype(np.float32), relu),
    }


TASKS = [
    Task(
        "05.scale",
        "How much is left after thirty layers",
        "factor",
        2.0**-15,
        once,
        (
            "First the mean square: by how much does one layer multiply it, with relu behind it?",
            "n·σ² is 256/256 = 1, and relu keeps half of the mean square.",
            "Thirty layers: the mean square is multiplied by 2⁻³⁰. Asked for is its root.",
        ),
        (
            Mistake(
                "the mean square, not its root",
                "That is what happens to the mean square; the size of the numbers goes with its root.",
                2.0**-30,
            ),
            Mistake(
                "relu left out", "n·σ² is 1, but relu lets only half of the mean square through, layer by layer.", 1.0
            ),
            Mistake("one layer only", "That is one layer; there are thirty, and factors multiply.", 2.0**-0.5),
            Mistake("thirty times one half", "Factors of layers multiply: a power, not a multiple.", 1 / 30),
        ),
        itself,
        rtol=1e-2,
    ),
    Task(
        "05.gain",
        "The gain of any squash",
        "gain",
        gain,
        lambda: {
            "nothing": (identity,),
            "doubling": (lambda z: 2 * z,),
            "relu": (relu,),
            "a leaky relu": (leaky,),
            "tanh": (np.tanh,),
            "swish": (swish,),
            "softplus": (softplus,),
        },
        (
            "Behind the squash the mean square is E[squash(z)²]. How much larger do the next weights have to be?",
            "Weights that are larger by the gain make the next layer's mean square larger by gain². It has to be 1.",
            "z = np.linspace(-8, 8, 4001), each weighed by exp(−z²/2): the mean of squash(z)² so weighed, to the −1/2.",
        ),
        (
            Mistake(
                "the standard deviation for the root of the mean square",
                "The next layer multiplies the mean square, the squash's mean included: do not take it away.",
                lambda squash: (mean_over_normal(lambda z: squash(z) ** 2) - mean_over_normal(squash) ** 2) ** -0.5,
            ),
            Mistake(
                "not the root",
                "That is the gain's square: variances go with the square of the weights' size.",
                lambda squash: gain(squash) ** 2,
            ),
            Mistake(
                "turned upside down",
                "That is what the squash leaves; the gain makes up for it, so it is one over that.",
                lambda squash: 1 / gain(squash),
            ),
            Mistake(
                "the size of the values for their squares",
                "What a layer multiplies is the mean of the squares, not of the sizes.",
                lambda squash: mean_over_normal(lambda z: abs(z)) / mean_over_normal(lambda z: abs(squash(z))),
            ),
        ),
        level=2,
        rtol=5e-3,
    ),
    Task(
        "05.calibrate",
        "A start that measures itself",
        "calibrated",
        calibrated,
        stacks,
        (
            "Go through the layers one by one. What is the root of the mean square of x @ w.T?",
            "Divide this layer's weights by it. Then send the signal through the new weights and the squash.",
            "w = w / np.sqrt(((x @ w.T) ** 2).mean()); append it; x = squash(x @ w.T). Not `/=`: that changes w.",
        ),
        (
            Mistake(
                "the weights that were given are changed",
                "`/=` changes the caller's arrays: write w = w / …",
                in_place,
            ),
            Mistake(
                "the mean square without its root",
                "Weights twice as large make the mean square four times as large: divide by its root.",
                lambda weights, x, squash: by(lambda z: (z**2).mean(), weights, x, squash),
            ),
            Mistake(
                "the standard deviation",
                "Behind a relu signals have a mean, and the next layer multiplies it too: the root of the mean square.",
                lambda weights, x, squash: by(np.std, weights, x, squash),
            ),
            Mistake(
                "the signal went through the old weights",
                "What the next layer sees has been through the new weights: send it through those.",
                lambda weights, x, squash: by(rms, weights, x, squash, along=False),
            ),
            Mistake(
                "measured behind the squash",
                "The mean square that should be 1 is that of x @ w.T, before the squash.",
                lambda weights, x, squash: by(lambda z: rms(squash(z)), weights, x, squash),
            ),
            Mistake(
                "each neuron by itself",
                "One number for a layer: dividing each neuron's weights by its own makes them all equally loud.",
                lambda weights, x, squash: by(
                    lambda z: np.sqrt((z**2).mean(axis=0, keepdims=True).T), weights, x, squash
                ),
            ),
        ),
        level=3,
        rtol=1e-5,
    ),
]
