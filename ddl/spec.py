"""An array of which only shape and dtype are known, and the module that computes with such arrays."""

import math
from collections.abc import Callable
from operator import index
from types import SimpleNamespace
from typing import Any

import numpy as np

from . import shape_rules
from .shape_rules import Shape
from .sizes import Size, name, named


class Spec:
    """A shape and a dtype, without values: it flows through ops and models and costs no memory.

    Anything that would need values (a boolean mask as index, `float(spec)`) raises TypeError.
    """

    __slots__ = ("dtype", "shape")
    __array_ufunc__ = None  # numpy operands defer to ours
    __hash__ = object.__hash__

    def __init__(self, shape: Any, dtype: Any = np.float32):
        sizes = (shape,) if isinstance(shape, (str, Size)) else shape
        self.shape: Shape = tuple(name(n) if isinstance(n, str) else n if named(n) else _whole(n) for n in sizes)
        if any(not named(n) and n < 0 for n in self.shape):
            raise ValueError(f"a Spec needs sizes of 0 or more, but {self.shape} was given")
        try:
            self.dtype = np.dtype(dtype)
        except TypeError:
            raise TypeError(f"a Spec needs a dtype such as 'float32', but {dtype!r} was given") from None

    def __repr__(self) -> str:
        return f"Spec({self.dtype.name}{list(self.shape)})"

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> Any:
        return math.prod(self.shape)

    @property
    def nbytes(self) -> Any:
        return self.size * self.dtype.itemsize

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of an array without axes")
        return index(self.shape[0])

    def astype(self, dtype: Any, copy: bool = True) -> "Spec":
        return Spec(self.shape, dtype)

    def copy(self) -> "Spec":
        return self

    def reshape(self, *shape: Any) -> "Spec":
        sizes = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        return Spec(shape_rules.reshaped(self.shape, sizes), self.dtype)

    def swapaxes(self, a: int, b: int) -> "Spec":
        axes = list(range(self.ndim))
        axes[a], axes[b] = axes[b], axes[a]
        return self.transpose(axes)

    def transpose(self, *axes: Any) -> "Spec":
        order = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        return Spec(shape_rules.permuted(self.shape, order or range(self.ndim)[::-1]), self.dtype)

    def __getitem__(self, index: Any) -> "Spec":
        parts = index if isinstance(index, tuple) else (index,)
        if any(isinstance(p, Spec) and p.dtype == bool for p in parts):
            raise TypeError(
                "a boolean mask of unknown values was given as index, but the result's size depends on them"
            )
        return Spec(shape_rules.indexed(self.shape, tuple(q for p in parts for q in _entries(p))), self.dtype)

    def item(self, *_: Any, **__: Any) -> Any:
        raise TypeError(f"a value was asked of {self!r}, of which only shape and dtype are known")

    tolist = __array__ = __bool__ = __float__ = __int__ = __index__ = item

    def __matmul__(self, other: Any) -> "Spec":
        return matmul(self, other)

    def __rmatmul__(self, other: Any) -> "Spec":
        return matmul(other, self)


def _whole(n: Any) -> int:
    try:
        return index(n)
    except TypeError:
        raise TypeError(f"a Spec needs whole numbers or names as sizes, but {n!r} was given") from None


def shape_of(x: Any) -> Shape:
    return x.shape if hasattr(x, "shape") else np.shape(x)


def sizes_of(shape: Any) -> Shape:
    return tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)


def _entries(part: Any) -> tuple:
    """A part of an index as parts without masks: a mask of known values names places along each of its axes."""
    if part is True:
        return (None,)
    if isinstance(part, (list, np.ndarray)) and np.asarray(part).dtype == bool:
        return np.nonzero(part)
    return (part,)


def like(x: Any) -> Spec:
    return x if isinstance(x, Spec) else Spec(shape_of(x), getattr(x, "dtype", None) or np.asarray(x).dtype)


def small(x: Any) -> Any:
    """What stands for `x` where only dtypes are combined: Python numbers stay weak, and so do named sizes."""
    return np.zeros((), x.dtype) if hasattr(x, "dtype") else 1 if named(x) else x


def elementwise(f: Callable[..., Any]) -> Callable[..., Spec]:
    """The shape rule of an elementwise function: broadcast the shapes, and ask numpy for the dtype."""

    def rule(*xs: Any, **_: Any) -> Spec:
        with np.errstate(all="ignore"):
            dtype = np.asarray(f(*map(small, xs))).dtype
        return Spec(shape_rules.broadcast(*map(shape_of, xs)), dtype)

    return rule


def reduction(f: Callable[..., Any]) -> Callable[..., Spec]:
    """The shape rule of a reduction: numpy's own, tried on an array of at most one element."""

    def rule(x: Spec, axis: Any = None, keepdims: bool = False) -> Spec:
        least = 1 if f is np.mean else 0  # the mean of nothing is NaN, with a warning
        tried = np.zeros([1 if named(n) else min(max(n, least), 1) for n in x.shape], x.dtype)
        dtype = np.asarray(f(tried, axis=axis, keepdims=keepdims)).dtype
        picked = range(x.ndim) if axis is None else np.lib.array_utils.normalize_axis_tuple(axis, x.ndim)
        shape = [1 if i in picked else n for i, n in enumerate(x.shape) if keepdims or i not in picked]
        return Spec(shape, dtype)

    return rule


def matmul(x: Any, y: Any) -> Spec:
    x, y = like(x), like(y)
    if not (x.ndim and y.ndim):
        raise ValueError(f"matmul needs at least one axis on either side, but {x.shape} and {y.shape} were given")
    a = x.shape if x.ndim > 1 else (1, *x.shape)
    b = y.shape if y.ndim > 1 else (*y.shape, 1)
    if a[-1] != b[-2]:
        raise ValueError(f"matmul of {x.shape} and {y.shape}: the inner sizes {a[-1]} and {b[-2]} differ")
    shape = (*shape_rules.broadcast(a[:-2], b[:-2]), *a[-2:-1][: x.ndim - 1], *b[-1:][: y.ndim - 1])
    return Spec(shape, np.result_type(x.dtype, y.dtype))


def concatenate(xs: Any, axis: int = 0) -> Spec:
    first, *rest = xs
    axis = range(first.ndim)[axis]
    for x in rest:
        if x.ndim != first.ndim or any(m != n for i, (m, n) in enumerate(zip(x.shape, first.shape)) if i != axis):
            raise ValueError(
                f"concatenate along axis {axis} needs equal other sizes, but {first.shape} and {x.shape} were given"
            )
    total = sum(x.shape[axis] for x in xs)
    return Spec((*first.shape[:axis], total, *first.shape[axis + 1 :]), np.result_type(*(x.dtype for x in xs)))


def broadcast_to(x: Spec, shape: Any) -> Spec:
    return Spec(shape_rules.widened(x.shape, shape), x.dtype)


def cumsum(x: Spec, axis: int, dtype: Any = None) -> Spec:
    np.lib.array_utils.normalize_axis_index(axis, x.ndim or 1)
    return Spec(x.shape, np.cumsum(np.zeros(1, x.dtype), dtype=dtype).dtype)


UFUNCS = (
    "add subtract multiply divide floor_divide remainder power negative exp log log1p expm1 sqrt tanh sin cos abs sign "
    "floor ceil rint maximum minimum clip where equal not_equal less less_equal greater greater_equal isfinite isnan "
    "isinf logical_not logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor invert"
).split()
REDUCTIONS = "sum mean max min prod any all argmax argmin".split()

shapes = SimpleNamespace(
    __name__="shapes",
    matmul=matmul,
    concatenate=concatenate,
    broadcast_to=broadcast_to,
    cumsum=cumsum,
    take=lambda x, i, axis: Spec((*x.shape[:axis], *shape_of(i), *x.shape[axis:][1:]), x.dtype),
    take_along_axis=lambda x, i, axis: Spec(shape_rules.broadcast(x.shape[:-1], i.shape[:-1]) + i.shape[-1:], x.dtype),
    tri=lambda n, m=None, k=0, dtype=float: Spec((n, n if m is None else m), dtype),
    arange=lambda *a, dtype=None: Spec(a, dtype or int) if named(a[0]) else like(np.arange(*a, dtype=dtype)),
    zeros=lambda shape, dtype=float: Spec(sizes_of(shape), dtype),
    ones=lambda shape, dtype=float: Spec(sizes_of(shape), dtype),
    ones_like=lambda x, dtype=None: Spec(x.shape, dtype or x.dtype),
    zeros_like=lambda x, dtype=None: Spec(x.shape, dtype or x.dtype),
    asarray=like,
    **{f: elementwise(getattr(np, f)) for f in UFUNCS},
    **{f: reduction(getattr(np, f)) for f in REDUCTIONS},
)

OPERATORS = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "floordiv": "floor_divide",
    "mod": "remainder", "pow": "power", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
    "eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal",
}  # fmt: skip
for _name, _ufunc in OPERATORS.items():
    _rule = getattr(shapes, _ufunc)
    setattr(Spec, f"__{_name}__", lambda a, b, rule=_rule: rule(a, b))
    setattr(Spec, f"__r{_name}__", lambda a, b, rule=_rule: rule(b, a))
Spec.__neg__ = lambda a: shapes.negative(a)  # type: ignore[attr-defined]
Spec.__invert__ = lambda a: shapes.invert(a)  # type: ignore[attr-defined]
for _name in REDUCTIONS:
    setattr(Spec, _name, getattr(shapes, _name))
