"""conv and conv_transpose on numpy: the bias added in place."""

from ...ops import conv, conv_transpose
from .blocks import one_float


@conv.kernel("numpy")
def forward(x, weight, bias=None, **settings):
    return _with_bias(conv, x, weight, bias, settings)


@conv_transpose.kernel("numpy")
def transposed(x, weight, bias=None, **settings):
    return _with_bias(conv_transpose, x, weight, bias, settings)


def _with_bias(op, x, weight, bias, settings):
    if bias is None or not one_float(x, weight, bias):
        return NotImplemented
    out = op.forward(x, weight, **settings)
    out += bias.reshape(-1, *(1 for _ in settings["shape"]))
    return out
