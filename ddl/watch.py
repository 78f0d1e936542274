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
def exchanged(method: str, wrap: Callable[[Callable[..., Any]], Callable[..., Any]]) -> Iterator[None]:
    """Inside, every kind of op has wrap(its method) in the place of `method`; ops that nobody watches pay nothing."""
    with _one_watch:
        kept = {kind: vars(kind)[method] for kind in (Op, Unary, Binary) if method in vars(kind)}
        for kind, own in kept.items():
            setattr(kind, method, wrap(own))
        try:
            yield
        finally:
            for kind, own in kept.items():
                setattr(kind, method, own)


@contextmanager
def watching(note: Callable[[Op, tuple, dict[str, Any], Tensor], None]) -> Iterator[None]:
    """Inside, note(op, inputs, settings, result) follows each call of an op in this thread that made a tensor."""
    here = threading.get_ident()

    def watched(call: Callable[..., Any]) -> Callable[..., Any]:
        def call_and_note(op: Op, *inputs: Any, **params: Any) -> Any:
            out = call(op, *inputs, **params)
            if type(out) is Tensor and threading.get_ident() == here:
                given, settings = op.with_settings(inputs, params) if not op.variadic else (inputs, params)
                note(op, given, settings, out)
            return out

        return call_and_note

    with exchanged("__call__", watched):
        yield
