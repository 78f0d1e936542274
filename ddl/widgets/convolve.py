"""Convolution: a kernel over an image, window by window, with its products and their sum."""

import re
from typing import NamedTuple

import numpy as np

from ..checks import positive, whole
from ..core import Tensor, no_grad
from ..figures import figure, png
from ..graph.tagged import number
from ..nn.functional import conv2d
from .base import Widget
from .cells import Sheet, array_of, written

KERNELS = {
    "edges, upright": [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]],
    "edges, level": [[-1, -2, -1], [0, 0, 0], [1, 2, 1]],
    "outline": [[0, 1, 0], [1, -4, 1], [0, 1, 0]],
    "sharpen": [[0, -1, 0], [-1, 5, -1], [0, -1, 0]],
    "blur": [[1 / 9] * 3] * 3,
    "the same": [[0, 0, 0], [0, 1, 0], [0, 0, 0]],
}
LARGEST = 32  # rows and columns of an image
WIDEST = 7  # rows and columns of a kernel
DETAILED = 12  # columns up to which cells bear numbers
SEVEN = "00000000 01111110 01111110 00000110 00001100 00011000 00110000 00110000"


class Convolution(NamedTuple):
    image: np.ndarray
    kernel: np.ndarray
    stride: int
    padding: int
    dilation: int
    out: np.ndarray


class Convolver(Widget, bundle="convolve"):
    """`Convolver(image, kernel)` slides a kernel over an image, as conv2d does: without turning it over.

    The image is (H, W) of up to 32 x 32; the kernel an array of up to 7 x 7, a name, or text: "0 1; -1 0".
    """

    def __init__(self, image=None, kernel="edges, upright", stride=1, padding=0, dilation=1):
        image = [[*map(int, row)] for row in SEVEN.split()] if image is None else image
        super().__init__(convolved(_image(image), kernel_of(kernel), stride, padding, dilation))

    def plain(self, state):
        flat = lambda x: {"shape": list(x.shape), "values": [*map(number, x.ravel().tolist())]}
        arrays = {name: flat(getattr(state, name)) for name in ("image", "kernel", "out")}
        named = {name: as_text(np.array(kernel)) for name, kernel in KERNELS.items()}
        about = {"kernels": named, "text": as_text(state.kernel), "detailed": DETAILED}
        return state._asdict() | arrays | about

    def describe(self, state):
        return "\n".join(_lines(state))

    def picture(self, state):
        return _picture(state)

    def change(self, kernel, stride, padding, dilation):
        return convolved(self.state.image, kernel_of(kernel), stride, padding, dilation)


def convolve(image=None, kernel="edges, upright", stride=1, padding=0, dilation=1):
    """A kernel that slides over an image, its products written out: a `Convolver`."""
    return Convolver(image, kernel, stride, padding, dilation)


def convolved(image, kernel, stride, padding, dilation):
    positive("convolve", stride=stride, dilation=dilation)
    whole("convolve", 0, padding=padding)
    if padding > WIDEST:
        raise ValueError(f"convolve shows a padding of up to {WIDEST}, but {padding} was given")
    with no_grad():
        found = conv2d(Tensor(image[None, None]), Tensor(kernel[None, None]), None, stride, padding, dilation)
    return Convolution(image, kernel, stride, padding, dilation, found.numpy()[0, 0])


def kernel_of(given):
    """A kernel by its name, from rows of text, or from an array."""
    if not isinstance(given, str):
        found = array_of("convolve", given).astype(float)
        found = found.reshape(found.shape[-2:]) if found.ndim > 2 and found.size == np.prod(found.shape[-2:]) else found
    elif given in KERNELS:
        found = np.array(KERNELS[given], float)
    else:
        rows = [
            [_number(word, given) for word in re.split(r"[,\s]+", row.strip())] for row in given.strip(" ;").split(";")
        ]
        if len({len(row) for row in rows}) > 1:
            raise ValueError(f"a kernel's rows are equally long, as in 0 1; -1 0, but {given!r} was given")
        found = np.array(rows, float)
    if found.ndim != 2 or not found.size or max(found.shape) > WIDEST:
        raise ValueError(f"a kernel is (h, w) of up to {WIDEST} x {WIDEST}, but one of shape {found.shape} was given")
    return found


def _number(word, text):
    top, _, bottom = word.partition("/")
    try:
        found = float(top) / float(bottom or 1)
    except (ValueError, ZeroDivisionError):
        found = np.nan
    if not np.isfinite(found):
        raise ValueError(f"a kernel is written as 0 1; -1 0 or by one of {'; '.join(KERNELS)}, but {text!r} was given")
    return found


def as_text(kernel):
    return "; ".join(" ".join(f"{x:.4g}" for x in row) for row in kernel)


def _image(given):
    found = array_of("convolve", given).astype(float)
    found = found.reshape(found.shape[-2:]) if found.ndim > 2 and found.size == np.prod(found.shape[-2:]) else found
    if found.ndim != 2 or not found.size or max(found.shape) > LARGEST:
        raise ValueError(
            f"convolve shows an image (H, W) of up to {LARGEST} x {LARGEST}, but one of shape {found.shape} was given"
        )
    return found


def window(state, row, column):
    """What an output cell is the sum of: (kernel entry, image entry or 0 outside), in reading order."""
    pairs = []
    for (i, j), weight in np.ndenumerate(state.kernel):
        y = row * state.stride - state.padding + i * state.dilation
        x = column * state.stride - state.padding + j * state.dilation
        inside = 0 <= y < state.image.shape[0] and 0 <= x < state.image.shape[1]
        pairs.append((weight, state.image[y, x] if inside else 0.0, y * state.image.shape[1] + x if inside else None))
    return pairs


def strongest(state):
    """The output cell that is largest in size: the one to be shown first."""
    size = np.where(np.isfinite(state.out), np.abs(state.out), -1)
    return tuple(int(i) for i in np.unravel_index(size.argmax(), size.shape))


def products(state, row, column):
    """The sum that an output cell is, in words; terms of weight 0 are left out."""
    terms = [f"{x:.4g}*{f'({w:.4g})' if w < 0 else f'{w:.4g}'}" for w, x, _ in window(state, row, column) if w]
    return f"out[{row}, {column}] = {' + '.join(terms) or '0'} = {state.out[row, column]:.4g}"


def _lines(state):
    yield (
        f"An image of {state.image.shape}, a kernel of {state.kernel.shape}, stride {state.stride}, padding "
        f"{state.padding}, dilation {state.dilation}: an output of {state.out.shape}"
    )
    for name, array in (("kernel", state.kernel), ("image", state.image), ("output", state.out)):
        if array.shape[1] > DETAILED:
            yield f"{name}: {array.min():.4g} to {array.max():.4g}, mean {array.mean():.4g}"
        else:
            yield f"{name} =\n{written(array)}"
    yield products(state, *strongest(state))


def _picture(state):
    row, column = strongest(state)
    if max(state.image.shape[1], state.out.shape[1]) <= DETAILED:
        sheet = Sheet()
        used = [(place, 1) for *_, place in window(state, row, column) if place is not None]
        x, below = sheet.grid(state.image, f"image {state.image.shape}", marks=used)
        x, _ = sheet.grid(state.kernel, "kernel", x)
        here = [(row * state.out.shape[1] + column, 0)]
        _, under = sheet.grid(state.out, f"output {state.out.shape}", x, marks=here)
        sheet.text(f"shaded: one window and its sum\n{products(state, row, column)}", y=max(below, under))
        return sheet.png()
    made = figure(720, 270)
    for axes, name in zip(made.subplots(1, 3), ("image", "kernel", "out")):
        array = getattr(state, name)
        most = np.abs(array).max() or 1.0
        axes.imshow(array, cmap="RdBu_r", vmin=-most, vmax=most)
        axes.set_title(f"{name} {array.shape}", fontsize=10)
    made.suptitle(products(state, row, column)[:110], fontsize=8)
    return png(made)
