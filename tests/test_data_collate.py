"""Samples of every kind become a batch, and samples that do not go together are named."""

import numpy as np
import pytest
from fake_cupy import installed

import ddl
from ddl.data import DataLoader, collate, pad_sequence


def test_collate_stacks_part_by_part():
    a, (b, c) = collate([(1, ([1.0, 2.0], True)), (2, ([3.0, 4.0], False))])
    assert a.tolist() == [1, 2]
    assert b.tolist() == [[1, 2], [3, 4]]
    assert c.tolist() == [True, False]


def test_dicts_and_texts_keep_their_form():
    batch = collate([{"ids": [1, 2], "text": "ab", "y": 0.5}, {"y": 1.5, "text": "c", "ids": [3, 4]}])
    assert list(batch) == ["ids", "text", "y"]
    assert batch["ids"].tolist() == [[1, 2], [3, 4]]
    assert batch["text"] == ["ab", "c"]
    assert batch["y"].dtype == np.float64


def test_tensors_become_a_tensor_with_its_graph():
    x = ddl.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    batch, numbers = collate([(x[1], np.float32(1)), (x[0], np.float32(2))])
    assert isinstance(batch, ddl.Tensor)
    assert batch.numpy().tolist() == [[3, 4], [1, 2]]
    (batch * ddl.tensor([[1.0], [5.0]])).sum().backward()
    assert x.grad.numpy().tolist() == [[5, 5], [1, 1]]
    assert numbers.dtype == np.float32


def test_arrays_stay_on_their_device():
    with installed() as cupy:
        batch = collate([cupy.asarray([1.0, 2.0]), cupy.asarray([3.0, 4.0])])
        assert type(batch) is cupy.ndarray
        assert batch.get().tolist() == [[1, 2], [3, 4]]
        tensor = collate([ddl.tensor([1.0], device="gpu"), ddl.tensor([2.0], device="gpu")])
        assert (tensor.device, tensor.shape) == ("gpu", (2, 1))


@pytest.mark.parametrize(
    ("samples", "error", "message"),
    [
        ([np.zeros(2), np.zeros(3)], ValueError, "with the shapes (2,) and (3,); make them equal with pad_sequence"),
        ([(1, [1, 2]), (2, [3])], ValueError, "with the shapes (2,) and (1,); make them equal with pad_sequence"),
        ([], ValueError, "collate was given no samples; give one or more"),
        ([1.0, [1.0]], ValueError, "with the shapes () and (1,)"),
        ([ddl.ones(2), ddl.ones(3, 2)], ValueError, "with the shapes (2,) and (3, 2)"),
        ([[[1, 2], [3]]], ValueError, "given a list whose rows have different lengths"),
        ([(1, 2), (1, 2, 3)], ValueError, "with tuples of 2 and 3; make them alike"),
        ([(1, 2), 3], ValueError, "with tuples of 2 and int; make them alike"),
        ([{"a": 1}, {"b": 1}], ValueError, "with the keys ['a'] and ['b']"),
        ([{"a": 1}, 1], ValueError, "with the keys ['a'] and int"),
        (["a", 1], ValueError, "with the types str and int"),
        ([None, None], TypeError, "but NoneType was given; give DataLoader a collate_fn of yours"),
        ([object()], TypeError, "but object was given; give DataLoader a collate_fn of yours"),
    ],
)
def test_samples_that_do_not_go_together_are_named(samples, error, message):
    with pytest.raises(error) as caught:
        collate(samples)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("make", [np.asarray, ddl.tensor, list])
def test_pad_sequence_fills_up(make):
    rows = [make([1, 2, 3]), make([4]), make([5, 6])]
    batch = pad_sequence(rows, batch_first=True, padding_value=-1)
    assert isinstance(batch, ddl.Tensor if make is ddl.tensor else np.ndarray)
    assert np.asarray(batch).tolist() == [[1, 2, 3], [4, -1, -1], [5, 6, -1]]
    assert batch.dtype == np.int64
    assert np.asarray(pad_sequence(rows)).tolist() == [[1, 4, 5], [2, 0, 6], [3, 0, 0]]


@pytest.mark.torch
@pytest.mark.parametrize("batch_first", [False, True])
def test_pad_sequence_is_pytorchs(batch_first):
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    rows = [rng.normal(size=(n, 3)) for n in (4, 1, 7)]
    theirs = torch.nn.utils.rnn.pad_sequence([torch.tensor(r) for r in rows], batch_first, 0.5)
    np.testing.assert_array_equal(pad_sequence(rows, batch_first, 0.5), theirs.numpy())


def test_pad_sequence_passes_gradients_and_refuses_what_has_no_length():
    x = ddl.tensor([1.0, 2.0], requires_grad=True)
    (pad_sequence([x, ddl.ones(3)]) ** 2).sum().backward()
    assert x.grad.numpy().tolist() == [2, 4]
    for rows in ([], [1.0]):
        with pytest.raises(ValueError, match="takes one sequence or more, each with a first axis"):
            pad_sequence(rows)
    with pytest.raises(ValueError, match=r"the shapes past the first axis \(2,\) and \(3,\)"):
        pad_sequence([np.ones((1, 2)), np.ones((1, 3))])


@pytest.mark.parametrize(
    ("dtype", "value"), [(np.int64, float("nan")), (np.int64, 0.5), (np.uint8, -1), (np.int8, 128), (np.bool_, 2)]
)
def test_pad_sequence_refuses_a_value_that_its_integers_cannot_hold(dtype, value):
    with pytest.raises(ValueError, match=f"padding_value {value} for sequences of {np.dtype(dtype)}, which cannot"):
        pad_sequence([np.array([1, 0], dtype), np.array([1], dtype)], padding_value=value)


def test_a_collate_fn_gets_the_samples():
    texts = [[1, 2, 3], [4], [5, 6]]
    loader = DataLoader(texts, 2, collate_fn=lambda samples: pad_sequence(samples, batch_first=True))
    assert [batch.tolist() for batch in loader] == [[[1, 2, 3], [4, 0, 0]], [[5, 6]]]
