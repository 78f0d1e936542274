"""Methods on each element by itself: PyTorch's names for ops of `arithmetic`, `comparisons` and `elementwise`."""

from typing import Any

from ...core import Tensor
from .. import arithmetic, comparisons, elementwise
from ..erf import erf
from ..operators import Operators, raise_power


class Elementwise(Operators):
    """Each returns a tensor of the shape that its inputs broadcast to; `other` is a tensor, an array or a number."""

    # ---- arithmetic
    def add(self, other: Any) -> Tensor:
        return arithmetic.add(self, other)

    def sub(self, other: Any) -> Tensor:
        return arithmetic.sub(self, other)

    def mul(self, other: Any) -> Tensor:
        return arithmetic.mul(self, other)

    def div(self, other: Any) -> Tensor:
        return arithmetic.div(self, other)

    def floor_divide(self, other: Any) -> Tensor:
        return arithmetic.floor_divide(self, other)

    def remainder(self, other: Any) -> Tensor:
        return arithmetic.remainder(self, other)

    def neg(self) -> Tensor:
        return arithmetic.neg(self)

    def reciprocal(self) -> Tensor:
        return arithmetic.reciprocal(self)

    def square(self) -> Tensor:
        return arithmetic.square(self)

    def pow(self, exponent: Any) -> Tensor:
        """To a power: a number, or a tensor, which then has a gradient too."""
        return raise_power(self, exponent)

    # ---- functions
    def exp(self) -> Tensor:
        return elementwise.exp(self)

    def expm1(self) -> Tensor:
        return elementwise.expm1(self)

    def log(self) -> Tensor:
        return elementwise.log(self)

    def log1p(self) -> Tensor:
        return elementwise.log1p(self)

    def sqrt(self) -> Tensor:
        return elementwise.sqrt(self)

    def rsqrt(self) -> Tensor:
        return elementwise.rsqrt(self)

    def sin(self) -> Tensor:
        return elementwise.sin(self)

    def cos(self) -> Tensor:
        return elementwise.cos(self)

    def tanh(self) -> Tensor:
        return elementwise.tanh(self)

    def sigmoid(self) -> Tensor:
        return elementwise.sigmoid(self)

    def relu(self) -> Tensor:
        return elementwise.relu(self)

    def erf(self) -> Tensor:
        return erf(self)

    # ---- kinks and steps
    def abs(self) -> Tensor:
        return elementwise.abs(self)

    def sign(self) -> Tensor:
        return elementwise.sign(self)

    def floor(self) -> Tensor:
        return elementwise.floor(self)

    def ceil(self) -> Tensor:
        return elementwise.ceil(self)

    def round(self, decimals: int = 0) -> Tensor:
        """To so many decimals, of two as near the even one."""
        scale = 10**decimals
        return elementwise.round(self * scale) / scale if decimals else elementwise.round(self)

    def maximum(self, other: Any) -> Tensor:
        return elementwise.maximum(self, other)

    def minimum(self, other: Any) -> Tensor:
        return elementwise.minimum(self, other)

    def clip(self, min: Any = None, max: Any = None) -> Tensor:
        """Kept between two bounds, numbers or tensors (None: no bound); the slope is 1 on them too, and 0 outside."""
        if min is None and max is None:
            raise ValueError("clip was given neither min nor max; give at least one of them")
        if not any(isinstance(bound, Tensor) or getattr(bound, "ndim", 0) for bound in (min, max)):
            return elementwise.clip(self, low=min, high=max)
        raised = self if min is None else comparisons.where(comparisons.lt(self, min), min, self)
        return raised if max is None else comparisons.where(comparisons.gt(raised, max), max, raised)

    clamp = clip

    # ---- comparisons
    def eq(self, other: Any) -> Tensor:
        return comparisons.eq(self, other)

    def ne(self, other: Any) -> Tensor:
        return comparisons.ne(self, other)

    def lt(self, other: Any) -> Tensor:
        return comparisons.lt(self, other)

    def le(self, other: Any) -> Tensor:
        return comparisons.le(self, other)

    def gt(self, other: Any) -> Tensor:
        return comparisons.gt(self, other)

    def ge(self, other: Any) -> Tensor:
        return comparisons.ge(self, other)

    def isnan(self) -> Tensor:
        return comparisons.isnan(self)

    def isinf(self) -> Tensor:
        return comparisons.isinf(self)

    def isfinite(self) -> Tensor:
        return comparisons.isfinite(self)

    def logical_not(self) -> Tensor:
        return comparisons.logical_not(self)

    def logical_and(self, other: Any) -> Tensor:
        return comparisons.logical_and(self, other)

    def logical_or(self, other: Any) -> Tensor:
        return comparisons.logical_or(self, other)

    def logical_xor(self, other: Any) -> Tensor:
        return comparisons.logical_xor(self, other)

    def where(self, condition: Any, other: Any) -> Tensor:
        """The same values, with those of `other` wherever the boolean `condition` is False."""
        return comparisons.where(condition, self, other)

    def masked_fill(self, mask: Any, value: Any) -> Tensor:
        """The same values, with `value` wherever the boolean `mask` is True."""
        return comparisons.where(mask, value, self)
