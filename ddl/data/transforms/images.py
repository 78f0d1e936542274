"""Transforms of images, which are arrays (H, W) or (C, H, W); a tensor gives its array."""

import math
from typing import Any

import numpy as np

from ...arrays import module_of
from ...checks import is_whole, whole
from ...core import Tensor
from .compose import RandomTransform

Rng = np.random.Generator


class ToFloat:
    """float32, where integers go to 0..1: 255 of uint8 becomes 1."""

    def __call__(self, x: Any) -> Any:
        image = _image("ToFloat", x)
        most = np.iinfo(image.dtype).max if image.dtype.kind in "iu" else 1
        return image.astype(np.float32) / np.float32(most)

    def __repr__(self) -> str:
        return "ToFloat()"


class Normalize:
    """(x - mean) / std, each one number or one a channel."""

    def __init__(self, mean: Any, std: Any):
        self.mean, self.std = np.asarray(mean, np.float32), np.asarray(std, np.float32)
        if self.mean.shape != self.std.shape or self.mean.ndim > 1 or not (self.std > 0).all():
            raise ValueError(
                f"Normalize takes a mean and a std above 0, each one number or one a channel, but {mean} and {std} "
                "were given"
            )

    def __call__(self, x: Any) -> Any:
        image = _image("Normalize", x)
        if image.dtype.kind != "f":
            raise TypeError(f"Normalize takes floats, but {image.dtype} was given; put ToFloat() before it")
        channels = image.shape[0] if image.ndim > 2 else 1
        if self.mean.ndim and len(self.mean) != channels:
            raise ValueError(f"Normalize has {len(self.mean)} channels, but an image of {channels} was given")
        xp, across = module_of(image), (-1, 1, 1) if image.ndim > 2 else ()
        mean, std = (xp.asarray(v.reshape(across) if v.ndim else v) for v in (self.mean, self.std))
        return ((image - mean) / std).astype(image.dtype)

    def __repr__(self) -> str:
        return f"Normalize(mean={self.mean.tolist()}, std={self.std.tolist()})"


class RandomHorizontalFlip(RandomTransform):
    """Left and right exchanged, with probability `p`."""

    def __init__(self, p: float = 0.5):
        if not 0 <= p <= 1:
            raise ValueError(f"RandomHorizontalFlip needs a probability p between 0 and 1, but {p} was given")
        self.p = p

    def __call__(self, x: Any, rng: Rng) -> Any:
        image = _image("RandomHorizontalFlip", x)
        return image[..., ::-1] if rng.random() < self.p else image

    def __repr__(self) -> str:
        return f"RandomHorizontalFlip(p={self.p})"


class RandomCrop(RandomTransform):
    """A piece of `size`, (h, w) or one number for both, of the image within `padding` rows and columns of `fill`."""

    def __init__(self, size: int | tuple[int, int], padding: int = 0, fill: float = 0):
        self.size = tuple(size) if isinstance(size, (tuple, list)) else (size, size)
        if len(self.size) != 2 or any(not is_whole(n) or n < 1 for n in self.size):
            raise ValueError(f"RandomCrop needs a size of one or two whole numbers of 1 or more, but {size} was given")
        whole("RandomCrop", 0, padding=padding)
        self.padding, self.fill = padding, fill

    def __call__(self, x: Any, rng: Rng) -> Any:
        image = padded(_image("RandomCrop", x), self.padding, self.fill)
        (h, w), (height, width) = self.size, image.shape[-2:]
        if h > height or w > width:
            raise ValueError(
                f"RandomCrop was asked for {h} x {w} of an image of {height} x {width}, its padding included; "
                "ask for less, or for more padding"
            )
        top, left = (int(rng.integers(room + 1)) for room in (height - h, width - w))
        return image[..., top : top + h, left : left + w]

    def __repr__(self) -> str:
        return f"RandomCrop({self.size}, padding={self.padding}, fill={self.fill})"


class RandomShift(RandomTransform):
    """The image moved by up to `pixels` along each axis; `fill` comes in from the side."""

    def __init__(self, pixels: int, fill: float = 0):
        whole("RandomShift", 0, pixels=pixels)
        self.pixels, self.fill = pixels, fill

    def __call__(self, x: Any, rng: Rng) -> Any:
        image = _image("RandomShift", x)
        return RandomCrop(image.shape[-2:], self.pixels, self.fill)(image, rng)

    def __repr__(self) -> str:
        return f"RandomShift({self.pixels}, fill={self.fill})"


class RandomRotation(RandomTransform):
    """Turned about the middle by an angle between -degrees and degrees; a pixel takes its nearest one's value."""

    def __init__(self, degrees: float, fill: float = 0):
        if not 0 <= degrees <= 180:
            raise ValueError(f"RandomRotation needs degrees between 0 and 180, but {degrees} was given")
        self.degrees, self.fill = degrees, fill

    def __call__(self, x: Any, rng: Rng) -> Any:
        return rotated(_image("RandomRotation", x), rng.uniform(-self.degrees, self.degrees), self.fill)

    def __repr__(self) -> str:
        return f"RandomRotation({self.degrees}, fill={self.fill})"


def rotated(image: Any, degrees: float, fill: float) -> Any:
    """An image turned counterclockwise about its middle."""
    height, width = image.shape[-2:]
    down, right = np.indices((height, width)) - np.array([(height - 1) / 2, (width - 1) / 2])[:, None, None]
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    # Where each pixel comes from; the tiny shift decides halves alike whatever rounding did to them.
    row = np.rint(cos * down + sin * right + (height - 1) / 2 - 1e-9).astype(np.int64)
    column = np.rint(cos * right - sin * down + (width - 1) / 2 - 1e-9).astype(np.int64)
    inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
    xp = module_of(image)
    taken = image[..., xp.asarray(row.clip(0, height - 1)), xp.asarray(column.clip(0, width - 1))]
    return xp.where(xp.asarray(inside), taken, xp.asarray(fill, dtype=image.dtype))


def padded(image: Any, n: int, fill: float) -> Any:
    """An image with n rows and columns of `fill` around it."""
    height, width = image.shape[-2:]
    out = module_of(image).full((*image.shape[:-2], height + 2 * n, width + 2 * n), fill, dtype=image.dtype)
    out[..., n : n + height, n : n + width] = image
    return out


def _image(name: str, x: Any) -> Any:
    image = x.data if isinstance(x, Tensor) else x if hasattr(x, "dtype") else np.asarray(x)
    if image.ndim not in (2, 3) or image.dtype.kind not in "biuf":
        raise TypeError(
            f"{name} takes an image (H, W) or (C, H, W), but {image.dtype} of shape {image.shape} was given"
        )
    return image
