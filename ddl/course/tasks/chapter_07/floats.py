"""Where floats end, how factors multiply, and a variance that comes in parts."""

import numpy as np

from ...task import Mistake, Task, itself, once


def layer_factor(sizes):
    logs = np.log(sizes)
    return float(np.exp((logs[0] - logs[-1]) / (len(sizes) - 1)))


def merge(n1, mean1, var1, n2, mean2, var2):
    n, distance = n1 + n2, mean2 - mean1
    return mean1 + distance * n2 / n, (n1 * var1 + n2 * var2) / n + n1 * n2 / n**2 * distance**2


def unweighted(n1, mean1, var1, n2, mean2, var2):
    return merge(1, mean1, var1, 1, mean2, var2)


def halved_mean(n1, mean1, var1, n2, mean2, var2):
    return (mean1 + mean2) / 2, merge(n1, mean1, var1, n2, mean2, var2)[1]


def within_alone(n1, mean1, var1, n2, mean2, var2):
    return merge(n1, mean1, var1, n2, mean2, var2)[0], (n1 * var1 + n2 * var2) / (n1 + n2)


def shortcut(n1, mean1, var1, n2, mean2, var2):
    mean = merge(n1, mean1, var1, n2, mean2, var2)[0]
    squares = (n1 * (var1 + mean1**2) + n2 * (var2 + mean2**2)) / (n1 + n2)
    return mean, squares - mean**2


def of_a_sample(n1, mean1, var1, n2, mean2, var2):
    mean, var = merge(n1, mean1, var1, n2, mean2, var2)
    return mean, var * (n1 + n2) / max(1, n1 + n2 - 1)


def exchanged(n1, mean1, var1, n2, mean2, var2):
    return merge(n2, mean1, var1, n1, mean2, var2)


def halves():
    """(n1, mean1, var1, n2, mean2, var2) by what is special about them."""
    rng = np.random.default_rng(1)

    def case(n1, n2, middle=0.0, apart=0.0, shape=()):
        a = middle + rng.normal(0, 1, (n1, *shape))
        b = middle + apart + rng.normal(0, 2, (n2, *shape))
        return n1, a.mean(axis=0), a.var(axis=0), n2, b.mean(axis=0), b.var(axis=0)

    return {
        "constant halves": (4, 3.0, 0.0, 4, 3.0, 0.0),
        "as many, one mean": (5, 2.0, 1.0, 5, 2.0, 3.0),
        "as many, means apart": (2, 0.0, 1.0, 2, 4.0, 1.0),
        "nine and three": case(9, 3, apart=2.0),
        "one joins a hundred": case(100, 1, apart=5.0),
        "means of a hundred million": case(20, 30, middle=1e8, apart=1.0),
        "several columns": case(6, 4, apart=-1.0, shape=(3,)),
    }


TASKS = [
    Task(
        "07.counter",
        "A counter of 16 bits",
        "count",
        2048,
        once,
        (
            "From where on is the gap between neighbouring float16 larger than 1?",
            "With F = 10 digits for the fraction, numbers from 2 to the power k on lie 2 to the power k − 10 apart.",
            "From 2 to the power 11 on they lie 2 apart: 2048 + 1 lies in the middle, and is rounded back to 2048.",
        ),
        (
            Mistake("as if it went on for ever", "At some point count + 1 is rounded back to count.", 100_000),
            Mistake(
                "the largest float16",
                "The digits run out long before the numbers end.",
                65_504,
            ),
            Mistake(
                "one bit too few",
                "The leading 1 is not stored: with 10 stored bits a number has 11 digits.",
                1024,
            ),
            Mistake("as in float32", "A float32 has 23 bits for the fraction, a float16 has 10.", 16_777_216),
            Mistake("infinity", "It never comes near the largest number: it stands still before.", float("inf")),
        ),
        itself,
    ),
    Task(
        "07.notice",
        "What a LayerNorm does not notice",
        "third",
        1.5**0.5,
        once,
        (
            "A LayerNorm notices neither a shift nor a stretch: the row might as well be (−1, 0, 1).",
            "The mean of the squares of (−1, 0, 1) is 2/3.",
            "1 / √(2/3).",
        ),
        (
            Mistake(
                "the deviation of a sample",
                "The variance is the mean of the squares, a division by C = 3, not by C − 1.",
                1.0,
            ),
            Mistake("divided by the variance", "What is divided by is its root, the spread.", 10 / (200 / 3)),
            Mistake("centred alone", "After the mean is taken away, the row is divided by its spread.", 10.0),
            Mistake("not centred", "First the mean is taken away.", 10_030 / (200 / 3) ** 0.5),
        ),
        itself,
        rtol=2e-3,
    ),
    Task(
        "07.factor",
        "One layer's factor",
        "layer_factor",
        layer_factor,
        lambda: {
            "nothing changes": (np.array([2.0, 2.0, 2.0]),),
            "two layers": (np.array([0.5, 2.0]),),
            "halved by each of four": (np.array([1.0, 2.0, 4.0, 8.0, 16.0]),),
            "it explodes": (np.array([27.0, 9.0, 3.0, 1.0]),),
            "uneven": (np.array([0.1, 0.5, 0.2, 1.0, 3.0]),),
            "from one end of the floats to the other": (np.array([1e300, 1.0, 1e-300]),),
        },
        (
            "On the way back the gradient comes from the last layer. What is it multiplied by in all, and in how many "
            "steps?",
            "Between n sizes there are n − 1 steps: the (n − 1)-th root of sizes[0] / sizes[-1].",
            "That ratio may be too large for a float: exp((log sizes[0] − log sizes[-1]) / (n − 1)).",
        ),
        (
            Mistake(
                "the wrong way round",
                "Gradients come from the last layer: the factor leads from sizes[-1] to sizes[0].",
                lambda sizes: 1 / layer_factor(sizes),
            ),
            Mistake(
                "one step too many",
                "Between n sizes there are n − 1 steps.",
                lambda sizes: layer_factor(sizes) ** ((len(sizes) - 1) / len(sizes)),
            ),
            Mistake(
                "a mean of the ratios",
                "Factors multiply: what is wanted is the factor that, taken each time, leads to the same end.",
                lambda sizes: float((sizes[:-1] / sizes[1:]).mean()),
            ),
            Mistake(
                "the ratio is formed first",
                "1e300 / 1e-300 is infinite for a float of 64 bits: take the difference of the logs.",
                lambda sizes: float((sizes[0] / sizes[-1]) ** (1 / (len(sizes) - 1))),
            ),
            Mistake(
                "the whole way at once",
                "That is the factor of all layers together: take the root.",
                lambda sizes: float(sizes[0] / sizes[-1]),
            ),
        ),
    ),
    Task(
        "07.merge",
        "A variance from two parts",
        "merge",
        merge,
        halves,
        (
            "The mean weighs each part by its number. For the variance, add up the squared distances of each part from "
            "the new mean.",
            "Around the new mean m, a part's sum of squares is n₁ (v₁ + (mean₁ − m)²).",
            "mean = mean₁ + d n₂ / n and var = (n₁ v₁ + n₂ v₂) / n + n₁ n₂ d² / n², where d = mean₂ − mean₁.",
        ),
        (
            Mistake(
                "as if both were of one size",
                "The larger part counts for more: weigh by n₁ and n₂.",
                unweighted,
            ),
            Mistake("the mean of the means", "The mean, too, weighs each part by its number.", halved_mean),
            Mistake(
                "the distance of the means is left out",
                "Even two constant parts vary together when they differ from each other.",
                within_alone,
            ),
            Mistake(
                "the mean of the squares minus the square of the mean",
                "With means of a hundred million all digits cancel: use the distance of the two means.",
                shortcut,
            ),
            Mistake(
                "a sample's variance",
                "Here the variance is the plain mean of the squared distances, as in LayerNorm.",
                of_a_sample,
            ),
            Mistake("the two numbers exchanged", "n₁ belongs to mean₁.", exchanged),
        ),
        level=2,
    ),
]
