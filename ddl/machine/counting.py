"""What a call of an op, or of its pull-back, has to compute and to move: its definition, traced on shapes."""

from functools import cached_property
from types import SimpleNamespace
from typing import Any

from ..arrays import Spec, is_array
from ..core import Tensor
from ..define import Op
from ..graph.costs import Cost, costs
from ..graph.tracing import trace_definition


class Call:
    """One call: the op, its inputs as shapes (what is no array stays), its settings, and which inputs want a gradient.

    `forward` and `backward` are its costs, or None where the op cannot be run on shapes.
    """

    def __init__(self, op: Op, inputs: tuple, settings: dict[str, Any]):
        self.op, self.settings = op, {**op.defaults, **settings}
        self.given = tuple(map(_shape_of, inputs))
        if not op.variadic:
            self.given += (None,) * (len(op.inputs) - len(inputs))
        self.live = [isinstance(x, Tensor) and x.requires_grad for x in inputs]

    @property
    def key(self) -> tuple:
        return self.op.name, tuple(map(repr, self.given)), tuple(self.live), repr(self.settings)

    @cached_property
    def forward(self) -> Cost | None:
        try:
            return costs(trace_definition(lambda *xs: self.op(*xs, **self.settings), *self.given))
        except (TypeError, ValueError, IndexError):  # its shape depends on values
            return None

    @cached_property
    def backward(self) -> Cost | None:
        """Bytes are those of the rule's ops, or where that is less each of what it is given and gives once."""
        try:
            return self._of_rule()
        except (TypeError, ValueError, IndexError):
            return None

    def _of_rule(self) -> Cost:
        op, given = self.op, self.given
        out, *extra = op.run(*given, **self.settings) if op.saves else (op.run(*given, **self.settings),)
        kept = op.keep((out, given) if op.variadic else (out, *given, *extra))
        wanted = [x for x, live in zip(given, self.live) if live]
        parents = tuple(SimpleNamespace(shape=x.shape) if live else None for x, live in zip(given, self.live))
        parents += (None,) * (len(given) - len(parents))
        node: Any = SimpleNamespace(parents=parents, params=self.settings)

        def rule(g: Any, *kept: Any) -> list[Any]:
            return [gradient for _, gradient in op.pull(node, g, kept)]

        counted = costs(trace_definition(rule, Spec(out.shape, out.dtype), *kept))
        once = out.nbytes + sum(x.nbytes for x in kept if isinstance(x, Spec)) + sum(x.nbytes for x in wanted)
        return Cost(counted.flops, min(counted.bytes, once))


def _shape_of(x: Any) -> Any:
    data = x.data if isinstance(x, Tensor) else x
    return Spec(data.shape, data.dtype) if is_array(data) else data
