"""Products that sum over axes."""

from .shaping import squeezed, transposed, unsqueezed
from .table import row


@row("matmul")
def _(w, out, x, y):
    x, y = w.cast(x, out.dtype), w.cast(y, out.dtype)
    if x.ndim == 1 or y.ndim > 1:
        return w.op("MatMul", x, y, shape=out.shape)
    column = w.op("MatMul", x, unsqueezed(w, y, 1), shape=(*out.shape, 1))  # onnxruntime 1.32 gets x.T @ vector wrong
    return squeezed(w, column, len(out.shape))


@row("linear")
def _(w, out, x, weight, bias=None):
    x, weight, *rest = (w.cast(t, out.dtype) for t in (x, weight, bias) if t is not None)
    if x.ndim == 2:
        return w.op("Gemm", x, weight, *rest, transB=1, shape=out.shape)
    product = w.op("MatMul", x, transposed(w, weight, (1, 0)), shape=out.shape)
    return w.op("Add", product, *rest) if rest else product
