"""An op's settings as JSON: what JSON has stays as it is, all else is a dict with a tag, as {"tuple": [2, 3]}."""

import builtins
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays import is_array, to_device
from ..ops import Slide
from ..sizes import named
from ..spec import Spec
from . import reading
from .reading import DTYPES, list_of, record, wrong


# ---- to JSON
def tagged(x: Any) -> Any:
    """A setting as JSON; TypeError where it is nothing that a file can hold, such as a function."""
    if isinstance(x, np.generic):
        x = x.item()
    if x is None or isinstance(x, (bool, int, str)):
        return x
    if isinstance(x, float):
        return x if math.isfinite(x) else {"float": number(x)}
    if isinstance(x, list):
        return [tagged(part) for part in x]
    if isinstance(x, tuple):
        return {"slide" if isinstance(x, Slide) else "tuple": [tagged(part) for part in x]}
    if isinstance(x, slice):
        return {"slice": [tagged(part) for part in (x.start, x.stop, x.step)]}
    if x is Ellipsis:
        return {"ellipsis": True}
    if named(x):
        return {"size": str(x)}
    if isinstance(x, np.dtype) or (isinstance(x, type) and issubclass(x, (np.generic, bool, int, float))):
        return {"dtype": np.dtype(x).name}
    if isinstance(x, Spec):
        return {"spec": sizes(x.shape), "dtype": x.dtype.name}
    if is_array(x) and x.dtype.name in DTYPES:
        return {"array": numbers(x), "shape": list(x.shape), "dtype": x.dtype.name}
    raise TypeError(f"{type(x).__name__} is nothing that a file can hold")


def number(x: Any) -> Any:
    """A number as JSON, which has no NaN and no infinity."""
    return x if not isinstance(x, float) or math.isfinite(x) else str(x)


def numbers(array: Any) -> Any:
    """An array as a number, or as nested lists of them."""
    array = to_device(array, "cpu")
    whole = array.tolist()
    return whole if array.dtype.kind != "f" or np.isfinite(array).all() else _each(number, whole)


def _each(f: Any, x: Any) -> Any:
    return [_each(f, part) for part in x] if isinstance(x, list) else f(x)


def size(n: Any) -> Any:
    return str(n) if named(n) else int(n)


def sizes(shape: Any) -> list:
    return [size(n) for n in shape]


# ---- from JSON
def untagged(x: Any, where: str) -> Any:
    """The setting of which `tagged` gave x."""
    if isinstance(x, list):
        return list_of(untagged)(x, where)
    if not isinstance(x, dict):
        return x
    for tag, (fields, make) in TAGS.items():
        if tag in x:
            return make(**record(x, where, fields))
    raise wrong(where, f"tagged as one of {', '.join(TAGS)}", x)


def _three(x: Any, where: str) -> list:
    if not isinstance(x, list) or len(x) != 3:
        raise wrong(where, "a list of three", x)
    return list_of(untagged)(x, where)


_as_found = lambda x, where: (x, where)

TAGS: dict[str, tuple[dict[str, Any], Callable[..., Any]]] = {
    "tuple": ({"tuple": list_of(untagged)}, lambda tuple: (*tuple,)),
    "slide": ({"slide": _three}, lambda slide: Slide(*slide)),
    "slice": ({"slice": _three}, lambda slice: builtins.slice(*slice)),
    "ellipsis": ({"ellipsis": _as_found}, lambda ellipsis: ...),
    "size": ({"size": reading.size}, lambda size: size),
    "float": ({"float": reading.number}, lambda float: float),
    "array": (
        {"array": _as_found, "shape": reading.shape, "dtype": reading.dtype},
        lambda array, shape, dtype: reading.array(*array, shape, dtype),
    ),
    "spec": ({"spec": reading.shape, "dtype": reading.dtype}, lambda spec, dtype: Spec(spec, dtype)),
    "dtype": ({"dtype": reading.dtype}, lambda dtype: dtype),
}
