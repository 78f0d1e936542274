"""Modules that hold modules: one after the other, in a list, by name."""

from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from typing import Any

from .module import Module


def _add(holder: Module, name: Any, layer: Any) -> None:
    """Give a container a layer by name, where both are what they should be and the name is free."""
    kind, place = type(holder).__name__, f"at place {name}" if str(name).isdigit() else f"as {name!r}"
    if not isinstance(layer, Module):
        raise TypeError(f"{kind} is made of layers, but {place} {layer!r} was given")
    if not isinstance(name, str) or not name or "." in name:
        raise ValueError(f"{kind} names its layers by texts without a dot, but {name!r} was given")
    if hasattr(holder, name) and not isinstance(getattr(holder, name), Module):
        raise ValueError(f"{kind} was given a layer named {name!r}, which it has as an attribute; give another name")
    setattr(holder, name, layer)


class _Ordered(Module):
    """Layers in an order, each an attribute; those named by a number have their place as name."""

    def _put(self, layers: Iterable[tuple[str, Any]]) -> None:
        """Let these be all layers; numbers are given anew."""
        before = list(self.named_children())
        for name, _ in before:
            delattr(self, name)
        try:
            for i, (name, layer) in enumerate(layers):
                _add(self, str(i) if str(name).isdigit() else name, layer)
        except Exception:
            self._put(before)
            raise

    def __len__(self) -> int:
        return len(list(self.children()))

    def __iter__(self) -> Iterator[Module]:
        return self.children()

    def __getitem__(self, i: Any) -> Any:
        """The layer at a place, or a container of this kind with those of a slice."""
        if not isinstance(i, slice):
            return list(self)[i]
        part = type(self)()
        part._put(list(self.named_children())[i])
        return part

    def __setitem__(self, i: int, layer: Module) -> None:
        _add(self, [name for name, _ in self.named_children()][i], layer)

    def __delitem__(self, i: Any) -> None:
        layers = list(self.named_children())
        del layers[i]
        self._put(layers)

    def insert(self, index: int, module: Module) -> Any:
        """Before the layer at a place, as in a list: those after it that are named by number get a new one."""
        layers = list(self.named_children())
        layers.insert(index, ("0", module))
        self._put(layers)
        return self

    def append(self, module: Module) -> Any:
        return self.insert(len(self), module)

    def extend(self, modules: Iterable[Module]) -> Any:
        self._put([*self.named_children(), *(("0", layer) for layer in modules)])
        return self


class Sequential(_Ordered):
    """Layers one after the other; each is named by its number, or as in the one dict that is given."""

    def __init__(self, *layers: Any):
        named = len(layers) == 1 and isinstance(layers[0], Mapping)
        self._put(layers[0].items() if named else (("0", layer) for layer in layers))

    def forward(self, x: Any) -> Any:
        for layer in self:
            x = layer(x)
        return x


class ModuleList(_Ordered):
    """A list of layers, for a model that calls them in its own way; a plain list of layers serves as well."""

    def __init__(self, modules: Iterable[Module] = ()):
        if not isinstance(modules, Iterable):
            raise TypeError(f"{type(self).__name__} takes a list of layers, but {modules!r} was given")
        self.extend(modules)


class ModuleDict(Module):
    """Layers by name, for a model that calls them in its own way; a plain dict of layers serves as well."""

    def __init__(self, modules: Mapping[str, Module] | None = None):
        self.update({} if modules is None else modules)

    def _dict(self) -> dict[str, Module]:
        return dict(self.named_children())

    def __getitem__(self, name: str) -> Module:
        return self._dict()[name]

    def __setitem__(self, name: str, layer: Module) -> None:
        _add(self, name, layer)

    def __delitem__(self, name: str) -> None:
        del self._dict()[name]  # a KeyError where there is no such layer
        delattr(self, name)

    def __len__(self) -> int:
        return len(self._dict())

    def __iter__(self) -> Iterator[str]:
        return iter(self._dict())

    def __contains__(self, name: Any) -> bool:
        return name in self._dict()

    def keys(self) -> KeysView[str]:
        return self._dict().keys()

    def values(self) -> ValuesView[Module]:
        return self._dict().values()

    def items(self) -> ItemsView[str, Module]:
        return self._dict().items()

    def update(self, modules: Mapping[str, Module]) -> None:
        if not isinstance(modules, Mapping):
            raise TypeError(f"{type(self).__name__} takes a dict of layers by name, but {modules!r} was given")
        for name, layer in modules.items():
            _add(self, name, layer)

    def pop(self, name: str) -> Module:
        layer = self[name]
        del self[name]
        return layer
