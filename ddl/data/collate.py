"""Many samples become one batch, part by part."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..arrays import is_array, module_of
from ..core import Tensor
from ..creation import cat, full, stack


def collate(samples: Sequence[Any]) -> Any:
    """One batch of many samples: what has a shape is stacked along a new first axis, tuples and dicts part by part.

    Numbers, arrays and lists of numbers give arrays, tensors a tensor; texts stay a list.
    """
    if not len(samples):
        raise ValueError("collate was given no samples; give one or more")
    first = samples[0]
    if isinstance(first, Mapping):
        _agree(samples, lambda s: sorted(s) if isinstance(s, Mapping) else type(s).__name__, "the keys")
        return {key: collate([sample[key] for sample in samples]) for key in first}
    if isinstance(first, tuple):
        _agree(samples, lambda s: len(s) if isinstance(s, tuple) else type(s).__name__, "tuples of")
        return tuple(collate(part) for part in zip(*samples))
    if isinstance(first, (str, bytes)):
        _agree(samples, lambda s: type(s).__name__, "the types")
        return list(samples)
    return _stacked(samples)


def _stacked(samples: Sequence[Any]) -> Any:
    arrays = [s if is_array(s) or isinstance(s, Tensor) else _numbers(s) for s in samples]
    ragged = "the shapes", "make them equal with pad_sequence in a collate_fn of yours, or with transforms.Pad"
    _agree(arrays, lambda a: tuple(a.shape), *ragged)
    return _joiners(arrays[0])[0](arrays)


def _numbers(sample: Any) -> Any:
    """A number, or a list of them, as an array."""
    try:
        array = np.asarray(sample)
    except ValueError:
        raise ValueError(
            "collate was given a list whose rows have different lengths; make them equal with pad_sequence"
        ) from None
    if array.dtype.kind not in "biufc":
        raise TypeError(
            f"collate makes batches of numbers, arrays, tensors, texts, and tuples and dicts of these, but "
            f"{type(sample).__name__} was given; give DataLoader a collate_fn of yours"
        )
    return array


def _agree(samples: Sequence[Any], say: Callable[[Any], Any], what: str, advice: str = "make them alike") -> None:
    """Refuse samples about which `say` says different things."""
    first = say(samples[0])
    for sample in samples:
        if (other := say(sample)) != first:
            raise ValueError(f"collate was given samples of one batch with {what} {first} and {other}; {advice}")


def _joiners(x: Any) -> tuple[Any, Any, Any]:
    """What stacks, joins and fills in the world of `x`."""
    if isinstance(x, Tensor):
        return stack, cat, lambda shape, value, dtype: full(shape, value, dtype, x.device)
    xp = module_of(x)
    return xp.stack, xp.concatenate, xp.full


def rearranged(batches: Sequence[Any], order: Any) -> Any:
    """Several batches as one, whose sample i is sample order[i] of all."""
    first = batches[0]
    if isinstance(first, Mapping):
        return {key: rearranged([batch[key] for batch in batches], order) for key in first}
    if isinstance(first, tuple):
        return tuple(rearranged(parts, order) for parts in zip(*batches))
    if isinstance(first, list):
        together = [sample for batch in batches for sample in batch]
        return [together[i] for i in order]
    return taken(_joiners(first)[1](batches), order)


def taken(x: Any, indices: Any) -> Any:
    """The entries of an array or a tensor at `indices`, along its first axis."""
    return x[module_of(x.data if isinstance(x, Tensor) else x).asarray(indices)]


def main_part(batch: Any) -> Any:
    """Of a batch or a sample the first part, which holds the inputs."""
    if isinstance(batch, Mapping):
        return main_part(next(iter(batch.values())))
    parts = isinstance(batch, tuple) or (isinstance(batch, list) and hasattr(batch[0], "shape"))
    return main_part(batch[0]) if parts else batch


def pad_sequence(sequences: Sequence[Any], batch_first: bool = False, padding_value: float = 0) -> Any:
    """Sequences (T_i, ...) of different lengths as one (T, B, ...), or (B, T, ...) with `batch_first`, filled up."""
    rows = [s if is_array(s) or isinstance(s, Tensor) else _numbers(s) for s in sequences]
    if not rows or any(row.ndim < 1 for row in rows):
        raise ValueError("pad_sequence takes one sequence or more, each with a first axis; give a list of rows")
    _agree(rows, lambda row: tuple(row.shape[1:]), "the shapes past the first axis")
    _check_padding(padding_value, rows[0].dtype)
    longest = max(row.shape[0] for row in rows)
    stacking, joining, filled = _joiners(rows[0])
    gaps = [filled((longest - row.shape[0], *row.shape[1:]), padding_value, row.dtype) for row in rows]
    batch = stacking([joining([row, gap]) for row, gap in zip(rows, gaps)])  # (B, T, ...)
    return batch if batch_first else batch.swapaxes(0, 1)


def _check_padding(value: float, dtype: Any) -> None:
    """Refuse what no integer of this dtype is."""
    if dtype.kind in "iu":
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    elif dtype.kind == "b":
        low, high = 0, 1
    else:
        return
    if not low <= value <= high or value != int(value):
        raise ValueError(f"pad_sequence was given padding_value {value} for sequences of {dtype}, which cannot hold it")
