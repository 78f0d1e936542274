"""What the convolution explorer shows: against sums written as loops."""

import numpy as np
import pytest

pytest.importorskip("anywidget")

from ddl.widgets import convolve
from ddl.widgets.convolve import KERNELS, kernel_of, strongest, window


def slid(image, kernel, stride, padding, dilation):
    """Every window's products added up, one at a time."""
    image = np.pad(image, padding)
    reach = [(n - 1) * dilation + 1 for n in kernel.shape]
    shape = [(n - r) // stride + 1 for n, r in zip(image.shape, reach)]
    out = np.zeros(shape)
    for row, column in np.ndindex(*shape):
        for i, j in np.ndindex(*kernel.shape):
            out[row, column] += kernel[i, j] * image[row * stride + i * dilation, column * stride + j * dilation]
    return out


@pytest.mark.parametrize(("stride", "padding", "dilation"), [(1, 0, 1), (2, 1, 1), (1, 2, 2), (3, 3, 2)])
def test_every_cell_is_the_sum_of_its_window(stride, padding, dilation):
    rng = np.random.default_rng(0)
    image, kernel = rng.normal(size=(7, 9)), rng.normal(size=(3, 2))
    widget = convolve(image, kernel, stride, padding, dilation)
    wanted = slid(image, kernel, stride, padding, dilation)
    assert np.allclose(widget.state.out, wanted)
    assert np.allclose(np.reshape(widget.data["out"]["values"], widget.data["out"]["shape"]), wanted)
    for row, column in np.ndindex(*wanted.shape):
        terms = window(widget.state, row, column)
        assert np.isclose(sum(w * x for w, x, _ in terms), wanted[row, column])
        assert all(x == (0 if place is None else image.ravel()[place]) for _, x, place in terms)
    assert strongest(widget.state) == np.unravel_index(np.abs(wanted).argmax(), wanted.shape)


@pytest.mark.parametrize("name", KERNELS)
def test_a_known_kernel_does_what_it_is_called(name):
    flat = convolve(np.full((5, 5), 3.0), name).state.out
    assert np.allclose(flat, 0 if name.startswith(("edges", "outline")) else 3)


def test_an_upright_edge_is_found_by_its_kernel_alone():
    step = np.repeat([[0.0, 0, 1, 1]], 4, axis=0)
    assert convolve(step, "edges, upright").state.out.tolist() == [[4, 4], [4, 4]]
    assert not convolve(step, "edges, level").state.out.any()


@pytest.mark.parametrize(
    ("text", "kernel"),
    [("1 2; 3 4", [[1, 2], [3, 4]]), ("1/2,-1;", [[0.5, -1]]), (" 5 ", [[5]]), ("1e-1; 2", [[0.1], [2]])],
)
def test_a_kernel_is_read_as_it_is_typed(text, kernel):
    assert kernel_of(text).tolist() == kernel


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"kernel": "1 2; 3"}, "rows are equally long"),
        ({"kernel": "1 x"}, "a kernel is written as"),
        ({"kernel": "1/0"}, "a kernel is written as"),
        ({"kernel": "inf"}, "a kernel is written as"),
        ({"kernel": ""}, "a kernel is written as"),
        ({"kernel": np.ones((8, 8))}, "of up to 7 x 7, but one of shape"),
        ({"kernel": "1 1 1 1 1; 1 1 1 1 1", "image": np.ones((3, 3))}, "conv2d"),
        ({"image": np.ones((40, 3))}, "of up to 32 x 32, but one of shape"),
        ({"image": np.ones(3)}, r"an image \(H, W\)"),
        ({"image": np.ones((2, 1, 8, 8))}, r"an image \(H, W\)"),
        ({"stride": 0}, "stride to be a whole number of 1 or more"),
        ({"padding": -1}, "padding to be a whole number of 0 or more"),
        ({"padding": 8}, "a padding of up to 7"),
        ({"dilation": 1.5}, "dilation to be a whole number"),
    ],
)
def test_what_cannot_be_shown_is_refused(given, words):
    with pytest.raises(ValueError, match=words):
        convolve(**given)


def test_an_image_with_axes_of_one_is_taken_and_large_ones_are_summed_up_in_words():
    widget = convolve(np.random.default_rng(0).random((1, 1, 28, 28)), "blur")
    assert widget.data["image"]["shape"] == [28, 28]
    assert "image: 0.0" in widget.words
    assert widget.picture(widget.state)[:4] == b"\x89PNG"


def test_another_kernel_goes_over_the_same_image():
    widget = convolve(np.arange(16.0).reshape(4, 4), "blur")
    state = widget.change("the same", 1, 0, 1)
    assert state.out.tolist() == [[5, 6], [9, 10]]
