"""Values that are not finite: which there are, and where they came in."""

from ..arrays import module_of
from ..core import Tensor
from ..nn import Module


class NonFiniteLoss(RuntimeError):
    """A loss, a gradient or a parameter is NaN or infinite; a step with such a loss or gradient moved nothing."""


def finite(t: Tensor) -> bool:
    return bool(module_of(t.data).isfinite(t.data).all())


def first_to_break(model: Module, gradient: bool = False) -> str:
    """In words, the parameter where NaN or infinity came in: going forward by values, and going back by gradients."""
    named = list(model.named_parameters())
    named.sort(key=lambda item: item[1].node.born if item[1].node else 0)  # as made, which is mostly as used
    values = [name for name, p in named if not finite(p)]
    if values:
        return f"{values[0]} is the first parameter with values that are not finite"
    looked_at = {name: t for name, p in named if (t := p.grad if gradient else p) is not None}
    broken = [name for name, t in looked_at.items() if not finite(t)]
    if broken:
        return f"{broken[-1]} is where backward first met a gradient that is not finite, all values still are"
    sizes = {name: float(abs(t.data).max()) for name, t in looked_at.items() if t.data.size}
    name = max(sizes, key=sizes.__getitem__, default="none")
    what = "gradients" if gradient else "parameters"
    return f"all {what} are finite, and {name} reaches furthest, to {sizes.get(name, 0):.3g}"
