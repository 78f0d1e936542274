"""Products that sum over a shared axis."""

from ..define import op
from .shaping import rows


@op(r"{x}\,{y}", binds=2)
def matmul(x, y):
    """The matrix product over the last two axes; a vector is a row on the left, a column on the right."""
    return x @ y


@matmul.vjp
def _(g, x, y):
    if y.ndim == 1:  # (.., n, k) (k,) -> (.., n)
        if x.ndim == 1:
            return g * y, g * x
        return g.reshape(*g.shape, 1) * y, (x * g.reshape(*g.shape, 1)).sum(axis=tuple(range(x.ndim - 1)))
    if x.ndim == 1:  # (k,) (.., k, m) -> (.., m)
        dx = (y * g.reshape(*g.shape[:-1], 1, g.shape[-1])).sum(axis=-1)
        return dx, x.reshape(-1, 1) * g.reshape(*g.shape[:-1], 1, g.shape[-1])
    return g @ y.swapaxes(-1, -2), x.swapaxes(-1, -2) @ g


@op(r"{x}\,{weight}^\top + {bias}", binds=1)
def linear(x, weight, bias=None):
    """x weight^T + bias: (.., in), (out, in), (out,) -> (.., out), as torch.nn.functional.linear."""
    out = x @ weight.swapaxes(0, 1)
    return out if bias is None else out + bias


linear.vjp(
    x=lambda g, x, weight: (rows(g) @ weight).reshape(x.shape),
    weight=lambda g, x: rows(g).swapaxes(0, 1) @ rows(x),
    bias=lambda g: rows(g).sum(axis=0),
)
