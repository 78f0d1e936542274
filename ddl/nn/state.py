"""Values into a model by path: all that fit, or none and a sentence that lists what does not."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Spec, device_of, is_array, to_device
from ..core import Tensor


class Unmatched(NamedTuple):
    """The paths on which a state and a model differ: both lists are empty where all was loaded."""

    missing_keys: list[str]
    unexpected_keys: list[str]


def load(who: str, own: dict[str, Tensor], state: Any, strict: bool) -> Unmatched:
    """Copy the values of `state` into the tensors `own` of the module named `who`, by path."""
    if not isinstance(state, Mapping):
        raise TypeError(
            f"load_state_dict takes a dict of tensors by path, but {type(state).__name__} was given; "
            "read a file with ddl.load"
        )
    arrays = {path: _array(path, value) for path, value in state.items()}
    shared = [path for path in own if path in arrays]
    unmatched = Unmatched([p for p in own if p not in arrays], [p for p in arrays if p not in own])
    faults = {
        "missing": unmatched.missing_keys if strict else [],
        "unexpected": unmatched.unexpected_keys if strict else [],
        "of another shape": [
            f"{p} {tuple(arrays[p].shape)} where {own[p].shape} is wanted"
            for p in shared
            if tuple(arrays[p].shape) != own[p].shape
        ],
        "made under shapes_only, without values": [p for p in shared if isinstance(own[p].data, Spec)],
    }
    if any(faults.values()):
        told = "; ".join(f"{kind}: {listed(found)}" for kind, found in faults.items() if found)
        raise ValueError(f"the state does not fit {who}: {told}")
    for path in shared:
        own[path].detach().write(..., to_device(arrays[path], device_of(own[path].data)))
    return unmatched


def _array(path: str, value: Any) -> Any:
    data = value.data if isinstance(value, Tensor) else value
    data = data if is_array(data) or isinstance(data, Spec) else np.asarray(data)
    if data.dtype.kind not in "biuf":
        raise TypeError(f"a state is made of numbers, but {path} is {data.dtype}")
    return data


def listed(found: Sequence[str], most: int = 8) -> str:
    """The first few with commas, and how many more there are."""
    return ", ".join(found[:most]) + (f" and {len(found) - most} more" if len(found) > most else "")
