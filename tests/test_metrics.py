"""Metrics: what scikit-learn gives, from lists, arrays, tensors and a GPU's arrays, and what they refuse."""

import itertools
import math

import numpy as np
import pytest
from fake_cupy import installed
from sklearn import metrics as theirs

import ddl
from ddl import metrics as M
from ddl.nn import functional as F

RNG = np.random.default_rng(0)
PAIRS = {
    "several classes": (RNG.integers(0, 5, 60), RNG.integers(0, 5, 60)),
    "two classes": (RNG.integers(0, 2, 40), RNG.integers(0, 2, 40)),
    "all right": (np.array([0, 1, 2, 1]), np.array([0, 1, 2, 1])),
    "all wrong": (np.array([1, 2, 0, 0]), np.array([0, 1, 2, 1])),
    "a class never predicted": (np.array([0, 0, 1, 1, 0]), np.array([0, 1, 2, 1, 3])),
    "a class that no sample has": (np.array([4, 0, 1, 1, 0]), np.array([0, 1, 1, 1, 0])),
    "one sample": (np.array([3]), np.array([1])),
    "never positive": (np.array([0, 0, 0]), np.array([0, 0, 0])),
    "never predicted positive": (np.array([0, 0, 0]), np.array([1, 0, 1])),
    "always positive": (np.array([1, 1, 1]), np.array([0, 1, 0])),
    "booleans": (RNG.random(30) > 0.5, RNG.random(30) > 0.4),
}
every = pytest.mark.parametrize("pair", PAIRS)
RATES = {"precision": theirs.precision_score, "recall": theirs.recall_score, "f1": theirs.f1_score}


@pytest.mark.filterwarnings("ignore:A single label was found")
@every
def test_accuracy_and_confusion_matrix_are_scikit_learns(pair):
    x, y = PAIRS[pair]
    assert M.accuracy(x, y) == pytest.approx(theirs.accuracy_score(y, x), rel=1e-15)
    for n in (None, 7):
        found = M.confusion_matrix(x, y, num_classes=n)
        labels = range(n or int(max(x.max(), y.max())) + 1)
        assert found.dtype == np.int64
        np.testing.assert_array_equal(found, theirs.confusion_matrix(y.astype(int), x.astype(int), labels=labels))


@every
@pytest.mark.parametrize("zero_division", [0.0, 1.0])
@pytest.mark.parametrize("average", ["binary", "micro", "macro", "weighted", None])
@pytest.mark.parametrize("rate", RATES)
def test_rates_are_scikit_learns(rate, average, zero_division, pair):
    x, y = (a.astype(int) for a in PAIRS[pair])
    n = int(max(x.max(), y.max())) + 1
    if average == "binary" and n > 2:
        with pytest.raises(ValueError, match=f"{rate} with average 'binary' is of 2 classes, but there are {n}"):
            getattr(M, rate)(x, y)
        return
    for num_classes in (None,) if average == "binary" else (None, n, n + 2):
        known = {} if num_classes is None and average is not None else {"labels": range(num_classes or n)}
        expected = RATES[rate](y, x, average=average, zero_division=zero_division, **known)
        found = getattr(M, rate)(x, y, average, num_classes, zero_division)
        np.testing.assert_allclose(found, expected, rtol=1e-14)
        assert isinstance(found, np.ndarray if average is None else float)


def test_scores_predict_their_largest_class():
    scores = RNG.normal(size=(50, 4))
    y = RNG.integers(0, 4, 50)
    for metric in (M.accuracy, lambda x, y: M.f1(x, y, "macro"), lambda x, y: M.confusion_matrix(x, y).tolist()):
        assert metric(scores, y) == metric(scores.argmax(-1), y)
    assert M.accuracy(scores.reshape(5, 10, 4), y.reshape(5, 10)) == M.accuracy(scores, y)
    assert M.accuracy([[1.0, 1.0], [0.0, 2.0]], [0, 0]) == 0.5  # the first of those that tie


@pytest.mark.filterwarnings("ignore:'k'")
@pytest.mark.parametrize("k", [1, 2, 3, 5])
@pytest.mark.parametrize("ties", [False, True])
def test_top_k_is_scikit_learns_with_ties_too(k, ties):
    scores = RNG.normal(size=(200, 5))
    if ties:
        scores = scores.round()
    y = np.concatenate([np.arange(5), RNG.integers(0, 5, 195)])
    assert M.top_k_accuracy(scores, y, k) == theirs.top_k_accuracy_score(y, scores, k=k, labels=range(5))
    assert M.top_k_accuracy(scores.reshape(10, 20, 5), y.reshape(10, 20), k) == M.top_k_accuracy(scores, y, k)


def test_a_model_that_gives_every_class_the_same_score_is_not_always_right():
    y = np.arange(10)
    assert M.top_k_accuracy(np.zeros((10, 10)), y, 3) == 0.3
    assert M.accuracy(np.zeros((10, 10)), y) == 0.1
    assert M.top_k_accuracy(np.where(np.eye(10) > 0, -np.inf, np.inf), y, 9) == 0


def test_perplexity_is_the_number_of_equal_choices():
    assert M.perplexity(np.zeros((2, 3, 7)), np.zeros((2, 3), int)) == pytest.approx(7, rel=1e-12)
    scores, ids = RNG.normal(size=(4, 5, 11)), RNG.integers(0, 11, (4, 5))
    ids[0, :3] = -100
    loss = F.cross_entropy(ddl.tensor(scores.reshape(-1, 11)), ids.reshape(-1)).item()
    assert M.perplexity(scores, ids) == pytest.approx(math.exp(loss), rel=1e-14)
    assert M.perplexity(ddl.tensor(scores), ddl.tensor(ids)) == M.perplexity(scores, ids)
    assert M.perplexity([[0.0, 2000.0]], [0]) == math.inf


NUMBERS = {
    "rows": (RNG.normal(size=50), RNG.normal(size=50)),
    "columns": (RNG.normal(size=(20, 3)), RNG.normal(size=(20, 3)) * [1, 5, 0.1]),
    "integers": (RNG.integers(0, 9, 30), RNG.integers(0, 9, 30)),
    "equal targets, right": (np.ones(4), np.ones(4)),
    "equal targets, wrong": (np.arange(4.0), np.ones(4)),
    "a column of equal targets": (RNG.normal(size=(6, 2)), np.stack([np.ones(6), np.arange(6.0)], 1)),
    "two": (np.array([1.0, 2.0]), np.array([2.0, 0.0])),
}


@pytest.mark.parametrize("pair", NUMBERS)
def test_errors_of_numbers_are_scikit_learns(pair):
    x, y = NUMBERS[pair]
    assert M.mean_squared_error(x, y) == pytest.approx(theirs.mean_squared_error(y, x), rel=1e-13)
    assert M.mean_absolute_error(x, y) == pytest.approx(theirs.mean_absolute_error(y, x), rel=1e-13)
    assert M.r2_score(x, y) == pytest.approx(theirs.r2_score(y, x), rel=1e-12)
    assert M.root_mean_squared_error(x, y) == math.sqrt(M.mean_squared_error(x, y))
    if x.ndim == 1:
        assert M.root_mean_squared_error(x, y) == pytest.approx(theirs.root_mean_squared_error(y, x), rel=1e-13)


def test_narrow_numbers_neither_wrap_nor_round():
    assert M.mean_absolute_error(np.array([0], np.uint8), np.array([255], np.uint8)) == 255
    assert M.mean_squared_error(np.array([300], np.int16), np.array([-300], np.int16)) == 360_000
    x = np.full(100_000, 0.1, np.float32)
    assert M.mean_absolute_error(x, np.zeros_like(x)) == pytest.approx(float(np.float32(0.1)), rel=1e-12)
    assert M.mean_squared_error(np.full(10, 300, np.float16), np.zeros(10, np.float16)) == 90_000


def of_every_kind(f, *arrays):
    """The metric from arrays, lists, tensors with a graph and without, and arrays and tensors on another device."""
    yield f(*arrays)
    yield f(*[a.tolist() for a in arrays])
    yield f(*[ddl.tensor(a) for a in arrays])
    yield f(*[ddl.tensor(a, requires_grad=a.dtype.kind == "f") * 1 for a in arrays])
    with installed() as cupy:
        yield f(*[cupy.asarray(a) for a in arrays])
        yield f(*[ddl.tensor(a, device="gpu") for a in arrays])


SCORES, CLASSES = RNG.normal(size=(30, 3)), RNG.integers(0, 3, 30)


@pytest.mark.parametrize(
    ("f", "arrays"),
    [
        (M.accuracy, (SCORES, CLASSES)),
        (M.accuracy, (SCORES.argmax(-1), CLASSES)),
        (lambda x, y: M.top_k_accuracy(x, y, 2), (SCORES, CLASSES)),
        (M.confusion_matrix, (SCORES, CLASSES)),
        *[
            (lambda x, y, f=f, average=average: f(x, y, average), (SCORES, CLASSES))
            for f, average in itertools.product((M.precision, M.recall, M.f1), ("micro", "macro", "weighted", None))
        ],
        (M.perplexity, (SCORES, CLASSES)),
        *[
            (f, (SCORES, SCORES[::-1].copy()))
            for f in (M.mean_squared_error, M.root_mean_squared_error, M.mean_absolute_error, M.r2_score)
        ],
    ],
)
def test_arrays_lists_tensors_and_devices_give_the_same(f, arrays):
    first, *others = of_every_kind(f, *arrays)
    for other in others:
        assert type(other) is type(first)
        np.testing.assert_allclose(other, first, rtol=1e-6 if f is M.perplexity else 1e-13)  # lists are float32


# Averages


def test_a_running_mean_is_the_mean_of_all_samples():
    mean = M.Mean()
    x, y = RNG.integers(0, 3, 100), RNG.integers(0, 3, 100)
    for start in range(0, 100, 30):
        mean.update(M.accuracy(x[start : start + 30], y[start : start + 30]), n=len(x[start : start + 30]))
    assert mean.compute() == pytest.approx(M.accuracy(x, y), rel=1e-14)
    mean.reset()
    assert "of nothing yet" in repr(mean)
    mean.update(ddl.tensor(3.0))
    mean.update(np.float32(5))
    assert (mean.compute(), repr(mean)) == (4.0, "Mean(4.0)")


def test_an_exponential_average_weighs_the_last_most_and_starts_at_the_first():
    ema = M.EMA(0.8)
    numbers = RNG.normal(size=20)
    for i, x in enumerate(numbers, 1):
        ema.update(x)
        weights = 0.8 ** np.arange(i)[::-1]
        assert ema.compute() == pytest.approx((weights * numbers[:i]).sum() / weights.sum(), rel=1e-12)
    ema.reset()
    ema.update(ddl.tensor(7.0))
    assert ema.compute() == pytest.approx(7.0)
    assert repr(M.EMA(0.5)) == "EMA(of nothing yet, decay=0.5)"


# Refusals

NONE, ONE = np.zeros(0, int), np.zeros(1, int)
PAIRED = [M.mean_squared_error, M.root_mean_squared_error, M.mean_absolute_error, M.r2_score]
CLASSED = [M.accuracy, M.precision, M.recall, M.f1, M.confusion_matrix]


@pytest.mark.parametrize("f", [*CLASSED, *PAIRED], ids=lambda f: f.__name__)
def test_no_samples_and_other_shapes_are_refused_by_name(f):
    for x, y in ((NONE, NONE), ([], []), (np.zeros((0, 3)), NONE)):
        with pytest.raises(ValueError, match=f"^{f.__name__} was given no samples; give one or more$"):
            f(x, y)
    with pytest.raises(ValueError, match=rf"^{f.__name__} was given predictions of shape \(3,\) and targets of shape"):
        f(np.zeros(3, int), np.zeros((3, 1), int))
    with pytest.raises(TypeError, match=f"^{f.__name__} takes numbers, but predictions of dtype <U1 were given"):
        f(["a", "b"], [0, 1])
    with installed():
        with pytest.raises(TypeError, match=f"^{f.__name__} was given predictions on gpu and targets on cpu"):
            f(ddl.zeros(3, device="gpu"), ddl.zeros(3))


@pytest.mark.parametrize("f", CLASSED, ids=lambda f: f.__name__)
def test_what_is_no_class_is_refused_by_name(f):
    name = f.__name__
    with pytest.raises(TypeError, match=rf"^{name} takes integer classes, but predictions of dtype float64 were given"):
        f(np.array([0.2, 0.9]), np.array([0, 1]))
    with pytest.raises(ValueError, match=f"^{name} was given class -1 among the targets; classes count from 0"):
        f([0, 1], [0, -1])
    with pytest.raises(ValueError, match=f"^{name} was given scores that are NaN"):
        f(np.array([[0.0, np.nan]]), [0])
    for one in (np.zeros((3, 1)), np.zeros((3, 1), int)):  # not the largest of one, which is always right about 0
        with pytest.raises(ValueError, match=f"^{name} was given scores of 1 classes; for yes or no give classes"):
            f(one, [0, 0, 0])
    with pytest.raises(ValueError, match=f"^{name} was given scores of 2 classes and class 2; classes count from 0"):
        f(np.zeros((1, 2)), [2])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: M.f1([0, 1], [0, 1], "samples"), "f1 was asked for average 'samples', but it is one of 'binary',"),
        (lambda: M.recall([0, 1], [0, 1], zero_division=0.5), "recall needs zero_division to be 0 or 1, but 0.5 was"),
        (
            lambda: M.confusion_matrix([0, 3], [0, 1], 3),
            "was given class 3, so num_classes must be above it, but it is 3",
        ),
        (
            lambda: M.precision([0, 1], [0, 1], None, 2.5),
            "given class 1, so num_classes must be above it, but it is 2.5",
        ),
        (lambda: M.top_k_accuracy(np.zeros((1, 3)), [0], 4), "of 3 classes needs k from 1 to 3, but 4 was given"),
        (lambda: M.top_k_accuracy(np.zeros((1, 3)), [0], 0), "of 3 classes needs k from 1 to 3, but 0 was given"),
        (lambda: M.top_k_accuracy(np.zeros((1, 3)), [0]), "of 3 classes needs k from 1 to 3, but 5 was given"),
        (lambda: M.top_k_accuracy([0, 1], [0, 1]), "takes scores (.., C) and classes (..), but (2,) and (2,) were"),
        (lambda: M.top_k_accuracy(np.zeros((0, 3)), NONE), "top_k_accuracy was given no samples"),
        (lambda: M.top_k_accuracy([[np.nan, 1.0]], [0], 1), "top_k_accuracy was given scores that are NaN"),
        (lambda: M.perplexity(np.zeros((0, 3)), NONE), "perplexity was given no samples that count"),
        (lambda: M.perplexity(np.zeros((1, 3)), [-100]), "perplexity was given no samples that count"),
        (
            lambda: M.perplexity(np.zeros(3), [0, 1, 2]),
            "takes scores (.., V) and ids (..), but (3,) and (3,) were given",
        ),
        (lambda: M.r2_score([1.0], [1.0]), "r2_score takes two samples or more, (N,) or (N, D), but shape (1,) was"),
        (lambda: M.r2_score(np.zeros((2, 2, 2)), np.zeros((2, 2, 2))), "(N,) or (N, D), but shape (2, 2, 2) was given"),
        (lambda: M.Mean().compute(), "Mean was asked for before it was given a sample"),
        (lambda: M.Mean().update(1.0, n=-1), "Mean takes a number of samples of 0 or more, but -1 was given"),
        (lambda: M.EMA().compute(), "EMA was asked for before it was given a number"),
        (lambda: M.EMA(1.0), "EMA needs a decay from 0 up to, not including, 1, but 1.0 was given"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(make, message):
    with pytest.raises(ValueError) as caught:
        make()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
