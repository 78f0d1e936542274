"""Positions as a penalty: the scores of a head fall by its own slope for every place between query and key."""

from ..define import op
from ..spec import Spec


@op(r"\operatorname{{alibi}}({q},{k})", smooth=False)
def alibi(xp, q, k, *, slopes):
    """-slope |i - j|: (H, T, S) for q (.., T, D), k (.., S, D), the queries being the last T of S places."""
    T, S = q.shape[-2], k.shape[-2]
    apart = xp.abs(xp.arange(S - T, S)[:, None] - xp.arange(S)).astype(q.dtype)
    return apart * xp.asarray([-slope for slope in slopes], dtype=q.dtype)[:, None, None]


alibi.kernel("shapes")(lambda q, k, slopes: Spec((len(slopes), q.shape[-2], k.shape[-2]), q.dtype))
