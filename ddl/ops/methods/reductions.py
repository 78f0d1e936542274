"""Methods that fold axes away; `axis` and `keepdims` are accepted for `dim` and `keepdim`."""

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import elementwise, reductions
from ..operators import Operators
from .attach import axes, either_name

if TYPE_CHECKING:
    from ...core import Tensor


class Reductions(Operators):
    """`dim` is None for all axes, an axis, or several."""

    @either_name
    def sum(self, dim: Any = None, keepdim: bool = False) -> "Tensor":
        return reductions.sum(self, axis=axes(dim), keepdims=keepdim)

    @either_name
    def mean(self, dim: Any = None, keepdim: bool = False) -> "Tensor":
        return reductions.mean(self, axis=axes(dim), keepdims=keepdim)

    @either_name
    def var(self, dim: Any = None, keepdim: bool = False, correction: int = 1) -> "Tensor":
        """The mean squared distance from the mean, over n - correction."""
        centred = self - reductions.mean(self, axis=axes(dim), keepdims=True)
        total = reductions.sum(centred * centred, axis=axes(dim), keepdims=keepdim)
        count = int(np.prod(self.shape)) // max(1, int(np.prod(total.shape)))
        return total / max(0, count - correction)

    @either_name
    def std(self, dim: Any = None, keepdim: bool = False, correction: int = 1) -> "Tensor":
        """The square root of `var`; where that is 0 its slope is 0."""
        var = self.var(dim, keepdim, correction)
        return elementwise.where(var == 0, 0.0, elementwise.where(var == 0, 1.0, var).sqrt())

    @either_name
    def max(self, dim: Any = None, keepdim: bool = False) -> "Tensor":
        """The largest values; `argmax` says where they are."""
        return reductions.max(self, axis=axes(dim), keepdims=keepdim)

    @either_name
    def min(self, dim: Any = None, keepdim: bool = False) -> "Tensor":
        """The smallest values; `argmin` says where they are."""
        return reductions.min(self, axis=axes(dim), keepdims=keepdim)

    @either_name
    def argmax(self, dim: Any = None, keepdim: bool = False) -> "Tensor":
        return reductions.argmax(self, axis=dim, keepdims=keepdim)

    @either_name
    def argmin(self, dim: Any = None, keepdim: bool = False) -> "Tensor":
        return reductions.argmin(self, axis=dim, keepdims=keepdim)

    @either_name
    def cumsum(self, dim: int) -> "Tensor":
        return reductions.cumsum(self, axis=dim)
