"""What a loss means: the lowest there is, bits a byte, and how entropy moves with temperature."""

import math

import numpy as np

from ...task import Mistake, Task, itself, once

FLOOR = 1.75 * math.log(2)


def bits_a_byte(loss, tokens, text):
    return loss / math.log(2) * tokens / len(text.encode())


def read_texts():
    """(loss, tokens, text) by what is special about them."""
    return {
        "a token is a byte": (2.68, 4, "rose"),
        "a token is two bytes": (3.5, 4, "the rose"),
        "one token for the whole text": (math.log(2), 1, "rose"),
        "nothing left to guess": (0.0, 3, "a rose"),
        "other letters": (4.0, 7, "naïve rosé"),
        "another script": (5.0, 6, "שלום"),
    }


def cooled(s, tau):
    p = np.exp((s - s.max()) / tau)
    return p / p.sum()


def spread(p, s):
    """The variance of the scores, each as often as its probability says."""
    return (p * (s - (p * s).sum()) ** 2).sum()


def warmth(s, tau):
    return spread(cooled(s, tau), s) / tau**3


def quietly(answer, s, tau):
    with np.errstate(all="ignore"):
        return answer(s, tau)


def score_rows():
    """(s, tau) by what is special about them."""
    rng = np.random.default_rng(10)
    return {
        "one token": (np.array([0.7]), 0.5),
        "all alike": (np.zeros(4), 2.0),
        "two tokens, temperature 1": (np.array([0.0, 2.0]), 1.0),
        "cold": (np.array([0.5, -1.0, 0.0]), 0.25),
        "hot": (np.array([3.0, -2.0, 0.0, 1.0]), 5.0),
        "very large scores": (np.array([2001.0, 2000.0, 1998.0]), 1.5),
        "scores of thousands below 0": (np.array([-2001.0, -2000.0]), 0.5),
        "scores far apart": (np.array([0.0, 1999.0, 2000.0]), 1.0),
        "twenty tokens": (rng.normal(0, 2, 20), 0.8),
    }


def raw(s, tau):
    p = np.exp(s / tau)
    return spread(p / p.sum(), s) / tau**3


def not_centred(s, tau):
    return (cooled(s, tau) * s**2).sum() / tau**3


TASKS = [
    Task(
        "10.floor",
        "As low as it goes",
        "floor",
        FLOOR,
        once,
        (
            "No context helps: each token is drawn by itself. So the best model says 1/2, 1/4, 1/8, 1/8 each time.",
            "Its loss on a token is −ln of that token's probability; on average, the entropy: Σ p ln(1/p).",
            "1/2 · ln 2 + 1/4 · ln 4 + 2 · 1/8 · ln 8, all of them multiples of ln 2.",
        ),
        (
            Mistake("in bits", "That is the entropy in bits; a nat is 1.44 bits.", 1.75),
            Mistake("a perplexity", "That is e to the loss: among how many tokens one is undecided.", math.exp(FLOOR)),
            Mistake(
                "as if all were equally likely",
                "ln 4 is the loss of a model that knows nothing; `a` comes half of the time.",
                math.log(4),
            ),
            Mistake("the likeliest token alone", "The other three come as well, and are harder to guess.", math.log(2)),
            Mistake("the sign", "The log of a probability is below 0, the loss is minus its mean.", -FLOOR),
            Mistake("as if it could be known", "Nobody knows what a fair draw will give, with any context.", 0.0),
        ),
        probe=itself,
        rtol=2e-3,
    ),
    Task(
        "10.bits",
        "Bits a byte",
        "bits_a_byte",
        bits_a_byte,
        read_texts,
        (
            "All tokens together have cost loss · tokens nats.",
            "A bit is ln 2 nats. And the bytes are those of text.encode(), not its characters.",
            "loss / ln 2 · tokens / len(text.encode())",
        ),
        (
            Mistake(
                "characters for bytes",
                "len(text) counts characters: another script has two or three bytes for each.",
                lambda loss, tokens, text: loss / math.log(2) * tokens / len(text),
            ),
            Mistake(
                "nats for bits",
                "The loss is in nats, and a bit is ln 2 nats.",
                lambda loss, tokens, text: loss * tokens / len(text.encode()),
            ),
            Mistake(
                "times ln 2",
                "A bit is smaller than a nat, so there are more of them: divide by ln 2.",
                lambda loss, tokens, text: loss * math.log(2) * tokens / len(text.encode()),
            ),
            Mistake(
                "bytes by tokens",
                "The whole text costs loss · tokens; that is shared out among its bytes.",
                lambda loss, tokens, text: loss / math.log(2) * len(text.encode()) / tokens,
            ),
            Mistake(
                "the loss of one token",
                "`loss` is the mean over the tokens: the whole text has cost `tokens` times as much.",
                lambda loss, tokens, text: loss / math.log(2) / len(text.encode()),
            ),
        ),
    ),
    Task(
        "10.warmth",
        "How fast warmth undoes certainty",
        "warmth",
        warmth,
        score_rows,
        (
            "Let β = 1/τ and Z = Σ exp(β s), so that ln p = β s − ln Z. Then H = ln Z − β E[s], E the mean under p.",
            "d ln Z/dβ is E[s], so dH/dβ = −β dE[s]/dβ; and dE[s]/dβ is the variance of s under p. Then dβ/dτ = −1/τ².",
            "p as in `cut`, with the largest score taken out; E = Σ p s; return Σ p (s − E)² / τ³.",
        ),
        (
            Mistake(
                "every score counted alike",
                "The variance is the one under p: a score counts as much as its probability says.",
                lambda s, tau: s.var() / tau**3,
            ),
            Mistake(
                "the probabilities are not cooled",
                "The probabilities are those at temperature τ.",
                lambda s, tau: spread(cooled(s, 1.0), s) / tau**3,
            ),
            Mistake(
                "the slope of the mean score",
                "Var/τ² is how fast E[s] falls. H = ln Z − E[s]/τ has one more 1/τ.",
                lambda s, tau: spread(cooled(s, tau), s) / tau**2,
            ),
            Mistake(
                "the slope in 1/τ",
                "In β = 1/τ the slope is −β Var; in τ there comes dβ/dτ = −1/τ² as a factor.",
                lambda s, tau: -spread(cooled(s, tau), s) / tau,
            ),
            Mistake(
                "the sign",
                "Warmer is less certain: entropy grows with temperature.",
                lambda s, tau: -warmth(s, tau),
            ),
            Mistake("the mean is not taken away", "A variance is the mean square distance from the mean.", not_centred),
            Mistake("the largest score is not taken out", "exp(2000) is infinite: take s.max() out first.", raw),
        ),
        quietly,
        level=2,
        rtol=1e-6,
    ),
]
