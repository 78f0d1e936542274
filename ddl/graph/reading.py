"""JSON read strictly: each reader takes what was found and where, and gives the value or says what is wrong there."""

import json
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..sizes import named
from .size_text import read_size

Reader = Callable[[Any, str], Any]

DTYPES = {name: np.dtype(name) for name in "float32 float64 float16 int64 int32 int16 int8 bool".split()}
DTYPES |= {f"u{name}": np.dtype(f"u{name}") for name in DTYPES if name.startswith("int")}
NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
SCHEMA = "ddl.graph/1"


def wrong(where: str, wanted: str, found: Any) -> ValueError:
    shown = repr(found)
    shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
    return ValueError(
        f"{where} of a graph's file must be {wanted}, but is {shown}; correct it, or write it anew with graph.to_json()"
    )


def text(x: Any, where: str) -> str:
    if not isinstance(x, str):
        raise wrong(where, "text", x)
    return x


def whole(x: Any, where: str) -> int:
    if type(x) is not int or x < 0:
        raise wrong(where, "a whole number of 0 or more", x)
    return x


def number(x: Any, where: str) -> float:
    if isinstance(x, str) and x in NOT_FINITE:
        return NOT_FINITE[x]
    if type(x) not in (int, float) or not _fits(x, DTYPES["float64"]):
        raise wrong(where, 'a number, or "nan", "inf" or "-inf"', x)
    return float(x)


def one_of(*allowed: str | bool) -> Reader:
    def read(x: Any, where: str) -> Any:
        if not isinstance(x, (str, bool)) or x not in allowed:
            raise wrong(where, f"one of {', '.join(map(json.dumps, allowed))}", x)
        return x

    return read


def maybe(reader: Reader) -> Reader:
    return lambda x, where: None if x is None else reader(x, where)


def list_of(reader: Reader) -> Reader:
    def read(x: Any, where: str) -> list:
        if not isinstance(x, list):
            raise wrong(where, "a list", x)
        return [reader(part, f"{where}[{i}]") for i, part in enumerate(x)]

    return read


def dict_of(reader: Reader) -> Reader:
    def read(x: Any, where: str) -> dict:
        if not isinstance(x, dict):
            raise wrong(where, "a set of named entries", x)
        return {name: reader(part, f"{where}.{name}") for name, part in x.items()}

    return read


def record(x: Any, where: str, fields: dict[str, Reader], may: dict[str, Reader] = {}) -> dict[str, Any]:  # noqa: B006
    """The entries of a dict, each read by its reader; those that it `may` have can be left out."""
    if not isinstance(x, dict):
        raise wrong(where, f"a set of entries named {', '.join(fields)}", x)
    for name in fields:
        if name not in x:
            raise ValueError(f"{where}.{name} of a graph's file is missing; write the file anew with graph.to_json()")
    for name in x:
        if name not in fields and name not in may:
            raise wrong(f"{where}.{name}", f"left out, since {SCHEMA} has no such entry", x[name])
    return {name: (fields.get(name) or may[name])(part, f"{where}.{name}") for name, part in x.items()}


def size(x: Any, where: str) -> Any:
    """A whole number, or text such as "2*T + 1" for one with names."""
    try:
        found = read_size(x) if isinstance(x, str) else whole(x, where)
    except ValueError:
        found = None
    if found is None or (isinstance(x, str) and not named(found)):
        raise wrong(where, 'a whole number of 0 or more, or a size with names, as "2*T + 1"', x)
    return found


shape: Reader = lambda x, where: tuple(list_of(size)(x, where))
dtype: Reader = lambda x, where: DTYPES[one_of(*DTYPES)(x, where)]


def array(x: Any, where: str, shape: tuple, dtype: np.dtype) -> np.ndarray:
    """Nested lists of numbers that have to be of this shape and fit this dtype."""
    if any(not isinstance(n, int) for n in shape):
        raise wrong(where, f"null, since its shape is {shape}", x)
    leaves = list(_leaves(x, where, shape))
    kinds = {"b": (bool,), "f": (int, float)}.get(dtype.kind, (int,))
    for i, leaf in enumerate(leaves):
        if isinstance(leaf, str) and leaf in NOT_FINITE and dtype.kind == "f":
            leaves[i] = NOT_FINITE[leaf]
        elif type(leaf) not in kinds or not _fits(leaf, dtype):
            raise wrong(where, f"made of numbers that are {dtype.name}", leaf)
    return np.array(leaves, dtype).reshape(shape)


def _leaves(x: Any, where: str, shape: tuple) -> Iterator[Any]:
    if not shape:
        yield x
    elif not isinstance(x, list) or len(x) != shape[0]:
        raise wrong(where, f"a list of {shape[0]}, by the shape", x)
    else:
        for i, part in enumerate(x):
            yield from _leaves(part, f"{where}[{i}]", shape[1:])


def _fits(x: Any, dtype: np.dtype) -> bool:
    if dtype.kind == "f":
        return abs(x) <= float(np.finfo(dtype).max)
    return dtype.kind == "b" or np.iinfo(dtype).min <= x <= np.iinfo(dtype).max
