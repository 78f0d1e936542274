"""The plainest network: linear layers in a row."""

from itertools import pairwise
from typing import Any

from ..checks import positive
from ..nn import Linear, Module, ReLU, Sequential


class MLP(Module):
    """Linear layers with relu between them: MLP(784, 256, 10) takes (.., 784) to (.., 10)."""

    def __init__(self, *sizes: int):
        if len(sizes) < 2:
            raise ValueError(f"MLP needs the width of its inputs and of its outputs, at least, but {sizes} was given")
        positive("MLP", **{f"size {i}": n for i, n in enumerate(sizes)})
        self.sizes = sizes
        layers: list[Module] = []
        for i, o in pairwise(sizes):
            layers += [Linear(i, o), ReLU()]
        self.layers = Sequential(*layers[:-1])

    def forward(self, x: Any) -> Any:
        return self.layers(x)
