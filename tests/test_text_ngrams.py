"""N-gram models against a slow reference and the laws of probability."""

import math
from collections import Counter

import numpy as np
import pytest

from ddl.text import NGram

rng = np.random.default_rng(0)
TEXT = rng.choice(6, size=400, p=[0.4, 0.3, 0.15, 0.1, 0.05, 0.0])  # id 5 never occurs
HELD_OUT = rng.choice(6, size=80)


def slow_p(order, discounts, context, token):
    """The formula, one probability at a time."""
    if order == 0:
        return 1 / 6
    h = context[len(context) - order + 1 :]
    text = TEXT.tolist()
    after = Counter(text[i + order - 1] for i in range(len(text) - order + 1) if text[i : i + order - 1] == h)
    p = slow_p(order - 1, discounts, context, token)
    if not after:
        return p
    d = discounts[order - 1]
    return max(after[token] - d, 0) / after.total() + d * len(after) / after.total() * p


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_loss_equals_the_slow_reference(order):
    model = NGram(order).fit(TEXT, 6)
    held_out = HELD_OUT.tolist()
    places = range(order - 1, len(held_out))
    losses = [-math.log(slow_p(order, model.discounts, held_out[i - order + 1 : i], held_out[i])) for i in places]
    assert model.loss(HELD_OUT) == pytest.approx(sum(losses) / len(losses), rel=1e-12)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_probabilities_are_positive_and_sum_to_one(order):
    model = NGram(order).fit(TEXT, 6)
    for context in ([0] * 3, [0, 1, 2], [5, 5, 5], [1, 5, 0], [4, 4, 4]):
        p = model.probabilities(context)
        assert p.shape == (6,)
        assert (p > 0).all()
        assert p.sum() == pytest.approx(1, abs=1e-12)
        expected = [slow_p(order, model.discounts, context, token) for token in range(6)]
        np.testing.assert_allclose(p, expected, rtol=1e-12)


def test_an_unseen_context_backs_off_to_the_shorter_one():
    trigram, bigram = NGram(3).fit(TEXT, 6), NGram(2).fit(TEXT, 6)
    assert trigram.discounts[:2] == bigram.discounts
    np.testing.assert_allclose(trigram.probabilities([5, 1]), bigram.probabilities([1]))
    np.testing.assert_allclose(trigram.probabilities([5, 5]), NGram(1).fit(TEXT, 6).probabilities([]))


def test_the_discounts_predict_the_last_tenth_of_the_training_text_best():
    model = NGram(2).fit(TEXT, 6)
    counted = NGram(2).fit(TEXT[:360], 6)  # the same counts that the discounts were tuned with

    def loss(*discounts):
        counted.discounts = list(discounts)
        return counted.loss(TEXT[360:])

    best = loss(*model.discounts)
    assert all(best <= loss(model.discounts[0], d / 50) for d in range(1, 50))


def test_loss_is_that_of_the_source_where_there_is_nothing_more_to_learn():
    p = np.array([0.5, 0.25, 0.125, 0.125])
    draws = np.random.default_rng(1).choice(4, size=200_000, p=p)
    entropy = -(p * np.log(p)).sum()
    for order in 1, 2, 3:
        assert NGram(order).fit(draws[:150_000], 4).loss(draws[150_000:]) == pytest.approx(entropy, abs=0.01)


def test_a_longer_context_pays_where_the_text_has_one():
    text = np.tile([0, 1, 0, 2], 500)
    losses = [NGram(order).fit(text, 3).loss(text) for order in (1, 2, 3)]
    assert losses[0] > 1
    assert losses[1] == pytest.approx(math.log(2) / 2, abs=0.01)
    assert losses[2] < 0.01


def test_large_vocabularies():
    ids = np.random.default_rng(2).integers(50_257, size=3000)
    assert NGram(3).fit(ids, 50_257).probabilities([1, 2]).sum() == pytest.approx(1)
    with pytest.raises(ValueError, match="5-grams of 50257 tokens do not fit 64-bit keys"):
        NGram(5).fit(ids, 50_257)


@pytest.mark.parametrize(
    ("work", "error", "message"),
    [
        (lambda: NGram(0), ValueError, "order 0, but the lowest is 1"),
        (lambda: NGram(2).loss([1, 2]), RuntimeError, "counted nothing yet; call fit"),
        (lambda: NGram(2).fit([1, 2, 3], 6), ValueError, "needs 20 ids or more for order 2, but got 3"),
        (lambda: NGram(2).fit(TEXT, 6).loss([1]), ValueError, "needs 2 ids or more for order 2, but got 1"),
        (lambda: NGram(3).fit(TEXT, 6).probabilities([1]), ValueError, "needs 2 ids or more for order 3, but got 1"),
        (lambda: NGram(2).fit(TEXT, 4), ValueError, "ids from 0 to 4, but its vocabulary is 0 to 3"),
        (lambda: NGram(2).fit(TEXT / 2, 6), TypeError, r"takes a list of ids, but got float64 of shape \(400,\)"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(work, error, message):
    with pytest.raises(error, match=message):
        work()
