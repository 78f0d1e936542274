"""Methods that pick entries by ids or by size, and those that put entries in the places of others."""

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...arrays import module_of
from .. import lookup, ordering, selection
from ..lookup import check_ids, ids
from ..operators import Operators
from ..shaping import broadcast_to
from .attach import axis_at, either_name

if TYPE_CHECKING:
    from ...core import Tensor


class Sorted(NamedTuple):
    """Values in order, and where they stood."""

    values: "Tensor"
    indices: "Tensor"


class Selection(Operators):
    """Ids are integers in a tensor, an array or a list, from 0 to the axis's length - 1."""

    # ---- by ids
    @either_name
    def gather(self, dim: int, index: Any) -> "Tensor":
        """The entries that `index` names along one axis, in its shape: out[i, j] = self[index[i, j], j] for dim 0.

        `index` has as many axes, the others no longer than self's.
        """
        return lookup.gather(self, ids(index, self), axis=dim)  # type: ignore[arg-type]

    @either_name
    def take_along_dim(self, indices: Any, dim: int | None = None) -> "Tensor":
        """As `gather`, where the other axes broadcast; without `dim` in memory order."""
        i = ids(indices, self)  # type: ignore[arg-type]
        if dim is None:
            return self.reshape(-1).gather(0, i.reshape(-1))  # type: ignore[attr-defined]
        axis = axis_at("take_along_dim", dim, self.shape)
        if i.ndim != self.ndim:
            raise ValueError(f"take_along_dim was given ids of shape {i.shape} for {self.shape}; give as many axes")
        wide = np.broadcast_shapes(_without(self.shape, axis), _without(i.shape, axis))
        i = broadcast_to(i, shape=(*wide[:axis], i.shape[axis], *wide[axis + 1 :]))
        x = self.broadcast_to(*wide[:axis], self.shape[axis], *wide[axis + 1 :])  # type: ignore[attr-defined]
        return x.gather(axis, i)

    @either_name
    def index_select(self, dim: int, index: Any) -> "Tensor":
        """The entries along one axis that a list of ids names."""
        at, i = axis_at("index_select", dim, self.shape), ids(index, self)  # type: ignore[arg-type]
        if i.ndim > 1:
            raise ValueError(f"index_select takes a list of ids, but ids of shape {i.shape} were given")
        check_ids(i, self.shape[at], of="an axis of {} entries")
        return self[(*(slice(None),) * at, i.reshape(-1))]

    @either_name
    def take(self, index: Any, dim: int | None = None) -> "Tensor":
        """The entries that ids of any shape name in memory order, or along one axis."""
        i = ids(index, self)  # type: ignore[arg-type]
        if dim is None:
            return self.reshape(-1)[i]  # type: ignore[attr-defined]
        return self[(*(slice(None),) * axis_at("take", dim, self.shape), i)]

    def masked_select(self, mask: Any) -> "Tensor":
        """The entries where `mask` is True, in memory order; the two broadcast."""
        shape = np.broadcast_shapes(self.shape, np.shape(mask))
        mask = mask if hasattr(mask, "shape") else np.asarray(mask)
        return self.broadcast_to(shape)[broadcast_to(mask, shape=shape)]  # type: ignore[attr-defined]

    def nonzero(self, as_tuple: bool = False) -> Any:
        """The places of the entries that are not zero: (N, ndim), or a tuple of ids for each axis."""
        at = ordering.nonzero(self)
        return tuple(at[:, d] for d in range(self.ndim)) if as_tuple else at

    # ---- written by ids: each returns a new tensor, with gradients for both self and what is written
    @either_name
    def scatter(self, dim: int, index: Any, src: Any) -> "Tensor":
        """self with src written where `index` says: out[index[i, j], j] = src[i, j] for dim 0; src may be a number.

        Of several values for one place the last stays, and gets the gradient.
        """
        i = ids(index, self)  # type: ignore[arg-type]
        at = lookup.places(module_of(self.data), self.data, i, dim, self.shape).reshape(-1)
        values = src if isinstance(src, (int, float)) else _part(src, i, "scatter").reshape(-1)
        return selection.assign(self.reshape(-1), values, index=at).reshape(self.shape)  # type: ignore[attr-defined]

    @either_name
    def scatter_add(self, dim: int, index: Any, src: Any) -> "Tensor":
        """self with src added where `index` says, out[index[i, j], j] += src[i, j] for dim 0; repeats add up."""
        i = ids(index, self)  # type: ignore[arg-type]
        return self + lookup.add_along(_part(src, i, "scatter_add"), i, axis=dim, shape=self.shape)

    @either_name
    def index_add(self, dim: int, index: Any, source: Any, alpha: float = 1) -> "Tensor":
        """self with the entries of `source` along one axis added at the ids of a list; repeated ids add up."""
        added = source if alpha == 1 else source * alpha
        return self._at_ids("index_add", dim, index, added, accumulate=True)

    @either_name
    def index_copy(self, dim: int, index: Any, source: Any) -> "Tensor":
        """self with the entries of `source` along one axis written at the ids of a list."""
        return self._at_ids("index_copy", dim, index, source, accumulate=False)

    def _at_ids(self, name: str, dim: int, index: Any, source: Any, accumulate: bool) -> "Tensor":
        axis, i = axis_at(name, dim, self.shape), ids(index, self)  # type: ignore[arg-type]
        fits = (*self.shape[:axis], math.prod(i.shape), *self.shape[axis + 1 :])
        if i.ndim > 1 or tuple(source.shape) != fits:
            raise ValueError(
                f"{name} was given ids of shape {i.shape} and a source of shape {tuple(source.shape)} "
                f"for axis {dim} of {self.shape}; give a list of ids, and an entry of the source for each"
            )
        check_ids(i, self.shape[axis], of="an axis of {} entries")
        return self.index_put((*(slice(None),) * axis, i.reshape(-1)), source, accumulate)

    def index_put(self, index: Any, values: Any, accumulate: bool = False) -> "Tensor":
        """What `self[index] = values` would make of self, as a new tensor; with `accumulate`, `+=` that adds up.

        Of several values for one place the last stays, and gets the gradient.
        """
        at = selection.as_index(index, self)
        if accumulate:
            wide = selection.getitem(self.detach(), index=at).shape  # type: ignore[attr-defined]
            return self + selection.setitem(broadcast_to(values, shape=wide), index=at, shape=self.shape)
        return selection.assign(self, values, index=at)

    # ---- by size
    @either_name
    def argsort(self, dim: int = -1, descending: bool = False, stable: bool = True) -> "Tensor":
        """The ids that bring the values along one axis into order; always stable, NaN counts as largest."""
        return ordering.argsort(self, axis=dim, descending=descending)

    @either_name
    def sort(self, dim: int = -1, descending: bool = False, stable: bool = True) -> Sorted:
        """The values along one axis in order, and where they stood; always stable, NaN counts as largest."""
        i = ordering.argsort(self, axis=dim, descending=descending)
        return Sorted(lookup.gather(self, i, axis=dim), i)

    @either_name
    def topk(self, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Sorted:
        """The k largest (or smallest) values along one axis, in order, and where they stood."""
        axis = axis_at("topk", dim, self.shape, least=1)
        n = self.shape[axis] if self.ndim else 1
        if not 0 <= k <= n:
            raise ValueError(f"topk was asked for {k} values, but axis {dim} has {n} entries")
        i = ordering.argsort(self, axis=dim, descending=largest)
        i = i[(*(slice(None),) * axis, slice(0, k))] if self.ndim else i
        return Sorted(lookup.gather(self, i, axis=dim), i)


def _without(shape: tuple, axis: int) -> tuple:
    return (*shape[:axis], 1, *shape[axis + 1 :])


def _part(src: Any, i: Any, name: str) -> Any:
    """The corner of src that has an entry for each id."""
    if src.ndim != i.ndim or any(m > n for m, n in zip(i.shape, src.shape)):
        raise ValueError(
            f"{name} was given ids of shape {i.shape} but values of shape {tuple(src.shape)}, which are fewer"
        )
    return src if src.shape == i.shape else src[tuple(slice(0, n) for n in i.shape)]
