"""Two models mixed, and an embedding whose rows are averaged, there and back."""

import numpy as np

from ...task import Mistake, Task


def mix(p, q):
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        if ((p - q) / (middle * p + (1 - middle) * q)).sum() > 0:
            low = middle
        else:
            high = middle
    return low


def quietly(answer, p, q):
    with np.errstate(all="ignore"):
        return float(answer(p, q))


def guesses():
    """(p, q) by what is special about them."""
    rng = np.random.default_rng(12)
    return {
        "each as good as the other": (np.array([0.9, 0.2]), np.array([0.2, 0.9])),
        "the first is better each time": (np.array([0.5, 0.9, 0.4]), np.array([0.2, 0.3, 0.1])),
        "the second is better each time": (np.array([0.1, 0.2, 0.1]), np.array([0.5, 0.3, 0.4])),
        "the first says impossible once": (np.array([0.8, 0.0, 0.7, 0.6]), np.array([0.4, 0.3, 0.3, 0.5])),
        "the second says impossible once": (np.array([0.3, 0.2, 0.3]), np.array([0.9, 0.0, 0.8])),
        "two hundred places": (rng.uniform(size=200) ** 2, rng.uniform(size=200) ** 3),
    }


def step(p, q, share):
    """The mean over the places of how much of the mixture is the first model's."""
    return (share * p / (share * p + (1 - share) * q)).mean()


def by_logs(p, q):
    return 1.0 if np.log(p).sum() > np.log(q).sum() else 0.0 if np.log(p).sum() < np.log(q).sum() else 0.5


def count(i, weight):
    real = i >= 0
    return real, np.maximum(real.sum(axis=1, keepdims=True), 1).astype(weight.dtype)


def bag(weight, i):
    real, n = count(i, weight)
    return (weight[i] * real[..., None]).sum(axis=1) / n


def bag_vjp(g, weight, i):
    return by(g, weight, i)


def by(g, weight, i, share=lambda real, n: real / n, scatter=np.add.at):
    """The way back, with one thing or another done otherwise."""
    dw = np.zeros_like(weight)
    scatter(dw, i, (share(*count(i, weight))[..., None] * g[:, None]).astype(weight.dtype))
    return dw


def keep_last(dw, i, g):
    dw[i[i >= 0]] = g[i >= 0]


def last_row(weight, i):
    """As if -1 were the last row of the table."""
    return weight[i].mean(axis=1)


def last_row_back(g, weight, i):
    return by(g, weight, i, share=lambda real, n: np.ones(real.shape) / real.shape[1])


def over_all(weight, i):
    return (weight[i] * (i >= 0)[..., None]).mean(axis=1)


def over_all_back(g, weight, i):
    return by(g, weight, i, share=lambda real, n: real / real.shape[1])


def unguarded(weight, i):
    real = i >= 0
    return (weight[i] * real[..., None]).sum(axis=1) / real.sum(axis=1, keepdims=True).astype(weight.dtype)


def summed(weight, i):
    return (weight[i] * (i >= 0)[..., None]).sum(axis=1)


def summed_back(g, weight, i):
    return by(g, weight, i, share=lambda real, n: real.astype(weight.dtype))


def there_and_back(answer, weight, i, g):
    """The vectors, and the gradient of the table where g comes back."""
    forward, vjp = answer
    with np.errstate(all="ignore"):
        return {"out": forward(weight, i), "dw": vjp(g, weight, i)}


def bags():
    """(weight, i, g) by what is special about them."""
    rng = np.random.default_rng(13)

    def case(ids, V, C, kind=np.float64):
        return rng.normal(size=(V, C)).astype(kind), np.array(ids), rng.normal(size=(len(ids), C)).astype(kind)

    return {
        "one text of one token": case([[2]], 4, 3),
        "a square, no token twice": case([[0, 3, 1]], 4, 4),
        "a token twice": case([[1, 1, 2], [2, 0, 1]], 5, 3),
        "texts of several lengths": case([[1, 4, -1], [2, -1, -1], [0, 3, 4]], 5, 2),
        "a hole in the middle": case([[1, -1, 4, 1]], 5, 2),
        "an empty text": case([[-1, -1], [1, 0]], 3, 2),
        "one number a token": case([[0, 1, 2, 2]], 3, 1),
        "32 bits": case([[0, 1, -1], [1, 1, 2]], 3, 2, np.float32),
    }


TASKS = [
    Task(
        "10.mix",
        "Two models are better than one",
        "mix",
        mix,
        guesses,
        (
            "The loss is −mean of ln(λp + (1 − λ)q). Its slope in λ is −mean of (p − q)/(λp + (1 − λ)q).",
            "The slope of the loss only grows with λ, so there is one lowest place: halve the range from 0 to 1 "
            "towards it, again and again.",
            "middle = (low + high) / 2; where the sum of (p − q)/(middle p + (1 − middle) q) is above 0, more of the "
            "first helps: low = middle; else high = middle. Fifty times.",
        ),
        (
            Mistake(
                "how often the first is better",
                "By how much counts as well: one place where a model says almost nothing costs dearly.",
                lambda p, q: (p > q).mean(),
            ),
            Mistake(
                "the better one alone",
                "The log is taken of the mixture. Mixed logs would give all the weight to one of the two.",
                by_logs,
            ),
            Mistake("half and half", "How much of each is best depends on p and q.", lambda p, q: 0.5),
            Mistake("the weight of the second", "λ is the share of the first model, p.", lambda p, q: 1 - mix(p, q)),
            Mistake(
                "one step towards it",
                "That is a step in the right direction, from one half. Take the same step again, from where it leads.",
                lambda p, q: step(p, q, 0.5),
            ),
            Mistake(
                "shares of the mean probability",
                "Means of probabilities know nothing of the places at which a model is lost.",
                lambda p, q: p.mean() / (p.mean() + q.mean()),
            ),
        ),
        quietly,
        level=2,
        rtol=0.0,
        atol=1e-3,
    ),
    Task(
        "10.bag",
        "A text as one vector",
        ("bag", "bag_vjp"),
        (bag, bag_vjp),
        bags,
        (
            "real = i >= 0 says where a token stands, (B, T); n = real.sum(axis=1, keepdims=True) counts them, (B, 1).",
            "Forward: weight[i] takes some row for −1 too, so multiply by real[..., None] before the sum over T. "
            "Backward: each real place gets g/n of its text, and a row of the table adds up all its places.",
            "Divide by np.maximum(n, 1), as numbers of the table's dtype. Back: dw = np.zeros_like(weight); "
            "np.add.at(dw, i, (real / n)[..., None] * g[:, None]).",
        ),
        (
            Mistake(
                "a token twice counts once",
                "dw[i] = .. keeps the last of the places where a token stands; they add up: np.add.at.",
                (bag, lambda g, weight, i: by(g, weight, i, scatter=keep_last)),
            ),
            Mistake(
                "−1 is the last row",
                "numpy counts −1 from the end. Where −1 stands there is no token.",
                (last_row, last_row_back),
            ),
            Mistake(
                "divided by T",
                "The mean is over the tokens that are there: each text has a length of its own.",
                (over_all, over_all_back),
            ),
            Mistake(
                "a sum for the mean", "The sum over the tokens is divided by how many there are.", (summed, summed_back)
            ),
            Mistake(
                "the way back forgets to divide",
                "Forward divides by the number of tokens; so every place gets g divided by it.",
                (bag, summed_back),
            ),
            Mistake(
                "nothing divided by nothing",
                "A text without tokens is 0/0, which is nan, and nan would spoil all that is trained with it.",
                (unguarded, bag_vjp),
            ),
        ),
        there_and_back,
        level=3,
        rtol=1e-6,
    ),
]
