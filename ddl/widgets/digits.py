"""Draw a digit: a model's answer while it is drawn, class by class."""

from functools import cache
from typing import NamedTuple

import numpy as np

from .. import random
from ..core import Tensor
from ..figures import COLORS, figure, png
from ..graph.tagged import number
from ..models import CNN
from ..nn import functional as F
from ..optim import Adam
from .asked import placed, undisturbed
from .base import Widget
from .cells import array_of

LARGEST = 32  # rows and columns of a canvas
CLASSES = 26  # that have a bar
SHADES = " .:-=+*#%@"  # from 0 to 1, for an image in words
SEVEN = "00000000 00999960 00005980 00000970 00089990 00008800 00069300 00098000"


class Drawn(NamedTuple):
    """An image of numbers from 0 to 1 and what the model takes it for: a probability a class."""

    image: np.ndarray
    answer: np.ndarray


class Digits(Widget, bundle="digits"):
    """`Digits(model)` asks a model, as it is drawn, of which class the image is.

    The model takes images (N, 1, H, W), or (N, H W), of numbers from 0 to 1 and gives logits (N, classes); H and W are
    its `image_size`, or else those of `image`, or 8. Left out, it is a CNN that was trained for a few seconds on the
    digits that come with scikit-learn.
    """

    def __init__(self, model=None, image=None):
        self.model = reader() if model is None else model
        if not callable(self.model):
            raise ValueError(f"digits takes a model of images (N, 1, H, W), but {model!r} was given")
        image = _image(image, getattr(self.model, "image_size", None))
        super().__init__(Drawn(image, answered(self.model, image)))

    def plain(self, state):
        rows, columns = state.image.shape
        return {
            "shape": [rows, columns],
            "image": state.image.ravel().tolist(),
            "answer": [*map(number, state.answer.tolist())],
            "best": _best(state)[0],
            "broken": broken(state),
        }

    def describe(self, state):
        return "\n".join(_lines(state))

    def picture(self, state):
        return _picture(state)

    def change(self, image):
        shape = self.state.image.shape
        if not isinstance(image, list) or len(image) != shape[0] * shape[1]:
            raise ValueError(f"an image of {shape} is {shape[0] * shape[1]} numbers in a list, but {image!r} was given")
        image = _image(np.reshape(array_of("digits", image), shape), shape)
        return Drawn(image, answered(self.model, image))


def digits(model=None, image=None):
    """A canvas for digits, and what a model takes the drawing for: a `Digits`."""
    return Digits(model, image)


def answered(model, image):
    """The probability of each class; the model stays as it was."""
    shapes = [(1, 1, *image.shape), (1, image.size)]
    faults = []
    for shape in shapes:
        try:
            with undisturbed(model) as asked:
                logits = asked(placed(asked, image.reshape(shape)))
        except (ValueError, IndexError, TypeError) as error:
            faults.append(error)
            continue
        if logits.ndim == 2 and logits.shape[0] == 1:
            if logits.shape[1] > CLASSES:
                raise ValueError(f"digits shows up to {CLASSES} classes, but the model tells {logits.shape[1]} apart")
            return F.softmax(logits, -1).numpy().astype(float)[0]
        faults.append(ValueError(f"logits (1, classes) are needed, but the model gives {tuple(logits.shape)}"))
    faults[0].add_note(f"asked with one image as {shapes[0]}, and as {shapes[1]}")
    raise faults[0]


@cache
def reader():
    """A small CNN, trained on scikit-learn's digits with random numbers of its own."""
    try:
        from sklearn.datasets import load_digits
    except ImportError as error:
        raise ImportError(
            "digits() trains a model on scikit-learn's digits, which is not installed: give it one, digits(model)"
        ) from error
    bundled = load_digits()
    x, y = (bundled.images[:, None] / 16).astype(np.float32), bundled.target
    rng, before = np.random.default_rng(0), random.get_state()
    random.manual_seed(0)
    try:
        model = CNN(8, channels=(16, 32))
    finally:
        random.set_state(before)
    optimizer = Adam(model.parameters(), lr=4e-3)
    for _ in range(6):
        for batch in np.array_split(rng.permutation(len(x)), len(x) // 64):
            optimizer.backward_step(F.cross_entropy(model(Tensor(x[batch])), y[batch]))
    return model


def _image(given, size):
    if given is None and size in (None, (8, 8), 8):
        return np.array([[int(c) / 9 for c in row] for row in SEVEN.split()])
    sizes = (size, size) if isinstance(size, int) else size
    image = np.zeros(sizes) if given is None else array_of("digits", given).astype(float)
    image = image.reshape(image.shape[-2:]) if image.ndim > 2 and image.size == np.prod(image.shape[-2:]) else image
    if image.ndim != 2 or not image.size or max(image.shape) > LARGEST or (sizes and image.shape != tuple(sizes)):
        wanted = f"of {tuple(sizes)}" if sizes else "(H, W)"
        raise ValueError(
            f"digits shows an image {wanted}, up to {LARGEST} x {LARGEST}, but one of shape {image.shape} was given"
        )
    if not ((image >= 0) & (image <= 1)).all():
        raise ValueError(
            f"an image for digits holds numbers from 0 to 1, but {image.min():.4g} to {image.max():.4g} was given"
        )
    return image


def broken(state):
    """What is said where the model's answer is no answer; "" where it is one."""
    if np.isfinite(state.answer).all():
        return ""
    return "The model's scores hold NaN or infinity: what it takes this for cannot be told. Look at its weights."


def _best(state):
    best = int(state.answer.argmax())
    return best, state.answer[best]


def _lines(state):
    yield broken(state) or "The model takes this for class {}, with a probability of {:.4g}.".format(*_best(state))
    for i, p in enumerate(state.answer):
        yield f"class {i}: {p:.4g}"
    yield from ("".join(SHADES[round(x * (len(SHADES) - 1))] * 2 for x in row).rstrip() for row in state.image)


def _picture(state):
    made = figure(620, 300)
    canvas, bars = made.subplots(1, 2)
    canvas.imshow(state.image, cmap="Greys", vmin=0, vmax=1)
    canvas.set(xticks=[], yticks=[], title="the drawing")
    best = int(state.answer.argmax())
    classes = np.arange(len(state.answer))
    colors = [COLORS[1] if i == best else COLORS[0] for i in classes]
    drawn = bars.barh(
        classes, state.answer, color=colors, hatch=["//" if i == best else "" for i in classes], edgecolor="white"
    )
    bars.bar_label(drawn, [f"{p:.1%}" for p in state.answer], padding=3, fontsize=8)
    bars.set(
        yticks=classes,
        xlim=(0, 1.2),
        xticks=[0, 0.5, 1],
        xlabel="probability",
        ylabel="class",
        title=f"taken for {best}",
    )
    bars.invert_yaxis()
    return png(made)
