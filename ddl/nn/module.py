"""A layer is `__init__` and `forward`; what it owns is found by walking its attributes in order."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..arrays import device_of, to_device
from ..core import Leaf, Tensor
from .parameter import Parameter


class Module:
    """The base of layers and models: finds parameters, switches modes, moves between devices, saves and loads.

    Parameters and modules are found in attributes, and in lists, tuples and dicts of them, in the order in which they
    were set, and named by path ("blocks.3.attn.qkv.weight"). One that is reached twice counts once, by its first path.
    """

    training = True

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(
            f"{type(self).__name__} has no forward; define forward(self, ..) to say what it computes"
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return self.forward(*args, **kwargs)
        except Exception as error:
            self._say_where(error)
            raise

    def _say_where(self, error: Exception) -> None:
        """Note on the error which layer raised it: the innermost one, by its path as far out as the calls go."""
        inner, said = getattr(error, "_ddl_layer", (self, None))
        path = next((name for name, m in self.named_modules() if m is inner), "")
        note = f"called from {type(inner).__name__}" + (f" {path!r}" if path else "")
        notes = getattr(error, "__notes__", [])
        if said in notes:
            notes[notes.index(said)] = note
        else:
            error.add_note(note)
        error._ddl_layer = inner, note  # type: ignore[attr-defined]

    # ---- what it owns
    def named_children(self) -> "Iterator[tuple[str, Module]]":
        return ((name, value) for name, value in _members(vars(self)) if isinstance(value, Module))

    def named_modules(self, prefix: str = "") -> "Iterator[tuple[str, Module]]":
        """(path, module), itself first with the path ""; each once."""
        stack, seen = [(prefix, self)], set()
        while stack:
            path, module = stack.pop()
            if id(module) in seen:
                continue
            seen.add(id(module))
            yield path, module
            stack.extend(
                reversed([(f"{path}.{name}" if path else name, child) for name, child in module.named_children()])
            )

    def modules(self) -> "Iterator[Module]":
        return (m for _, m in self.named_modules())

    def named_parameters(self) -> Iterator[tuple[str, Parameter]]:
        seen = set()
        for path, module in self.named_modules():
            for name, value in _members(vars(module)):
                if isinstance(value, Parameter) and id(value) not in seen:
                    seen.add(id(value))
                    yield (f"{path}.{name}" if path else name), value

    def parameters(self) -> Iterator[Parameter]:
        return (p for _, p in self.named_parameters())

    def num_parameters(self) -> int:
        return sum(p.data.size for p in self.parameters())

    # ---- modes, devices
    def train(self, mode: bool = True) -> "Module":
        for module in self.modules():
            module.training = mode
        return self

    def eval(self) -> "Module":
        return self.train(False)

    def zero_grad(self) -> None:
        for p in self.parameters():
            p.grad = None

    def to(self, target: Any) -> "Module":
        """Move every parameter to a device ("cpu", "gpu") or a floating-point dtype; the module itself is returned."""
        moves = target in ("cpu", "gpu", "cuda")
        if not moves and np.dtype(target).kind != "f":
            raise TypeError(f"a module's parameters are floating-point numbers, but {np.dtype(target)} was asked for")
        for p in self.parameters():
            had = p.grad
            p.data = to_device(p.data, target) if moves else p.data.astype(np.dtype(target))
            p.node = Leaf(p.shape, p.dtype) if p.node is not None else None
            if had is not None:
                p.grad = had.to(target)
        return self

    def double(self) -> "Module":
        return self.to(np.float64)

    def float(self) -> "Module":
        return self.to(np.float32)

    # ---- state
    def state_dict(self) -> dict[str, Tensor]:
        """Every parameter's values by path; memory is shared with the model."""
        return {path: p.detach() for path, p in self.named_parameters()}

    def load_state_dict(self, state: dict[str, Any], strict: bool = True) -> None:
        """Copy values in, by path. Nothing changes if a shape differs or, when strict, a path is missing or unknown."""
        own = dict(self.named_parameters())
        faults = [
            f"{p} has shape {tuple(state[p].shape)}, not {own[p].shape}"
            for p in own
            if p in state and tuple(state[p].shape) != own[p].shape
        ]
        if strict:
            faults += [f"{p} is missing" for p in own if p not in state] + [
                f"{p} is unexpected" for p in state if p not in own
            ]
        if faults:
            more = f", and {len(faults) - 8} more" if len(faults) > 8 else ""
            raise ValueError(f"the state does not fit {type(self).__name__}: {'; '.join(faults[:8])}{more}")
        for path, p in own.items():
            if path in state:
                value = state[path].data if isinstance(state[path], Tensor) else state[path]
                p.detach().write(..., to_device(value, device_of(p.data)))

    def apply(self, f: "Callable[[Module], Any]") -> "Module":
        for module in self.modules():
            f(module)
        return self

    def extra_repr(self) -> str:
        return ""

    def __repr__(self) -> str:
        children = [f"({name}): {child!r}".replace("\n", "\n  ") for name, child in self.named_children()]
        if not children:
            return f"{type(self).__name__}({self.extra_repr()})"
        return f"{type(self).__name__}(\n  " + "\n  ".join(children) + "\n)"


def _members(named: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """(path, value) of every parameter or module in attributes and in the containers they hold."""
    for name, value in named.items():
        if isinstance(value, (Parameter, Module)):
            yield name, value
        elif isinstance(value, (list, tuple)):
            yield from ((f"{name}.{inner}", v) for inner, v in _members({str(i): v for i, v in enumerate(value)}))
        elif isinstance(value, dict):
            yield from ((f"{name}.{inner}", v) for inner, v in _members({str(k): v for k, v in value.items()}))


@contextmanager
def evaluating(model: Module) -> Iterator[None]:
    """Every layer of `model` in evaluation mode; afterwards each is back in the mode it was in."""
    modes = [(module, module.training) for module in model.modules()]
    for module, _ in modes:
        module.training = False
    try:
        yield
    finally:
        for module, training in modes:
            module.training = training
