"""Datasets: samples by number through every wrapper, whole batches as one by one, and splits that lose nothing."""

import numpy as np
import pytest
from fake_cupy import installed

import ddl
from ddl import random
from ddl.data import ConcatDataset, DataLoader, Dataset, MappedDataset, Subset, TensorDataset, Windows, random_split
from ddl.data.collate import collate

X, Y = np.arange(20.0).reshape(10, 2), np.arange(10)


class Plain(Dataset):
    """No batch of its own."""

    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return {"x": np.full(2, float(i)), "name": f"sample {i}"}


def ten():
    return TensorDataset(X, Y)


DATASETS = {
    "in memory": ten,
    "of tensors": lambda: TensorDataset(ddl.tensor(X), ddl.tensor(Y)),
    "of lists": lambda: TensorDataset(Y.tolist()),
    "windows": lambda: Windows(np.arange(40), 4),
    "plain": lambda: Plain(7),
    "mapped": lambda: MappedDataset(ten(), lambda s: (s[0] * 2, s[1])),
    "mapped batched": lambda: MappedDataset(ten(), lambda s: (s[0] * 2, s[1]), batched=True),
    "concatenated": lambda: ConcatDataset([ten(), TensorDataset(X + 9, Y), TensorDataset(X[:0], Y[:0]), ten()]),
    "concatenated tensors": lambda: TensorDataset(ddl.tensor(X)) + TensorDataset(ddl.tensor(X[:4] + 50)),
    "concatenated plain": lambda: Plain(3) + Plain(4),
    "mixed dtypes": lambda: TensorDataset(Y) + TensorDataset(Y.astype(np.float32)),
    "subset": lambda: Subset(ten(), [3, -1, 3, 0]),
    "subset of concatenated": lambda: Subset(ten() + ten(), range(5, 15)),
    "mapped subset of windows": lambda: MappedDataset(Subset(Windows(np.arange(40), 4), [9, 2, 30]), lambda s: s[0]),
}  # fmt: skip
every = pytest.mark.parametrize("name", DATASETS)


def same(a, b):
    if isinstance(a, dict):
        assert list(a) == list(b)
        a, b = tuple(a.values()), tuple(b.values())
    if isinstance(a, tuple):
        assert len(a) == len(b)
        for part, other in zip(a, b):
            same(part, other)
        return
    assert type(a) is type(b)
    if not isinstance(a, (list, str)):
        assert a.dtype == b.dtype
    np.testing.assert_array_equal(np.asarray(a), np.asarray(b))


@every
def test_a_batch_is_its_samples_collated(name):
    dataset = DATASETS[name]()
    n = len(dataset)
    rng = np.random.default_rng(0)
    for size in (1, 2, 5, 30):
        indices = rng.integers(n, size=size)
        samples = [dataset[i] for i in indices.tolist()]
        if name != "mixed dtypes" or size == 30:  # where all come from one part, the batch has its dtype
            same(dataset.batch(indices), collate(samples))
    same(dataset.batch([0, n - 1]), collate([dataset[0], dataset[n - 1]]))


@every
def test_samples_are_counted_from_the_end_too_and_a_walk_ends(name):
    dataset = DATASETS[name]()
    n = len(dataset)
    if name != "plain":
        same(dataset[-1], dataset[n - 1])
        same(dataset[-n], dataset[0])
        same(dataset[np.int32(1)], dataset[1])
        assert len(list(dataset)) == n
    same(next(iter(DataLoader(dataset, n))), dataset.batch(np.arange(n)))


@pytest.mark.parametrize("name", sorted(set(DATASETS) - {"windows", "plain"}))
def test_what_is_no_number_of_a_sample_is_refused(name):
    dataset = DATASETS[name]()
    kind, n = type(dataset).__name__, len(dataset)
    for wrong in (n, -n - 1):
        with pytest.raises(IndexError, match=f"{kind} was asked for sample {wrong}, but it holds {n}, numbered from 0"):
            dataset[wrong]
    with pytest.raises(TypeError, match=rf"{kind} gives one sample by its number, but a slice was given; write Subset"):
        dataset[1:3]
    for wrong, given in ((1.0, "float"), (True, "bool"), ("1", "str"), (None, "NoneType")):
        with pytest.raises(TypeError, match=f"{kind} gives a sample by its number, but {given} was given"):
            dataset[wrong]
    if type(dataset).batch not in (Dataset.batch, MappedDataset.batch):
        with pytest.raises(IndexError, match=f"{kind} was asked for sample {n}, but there are {n}"):
            dataset.batch([0, n])
        with pytest.raises(TypeError, match=rf"{kind} takes a row of sample numbers, but float64 of shape \(2,\)"):
            dataset.batch([0.0, 1.0])


def test_batches_are_gathered_at_once_through_the_wrappers():
    class Watched(Windows):
        asked = []

        def __getitem__(self, index):
            self.asked.append(np.ndim(index))
            return super().__getitem__(index)

    watched = Watched(np.arange(50), 4)
    half = Subset(watched, range(0, 40, 2))
    scaled = MappedDataset(half, lambda s: (s[0] * 10, s[1]), batched=True)
    both = scaled + half
    x, y = next(iter(DataLoader(both, 40, shuffle=True, seed=0)))
    assert watched.asked == [1, 1]
    order = np.random.default_rng([0, 0]).permutation(40)
    expected = [both[i] for i in order.tolist()]
    np.testing.assert_array_equal(x, [s[0] for s in expected])
    np.testing.assert_array_equal(y, [s[1] for s in expected])


def test_a_function_of_samples_is_asked_for_each_sample_each_time():
    seen = []
    dataset = MappedDataset([10, 20, 30], lambda s: seen.append(s) or s + 1)
    assert next(iter(DataLoader(dataset, 3))).tolist() == [11, 21, 31]
    assert (dataset[1], seen) == (21, [10, 20, 30, 20])


def test_samples_of_tensors_are_on_their_device():
    with installed():
        dataset = TensorDataset(ddl.tensor(X, device="gpu"), ddl.tensor(Y, device="gpu")) + TensorDataset(
            ddl.tensor(X, device="gpu"), ddl.tensor(Y, device="gpu")
        )
        x, _ = next(iter(DataLoader(dataset, 20, shuffle=True, seed=1)))
        assert x.device == "gpu"
        assert sorted(x.to("cpu").numpy()[:, 0]) == sorted([*X[:, 0], *X[:, 0]])


# Splits


@pytest.mark.parametrize(
    ("n", "lengths", "sizes"),
    [
        (10, [7, 3], [7, 3]),
        (10, [0.8, 0.2], [8, 2]),
        (10, [1.0], [10]),
        (11, [0.5, 0.5], [6, 5]),
        (10, [1 / 3, 1 / 3, 1 / 3], [4, 3, 3]),
        (10, [10, 0], [10, 0]),
        (1, [0.9, 0.1], [1, 0]),
        (1, [1], [1]),
    ],
)
def test_a_split_shares_nothing_and_leaves_nothing_out(n, lengths, sizes):
    parts = random_split(list(range(n)), lengths, seed=3)
    assert [len(part) for part in parts] == sizes
    assert sorted(sample for part in parts for sample in part) == list(range(n))


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore:Length of split")
@pytest.mark.parametrize("n", [1, 7, 10, 97])
@pytest.mark.parametrize("lengths", [[0.8, 0.2], [0.5, 0.3, 0.2], [0.1] * 10])
def test_fractions_are_rounded_as_pytorch_does(n, lengths):
    torch = pytest.importorskip("torch")
    theirs = torch.utils.data.random_split(range(n), lengths)
    assert [len(p) for p in random_split(range(n), lengths, seed=0)] == [len(p) for p in theirs]


def test_a_split_is_fixed_by_its_seed_or_by_the_data_stream():
    split = lambda seed=None: [list(part) for part in random_split(list(range(50)), [30, 20], seed)]
    assert split(1) == split(1) != split(2)
    assert split(1)[0] != sorted(split(1)[0])
    before = random.get_state()
    try:
        random.manual_seed(4)
        first, second = split(), split()
        random.manual_seed(4)
        assert (split(), split()) == (first, second)
        assert first != second
    finally:
        random.set_state(before)


@pytest.mark.parametrize("lengths", [[5, 4], [11], [0.5, 0.4], [1.5, 8.5], [0.5, 0.6], []])
def test_lengths_that_do_not_make_the_whole_are_refused(lengths):
    with pytest.raises(
        ValueError, match=r"random_split was asked for .* of 10 samples; give whole numbers whose sum is 10"
    ):
        random_split(range(10), lengths)
    with pytest.raises(ValueError, match=r"takes lengths of 0 or more, but \[12, -2\] were given"):
        random_split(range(10), [12, -2])


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: TensorDataset(), ValueError, "TensorDataset takes one tensor or more"),
        (lambda: TensorDataset(3.0), ValueError, "TensorDataset takes one tensor or more, each with the samples along"),
        (lambda: TensorDataset(X, Y[:4]), ValueError, "TensorDataset was given tensors of [10, 4] samples"),
        (lambda: ConcatDataset([]), ValueError, "ConcatDataset joins one dataset or more, but none was given"),
        (lambda: Subset(ten(), [0, 10]), IndexError, "TensorDataset was asked for sample 10, but there are 10"),
        (
            lambda: Subset(ten(), [0.5]),
            TypeError,
            "TensorDataset takes a row of sample numbers, but float64 of shape (1,)",
        ),
        (lambda: MappedDataset(ten(), 3), TypeError, "MappedDataset takes a function of a sample, but int was given"),
        (lambda: (ten() + ten()).batch([]), ValueError, "collate was given no samples"),
        (lambda: random_split(range(5), 3), TypeError, "random_split takes a list of lengths, but 3 was given; write"),
        (lambda: len(Dataset()), NotImplementedError, "Dataset has no __len__"),
        (lambda: Dataset()[0], NotImplementedError, "Dataset has no __getitem__"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(make, error, message):
    with pytest.raises(error) as caught:
        make()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
