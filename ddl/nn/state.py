"""Values into a model by path: all that fit, or none and a sentence that lists what does not."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..arrays import Spec, device_of, to_device
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
    arrays = {path: value.data if isinstance(value, Tensor) else value for path, value in state.items()}
    shared = [path for path in own if path in arrays]
    unmatched = Unmatched([p for p in own if p not in arrays], [p for p in arrays if p not in own])
    faults = [
        f"{p} has shape {tuple(arrays[p].shape)}, not {own[p].shape}"
        for p in shared
        if tuple(arrays[p].shape) != own[p].shape
    ]
    if strict:
        faults += [f"{p} is missing" for p in unmatched.missing_keys]
        faults += [f"{p} is unexpected" for p in unmatched.unexpected_keys]
    faults += [f"{p} has no values here (made under shapes_only)" for p in shared if isinstance(own[p].data, Spec)]
    if faults:
        more = f", and {len(faults) - 8} more" if len(faults) > 8 else ""
        raise ValueError(f"the state does not fit {who}: {'; '.join(faults[:8])}{more}")
    for path in shared:
        own[path].detach().write(..., to_device(arrays[path], device_of(own[path].data)))
    return unmatched
