"""Layers that bring their inputs to mean 0 and variance 1, or to length 1."""

import math
from typing import Any

import numpy as np

from ..checks import between, divides, one_or_several, positive
from ..spec import Spec
from . import functional as F
from . import init
from .functional.inputs import as_tensor
from .module import Module
from .parameter import Buffer, Parameter


class LayerNorm(Module):
    """Mean 0 and variance 1 over the last axes, those of `normalized_shape` (a size, or several).

    Then times weight (starts at 1), plus bias (starts at 0), unless `elementwise_affine` or `bias` says no.
    """

    def __init__(self, normalized_shape: Any, eps: float = 1e-5, elementwise_affine: bool = True, bias: bool = True):
        sizes = one_or_several("LayerNorm", normalized_shape=normalized_shape)
        between("LayerNorm", 0, math.inf, eps=eps)
        self.normalized_shape, self.eps = sizes, eps
        self.weight = Parameter(sizes, init.ones, axes=("out",) * len(sizes)) if elementwise_affine else None
        self.bias = Parameter(sizes, init.zeros, axes=("out",) * len(sizes)) if elementwise_affine and bias else None

    def forward(self, x: Any) -> Any:
        return F.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}"


class RMSNorm(Module):
    """Root mean square 1 over the last axes, those of `normalized_shape`; then times weight (starts at 1)."""

    def __init__(self, normalized_shape: Any, eps: float | None = None, elementwise_affine: bool = True):
        sizes = one_or_several("RMSNorm", normalized_shape=normalized_shape)
        between("RMSNorm", 0, math.inf, eps=0 if eps is None else eps)
        self.normalized_shape, self.eps = sizes, eps
        self.weight = Parameter(sizes, init.ones, axes=("out",) * len(sizes)) if elementwise_affine else None

    def forward(self, x: Any) -> Any:
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}"


class GroupNorm(Module):
    """Mean 0 and variance 1 over each group of channels and all places: (N, num_channels, ..).

    Then times weight (starts at 1), plus bias (starts at 0), one of each a channel, unless `affine` says no.
    """

    def __init__(self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True):
        positive("GroupNorm", num_groups=num_groups, num_channels=num_channels)
        between("GroupNorm", 0, math.inf, eps=eps)
        if not divides(num_groups, num_channels):
            raise ValueError(
                f"GroupNorm needs channels that its groups divide, "
                f"but {num_channels} channels and {num_groups} groups were given"
            )
        self.num_groups, self.num_channels, self.eps = num_groups, num_channels, eps
        self.weight = Parameter((num_channels,), init.ones, axes=("out",)) if affine else None
        self.bias = Parameter((num_channels,), init.zeros, axes=("out",)) if affine else None

    def forward(self, x: Any) -> Any:
        x = as_tensor(x, self.weight)
        if x.ndim < 2 or x.shape[1] != self.num_channels:
            raise ValueError(
                f"GroupNorm({self.extra_repr()}) takes inputs (N, {self.num_channels}, ..), "
                f"but {tuple(x.shape)} was given"
            )
        return F.group_norm(x, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}"


class _BatchNorm(Module):
    """What the layers of this kind share: only the shapes that they take differ."""

    takes: dict[int, str] = {}  # by number of axes

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
    ):
        name = type(self).__name__
        positive(name, num_features=num_features)
        between(name, 0, math.inf, eps=eps)
        between(name, 0, 1, momentum=0 if momentum is None else momentum)
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.weight = Parameter((num_features,), init.ones, axes=("out",)) if affine else None
        self.bias = Parameter((num_features,), init.zeros, axes=("out",)) if affine else None
        self.running_mean = Buffer((num_features,), init.zeros) if track_running_stats else None
        self.running_var = Buffer((num_features,), init.ones) if track_running_stats else None
        self.num_batches_tracked = Buffer(np.zeros((), np.int64)) if track_running_stats else None

    def forward(self, x: Any) -> Any:
        x = as_tensor(x, self.weight)
        if x.ndim not in self.takes or x.shape[1] != self.num_features:
            shapes = " or ".join(self.takes.values()).replace("C", str(self.num_features))
            raise ValueError(
                f"{type(self).__name__}({self.num_features}) takes inputs of shape {shapes}, "
                f"but {tuple(x.shape)} was given"
            )
        rate = self.momentum
        if self.training and self.num_batches_tracked is not None and not isinstance(x.data, Spec):
            self.num_batches_tracked += 1
            rate = 1 / self.num_batches_tracked.item() if rate is None else rate
        of_batch = self.training or self.running_mean is None
        moments = (self.running_mean, self.running_var)
        return F.batch_norm(x, *moments, self.weight, self.bias, of_batch, rate or 0.0, self.eps)

    def extra_repr(self) -> str:
        return f"{self.num_features}, eps={self.eps}, momentum={self.momentum}"


class BatchNorm1d(_BatchNorm):
    """Mean 0 and variance 1 of each channel over the batch and all places: (N, C) or (N, C, L).

    Then times weight (starts at 1), plus bias (starts at 0). While training the moments are the batch's; in evaluation
    they are running means, which training moves by `momentum` (None: the mean over all batches). They are buffers.
    """

    takes = {2: "(N, C)", 3: "(N, C, L)"}


class BatchNorm2d(_BatchNorm):
    """BatchNorm1d for pictures: (N, C, H, W)."""

    takes = {4: "(N, C, H, W)"}
