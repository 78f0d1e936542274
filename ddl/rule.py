"""A pull-back and what it needs: the names of its parameters say what a node must keep."""

import inspect
from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import Any


class Rule:
    """A pull-back. Its parameters name what it needs, and so what the node must keep."""

    def __init__(self, fn: Callable[..., Any], scope: Sequence[str], settings: Iterable[str]):
        _, *names = inspect.signature(fn).parameters  # the first is the gradient
        unknown = [n for n in names if n not in scope and n not in settings]
        if unknown:
            raise TypeError(f"a pull-back asks for {unknown}, but its op knows {[*scope, *settings]}")
        self.fn = fn
        self.needs = [n for n in names if n in scope]
        self.settings = [n for n in names if n not in scope]

    def bind(self, keeps: Sequence[str]) -> Callable[..., Any]:
        """The function `(g, saved, params) -> gradient`, each need resolved to its place in `saved`."""
        fn, at, settings = self.fn, [keeps.index(n) for n in self.needs], self.settings
        if settings:
            named = list(zip(self.needs, at))
            return lambda g, saved, params: fn(g, **{n: saved[i] for n, i in named}, **{n: params[n] for n in settings})
        if len(at) == 0:
            return lambda g, saved, params: fn(g)
        if len(at) == 1:
            return lambda g, saved, params, i=at[0]: fn(g, saved[i])
        if len(at) == 2:
            return lambda g, saved, params, i=at[0], j=at[1]: fn(g, saved[i], saved[j])
        return lambda g, saved, params: fn(g, *[saved[i] for i in at])


def picker(indices: Iterable[int]) -> Callable[[tuple], tuple]:
    """A C-speed `values -> tuple(values[i] for i in indices)`."""
    indices = tuple(indices)
    if not indices:
        return lambda values: ()
    if len(indices) == 1:
        return itemgetter(slice(indices[0], indices[0] + 1))
    return itemgetter(*indices)
