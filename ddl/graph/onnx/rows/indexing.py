"""Indexing: a part of an array, and values written into one."""

import math
from dataclasses import replace

import numpy as np

from ....sizes import named
from ....spec import Spec
from ..refusals import NUMBERS, TENSORS, refuse
from ..writer import INT
from .shaping import END, transposed
from .table import ROWS, row


@row("getitem")
def _(w, out, x, *, index):
    """Slices first, then all ids at once, then new axes."""
    parts = laid_out(w, out, index, x.ndim)
    of_axes = [p for p in parts if p is not None and p is not Ellipsis]
    x = sliced(w, x, {axis: p for axis, p in enumerate(of_axes) if isinstance(p, slice)})
    picked = {axis: p for axis, p in enumerate(of_axes) if not isinstance(p, slice)}
    if picked:
        x = gathered(w, x, picked)
    order, new = result_axes(parts, picked)
    x = transposed(w, x, order)
    return w.op("Unsqueeze", x, w.axes(*new), shape=out.shape) if new else x._replace(shape=out.shape)


def laid_out(w, out, index, ndim):
    """The index, a part for each axis of x: a slice, or ids; None for a new one, and Ellipsis where it is for none."""
    parts = []
    for part in parts_of(index):
        if isinstance(part, Spec) or named(part):
            refuse(out, w.scope, " by ids whose values are not known", TENSORS)
        if part is None or part is Ellipsis or isinstance(part, slice):
            parts.append(part)
        else:
            ids = np.asarray(part.get() if hasattr(part, "get") else part)
            parts += np.nonzero(ids) if ids.dtype == bool else [ids.astype(INT)]
    at = next((i for i, p in enumerate(parts) if p is Ellipsis), len(parts))
    spoken = sum(p is not None and p is not Ellipsis for p in parts)
    parts[at : at + 1] = [slice(None)] * (ndim - spoken) or parts[at : at + 1]
    return parts


def sliced(w, x, slices):
    """x with slices taken of some axes."""
    slices = {axis: bounds(x.shape[axis], s) for axis, s in slices.items() if s != slice(None)}
    if not slices:
        return x
    starts, stops, steps = zip(*slices.values())
    return w.op("Slice", x, w.shape(starts), w.shape(stops), w.axes(*slices), w.axes(*steps), shape=x.shape)


def bounds(n, s):
    """A slice of n entries as ONNX takes it, which knows no end before the first entry but one far before it."""
    if any(map(named, (n, s.start, s.stop))):
        forward = (s.step or 1) > 0
        start = (0 if forward else -1) if s.start is None else s.start
        return start, (END if forward else -END) if s.stop is None else s.stop, s.step or 1
    start, stop, step = s.indices(n)
    return (start, stop if stop >= 0 else -END, step) if range(start, stop, step) else (0, 0, 1)


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
    places = [i for i, p in enumerate(parts) if isinstance(p, np.ndarray)]
    side_by_side = not places or places[-1] - places[0] == len(places) - 1
    layout = [] if side_by_side else list(block)
    for i, part in enumerate(parts):
        if part is None or isinstance(part, slice):
            layout.append("new" if part is None else "slice")
        elif side_by_side and places[:1] == [i]:
            layout += block
    wanted = [kind for kind in layout if kind != "new"]
    given = sorted(wanted) if len(picked) > 1 else wanted  # ids come before slices
    left = {kind: iter([i for i, k in enumerate(given) if k == kind]) for kind in given}
    return [next(left[kind]) for kind in wanted], [i for i, kind in enumerate(layout) if kind == "new"]


# ---- written into zeros, and over others
@row("setitem")
def _(w, out, g, *, index, shape):
    at = places(w, out, index)
    g = w.op("Expand", g, w.shape(at.shape), shape=at.shape)
    return scattered(w, out, w.filled(0, (math.prod(out.shape),), out.dtype), at, g, reduction="add")


@row("assign")
def _(w, out, x, v, *, index):
    at = places(w, out, index)
    v = w.op("Expand", w.cast(v, out.dtype), w.shape(at.shape), shape=at.shape)
    flat = w.reshape(w.cast(x, out.dtype), (math.prod(out.shape),))
    return scattered(w, out, flat, at, v)


def places(w, out, index):
    """Where, counted in memory order, an index points: as numbers where all sizes are known, or else as a Value."""
    if not any(map(named, out.shape)):
        if any(isinstance(part, Spec) for part in parts_of(index)):
            refuse(out, w.scope, " by ids whose values are not known", TENSORS)
        known = tuple(part.get() if hasattr(part, "get") else part for part in parts_of(index))
        return np.asarray(np.arange(math.prod(out.shape)).reshape(out.shape)[known])
    if out.op == "assign" and any(isinstance(part, list) or hasattr(part, "dtype") for part in parts_of(index)):
        refuse(out, w.scope, f" by ids in a shape with names, {out.shape}", NUMBERS)
    every = w.reshape(w.arange(math.prod(out.shape)), out.shape)
    picked = replace(out, shape=Spec(out.shape, INT)[index].shape)
    return ROWS["getitem"](w, picked, every, index=index)


def parts_of(index):
    return index if isinstance(index, tuple) else (index,)


def scattered(w, out, flat, at, values, **how):
    """Values put at places of an array in one line; of several for one place the last, where they do not add up."""
    if isinstance(at, np.ndarray):
        at = at.reshape(-1)
        values = w.reshape(values, (at.size,))
        if not how and at.size:
            _, last = np.unique(at[::-1], return_index=True)
            last = np.sort(at.size - 1 - last)
            if last.size < at.size:
                values = w.op("Gather", values, w.constant(last, "last"), axis=0, shape=last.shape)
                at = at[last]
        at = w.constant(at, "places")
    else:
        line = (math.prod(at.shape),)
        at, values = w.reshape(at, line), w.reshape(values, line)
    flat = w.op("ScatterElements", flat, at, values, axis=0, shape=flat.shape, **how)
    return w.reshape(flat, out.shape)
