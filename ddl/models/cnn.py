"""A small convolutional network: filters find features, pools keep where they are only roughly, a layer decides."""

from itertools import pairwise
from typing import Any

from ..checks import positive
from ..nn import Conv2d, Flatten, Linear, MaxPool2d, Module, ReLU, Sequential
from ..nn.functional.inputs import as_tensor
from ..nn.functional.slides import per_axis


class CNN(Module):
    """Images (N, in_channels, H, W) -> logits (N, classes).

    For each of `channels` a convolution of 3 x 3 that keeps the size, relu, and the largest of 2 x 2; then one linear
    layer. `image_size` is H and W, or one number for both: 28 for MNIST, 8 for scikit-learn's digits.
    """

    def __init__(
        self, image_size: Any = 28, classes: int = 10, in_channels: int = 1, channels: tuple[int, ...] = (16, 32)
    ):
        positive("CNN", classes=classes)
        self.image_size = per_axis("CNN", 2, 2 ** len(channels), image_size=image_size)  # a pool needs 2 to halve
        layers: list[Module] = []
        for i, o in pairwise((in_channels, *channels)):
            layers += [Conv2d(i, o, 3, padding=1), ReLU(), MaxPool2d(2)]
        self.features = Sequential(*layers, Flatten())
        height, width = (n // 2 ** len(channels) for n in self.image_size)
        self.head = Linear((in_channels, *channels)[-1] * height * width, classes)

    def forward(self, x: Any) -> Any:
        x = as_tensor(x, self.head.weight)
        if x.ndim != 4 or tuple(x.shape[2:]) != self.image_size:
            raise ValueError(f"CNN takes images (N, C, H, W) of {self.image_size}, but {tuple(x.shape)} was given")
        return self.head(self.features(x))
