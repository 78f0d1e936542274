"""x times the probability that a standard normal lies below x, exactly and in GPT-2's approximation."""

import math

from ..define import op
from ..ops import erf, exp, tanh


@op(r"\operatorname{{gelu}}({x})", saves=("slope",), real=True)
def gelu(x):
    """x Phi(x) = x (1 + erf(x / sqrt 2)) / 2 (Hendrycks and Gimpel 2016)."""
    phi = 0.5 * erf(x * math.sqrt(0.5)) + 0.5
    density = exp(x * x * -0.5) * (1 / math.sqrt(2 * math.pi))
    return x * phi, phi + x * density


@gelu.vjp
def _(g, slope):
    return (g * slope,)


_C, _K = math.sqrt(2 / math.pi), 0.044715


@op(r"\operatorname{{gelu}}({x})", saves=("slope",), real=True)
def gelu_tanh(x):
    """x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2, the form that GPT-2 uses."""
    square = x * x
    t = tanh(x * (square * (_C * _K) + _C))
    half = t * 0.5 + 0.5
    return x * half, half + x * (1.0 - t * t) * (square * (1.5 * _C * _K) + 0.5 * _C)


@gelu_tanh.vjp
def _(g, slope):
    return (g * slope,)
