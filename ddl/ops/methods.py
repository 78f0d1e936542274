"""What a tensor can be asked: Python's operators and PyTorch's methods, each one call of an op.

`dim` and `keepdim` are PyTorch's names; numpy's `axis` and `keepdims` are accepted wherever those are.
"""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ..backward import backward
from ..core import Tensor
from . import contraction, elementwise, reductions, shaping
from .operators import Operators, raise_power

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


def _sizes(given: tuple) -> tuple:
    """f(2, 3) and f((2, 3)) mean the same."""
    return tuple(given[0]) if len(given) == 1 and isinstance(given[0], (tuple, list)) else given


def _axes(dim: Any) -> Any:
    return tuple(dim) if isinstance(dim, list) else dim


class Methods(Operators):
    """The methods of Tensor; `attach` at the end of this file gives them to it."""

    if TYPE_CHECKING:  # given to Tensor by ddl.fused
        softmax: Callable[..., "Tensor"]
        log_softmax: Callable[..., "Tensor"]

    # ---- gradients
    def backward(self, gradient: Any = None, retain_graph: bool = True, create_graph: bool = False) -> None:
        """Add d self / d leaf to the `grad` of every leaf that requires one.

        `gradient` (the shape of self) may be left out for a tensor of one element, whose gradient is then 1. The graph
        is kept, so a second call accumulates; `retain_graph=False` frees it on the way, and a later call then raises.
        """
        backward(self, gradient, retain_graph, create_graph)  # type: ignore[arg-type]

    # ---- elementwise
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

    # ---- reductions
    @either_name
    def sum(self, dim: Any = None, keepdim: bool = False) -> "Tensor":
        return reductions.sum(self, axis=_axes(dim), keepdims=keepdim)

    @either_name
    def mean(self, dim: Any = None, keepdim: bool = False) -> "Tensor":
        return reductions.mean(self, axis=_axes(dim), keepdims=keepdim)

    @either_name
    def var(self, dim: Any = None, keepdim: bool = False, correction: int = 1) -> "Tensor":
        """The mean squared distance from the mean, over n - correction."""
        centred = self - reductions.mean(self, axis=_axes(dim), keepdims=True)
        total = reductions.sum(centred * centred, axis=_axes(dim), keepdims=keepdim)
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
        return reductions.max(self, axis=_axes(dim), keepdims=keepdim)

    @either_name
    def min(self, dim: Any = None, keepdim: bool = False) -> "Tensor":
        """The smallest values; `argmin` says where they are."""
        return reductions.min(self, axis=_axes(dim), keepdims=keepdim)

    @either_name
    def argmax(self, dim: Any = None, keepdim: bool = False) -> "Tensor":
        return reductions.argmax(self, axis=dim, keepdims=keepdim)

    @either_name
    def argmin(self, dim: Any = None, keepdim: bool = False) -> "Tensor":
        return reductions.argmin(self, axis=dim, keepdims=keepdim)

    @either_name
    def cumsum(self, dim: int) -> "Tensor":
        return reductions.cumsum(self, axis=dim)

    # ---- shape
    def reshape(self, *shape: Any) -> "Tensor":
        return shaping.reshape(self, shape=_sizes(shape))

    view = reshape

    def flatten(self, start_dim: int = 0, end_dim: int = -1) -> "Tensor":
        first, last = range(self.ndim or 1)[start_dim], range(self.ndim or 1)[end_dim]
        return self.reshape(*self.shape[:first], -1, *self.shape[last + 1 :])

    def transpose(self, *dims: Any) -> "Tensor":
        """Two axes swapped, as in PyTorch; all of them given, or none (reversed), as in numpy."""
        dims = _sizes(dims)
        if len(dims) == 2 and self.ndim >= 2:
            return shaping.swapaxes(self, a=dims[0], b=dims[1])
        return shaping.permute(self, dims=tuple(dims) or tuple(range(self.ndim))[::-1])

    def swapaxes(self, a: int, b: int) -> "Tensor":
        return shaping.swapaxes(self, a=a, b=b)

    def permute(self, *dims: Any) -> "Tensor":
        return shaping.permute(self, dims=_sizes(dims))

    @property
    def mT(self) -> "Tensor":
        return shaping.swapaxes(self, a=-1, b=-2)

    @property
    def T(self) -> "Tensor":
        return self.transpose()

    def broadcast_to(self, *shape: Any) -> "Tensor":
        return shaping.broadcast_to(self, shape=_sizes(shape))

    def expand(self, *shape: Any) -> "Tensor":
        """Repeated along axes of size 1 up to `shape`, where -1 keeps a size."""
        sizes = _sizes(shape)
        own = (1,) * (len(sizes) - self.ndim) + self.shape
        return shaping.broadcast_to(self, shape=tuple(o if n == -1 else n for n, o in zip(sizes, own)))

    @either_name
    def unsqueeze(self, dim: int) -> "Tensor":
        at = range(self.ndim + 1)[dim]
        return self.reshape(*self.shape[:at], 1, *self.shape[at:])

    @either_name
    def squeeze(self, dim: Any = None) -> "Tensor":
        ones = {i for i, n in enumerate(self.shape) if n == 1}
        if dim is not None:
            ones &= {range(self.ndim or 1)[d] for d in (dim if isinstance(dim, (tuple, list)) else (dim,))}
        return self.reshape(tuple(n for i, n in enumerate(self.shape) if i not in ones))

    @either_name
    def split(self, split_size: Any, dim: int = 0) -> "tuple[Tensor, ...]":
        """Pieces along one axis: of one size (the last may be smaller), or of the sizes listed."""
        n = self.shape[dim]
        sizes = (
            [split_size] * (n // split_size) + [n % split_size] * (n % split_size > 0)
            if isinstance(split_size, int)
            else split_size
        )
        if sum(sizes) != n:
            raise ValueError(f"split into sizes {list(sizes)} was asked for, but axis {dim} has {n} entries")
        ends = np.cumsum(sizes).tolist()
        lead = (slice(None),) * (dim % self.ndim)
        return tuple(self[(*lead, slice(end - size, end))] for size, end in zip(sizes, ends))

    def tril(self, diagonal: int = 0) -> "Tensor":
        return shaping.tril(self, k=diagonal)

    def triu(self, diagonal: int = 0) -> "Tensor":
        return shaping.triu(self, k=diagonal)

    # ---- in place
    def copy_(self, value: Any) -> "Tensor":
        """Overwrite the values, broadcasting; the tensor stays the same object."""
        self.write(..., value)
        return self  # type: ignore[return-value]

    def zero_(self) -> "Tensor":
        return self.copy_(0)

    # ---- dtype, device
    def astype(self, dtype: Any, copy: bool = True) -> "Tensor":
        """The same values in another dtype; self where nothing changes and no copy is asked for."""
        same = np.dtype(dtype) == self.dtype and not copy
        return self if same else shaping.astype(self, dtype=np.dtype(dtype))  # type: ignore[return-value]

    def to(self, target: Any) -> "Tensor":
        """The same values in another dtype, or on another device ("cpu", "gpu")."""
        if target in ("cpu", "gpu", "cuda"):
            here = "gpu" if target == "cuda" else target
            return self if self.device in (here, "spec") else shaping.move(self, device=here, origin=self.device)  # type: ignore[return-value]
        return self.astype(target, copy=False)

    def float(self) -> "Tensor":
        return self.astype(np.float32, copy=False)

    def double(self) -> "Tensor":
        return self.astype(np.float64, copy=False)

    def long(self) -> "Tensor":
        return self.astype(np.int64, copy=False)

    def matmul(self, y: Any) -> "Tensor":
        return contraction.matmul(self, y)


def attach() -> None:
    for kind in (Operators, Methods):
        for name, method in vars(kind).items():
            if callable(method) or isinstance(method, property):
                setattr(Tensor, name, method)


attach()
