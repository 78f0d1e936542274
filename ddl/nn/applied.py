"""A function of nn.functional as a layer."""

from typing import Any

from .module import Module


class Applied(Module):
    """Applies `function` to what it is given, with the options that its constructor keeps as attributes."""

    function: Any
    options: tuple[str, ...] = ()

    def keep(self, **options: Any) -> None:
        self.options = (*self.options, *options)
        for name, value in options.items():
            setattr(self, name, value)

    def forward(self, *inputs: Any) -> Any:
        return type(self).function(*inputs, **{name: getattr(self, name) for name in self.options})

    def extra_repr(self) -> str:
        return ", ".join(f"{name}={getattr(self, name)!r}" for name in self.options)
