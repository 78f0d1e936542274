"""Ops watched from outside: what records a graph is told of each call."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .core import Tensor
from .define import Binary, Op, Unary

_one_watch = threading.RLock()


@contextmanager
def watching_reads(note: Callable[[Tensor, Any], None]) -> Iterator[None]:
    """Inside, note(tensor, number) is called after each number that is read from a tensor in this thread."""
    with _one_watch:
        here, item = threading.get_ident(), Tensor.item

        def item_and_note(t: Tensor) -> Any:
            number = item(t)
            if threading.get_ident() == here:
                note(t, number)
            return number

        own = "item" in vars(Tensor)
        Tensor.item = item_and_note  # type: ignore[method-assign]
        try:
            yield
        finally:
            if own:
                Tensor.item = item  # type: ignore[method-assign]
            else:
                del Tensor.item


@contextmanager
def watching(note: Callable[[Op, tuple, dict[str, Any], Tensor], None]) -> Iterator[None]:
    """Inside, note(op, inputs, settings, result) is called after each call of an op in this thread that made a tensor.

    Ops that nobody watches pay nothing for it: their classes' calls are exchanged for the while.
    """
    with _one_watch:
        here, calls = threading.get_ident(), {kind: vars(kind)["__call__"] for kind in (Op, Unary, Binary)}

        def watched(call: Callable[..., Any]) -> Callable[..., Any]:
            def call_and_note(op: Op, *inputs: Any, **params: Any) -> Any:
                out = call(op, *inputs, **params)
                if type(out) is Tensor and threading.get_ident() == here:
                    given, settings = op.with_settings(inputs, params) if not op.variadic else (inputs, params)
                    note(op, given, settings, out)
                return out

            return call_and_note

        for kind, call in calls.items():
            kind.__call__ = watched(call)  # type: ignore[method-assign]
        try:
            yield
        finally:
            for kind, call in calls.items():
                kind.__call__ = call  # type: ignore[method-assign]
