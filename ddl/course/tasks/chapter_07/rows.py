"""What is computed over a row, and its way back: log-sum-exp, log-softmax."""

import numpy as np

from ...task import Mistake, Task

NEVER = -np.inf


def lse(x, axis):
    m = x.max(axis=axis, keepdims=True)
    m = np.where(np.isfinite(m), m, 0)
    return np.squeeze(m, axis) + np.log(np.exp(x - m).sum(axis=axis))


def quietly(answer, x, axis):
    """The answer, with numpy's warnings turned off."""
    with np.errstate(all="ignore"):
        return answer(x, axis)


def tables():
    """(x, axis) by what is special about them."""
    rng = np.random.default_rng(2)
    return {
        "one number": (np.array([[-3.0]]), 1),
        "0 is the largest": (np.array([[0.0, -1.0], [-2.0, 0.0]]), 1),
        "a square": (rng.normal(size=(3, 3)), 1),
        "along the columns": (rng.normal(size=(2, 4)), 0),
        "the middle of three axes": (rng.normal(size=(2, 3, 4)), 1),
        "scores of thousands": (np.array([[1000.0, 999.0], [-1000.0, -1001.0]]), 1),
        "rows far apart": (np.array([[0.0, 1.0], [5000.0, 5001.0]]), -1),
        "impossible choices": (np.array([[0.0, NEVER, 1.0], [NEVER, 2.0, NEVER]]), 1),
        "no choice at all": (np.array([[NEVER, NEVER], [0.0, 1.0]]), 1),
        "32 bits": (rng.normal(0, 50, (2, 3)).astype(np.float32), 1),
    }


def unshifted(x, axis):
    return np.log(np.exp(x).sum(axis=axis))


def one_shift(x, axis):
    return x.max() + unshifted(x - x.max(), axis)


def mean_for_sum(x, axis):
    return (lse(x, axis) - np.log(x.shape[axis])).astype(x.dtype)


def shifted_by_infinity(x, axis):
    m = x.max(axis=axis, keepdims=True)
    return np.squeeze(m, axis) + np.log(np.exp(x - m).sum(axis=axis))


def not_put_back(x, axis):
    m = x.max(axis=axis, keepdims=True)
    return lse(x - np.where(np.isfinite(m), m, 0), axis)


def log_softmax(x, *, axis=-1):
    d = x - x.max(axis=axis, keepdims=True)
    return d - np.log(np.exp(d).sum(axis=axis, keepdims=True))


def log_softmax_vjp(g, out, axis):
    return g - np.exp(out) * g.sum(axis=axis, keepdims=True)


def came_back(answer, x, g, axis):
    """The gradient of x."""
    return answer(g, log_softmax(x, axis=axis), axis)


def scores():
    """(x, g, axis) by what is special about them."""
    rng = np.random.default_rng(3)

    def case(*shape, axis=-1, kind=np.float64):
        return rng.normal(size=shape).astype(kind), rng.normal(size=shape).astype(kind), axis

    centred = rng.normal(size=(3, 3))
    return {
        "one row": case(1, 4),
        "a square": case(3, 3),
        "four rows of 5": case(4, 5),
        "along the columns": case(4, 3, axis=0),
        "classes of pixels": case(2, 3, 2, 4, axis=1),
        "rows of g add up to 0": (
            rng.normal(size=(3, 3)),
            centred - centred.mean(axis=1, keepdims=True) - (centred.mean(axis=0) - centred.mean()),
            1,
        ),
        "one class alone": case(3, 1),
        "32 bits": case(2, 3, kind=np.float32),
    }


def for_last(g, out, axis):
    return log_softmax_vjp(g, out, -1)


def over_all(g, out, axis):
    return g - np.exp(out) * g.sum()


def of_softmax(g, out, axis):
    y = np.exp(out)
    return y * (g - (g * y).sum(axis=axis, keepdims=True))


def out_for_y(g, out, axis):
    return g - out * g.sum(axis=axis, keepdims=True)


def without_the_others(g, out, axis):
    return g - np.exp(out) * g


def mean_of_g(g, out, axis):
    return g - np.exp(out) * g.mean(axis=axis, keepdims=True)


TASKS = [
    Task(
        "07.lse",
        "Log-sum-exp along any axis",
        "lse",
        lse,
        tables,
        (
            "Take the largest number of each line out, along the axis, and add it again at the end: "
            "x.max(axis=axis, keepdims=True).",
            "keepdims for the difference x − m; for the end m has to lose that axis: np.squeeze(m, axis).",
            "Where m is −∞, x − m is nan: take 0 in its place, np.where(np.isfinite(m), m, 0). The log of 0 is then "
            "−∞, as it should be.",
        ),
        (
            Mistake(
                "the largest is not taken out",
                "exp(1000) is infinite, and exp(−1000) is 0.",
                unshifted,
            ),
            Mistake(
                "one largest number for all lines",
                "A line far below the others becomes all zeros: each line has a largest number of its own.",
                one_shift,
            ),
            Mistake(
                "the largest is not put back",
                "What was taken out has to be added at the end.",
                not_put_back,
            ),
            Mistake(
                "−∞ minus −∞",
                "That is nan. A line of nothing but −∞ has no largest number to take out: shift it by 0.",
                shifted_by_infinity,
            ),
            Mistake(
                "the last axis, whatever axis says",
                "The sum runs along `axis`, which may be any.",
                lambda x, axis: lse(x, -1),
            ),
            Mistake("a mean for the sum", "It is the log of the sum of the exponentials.", mean_for_sum),
        ),
        quietly,
        level=2,
        rtol=1e-6,
    ),
    Task(
        "07.logsoftmax",
        "Find the bug: a rule for the last axis",
        "log_softmax_vjp",
        log_softmax_vjp,
        scores,
        (
            "Let the gradient come back to one column alone, along axis 0. Which numbers may move?",
            "out_i = s_i − LSE(s), and the slope of LSE is softmax: each g_i goes to s_i, and the sum of all g of the "
            "line, times y_j, is taken from s_j.",
            "g − exp(out) · (sum of g along the axis, with keepdims).",
        ),
        (
            Mistake(
                "the last axis, whatever axis says",
                "The sum runs along the axis that the softmax ran along.",
                for_last,
            ),
            Mistake("a sum over all lines", "Each line is by itself: sum along the axis, keepdims=True.", over_all),
            Mistake("the rule of softmax", "This is the rule for its logarithm, another function.", of_softmax),
            Mistake("out for its exponential", "out is log y; the slope of LSE is y = exp(out).", out_for_y),
            Mistake(
                "each score by itself",
                "A score moves all outputs of its line, through LSE: the g of the whole line come back to it.",
                without_the_others,
            ),
            Mistake("a mean for the sum", "What comes back along several paths is added up.", mean_of_g),
        ),
        came_back,
        level=2,
        rtol=1e-5,
        atol=1e-6,
    ),
]
