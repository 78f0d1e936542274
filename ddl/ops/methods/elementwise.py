"""Methods on each element by itself, PyTorch's names for ops of `ops.elementwise`."""

from typing import TYPE_CHECKING, Any

from .. import elementwise
from ..operators import Operators, raise_power

if TYPE_CHECKING:
    from ...core import Tensor


class Elementwise(Operators):
    """Each returns a tensor of the shape that its inputs broadcast to."""

    def exp(self) -> "Tensor":
        return elementwise.exp(self)

    def log(self) -> "Tensor":
        return elementwise.log(self)

    def sqrt(self) -> "Tensor":
        return elementwise.sqrt(self)

    def tanh(self) -> "Tensor":
        return elementwise.tanh(self)

    def sigmoid(self) -> "Tensor":
        return elementwise.sigmoid(self)

    def relu(self) -> "Tensor":
        return elementwise.relu(self)

    def abs(self) -> "Tensor":
        return elementwise.abs(self)

    def sin(self) -> "Tensor":
        return elementwise.sin(self)

    def cos(self) -> "Tensor":
        return elementwise.cos(self)

    def pow(self, exponent: Any) -> "Tensor":
        return raise_power(self, exponent)

    def clip(self, min: Any = None, max: Any = None) -> "Tensor":
        return elementwise.clip(self, low=min, high=max)

    def masked_fill(self, mask: Any, value: Any) -> "Tensor":
        """The same values, with `value` wherever `mask` is True."""
        return elementwise.where(mask, value, self)
