"""The loader: each sample once an epoch, a new order every epoch, and resuming to the sample."""

import json
from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddl import random
from ddl.data import DataLoader, Windows


class Numbers:
    """Samples that are their own number; what a dataset without arrays looks like."""

    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        assert type(i) is int
        if i >= self.n:
            raise IndexError(i)
        return i


def epoch(loader):
    return [batch.tolist() for batch in loader]


def flat(batches):
    return [sample for batch in batches for sample in batch]


# One epoch


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("drop_last", [False, True])
@pytest.mark.parametrize(("samples", "batch_size"), [(10, 1), (10, 3), (10, 5), (10, 10), (1, 1), (7, 4)])
def test_each_sample_comes_once_an_epoch_and_no_batch_is_lost(samples, batch_size, shuffle, drop_last):
    loader = DataLoader(Numbers(samples), batch_size, shuffle=shuffle, seed=1, drop_last=drop_last)
    whole, rest = divmod(samples, batch_size)
    sizes = [batch_size] * whole + ([rest] if rest and not drop_last else [])
    for _ in range(3):
        batches = epoch(loader)
        assert [len(batch) for batch in batches] == sizes
        assert len(loader) == len(sizes)
        assert len(set(flat(batches))) == sum(sizes)
        if not shuffle:
            assert flat(batches) == list(range(sum(sizes)))


def test_a_last_batch_that_does_not_fill_is_kept_unless_asked():
    assert epoch(DataLoader(Numbers(5), 2)) == [[0, 1], [2, 3], [4]]
    assert epoch(DataLoader(Numbers(5), 2, drop_last=True)) == [[0, 1], [2, 3]]
    assert epoch(DataLoader(Numbers(2), 5)) == [[0, 1]]


def test_the_samples_dropped_are_others_each_epoch():
    loader = DataLoader(Numbers(10), 9, shuffle=True, seed=0, drop_last=True)
    dropped = {(set(range(10)) - set(flat(epoch(loader)))).pop() for _ in range(20)}
    assert len(dropped) > 3


# Orders


def test_each_epoch_is_a_new_permutation():
    loader = DataLoader(Numbers(50), 7, shuffle=True, seed=3)
    orders = [tuple(flat(epoch(loader))) for _ in range(6)]
    assert len(set(orders)) == 6
    assert all(sorted(order) == list(range(50)) for order in orders)
    assert tuple(range(50)) not in orders


def test_the_same_seed_gives_the_same_epochs_and_another_seed_others():
    first, same, other = (DataLoader(Numbers(50), 7, shuffle=True, seed=seed) for seed in (3, 3, 4))
    for _ in range(3):
        expected = epoch(first)
        assert epoch(same) == expected
        assert epoch(other) != expected


def test_every_place_is_equally_likely():
    loader = DataLoader(Numbers(5), 5, shuffle=True, seed=0)
    counts = np.zeros((5, 5))
    for batch in islice(loader.forever(), 5000):
        counts[np.arange(5), batch] += 1
    assert abs(counts / 5000 - 0.2).max() < 0.03


def test_without_a_seed_it_comes_from_the_data_stream():
    before = random.get_state()
    try:
        random.manual_seed(5)
        first, second = (DataLoader(Numbers(50), 7, shuffle=True) for _ in range(2))
        orders = epoch(first), epoch(second)
        assert orders[0] != orders[1]
        random.manual_seed(5)
        random.stream("weights").random(10)
        assert epoch(DataLoader(Numbers(50), 7, shuffle=True)) == orders[0]
        state = random.get_state()
        DataLoader(Numbers(50), 7)
        DataLoader(Numbers(50), 7, shuffle=True, seed=1)
        assert random.get_state() == state  # drawn only where it is needed
    finally:
        random.set_state(before)


# Passes


def test_looking_at_one_batch_first_costs_the_next_pass_nothing():
    loader = DataLoader(Numbers(10), 3, shuffle=True, seed=0)
    next(iter(loader))
    assert sorted(flat(epoch(loader))) == list(range(10))
    in_order = DataLoader(Numbers(10), 3)
    next(iter(in_order))
    assert flat(epoch(in_order)) == list(range(10))


def test_two_passes_at_once_do_not_disturb_each_other():
    loader = DataLoader(Numbers(10), 3, shuffle=True, seed=0)
    pairs = [(a.tolist(), b.tolist()) for a, b in zip(loader, loader)]
    for side in zip(*pairs):
        assert sorted(flat(side)) == list(range(10))


def test_forever_goes_from_epoch_to_epoch():
    loader, twin = (DataLoader(Numbers(10), 4, shuffle=True, seed=9) for _ in range(2))
    endless = [batch.tolist() for batch in islice(loader.forever(), 9)]
    assert endless == epoch(twin) + epoch(twin) + epoch(twin)


# Resuming


@given(
    samples=st.integers(1, 30),
    batch_size=st.integers(1, 12),
    shuffle=st.booleans(),
    drop_last=st.booleans(),
    stop=st.integers(0, 40),
)
def test_resuming_anywhere_gives_the_batches_of_the_run_that_went_on(samples, batch_size, shuffle, drop_last, stop):
    if drop_last:
        samples += batch_size

    def loader(seed):
        return DataLoader(Numbers(samples), batch_size, shuffle=shuffle, seed=seed, drop_last=drop_last)

    running = loader(7)
    batches = running.forever()
    for _ in range(stop):
        next(batches)
    state = json.loads(json.dumps(running.state_dict()))
    expected = [batch.tolist() for batch in islice(batches, 20)]
    resumed = loader(8)
    resumed.load_state_dict(state)
    assert resumed.state_dict() == state
    assert [batch.tolist() for batch in islice(resumed.forever(), 20)] == expected


def test_resuming_in_mid_epoch_gives_the_rest_of_it_and_then_whole_epochs():
    running = DataLoader(Numbers(10), 3, shuffle=True, seed=0)
    done = []
    for batch in running:
        done.append(batch.tolist())
        if len(done) == 2:
            break
    resumed = DataLoader(Numbers(10), 3, shuffle=True)
    resumed.load_state_dict(running.state_dict())
    rest = epoch(resumed)
    assert sorted(flat(done + rest)) == list(range(10))
    assert sorted(flat(epoch(resumed))) == list(range(10))
    assert resumed.epoch == 2


def test_a_state_saved_at_the_end_of_an_epoch_resumes_with_the_next_whole_one():
    running, twin = (DataLoader(Numbers(10), 5, shuffle=True, seed=0) for _ in range(2))
    epoch(twin)
    batches = iter(running)
    next(batches), next(batches)  # the last batch is in hand, the pass is not over
    twin.load_state_dict(running.state_dict())
    assert len(epoch(twin)) == 2


def test_the_state_is_small_whatever_the_dataset():
    loader = DataLoader(Numbers(10**6), 64, shuffle=True)
    next(iter(loader))
    assert len(json.dumps(loader.state_dict())) < 200
    assert loader.state_dict()["position"] == 1


@pytest.mark.parametrize(
    "other",
    [{"dataset": Numbers(11)}, {"shuffle": False}, {"batch_size": 4}, {"drop_last": True}, {"sampler": range(10)}],
)
def test_a_state_of_another_loader_is_refused(other):
    given = {"dataset": Numbers(10), "batch_size": 3, "shuffle": "sampler" not in other, "seed": 0}
    loader = DataLoader(Numbers(10), 3, shuffle=True, seed=0)
    state = DataLoader(**(given | other)).state_dict()
    with pytest.raises(ValueError, match=r"is not one of this loader, which has .*'samples': 10"):
        loader.load_state_dict(state)
    with pytest.raises(ValueError, match="is not one of this loader"):
        loader.load_state_dict(loader.state_dict() | {"extra": 1})
    with pytest.raises(ValueError, match="is not one of this loader"):
        loader.load_state_dict({})


@pytest.mark.parametrize(("name", "value"), [("position", -1), ("position", 4), ("epoch", 0.5), ("seed", None)])
def test_a_state_of_nowhere_is_refused_and_changes_nothing(name, value):
    loader = DataLoader(Numbers(10), 3)
    before = loader.state_dict()
    with pytest.raises(ValueError, match=f"a DataLoader's state .*{name}.*{value}"):
        loader.load_state_dict(before | {name: value})
    assert loader.state_dict() == before


# Batches


def test_windows_are_gathered_at_once_and_shifted_by_one():
    class Watched(Windows):
        asked = 0

        def __getitem__(self, index):
            self.asked += 1
            return super().__getitem__(index)

    dataset = Watched(np.arange(100, dtype=np.uint16), 8)
    loader = DataLoader(dataset, 16, shuffle=True, seed=0)
    x, y = next(iter(loader))
    assert dataset.asked == 1
    assert x.shape == y.shape == (16, 8)
    assert x.dtype == y.dtype == np.int64
    np.testing.assert_array_equal(y, x + 1)
    starts = np.concatenate([x[:, 0] for x, _ in loader])
    np.testing.assert_array_equal(np.sort(starts), np.arange(92))


def test_any_sequence_is_a_dataset():
    pairs = [(np.full((2, 3), i, np.float32), i) for i in range(5)]
    images, labels = next(iter(DataLoader(pairs, 4)))
    assert images.shape == (4, 2, 3)
    assert images.dtype == np.float32
    assert labels.tolist() == [0, 1, 2, 3]
    assert next(iter(DataLoader(np.arange(6.0).reshape(3, 2), 2))).tolist() == [[0, 1], [2, 3]]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"batch_size": 0}, ValueError, "0 was given as batch_size; a batch holds 1 sample or more"),
        ({"batch_size": 2.0}, ValueError, "2.0 was given as batch_size"),
        ({"batch_size": None}, ValueError, "None was given as batch_size"),
        ({"dataset": Numbers(0)}, ValueError, "no batch to give: the dataset holds 0 samples"),
        ({"batch_size": 6, "drop_last": True}, ValueError, "holds 5 samples, with batch_size 6 and drop_last True"),
        ({"dataset": iter([1])}, TypeError, "takes samples by number, but list_iterator was given"),
        ({"seed": -1}, ValueError, "needs seed to be a whole number of 0 or more, but -1 was given"),
        ({"seed": 0.5}, ValueError, "needs seed to be a whole number of 0 or more, but 0.5 was given"),
        ({"prefetch": -2}, ValueError, "needs prefetch to be a whole number of 0 or more, but -2 was given"),
        ({"prefetch": True}, ValueError, "needs prefetch to be a whole number of 0 or more, but True was given"),
        ({"sampler": [0], "shuffle": True}, ValueError, "shuffle and a sampler, which both say the order"),
        ({"sampler": 3}, TypeError, "takes a sampler that has a length and can be walked, but int was given"),
        ({"batch_sampler": [[0]], "batch_size": 2}, ValueError, "a batch_sampler, which says all about the batches"),
        ({"batch_sampler": [[0]], "sampler": [0]}, ValueError, "a batch_sampler, which says all about the batches"),
        ({"batch_sampler": iter([[0]])}, TypeError, "takes a batch_sampler that has a length"),
        ({"batch_sampler": []}, ValueError, "no batch to give"),
        ({"collate_fn": 1}, TypeError, "takes a function as collate_fn, but int was given"),
        ({"transform": "flip"}, TypeError, "takes a function as transform, but str was given"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(options, error, message):
    with pytest.raises(error) as caught:
        DataLoader(**({"dataset": Numbers(5)} | options))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
