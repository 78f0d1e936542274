"""Ops with a gradient written by hand, where ONNX has them as one.

Attributes of ONNX are float32: where float64 is computed, what has one is written by its definition.
"""

from ....arrays import FLOAT64
from .table import row


@row("softmax")
def _(w, out, x, *, axis):
    return w.op("Softmax", x, axis=axis)


@row("log_softmax")
def _(w, out, x, *, axis):
    return w.op("LogSoftmax", x, axis=axis)


@row("layer_norm")
def _(w, out, x, weight, bias=None, *, eps):
    if out.dtype == FLOAT64:
        return NotImplemented
    xs = (w.cast(t, out.dtype) for t in (x, weight, bias) if t is not None)
    return w.op("LayerNormalization", *xs, axis=-1, epsilon=eps, shape=out.shape)


@row("gelu", "gelu_tanh")
def _(w, out, x):
    if out.dtype == FLOAT64:
        return NotImplemented
    return w.op("Gelu", x, approximate="none" if out.op == "gelu" else "tanh")
