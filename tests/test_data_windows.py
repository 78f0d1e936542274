"""Windows over a long text."""

import numpy as np
import pytest

from ddl.data import Windows

TEXT = np.arange(100)


def test_targets_are_the_inputs_one_token_later():
    windows = Windows(TEXT, block_size=8)
    assert len(windows) == 92
    for i in 0, 1, 50, 91:
        x, y = windows[i]
        np.testing.assert_array_equal(x, np.arange(i, i + 8))
        np.testing.assert_array_equal(y, np.arange(i + 1, i + 9))


@pytest.mark.parametrize("stride", [1, 3, 8, 9, 50, 1000])
@pytest.mark.parametrize("length", [9, 10, 17, 100])
def test_every_window_that_fits_is_there(stride, length):
    windows = Windows(TEXT[:length], block_size=8, stride=stride)
    starts = [i for i in range(0, length, stride) if i + 8 + 1 <= length]
    assert [windows[i][0][0] for i in range(len(windows))] == starts
    with pytest.raises(IndexError):
        windows[len(starts)]


def test_with_a_stride_of_the_block_size_each_token_is_a_target_once():
    windows = Windows(TEXT[:97], block_size=8, stride=8)
    targets = np.concatenate([windows[i][1] for i in range(len(windows))])
    np.testing.assert_array_equal(targets, np.arange(1, 97))


def test_an_array_of_indices_gives_the_same_windows_as_one_after_the_other():
    windows = Windows(TEXT, block_size=8, stride=3)
    indices = np.array([5, 0, 5, 30, -1])
    x, y = windows[indices]
    assert x.shape == y.shape == (5, 8)
    for row, i in enumerate(indices):
        np.testing.assert_array_equal(x[row], windows[int(i)][0])
        np.testing.assert_array_equal(y[row], windows[int(i)][1])
    np.testing.assert_array_equal(windows.batch(indices)[1], y)
    np.testing.assert_array_equal(windows[2:6][0], windows[np.arange(2, 6)][0])


def test_windows_are_views_that_cannot_be_written_through():
    windows = Windows(TEXT, block_size=8)
    x, y = windows[3]
    assert np.shares_memory(x, TEXT)
    assert np.shares_memory(y, TEXT)
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 7


def test_a_batch_is_a_copy_that_may_be_changed():
    x, _ = Windows(TEXT, block_size=8)[np.array([0, 1])]
    x[:] = -1
    assert TEXT[0] == 0


@pytest.mark.parametrize("dtype", [np.uint16, np.int32, np.int64, np.uint8])
def test_a_mapped_file_of_any_integers_is_not_read_before_it_is_asked_for(tmp_path, dtype):
    TEXT.astype(dtype).tofile(tmp_path / "tokens.bin")
    mapped = np.memmap(tmp_path / "tokens.bin", dtype=dtype, mode="r")
    windows = Windows(mapped, block_size=8)
    assert np.shares_memory(windows.tokens, mapped)
    for x, y in (windows[2], windows[np.array([2])]):
        assert x.dtype == y.dtype == np.int64
        np.testing.assert_array_equal(y.ravel(), np.arange(3, 11))


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Windows(TEXT[:8], 8), ValueError, "windows of 8 tokens .* need 9 tokens, but the text has 8"),
        (lambda: Windows([], 8), ValueError, "need 9 tokens, but the text has 0"),
        (lambda: Windows(TEXT.reshape(10, 10), 8), TypeError, r"row of integer ids, but got int64 of shape \(10, 10\)"),
        (lambda: Windows(TEXT / 2, 8), TypeError, "row of integer ids, but got float64"),
        (lambda: Windows(TEXT, 0), ValueError, "block_size and a stride of 1 or more, but got 0 and 1"),
        (lambda: Windows(TEXT, 8, stride=-1), ValueError, "block_size and a stride of 1 or more, but got 8 and -1"),
        (lambda: Windows(TEXT, 8.0), TypeError, "float"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(make, error, message):
    with pytest.raises(error, match=message):
        make()
