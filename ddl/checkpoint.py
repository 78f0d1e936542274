"""Saving and loading: safetensors files, written whole or not at all, with everything that an exact resume needs."""

import json
import operator
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from . import random
from .arrays import device_of, is_array, to_device
from .core import Tensor
from .files import write_whole
from .nn import Module

FORMAT = "ddl-checkpoint-1"
NUMPYS = {"BOOL", "U8", "I8", "U16", "I16", "U32", "I32", "U64", "I64", "F16", "F32", "F64"}  # of safetensors' dtypes


def save(state: "Module | Mapping[str, Any]", path: str | Path, metadata: dict[str, Any] | None = None) -> None:
    """Write a module's state, or a dict of tensors, as one safetensors file; `metadata` is plain data beside them.

    The file appears whole, in place of an older one, or not at all. A parameter that is used twice is written once, by
    its first name.
    """
    from safetensors.numpy import save as to_bytes

    if not isinstance(state, (Module, Mapping)):
        given = "a tensor" if isinstance(state, Tensor) else type(state).__name__
        raise TypeError(
            f"save takes a module, or a dict of tensors by name, but {given} was given; "
            "write ddl.save({'name': tensor}, path)"
        )
    tensors = state.state_dict() if isinstance(state, Module) else state
    arrays = {name: _in_order(name, t) for name, t in tensors.items()}
    write_whole(path, to_bytes(arrays, {"ddl": json.dumps(metadata or {}, default=_plain)}))


def load(path: str | Path) -> dict[str, Tensor]:
    """The tensors of a safetensors file, by name."""
    return {name: Tensor(array) for name, array in _read(path)[0].items()}


def load_metadata(path: str | Path) -> dict[str, Any]:
    """The plain data that `save` put beside the tensors; empty for a file that something else wrote."""
    return _read(path, tensors=False)[1]


def _in_order(name: Any, value: Any) -> np.ndarray:
    """The array behind a tensor, on the CPU and in C order, which safetensors takes for granted."""
    array = value.data if isinstance(value, Tensor) else np.asarray(value) if isinstance(value, np.generic) else value
    known = is_array(array) and device_of(array) != "spec" and array.dtype.kind in "biuf"
    if not known or not isinstance(name, str):
        what = f"{array.dtype} {type(array).__name__}" if hasattr(array, "dtype") else type(array).__name__
        raise TypeError(f"save writes tensors and arrays of numbers by name, but {what} was given as {name!r}")
    if name == "__metadata__":
        raise ValueError(
            f"a tensor was to be saved as {name!r}, a name that safetensors keeps for itself; give another"
        )
    return np.asarray(to_device(array, "cpu"), order="C")


def _plain(value: Any) -> Any:
    """What JSON holds for one of numpy's numbers."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"metadata beside tensors is plain data, as JSON holds it, but {type(value).__name__} was given")


def _read(path: str | Path, tensors: bool = True) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    from safetensors import SafetensorError, safe_open

    if not Path(path).is_file():
        what = "that is a folder; give one of its files" if Path(path).is_dir() else "there is no such file"
        raise FileNotFoundError(f"{path} was to be loaded, but {what}")
    try:
        with safe_open(path, "np") as file:
            names = list(file.keys()) if tensors else []
            foreign = {name: dtype for name in names if (dtype := file.get_slice(name).get_dtype()) not in NUMPYS}
            if foreign:
                name, dtype = next(iter(foreign.items()))
                raise TypeError(
                    f"{path} was to be loaded, but {name} is {dtype}, which numpy does not have; "
                    "convert it to float32 with the library that wrote it"
                )
            said = (file.metadata() or {}).get("ddl", "{}")
            arrays = {name: file.get_tensor(name) for name in names}
    except SafetensorError as error:
        raise ValueError(f"{path} was to be loaded, but it is not a whole safetensors file ({error})") from None
    try:
        return arrays, json.loads(said)
    except ValueError as error:
        raise ValueError(
            f"{path} was to be loaded, but its metadata are not those that ddl.save writes ({error})"
        ) from None


def save_checkpoint(
    path: str | Path,
    step: int,
    model: Module,
    optimizer: Any,
    history: list[dict[str, Any]] | None = None,
    **parts: Any,
) -> None:
    """All that a run is at `step`: model, optimizer, random streams, history, and other parts that have a state_dict.

    Such a state is plain data, and dicts of arrays; a part may be None.
    """
    state = optimizer.state_dict()
    tensors: dict[str, Any] = {f"model.{name}": t for name, t in model.state_dict().items()}
    scalars: dict[str, dict[str, Any]] = {}
    for number, kept in state.pop("state").items():
        for key, value in kept.items():
            if hasattr(value, "shape"):
                tensors[f"optimizer.{number}.{key}"] = value
            else:
                scalars.setdefault(str(number), {})[key] = value
    said = json.dumps(history or [], default=_plain).encode()
    tensors["history"] = np.frombuffer(said, np.uint8)  # it grows with the run, and metadata may not grow for ever
    metadata: dict[str, Any] = {
        "format": FORMAT,
        "kinds": _kinds(optimizer=optimizer, **parts),
        "step": step,
        "optimizer": {**state, "scalars": scalars},
        "random": random.get_state(),
    }
    for name, part in _there(parts):
        metadata[name] = {}
        for key, value in part.state_dict().items():
            arrays = isinstance(value, dict) and all(map(is_array, value.values()))
            tensors |= {f"{name}.{key}.{path}": array for path, array in value.items()} if arrays else {}
            metadata[name][key] = {} if arrays else value
    save(tensors, path, metadata)


def load_checkpoint(path: str | Path, model: Module, optimizer: Any, **parts: Any) -> tuple[int, list[dict[str, Any]]]:
    """Put a run back where `save_checkpoint` saw it: (step, history). Nothing changes if the checkpoint does not fit.

    The optimizer's options, learning rate included, become the checkpoint's too.
    """
    arrays, metadata = _read(path)
    if not isinstance(metadata, dict) or metadata.get("format") != FORMAT:
        raise ValueError(
            f"{path} was to be resumed from, but it is no checkpoint of a run; load weights alone with ddl.load"
        )
    with _all_or_nothing(path, model, optimizer, *parts.values()):
        step, history = operator.index(metadata["step"]), json.loads(arrays["history"].tobytes())
        was, here = metadata["kinds"], _kinds(optimizer=optimizer, **parts)
        other = [f"{name} {was[name]} where this run has {here[name]}" for name in here if was[name] != here[name]]
        if other:
            raise ValueError(f"it is of a run with {' and '.join(other)}")
        saved = metadata["optimizer"]
        state: dict[str, dict[str, Any]] = {number: dict(scalars) for number, scalars in saved.pop("scalars").items()}
        for name, array in arrays.items():
            if name.startswith("optimizer."):
                _, number, key = name.split(".", 2)
                state.setdefault(number, {})[key] = array
        _load_model(model, {n.removeprefix("model."): a for n, a in arrays.items() if n.startswith("model.")})
        optimizer.load_state_dict({**saved, "state": state})
        for name, part in _there(parts):
            for full in [full for full in arrays if full.startswith(f"{name}.")]:
                _, key, path_in = full.split(".", 2)
                metadata[name][key][path_in] = arrays[full]
            part.load_state_dict(metadata[name])
        random.set_state(metadata["random"])
    return step, history


def _there(parts: dict[str, Any]) -> list[tuple[str, Any]]:
    return [(name, part) for name, part in parts.items() if part is not None]


def _kinds(**parts: Any) -> dict[str, str]:
    return {name: "none" if part is None else type(part).__name__ for name, part in parts.items()}


def _load_model(model: Module, arrays: dict[str, np.ndarray]) -> None:
    """Parameters and buffers, whose dtype must be the same too: a rounded value would start another run."""
    for name, t in model.state_dict().items():
        if name in arrays and arrays[name].dtype != t.dtype:
            raise ValueError(f"{name} is {arrays[name].dtype} there and {t.dtype} here")
    model.load_state_dict(arrays)


@contextmanager
def _all_or_nothing(path: str | Path, model: Module, optimizer: Any, *others: Any) -> Iterator[None]:
    """If the block fails, a run's parts and the random streams are put back as they were."""
    parts = [part for part in (optimizer, *others) if part is not None]
    attributes = [dict(vars(part)) for part in parts]
    groups = [dict(group) for group in optimizer.param_groups]
    values = {name: t.data.copy() for name, t in model.state_dict().items()}
    streams = random.get_state()
    try:
        yield
    except BaseException as error:
        model.load_state_dict(values)
        for now, before in zip([*map(vars, parts), *optimizer.param_groups], [*attributes, *groups]):
            now.clear()
            now.update(before)
        random.set_state(streams)
        if isinstance(error, Exception):
            what = f"{error} is missing" if isinstance(error, KeyError) else error
            raise ValueError(f"{path} was to be resumed from, but it does not fit this run: {what}") from error
        raise


def checkpoints(folder: str | Path) -> dict[int, Path]:
    """The checkpoints of a folder by their step, the oldest first: step-9 comes before step-10."""
    named = ((re.fullmatch(r"step-([0-9]+)\.safetensors", p.name), p) for p in Path(folder).glob("step-*.safetensors"))
    return dict(sorted((int(match[1]), path) for match, path in named if match and path.is_file()))


def newest(folder: str | Path) -> Path | None:
    """The checkpoint of the highest step in a folder, or None."""
    return next(reversed(checkpoints(folder).values()), None)
