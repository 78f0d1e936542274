"""Modules that hold modules: one after the other."""

from collections.abc import Iterator
from typing import Any

from .module import Module


class Sequential(Module):
    """Layers one after the other; each child is named by its number."""

    def __init__(self, *layers: Module):
        for i, layer in enumerate(layers):
            if not isinstance(layer, Module):
                raise TypeError(f"Sequential is made of layers, but at place {i} {layer!r} was given")
            setattr(self, str(i), layer)

    def __len__(self) -> int:
        return len(list(self.named_children()))

    def __getitem__(self, i: int) -> Module:
        return [child for _, child in self.named_children()][i]

    def __iter__(self) -> Iterator[Module]:
        return (child for _, child in self.named_children())

    def forward(self, x: Any) -> Any:
        for layer in self:
            x = layer(x)
        return x
