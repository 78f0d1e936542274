"""What came beside what was expected: whether they agree, and if not, how they differ, in a sentence."""

import numbers
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..core import Tensor
from ..scalar import Scalar

SMALL = (str, bytes, bool, type(None))
STRANGE = "it cannot be compared: a probe has to turn it into numbers"


def difference(got: Any, expected: Any, rtol: float, atol: float, strange: str = STRANGE) -> str:
    """How `got` differs from `expected`, the empty string where it does not; lists and tables are gone through.

    `strange` is what is said of two objects of one kind that have no `==` of their own.
    """
    if isinstance(expected, SMALL) or isinstance(got, SMALL):
        same = type(got) is type(expected) or (isinstance(got, np.bool_) and isinstance(expected, bool))
        return "" if same and got == expected else _kinds(got, expected)
    if isinstance(expected, (Tensor, np.ndarray, Scalar)):
        if kind(got) != kind(expected):
            return _kinds(got, expected)
        return _arrays(plain(got), plain(expected), rtol, atol)
    if isinstance(expected, numbers.Number):
        if not isinstance(got, numbers.Number):
            return _kinds(got, expected)
        if isinstance(expected, numbers.Integral):
            if not isinstance(got, numbers.Integral):
                return f"a whole number was expected, but {got!r} is a float"
            return "" if got == expected else f"{got} came where {expected} was expected"
        return _arrays(np.asarray(got), np.asarray(expected), rtol, atol)
    if isinstance(expected, Mapping):
        if not isinstance(got, Mapping):
            return _kinds(got, expected)
        if got.keys() != expected.keys():
            return f"the keys are {_listed(got)}, but {_listed(expected)} were expected"
        return _first(((f"at {key!r}", got[key], expected[key]) for key in expected), rtol, atol, strange)
    if isinstance(expected, (list, tuple)):
        if not isinstance(got, (list, tuple)) or type(got) is not type(expected):
            return _kinds(got, expected)
        if len(got) != len(expected):
            return f"{len(got)} values came, but {len(expected)} were expected"
        pairs = enumerate(zip(got, expected))
        return _first(((f"value {i + 1}", g, e) for i, (g, e) in pairs), rtol, atol, strange)
    if isinstance(expected, (set, frozenset)):
        return "" if isinstance(got, (set, frozenset)) and got == expected else _kinds(got, expected)
    return _objects(got, expected, strange)


def kind(x: Any) -> str:
    """What a thing is, as a learner would call it."""
    if isinstance(x, Tensor):
        return "a tensor"
    if isinstance(x, (np.ndarray, np.generic)):
        return "an array" if getattr(x, "ndim", 0) else "a number"
    names = {bool: "True or False", str: "a text", bytes: "bytes", list: "a list", tuple: "a tuple", dict: "a dict"}
    if x is None:
        return "None"
    if type(x) in names:
        return names[type(x)]
    if isinstance(x, numbers.Number):
        return "a number"
    return f"a {type(x).__name__}"


def plain(x: Any) -> np.ndarray:
    """The numbers of a tensor, a Scalar or an array."""
    if isinstance(x, Scalar):
        return np.asarray(x.data)
    return np.asarray(x.detach().to("cpu").data if isinstance(x, Tensor) else x)


def is_array(x: Any) -> bool:
    return isinstance(x, (Tensor, np.ndarray)) and plain(x).ndim > 0


def _kinds(got: Any, expected: Any) -> str:
    if kind(got) == kind(expected):
        short = isinstance(got, (*SMALL, np.bool_)) and len(f"{got}{expected}") <= 80
        return f"{got!r} came where {expected!r} was expected" if short else "it is another one"
    return f"{kind(expected)} was expected, but {kind(got)} came" + (": is there a return?" if got is None else "")


def _listed(table: Mapping) -> str:
    return ", ".join(map(repr, table)) or "none"


def _first(triples: Any, rtol: float, atol: float, strange: str) -> str:
    for where, got, expected in triples:
        if said := difference(got, expected, rtol, atol, strange):
            return f"{where}: {said}"
    return ""


def _objects(got: Any, expected: Any, strange: str) -> str:
    """Of other objects nothing is known but what their own kind says."""
    if got is expected:
        return ""
    if type(got) is not type(expected):
        return _kinds(got, expected)
    if type(expected).__eq__ is object.__eq__:
        return strange
    return "" if (expected == got) is True else "it is another one"


def _arrays(got: np.ndarray, expected: np.ndarray, rtol: float, atol: float) -> str:
    if got.shape != expected.shape:
        turned = got.ndim == 2 and got.T.shape == expected.shape and _arrays(got.T, expected, rtol, atol) == ""
        return f"the shape is {got.shape}, but {expected.shape} was expected" + ". It is right, but transposed" * turned
    if got.ndim and got.dtype != expected.dtype:
        return f"the dtype is {got.dtype}, but {expected.dtype} was expected"
    if got.dtype.kind not in "fiubc":
        return "" if np.array_equal(got, expected) else "it is another one"
    apart = ~np.isclose(got, expected, rtol=rtol, atol=atol, equal_nan=True)
    if not apart.any():
        return ""
    with np.errstate(all="ignore"):
        size = np.nan_to_num(np.abs(np.subtract(got, expected, dtype=np.float64)), nan=np.inf) * apart
    at = np.unravel_index(np.argmax(size), size.shape)
    most = f"{got[at]:.6g} came where {expected[at]:.6g} was expected"
    where = f"{np.count_nonzero(apart)} of {apart.size} numbers differ; at {[*map(int, at)]} " if got.ndim else ""
    return where + most + _pattern(got, expected, rtol, atol)


def _pattern(got: np.ndarray, expected: np.ndarray, rtol: float, atol: float) -> str:
    """What the two have to do with each other, where that is plain to see."""
    same = lambda x, y: np.allclose(x, y, rtol=max(rtol, 1e-9), atol=atol)
    if got.dtype.kind not in "fi" or not np.isfinite(got).all() or not np.isfinite(expected).all():
        return "" if np.isfinite(got).all() else ". Not all that came is finite"
    if same(got, -expected):
        return ". The sign is wrong" if not got.ndim else ". All signs are turned round"
    if got.ndim == 2 and got.shape[0] == got.shape[1] and same(got.T, expected):
        return ". It is right, but transposed"
    if got.ndim and got.size > 1 and (expected != 0).all():
        ratio = (got / expected).flat[0]
        if ratio and same(got, ratio * expected):
            return f". All of it is {ratio:.4g} times what was expected"
    return ""
