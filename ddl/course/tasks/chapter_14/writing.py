"""How a decoder writes: which tokens it draws from, and what it keeps of the past."""

import numpy as np

from ...task import Mistake, Task, parts


def softmax(scores):
    e = np.exp(scores - scores.max())
    return e / e.sum()


def cut(scores, kept):
    """The probabilities with those set to 0 that `kept` says no to, and adding up to 1 again."""
    p = softmax(scores)
    p = np.where(kept(p), p, 0.0)
    return p / p.sum()


def before(p):
    """What all likelier tokens have together."""
    order = np.argsort(-p, kind="stable")
    mass = np.empty_like(p)
    mass[order] = np.cumsum(p[order]) - p[order]
    return mass


def nucleus(scores, p):
    return cut(scores, lambda q: before(q) < p)


def unmended(scores, p):
    q = softmax(scores)
    return np.where(before(q) < p, q, 0.0)


def in_order(scores, p):
    return -np.sort(-nucleus(scores, p))


def short_of(scores, p):
    def kept(q):
        within = before(q) + q <= p + 1e-12
        return within if within.any() else q == q.max()

    return cut(scores, kept)


def unshifted(scores, p):
    with np.errstate(all="ignore"):
        q = np.exp(scores) / np.exp(scores).sum()
        q = np.where(before(q) < p, q, 0.0)
        return q / q.sum()


def score_cases():
    rng = np.random.default_rng(14)
    return {
        "one token": (np.array([0.3]), 0.5),
        "all are kept": (np.array([2.0, 0.0, 1.0]), 1.0),
        "the first is enough": (np.array([0.0, 5.0, 0.0]), 0.9),
        "two of four": (np.log([0.1, 0.5, 0.1, 0.3]), 0.7),
        "the one that crosses": (np.log([0.2, 0.4, 0.3, 0.1]), 0.5),
        "very large scores": (np.array([1000.0, 1001.0, 990.0]), 0.9),
        "scores far apart": (np.array([0.0, 900.0, 400.0]), 0.9),
        "thirty tokens": (rng.normal(0, 2, 30), 0.8),
    }


def attend(q, k, v, cache):
    K, V = (np.vstack([old, new]) for old, new in zip(cache, (k, v)))
    return softmax(K @ q / np.sqrt(len(q))) @ V, (K, V)


def written(answer, Q, K, V):
    """The outputs, place by place, with what each call gives back handed to the next; (T, D)."""
    cache, outputs = (np.zeros((0, Q.shape[1])), np.zeros((0, V.shape[1]))), []
    for t in range(len(Q)):
        got = parts(answer(Q[t].copy(), K[t].copy(), V[t].copy(), cache), "the output", "the cache")
        outputs.append(np.asarray(got["the output"], float).reshape(-1)[: V.shape[1]])
        cache = got["the cache"]
    return np.array(outputs).reshape(len(Q), -1)


def by(weights, kept=lambda old, new: np.vstack([old, new])):
    """The same with other weights, or with another memory."""

    def attended(q, k, v, cache):
        K, V = (np.vstack([old, new]) for old, new in zip(cache, (k, v)))
        return weights(K, q) @ V, tuple(kept(old, new) for old, new in zip(cache, (k, v)))

    return attended


def itself_unseen(q, k, v, cache):
    out, kept = attend(q, k, v, cache)
    return (softmax(cache[0] @ q / np.sqrt(len(q))) @ cache[1] if len(cache[0]) else out), kept


def keys_alone(q, k, v, cache):
    out, (K, _) = attend(q, k, v, cache)
    return out, (K, np.vstack([np.repeat(cache[1][:1], len(K) - 1, axis=0), v]) if len(K) > 1 else v[None])


def raw(K, q):
    with np.errstate(all="ignore"):
        e = np.exp(K @ q / np.sqrt(len(q)))
        return e / e.sum()


def runs():
    """(Q, K, V), each (T, D)."""
    rng = np.random.default_rng(15)
    draw = lambda T, D, scale=1.0: tuple(scale * rng.normal(size=(T, D)) for _ in "qkv")
    return {
        "one token": draw(1, 4),
        "two tokens": draw(2, 4),
        "one number wide": draw(5, 1),
        "as many places as numbers": draw(3, 3),
        "a longer text": draw(7, 4),
        "very large scores": draw(4, 2, 60.0),
    }


scaled = lambda K, q: softmax(K @ q / np.sqrt(len(q)))

TASKS = [
    Task(
        "14.nucleus",
        "Draw from the likely ones",
        "nucleus",
        nucleus,
        score_cases,
        (
            "Sort the probabilities from the largest down, and add them up on the way: np.argsort(-q), np.cumsum.",
            "A token is kept where all that are likelier have less than p together. So the first is always kept.",
            "order = np.argsort(-q); mass = np.cumsum(q[order]) - q[order]; keep order[mass < p]; set the rest to 0 "
            "and divide by the sum.",
        ),
        (
            Mistake(
                "the token that crosses p is left out",
                "The smallest set that reaches p includes the token with which it is reached.",
                short_of,
            ),
            Mistake("they no longer add up to 1", "What is left is divided by its sum.", unmended),
            Mistake(
                "every token likelier than p",
                "p is what the kept tokens have together, no bound for each of them.",
                lambda scores, p: cut(scores, lambda q: (q >= p) if (q >= p).any() else q == q.max()),
            ),
            Mistake("the order is lost", "Each probability has to stand at its own token's place.", in_order),
            Mistake(
                "the scores are not shifted",
                "exp(1000) is beyond float64: take the largest score out first.",
                unshifted,
            ),
            Mistake(
                "nothing is cut",
                "Tokens beyond the likeliest ones that reach p get 0.",
                lambda scores, p: softmax(scores),
            ),
        ),
        level=2,
    ),
    Task(
        "14.cache",
        "One new token",
        "attend",
        attend,
        runs,
        (
            "Put the new key and the new value at the end of those that are kept: np.vstack([K, k]).",
            "The new token sees all that are kept, itself included: scores K @ q / sqrt(D), softmax, times V.",
            "K, V = np.vstack([cache[0], k]), np.vstack([cache[1], v]); s = K @ q / np.sqrt(len(q)); "
            "e = np.exp(s - s.max()); return e / e.sum() @ V, (K, V).",
        ),
        (
            Mistake(
                "the new token does not see itself",
                "Keep its key and value first: place t looks at all places up to t, itself included.",
                itself_unseen,
            ),
            Mistake(
                "the scores are not scaled",
                "Scores are divided by the root of D, the length of q.",
                by(lambda K, q: softmax(K @ q)),
            ),
            Mistake(
                "divided by D",
                "The scores are divided by the root of D, not by D.",
                by(lambda K, q: softmax(K @ q / len(q))),
            ),
            Mistake(
                "nothing is kept",
                "What comes back has to hold the new key and value, or the next token cannot see this one.",
                by(scaled, kept=lambda old, new: old),
            ),
            Mistake(
                "the last token alone is kept",
                "The past is all keys and values so far, one row more with each token.",
                by(scaled, kept=lambda old, new: new[None]),
            ),
            Mistake("the scores are not shifted", "Take the largest score out before exp.", by(raw)),
            Mistake("the keys alone are kept", "The values of the past are needed as well.", keys_alone),
        ),
        written,
        level=3,
    ),
]
