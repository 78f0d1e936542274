"""Methods that give values another shape or order."""

import math
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np

from ...assumptions import unequal
from ...checks import is_whole, one_or_several, positive, whole
from .. import diagonals, shaping
from ..operators import Operators
from .attach import axes_at, axis_at, either_name, listed, sizes

if TYPE_CHECKING:
    from ...core import Tensor


class Shaping(Operators):
    """Shapes are given as sizes or as one tuple of them."""

    def size(self, dim: int | None = None) -> Any:
        """The shape, or the length of one axis."""
        return self.shape if dim is None else self.shape[axis_at("size", dim, self.shape)]

    def dim(self) -> int:
        return self.ndim

    def numel(self) -> int:
        """The number of entries."""
        return math.prod(self.shape)

    def clone(self) -> "Tensor":
        """The same values in memory of their own, in the graph."""
        return shaping.clone(self)

    def contiguous(self) -> "Tensor":
        """Itself: no method of a tensor asks how its memory is laid out."""
        return self  # type: ignore[return-value]

    # ---- shape
    def reshape(self, *shape: Any) -> "Tensor":
        """The same values in memory order under another shape, of which one size may be -1: what is left."""
        shape = sizes(shape)
        for n in shape:
            if is_whole(n) and n < -1:
                raise ValueError(f"reshape was asked for {shape}, but {n} is no size; only -1 stands for what is left")
        return shaping.reshape(self, shape=shape)

    view = reshape

    def flatten(self, start_dim: int = 0, end_dim: int = -1) -> "Tensor":
        """The axes from `start_dim` to `end_dim` as one."""
        first, last = (axis_at("flatten", d, self.shape, least=1) for d in (start_dim, end_dim))
        if first > last:
            raise ValueError(
                f"flatten was asked for axes {first} to {last}, which are none; give the earlier one first"
            )
        between = math.prod(self.shape[first : last + 1])
        return self.reshape(*self.shape[:first], between, *self.shape[last + 1 :])

    @either_name
    def unflatten(self, dim: int, sizes: Any) -> "Tensor":
        """One axis split into several of these sizes, of which one may be -1."""
        at = axis_at("unflatten", dim, self.shape)
        known = math.prod(n for n in sizes if n != -1)
        whole = tuple(self.shape[at] // max(1, known) if n == -1 else n for n in sizes)
        if math.prod(whole) != self.shape[at] or tuple(sizes).count(-1) > 1:
            raise ValueError(
                f"unflatten was asked for sizes {tuple(sizes)}, but axis {dim} has {self.shape[at]} entries"
            )
        return self.reshape(*self.shape[:at], *whole, *self.shape[at + 1 :])

    @either_name
    def unsqueeze(self, dim: int) -> "Tensor":
        """A new axis of size 1, which is then axis `dim`."""
        at = axis_at("unsqueeze", dim, self.shape, least=self.ndim + 1)
        return self.reshape(*self.shape[:at], 1, *self.shape[at:])

    @either_name
    def squeeze(self, dim: Any = None) -> "Tensor":
        """Without the axes of size 1, all of them or those of `dim`; a longer axis stays."""
        axes = range(self.ndim) if dim is None else axes_at("squeeze", dim, self.shape, least=1)
        kept = [n for i, n in enumerate(self.shape) if i not in axes or unequal(n, 1)]
        return self.reshape(tuple(kept))

    # ---- order of axes
    def transpose(self, *dims: Any) -> "Tensor":
        """Two axes swapped, as in PyTorch; all of them given, or none (reversed), as in numpy."""
        dims = sizes(dims)
        if len(dims) == 2 and self.ndim >= 2:
            return shaping.swapaxes(self, a=dims[0], b=dims[1])
        return shaping.permute(self, dims=tuple(dims) or tuple(range(self.ndim))[::-1])

    def swapaxes(self, axis0: int, axis1: int) -> "Tensor":
        return shaping.swapaxes(self, a=axis0, b=axis1)

    def swapdims(self, dim0: int, dim1: int) -> "Tensor":
        return shaping.swapaxes(self, a=dim0, b=dim1)

    @listed
    def permute(self, *dims: Any) -> "Tensor":
        """The axes in another order: axis i of the result is axis dims[i]."""
        return shaping.permute(self, dims=sizes(dims))

    def moveaxis(self, source: Any, destination: Any) -> "Tensor":
        """Axes moved to other places, the rest in the order they had."""
        here, there = (axes_at("moveaxis", axes, self.shape) for axes in (source, destination))
        if len(here) != len(there):
            raise ValueError(f"moveaxis was asked to move axes {source} to places {destination}; give one for each")
        order = [i for i in range(self.ndim) if i not in here]
        for place, axis in sorted(zip(there, here)):
            order.insert(place, axis)
        return shaping.permute(self, dims=tuple(order))

    movedim = moveaxis

    def t(self) -> "Tensor":
        """A matrix transposed; a vector as it is."""
        if self.ndim > 2:
            raise ValueError(f"t() needs at most 2 axes, but the shape is {self.shape}; use .mT or .transpose(a, b)")
        return self.transpose()

    @property
    def mT(self) -> "Tensor":
        return shaping.swapaxes(self, a=-1, b=-2)

    @property
    def T(self) -> "Tensor":
        return self.transpose()

    # ---- order of entries
    @listed
    def flip(self, *dims: Any) -> "Tensor":
        """The order along these axes reversed."""
        return shaping.flip(self, axis=axes_at("flip", sizes(dims), self.shape))

    def roll(self, shifts: Any, dims: Any = None) -> "Tensor":
        """Entries moved by `shifts` along `dims`, round the end; without `dims` in memory order."""
        if dims is None:
            return self.reshape(-1).roll(shifts, 0).reshape(self.shape)
        shift, axis = one_or_several("roll", None, shifts=shifts), one_or_several("roll", None, dims=dims)
        if len(shift) != len(axis):
            raise ValueError(f"roll was given shifts {shifts} for axes {dims}; give one for each")
        return shaping.roll(self, shift=shift, axis=axis)

    # ---- copies of entries
    @listed
    def broadcast_to(self, *size: Any) -> "Tensor":
        return shaping.broadcast_to(self, shape=sizes(size))

    def expand(self, *shape: Any) -> "Tensor":
        """Repeated along axes of size 1 up to `shape`, where -1 keeps a size."""
        wide = sizes(shape)
        new = len(wide) - self.ndim
        if new < 0 or -1 in wide[:new]:
            raise ValueError(
                f"expand was asked for {wide} of shape {self.shape}; give a size for each axis, new axes first"
            )
        own = (1,) * new + self.shape
        return shaping.broadcast_to(self, shape=tuple(o if n == -1 else n for n, o in zip(wide, own)))

    def repeat(self, *repeats: Any) -> "Tensor":
        """Copies side by side, so many along each axis; axes that are lacking are put in front."""
        reps = sizes(repeats)
        lead = len(reps) - self.ndim
        if lead < 0 or any(n < 0 for n in reps):
            raise ValueError(f"repeat was given {reps} for shape {self.shape}; give a number of copies for each axis")
        return shaping.tile(self.reshape((1,) * lead + self.shape) if lead else self, reps=tuple(reps))

    @listed
    def tile(self, *dims: Any) -> "Tensor":
        """As `repeat`, where numbers that are lacking are 1."""
        reps = sizes(dims)
        return self.repeat((1,) * (self.ndim - len(reps)) + tuple(reps))

    @either_name
    def repeat_interleave(self, repeats: Any, dim: int | None = None) -> "Tensor":
        """Each entry along an axis (without `dim`, in memory order) so many times: one number, or one for each."""
        x: Any = self.reshape(-1) if dim is None else self
        at = axis_at("repeat_interleave", dim or 0, x.shape)
        times = np.asarray(repeats)
        if not times.ndim:
            whole("repeat_interleave", 0, repeats=times.item())
            wide = x.unsqueeze(at + 1).expand(*x.shape[: at + 1], int(times), *x.shape[at + 1 :])
            return wide.flatten(at, at + 1)
        if times.shape != (x.shape[at],):
            raise ValueError(f"repeat_interleave was given {times.size} numbers for an axis of {x.shape[at]} entries")
        for n in times.tolist():
            whole("repeat_interleave", 0, repeats=n)
        return x.index_select(at, np.repeat(np.arange(x.shape[at]), times.astype(np.int64)).tolist())

    # ---- pieces
    @either_name
    def split(self, split_size: Any, dim: int = 0) -> "tuple[Tensor, ...]":
        """Pieces along one axis: of one size (the last may be smaller), or of the sizes listed."""
        at = axis_at("split", dim, self.shape)
        n = self.shape[at]
        if np.ndim(split_size) == 0:
            if not is_whole(split_size) or split_size < (n > 0):
                raise ValueError(f"split into pieces of {split_size} was asked for, but axis {dim} has {n} entries")
            size = max(1, int(split_size))
            split_size = [size] * (n // size) + [n % size] * (n % size > 0) or [0]
        if not all(map(is_whole, split_size)) or sum(split_size) != n or min(split_size, default=0) < 0:
            raise ValueError(f"split into sizes {list(split_size)} was asked for, but axis {dim} has {n} entries")
        ends = np.cumsum(split_size).tolist()
        lead = (slice(None),) * at
        return tuple(self[(*lead, slice(end - size, end))] for size, end in zip(split_size, ends))

    @either_name
    def chunk(self, chunks: int, dim: int = 0) -> "tuple[Tensor, ...]":
        """At most `chunks` pieces along one axis, all of one size but the last."""
        positive("chunk", chunks=chunks)
        n = index(self.shape[axis_at("chunk", dim, self.shape)])
        return self.split(-(-n // chunks) if n else [0] * chunks, dim)

    @either_name
    def unbind(self, dim: int = 0) -> "tuple[Tensor, ...]":
        """The entries along one axis, which is then gone."""
        at = axis_at("unbind", dim, self.shape)
        return tuple(self[(*(slice(None),) * at, i)] for i in range(self.shape[at]))

    # ---- diagonals
    def tril(self, diagonal: int = 0) -> "Tensor":
        """The lower triangles of the last two axes: 0 above the diagonal."""
        return diagonals.tril(self, k=diagonal)

    def triu(self, diagonal: int = 0) -> "Tensor":
        """The upper triangles of the last two axes: 0 below the diagonal."""
        return diagonals.triu(self, k=diagonal)

    def diagonal(self, offset: int = 0, dim1: int = 0, dim2: int = 1) -> "Tensor":
        """The entries whose place on `dim2` is their place on `dim1` + offset, along a new last axis."""
        return diagonals.diagonal(self, offset=offset, axis1=dim1, axis2=dim2)

    def diag(self, diagonal: int = 0) -> "Tensor":
        """A matrix's diagonal, or the matrix of zeros with this diagonal."""
        if self.ndim == 1:
            n = self.shape[0] + abs(diagonal)
            return diagonals.put_diagonal(self, shape=(n, n), offset=diagonal)
        if self.ndim != 2:
            raise ValueError(f"diag needs a vector or a matrix, but the shape is {self.shape}; use .diagonal")
        return diagonals.diagonal(self, offset=diagonal)
