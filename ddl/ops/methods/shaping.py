"""Methods that give values another shape or order."""

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import shaping
from ..operators import Operators
from .attach import either_name, sizes

if TYPE_CHECKING:
    from ...core import Tensor


class Shaping(Operators):
    """Shapes are given as sizes or as one tuple of them."""

    def reshape(self, *shape: Any) -> "Tensor":
        return shaping.reshape(self, shape=sizes(shape))

    view = reshape

    def flatten(self, start_dim: int = 0, end_dim: int = -1) -> "Tensor":
        first, last = range(self.ndim or 1)[start_dim], range(self.ndim or 1)[end_dim]
        return self.reshape(*self.shape[:first], -1, *self.shape[last + 1 :])

    def transpose(self, *dims: Any) -> "Tensor":
        """Two axes swapped, as in PyTorch; all of them given, or none (reversed), as in numpy."""
        dims = sizes(dims)
        if len(dims) == 2 and self.ndim >= 2:
            return shaping.swapaxes(self, a=dims[0], b=dims[1])
        return shaping.permute(self, dims=tuple(dims) or tuple(range(self.ndim))[::-1])

    def swapaxes(self, a: int, b: int) -> "Tensor":
        return shaping.swapaxes(self, a=a, b=b)

    def permute(self, *dims: Any) -> "Tensor":
        return shaping.permute(self, dims=sizes(dims))

    @property
    def mT(self) -> "Tensor":
        return shaping.swapaxes(self, a=-1, b=-2)

    @property
    def T(self) -> "Tensor":
        return self.transpose()

    def broadcast_to(self, *shape: Any) -> "Tensor":
        return shaping.broadcast_to(self, shape=sizes(shape))

    def expand(self, *shape: Any) -> "Tensor":
        """Repeated along axes of size 1 up to `shape`, where -1 keeps a size."""
        wide = sizes(shape)
        own = (1,) * (len(wide) - self.ndim) + self.shape
        return shaping.broadcast_to(self, shape=tuple(o if n == -1 else n for n, o in zip(wide, own)))

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
        pieces = (
            [split_size] * (n // split_size) + [n % split_size] * (n % split_size > 0)
            if isinstance(split_size, int)
            else split_size
        )
        if sum(pieces) != n:
            raise ValueError(f"split into sizes {list(pieces)} was asked for, but axis {dim} has {n} entries")
        ends = np.cumsum(pieces).tolist()
        lead = (slice(None),) * (dim % self.ndim)
        return tuple(self[(*lead, slice(end - size, end))] for size, end in zip(pieces, ends))

    def tril(self, diagonal: int = 0) -> "Tensor":
        return shaping.tril(self, k=diagonal)

    def triu(self, diagonal: int = 0) -> "Tensor":
        return shaping.triu(self, k=diagonal)
