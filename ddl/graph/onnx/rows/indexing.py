"""Indexing: a part of an array, and values written into one."""

import numpy as np

from ....sizes import named
from ....spec import Spec
from ..refusals import NUMBERS, TENSORS, refuse
from ..writer import INT
from .shaping import END, transposed
from .table import row


@row("getitem")
def _(w, out, x, *, index):
    """Slices first, then all ids at once, then new axes."""
    parts, axes = laid_out(w, out, index, x.ndim), []
    picked, slices = {}, {}
    for part in parts:
        if part is not None:
            (slices if isinstance(part, slice) else picked)[len(axes)] = part
            axes.append(len(axes))
    x = sliced(w, x, slices)
    if picked:
        x = gathered(w, x, picked)
    order, new = result_axes(parts, picked)
    x = transposed(w, x, order)
    return w.op("Unsqueeze", x, w.axes(*new), shape=out.shape) if new else x._replace(shape=out.shape)


def laid_out(w, out, index, ndim):
    """The index, a part for each axis of x, and None for each new one: slices, and arrays of ids."""
    parts = []
    for part in index if isinstance(index, tuple) else (index,):
        if isinstance(part, Spec) or named(part):
            refuse(out, w.scope, " by ids whose values are not known", TENSORS)
        if part is None or part is Ellipsis or isinstance(part, slice):
            parts.append(part)
        else:
            ids = np.asarray(part.get() if hasattr(part, "get") else part)
            parts += np.nonzero(ids) if ids.dtype == bool else [ids.astype(INT)]
    at = next((i for i, p in enumerate(parts) if p is Ellipsis), len(parts))
    spoken = sum(p is not None and p is not Ellipsis for p in parts)
    parts[at : at + 1] = [slice(None)] * (ndim - spoken)
    return parts


def sliced(w, x, slices):
    """x with slices taken of some axes."""
    slices = {axis: s for axis, s in slices.items() if s != slice(None)}
    if not slices:
        return x
    steps = [s.step or 1 for s in slices.values()]
    starts = [(0 if step > 0 else -1) if s.start is None else s.start for s, step in zip(slices.values(), steps)]
    stops = [(END if step > 0 else -END) if s.stop is None else s.stop for s, step in zip(slices.values(), steps)]
    return w.op("Slice", x, w.shape(starts), w.shape(stops), w.axes(*slices), w.axes(*steps), shape=x.shape)


def gathered(w, x, picked):
    """x at ids: of one axis in its place, of several in front of the others."""
    ids = np.stack(np.broadcast_arrays(*picked.values()), axis=-1)
    if len(picked) == 1:
        (axis,) = picked
        shape = (*x.shape[:axis], *ids.shape[:-1], *x.shape[axis + 1 :])
        return w.op("Gather", x, w.constant(ids[..., 0], "ids"), axis=axis, shape=shape)
    rest = [a for a in range(x.ndim) if a not in picked]
    x = transposed(w, x, [*picked, *rest])
    return w.op("GatherND", x, w.constant(ids, "ids"), shape=(*ids.shape[:-1], *x.shape[len(picked) :]))


def result_axes(parts, picked):
    """How what `gathered` gave is transposed, and which axes of the result are new.

    numpy puts the axes of ids where the first of them stood, if they stood side by side, and in front otherwise.
    """
    block = ["ids"] * np.broadcast(*picked.values()).ndim if picked else []
    places = [i for i, p in enumerate(parts) if p is not None and not isinstance(p, slice)]
    apart = picked and places[-1] - places[0] >= len(places)
    layout = list(block) if apart else []
    for i, part in enumerate(parts):
        if part is None or isinstance(part, slice):
            layout.append("new" if part is None else "slice")
        elif i == places[0] and not apart:
            layout += block
    given = sorted((k for k in layout if k != "new"), key=lambda k: k != "ids") if len(picked) > 1 else None
    order = in_order([k for k in layout if k != "new"], given)
    return order, [i for i, k in enumerate(layout) if k == "new"]


def in_order(wanted, given):
    """Where each wanted kind of axis lies among the given, first come, first served."""
    if given is None:
        return range(len(wanted))
    left = {kind: iter([i for i, k in enumerate(given) if k == kind]) for kind in set(given)}
    return [next(left[kind]) for kind in wanted]


# ---- written into zeros, and over others
@row("setitem")
def _(w, out, g, *, index, shape):
    at = flat_places(w, out, index)
    g = w.op("Expand", g, w.shape(at.shape), shape=at.shape)
    return scattered(w, out, w.filled(0, (out_size(out),), out.dtype), at.reshape(-1), g, reduction="add")


@row("assign")
def _(w, out, x, v, *, index):
    at = flat_places(w, out, index)
    v = w.op("Expand", w.cast(v, out.dtype), w.shape(at.shape), shape=at.shape)
    return scattered(w, out, w.reshape(w.cast(x, out.dtype), (out_size(out),)), at.reshape(-1), v)


def out_size(out):
    return int(np.prod(out.shape))


def flat_places(w, out, index):
    """Where, counted in memory order, an index of known sizes points."""
    if any(map(named, out.shape)):
        refuse(out, w.scope, f" in a shape with names, {out.shape}", NUMBERS)
    parts = index if isinstance(index, tuple) else (index,)
    if any(isinstance(part, Spec) for part in parts):
        refuse(out, w.scope, " by ids whose values are not known", TENSORS)
    parts = tuple(part.get() if hasattr(part, "get") else part for part in parts)
    return np.asarray(np.arange(out_size(out)).reshape(out.shape)[parts])


def scattered(w, out, flat, at, values, **how):
    """Values put at places of an array in one line; of several for one place the last, where they do not add up."""
    values = w.reshape(values, (at.size,))
    if not how and at.size:
        _, last = np.unique(at[::-1], return_index=True)
        last = np.sort(at.size - 1 - last)
        if last.size < at.size:
            values = w.op("Gather", values, w.constant(last, "last"), axis=0, shape=last.shape)
            at = at[last]
    flat = w.op("ScatterElements", flat, w.constant(at, "places"), values, axis=0, shape=flat.shape, **how)
    return w.reshape(flat, out.shape)
