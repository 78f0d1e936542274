"""A layer of neurons, and the log of 1 + e^s as one operation."""

import math
import random

from ....scalar import Scalar
from ...task import Malformed, Mistake, Task


def layer(inputs, outputs, rng):
    return [[Scalar(rng.uniform(-1, 1)) for _ in range(inputs + 1)] for _ in range(outputs)]


def made(answer, inputs, outputs):
    """What a layer is made of: how many, how many of them different, and their values in order."""
    neurons = answer(inputs, outputs, random.Random(7))
    if not all(isinstance(p, Scalar) for neuron in neurons for p in neuron):
        raise Malformed(
            "a neuron is a list of Scalars, but other things are in it: ddl.Scalar(..) makes one of a number"
        )
    return {
        "neurons": len(neurons),
        "numbers of each neuron": [len(neuron) for neuron in neurons],
        "different numbers": len({id(p) for neuron in neurons for p in neuron}),
        "values": [[p.data for p in neuron] for neuron in neurons],
    }


def one_neuron(inputs, outputs, rng):
    return [[Scalar(rng.uniform(-1, 1)) for _ in range(inputs + 1)]] * outputs


def one_number(inputs, outputs, rng):
    return [[Scalar(rng.uniform(-1, 1))] * (inputs + 1) for _ in range(outputs)]


def one_draw(inputs, outputs, rng):
    start = [rng.uniform(-1, 1) for _ in range(inputs + 1)]
    return [[Scalar(x) for x in start] for _ in range(outputs)]


def softplus(s):
    return max(s, 0.0) + math.log1p(math.exp(-abs(s)))


def softplus_slope(s):
    small = math.exp(-abs(s))
    return (1.0 if s >= 0 else small) / (1 + small)


def both(answer, s):
    """What the two functions give at the score s."""
    forward, slope = answer
    return {"softplus": forward(s), "its slope": slope(s)}


def as_written(s):
    return math.log(1 + math.exp(s))


def slope_as_written(s):
    return 1 / (1 + math.exp(-s))


TASKS = [
    Task(
        "02.layer",
        "Find the bug: four neurons that are one",
        "layer",
        layer,
        lambda: {
            "no neuron": (2, 0),
            "one input, one neuron": (1, 1),
            "two inputs, four neurons": (2, 4),
            "three inputs, one neuron": (3, 1),
            "no input, two neurons": (0, 2),
            "as many inputs as neurons": (3, 3),
        },
        (
            "Count the different numbers: `len({id(p) for neuron in hidden for p in neuron})`. How many should it be?",
            "`[neuron] * outputs` is a list that holds the same neuron again and again. Which line makes a new one?",
            "Make a neuron for each output: [[ddl.Scalar(…) for … in range(inputs + 1)] for … in range(outputs)].",
        ),
        (
            Mistake(
                "one neuron, many times",
                "A list times a number repeats the same object: whatever moves one neuron moves them all.",
                one_neuron,
            ),
            Mistake(
                "one number, many times",
                "Every weight of a neuron needs a Scalar of its own, or all its weights move as one.",
                one_number,
            ),
            Mistake(
                "different numbers that start alike",
                "Equal neurons get equal gradients and stay equal: draw anew for each.",
                one_draw,
            ),
            Mistake(
                "inputs and outputs exchanged",
                "A neuron has a weight for each input, and there is a neuron for each output.",
                lambda inputs, outputs, rng: layer(outputs, inputs, rng),
            ),
        ),
        made,
        level=2,
    ),
    Task(
        "02.softplus",
        "One steady operation",
        ("softplus", "softplus_slope"),
        (softplus, softplus_slope),
        lambda: {f"a score of {s:,}": (s,) for s in (0.0, 0.3, -1.2, 3.0, -20.0, 40.0, -40.0, 10_000.0, -10_000.0)},
        (
            "Derive the slope first: that of log u is u'/u, and here u is 1 + eˢ. You know the result by another name.",
            "e to a positive number may overflow, e to a negative one never does: let both functions use e^(−|s|).",
            "max(s, 0) + log(1 + e^(−|s|)); its slope is 1/(1 + m) for s ≥ 0, else m/(1 + m), with m = e^(−|s|).",
        ),
        (
            Mistake(
                "e to a large score",
                "e to the power of a large s is more than a float holds: where s is positive, take eˢ out of the log.",
                (as_written, softplus_slope),
            ),
            Mistake(
                "e to a large negative score",
                "Where s is far below 0, e⁻ˢ is more than a float holds: there write eˢ / (1 + eˢ).",
                (softplus, slope_as_written),
            ),
            Mistake(
                "e to large scores of both signs",
                "Large scores are what this operation is for: let both functions use e^(−|s|), which is at most 1.",
                (as_written, slope_as_written),
            ),
            Mistake(
                "the slope of the sigmoid",
                "p·(1 − p) is how fast the sigmoid moves; the slope asked for is the sigmoid itself.",
                (softplus, lambda s: softplus_slope(s) * softplus_slope(-s)),
            ),
            Mistake(
                "the sign of the score turned round",
                "The slope grows from 0 to 1 as the score does.",
                (softplus, lambda s: softplus_slope(-s)),
            ),
            Mistake(
                "|s| for max(s, 0)",
                "For a negative score nothing is taken out of the log, so nothing is to be added.",
                (lambda s: abs(s) + math.log1p(math.exp(-abs(s))), softplus_slope),
            ),
        ),
        both,
        level=2,
    ),
]
