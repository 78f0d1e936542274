"""Each query takes a weighted mean of the values; the weights say how well the keys match it."""

from .. import matrices
from ..define import op
from ..ops import causal, where
from .softmax import softmax

FAR = -1e30  # a score so low that its weight is exactly 0


@op(r"\operatorname{{attend}}({q},{k},{v})", saves=("p",))
def scaled_dot_product_attention(q, k, v, mask=None, *, is_causal=False, scale=1.0):
    """softmax(scale q k^T) v over (.., T, D), (.., S, D), (.., S, E) -> (.., T, E) (Vaswani et al. 2017).

    A boolean mask keeps where it is True, a float mask is added to the scores. `is_causal` keeps key s for query t
    where s <= t. A query that may look nowhere gets zeros.
    """
    p = weights(q, k, mask, is_causal, scale)
    return matrices.product(p, v), p


def weights(q, k, mask=None, is_causal=False, scale=1.0):
    """The attention weights (.., T, S): every row sums to 1, or to 0 where nothing may be seen."""
    scores = matrices.product(q, k.swapaxes(-1, -2)) * scale
    keep = None
    if mask is not None:
        keep = mask if mask.dtype == bool else mask > -float("inf")
        scores = where(keep, scores if mask.dtype == bool else scores + mask, FAR)
    if is_causal:
        past = causal(scores)
        keep = past if keep is None else where(past, keep, False)
        scores = where(past, scores, FAR)
    p = softmax(scores)
    return p if keep is None else where(keep, p, 0.0)


@scaled_dot_product_attention.vjp
def _(g, out, q, k, v, mask, p, scale):
    product = matrices.product
    dp = product(g, v.swapaxes(-1, -2))
    ds = p * (dp - (g * out).sum(axis=-1, keepdims=True))  # g . out = g . (p v) = dp . p, without the keys
    dmask = None if mask is None or mask.dtype == bool else ds
    turned = ds.swapaxes(-1, -2), p.swapaxes(-1, -2)
    return product(ds, k) * scale, product(turned[0], q) * scale, product(turned[1], g), dmask
