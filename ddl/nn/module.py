"""A layer is `__init__` and `forward`; what it owns is found by walking its attributes in order."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..arrays import to_device
from ..core import Leaf, Tensor
from .hooks import Handle, Hook, Hooks
from .parameter import Buffer, Parameter
from .state import Unmatched, load
from .summary import Summary


class Module:
    """The base of layers and models: finds parameters, switches modes, moves between devices, saves and loads.

    Parameters, buffers and modules are found in attributes, and in lists, tuples and dicts of them, in the order in
    which they were set, and named by path ("blocks.3.attn.qkv.weight"). One that is reached twice counts once, by its
    first path.
    """

    training = True
    _hooks: Hooks | None = None

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(
            f"{type(self).__name__} has no forward; define forward(self, ..) to say what it computes"
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            if self._hooks is None:
                return self.forward(*args, **kwargs)
            return self._hooks.call(self, args, kwargs)
        except Exception as error:
            fault = self._no_tensor(args, error) or error
            self._say_where(fault)
            if fault is error:
                raise
            raise fault from error

    def _no_tensor(self, args: tuple, error: Exception) -> TypeError | None:
        """What to say where a list came in a tensor's place; found out when it fails, so that it costs nothing."""
        if not isinstance(error, AttributeError) or not any(x is error.obj for x in args):
            return None
        if not hasattr(Tensor, error.name or ""):
            return None
        return TypeError(
            f"{type(self).__name__} takes tensors, but {type(error.obj).__name__} was given; make one with ddl.tensor"
        )

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

    def __setattr__(self, name: str, value: Any) -> None:
        """A constant set where a buffer is becomes its new values; where a parameter is, only another can be set."""
        old = vars(self).get(name)
        if type(value) is Tensor and isinstance(old, Buffer) and value.node is None:
            value = Buffer(value, persistent=old.persistent)
        elif isinstance(old, (Parameter, Buffer)) and not (value is None or isinstance(value, (Parameter, Buffer))):
            kind, way = ("a parameter", "nn.Parameter(t)") if isinstance(old, Parameter) else ("a buffer", "t.detach()")
            given = type(value).__name__
            if isinstance(value, Tensor):
                given = "a tensor" if value.is_leaf else "a result of ops"
            raise TypeError(
                f"{type(self).__name__}.{name} is {kind}, but {given} was set in its place; set {way} of a tensor t"
            )
        super().__setattr__(name, value)

    # ---- what it owns
    def named_children(self) -> "Iterator[tuple[str, Module]]":
        return ((name, value) for name, value in _members(vars(self)) if isinstance(value, Module))

    def children(self) -> "Iterator[Module]":
        return (child for _, child in self.named_children())

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

    def get_submodule(self, target: str) -> "Module":
        """The module at a path, such as "blocks.3.attn"; the module itself at ""."""
        module, rest = self, target
        while rest:
            fits = [(n, child) for n, child in module.named_children() if rest == n or rest.startswith(f"{n}.")]
            if not fits:
                there = ", ".join(n for n, _ in module.named_children()) or "none"
                at = f"at {target.removesuffix(rest).removesuffix('.')!r} " if rest != target else ""
                raise AttributeError(
                    f"{type(self).__name__} was asked for the module {target!r}, but its modules {at}are: {there}"
                )
            name, module = fits[0]
            rest = rest[len(name) + 1 :]
        return module

    def _own(self) -> Iterator[tuple[str, Any]]:
        """(name, tensor) of the parameters and buffers that are its own and no child's."""
        return ((name, value) for name, value in _members(vars(self)) if isinstance(value, (Parameter, Buffer)))

    def _named(self, *kinds: Any) -> Iterator[tuple[str, Any]]:
        """(path, tensor) of its parameters, its buffers or both, module by module; each once."""
        seen = set()
        for path, module in self.named_modules():
            for name, value in module._own():
                if isinstance(value, kinds) and id(value) not in seen:
                    seen.add(id(value))
                    yield (f"{path}.{name}" if path else name), value

    def named_parameters(self) -> Iterator[tuple[str, Parameter]]:
        return self._named(Parameter)

    def parameters(self) -> Iterator[Parameter]:
        return (p for _, p in self.named_parameters())

    def num_parameters(self) -> int:
        return sum(p.data.size for p in self.parameters())

    def named_buffers(self) -> Iterator[tuple[str, Buffer]]:
        return self._named(Buffer)

    def buffers(self) -> Iterator[Buffer]:
        return (b for _, b in self.named_buffers())

    def register_buffer(self, name: str, tensor: Any, persistent: bool = True) -> None:
        """The same as `self.name = Buffer(tensor, persistent=persistent)`."""
        setattr(self, name, None if tensor is None else Buffer(tensor, persistent=persistent))

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

    def requires_grad_(self, requires_grad: bool = True) -> "Module":
        """Whether its parameters take part in graphs; where not, they get no gradient and no optimizer moves them."""
        for p in self.parameters():
            p.requires_grad = requires_grad
        return self

    def to(self, target: Any) -> "Module":
        """Move it to a device ("cpu", "gpu"), or its floating-point numbers to a dtype; returns the module itself."""
        moves = target in ("cpu", "gpu", "cuda")
        if not moves and np.dtype(target).kind != "f":
            raise TypeError(f"a module's parameters are floating-point numbers, but {np.dtype(target)} was asked for")
        for _, t in self._named(Parameter, Buffer):
            had = t.grad
            if moves:
                t.data = to_device(t.data, target)
            elif t.dtype.kind == "f":
                t.data = t.data.astype(np.dtype(target))
            t.node = Leaf(t.shape, t.dtype) if t.node is not None else None
            if had is not None:
                t.grad = had.to(target)
        return self

    def double(self) -> "Module":
        return self.to(np.float64)

    def float(self) -> "Module":
        return self.to(np.float32)

    # ---- state
    def state_dict(self) -> dict[str, Tensor]:
        """Every parameter's and persistent buffer's values by path; memory is shared with the model."""
        return {path: t.detach() for path, t in self._named(Parameter, Buffer) if getattr(t, "persistent", True)}

    def load_state_dict(self, state_dict: Any, strict: bool = True) -> Unmatched:
        """Copy values in, by path. Nothing changes if a shape differs or, when strict, a path is missing or unknown.

        The paths that are missing and unknown come back, as (missing_keys, unexpected_keys).
        """
        return load(type(self).__name__, self.state_dict(), state_dict, strict)

    # ---- who watches
    def _watched(self) -> Hooks:
        self._hooks = self._hooks or Hooks()
        return self._hooks

    def register_forward_pre_hook(self, hook: Hook) -> Handle:
        """Call hook(module, inputs) before each forward; what it returns, if not None, replaces the tuple of inputs."""
        return Handle(self._watched().before, hook)

    def register_forward_hook(self, hook: Hook) -> Handle:
        """Call hook(module, inputs, output) after each forward; what it returns, if not None, replaces the output."""
        return Handle(self._watched().after, hook)

    def register_full_backward_hook(self, hook: Hook) -> Handle:
        """Call hook(module, grad_input, grad_output) in each backward through the module, when its gradients are known.

        Both are tuples with a place for each tensor that went in or came out, None where no gradient arrived.
        """
        return Handle(self._watched().backward, hook)

    def apply(self, f: "Callable[[Module], Any]") -> "Module":
        for module in self.modules():
            f(module)
        return self

    # ---- in words
    def summary(self, *inputs: Any) -> Summary:
        """A table of its layers; given `inputs`, whose values do not count, also with the shapes that layers give."""
        return Summary(self, inputs)

    def extra_repr(self) -> str:
        return ""

    def __repr__(self) -> str:
        children = [f"({name}): {child!r}".replace("\n", "\n  ") for name, child in self.named_children()]
        if not children:
            return f"{type(self).__name__}({self.extra_repr()})"
        return f"{type(self).__name__}(\n  " + "\n  ".join(children) + "\n)"


def _members(named: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """(path, value) of every parameter, buffer and module in attributes and in the containers they hold."""
    for name, value in named.items():
        if isinstance(value, (Parameter, Buffer, Module)):
            yield name, value
        elif isinstance(value, (list, tuple)):
            yield from ((f"{name}.{inner}", v) for inner, v in _members({str(i): v for i, v in enumerate(value)}))
        elif isinstance(value, dict):
            yield from ((f"{name}.{inner}", v) for inner, v in _members({str(k): v for k, v in value.items()}))
