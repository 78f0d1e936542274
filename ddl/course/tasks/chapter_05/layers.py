"""A linear layer's two functions, and dropout."""

import numpy as np

from .... import backward
from ....core import Tensor
from ....creation import tensor
from ...task import Mistake, Task, parts


def linear(x, weight, bias):
    return x @ weight.T + bias


def linear_vjp(g, x, weight):
    return g @ weight, rows(g).T @ rows(x), rows(g).sum(axis=0)


def rows(array):
    """(.., n) -> (product of .., n)"""
    return array.reshape(-1, array.shape[-1])


def there_and_back(answer, x, weight, bias, g):
    """The result, and the gradients where g comes back."""
    forward, vjp = answer
    return {"out": forward(x, weight, bias)} | parts(vjp(g, x, weight), "dx", "dweight", "dbias")


def maps():
    """(x, weight, bias, g) by what is special about them."""
    rng = np.random.default_rng(0)

    def case(*shape, to=1, bias=1.0, kind=np.float64):
        arrays = rng.normal(size=shape), rng.normal(size=(to, shape[-1])), bias * rng.normal(size=to)
        return tuple(part.astype(kind) for part in (*arrays, rng.normal(size=(*shape[:-1], to))))

    return {
        "one example, one number": case(1, 1),
        "a square": case(2, 2, to=2),
        "five examples, 3 to 4": case(5, 3, to=4),
        "one example, a bias of zeros": case(1, 2, to=3, bias=0.0),
        "examples in two axes": case(2, 5, 3, to=4),
        "32 bits": case(4, 2, to=3, kind=np.float32),
    }


def dropout(x, p, training, rng):
    if not training:
        return x
    kept = rng.random(x.shape) >= p
    return x * tensor((kept / (1 - p)).astype(x.dtype))


def heard(answer, p, training):
    """What two passes over the same inputs have in common, and what comes back."""
    values = np.random.default_rng(5).uniform(1, 2, (100, 200)).astype(np.float32)
    x, rng = tensor(values, requires_grad=True), np.random.default_rng(8)
    first, second = answer(x, p, training, rng), answer(x, p, training, rng)
    if not isinstance(first, Tensor):
        return first
    a, b = first.numpy(), second.numpy()
    (dx,) = backward.grad(first.sum(), [x])
    loud = a[a != 0] / values[a != 0]
    silent, again = a == 0, b == 0
    return {
        "silent": share(silent),
        "least and largest factor of the rest": [
            round(float(f), 3) for f in (loud.min(initial=9), loud.max(initial=0))
        ],
        "silent in two passes": share(silent & again),
        "silent in two examples": share(silent[::2] & silent[1::2]),
        "two silent neurons of an example": share(silent[:, ::2] & silent[:, 1::2]),
        "its slope is its factor": bool(np.allclose(dx.numpy(), a / values, atol=1e-5)),
        "dtype": str(first.dtype),
    }


def share(which):
    return round(float(which.mean()), 3)


def masked(keep, factor=lambda p: 1 / (1 - p), always=False, dtype=np.float32, shape=lambda x: x.shape):
    """A dropout with one thing or another done otherwise."""

    def answer(x, p, training, rng):
        if not (training or always):
            return x
        return x * tensor((keep(rng.random(shape(x)), p) * factor(p)).astype(dtype))

    return answer


def drops(u, p):
    return u >= p


TASKS = [
    Task(
        "05.linear",
        "A layer there and back",
        ("linear", "linear_vjp"),
        (linear, linear_vjp),
        maps,
        (
            "For x of shape (B, n_in) the chapter has all four formulas. Begin with those.",
            "All axes in front of the last are batch: rows = g.reshape(-1, g.shape[-1]) makes them one.",
            "x @ weight.T + bias;  then g @ weight, rows of g transposed @ rows of x, and the sum over the rows of g.",
        ),
        (
            Mistake(
                "a mean over the batch for the bias",
                "The bias is added to every example, and what comes back adds up: a sum, not a mean.",
                (linear, lambda g, x, weight: (g @ weight, rows(g).T @ rows(x), rows(g).mean(axis=0))),
            ),
            Mistake(
                "the weight's gradient is transposed",
                "It has the shape of the weight, (n_out, n_in): gᵀ x, not xᵀ g.",
                (linear, lambda g, x, weight: (g @ weight, rows(x).T @ rows(g), rows(g).sum(axis=0))),
            ),
            Mistake(
                "summed over the first axis alone",
                "All axes in front of the last one are batch, and the bias was added along each of them.",
                (linear, lambda g, x, weight: (g @ weight, rows(g).T @ rows(x), g.sum(axis=0))),
            ),
            Mistake(
                "a gradient of the weight for each example",
                "One weight serves all examples: what comes back from them is added up.",
                (linear, lambda g, x, weight: (g @ weight, g.swapaxes(-1, -2) @ x, rows(g).sum(axis=0))),
            ),
            Mistake(
                "the bias is forgotten",
                "The layer adds its bias to every example.",
                (lambda x, weight, bias: x @ weight.T, linear_vjp),
            ),
        ),
        there_and_back,
        level=2,
        rtol=1e-5,
        atol=1e-6,
    ),
    Task(
        "05.dropout",
        "Find the bug: a dropout that was tried at one half",
        "dropout",
        dropout,
        lambda: {
            "training, p = 0.5": (0.5, True),
            "training, p = 0.1": (0.1, True),
            "training, p = 0.8": (0.8, True),
            "training, p = 0": (0.0, True),
            "evaluation, p = 0.5": (0.5, False),
            "evaluation, p = 0.1": (0.1, False),
        },
        (
            "Ask for p = 0.1. How many of a thousand ones are silent, and how many should be?",
            "rng.random() is below p with probability p. That should be the silent ones.",
            "Keep where rng.random(x.shape) >= p, and divide what is kept by 1 − p.",
        ),
        (
            Mistake(
                "silent and heard exchanged",
                "A neuron is silent with probability p, so it is kept where the draw is at least p.",
                masked(lambda u, p: u < p),
            ),
            Mistake(
                "what is kept is not scaled",
                "Fewer speak, so each has to be louder, by 1 / (1 − p), or the mean falls.",
                masked(drops, lambda p: 1.0),
            ),
            Mistake(
                "scaled by 1 / p",
                "A share of 1 − p is kept: that is what the factor has to make up for.",
                masked(drops, lambda p: 1 / p if p else 1.0),
            ),
            Mistake(
                "on in evaluation",
                "In evaluation all neurons speak: return x as it is.",
                masked(drops, always=True),
            ),
            Mistake(
                "scaled in evaluation as well",
                "What is kept was made louder in training, so evaluation needs no change at all.",
                lambda x, p, training, rng: dropout(x, p, training, rng) if training else x * (1 - p),
            ),
            Mistake(
                "one mask for the whole batch",
                "Each example has a draw of its own: the mask has the shape of x.",
                masked(drops, shape=lambda x: x.shape[-1:]),
            ),
            Mistake(
                "64 bits",
                "A mask of 64 bits makes the result one of 64 bits: give it the dtype of x.",
                masked(drops, dtype=np.float64),
            ),
        ),
        heard,
        level=2,
        atol=0.02,
    ),
]
