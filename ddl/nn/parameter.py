"""A parameter carries its shape, the names of its axes and its initialiser."""

from collections.abc import Sequence
from typing import Any

from ..arrays import as_array, is_array
from ..core import Leaf, Tensor
from ..spec import Spec
from . import init as initialisers


class shapes_only:
    """Inside `with shapes_only():` parameters have a shape and a dtype but no values: a model costs no memory."""

    on = False

    def __enter__(self) -> None:
        self.was, shapes_only.on = shapes_only.on, True

    def __exit__(self, *_: Any) -> None:
        shapes_only.on = self.was


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
        if isinstance(shape, Tensor) or is_array(shape):
            data = as_array(shape.data if isinstance(shape, Tensor) else shape)
        elif shapes_only.on:
            data = Spec(shape)
        else:
            data = init(tuple(shape), axes=axes, rng=rng, **options)
        super().__init__(data, Leaf(data.shape, data.dtype))
        self.axes = tuple(axes) if axes else None
        self.init = init

    def __repr__(self) -> str:
        return "Parameter(" + super().__repr__().removeprefix("tensor(")
