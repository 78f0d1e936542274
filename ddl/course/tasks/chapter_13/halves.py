"""A half with its norm in either place, there and back; halves, norms and their slopes are functions of arrays."""

import numpy as np

from ...task import Mistake, Task


def pre(x, attn, ln_1, mlp, ln_2):
    x = x + attn(ln_1(x))
    return x + mlp(ln_2(x))


def post(x, attn, ln_1, mlp, ln_2):
    x = ln_1(x + attn(x))
    return ln_2(x + mlp(x))


def normed_stream(x, attn, ln_1, mlp, ln_2):
    x = ln_1(x)
    x = x + attn(x)
    x = ln_2(x)
    return x + mlp(x)


def norm_inside(x, attn, ln_1, mlp, ln_2):
    x = x + ln_1(attn(x))
    return x + ln_2(mlp(x))


def beside(x, attn, ln_1, mlp, ln_2):
    return x + attn(ln_1(x)) + mlp(ln_2(x))


def one_norm(x, attn, ln_1, mlp, ln_2):
    return pre(x, attn, ln_1, mlp, ln_1)


def replaced(x, attn, ln_1, mlp, ln_2):
    x = attn(ln_1(x))
    return mlp(ln_2(x))


def mlp_first(x, attn, ln_1, mlp, ln_2):
    return pre(x, mlp, ln_2, attn, ln_1)


def both(answer, x, *parts):
    """The result with pre-norm and that with post-norm."""
    before, behind = answer
    return {"pre": before(x, *parts), "post": behind(x, *parts)}


def same(x):
    return x


def nothing(x):
    return 0 * x


def norm(x):
    return (x - x.mean(axis=-1, keepdims=True)) / (x.std(axis=-1, keepdims=True) + 1e-3)


def spread(x):
    return 2 * norm(x) + 1


def backwards(x):
    return x[..., ::-1] + 0.5


def curved(x):
    return np.tanh(x) * x


def blocks():
    """(x, attn, ln_1, mlp, ln_2) by what is special about them."""
    rng = np.random.default_rng(13)
    x, wide = rng.normal(size=(2, 4)), 3 + rng.normal(size=(2, 3, 5))
    return {
        "a stream of zeros": (0 * x, curved, same, curved, same),
        "nothing is added, and no norm": (x, nothing, same, nothing, same),
        "an attention alone, no norm": (x, backwards, same, nothing, same),
        "an MLP alone, no norm": (x, nothing, same, curved, same),
        "nothing is added, with norms": (x, nothing, norm, nothing, spread),
        "both, no norm": (x, backwards, same, curved, same),
        "both, with norms": (x, backwards, norm, curved, spread),
        "three axes, a large stream": (wide, curved, spread, backwards, norm),
    }


def pre_back(g, halves):
    for f_back, norm_back in halves[::-1]:
        g = g + norm_back(f_back(g))
    return g


def post_back(g, halves):
    for f_back, norm_back in halves[::-1]:
        g = norm_back(g)
        g = g + f_back(g)
    return g


def back(pre_step, post_step, order=-1):
    """The same by other steps: what becomes of g at one half."""

    def run(step, g, halves):
        for f_back, norm_back in halves[::order]:
            g = step(g, f_back, norm_back)
        return g

    return tuple(lambda g, halves, step=step: run(step, g, halves) for step in (pre_step, post_step))


def pre_step(g, f, n):
    return g + n(f(g))


def post_step(g, f, n):
    return n(g) + f(n(g))


def stacks():
    """(g, halves) by what is special about them; each half and norm is a matrix, and goes back by its transpose."""
    rng = np.random.default_rng(14)

    def times(matrix):
        return lambda g: g @ matrix

    def half(kind="random", n=4):
        matrix, scale = rng.normal(0, 0.5, (n, n)), np.diag(rng.uniform(0.5, 2, n))
        kinds = {"random": (matrix, scale), "no norm": (matrix, np.eye(n)), "nothing": (0 * matrix, np.eye(n))}
        return tuple(times(m) for m in kinds.get(kind, (0 * matrix, scale)))

    g = rng.normal(size=(3, 4))
    return {
        "no halves": (g, []),
        "halves that do nothing": (g, [half("nothing"), half("nothing")]),
        "norms around nothing": (g, [half("norm"), half("norm")]),
        "one half, no norm": (g, [half("no norm")]),
        "one half": (g, [half()]),
        "two halves": (g, [half(), half()]),
        "eight halves, a gradient of three axes": (rng.normal(size=(2, 3, 4)), [half() for _ in range(8)]),
    }


TASKS = [
    Task(
        "13.places",
        "Find the bug: two norms out of place",
        ("pre", "post"),
        (pre, post),
        blocks,
        (
            "Let both halves add nothing. What must come out of a pre-norm block then?",
            "In pre-norm nothing stands between x and the sum: norm what the half *reads*, ln_1(x), not the stream.",
            "pre: x = x + attn(ln_1(x)), then x + mlp(ln_2(x)). post: x = ln_1(x + attn(x)), then ln_2(x + mlp(x)).",
        ),
        (
            Mistake(
                "the stream itself is normed",
                "x = ln_1(x) takes the stream through the norm. Norm only what the half reads: x + attn(ln_1(x)).",
                (normed_stream, post),
            ),
            Mistake(
                "the norm stands inside the sum",
                "Post-norm norms the sum, ln(x + f(x)), not what is added to it.",
                (pre, norm_inside),
            ),
            Mistake("the two are exchanged", "pre: x + f(ln(x)). post: ln(x + f(x)).", (post, pre)),
            Mistake(
                "the MLP does not read what attention wrote",
                "The MLP reads the stream after the first sum.",
                (beside, post),
            ),
            Mistake("one norm for both halves", "Each half has a norm of its own.", (one_norm, post)),
            Mistake("nothing is added", "A half adds to the stream, and does not replace it.", (replaced, post)),
        ),
        both,
    ),
    Task(
        "13.back",
        "Back through a stack",
        ("pre_back", "post_back"),
        (pre_back, post_back),
        stacks,
        (
            "One half first. Pre-norm: y = x + f(n(x)). Which way does g take through the second term, in which order?",
            "Through f first, then through the norm: g + norm_back(f_back(g)). In post-norm all goes through the norm "
            "first, h = norm_back(g), and then into a sum: h + f_back(h).",
            "The way back begins at the last half: for f_back, norm_back in halves[::-1].",
        ),
        (
            Mistake(
                "from the first half on",
                "The gradient meets the last half first: reverse the list.",
                back(pre_step, post_step, order=1),
            ),
            Mistake(
                "the norm before the half",
                "In pre-norm the half stands behind the norm, so g meets the half first.",
                back(lambda g, f, n: g + f(n(g)), post_step),
            ),
            Mistake(
                "the norm goes around the half alone",
                "In post-norm the norm stands behind the sum, and both terms come back through it.",
                back(pre_step, lambda g, f, n: g + f(n(g))),
            ),
            Mistake(
                "the stream's own gradient is lost",
                "A sum hands g to both of its terms: what went past the half comes back too.",
                back(lambda g, f, n: n(f(g)), lambda g, f, n: f(n(g))),
            ),
            Mistake(
                "the half sees what came before the norm",
                "In post-norm what comes back to f has gone through the norm: f_back(norm_back(g)).",
                back(pre_step, lambda g, f, n: n(g) + f(g)),
            ),
            Mistake("the two are exchanged", "Pre-norm: y = x + f(n(x)).", back(post_step, pre_step)),
        ),
        both,
        level=2,
        rtol=1e-8,
    ),
]
