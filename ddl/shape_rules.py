"""What becomes of shapes: tuples of sizes, each a number or a named size, in; a tuple out."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .assumptions import at_most
from .sizes import named

Shape = tuple[Any, ...]


def broadcast(*shapes: Sequence[Any]) -> Shape:
    """The shape of all of them together: aligned from the right, where a size of 1 stands for any other."""
    out = [1] * max(map(len, shapes), default=0)
    for shape in shapes:
        for i, n in enumerate(shape, len(out) - len(shape)):
            if out[i] == 1:
                out[i] = n
            elif n not in (1, out[i]):
                together = " ".join(map(written, shapes))
                raise ValueError(f"operands could not be broadcast together with shapes {together}: {out[i]} meets {n}")
    return tuple(out)


def widened(shape: Sequence[Any], wanted: Sequence[Any]) -> Shape:
    """`wanted`, if a `shape` broadcasts to it."""
    if len(shape) > len(wanted) or any(n not in (1, m) for n, m in zip(shape[::-1], wanted[::-1])):
        raise ValueError(f"a shape {written(shape)} was to be broadcast to {written(wanted)}, which it does not fit")
    return tuple(wanted)


def reshaped(shape: Sequence[Any], wanted: Sequence[Any]) -> Shape:
    """`wanted`, with the size for which -1 stands, if it holds as many entries as `shape`."""
    size, rest = math.prod(shape), -math.prod(wanted) if -1 in wanted else 1
    if -1 not in wanted or (rest > 0 and size % rest == 0):
        full = tuple(size // rest if n == -1 else n for n in wanted)
        if math.prod(full) == size:
            return full
    raise ValueError(f"cannot reshape array of size {size} into shape {written(wanted)}")


def permuted(shape: Sequence[Any], axes: Sequence[int]) -> Shape:
    order = np.lib.array_utils.normalize_axis_tuple(axes, len(shape))
    if len(order) != len(shape):
        raise ValueError(
            f"axes {tuple(axes)} were given for a shape {written(shape)}, which needs each of its own once"
        )
    return tuple(shape[i] for i in order)


def indexed(shape: Sequence[Any], index: Any) -> Shape:
    """The shape of x[index], where x has this shape: numpy's rules; arrays in the index are told by their shapes."""
    parts = list(index) if isinstance(index, tuple) else [index]
    named_axes = sum(p is not None and p is not Ellipsis for p in parts)
    if named_axes > len(shape) or sum(p is Ellipsis for p in parts) > 1:
        raise IndexError(f"an index with {named_axes} parts was given for a shape {written(shape)}")
    at = next((i for i, p in enumerate(parts) if p is Ellipsis), len(parts))
    parts[at : at + 1] = [slice(None)] * (len(shape) - named_axes) or parts[at : at + 1]
    shapes = [p.shape if hasattr(p, "shape") else np.shape(p) for p in parts]
    arrays = any(shapes)
    sizes, out, picked = iter(shape), [], []
    for part, its in zip(parts, shapes):
        if part is None:
            out.append(1)
        elif isinstance(part, slice):
            out.append(sliced(next(sizes), part))
        elif part is not Ellipsis:  # one that stands for no axis still keeps arrays on its sides apart
            within(next(sizes), part)
            if arrays:
                picked.append((len(out), its))
    if not picked:
        return tuple(out)
    together = broadcast(*(found for _, found in picked))
    places = [i for i, p in enumerate(parts) if p is not None and p is not Ellipsis and not isinstance(p, slice)]
    side_by_side = places[-1] - places[0] == len(places) - 1
    at = picked[0][0] if side_by_side else 0
    return (*out[:at], *together, *out[at:])


def within(size: Any, part: Any) -> None:
    """Refuse what is no index, and a number that an axis of this size is known not to hold."""
    if not named(part) and (part if hasattr(part, "dtype") else np.asarray(part)).dtype.kind not in "iub":
        raise IndexError(f"an axis of size {size} was indexed by {part}, but an index is an integer")
    if named(part) or (isinstance(part, int) and not isinstance(part, bool)):
        least = part + 1 if part >= 0 else -part
        if at_most(least, size) is not least:
            raise IndexError(f"index {part} is out of bounds for axis of size {size}")


def sliced(size: Any, part: slice) -> Any:
    """How many of `size` entries a slice takes."""
    start, stop, step = part.start, part.stop, part.step or 1
    if not any(map(named, (size, start, stop))):
        return len(range(*part.indices(size)))
    if step < 0:
        if start is not None or stop is not None:
            raise TypeError(f"a slice backwards from {start} to {stop} of a named size {size} is not known")
        return (size - step - 1) // -step
    start, stop = (_place(n, size) for n in (start or 0, size if stop is None else stop))
    return 0 if stop < start else (stop - start + step - 1) // step


def _place(n: Any, size: Any) -> Any:
    """Where in 0 .. size a bound of a slice lies: a negative one counts from the end."""
    if n < 0:
        n = n + size
    return 0 if n < 0 else at_most(n, size)


def written(shape: Sequence[Any]) -> str:
    """A shape as numpy's errors write it, without quotes around names."""
    return f"({','.join(map(str, shape))}{',' if len(shape) == 1 else ''})"
