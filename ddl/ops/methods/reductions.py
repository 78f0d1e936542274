"""Methods that fold axes away; `axis` and `keepdims` are accepted for `dim` and `keepdim`."""

import math
from typing import Any

from ...core import Tensor
from .. import elementwise, reductions
from ..operators import Operators
from .attach import axes, either_name


class Reductions(Operators):
    """`dim` is an axis, several in a tuple or list, or None for all; `keepdim` leaves axes of size 1 in their place."""

    # ---- sums
    @either_name
    def sum(self, dim: Any = None, keepdim: bool = False) -> Tensor:
        """The sum; of booleans and integers it is an integer."""
        return reductions.sum(self, axis=axes(dim, self), keepdims=keepdim)

    @either_name
    def mean(self, dim: Any = None, keepdim: bool = False) -> Tensor:
        return reductions.mean(self, axis=axes(dim, self), keepdims=keepdim)

    @either_name
    def var(self, dim: Any = None, unbiased: bool = True, keepdim: bool = False, *, correction: Any = None) -> Tensor:
        """The mean squared distance from the mean, over n - correction; `unbiased=False` is a correction of 0."""
        correction = int(unbiased) if correction is None else correction
        return reductions.var(self, axis=axes(dim, self), keepdims=keepdim, correction=correction)

    @either_name
    def std(self, dim: Any = None, unbiased: bool = True, keepdim: bool = False, *, correction: Any = None) -> Tensor:
        """The square root of `var`; where that is 0 its slope is 0."""
        correction = int(unbiased) if correction is None else correction
        return reductions.std(self, axis=axes(dim, self), keepdims=keepdim, correction=correction)

    @either_name
    def logsumexp(self, dim: Any, keepdim: bool = False) -> Tensor:
        """log(sum(exp(x))), without overflow; its slope is the softmax."""
        return reductions.logsumexp(self, axis=axes(dim, self), keepdims=keepdim)

    @either_name
    def norm(self, p: Any = "fro", dim: Any = None, keepdim: bool = False) -> Tensor:
        """The p-norm of the entries: (sum |x|^p)^(1/p); "fro" is 2, `inf` the largest |x|. Its slope at 0 is 0."""
        if isinstance(p, str):
            if p not in ("fro", "inf", "-inf"):
                raise ValueError(f"norm {p!r} was asked for, but p is a number, 'fro', or infinite")
            p = 2 if p == "fro" else math.inf if p == "inf" else -math.inf
        return reductions.norm(self, p=p, axis=axes(dim, self), keepdims=keepdim)

    @either_name
    def prod(self, dim: Any = None, keepdim: bool = False) -> Tensor:
        """The product; gradients are exact where entries are 0 too."""
        return reductions.prod(self, axis=axes(dim, self), keepdims=keepdim)

    @either_name
    def cumsum(self, dim: int) -> Tensor:
        """Running sums along one axis."""
        return reductions.cumsum(self, axis=dim)

    # ---- extremes
    @either_name
    def max(self, dim: Any = None, keepdim: bool = False) -> Tensor:
        """The largest values alone: `argmax` says where they are. Where several tie, they share the gradient.

        Given a tensor for `dim`, the larger of the two at each place, as `maximum`.
        """
        if isinstance(dim, Tensor):
            return elementwise.maximum(self, dim)
        return reductions.max(self, axis=axes(dim, self), keepdims=keepdim)

    @either_name
    def min(self, dim: Any = None, keepdim: bool = False) -> Tensor:
        """The smallest values alone: `argmin` says where they are. Where several tie, they share the gradient.

        Given a tensor for `dim`, the smaller of the two at each place, as `minimum`.
        """
        if isinstance(dim, Tensor):
            return elementwise.minimum(self, dim)
        return reductions.min(self, axis=axes(dim, self), keepdims=keepdim)

    amax, amin = max, min

    @either_name
    def argmax(self, dim: Any = None, keepdim: bool = False) -> Tensor:
        """Where the largest is: the first place, where several tie; None counts through the flattened tensor."""
        return reductions.argmax(self, axis=axes(dim, self), keepdims=keepdim)

    @either_name
    def argmin(self, dim: Any = None, keepdim: bool = False) -> Tensor:
        """Where the smallest is: the first place, where several tie; None counts through the flattened tensor."""
        return reductions.argmin(self, axis=axes(dim, self), keepdims=keepdim)

    # ---- questions
    @either_name
    def any(self, dim: Any = None, keepdim: bool = False) -> Tensor:
        """Whether at least one is not 0."""
        return reductions.any(self, axis=axes(dim, self), keepdims=keepdim)

    @either_name
    def all(self, dim: Any = None, keepdim: bool = False) -> Tensor:
        """Whether none is 0."""
        return reductions.all(self, axis=axes(dim, self), keepdims=keepdim)
