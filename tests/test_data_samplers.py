"""Samplers: what an epoch draws is what was asked for, new each epoch, and taken up anywhere to the sample."""

import json
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ddl import random
from ddl.data import (
    BatchSampler,
    DataLoader,
    RandomSampler,
    Sampler,
    SequentialSampler,
    TensorDataset,
    WeightedRandomSampler,
)
from ddl.data.transforms import RandomTransform

N = 23
WEIGHTS = np.arange(N) % 4


class Buckets(Sampler):
    """A batch sampler of one's own: batches of like parity and of different sizes."""

    def __len__(self):
        return 4

    def order(self, rng):
        halves = [rng.permutation(np.arange(k, N, 2)) for k in (0, 1)]
        return [part for half in halves for part in (half[:3], half[3:])]

    def __repr__(self):
        return "Buckets()"


class Foreign:
    """Written for another library: walked, and the same each epoch."""

    def __len__(self):
        return 5

    def __iter__(self):
        return iter([4, 2, 0, 2, -1])


class Noise(RandomTransform):
    def __call__(self, x, rng):
        return x + rng.random()


def batches_of(sampler):
    return {"batch_sampler": sampler}


OPTIONS = {
    "in order": {"batch_size": 4},
    "shuffled": {"batch_size": 4, "shuffle": True},
    "shuffled without the rest": {"batch_size": 4, "shuffle": True, "drop_last": True},
    "sequential": {"batch_size": 4, "sampler": SequentialSampler(range(N))},
    "random": {"batch_size": 4, "sampler": RandomSampler(range(N))},
    "random with replacement": {"batch_size": 4, "sampler": RandomSampler(range(N), replacement=True)},
    "few of them": {"batch_size": 4, "sampler": RandomSampler(range(N), num_samples=10)},
    "more than there are": {"batch_size": 4, "sampler": RandomSampler(range(N), num_samples=60)},
    "weighted": {"batch_size": 4, "sampler": WeightedRandomSampler(WEIGHTS, 30)},
    "weighted once": {"batch_size": 4, "sampler": WeightedRandomSampler(WEIGHTS, 9, replacement=False)},
    "a list": {"batch_size": 2, "sampler": [5, 3, 1, 1, -1]},
    "a foreign sampler": {"batch_size": 2, "sampler": Foreign()},
    "batches": batches_of(BatchSampler(RandomSampler(range(N)), 5, drop_last=True)),
    "batches of a list": batches_of(BatchSampler([3, 1, 2], 2)),
    "a list of batches": batches_of([[0, 1], [2], [3, 4, 5]]),
    "buckets": batches_of(Buckets()),
    "transformed": {"batch_size": 4, "shuffle": True, "transform": Noise()},
    "transformed buckets": batches_of(Buckets()) | {"transform": Noise()},
}
every = pytest.mark.parametrize("name", OPTIONS)


def loader(name, seed=7, **options):
    return DataLoader(TensorDataset(np.arange(N)), **OPTIONS[name], seed=seed, **options)


def given_by(batches, n=10**6):
    return [batch[0].tolist() for batch in islice(batches, n)]


@every
@pytest.mark.parametrize("prefetch", [0, 1, 3])
@settings(max_examples=12, deadline=None)
@given(stop=st.integers(0, 40))
def test_resuming_anywhere_gives_the_batches_of_the_run_that_went_on(name, prefetch, stop):
    """With a thread that makes them ahead, too: the state is of what was given, not of what was made."""
    running = loader(name)
    batches = running.forever()
    given_by(batches, stop)
    state = json.loads(json.dumps(running.state_dict()))
    expected = given_by(batches, 17)
    resumed = loader(name, 8, prefetch=prefetch)
    resumed.load_state_dict(state)
    assert resumed.state_dict() == state
    ahead = resumed.forever()
    assert given_by(ahead, 17) == expected
    assert resumed.state_dict() == running.state_dict()
    ahead.close()


@every
def test_an_epoch_has_as_many_batches_as_it_says_and_two_differ_where_chance_is(name):
    a = loader(name)
    first, second = given_by(a), given_by(a)
    assert len(first) == len(second) == len(a)
    fixed = name in ("in order", "sequential", "a list", "a foreign sampler", "batches of a list", "a list of batches")
    assert (first == second) == fixed
    assert given_by(loader(name)) == first
    assert (given_by(loader(name, 9)) == first) == fixed


def samples(sampler, epochs=1, seed=0):
    return [sampler.order(np.random.default_rng([seed, epoch])) for epoch in range(epochs)]


def test_past_the_samples_there_are_the_permutations_follow_each_other():
    (numbers,) = samples(RandomSampler(range(N), num_samples=60))
    assert len(numbers) == 60
    assert sorted(numbers[:N]) == sorted(numbers[N : 2 * N]) == list(range(N))
    assert numbers[:N].tolist() != numbers[N : 2 * N].tolist()
    assert len(set(numbers[2 * N :])) == 60 - 2 * N


def test_few_samples_are_others_each_epoch_and_none_twice():
    epochs = samples(RandomSampler(range(N), num_samples=10), 50)
    assert all(len(set(numbers.tolist())) == 10 for numbers in epochs)
    assert set(np.concatenate(epochs)) == set(range(N))


def test_with_replacement_each_sample_is_as_likely_as_another():
    numbers = np.concatenate(samples(RandomSampler(range(5), replacement=True, num_samples=2000), 10))
    assert abs(np.bincount(numbers) / 20_000 - 0.2).max() < 0.015
    assert len(set(samples(RandomSampler(range(100), replacement=True))[0].tolist())) < 80


def test_weights_say_how_often():
    weights = [1.0, 0.0, 3.0, 6.0]
    numbers = np.concatenate(samples(WeightedRandomSampler(weights, 2000), 10))
    assert abs(np.bincount(numbers, minlength=4) / 20_000 - np.array(weights) / 10).max() < 0.015
    once = samples(WeightedRandomSampler(weights, 3, replacement=False), 300)
    assert all(sorted(numbers) == [0, 2, 3] for numbers in once)
    assert np.mean([numbers[0] == 3 for numbers in once]) > 0.5


def test_a_sampler_walks_by_itself_and_draws_from_the_data_stream():
    before = random.get_state()
    try:
        sampler = RandomSampler(range(N))
        random.manual_seed(3)
        first, second = list(sampler), list(sampler)
        random.manual_seed(3)
        assert [list(sampler), list(sampler)] == [first, second]
        assert sorted(first) == list(range(N))
        assert first != second
        assert list(BatchSampler(SequentialSampler(range(5)), 2)) == [[0, 1], [2, 3], [4]]
        assert list(BatchSampler(range(5), 2, drop_last=True)) == [[0, 1], [2, 3]]
        assert all(type(i) is int for i in [*first, *list(WeightedRandomSampler([1, 2], 4))])
    finally:
        random.set_state(before)


@pytest.mark.torch
@pytest.mark.parametrize("drop_last", [False, True])
@pytest.mark.parametrize("size", [1, 3, 5, 9])
def test_batches_are_cut_as_pytorch_does(size, drop_last):
    data = pytest.importorskip("torch").utils.data
    theirs = data.BatchSampler(data.SequentialSampler(range(10)), size, drop_last)
    ours = BatchSampler(SequentialSampler(range(10)), size, drop_last)
    assert list(ours) == [list(batch) for batch in theirs]
    assert len(ours) == len(theirs)


@pytest.mark.parametrize("name", ["weighted", "buckets", "more than there are", "transformed buckets"])
def test_a_state_is_small_and_fits_no_other_sampler(name):
    state = loader(name).state_dict()
    assert len(json.dumps(state)) < 300
    for other in set(OPTIONS) - {name, "buckets", "transformed buckets"}:
        with pytest.raises(ValueError, match="is not one of this loader"):
            loader(other).load_state_dict(state)
    heavier = DataLoader(TensorDataset(np.arange(N)), 4, sampler=WeightedRandomSampler(WEIGHTS + 1, 30))
    with pytest.raises(ValueError, match="is not one of this loader"):
        heavier.load_state_dict(loader("weighted").state_dict())


def test_once_gives_every_sample_in_order_and_leaves_the_loader_alone():
    a = loader("shuffled without the rest")
    walk = iter(a)
    next(walk)
    before = a.state_dict()
    assert np.concatenate(given_by(a.once())).tolist() == list(range(N))
    assert a.state_dict() == before
    own = loader("a list")
    assert given_by(own.once()) == given_by(own)
    few = loader("few of them")
    assert sum(map(len, given_by(few.once()))) == 10
    assert (few.batch_size, few.once().batch_size, a.once().batch_size) == (4, 4, 4)
    assert loader("buckets").batch_size is None
    buckets = loader("buckets")
    assert given_by(buckets.once()) == given_by(buckets) != given_by(buckets)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: RandomSampler(range(3), num_samples=0), ValueError, "RandomSampler needs num_samples to be a whole"),
        (lambda: RandomSampler(range(3), num_samples=2.5), ValueError, "number of 1 or more, but 2.5 was given"),
        (
            lambda: WeightedRandomSampler([1, 2], -1),
            ValueError,
            "WeightedRandomSampler needs num_samples to be a whole",
        ),
        (lambda: WeightedRandomSampler([1, -2], 1), ValueError, "a row of finite weights of 0 or more"),
        (lambda: WeightedRandomSampler([1, np.nan], 1), ValueError, "a row of finite weights of 0 or more"),
        (lambda: WeightedRandomSampler([[1, 2]], 1), ValueError, "a row of finite weights of 0 or more"),
        (lambda: WeightedRandomSampler([0, 0], 1), ValueError, "asked for 1 samples, but 0 have a weight above 0"),
        (lambda: WeightedRandomSampler([1, 0], 2, False), ValueError, "asked for 2 samples, but 1 have a weight"),
        (lambda: BatchSampler([1, 2], 0), ValueError, "0 was given as batch_size; a batch holds 1 sample or more"),
        (lambda: len(Sampler()), NotImplementedError, "Sampler has no __len__"),
        (lambda: list(Sampler()), NotImplementedError, "Sampler has no order"),
        (lambda: list(DataLoader(TensorDataset(np.arange(3)), sampler=[1, 3])), IndexError, "asked for sample 3, but"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(make, error, message):
    with pytest.raises(error) as caught:
        make()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_sampler_that_runs_dry_is_named_and_not_walked_for_ever():
    class Once:
        numbers = iter([2, 0, 1])

        def __len__(self):
            return 3

        def __iter__(self):
            return self.numbers

    batches = DataLoader(TensorDataset(np.arange(3)), sampler=Once()).forever()
    assert given_by(batches, 3) == [[2], [0], [1]]
    with pytest.raises(ValueError, match="the sampler gave 0 batches in epoch 1, where 1 or more were to come"):
        next(batches)


def test_a_seed_of_numpys_is_plain_data():
    state = DataLoader(TensorDataset(np.arange(3)), shuffle=True, seed=np.int64(4)).state_dict()
    assert json.loads(json.dumps(state))["seed"] == 4
