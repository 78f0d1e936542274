"""Ops on the two sides of a diagonal, and on the diagonal itself."""

from ..define import op
from ..spec import Spec


def _below(xp, x, k):
    """True where the column is at most the row + k."""
    if x.ndim < 2:
        raise ValueError(f"a diagonal needs two axes, but the shape {tuple(x.shape)} has {x.ndim}")
    return xp.tri(*x.shape[-2:], k=k, dtype=bool)


@op(r"\operatorname{{tril}} {x}", binds=3)
def tril(xp, x, *, k=0):
    """The last two axes' lower triangle, zero above diagonal k; its own transpose."""
    return xp.where(_below(xp, x, k), x, xp.zeros((), dtype=x.dtype))


tril.vjp(x=lambda g, k: tril(g, k=k))


@op(r"\operatorname{{triu}} {x}", binds=3)
def triu(xp, x, *, k=0):
    """The last two axes' upper triangle, zero below diagonal k; its own transpose."""
    return xp.where(_below(xp, x, k - 1), xp.zeros((), dtype=x.dtype), x)


triu.vjp(x=lambda g, k: triu(g, k=k))


@op(r"\operatorname{{past}}({x})", smooth=False)
def causal(xp, x):
    """True where the column is not after the row, over the last two axes of x: which keys a query may see."""
    return _below(xp, x, 0)


@op(r"\operatorname{{diag}} {x}", binds=3)
def diagonal(x, *, offset=0, axis1=0, axis2=1):
    """The entries whose place on axis2 is their place on axis1 + offset, along a new last axis."""
    return x.diagonal(offset, axis1, axis2)


@op(r"\operatorname{{diag}} {g}", binds=3)
def put_diagonal(xp, g, *, shape, offset=0, axis1=0, axis2=1):
    """The transpose of `diagonal`: zeros of `shape` with g on the diagonal."""
    out = xp.zeros(shape, dtype=g.dtype)
    i = xp.arange(g.shape[-1])
    order = [a for a in range(out.ndim) if a not in (axis1 % out.ndim, axis2 % out.ndim)]
    out.transpose(*order, axis1, axis2)[..., i - min(offset, 0), i + max(offset, 0)] = g
    return out


diagonal.vjp(
    x=lambda g, x_shape, offset, axis1, axis2: put_diagonal(g, shape=x_shape, offset=offset, axis1=axis1, axis2=axis2)
)
put_diagonal.vjp(g=lambda g, offset, axis1, axis2: diagonal(g, offset=offset, axis1=axis1, axis2=axis2))
put_diagonal.kernel("shapes")(lambda g, shape, offset, axis1, axis2: Spec(shape, g.dtype))


@diagonal.kernel("shapes")
def _(x, offset, axis1, axis2):
    a, b = (range(x.ndim)[axis] for axis in (axis1, axis2))
    if a == b:
        raise ValueError("axis1 and axis2 cannot be the same")
    n, m = x.shape[a] + min(offset, 0), x.shape[b] - max(offset, 0)
    length = n if n == m else max(0, min(n, m))
    return Spec((*(size for i, size in enumerate(x.shape) if i not in (a, b)), length), x.dtype)
