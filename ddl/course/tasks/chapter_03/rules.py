"""Rules for whole arrays: a loss and its slope, a squash, a quadratic form."""

import numpy as np

from ...task import Mistake, Task, parts


def mean_square(scores, labels):
    error = scores - labels.reshape(scores.shape)
    return (error**2).mean(), 2 * error / error.size


def slope_and(answer, scores, labels):
    return parts(answer(scores, labels), "loss", "slope")


def as_shown(scores, labels):
    error = scores - labels
    return (error**2).mean(), 2 * error / error.size


def summed_to_shape(scores, labels):
    error = scores - labels
    slope = 2 * error / error.size
    while slope.ndim > scores.ndim:
        slope = slope.sum(axis=0)
    return (error**2).mean(), slope


def summed(scores, labels):
    error = scores - labels.reshape(scores.shape)
    return (error**2).sum(), 2 * error


def not_shared(scores, labels):
    value, slope = mean_square(scores, labels)
    return value, slope * scores.size


def uphill(scores, labels):
    value, slope = mean_square(scores, labels)
    return value, -slope


def always_columns(scores, labels):
    value, slope = mean_square(scores, labels)
    return value, slope.reshape(-1, 1)


def softsign(x):
    return x / (1 + abs(x))


def softsign_vjp(g, out):
    return g * (1 - abs(out)) ** 2


def there_and_back(answer, x, g):
    """The result, and the gradient of x where g comes back."""
    forward, vjp = answer
    return {"out": forward(x), "dx": vjp(g, softsign(x))}


def quadratic(x, A):
    return ((x @ A) * x).sum(axis=1)


def quadratic_vjp(g, x, A):
    weighed = g[:, None] * x
    return weighed @ (A + A.T), weighed.T @ x


def of_two(answer, x, A, g):
    """The result, and both gradients where g comes back."""
    forward, vjp = answer
    return {"out": forward(x, A)} | parts(vjp(g, x, A), "dx", "dA")


def some(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


TASKS = [
    Task(
        "03.loss",
        "Find the bug: a loss that compares everyone with everyone",
        "mean_square",
        mean_square,
        lambda: {
            "a single number": (np.array([2.0]), np.array([0.5])),
            "two rows of numbers": (np.array([1.0, -2.0, 3.0]), np.array([1.0, 1.0, -1.0])),
            "two columns": (some(4, 1), some(4, 1, seed=1)),
            "a row and a column": (np.array([1.0, 2.0, 4.0]), np.array([[1.0], [0.0], [4.0]])),
            "a column and a row": (np.array([[1.0], [2.0]]), np.array([3.0, -1.0])),
            "all right": (np.array([[1.0], [2.0]]), np.array([1.0, 2.0])),
        },
        (
            "Print the shape of scores − labels when one is (3,) and the other (3, 1).",
            "Give the labels the shape of the scores before you subtract. The numbers are in the right order already.",
            "error = scores - labels.reshape(scores.shape); the mean of its squares; 2 * error / error.size.",
        ),
        (
            Mistake(
                "everyone with everyone",
                "(N,) less (N, 1) is (N, N): every score less every label. Give both the same shape first.",
                as_shown,
            ),
            Mistake(
                "the slope alone was mended",
                "Its shape fits now, but it is still made of every score less every label.",
                summed_to_shape,
            ),
            Mistake("a sum for a mean", "The loss is the mean over the scores: divide by how many there are.", summed),
            Mistake(
                "the slope is not shared out",
                "In the mean each score counts for one N-th, in the slope as well.",
                not_shared,
            ),
            Mistake("the sign of the slope", "A score above its label makes the loss grow: scores − labels.", uphill),
            Mistake("the slope is always a column", "A gradient has the shape of what it belongs to.", always_columns),
        ),
        slope_and,
        level=2,
    ),
    Task(
        "03.squash",
        "An operation of your own",
        ("softsign", "softsign_vjp"),
        (softsign, softsign_vjp),
        lambda: {
            "zeros": (np.zeros((2, 2)), some(2, 2)),
            "one number": (np.array([0.5]), np.array([2.0])),
            "where 1 comes back": (np.array([[1.0, -2.0]]), np.ones((1, 2))),
            "negative ones": (-np.arange(1.0, 4.0), some(3)),
            "far out": (np.array([[-1000.0], [1000.0]]), np.array([[10.0], [20.0]])),
            "three axes": (some(2, 3, 4), some(2, 3, 4, seed=1)),
            "32 bits": (some(2, 3).astype(np.float32), some(2, 3, seed=1).astype(np.float32)),
        },
        (
            "Take x > 0 first: the slope of x / (1 + x) is 1 / (1 + x)². For x < 0 it is the same with |x|.",
            "Now write 1 / (1 + |x|) with the output alone: what is 1 − |out|?",
            "g * (1 - abs(out)) ** 2",
        ),
        (
            Mistake(
                "the rule of tanh",
                "1 − out² belongs to tanh; derive the slope of x / (1 + |x|).",
                (softsign, lambda g, out: g * (1 - out * out)),
            ),
            Mistake(
                "not squared",
                "1 − |out| is 1 / (1 + |x|), and the slope is its square.",
                (softsign, lambda g, out: g * (1 - abs(out))),
            ),
            Mistake(
                "right for positive numbers alone",
                "For a negative x the output is negative as well: the slope is the same on both sides of 0, so |out|.",
                (softsign, lambda g, out: g * (1 - out) ** 2),
            ),
            Mistake(
                "what came back is left out",
                "Along a path slopes multiply: what is sent is the slope times g.",
                (softsign, lambda g, out: (1 - abs(out)) ** 2),
            ),
        ),
        there_and_back,
        level=2,
        rtol=1e-5,
        atol=1e-7,
    ),
    Task(
        "03.quadratic",
        "Derive: a form of two x",
        ("quadratic", "quadratic_vjp"),
        (quadratic, quadratic_vjp),
        lambda: {
            "one number": (np.array([[3.0]]), np.array([[2.0]]), np.array([0.5])),
            "a symmetric A": (some(3, 2), np.array([[2.0, 1.0], [1.0, 3.0]]), np.ones(3)),
            "any A": (np.array([[1.0, 0.0], [2.0, -1.0], [0.0, 3.0]]), some(2, 2, seed=1), np.array([1.0, -1.0, 2.0])),
            "as many rows as columns": (some(3, 3), some(3, 3, seed=2), some(3, seed=3)),
            "a single row": (some(1, 2), some(2, 2, seed=3), some(1, seed=4)),
            "x of zeros": (np.zeros((2, 2)), some(2, 2), some(2)),
        },
        (
            "x_n occurs twice in y_n: hold one of them fast and move the other, then the other way round, and add.",
            "∂y_n/∂x_nk = Σ_j A_kj x_nj + Σ_i x_ni A_ik. And ∂y_n/∂A_ij = x_ni x_nj. Both are weighed by g_n.",
            "weighed = g[:, None] * x;  weighed @ (A + A.T);  weighed.T @ x",
        ),
        (
            Mistake(
                "as if A were symmetric",
                "The two x meet A from its two sides: A + Aᵀ, which is 2 A only where A is symmetric.",
                (quadratic, lambda g, x, A: (2 * (g[:, None] * x) @ A, quadratic_vjp(g, x, A)[1])),
            ),
            Mistake(
                "one of the two x",
                "x occurs twice, and each occurrence sends its part: add them.",
                (quadratic, lambda g, x, A: ((g[:, None] * x) @ A.T, quadratic_vjp(g, x, A)[1])),
            ),
            Mistake(
                "the rows are not weighed",
                "Row n of x hears g_n, and A hears each row as loudly as its g_n.",
                (quadratic, lambda g, x, A: quadratic_vjp(np.ones_like(g), x, A)),
            ),
            Mistake(
                "a mean over the rows",
                "A is used by each row, and what comes back adds up: a sum, not a mean.",
                (
                    quadratic,
                    lambda g, x, A: (quadratic_vjp(g, x, A)[0], quadratic_vjp(g, x, A)[1] / len(x)),
                ),
            ),
        ),
        of_two,
        level=2,
    ),
]
