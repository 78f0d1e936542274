"""The negative log probability of yes or no, from the probability of yes."""

from ..define import op
from ..ops import log, log1p, maximum, where


@op(r"\operatorname{{BCE}}({x}, {t})")
def binary_cross_entropy(x, t):
    """-(t log x + (1 - t) log(1 - x)), logarithms below -100 counting as -100: a sure mistake costs 100, not infinity.

    Its slope in x is that of the formula, with x (1 - x) taken for 1e-12 where it is smaller.
    """
    return -(t * _log(x) + (1.0 - t) * _log_of_the_rest(x))


def _log(x):
    none = x <= 0
    return where(none, -100.0, maximum(log(where(none, 1.0, x)), -100.0))


def _log_of_the_rest(x):
    none = x >= 1
    return where(none, -100.0, maximum(log1p(-where(none, 0.0, x)), -100.0))


binary_cross_entropy.vjp(
    x=lambda g, x, t: g * ((x - t) / maximum(x * (1.0 - x), 1e-12)),
    t=lambda g, x: g * (_log_of_the_rest(x) - _log(x)),
)
