"""How a method is given to Tensor, and what PyTorch's and numpy's ways of calling one have in common."""

import functools
import inspect
from collections.abc import Callable
from operator import index
from typing import Any, TypeVar

from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from ...core import Tensor

F = TypeVar("F", bound=Callable[..., Any])


def either_name(f: F) -> F:
    """Accept numpy's `axis=` and `keepdims=` for PyTorch's `dim=` and `keepdim=`."""

    @functools.wraps(f)
    def renamed(*args: Any, **kwargs: Any) -> Any:
        for numpys, name in (("axis", "dim"), ("keepdims", "keepdim")):
            if numpys in kwargs:
                if name in kwargs:
                    raise TypeError(f"{f.__name__} was given both {name} and {numpys}, which mean the same; give one")
                kwargs[name] = kwargs.pop(numpys)
        return f(*args, **kwargs)

    return renamed  # type: ignore[return-value]


def listed(f: F) -> F:
    """Accept under its name what f takes as any number of arguments: f(dims=(0, 1)) is f(0, 1)."""
    name = next(p.name for p in inspect.signature(f).parameters.values() if p.kind == p.VAR_POSITIONAL)

    @functools.wraps(f)
    def named(self: Any, *given: Any, **rest: Any) -> Any:
        if name in rest:
            if given:
                raise TypeError(f"{f.__name__} was given {name} both by place and by name; give them once")
            given = (rest.pop(name),)
        return f(self, *given, **rest)

    return named  # type: ignore[return-value]


def sizes(given: tuple) -> tuple:
    """f(2, 3) and f((2, 3)) mean the same."""
    return tuple(given[0]) if len(given) == 1 and isinstance(given[0], (tuple, list)) else given


def axes(dim: Any, x: Any) -> Any:
    """Axes of x as ops take them: an integer, a tuple of them, or None for all, which PyTorch also says by ().

    The one value of a 0-d tensor may be said to lie along axis 0.
    """
    if isinstance(dim, bool):
        raise TypeError(f"dim={dim} was given, but an axis is an integer")
    if dim is None or (x.ndim == 0 and dim in (0, -1)):
        return None
    return tuple(map(index, dim)) or None if isinstance(dim, (tuple, list)) else index(dim)


def axis_at(asker: str, dim: int, shape: tuple, least: int = 0) -> int:
    """The axis counted from the front; `least` 1 lets a 0-d tensor have an axis 0."""
    return normalize_axis_index(dim, max(least, len(shape)), f"{asker} of shape {shape}")


def axes_at(asker: str, dims: Any, shape: tuple, least: int = 0) -> tuple[int, ...]:
    """Several axes counted from the front, none of them twice."""
    return normalize_axis_tuple(dims, max(least, len(shape)), f"{asker} of shape {shape}")


def attach(methods: type) -> None:
    """Give Tensor the methods of this class and of those it is made of."""
    for kind in reversed(methods.__mro__[:-1]):
        for name, method in vars(kind).items():
            if callable(method) or isinstance(method, property):
                setattr(Tensor, name, method)
