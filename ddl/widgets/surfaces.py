"""Surfaces over two coordinates on which optimizers can race: formulas, and slices through a model's own loss."""

import numpy as np

from .. import random
from ..backward import grad
from ..core import Tensor, no_grad
from .asked import twin


class Formula:
    """f(a, b) of tensors, entry by entry, between `low` and `high`, from `start`."""

    def __init__(self, f, low=(-2, -2), high=(2, 2), start=(-1.5, 1.5)):
        self.f, self.low, self.high, self.start = f, low, high, start

    def heights(self, across, up):
        a, b = np.meshgrid(across, up)
        with no_grad():
            return np.broadcast_to(np.asarray(self.f(Tensor(a), Tensor(b)).data, float), a.shape)

    def slope(self, place):
        """The height at a place, and its gradient there."""
        a, b = (Tensor(np.array(x)) for x in place)
        a.requires_grad = b.requires_grad = True
        height = self.f(a, b)
        if height.shape != ():
            raise ValueError(f"a surface gives one height for a place, but the shape {tuple(height.shape)} came")
        return height.item(), np.array([g.item() for g in grad(height, [a, b])])


class Slice:
    """A model's loss(model) with its weights moved along two random directions, each as long as every weight is.

    The model is left alone, and may go on training: what is asked is a twin of it, as it was when the slice was made.
    """

    low, high, start = (-1, -1), (1, 1), (-0.8, 0.8)

    def __init__(self, loss, model, seed=0):
        self.loss, self.model = loss, twin(model)
        self.parameters = [p for p in self.model.parameters() if p.requires_grad]
        self.middle = [p.data.copy() for p in self.parameters]
        rng = np.random.default_rng(seed)
        self.directions = [[_as_long(rng.normal(size=p.shape), p) for p in self.parameters] for _ in range(2)]

    def heights(self, across, up):
        with no_grad(), random.apart():
            return np.array([[self._at((a, b)).item() for a in across] for b in up])

    def slope(self, place):
        with random.apart():
            height = self._at(place)
            gradient = [g.numpy() for g in grad(height, self.parameters)]
        along = [sum(float((g * d).sum()) for g, d in zip(gradient, ds)) for ds in self.directions]
        return height.item(), np.array(along)

    def _at(self, place):
        """The loss with the weights of a place."""
        for p, old, *ds in zip(self.parameters, self.middle, *self.directions):
            p.data = (old + sum(x * d for x, d in zip(place, ds))).astype(old.dtype)
        return self.loss(self.model)


def _as_long(direction, p):
    return direction * np.linalg.norm(p.numpy()) / max(np.linalg.norm(direction), 1e-12)


SURFACES = {
    "valley": Formula(lambda a, b: (1 - a) ** 2 + 10 * (b - a * a) ** 2, (-2, -1), (2, 3), (-1.5, 2.5)),
    "narrow bowl": Formula(lambda a, b: 0.5 * (a * a + 20 * b * b), (-4, -2), (4, 2), (-3.5, 1.5)),
    "saddle": Formula(lambda a, b: a * a - b * b + 0.25 * b**4, (-2, -2.5), (2, 2.5), (-1.8, 0.01)),
    "hills": Formula(lambda a, b: (3 * a).sin() + (3 * b).cos() + 0.5 * (a * a + b * b), (-3, -3), (3, 3), (2.5, 2.2)),
}
