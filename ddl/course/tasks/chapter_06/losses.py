"""A loss there and back, and its mean over batches of unequal size."""

import numpy as np

from ...task import Mistake, Task


def xent(s, t):
    s = s - s.max(axis=-1, keepdims=True)
    return (np.log(np.exp(s).sum(axis=-1)) - (t * s).sum(axis=-1)).mean()


def xent_vjp(g, s, t):
    return g * (softmax(s) - t) / len(s)


def softmax(s):
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def there_and_back(answer, s, t, g):
    """The loss, and the gradient of the scores where g comes back."""
    forward, vjp = answer
    with np.errstate(all="ignore"):
        return {"loss": forward(s, t), "ds": vjp(g, s, t)}


def scores():
    """(s, t, g) by what is special about them."""
    rng = np.random.default_rng(0)

    def case(rows, classes, size=1.0, soft=True, g=1.0, kind=np.float64):
        t = rng.dirichlet(np.ones(classes), rows) if soft else np.eye(classes)[rng.integers(classes, size=rows)]
        return rng.normal(0, size, (rows, classes)).astype(kind), t.astype(kind), g

    far = np.array([[1000.0, 1001.0, 999.0], [0.0, 1.0, -1.0]])
    return {
        "one example, its class is sure": case(1, 3, soft=False),
        "one example, soft": case(1, 4),
        "equal scores": (np.zeros((2, 2)), np.full((2, 2), 0.5), 1.0),
        "a square, sure": case(3, 3, soft=False),
        "five examples, soft, g = -2": case(5, 3, g=-2.0),
        "scores of thousands": case(3, 4, size=3000.0),
        "one row far above the other": (far, np.array([[0.2, 0.5, 0.3], [1.0, 0.0, 0.0]]), 1.0),
        "32 bits": case(4, 3, kind=np.float32),
    }


def unshifted(s, t):
    return (np.log(np.exp(s).sum(axis=-1)) - (t * s).sum(axis=-1)).mean()


def one_maximum(s, t):
    return unshifted(s - s.max(), t)


def rounded(s, t):
    return -(t * np.log(softmax(s))).sum(axis=-1).mean()


def added_up(s, t):
    return xent(s, t) * len(s)


def likeliest(t):
    return np.eye(t.shape[-1], dtype=t.dtype)[t.argmax(axis=-1)]


def mean_loss(loss, x, t, size):
    total = 0.0
    for i in range(0, len(x), size):
        rows = slice(i, i + size)
        total += loss(x[rows], t[rows]) * len(x[rows])
    return total / len(x)


def in_batches(answer, x, t, size):
    """The mean, and whether no batch was larger than it may be."""
    seen = []

    def loss(x, t):
        seen.append(len(x))
        return float(((x - t) ** 2 * (x > 0)).mean()) if x.size and t.size else 0.0

    mean = answer(loss, x, t, size)
    return {"mean": mean, "batches within size": max(seen, default=0) <= size}


def sets():
    """(x, t, size) by what is special about them."""
    rng = np.random.default_rng(3)

    def case(n, size):
        return rng.normal(size=n), rng.normal(size=n), size

    return {
        "six in batches of 3": case(6, 3),
        "seven in batches of 3": case(7, 3),
        "ten in batches of 4": case(10, 4),
        "one in batches of 1": case(1, 1),
        "five one by one": case(5, 1),
        "two, and room for 8": case(2, 8),
        "four in one batch": case(4, 4),
    }


def pieces(x, size):
    return [slice(i, i + size) for i in range(0, len(x), size)]


def mean_of_means(loss, x, t, size):
    return float(np.mean([loss(x[rows], t[rows]) for rows in pieces(x, size)]))


def whole_batches(loss, x, t, size):
    n = len(x) // size * size
    return mean_of_means(loss, x[:n], t[:n], size) if n else 0.0


def as_if_whole(loss, x, t, size):
    return mean_loss(loss, x, t, size) * len(x) / (len(pieces(x, size)) * size)


TASKS = [
    Task(
        "06.xent",
        "Cross-entropy with soft targets",
        ("xent", "xent_vjp"),
        (xent, xent_vjp),
        scores,
        (
            "For example b the loss is log Σ exp(s) − Σ t s, since the t of a row add up to 1. Take the mean over b.",
            "Subtract each row's own largest score first (axis=-1, keepdims=True): neither term of the difference "
            "overflows then, and the difference stays.",
            "The gradient is that of the chapter with t in the place of [k = t_b]: g · (p − t) / B, where p is the "
            "softmax of the shifted scores.",
        ),
        (
            Mistake(
                "a sum over the batch",
                "The loss is the mean of the examples' losses, and so its gradient carries 1/B.",
                (added_up, lambda g, s, t: xent_vjp(g, s, t) * len(s)),
            ),
            Mistake(
                "1/B is missing from the gradient",
                "The loss is a mean over B examples, so each example's share of the gradient is 1/B.",
                (xent, lambda g, s, t: xent_vjp(g, s, t) * len(s)),
            ),
            Mistake(
                "divided by all entries",
                "The mean goes over the B examples; the classes of an example are added up.",
                (xent, lambda g, s, t: xent_vjp(g, s, t) / s.shape[-1]),
            ),
            Mistake(
                "the scores are not shifted",
                "exp(1000) is infinite: subtract each row's largest score first, in both functions.",
                (unshifted, lambda g, s, t: g * (np.exp(s) / np.exp(s).sum(-1, keepdims=True) - t) / len(s)),
            ),
            Mistake(
                "one maximum for all rows",
                "Where one row is far above, exp of the others is 0 and its log −∞: each row has its own maximum.",
                (one_maximum, xent_vjp),
            ),
            Mistake(
                "a probability is rounded before its logarithm",
                "A probability below 1e-324 is 0, and its log −∞. Do the algebra first: log Σ exp(s) − Σ t s.",
                (rounded, xent_vjp),
            ),
            Mistake(
                "the likeliest class alone",
                "Each class of a soft target counts, by its share.",
                (lambda s, t: xent(s, likeliest(t)), lambda g, s, t: xent_vjp(g, s, likeliest(t))),
            ),
            Mistake(
                "g is forgotten",
                "Whatever comes from this loss may be multiplied afterwards: g says by how much.",
                (xent, lambda g, s, t: xent_vjp(1.0, s, t).astype(s.dtype)),
            ),
        ),
        there_and_back,
        level=2,
        rtol=1e-5,
        atol=1e-7,
    ),
    Task(
        "06.mean",
        "Find the bug: a mean of means",
        "mean_loss",
        mean_loss,
        sets,
        (
            "Take seven examples in batches of 3. How many examples speak for the third of the three means?",
            "The mean of a batch times its number of examples is the batch's sum. Add up the sums.",
            "total += loss(x[rows], t[rows]) * len(x[rows]) for each batch; at the end total / len(x).",
        ),
        (
            Mistake(
                "a mean of means",
                "The examples of a smaller batch count for more than the others: weigh each mean by its batch's size.",
                mean_of_means,
            ),
            Mistake(
                "the last examples are left out",
                "Each example counts, those of the last, smaller batch as well.",
                whole_batches,
            ),
            Mistake(
                "divided as if every batch were whole",
                "Divide by the number of examples, not by batches times size.",
                as_if_whole,
            ),
            Mistake(
                "all at once",
                "The number is right, but there is room for `size` examples at a time: that is what batches are for.",
                lambda loss, x, t, size: loss(x, t),
            ),
            Mistake(
                "a sum, not a mean",
                "Divide by the number of examples in the end.",
                lambda loss, x, t, size: mean_loss(loss, x, t, size) * len(x),
            ),
        ),
        in_batches,
        level=2,
    ),
]
