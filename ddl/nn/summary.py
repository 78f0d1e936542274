"""A model as a table: its layers, the shapes they give, their parameters and what they weigh; nothing is computed."""

from contextlib import ExitStack
from html import escape
from typing import Any, NamedTuple

from ..arrays import is_array
from ..core import Tensor, no_grad
from ..spec import Spec
from .hooks import each
from .modes import evaluating
from .parameter import Parameter


class Row(NamedTuple):
    """A layer: its own parameters and buffers, without those of the layers inside it or of another one before it."""

    path: str
    kind: str
    output: str
    parameters: int
    trainable: int
    nbytes: int
    tied: tuple[str, ...]  # such as "weight = wte.weight": counted there


class Summary:
    """The table of a model's layers, as text and as HTML; `rows` and the totals hold what it says."""

    def __init__(self, model: Any, inputs: tuple = ()):
        self.shapes = _shapes(model, inputs) if inputs else {}
        self.rows: list[Row] = []
        first: dict[int, str] = {}
        for path, module in model.named_modules():
            self.rows.append(self._row(path, module, first))
        self.parameters, self.trainable, self.nbytes = (
            sum(getattr(row, total) for row in self.rows) for total in ("parameters", "trainable", "nbytes")
        )

    def _row(self, path: str, module: Any, first: dict[int, str]) -> Row:
        own, tied = [], []
        for name, t in module._own():
            full = f"{path}.{name}" if path else name
            if first.setdefault(id(t), full) == full:
                own.append(t)
            else:
                tied.append(f"{name} = {first[id(t)]}")
        parameters = [p for p in own if isinstance(p, Parameter)]
        return Row(
            path,
            type(module).__name__,
            self.shapes.get(id(module), ""),
            sum(p.data.size for p in parameters),
            sum(p.data.size for p in parameters if p.requires_grad),
            sum(t.data.nbytes for t in own),
            tuple(tied),
        )

    def _table(self) -> list[tuple[str, ...]]:
        head = ("layer", "type", "output", "parameters", "trainable", "memory")
        body = [(row.path or "(all)", row.kind, row.output, *_numbers(row)) for row in self.rows]
        foot = ("total", "", "", f"{self.parameters:,}", f"{self.trainable:,}", in_bytes(self.nbytes))
        table: list[tuple[str, ...]] = [head, *body, foot]
        return table if self.shapes else [(*line[:2], *line[3:]) for line in table]

    def __repr__(self) -> str:
        table = self._table()
        widths = [max(map(len, column)) for column in zip(*table)]
        texts = len(widths) - 3  # the columns before the numbers
        lines = [
            "  ".join(c.ljust(w) if i < texts else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths))).rstrip()
            for line in table
        ]
        rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
        return "\n".join([lines[0], rule, *lines[1:-1], rule, lines[-1]])

    def _repr_html_(self) -> str:
        head, *body, foot = self._table()
        texts = len(head) - 3

        def line(cells: tuple[str, ...], tag: str = "td") -> str:
            sides = ["left"] * texts + ["right"] * 3
            return "<tr>" + "".join(
                f'<{tag} style="text-align: {side}">{escape(c)}</{tag}>' for c, side in zip(cells, sides)
            ) + "</tr>"  # fmt: skip

        return (
            f"<table><thead>{line(head, 'th')}</thead><tbody>{''.join(map(line, body))}</tbody>"
            f"<tfoot>{line(foot, 'th')}</tfoot></table>"
        )


def _numbers(row: Row) -> tuple[str, str, str]:
    """What a layer owns, in words; nothing where it owns nothing."""
    tied = [f"({t})" for t in row.tied]
    if not row.nbytes:
        return " + ".join(tied), "", ""
    return " + ".join([f"{row.parameters:,}", *tied]), f"{row.trainable:,}", in_bytes(row.nbytes)


def _shapes(model: Any, inputs: tuple) -> dict[int, str]:
    """What each module gives on inputs of these shapes, by the module's identity, in words; the first call counts."""
    given: list[Tensor] = []

    def spec(x: Any) -> Any:
        if not isinstance(x, (Tensor, Spec)) and not is_array(x):
            return x
        given.append(Tensor(Spec(x.shape, x.dtype)))
        return given[-1]

    calls = each(inputs, spec)
    if not given:
        raise TypeError(
            f"summary takes what the model is called on, as Specs, tensors or arrays, but {inputs!r} was given; "
            "write ddl.Spec((2, 3)) for an input of that shape"
        )
    found: dict[int, str] = {}

    def note(module: Any, _: Any, output: Any) -> None:
        shapes: list[str] = []
        each(output, lambda t: shapes.append(str(tuple(t.shape))) if isinstance(t, Tensor) else None)
        found.setdefault(id(module), ", ".join(shapes))

    with ExitStack() as stack:
        stack.enter_context(evaluating(model))
        stack.enter_context(no_grad())
        for module in model.modules():
            stack.enter_context(module.register_forward_hook(note))
        model(*calls)
    return found


def in_bytes(n: int) -> str:
    """A number of bytes in words, by thousands."""
    thousands = (len(str(n)) - 1) // 3
    return f"{n / 1000**thousands:.1f} {'KMGTP'[thousands - 1]}B" if thousands else f"{n} B"
