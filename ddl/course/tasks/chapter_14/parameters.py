"""What is known of a decoder before it trains, and what a step does to its parameters."""

import math

import numpy as np

from .... import nn
from ...task import Mistake, Task, itself, once, parts


def size(V, T, C, L):
    attention = 3 * C * C + 3 * C + C * C + C
    mlp = 4 * C * C + 4 * C + 4 * C * C + C
    return V * C + T * C + L * (attention + mlp + 4 * C) + 2 * C


def groups(model):
    named = [*model.named_parameters()]
    return [name for name, p in named if p.ndim > 1], [name for name, p in named if p.ndim <= 1]


def sorted_out(answer, model):
    """The names in both groups, by group."""
    return parts(answer(model), "decayed", "spared")


def sorted_by(decays):
    """The same by another rule of what decays."""

    def grouped(model):
        named = [*model.named_parameters()]
        return [name for name, p in named if decays(name, p)], [name for name, p in named if not decays(name, p)]

    return grouped


def models():
    """A model by what is in it."""
    return {
        "one matrix": (nn.Linear(3, 2, bias=False),),
        "a matrix and a bias": (nn.Linear(3, 2),),
        "no parameters": (nn.ReLU(),),
        "a network": (nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2)),),
        "with a norm": (nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4), nn.Linear(4, 2)),),
        "with a table": (nn.Sequential(nn.Embedding(5, 4), nn.Linear(4, 2)),),
        "one block": (nn.Sequential(nn.LayerNorm(4), nn.MultiHeadAttention(4, 2)),),
    }


def still(model, step):
    before = {name: p.numpy().copy() for name, p in model.named_parameters()}
    step(model)
    return [name for name, p in model.named_parameters() if (p.numpy() == before[name]).all()]


def found_by(same, taken=np.copy):
    """The same by another comparison of before and after, or with another record of what was before."""

    def found(model, step):
        before = {name: taken(p.numpy()) for name, p in model.named_parameters()}
        step(model)
        return [name for name, p in model.named_parameters() if same(before[name], p.numpy())]

    return found


def nothing(model):
    """A step without a rate."""


def everything(model):
    for p in model.parameters():
        p.data[...] += 0.1


def only(*moved, by=0.1):
    def step(model):
        for name, p in model.named_parameters():
            if name in moved:
                p.data[...] += by

    return step


def one_entry(model):
    next(model.parameters()).data[-1, -1] += 0.5


def cancelling(model):
    matrix = next(model.parameters()).data
    matrix[0, 0] += 0.25
    matrix[1, 0] -= 0.25


def steps():
    """(model, step) by what the step moves."""

    def net():
        layers = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
        for n, p in enumerate(layers.parameters()):
            p.data[...] = (np.arange(p.data.size).reshape(p.shape) + n + 1) / 8  # sums of these are exact
        return layers

    return {
        "nothing moves": (net(), nothing),
        "everything moves": (net(), everything),
        "the second layer alone": (net(), only("2.weight", "2.bias")),
        "the biases alone": (net(), only("0.bias", "2.bias")),
        "a very small step": (net(), only("0.weight", by=1e-6)),
        "one entry of one matrix": (net(), one_entry),
        "two entries, one up and one down": (net(), cancelling),
        "no parameters": (nn.ReLU(), nothing),
    }


TASKS = [
    Task(
        "14.first",
        "The first loss of GPT-2",
        "first_loss",
        math.log(50257),
        once,
        (
            "A model that knows nothing gives each token the same chance. How large is it?",
            "p = 1/50257, for whatever token comes next.",
            "The loss is −log p, with the natural logarithm: log 50257.",
        ),
        (
            Mistake("in bits", "That is the logarithm to base 2: the loss is in nats, with the natural one.", 15.617),
            Mistake("the logarithm to base 10", "The loss takes the natural logarithm.", math.log10(50257)),
            Mistake("the chance itself", "The loss is −log of the chance.", 1 / 50257),
            Mistake("the perplexity", "exp of the loss is the perplexity, 50257: the loss is its logarithm.", 50257.0),
        ),
        itself,
        rtol=1e-3,
    ),
    Task(
        "14.size",
        "How many parameters",
        "size",
        size,
        lambda: {
            "the chapter's": (968, 128, 128, 4),
            "GPT-2, the smallest": (50257, 1024, 768, 12),
            "one block": (10, 4, 2, 1),
            "no block": (10, 4, 2, 0),
            "one number wide": (7, 3, 1, 5),
            "no table of places": (11, 0, 4, 2),
            "no table of tokens": (0, 8, 4, 2),
        },
        (
            "A block: C to 3C, C to C, C to 4C, 4C to C, each with a bias; and two norms of C gains and C biases.",
            "That is 12 C² + 13 C a block. The tables have V C and T C; the head is the token table once more.",
            "V * C + T * C + L * (12 * C * C + 13 * C) + 2 * C: the last two are the norm before the head.",
        ),
        (
            Mistake(
                "the head counted once more",
                "The head is tied: it is the table of tokens, which was counted already.",
                lambda V, T, C, L: size(V, T, C, L) + V * C,
            ),
            Mistake(
                "no biases",
                "Each of the four linear layers of a block has a bias: 3C, C, 4C and C numbers.",
                lambda V, T, C, L: size(V, T, C, L) - 9 * C * L,
            ),
            Mistake(
                "one norm a block",
                "A block has two norms, one before the attention and one before the MLP.",
                lambda V, T, C, L: size(V, T, C, L) - 2 * C * L,
            ),
            Mistake(
                "the places are left out",
                "Places have a table as well: T rows of C.",
                lambda V, T, C, L: size(V, T, C, L) - T * C,
            ),
            Mistake(
                "the output of the attention is left out",
                "After the heads a linear layer from C to C mixes what they found.",
                lambda V, T, C, L: size(V, T, C, L) - L * (C * C + C),
            ),
        ),
        level=2,
    ),
    Task(
        "14.groups",
        "What decays",
        "groups",
        groups,
        models,
        (
            "`model.named_parameters()` gives pairs of a name and a parameter, in order.",
            "What decays has two axes or more: `p.ndim > 1`. The name says nothing reliable: a norm has a weight too.",
            "Two list comprehensions over [*model.named_parameters()], one with `p.ndim > 1`, one with its opposite.",
        ),
        (
            Mistake(
                "the gains of norms decay",
                "A norm's `weight` is a vector of gains: its name says weight, its axes say that it is spared.",
                sorted_by(lambda name, p: name.endswith("weight")),
            ),
            Mistake("everything decays", "Biases and gains are spared.", sorted_by(lambda name, p: True)),
            Mistake(
                "the two are exchanged",
                "The first list is of those that decay, the matrices.",
                sorted_by(lambda name, p: p.ndim <= 1),
            ),
            Mistake(
                "square matrices alone",
                "A matrix is what has two axes, of whatever lengths.",
                sorted_by(lambda name, p: p.ndim > 1 and p.shape[0] == p.shape[1]),
            ),
        ),
        sorted_out,
        level=2,
    ),
    Task(
        "14.moved",
        "Find the bug: a probe that sees nothing move",
        "still",
        still,
        steps,
        (
            "What is `before[name]` after the step? Print one of its numbers before the step and after.",
            "`p.numpy()` is the parameter's own memory, which the step changes. What was before has to be a copy.",
            "`p.numpy().copy()` before; and after, every single entry has to be equal: `(a == b).all()`.",
        ),
        (
            Mistake(
                "a small step is taken for none",
                "`np.allclose` forgives what is small. A parameter that moved a little did move: compare with ==.",
                found_by(np.allclose),
            ),
            Mistake(
                "sums are compared",
                "Two entries that move against each other leave the sum: every entry has to be compared.",
                found_by(lambda a, b: a.sum() == b.sum()),
            ),
            Mistake(
                "one entry is enough",
                "Still is what did not move at all: all entries are equal, not any.",
                found_by(lambda a, b: (a == b).any()),
            ),
            Mistake(
                "those that moved",
                "Asked for are the names of those that stay.",
                found_by(lambda a, b: not np.array_equal(a, b)),
            ),
            Mistake(
                "no copy was taken",
                "`p.numpy()` shares its memory with the parameter, so that before and after are one array: copy it.",
                found_by(np.array_equal, taken=lambda x: x),
            ),
        ),
        level=2,
    ),
]
