"""The learner's part in the library's place, for a while: an op, a layer, an optimizer, any function."""

import functools
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..define import Op

KEPT = ("name", "tex", "binds", "__doc__", "__signature__", "smooth", "defaults", "settings")


@contextmanager
def wearing(theirs: Any, *mine: Any) -> Iterator[None]:
    """Within the block, what the library computes with `theirs` it computes with the learner's.

    An op takes two functions: `wearing(ddl.ops.mul, forward, vjp)`, where `vjp(g, ...)` names what it needs of the
    inputs and of `out`, and returns the gradient of every input, in a tuple. Anything else, such as a layer, an
    optimizer or a function, takes what stands in for it: `wearing(ddl.nn.LayerNorm, Mine)`. What was computed in the
    block is walked back in the block. ValueError for what the library has not, or has but cannot exchange.
    """
    if isinstance(theirs, Op):
        if len(mine) != 2 or not all(map(callable, mine)):
            raise ValueError(f"{theirs.name} wears two functions, forward and vjp, but {len(mine)} things were given")
        with _worn(theirs, *mine):
            yield
    else:
        if len(mine) != 1:
            raise ValueError(f"one thing stands in for {theirs!r}, but {len(mine)} were given")
        with _exchanged(theirs, *mine):
            yield


@contextmanager
def _worn(op: Op, forward: Any, vjp: Any) -> Iterator[None]:
    if isinstance(forward, np.ufunc):
        forward = _spelled(forward)
    other = type(op)(forward)
    if len(other.inputs) != len(op.inputs):
        raise ValueError(
            f"{op.name} takes {len(op.inputs)} inputs, {', '.join(op.inputs)}, "
            f"but the forward that was given takes {len(other.inputs)}"
        )
    other.vjp(_paired(vjp))
    kept = dict(vars(op))
    vars(op).update({name: value for name, value in vars(other).items() if name not in KEPT})
    vars(op)["run"] = forward if not other.wants_xp else op.on_module
    try:
        yield
    finally:
        vars(op).clear()
        vars(op).update(kept)


def _spelled(ufunc: np.ufunc) -> Any:
    """One of numpy's functions with a signature that has its inputs alone."""
    return (lambda x: ufunc(x)) if ufunc.nin == 1 else (lambda x, y: ufunc(x, y))


def _paired(vjp: Any) -> Any:
    """The same rule, that may give a lone gradient without a tuple around it."""

    @functools.wraps(vjp)
    def rule(*args: Any, **named: Any) -> tuple:
        given = vjp(*args, **named)
        return given if isinstance(given, (tuple, list)) else (given,)

    return rule


@contextmanager
def _exchanged(theirs: Any, mine: Any) -> Iterator[None]:
    """Every name that the library's modules have for a thing leads to another."""
    places = [
        (vars(module), name)
        for path, module in list(sys.modules.items())
        if path.split(".")[0] == "ddl" and path != __name__
        for name, value in list(vars(module).items())
        if value is theirs
    ]
    if not places:
        raise ValueError(f"the library has no name for {theirs!r}: give a class or a function of ddl")
    for names, name in places:
        names[name] = mine
    try:
        yield
    finally:
        for names, name in places:
            names[name] = theirs
