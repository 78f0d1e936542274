"""What Python asks of a tensor: operators, indexing, conversion to numbers and arrays, copying, printing."""

import builtins
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core import Leaf, Tensor, recording
from . import arithmetic, comparisons, contraction, elementwise, selection
from .arithmetic import add, div, mul, neg, pow, power, sub


def raise_power(x: Any, y: Any) -> Any:
    if isinstance(y, np.generic):
        y = y.item()
    return power(x, exponent=y) if isinstance(y, (int, float)) else pow(x, y)


def _in_place(operation: Callable[..., Any], symbol: str) -> Callable[..., Any]:
    """`x -= y` writes into x where no graph is concerned, and is `x = x - y` where one is."""

    def update(x: Any, y: Any) -> Any:
        other = isinstance(y, Tensor) and y.node is not None
        if recording.on and (x.node is not None or other):
            if x.node is not None and x.is_leaf:
                raise RuntimeError(
                    "a leaf tensor that requires a gradient was changed in place; do it under ddl.no_grad()"
                )
            return operation(x, y)
        new = operation(x.data, y.data if isinstance(y, Tensor) else y)
        if not np.can_cast(new.dtype, x.dtype, "same_kind"):
            raise TypeError(
                f"a result of {new.dtype} was to be written into a tensor of {x.dtype}; use x = x {symbol} y"
            )
        x.write(..., new)
        return x

    return update


class Operators:
    """The operators of Tensor, on either side, with tensors, arrays and numbers."""

    if TYPE_CHECKING:
        data: Any
        node: Any
        shape: tuple[int, ...]
        ndim: int
        dtype: Any
        device: str

    def __add__(self, y: Any) -> "Tensor":
        return add(self, y)

    def __radd__(self, y: Any) -> "Tensor":
        return add(y, self)

    def __sub__(self, y: Any) -> "Tensor":
        return sub(self, y)

    def __rsub__(self, y: Any) -> "Tensor":
        return sub(y, self)

    def __mul__(self, y: Any) -> "Tensor":
        return mul(self, y)

    def __rmul__(self, y: Any) -> "Tensor":
        return mul(y, self)

    def __truediv__(self, y: Any) -> "Tensor":
        return div(self, y)

    def __rtruediv__(self, y: Any) -> "Tensor":
        return div(y, self)

    def __floordiv__(self, y: Any) -> "Tensor":
        return arithmetic.floor_divide(self, y)

    def __rfloordiv__(self, y: Any) -> "Tensor":
        return arithmetic.floor_divide(y, self)

    def __mod__(self, y: Any) -> "Tensor":
        return arithmetic.remainder(self, y)

    def __rmod__(self, y: Any) -> "Tensor":
        return arithmetic.remainder(y, self)

    def __neg__(self) -> "Tensor":
        return neg(self)

    def __pow__(self, y: Any) -> "Tensor":
        return raise_power(self, y)

    def __rpow__(self, y: Any) -> "Tensor":
        return pow(y, self)

    def __matmul__(self, y: Any) -> "Tensor":
        return contraction.matmul(self, y)

    def __rmatmul__(self, y: Any) -> "Tensor":
        return contraction.matmul(y, self)

    def __abs__(self) -> "Tensor":
        return elementwise.abs(self)

    def __eq__(self, y: Any) -> "Tensor":  # type: ignore[override]
        return comparisons.eq(self, y)

    def __ne__(self, y: Any) -> "Tensor":  # type: ignore[override]
        return comparisons.ne(self, y)

    def __lt__(self, y: Any) -> "Tensor":
        return comparisons.lt(self, y)

    def __le__(self, y: Any) -> "Tensor":
        return comparisons.le(self, y)

    def __gt__(self, y: Any) -> "Tensor":
        return comparisons.gt(self, y)

    def __ge__(self, y: Any) -> "Tensor":
        return comparisons.ge(self, y)

    def __and__(self, y: Any) -> "Tensor":
        return comparisons.bitwise_and(self, y)

    def __or__(self, y: Any) -> "Tensor":
        return comparisons.bitwise_or(self, y)

    def __xor__(self, y: Any) -> "Tensor":
        return comparisons.bitwise_xor(self, y)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __invert__(self) -> "Tensor":
        return comparisons.bitwise_not(self)

    __iadd__ = _in_place(add, "+")
    __isub__ = _in_place(sub, "-")
    __imul__ = _in_place(mul, "*")
    __itruediv__ = _in_place(div, "/")

    def __getitem__(self, index: Any) -> "Tensor":
        return selection.getitem(self, index=selection.as_index(index, self))

    def __setitem__(self, index: Any, value: Any) -> None:
        self.write(selection.as_index(index, self), value)  # type: ignore[attr-defined]

    def __iter__(self) -> Iterator["Tensor"]:
        if not self.ndim:
            raise TypeError("a tensor of shape () was iterated over, but it has no axis; use .item() for its value")
        return (self[i] for i in range(self.shape[0]))

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() was asked of a tensor of shape (), which has no axis")
        return self.shape[0]

    # ---- to Python and numpy
    def numpy(self) -> np.ndarray:
        """The values as a numpy array (memory is shared, the graph is left behind)."""
        return self.__array__()

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        if self.device != "cpu":
            raise TypeError(f"a numpy array was asked of a tensor on {self.device!r}; move it first with .to('cpu')")
        return (
            self.data.astype(dtype, copy=bool(copy)) if dtype is not None else self.data.copy() if copy else self.data
        )

    def item(self) -> Any:
        if self.data.size != 1 and self.device != "spec":
            raise ValueError(f"item() needs a tensor of one element, but the shape is {self.shape}")
        return self.data.item()

    def tolist(self) -> Any:
        return self.data.tolist()

    def __float__(self) -> builtins.float:
        return builtins.float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __bool__(self) -> bool:
        if self.data.size != 1 and self.device != "spec":
            raise ValueError(
                f"whether a tensor is true was asked, but its shape is {self.shape} and each entry has an answer; "
                "use .any() or .all()"
            )
        return bool(self.item())

    def __index__(self) -> int:
        if self.dtype.kind not in "iu":
            raise TypeError(f"only integer tensors can be an index, but this one is {self.dtype}")
        return int(self.item())

    def __format__(self, spec: str) -> str:
        if spec and self.data.size != 1 and self.device != "spec":
            raise ValueError(f"the format {spec!r} is one number's, but the shape is {self.shape}; print it without")
        return format(self.item(), spec) if spec else repr(self)

    def __deepcopy__(self, memo: Any) -> "Tensor":
        if not self.is_leaf:  # type: ignore[attr-defined]
            raise RuntimeError("a copy was asked of a tensor inside a graph; copy t.detach() instead")
        twin = self.__copy__()
        twin.data = self.data.copy()
        memo[id(self)] = twin
        return twin

    def __copy__(self) -> "Tensor":
        twin = type(self).__new__(type(self))  # type: ignore[call-overload]
        for kind in type(self).__mro__:
            for name in getattr(kind, "__slots__", ()):
                if name != "__weakref__":
                    setattr(twin, name, getattr(self, name))
        if type(self.node) is Leaf:
            twin.node = Leaf(self.shape, self.dtype)
        return twin

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("a tensor was pickled, which runs code when it is read back; use ddl.save and ddl.load")

    def __repr__(self) -> str:
        values = (
            repr(self.data)
            if self.device == "spec"
            else np.array2string(
                np.asarray(self.data.get() if self.device == "gpu" else self.data),
                precision=4,
                separator=", ",
                prefix="tensor(",
                threshold=200,
            )
        )
        marks = [f"shape={self.shape}"] if 0 in self.shape and self.ndim > 1 else []
        marks += [f"dtype={self.dtype}"] if self.dtype not in (np.float32, np.int64, np.bool_) else []
        marks += [f"device={self.device!r}"] if self.device == "gpu" else []
        if self.node is not None:
            marks.append("requires_grad=True" if self.is_leaf else f"made by {self.node.op.name}")  # type: ignore[attr-defined]
        return f"tensor({', '.join([values, *marks])})"
