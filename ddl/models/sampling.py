"""What the next token is drawn from: the softmax of the scores, cooled, cut to the likeliest, or neither."""

import math

import numpy as np

from ..checks import above, between, positive


def distribution(
    logits: np.ndarray, temperature: float = 1.0, top_k: int | None = None, top_p: float | None = None
) -> np.ndarray:
    """The probabilities (V,) that sampling draws from.

    Temperature divides the scores; 0 leaves only the likeliest token. `top_k` keeps the k likeliest. `top_p` keeps the
    fewest tokens whose probabilities reach p, always at least one (Holtzman et al. 2020).
    """
    check_sampling(temperature, top_k, top_p)
    if not np.isfinite(logits.max()):
        raise ValueError(
            f"the next token was to be drawn from scores whose largest is {logits.max()}, but it must be finite; "
            f"look for NaN or infinity in the model's weights"
        )
    z = logits.astype(np.float64)
    order = np.argsort(-z, kind="stable")  # likeliest first, ties by id
    if temperature == 0:
        top_k, temperature = 1, 1.0
    p = np.exp((z - z[order[0]]) / temperature)
    if top_k is not None:
        p[order[top_k:]] = 0
    p /= p.sum()
    if top_p is not None:
        before = np.cumsum(p[order]) - p[order]
        p[order[before >= top_p]] = 0
        p /= p.sum()
    return p


def check_sampling(
    temperature: float = 1.0, top_k: int | None = None, top_p: float | None = None, owner: str = "generate"
) -> None:
    """Refuse settings under which no distribution is left."""
    between(owner, 0, math.inf, temperature=temperature)
    if top_k is not None:
        positive(owner, top_k=top_k)
    if top_p is not None:
        above(owner, 0, top_p=top_p)
        between(owner, 0, 1, top_p=top_p)
