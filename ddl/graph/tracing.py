"""A function or a module is run once and watched: every op that makes a tensor becomes a node of a graph."""

import inspect
import linecache
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import Spec, is_array, owner, plain
from ..assumptions import NUMBER_READ, settled
from ..core import Tensor, recording
from ..define import Op
from ..ops import detach
from ..sizes import named
from ..watch import watching, watching_reads
from .data import Edge, Graph, Node, Source
from .formulas import write_formulas
from .kept import Kept

PACKAGE = str(Path(__file__).parents[1])


def trace(f: Callable[..., Any], *inputs: Any) -> Graph:
    """The graph of f(*inputs), where inputs are Specs, tensors or arrays; nothing is computed of Specs but shapes.

    `ddl.trace(model, ddl.Spec(("B", "T", 128)))` finds faults of shape before there is any data: an error names the
    layer by its path and both sizes. Sizes with a name stand for any number of 1 or more; where a check in the model
    needs their order, `graph.assumptions` says what was taken for granted; it also names each number
    that was read (`float(x.sum())`, `if x.sum() > 0`), which stays. TypeError for an input of another kind, but
    for None, which is handed on, and where f returns no tensor.
    """
    if not callable(f):
        raise TypeError(f"trace takes a function or a module and then its inputs, but {f!r} was given as the function")
    graph, known = settled(lambda: Tracer(_modules(f)).run(f, inputs))
    graph.assumptions = [*known, *graph.assumptions]
    return graph


def _modules(f: Any) -> dict[str, Any]:
    """The modules that a call of f may run, by where their paths begin: "" for f itself, or else the names f uses."""
    for whole in (f, getattr(f, "__self__", None)):
        if _is_module(whole):
            return {"": whole}
    try:
        seen = inspect.getclosurevars(f)
    except TypeError:  # no Python function
        return {}
    return {name: m for name, m in {**seen.globals, **seen.nonlocals}.items() if _is_module(m)}


def _is_module(m: Any) -> bool:
    return hasattr(m, "named_modules") and not isinstance(m, type)


def _names(f: Callable[..., Any], count: int) -> list[str]:
    """What f calls its first arguments, xs[0] and xs[1] those of *xs; "input 0" and so on where Python cannot tell."""
    names = [f"input {i}" for i in range(count)]
    try:
        taken = inspect.signature(f.forward if _is_module(f) else f).parameters.values()
    except (TypeError, ValueError):
        return names
    plain = [p.name for p in taken if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)][:count]
    several = next((p.name for p in taken if p.kind == p.VAR_POSITIONAL), None)
    names[: len(plain)] = [name if name.strip("_") not in ("", "self") else names[i] for i, name in enumerate(plain)]
    if several:
        names[len(plain) :] = [f"{several}[{i}]" for i in range(count - len(plain))]
    return names


def trace_definition(f: Callable[..., Any], *given: Any) -> Graph:
    """The graph of f(*given), of which Specs, tensors and arrays are inputs, and all else is a part of f."""
    places = [i for i, x in enumerate(given) if isinstance(x, (Tensor, Spec)) or is_array(x)]

    def of_inputs(*xs: Any) -> Any:
        taken = dict(zip(places, xs))
        return f(*(taken.get(i, x) for i, x in enumerate(given)))

    return trace(of_inputs, *(given[i] for i in places))


class Tracer:
    """The graph as it grows; `known` finds the node of a tensor, or of its array, by identity."""

    def __init__(self, modules: dict[str, Any]):
        self.modules = {part: path for begin, m in modules.items() for path, part in m.named_modules(begin)}
        self.whole = modules
        self.entered: set[str] = set()
        self.graph = Graph()
        self.known: dict[int, int] = {}
        self.alive: list[Any] = []  # so that no identity is used twice
        self.kept = Kept()
        self.moving: set[int] = set()  # what an input or a parameter moves
        self.quiet: set[int] = set()  # what was made under no_grad
        self.cuts: dict[int, int] = {}  # the nodes after which a gradient ends, and by which one
        self.records = recording.on
        self.scopes = [""]
        self.names = {
            id(t): f"{begin}.{path}" if begin else path
            for begin, m in modules.items()
            for path, t in (*m.named_buffers(), *m.named_parameters())
        }

    def run(self, f: Callable[..., Any], inputs: tuple) -> Graph:
        given = [self.input(x, name) for x, name in zip(inputs, _names(f, len(inputs)))]
        with ExitStack() as stack:
            for part, path in self.modules.items():
                stack.enter_context(part.register_forward_pre_hook(lambda *_, path=path: self.enter(path)))
                stack.enter_context(part.register_forward_hook(self.leave))
            stack.enter_context(watching(self.note))
            stack.enter_context(watching_reads(self.note_read))
            out = f(*given)
        self.graph.outputs = [self.place(t) for t in _tensors(out)]
        if not self.graph.outputs:
            raise TypeError(f"trace needs a function that returns tensors, but {str(out)[:40]} came: return the tensor")
        self.left_out()
        return write_formulas(self.graph)

    def left_out(self) -> None:
        """Parameters of the modules that ran which took no part."""
        for begin, m in self.whole.items():
            for _, p in m.named_parameters() if begin in self.entered else ():
                if p.requires_grad and id(p) not in self.known:
                    self.add(p, "parameter", name=self.names[id(p)])

    def enter(self, path: str) -> None:
        self.entered.add(path)
        self.scopes.append(path)

    def source(self) -> Source | None:
        return _source()

    def leave(self, *_: Any) -> None:
        self.scopes.pop()

    def input(self, x: Any, name: str) -> Any:
        if not isinstance(x, (Tensor, Spec)) and not is_array(x):
            if x is None:
                return x
            raise TypeError(
                f"trace takes tensors, arrays or Specs as inputs, but {name} is {str(x)[:40]}, a {type(x).__name__}; "
                "give ddl.tensor(..) or a Spec for each input, and hold what is no input in the function"
            )
        live = x.requires_grad if isinstance(x, Tensor) else isinstance(x, Spec) and x.dtype.kind == "f"
        if not isinstance(x, Tensor) or id(x) in self.known:  # what is given twice is two inputs
            x = Tensor(_array(x))
            x.requires_grad = live
        self.graph.inputs.append(self.add(x, "input", name=name))
        return x

    def place(self, x: Any) -> int:
        """The node of an op's input; what was not seen before is a parameter or a constant."""
        i = self.known.get(id(x), self.known.get(id(_array(x))))
        if i is not None:
            return self.cut(i) if i in self.quiet or self.taken_out(x, i) else i
        name = self.names.get(id(x))
        parameter = name is not None and getattr(x, "requires_grad", False)
        number = not hasattr(x, "dtype") and np.ndim(x) == 0
        return self.add(x, "parameter" if parameter else "constant", name=name or (str(x) if number else ""))

    def taken_out(self, x: Any, i: int) -> bool:
        """Whether x is no more than the values of node i: a detached tensor, or the array of one with a gradient."""
        seen = self.alive[i][0]
        return x is not seen and not x.requires_grad if isinstance(x, Tensor) else getattr(seen, "requires_grad", False)

    def cut(self, i: int) -> int:
        """The node of `detach` after node i, which lets no gradient through; where none could come by, i itself."""
        node, constant = self.graph.nodes[i], recording.on != self.records
        if i not in self.moving or constant:
            return i
        if i not in self.cuts:
            about = {"op": detach.name, "scope": self.scopes[-1], "source": self.source()}
            cut = replace(node, id=len(self.graph.nodes), kind="op", name="", settings={}, kept_bytes=0, **about)
            self.graph.nodes.append(cut)
            self.graph.edges.append(Edge(i, cut.id, 0))
            self.alive.append(self.alive[i])
            self.cuts[i] = cut.id
        return self.cuts[i]

    def add(self, x: Any, kind: str, **about: Any) -> int:
        data = x.data if isinstance(x, Tensor) else plain(x)
        like = data if hasattr(data, "dtype") else np.asarray(0 if named(data) else data)
        values = {} if isinstance(data, Spec) else {"value": data}
        if values and not named(data):
            values["statistics"] = statistics(like)
        about = {"op": "", "name": "", **values, **about}
        node = Node(len(self.graph.nodes), kind, shape=tuple(like.shape), dtype=like.dtype, **about)
        self.graph.nodes.append(node)
        self.alive.append((x, data))
        if kind != "op":
            self.kept.lasting.add(owner(data))
            if kind != "constant" and like.dtype.kind == "f":
                self.moving.add(node.id)
        if not isinstance(x, (int, float, bool)):
            self.known[id(x)] = self.known[id(data)] = node.id
        return node.id

    def note(self, op: Op, inputs: tuple, params: dict[str, Any], out: Tensor) -> None:
        starts = [(slot, self.place(x)) for slot, x in enumerate(inputs) if x is not None]
        end = self.add(
            out,
            "op",
            op=op.name,
            scope=self.scopes[-1],
            settings={**op.defaults, **params},
            source=self.source(),
            kept_bytes=self.kept.add(getattr(out.node, "saved", None)),
        )
        self.graph.ops[op.name] = op
        self.graph.edges += [Edge(start, end, slot) for slot, start in starts]
        if op.smooth and any(start in self.moving for _, start in starts):
            self.moving.add(end)
        if recording.on != self.records:
            self.quiet.add(end)

    def note_read(self, x: Tensor, number: Any) -> None:
        i = self.known.get(id(x), self.known.get(id(x.data)))
        if i is not None and self.graph.nodes[i].kind in ("input", "op"):
            said = f"{NUMBER_READ} {self.graph.nodes[i].name or f'node {i}'} stays {number}"
            self.graph.assumptions += [said] * (said not in self.graph.assumptions)


def _array(x: Any) -> Any:
    return x.data if isinstance(x, Tensor) else x


def _tensors(out: Any) -> Iterator[Tensor]:
    if isinstance(out, Tensor):
        yield out
    elif isinstance(out, (tuple, list)):
        for part in out:
            yield from _tensors(part)
    elif isinstance(out, dict):
        yield from _tensors(tuple(out.values()))


def statistics(data: Any) -> dict[str, float] | None:
    """The least, greatest and mean entry of an array of numbers, and its norm."""
    if not data.size or data.dtype.kind not in "fiu":
        return None
    wide = data.astype(np.float64)
    largest = float(abs(wide).max())
    near = wide / largest if 0.0 < largest < np.inf else wide  # no square of it is too large, or too small
    norm = (near * near).sum() ** 0.5 * (largest if near is not wide else 1.0)
    found = {"min": wide.min(), "max": wide.max(), "mean": wide.mean(), "norm": norm}
    return {name: float(x) for name, x in found.items()}


def _source() -> Source | None:
    """The line, outside this package, that is being run."""
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame = frame.f_back
    if frame is None:
        return None
    file, line = frame.f_code.co_filename, frame.f_lineno
    return Source(file, line, linecache.getline(file, line).strip())
