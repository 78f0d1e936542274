"""Wrong answers to the exercises of chapter 10, as learners give them, and right ones written in another way."""

import math
from collections import Counter
from itertools import pairwise

import numpy as np
from answers import Answers

import ddl

ANSWERS = Answers()
wrong, right = ANSWERS.wrong, ANSWERS.right

right("10.floor")(1.213)
wrong("10.floor", "in bits")(1.75)
wrong("10.floor", "a perplexity")(3.364)
wrong("10.floor", "as if all were equally likely")(1.386)
wrong("10.floor", "the likeliest token alone")(0.693)
wrong("10.floor", "the sign")(-1.213)
wrong("10.floor", "as if it could be known")(0)
wrong("10.floor")(2)
wrong("10.floor")(1.06)


@right("10.bits")
def bits_a_byte(loss, tokens, text):
    return float(np.log2(np.exp(loss)) * tokens / np.frombuffer(text.encode(), np.uint8).size)


BITS = math.log2(math.e)


def shared(loss, share, unit=BITS):
    return loss * unit * share


wrong("10.bits", "characters for bytes")(lambda loss, tokens, text: shared(loss, tokens / len(text)))
wrong("10.bits", "nats for bits")(lambda loss, tokens, text: shared(loss, tokens / len(text.encode()), 1))
wrong("10.bits", "times ln 2")(lambda loss, tokens, text: shared(loss, tokens / len(text.encode()), math.log(2)))
wrong("10.bits", "bytes by tokens")(lambda loss, tokens, text: shared(loss, len(text.encode()) / tokens))
wrong("10.bits", "the loss of one token")(lambda loss, tokens, text: shared(loss, 1 / len(text.encode())))
wrong("10.bits")(lambda loss, tokens, text: shared(loss, (tokens - 1) / len(text.encode())))
wrong("10.bits")(lambda loss, tokens, text: shared(loss, 1.0))
wrong("10.bits")(lambda loss, tokens, text: shared(loss, tokens / len(text.split())))


@right("10.rows")
def rows(ids, T):
    places = np.arange(0, len(ids) - T, T)[:, None] + np.arange(T)
    return ids[places], ids[places + 1]


@right("10.rows")
def rows(ids, T):
    starts = range(0, len(ids) - T, T)
    cut = np.array([ids[at : at + T + 1] for at in starts], ids.dtype).reshape(-1, T + 1)
    return cut[:, :T], cut[:, 1:]


def moved(ids, T, target):
    x, y = rows(ids, T)
    return x, target(x, y)


wrong("10.rows", "the row's own first token comes last")(
    lambda ids, T: moved(ids, T, lambda x, y: np.hstack([x[:, 1:], x[:, :1]]))
)
wrong("10.rows", "not shifted")(lambda ids, T: moved(ids, T, lambda x, y: x.copy()))
wrong("10.rows", "shifted the other way")(lambda ids, T: rows(ids, T)[::-1])
wrong("10.rows")(lambda ids, T: moved(ids, T, lambda x, y: np.hstack([y[:, 1:], y[:, -1:]])))
wrong("10.rows")(lambda ids, T: moved(ids, T, lambda x, y: y[::-1]))
wrong("10.rows")(lambda ids, T: tuple(part[:2] for part in rows(ids, T)))


@wrong("10.rows", "the text's first token comes last")
def rows_around(ids, T):
    n = len(ids) // T
    places = np.arange(n * T).reshape(n, T)
    return ids[places], ids[(places + 1) % max(n * T, 1)]


@wrong("10.rows", "pairs are lost between the rows")
def rows_apart(ids, T):
    places = np.arange(0, len(ids) - T, T + 1)[:, None] + np.arange(T)
    return ids[places], ids[places + 1]


@wrong("10.rows", "one row too few")
def rows_short(ids, T):
    n = max(len(ids) // T - 1, 0)
    return ids[: n * T].reshape(n, T), ids[1 : n * T + 1].reshape(n, T)


def joined_once(ids, pair, new):
    """The ids with the first `pair` from the left joined."""
    at = next((at for at, found in enumerate(pairwise(ids)) if found == pair), None)
    return ids if at is None else [*ids[:at], new, *ids[at + 2 :]]


def joined(data, table, choose, tries=1000):
    ids = list(data)
    for _ in range(tries):
        found = [pair for pair in pairwise(ids) if pair in table]
        if not found:
            break
        pair = choose(found, table)
        ids = joined_once(ids, pair, table[pair])
    return ids


@right("10.encode")
def encode_word(data, table):
    return joined(data, table, lambda found, table: min(found, key=table.get))


@right("10.encode")
def encode_word(data, table):
    ids = list(data)
    for pair, new in sorted(table.items(), key=lambda item: item[1]):
        while pair in pairwise(ids):
            ids = joined_once(ids, pair, new)
    return ids


@wrong("10.encode", "one join alone")
def encode_word(data, table):
    ids = list(data)
    first = min((table[pair] for pair in pairwise(ids) if pair in table), default=None)
    for pair, new in table.items():
        while new == first and pair in pairwise(ids):
            ids = joined_once(ids, pair, new)
    return ids


@wrong("10.encode", "the longest token that fits")
def encode_word(data, table):
    spelled = {bytes([i]): i for i in range(256)}
    names = {i: word for word, i in spelled.items()}
    for (left, right), new in table.items():
        names[new] = names[left] + names[right]
        spelled[names[new]] = new
    ids = []
    while data:
        size = max(n for n in range(1, len(data) + 1) if data[:n] in spelled)
        ids.append(spelled[data[:size]])
        data = data[size:]
    return ids


@wrong("10.encode", "joined from the right")
def encode_word(data, table):
    turned = {(right, left): new for (left, right), new in table.items()}
    return joined(data[::-1], turned, lambda found, table: min(found, key=table.get))[::-1]


@wrong("10.encode", "the most frequent pair of this word")
def encode_word(data, table):
    ids = list(data)
    while found := Counter(pair for pair in pairwise(ids) if pair in table):
        pair = max(found, key=lambda pair: (found[pair], -table[pair]))
        while pair in pairwise(ids):
            ids = joined_once(ids, pair, table[pair])
    return ids


wrong("10.encode", "from left to right")(lambda data, table: joined(data, table, lambda found, table: found[0]))
wrong("10.encode", "the newest pair first")(
    lambda data, table: joined(data, table, lambda found, table: max(found, key=table.get))
)
wrong("10.encode")(lambda data, table: joined(data, table, lambda found, table: found[-1]))
wrong("10.encode")(lambda data, table: joined(data, table, lambda found, table: min(found)))
wrong("10.encode")(lambda data, table: joined(data, table, lambda found, table: min(found, key=table.get), tries=3))


@right("10.warmth")
def warmth(s, tau):
    t = ddl.tensor(float(tau), requires_grad=True)
    log_p = ddl.tensor(s) / t - (ddl.tensor(s) / t).logsumexp(0)
    return ddl.grad(-(log_p.exp() * log_p).sum(), [t])[0].item()


@right("10.warmth")
def warmth(s, tau):
    p = np.exp(s / tau - np.logaddexp.reduce(s / tau))
    apart = s[:, None] - s[None]
    return float(p @ apart**2 @ p / 2 / tau**3)


def variance(s, tau, shift=True):
    e = np.exp(np.divide(s - s.max() if shift else s, tau))
    return np.average((s - np.average(s, weights=e)) ** 2, weights=e)


wrong("10.warmth", "every score counted alike")(lambda s, tau: np.mean((s - s.mean()) ** 2) / tau**3)
wrong("10.warmth", "the probabilities are not cooled")(lambda s, tau: variance(s, 1) / tau**3)
wrong("10.warmth", "the slope of the mean score")(lambda s, tau: variance(s, tau) / tau**2)
wrong("10.warmth", "the slope in 1/τ")(lambda s, tau: -variance(s, tau) / tau)
wrong("10.warmth", "the sign")(lambda s, tau: -variance(s, tau) / tau**3)
wrong("10.warmth", "the mean is not taken away")(
    lambda s, tau: np.average(s**2, weights=np.exp((s - s.max()) / tau)) / tau**3
)
wrong("10.warmth", "the largest score is not taken out")(
    lambda s, tau: (e := np.exp(s / tau), p := e / e.sum()) and (np.sum(p * s**2) - np.sum(p * s) ** 2) / tau**3
)
wrong("10.warmth")(lambda s, tau: variance(s, tau) / tau)
wrong("10.warmth")(lambda s, tau: variance(s, tau))
wrong("10.warmth")(lambda s, tau: math.sqrt(variance(s, tau)) / tau**3 if len(s) > 2 else variance(s, tau) / tau**3)


@right("10.mix")
def mix(p, q):
    shares = np.linspace(0, 1, 4001)[1:-1, None]
    return shares[np.log(shares * p + (1 - shares) * q).sum(axis=1).argmax()].item()


def em(p, q, steps):
    share = 0.5
    for _ in range(steps):
        first = share * p
        share = np.mean(first / (first + (1 - share) * q))
    return float(share)


right("10.mix")(lambda p, q: em(p, q, 3000))
wrong("10.mix", "one step towards it")(lambda p, q: em(p, q, 1))
wrong("10.mix", "how often the first is better")(lambda p, q: np.count_nonzero(p > q) / len(p))
wrong("10.mix", "the better one alone")(lambda p, q: (np.sign(np.log(p).sum() - np.log(q).sum()) + 1) / 2)
wrong("10.mix", "half and half")(lambda p, q: 1 / 2)
wrong("10.mix", "the weight of the second")(lambda p, q: em(q, p, 3000))
wrong("10.mix", "shares of the mean probability")(lambda p, q: p.sum() / (p + q).sum())
wrong("10.mix")(lambda p, q: em(p, q, 5))
wrong("10.mix")(lambda p, q: np.sqrt(p).sum() / (np.sqrt(p) + np.sqrt(q)).sum())
wrong("10.mix")(lambda p, q: np.float64(p.sum() > q.sum()) if p.sum() != q.sum() else 0.5)


def one_by_one(weight, i):
    return np.array([weight[ids[ids >= 0]].sum(axis=0) / max((ids >= 0).sum(), 1) for ids in i], weight.dtype)


def back_one_by_one(g, weight, i, n=lambda ids: len(ids), ids_of=lambda row: row[row >= 0], sign=1):
    dw = np.zeros(weight.shape, weight.dtype)
    for row, came in zip(i, g):
        ids = ids_of(row)
        for id in ids:
            dw[id] += sign * came / n(ids)
    return dw


def by_table(weight, i):
    """How often each token stands in each text, times the table."""
    often = (i[..., None] == np.arange(len(weight))).sum(axis=1).astype(weight.dtype)
    return often / np.maximum(often.sum(axis=1, keepdims=True), 1)


right("10.bag")((one_by_one, back_one_by_one))
right("10.bag")((lambda weight, i: by_table(weight, i) @ weight, lambda g, weight, i: by_table(weight, i).T @ g))


def lone_places(g, weight, i):
    dw = np.zeros_like(weight)
    real = i >= 0
    came = (real / np.maximum(real.sum(axis=1, keepdims=True), 1))[..., None] * g[:, None]
    for at in zip(*np.nonzero(real)):
        dw[i[at]] = came[at]
    return dw


def nan_for_none(weight, i):
    return np.array(
        [weight[ids[ids >= 0]].mean(axis=0) if (ids >= 0).any() else weight[0] * np.nan for ids in i], weight.dtype
    )


wrong("10.bag", "a token twice counts once")((one_by_one, lone_places))
wrong("10.bag", "−1 is the last row")(
    (lambda weight, i: np.mean(weight[i], axis=1), lambda g, weight, i: back_one_by_one(g, weight, i, len, lambda r: r))
)
wrong("10.bag", "divided by T")(
    (
        lambda weight, i: (by_table(weight, i) * ((i >= 0).mean(axis=1)[:, None]).astype(weight.dtype)) @ weight,
        lambda g, weight, i: back_one_by_one(g, weight, i, lambda ids: i.shape[1]),
    )
)
wrong("10.bag", "a sum for the mean")(
    (
        lambda weight, i: np.array([weight[ids[ids >= 0]].sum(axis=0) for ids in i], weight.dtype),
        lambda g, weight, i: back_one_by_one(g, weight, i, lambda ids: 1),
    )
)
wrong("10.bag", "the way back forgets to divide")(
    (one_by_one, lambda g, weight, i: back_one_by_one(g, weight, i, lambda ids: 1))
)
wrong("10.bag", "nothing divided by nothing")((nan_for_none, back_one_by_one))
wrong("10.bag")((one_by_one, lambda g, weight, i: back_one_by_one(g, weight, i, ids_of=lambda r: np.unique(r[r >= 0]))))
wrong("10.bag")((one_by_one, lambda g, weight, i: back_one_by_one(g, weight, i) / len(i)))
wrong("10.bag")((lambda weight, i: one_by_one(weight, np.sort(i)[:, ::-1][:, :3]), back_one_by_one))
