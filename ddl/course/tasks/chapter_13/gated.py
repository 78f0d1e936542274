"""An MLP with a gate, there and back."""

import numpy as np

from ...task import Mistake, Task, parts


def sigmoid(h):
    return 1 / (1 + np.exp(-h))


def gated(x, gate, up, down):
    h = x @ gate.T
    return (h * sigmoid(h) * (x @ up.T)) @ down.T


def gated_vjp(g, x, gate, up, down):
    return by(g, x, gate, up, down)


def by(g, x, gate, up, down, slope=None, through_gate=1, through_up=1, kept=None, opened=None):
    """The rule, with one thing or another done otherwise."""
    h, u = x @ gate.T, x @ up.T
    s = sigmoid(h)
    da = g @ down
    du = da * (h * s if opened is None else opened(h, s))
    dh = da * u * (s * (1 + h * (1 - s)) if slope is None else slope(h, s))
    hidden = h * s * u if kept is None else kept(h, s, u)
    return through_gate * dh @ gate + through_up * du @ up, dh.T @ x, du.T @ x, g.T @ hidden


def there_and_back(answer, x, gate, up, down, g):
    """The result, and the gradients where g comes back."""
    forward, vjp = answer
    found = parts(vjp(g, x, gate, up, down), "dx", "dgate", "dup", "ddown")
    return {"out": forward(x, gate, up, down)} | found


def mlps():
    """(x, gate, up, down, g) by what is special about them."""
    rng = np.random.default_rng(15)

    def case(N, C, K, kind=np.float64, gate=1.0, g=1.0):
        shapes = (N, C), (K, C), (K, C), (C, K), (N, C)
        x, a, b, c, back = (rng.normal(size=shape).astype(kind) for shape in shapes)
        return x, (gate * a).astype(kind), b, c, (g * back).astype(kind)

    zeros = case(2, 3, 4)
    return {
        "nothing comes in, nothing back": (0 * zeros[0], *zeros[1:4], 0 * zeros[4]),
        "all sizes 1": case(1, 1, 1),
        "all sizes 3": case(3, 3, 3),
        "one token": case(1, 3, 4),
        "wider inside": case(5, 3, 8),
        "narrower inside": case(4, 5, 2),
        "gates far open and far shut": case(4, 3, 5, gate=8.0),
        "32 bits": case(3, 2, 4, kind=np.float32),
    }


def otherwise(**how):
    return gated, lambda g, x, gate, up, down: by(g, x, gate, up, down, **how)


def sigmoid_gate(x, gate, up, down):
    return (sigmoid(x @ gate.T) * (x @ up.T)) @ down.T


def gate_and_up_exchanged(x, gate, up, down):
    return gated(x, up, gate, down)


def exchanged_vjp(g, x, gate, up, down):
    dx, dup, dgate, ddown = by(g, x, up, gate, down)
    return dx, dgate, dup, ddown


TASKS = [
    Task(
        "13.gated",
        "An MLP with a gate",
        ("gated", "gated_vjp"),
        (gated, gated_vjp),
        mlps,
        (
            "Name the steps: h = x gateᵀ, u = x upᵀ, s = σ(h), a = h s u, y = a downᵀ. Go back from the end, as the "
            "chapter does, and write down each shape.",
            "da = g down. To u comes da ⊙ h s. To h comes da ⊙ u times the slope of h σ(h), which is "
            "s (1 + h (1 − s)), as σ' = s (1 − s).",
            "dx = dh gate + du up; dgate = dhᵀ x; dup = duᵀ x; ddown = gᵀ a.",
        ),
        (
            Mistake(
                "the slope of the sigmoid alone",
                "The gate is h σ(h), a product: its slope is σ + h σ (1 − σ).",
                otherwise(slope=lambda h, s: s * (1 - s)),
            ),
            Mistake(
                "the sigmoid is taken for a constant",
                "h moves σ(h) as well: the slope is σ + h σ (1 − σ).",
                otherwise(slope=lambda h, s: s),
            ),
            Mistake(
                "x hears from the gate alone",
                "x is used twice, by gate and up: both come back to it.",
                otherwise(through_up=0),
            ),
            Mistake(
                "x hears from up alone",
                "x is used twice, by gate and up: both come back to it.",
                otherwise(through_gate=0),
            ),
            Mistake(
                "u is left out of what down sees",
                "down multiplies a = h σ(h) u: ddown = gᵀ a, with all three factors.",
                otherwise(kept=lambda h, s, u: h * s),
            ),
            Mistake(
                "h is taken for the gate",
                "What multiplies u is h σ(h), and so that is its slope in u.",
                otherwise(opened=lambda h, s: h),
            ),
            Mistake(
                "a sigmoid for the gate",
                "The gate is h σ(h), not σ(h): read the formula again.",
                (sigmoid_gate, gated_vjp),
            ),
            Mistake(
                "gate and up are exchanged",
                "The sigmoid is taken of x gateᵀ.",
                (gate_and_up_exchanged, exchanged_vjp),
            ),
        ),
        there_and_back,
        level=3,
        rtol=1e-5,
        atol=1e-6,
    ),
]
