"""Which module computes: numpy on the CPU, cupy on the GPU, `shapes` on arrays without values.

Data decides where an op runs. Nothing here imports cupy until a GPU is asked for.
"""

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from .spec import Spec, shapes

FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)

_MODULES: dict[type, Any] = {np.ndarray: np, Spec: shapes}


def module_of(*arrays: Any) -> Any:
    """The module whose functions compute on `arrays`: one dict look-up each, by exact type."""
    for x in arrays:
        module = _MODULES.get(type(x)) or _learn(x)
        if module is not np:
            return module
    return np


def _learn(x: Any) -> Any:
    if hasattr(x, "requires_grad"):
        raise TypeError(
            "a tensor was found where its array belongs: the data of a tensor is an array; write x.data = t.data.copy()"
        )
    return _cupy_of(x) or np  # Python numbers, numpy's scalars, lists


def _cupy_of(x: Any) -> Any:
    """CuPy, if x is one of its arrays."""
    cupy = sys.modules.get("cupy")  # not imported here: if it is not loaded, `x` is not cupy's
    if cupy is not None and isinstance(x, cupy.ndarray):
        _MODULES[type(x)] = cupy
        return cupy
    return None


def is_array(x: Any) -> bool:
    return type(x) in _MODULES or isinstance(x, np.ndarray) or _cupy_of(x) is not None


def boxed(x: Any) -> Any:
    """An array: numpy gives its 0-d results as scalars, which cannot be written to."""
    return np.asarray(x) if isinstance(x, np.generic) else x


def device_of(x: Any) -> str:
    """ "cpu", "gpu", or "spec" for an array without values."""
    module = module_of(x)
    return "cpu" if module is np else "spec" if module is shapes else "gpu"


def module_for(device: str | None) -> Any:
    """The module that makes arrays on a device: "cpu" (also None) or "gpu" (also "cuda")."""
    if device in (None, "cpu"):
        return np
    if device not in ("gpu", "cuda"):
        raise ValueError(f"device {device!r} was asked for, but the devices are 'cpu' and 'gpu'")
    try:
        import cupy

        cupy.cuda.runtime.getDeviceCount()
    except Exception as error:
        raise RuntimeError(
            f"device {device!r} was asked for, but no GPU can be used here ({error}); use 'cpu'"
        ) from error
    return cupy


def to_device(x: Any, device: str) -> Any:
    """The same values on another device; no copy where they already are."""
    xp = module_for(device)
    if module_of(x) is xp or isinstance(x, Spec):
        return x
    return x.get() if xp is np else xp.asarray(x)


def put_beside(array: Any, tensor: Any) -> Any:
    """An array made here, on the device of a tensor; beside one of shapes alone, or none at all, on the CPU."""
    return to_device(array, "gpu" if tensor is not None and tensor.device == "gpu" else "cpu")


def as_array(value: Any, dtype: Any = None, device: str | None = None) -> Any:
    """A new array of `value`: Python floats and lists of them become float32, ints int64; arrays keep their dtype."""
    if isinstance(value, Spec):
        return value
    if is_array(value):
        array = (
            value.astype(dtype or value.dtype, subok=False)
            if isinstance(value, np.ndarray)
            else value.astype(dtype or value.dtype)
        )
    else:
        try:
            array = np.array(value)
        except ValueError as error:
            raise ValueError(
                f"a tensor needs rows of equal length, but rows of different lengths were given ({error})"
            ) from None
        plain = not hasattr(value, "dtype") and array.dtype == np.float64
        array = array.astype(dtype or (np.float32 if plain else array.dtype))
    if array.dtype.kind not in "biuf":
        raise TypeError(f"a tensor holds numbers or booleans, but {_odd(array)} given")
    return to_device(array, device) if device else array


def _odd(array: Any) -> str:
    """What an array holds that is neither a number nor a boolean."""
    for x in array.reshape(-1) if array.dtype == object else ():
        if isinstance(x, int) and not -(2**63) <= x < 2**64:
            return f"{x}, which has more than 64 bits, was"
        if not isinstance(x, (int, float)):
            return f"a value of type {type(x).__name__} was"
    return f"values of dtype {array.dtype} were"


# ---- inputs of ops
def plain(x: Any) -> Any:
    """An input that is no tensor: numpy's scalars become Python's, so that float32 stays; lists, arrays."""
    if type(x) is float or type(x) is int:
        return x
    if isinstance(x, np.generic) or (isinstance(x, np.ndarray) and not x.ndim and x.dtype.kind == "f"):
        return x.item()
    if isinstance(x, (list, tuple)):
        return as_array(x)
    if hasattr(x, "backward"):
        raise TypeError(f"a tensor was to be combined with {x!r}, which has a graph of its own; give its number: .data")
    return x


def narrowed(data: Sequence[Any]) -> list | None:
    """Inputs with which float32 beside integers stays float32, as in PyTorch: numpy alone makes float64 of the two.

    None where the result is float64 for a better reason.
    """
    dtypes = [x.dtype for x in data if hasattr(x, "dtype")]
    if FLOAT64 in dtypes or FLOAT32 not in dtypes or not any(d.kind in "iu" for d in dtypes):
        return None
    return [x.astype(FLOAT32) if hasattr(x, "dtype") and x.dtype.kind in "iu" else x for x in data]


def as_real(x: Any) -> Any:
    """x, its integers and booleans as float64: differences, squares and exponentials may not fit among them."""
    return x.astype(FLOAT64) if hasattr(x, "dtype") and x.dtype.kind in "biu" else x


def described(x: Any) -> str:
    return f"{x.dtype}{list(x.shape)}" if hasattr(x, "shape") else type(x).__name__


# ---- writes in place: who changed which memory, and when

_written: dict[int, int] = {}


def owner(x: Any) -> int:
    """The identity of the memory under `x`, shared by all its views."""
    base = getattr(x, "base", None)
    return id(x if base is None else base)


def mark_written(x: Any, when: int) -> None:
    """Remember that the memory under `x` was changed at tick `when` of the graph's clock.

    An identity is reused only after its memory is gone, and memory that a node keeps is not gone: so a later look-up
    for what a node keeps can never meet another array's mark.
    """
    _written[owner(x)] = when


def written_since(kept: tuple[Any, ...], when: int) -> bool:
    """Whether any array of `kept` was changed in place after tick `when`."""
    for x in kept if _written else ():
        base = getattr(x, "base", None)
        if _written.get(id(x if base is None else base), 0) > when:
            return True
    return False
