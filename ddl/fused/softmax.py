"""Rows of scores become probabilities."""

from typing import Any

from ..core import Tensor
from ..define import op
from ..ops import exp, log
from ..ops.methods import either_name


def _shifted(x, axis):
    """x minus its largest along the axis, so that no exponential overflows; no entries have no largest."""
    return x if 0 in x.shape else x - x.max(axis=axis, keepdims=True)


@op(r"\operatorname{{softmax}} {x}", binds=3, real=True)
def softmax(x, *, axis=-1):
    """Probabilities along one axis: exp(x) over its own sum, shifted by the maximum so that nothing overflows."""
    e = exp(_shifted(x, axis))
    return e / e.sum(axis=axis, keepdims=True)


@softmax.vjp
def _(g, out, axis):
    return (out * (g - (g * out).sum(axis=axis, keepdims=True)),)


@op(r"\log\operatorname{{softmax}} {x}", binds=3, real=True)
def log_softmax(x, *, axis=-1):
    """log(softmax(x)) without forming a probability that may be 0."""
    d = _shifted(x, axis)
    total = exp(d).sum(axis=axis, keepdims=True)
    return d - (total if 0 in x.shape else log(total))


log_softmax.vjp(x=lambda g, out, axis: g - exp(out) * g.sum(axis=axis, keepdims=True))


class Methods:
    """The two as methods of Tensor."""

    @either_name
    def softmax(self: Any, dim: int = -1) -> Tensor:
        return softmax(self, axis=dim)

    @either_name
    def log_softmax(self: Any, dim: int = -1) -> Tensor:
        return log_softmax(self, axis=dim)


Tensor.softmax, Tensor.log_softmax = Methods.softmax, Methods.log_softmax  # type: ignore[attr-defined]
