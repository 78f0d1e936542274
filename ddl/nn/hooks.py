"""Functions that watch a module: called before and after its forward, and once its gradients have passed.

Backward is watched by identity ops around the forward. A gate, older than all of them, is parent to each: the walk back
takes the latest born first, so it comes to the gate when every gradient that arrives has been seen.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core import Leaf, Tensor, recording
from ..define import op

Hook = Callable[..., Any]


class Handle:
    """A registered hook: `remove()` takes it away, and so does leaving a with-statement."""

    def __init__(self, hooks: "dict[Handle, Hook]", hook: Hook):
        self.hooks = hooks
        hooks[self] = hook

    def remove(self) -> None:
        self.hooks.pop(self, None)

    def __enter__(self) -> "Handle":
        return self

    def __exit__(self, *_: Any) -> None:
        self.remove()


class Hooks:
    """The hooks of one module, each kind in the order in which they were registered. A copy of the module has none."""

    def __init__(self) -> None:
        self.before: dict[Handle, Hook] = {}
        self.after: dict[Handle, Hook] = {}
        self.backward: dict[Handle, Hook] = {}

    def __deepcopy__(self, memo: Any) -> "Hooks":
        return Hooks()

    def call(self, module: Any, inputs: tuple, named: dict[str, Any]) -> Any:
        """The module's forward with its hooks about it."""
        if not (self.before or self.after or self.backward):
            return module.forward(*inputs, **named)
        for hook in tuple(self.before.values()):
            changed = hook(module, inputs)
            if changed is not None:
                inputs = changed if isinstance(changed, tuple) else (changed,)
        watching = bool(self.backward) and recording.on
        if watching:
            grad_inputs: list[Any] = []
            grad_outputs: list[Any] = []
            report = _report(module, tuple(self.backward.values()), grad_inputs, grad_outputs)
            gate = gate_of(Tensor(np.zeros((), np.float32), Leaf((), np.dtype(np.float32))), report=report)
            inputs = _watched(inputs, gate, grad_inputs)
        out = module.forward(*inputs, **named)
        for hook in tuple(self.after.values()):
            changed = hook(module, inputs, out)
            out = out if changed is None else changed
        return _watched(out, gate, grad_outputs) if watching else out


def each(value: Any, f: Callable[[Any], Any]) -> Any:
    """`value` with `f` applied to all that it holds, through tuples, lists and dicts."""
    if isinstance(value, (tuple, list)):
        return getattr(type(value), "_make", type(value))([each(v, f) for v in value])
    if isinstance(value, dict):
        return {name: each(v, f) for name, v in value.items()}
    return f(value)


def _watched(values: Any, gate: Tensor, seen: list[Any]) -> Any:
    """`values`, where the gradient of tensor i will be written to seen[i]; it stays None where none arrives."""

    def watch(x: Any) -> Any:
        if not isinstance(x, Tensor):
            return x
        seen.append(None)
        return seen_through(x, gate, seen=seen, place=len(seen) - 1) if x.node is not None else x

    return each(values, watch)


def _report(module: Any, hooks: tuple[Hook, ...], *seen: list[Any]) -> Callable[[], None]:
    def report() -> None:
        gradients = [tuple(each_seen) for each_seen in seen]
        for each_seen in seen:
            each_seen[:] = [None] * len(each_seen)  # for the next walk through the same graph
        for hook in hooks:
            if hook(module, *gradients) is not None:
                raise TypeError(
                    f"a backward hook of {type(module).__name__} returned a value, but gradients can only be watched; "
                    "return None"
                )

    return report


@op("{x}")
def seen_through(x, gate, *, seen, place):  # type: ignore[no-untyped-def]
    """x itself, whose gradient is noted on the way back."""
    return x


@seen_through.vjp
def _(g, seen, place):  # type: ignore[no-untyped-def]
    seen[place] = g if isinstance(g, Tensor) else Tensor(g.copy())  # whoever keeps it sees no later change in place
    return g, g.reshape(-1)[:0].sum()


@op("{x}")
def gate_of(x, *, report):  # type: ignore[no-untyped-def]
    """x itself; `report` is called when the walk back gets here."""
    return x


@gate_of.vjp
def _(g, report):  # type: ignore[no-untyped-def]
    report()
    return (g,)
