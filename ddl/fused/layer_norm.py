"""Rows brought to mean 0 and variance 1, then scaled and shifted."""

from ..define import op
from ..ops import sqrt


@op(r"\operatorname{{LN}}({x}; {weight})", saves=("mean", "rstd"))
def layer_norm(x, weight, bias=None, *, eps=1e-5):
    """weight * (x - mean) / sqrt(var + eps) + bias over the last axis (Ba, Kiros, Hinton 2016); var divides by n."""
    mean = x.mean(axis=-1, keepdims=True)
    d = x - mean
    rstd = 1.0 / sqrt((d * d).mean(axis=-1, keepdims=True) + eps)
    out = d * rstd * weight
    return out if bias is None else out + bias, mean, rstd


@layer_norm.vjp
def _(g, x, weight, mean, rstd):
    n = (x - mean) * rstd
    h = g * weight
    dx = rstd * (h - h.mean(axis=-1, keepdims=True) - n * (h * n).mean(axis=-1, keepdims=True))
    return dx, g * n, g  # the engine sums the last two to the shapes of weight and bias
