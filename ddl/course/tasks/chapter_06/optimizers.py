"""AdamW as one function that moves an array."""

import numpy as np

from ...task import Mistake, Task


def adamw(p, g, state, lr, betas, eps, decay):
    moved(p, g, state, lr, betas, eps, decay)


def moved(
    p, g, state, lr, betas, eps, decay,
    in_gradient=False, every=False, hats=True, count=True, root=False, by_rate=True, after=False,
):  # fmt: skip
    """AdamW, with one thing or another done otherwise."""
    if not state:
        state.update(t=0, m=np.zeros_like(p), v=np.zeros_like(p))
    state["t"] = state["t"] + 1 if count else 1
    shrinks = decay if p.ndim > 1 or every else 0.0
    if in_gradient:
        g = g + shrinks * p
    m, v, t, (b1, b2) = state["m"], state["v"], state["t"], betas
    m += (1 - b1) * (g - m)
    v += (1 - b2) * (g * g - v)
    m_hat, v_hat = (m / (1 - b1**t), v / (1 - b2**t)) if hats else (m, v)
    factor = 1 if in_gradient else 1 - (lr if by_rate else 1) * shrinks
    if not after:
        p *= factor
    p -= lr * m_hat / (np.sqrt(v_hat + eps) if root else np.sqrt(v_hat) + eps)
    if after:
        p *= factor


def otherwise(**how):
    return lambda *inputs: moved(*inputs, **how)


def exchanged(p, g, state, lr, betas, eps, decay):
    moved(p, g, state, lr, betas[::-1], eps, decay)


def a_copy(p, g, state, lr, betas, eps, decay):
    moved(p.copy(), g, state, lr, betas, eps, decay)


def spoiled(p, g, state, lr, betas, eps, decay):
    moved(p, g, state, lr, betas, eps, decay)
    g *= 1 - betas[0]


def walked(answer, p, gradients, lr, betas, eps, decay):
    """p after every step, and whether gradients stay as they were."""
    state, places = {}, {}
    before = [g.copy() for g in gradients]
    with np.errstate(all="ignore"):
        for i, g in enumerate(gradients):
            answer(p, g, state, lr, betas, eps, decay)
            places[f"after step {i + 1}"] = p.copy()
    kept = all(np.array_equal(a, b) for a, b in zip(gradients, before))
    return places | {"gradients as they were": kept}


def runs():
    """(p, gradients, lr, betas, eps, decay) by what is special about them."""
    rng = np.random.default_rng(7)

    def case(*shape, steps=2, lr=0.1, betas=(0.9, 0.999), eps=1e-8, decay=0.0, size=1.0, kind=np.float64):
        p = rng.normal(size=shape).astype(kind)
        return p, [(size * rng.normal(size=shape)).astype(kind) for _ in range(steps)], lr, betas, eps, decay

    return {
        "one step, one weight": case(1, 1, steps=1),
        "a matrix, no decay": case(2, 3),
        "a matrix that decays": case(3, 2, decay=0.5),
        "a bias, which does not decay": case(3, decay=0.5),
        "no gradient at all": case(2, 2, size=0.0),
        "tiny gradients and a large eps": case(2, 2, eps=1e-2, size=1e-3),
        "other betas, ten steps": case(2, 2, steps=10, betas=(0.5, 0.9), decay=0.1),
        "weights of a convolution": case(2, 1, 2, 2, decay=0.3),
        "32 bits": case(3, 4, decay=0.1, kind=np.float32),
    }


TASKS = [
    Task(
        "06.adamw",
        "AdamW that leaves biases alone",
        "adamw",
        adamw,
        runs,
        (
            "In the first call `state` is empty: put a count of 0 and two arrays of zeros like p into it. Then count.",
            "Changes must reach p itself and what is in state: `p *= ..`, `p -= ..`, `state['m'][...] = ..`. "
            "The line `p = p - ..` makes another array, and nothing moves.",
            "Count, running means of g and g², hats with the count; if p.ndim > 1: p *= 1 - lr * decay; then "
            "p -= lr * m_hat / (np.sqrt(v_hat) + eps).",
        ),
        (
            Mistake(
                "the decay in the gradient",
                "There it is divided by √v̂ like the rest: p shrinks by 1 − lr · decay on its own.",
                otherwise(in_gradient=True),
            ),
            Mistake(
                "biases decay as well",
                "Only arrays of two or more axes decay here.",
                otherwise(every=True),
            ),
            Mistake(
                "the hats are forgotten",
                "m and v begin at 0: divide them by 1 − β₁ᵗ and 1 − β₂ᵗ.",
                otherwise(hats=False),
            ),
            Mistake(
                "the count stays at 1",
                "t has to be kept in state from call to call, and grow by one in each.",
                otherwise(count=False),
            ),
            Mistake(
                "eps under the root",
                "√v̂ + ε, not √(v̂ + ε): the root of a small ε is not small.",
                otherwise(root=True),
            ),
            Mistake(
                "the decay without the rate",
                "The factor is 1 − lr · decay: a schedule that lowers the rate lowers the decay with it.",
                otherwise(by_rate=False),
            ),
            Mistake(
                "the decay after the step",
                "First the old weight shrinks, then comes the step, which does not.",
                otherwise(after=True),
            ),
            Mistake(
                "the two betas exchanged",
                "The first beta is that of the mean of g, the second that of g².",
                exchanged,
            ),
            Mistake(
                "another array is moved, and p stays",
                "`p = p - ..` binds the name to a new array; `p -= ..` changes the one that was given.",
                a_copy,
            ),
            Mistake(
                "the gradient is changed",
                "Somebody may still want the gradient: work on a copy.",
                spoiled,
            ),
        ),
        walked,
        level=3,
        rtol=1e-5,
        atol=1e-6,
        changes=True,
    ),
]
