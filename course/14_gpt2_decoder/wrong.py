"""Wrong answers to the exercises of chapter 14, as learners give them, and right ones written in another way."""

import copy
import math

import numpy as np
from answers import Answers

import ddl
from ddl import nn
from ddl.nn import functional as F

ANSWERS = Answers()
wrong, right = ANSWERS.wrong, ANSWERS.right

right("14.first")(10.82)
wrong("14.first", "in bits")(math.log2(50257))
wrong("14.first", "the logarithm to base 10")(4.7012)
wrong("14.first", "the chance itself")(1 / 50257)
wrong("14.first", "the perplexity")(50257.0)
wrong("14.first")(-math.log(50257))
wrong("14.first")(math.log(968))


@right("14.size")
def size(V, T, C, L):
    linear = lambda a, b: a * b + b
    block = linear(C, 3 * C) + linear(C, C) + linear(C, 4 * C) + linear(4 * C, C) + 4 * C
    return sum([V * C, T * C, *[block] * L, 2 * C])


@wrong("14.size", "the head counted once more")
def size(V, T, C, L):
    return 2 * V * C + T * C + L * (12 * C**2 + 13 * C) + 2 * C


@wrong("14.size", "no biases")
def size(V, T, C, L):
    return (V + T) * C + L * (12 * C * C + 4 * C) + 2 * C


@wrong("14.size", "one norm a block")
def size(V, T, C, L):
    return (V + T) * C + L * (12 * C * C + 11 * C) + 2 * C


@wrong("14.size", "the places are left out")
def size(V, T, C, L):
    return V * C + L * (12 * C * C + 13 * C) + 2 * C


@wrong("14.size", "the output of the attention is left out")
def size(V, T, C, L):
    return (V + T) * C + L * (11 * C * C + 12 * C) + 2 * C


@wrong("14.size")
def size(V, T, C, L):
    return (V + T) * C + L * (9 * C * C + 11 * C) + 2 * C  # an MLP of 2.5 times the width


@wrong("14.size")
def size(V, T, C, L):
    return 968 * C + 128 * C + L * (12 * C * C + 13 * C) + 2 * C  # the chapter's, at any size


@right("14.groups")
def groups(model):
    found = [], []
    for name, p in model.named_parameters():
        found[len(p.shape) < 2].append(name)
    return found


@wrong("14.groups", "the gains of norms decay")
def groups(model):
    names = [name for name, _ in model.named_parameters()]
    return [n for n in names if "weight" in n], [n for n in names if "weight" not in n]


@wrong("14.groups", "everything decays")
def groups(model):
    return [name for name, _ in model.named_parameters()], []


@wrong("14.groups", "the two are exchanged")
def groups(model):
    named = [*model.named_parameters()]
    return [n for n, p in named if len(p.shape) == 1], [n for n, p in named if len(p.shape) == 2]


@wrong("14.groups", "square matrices alone")
def groups(model):
    named = [*model.named_parameters()]
    square = [n for n, p in named if p.ndim == 2 and p.shape[0] == p.shape[1]]
    return square, [n for n, _ in named if n not in square]


@wrong("14.groups")
def groups(model):
    named = [*model.named_parameters()]
    linear = {f"{path}.weight".lstrip(".") for path, m in model.named_modules() if isinstance(m, nn.Linear)}
    return [n for n, _ in named if n in linear], [n for n, _ in named if n not in linear]  # the table is spared


@wrong("14.groups")
def groups(model):
    named = [*model.named_parameters()]
    return sorted(n for n, p in named if p.ndim > 1), [n for n, p in named if p.ndim == 1][::-1]


@right("14.moved")
def still(model, step):
    before = copy.deepcopy(dict(model.named_parameters()))
    step(model)
    return [n for n, p in model.named_parameters() if not np.any(p.numpy() - before[n].numpy())]


def look(model, step, same, taken=np.array):
    before = {n: taken(p.numpy()) for n, p in model.named_parameters()}
    step(model)
    return [n for n, p in model.named_parameters() if same(before[n], p.numpy())]


@wrong("14.moved", "no copy was taken")
def still(model, step):
    return look(model, step, np.array_equal, np.asarray)


@wrong("14.moved", "a small step is taken for none")
def still(model, step):
    return look(model, step, lambda a, b: np.allclose(a, b))


@wrong("14.moved", "sums are compared")
def still(model, step):
    return look(model, step, lambda a, b: np.sum(a) == np.sum(b))


@wrong("14.moved", "one entry is enough")
def still(model, step):
    return look(model, step, lambda a, b: np.any(a == b))


@wrong("14.moved", "those that moved")
def still(model, step):
    return look(model, step, lambda a, b: (a != b).any())


@wrong("14.moved")
def still(model, step):
    return look(model, step, np.array_equal)[:1]


@wrong("14.moved")
def still(model, step):
    return [n.split(".")[0] for n in look(model, step, np.array_equal)]


@right("14.nucleus")
def nucleus(scores, p):
    q = F.softmax(ddl.tensor(scores), -1).numpy().copy()
    left, kept = p, np.zeros(len(q), bool)
    for i in sorted(range(len(q)), key=lambda i: -q[i]):
        if left <= 0:
            break
        kept[i] = True
        left -= q[i]
    q[~kept] = 0
    return q / q.sum()


def probabilities(scores):
    return np.exp(scores - np.logaddexp.reduce(scores))


def kept_alone(q, kept):
    q = q * kept
    return q / q.sum()


def mass_of_likelier(q):
    return np.array([q[q > x].sum() for x in q])


@wrong("14.nucleus", "the token that crosses p is left out")
def nucleus(scores, p):
    q = probabilities(scores)
    order = np.argsort(q, kind="stable")[::-1]
    n = max(1, int((np.cumsum(q[order]) <= p + 1e-9).sum()))
    return kept_alone(q, np.isin(np.arange(len(q)), order[:n]))


@wrong("14.nucleus", "they no longer add up to 1")
def nucleus(scores, p):
    q = probabilities(scores)
    return q * (mass_of_likelier(q) < p)


@wrong("14.nucleus", "every token likelier than p")
def nucleus(scores, p):
    q = probabilities(scores)
    return kept_alone(q, (q >= p) | ((q == q.max()) & (q.max() < p)))


@wrong("14.nucleus", "the order is lost")
def nucleus(scores, p):
    q = np.sort(probabilities(scores))[::-1]
    return kept_alone(q, np.cumsum(q) - q < p)


@wrong("14.nucleus", "the scores are not shifted")
def nucleus(scores, p):
    with np.errstate(all="ignore"):
        q = np.exp(scores) / np.exp(scores).sum()
        return kept_alone(q, mass_of_likelier(q) < p)


@wrong("14.nucleus", "nothing is cut")
def nucleus(scores, p):
    return probabilities(scores)


@wrong("14.nucleus")
def nucleus(scores, p):
    q = probabilities(scores)
    n = max(1, round(p * len(q)))
    return kept_alone(q, np.isin(np.arange(len(q)), np.argsort(-q, kind="stable")[:n]))  # a share of the tokens


@wrong("14.nucleus")
def nucleus(scores, p):
    q = probabilities(scores)
    return kept_alone(q, np.cumsum(q) - q < p)  # not sorted


@right("14.cache")
def attend(q, k, v, cache):
    K, V = np.append(cache[0], k[None], axis=0), np.append(cache[1], v[None], axis=0)
    s = np.einsum("td,d->t", K, q) * len(q) ** -0.5
    return np.exp(s - np.logaddexp.reduce(s)) @ V, [K, V]


def grown(k, v, cache):
    return np.vstack([cache[0], k]), np.vstack([cache[1], v])


def weigh(s):
    return np.exp(s - np.logaddexp.reduce(s))


@wrong("14.cache", "the new token does not see itself")
def attend(q, k, v, cache):
    seen = cache if len(cache[0]) else grown(k, v, cache)
    return weigh(seen[0] @ q / np.sqrt(len(q))) @ seen[1], grown(k, v, cache)


@wrong("14.cache", "the scores are not scaled")
def attend(q, k, v, cache):
    K, V = grown(k, v, cache)
    return weigh(K @ q) @ V, (K, V)


@wrong("14.cache", "divided by D")
def attend(q, k, v, cache):
    K, V = grown(k, v, cache)
    return weigh(K @ q / K.shape[1]) @ V, (K, V)


@wrong("14.cache", "nothing is kept")
def attend(q, k, v, cache):
    K, V = grown(k, v, cache)
    return weigh(K @ q / np.sqrt(len(q))) @ V, cache


@wrong("14.cache", "the last token alone is kept")
def attend(q, k, v, cache):
    K, V = grown(k, v, cache)
    return weigh(K @ q / np.sqrt(len(q))) @ V, (K[-1:], V[-1:])


@wrong("14.cache", "the scores are not shifted")
def attend(q, k, v, cache):
    K, V = grown(k, v, cache)
    with np.errstate(all="ignore"):
        e = np.exp(K @ q / np.sqrt(len(q)))
        return e / e.sum() @ V, (K, V)


@wrong("14.cache", "the keys alone are kept")
def attend(q, k, v, cache):
    K, V = grown(k, v, cache)
    first = V[0]
    past = np.vstack([*[first] * (len(K) - 1), v]) if len(K) > 1 else V
    return weigh(K @ q / np.sqrt(len(q))) @ V, (K, past)


@wrong("14.cache")
def attend(q, k, v, cache):
    K, V = grown(k, v, cache)
    return weigh(K @ k / np.sqrt(len(q))) @ V, (K, V)  # the key asks


@wrong("14.cache")
def attend(q, k, v, cache):
    K, V = grown(k, v, cache)
    return V.mean(axis=0), (K, V)


right("14.resume")((lambda run: copy.deepcopy(vars(run)), lambda run, kept: vars(run).update(copy.deepcopy(kept))))


def keep(run):
    return copy.deepcopy((run.w, run.v, run.step, run.rng.bit_generator.state))


def set_all(run, kept):
    run.w, run.v, run.step, run.rng.bit_generator.state = copy.deepcopy(kept)


def but(*names):
    """Takes all up, and leaves these as they are in a fresh run."""

    def take_up(run, kept):
        fresh = {name: vars(run)[name] for name in names if name != "rng"}
        state = run.rng.bit_generator.state
        set_all(run, kept)
        vars(run).update(fresh)
        if "rng" in names:
            run.rng.bit_generator.state = state

    return take_up


wrong("14.resume", "the weights alone")((keep, but("v", "step", "rng")))
wrong("14.resume", "the velocity is forgotten")((keep, but("v")))
wrong("14.resume", "the step is forgotten")((keep, but("step")))
wrong("14.resume", "the random numbers are forgotten")((keep, but("rng")))
wrong("14.resume", "what is kept goes on changing")(
    (lambda run: (run.w, run.v, run.step, run.rng.bit_generator.state), set_all)
)


def set_once(run, kept):
    run.w, run.v, run.step, run.rng.bit_generator.state = kept


wrong("14.resume", "it can be taken up only once")((keep, set_once))
wrong("14.resume")((keep, but("v", "step")))
wrong("14.resume")((lambda run: vars(run), lambda run, kept: vars(run).update(kept)))
