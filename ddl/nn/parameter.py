"""What a module owns: parameters, which an optimizer moves, and buffers, which it does not."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..arrays import as_array, is_array
from ..core import Leaf, Tensor
from ..spec import Spec
from . import init as initialisers


class _Wanted(threading.local):
    """Whether parameters made by this thread get values; `with shapes_only():` says no."""

    values = True


_wanted = _Wanted()


@contextmanager
def shapes_only() -> Iterator[None]:
    """Inside `with shapes_only():` parameters and buffers have a shape and a dtype alone: a model costs no memory."""
    before, _wanted.values = _wanted.values, False
    try:
        yield
    finally:
        _wanted.values = before


def _values(given: Any, init: Any, **options: Any) -> Any:
    """A copy of the tensor or array that is given, or what `init` makes of a shape."""
    if isinstance(given, Tensor) or is_array(given):
        data = as_array(given.data if isinstance(given, Tensor) else given)
        return data if _wanted.values else Spec(data.shape, data.dtype)
    return init(tuple(given), **options) if _wanted.values else Spec(given)


class Parameter(Tensor):
    """A leaf tensor that a Module owns and an optimizer moves.

    Given a shape, its values come from `init(shape, axes=axes, rng=rng, **options)`; given a tensor or an array, they
    are copied from it.
    """

    __slots__ = ("axes", "init")

    def __init__(
        self,
        shape: Any,
        init: Any = initialisers.zeros,
        *,
        axes: Sequence[str] | None = None,
        rng: Any = None,
        **options: Any,
    ):
        data = _values(shape, init, axes=axes, rng=rng, **options)
        super().__init__(data, Leaf(data.shape, data.dtype))
        self.axes = tuple(axes) if axes else None
        self.init = init

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "data" and not is_array(value):
            given = "a tensor" if isinstance(value, Tensor) else type(value).__name__
            raise TypeError(f"a parameter's data is an array, but {given} was given; write p.data = t.data.copy()")
        super().__setattr__(name, value)

    def __repr__(self) -> str:
        return "Parameter(" + super().__repr__().removeprefix("tensor(")


class Buffer(Tensor):
    """A tensor that a Module keeps and no optimizer moves, such as running statistics; it has no gradient.

    Given as a Parameter is: a shape and an initialiser, or a tensor or an array to copy. It goes where the module goes,
    and if `persistent` into its `state_dict`.
    """

    __slots__ = ("persistent",)

    def __init__(self, data: Any, init: Any = initialisers.zeros, *, persistent: bool = True):
        super().__init__(_values(data, init))
        self.persistent = persistent

    def __repr__(self) -> str:
        return "Buffer(" + super().__repr__().removeprefix("tensor(")
