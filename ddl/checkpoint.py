"""Saving and loading: safetensors files, written whole or not at all, with everything that an exact resume needs."""

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from . import random
from .arrays import to_device
from .core import Tensor
from .nn import Module

FORMAT = "ddl-checkpoint-1"


def save(state: "Module | dict[str, Any]", path: str | Path, metadata: dict[str, Any] | None = None) -> None:
    """Write a module's parameters, or a dict of tensors, as one safetensors file; `metadata` is plain data beside them.

    The file appears whole, in place of an older one, or not at all: it is written under another name and then renamed.
    """
    from safetensors.numpy import save as to_bytes

    tensors = state.state_dict() if isinstance(state, Module) else state
    arrays = {
        name: to_device(t.data if isinstance(t, Tensor) else t, "cpu").copy(order="C") for name, t in tensors.items()
    }
    written = to_bytes(arrays, {"ddl": json.dumps(metadata or {})})
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(written)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise


def load(path: str | Path) -> dict[str, Tensor]:
    """The tensors of a safetensors file, by name."""
    return {name: Tensor(array) for name, array in _read(path)[0].items()}


def load_metadata(path: str | Path) -> dict[str, Any]:
    """The plain data that `save` put beside the tensors; empty for a file that something else wrote."""
    return json.loads(_read(path)[1].get("ddl", "{}"))


def _read(path: str | Path) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    from safetensors import SafetensorError, safe_open

    if not Path(path).is_file():
        raise FileNotFoundError(f"{path} was to be loaded, but there is no such file")
    try:
        with safe_open(path, "np") as file:
            return {name: file.get_tensor(name) for name in file.keys()}, file.metadata() or {}  # noqa: SIM118
    except SafetensorError as error:
        raise ValueError(f"{path} was to be loaded, but it is not a whole safetensors file ({error})") from None


def save_checkpoint(
    path: str | Path, step: int, model: Module, optimizer: Any, schedule: Any = None, loader: Any = None, **extra: Any
) -> None:
    """All that a run is at `step`: parameters, optimizer, schedule, place in the data, random streams, and `extra`."""
    state = optimizer.state_dict()
    tensors: dict[str, Any] = {f"model.{name}": t for name, t in model.state_dict().items()}
    scalars: dict[str, dict[str, Any]] = {}
    for number, kept in state.pop("state").items():
        for key, value in kept.items():
            if hasattr(value, "shape"):
                tensors[f"optimizer.{number}.{key}"] = value
            else:
                scalars.setdefault(str(number), {})[key] = value
    metadata = {
        "format": FORMAT,
        "step": step,
        "optimizer": {**state, "scalars": scalars},
        "random": random.get_state(),
        "extra": extra,
    }
    for name, part in (("schedule", schedule), ("loader", loader)):
        if part is not None:
            metadata[name] = part.state_dict()
    save(tensors, path, metadata)


def load_checkpoint(
    path: str | Path, model: Module, optimizer: Any, schedule: Any = None, loader: Any = None
) -> tuple[int, dict[str, Any]]:
    """Put a run back where `save_checkpoint` saw it: (step, extra). Nothing changes if the checkpoint does not fit."""
    arrays, raw = _read(path)
    metadata = json.loads(raw.get("ddl", "{}"))
    if metadata.get("format") != FORMAT:
        raise ValueError(
            f"{path} was to be resumed from, but it is no checkpoint of ddl.train; load weights alone with ddl.load"
        )
    saved = metadata["optimizer"]
    state: dict[str, dict[str, Any]] = {number: dict(scalars) for number, scalars in saved.pop("scalars").items()}
    for name, array in arrays.items():
        if name.startswith("optimizer."):
            _, number, key = name.split(".")
            state.setdefault(number, {})[key] = array
    optimizer_before = optimizer.state_dict()
    optimizer.load_state_dict({**saved, "state": state})
    try:
        if loader is not None and "loader" in metadata:
            loader.load_state_dict(metadata["loader"])
        model.load_state_dict(
            {name.removeprefix("model."): a for name, a in arrays.items() if name.startswith("model.")}
        )
    except Exception:
        optimizer.load_state_dict(optimizer_before)
        raise
    if schedule is not None and "schedule" in metadata:
        schedule.load_state_dict(metadata["schedule"])
    random.set_state(metadata["random"])
    return metadata["step"], metadata["extra"]


def newest(folder: str | Path) -> Path | None:
    """The checkpoint of the highest step in a folder (`step-10` is newer than `step-9`), or None."""
    found = {
        int(p.stem.removeprefix("step-")): p for p in Path(folder).glob("step-*.safetensors") if p.stem[5:].isdigit()
    }
    return found[max(found)] if found else None
