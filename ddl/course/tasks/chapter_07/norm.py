"""A norm without a mean, there and back."""

import numpy as np

from ...task import Mistake, Task, parts


def rms(x, w, eps):
    return w * x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + eps)


def rms_vjp(g, x, w, eps):
    return by(g, x, w, eps)


def by(g, x, w, eps, through=1, inner=None, over=np.mean, total=np.sum, lead=None):
    """The rule, with one thing or another done otherwise."""
    s = 1 / np.sqrt((x * x).mean(axis=-1, keepdims=True) + eps)
    x_hat, h = s * x, g * w
    inner = h if inner is None else inner
    dx = s * (h - through * x_hat * over(inner * x_hat, axis=-1, keepdims=True))
    axes = tuple(range(x.ndim - 1)) if lead is None else tuple(range(min(lead, x.ndim - 1)))
    return dx, total(g * x_hat, axis=axes) if axes else g * x_hat


def there_and_back(answer, x, w, g, eps):
    """The result, and the gradients where g comes back."""
    forward, vjp = answer
    with np.errstate(all="ignore"):
        return {"out": forward(x, w, eps)} | parts(vjp(g, x, w, eps), "dx", "dw")


def norms():
    """(x, w, g, eps) by what is special about them."""
    rng = np.random.default_rng(4)

    def case(*shape, w=None, eps=1e-5, kind=np.float64):
        w = rng.normal(size=shape[-1:]) if w is None else np.full(shape[-1:], w)
        return *(part.astype(kind) for part in (rng.normal(size=shape), w, rng.normal(size=shape))), eps

    plain = np.array([[1.0, -1.0, 1.0, -1.0]])
    return {
        "one row, no batch": case(4),
        "rows of size 1, g across them": (plain, np.ones(4), np.array([[1.0, 1.0, 0.0, 0.0]]), 0.0),
        "a square": case(3, 3),
        "five rows of 4, w = 1": case(5, 4, w=1.0),
        "rows in two axes": case(2, 3, 4),
        "one number a row": case(3, 1, eps=0.5),
        "a large eps": case(2, 3, eps=1.0),
        "32 bits": case(4, 3, kind=np.float32),
    }


def centred(x, w, eps):
    return rms(x - x.mean(axis=-1, keepdims=True), w, eps)


def eps_outside(x, w, eps):
    return w * x / (np.sqrt((x * x).mean(axis=-1, keepdims=True)) + eps)


def otherwise(**how):
    return lambda g, x, w, eps: by(g, x, w, eps, **how)


TASKS = [
    Task(
        "07.rms",
        "A norm that does not centre",
        ("rms", "rms_vjp"),
        (rms, rms_vjp),
        norms,
        (
            "Go through the chapter's steps with c = x: x̂ = s x, s = (v + ε)^(−1/2), v = mean(x²). What falls away?",
            "h = g w. To x comes h s directly, and −s x̂ mean(h x̂) through s. Nothing has to be centred.",
            "dx = s (h − x̂ mean(h x̂)) with the mean over the last axis; dw = the sum of g x̂ over all axes but the "
            "last, tuple(range(x.ndim - 1)).",
        ),
        (
            Mistake(
                "centred",
                "This norm takes no mean away, neither there nor back.",
                (centred, lambda g, x, w, eps: by(g, x - x.mean(axis=-1, keepdims=True), w, eps)),
            ),
            Mistake(
                "the way through the scale is missing",
                "x moves s as well, and what comes back through s goes to every number of the row.",
                (rms, otherwise(through=0)),
            ),
            Mistake(
                "added where it should be taken away",
                "A larger x makes s smaller: the part through s has a minus.",
                (rms, otherwise(through=-1)),
            ),
            Mistake(
                "w is left out of the mean",
                "What comes back to x̂ is h = g w, in both places.",
                (rms, lambda g, x, w, eps: by(g, x, w, eps, inner=g)),
            ),
            Mistake(
                "a sum for the mean over the row",
                "v is a mean over the C numbers, and so its way back carries 1/C.",
                (rms, otherwise(over=np.sum)),
            ),
            Mistake(
                "a mean over the batch for w",
                "w serves every row, and what comes back from them is added up.",
                (rms, otherwise(total=np.mean)),
            ),
            Mistake(
                "summed over the first axis alone",
                "All axes but the last are batch: w hears from each row.",
                (rms, otherwise(lead=1)),
            ),
            Mistake(
                "eps outside the root",
                "√(v + ε), not √v + ε.",
                (eps_outside, rms_vjp),
            ),
        ),
        there_and_back,
        level=3,
        rtol=1e-5,
        atol=1e-6,
    ),
]
