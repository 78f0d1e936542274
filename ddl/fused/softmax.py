"""Rows of scores become probabilities."""

from ..define import op
from ..ops import exp, log


@op(r"\operatorname{{softmax}} {x}", binds=3)
def softmax(x, *, axis=-1):
    """Probabilities along one axis: exp(x) over its own sum, shifted by the maximum so that nothing overflows."""
    e = exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


softmax.vjp(x=lambda g, out, axis: out * (g - (g * out).sum(axis=axis, keepdims=True)))


@op(r"\log\operatorname{{softmax}} {x}", binds=3)
def log_softmax(x, *, axis=-1):
    """log(softmax(x)) without forming a probability that may be 0."""
    d = x - x.max(axis=axis, keepdims=True)
    return d - log(exp(d).sum(axis=axis, keepdims=True))


log_softmax.vjp(x=lambda g, out, axis: g - exp(out) * g.sum(axis=axis, keepdims=True))
