"""A roofline and a timeline: what each op costs on this machine, and what the machine could do."""

from dataclasses import replace

import numpy as np

from ..arrays import device_of, is_array
from ..core import Tensor
from ..figures import COLORS, figure, png
from ..graph import Graph, costs, trace
from ..graph.timing import ceilings, seconds
from ..machine.profile import Profile
from ..machine.roofline import Op, attainable, beside_ceilings, number, time
from ..nn import GELU, LayerNorm, Linear, Sequential
from .base import Widget

TABLED = 12  # that are listed


class Roofline(Widget, bundle="roofline"):
    """`Roofline(model, x)` times each op that model(x) runs; a graph takes the inputs that `graph.run` does.

    An op of I operations a byte can reach min(most operations, I x most bytes) a second: the most that a matmul, or
    an op of this run, computes and that a copy moves; what fits in the cache can move faster. Times are the least of a
    few runs, without a gradient. Of up to 150 ops all are shown. `Roofline(seen)` shows what `ddl.profile` saw.
    """

    def __init__(self, what=None, *inputs, measure=None):
        self.seen = what if isinstance(what, Profile) else None
        self.graph, self.inputs = (None, ()) if self.seen else _traced(what, inputs)
        self.measure = measure or measured
        super().__init__(self.weighed())

    def weighed(self):
        return self.seen.roofline() if self.seen else weighed(self.graph, *self.measure(self.graph, self.inputs))

    def plain(self, state):
        reach = [attainable(op, state) for op in state.ops]
        ops = [op._asdict() | {"reach": top} for op, top in zip(state.ops, reach)]
        return state._asdict() | {"ops": ops, "tabled": TABLED}

    def describe(self, state):
        return "\n".join(_lines(state))

    def picture(self, state):
        return _picture(state)

    def change(self, again):
        return self.weighed()


def roofline(what=None, *inputs):
    """What each op of a graph, of model(x), or of what a profile saw, costs on this machine: a `Roofline`."""
    return Roofline(what, *inputs)


def measured(graph, inputs):
    """Seconds by op, and the two ceilings, of this machine as it is now."""
    arrays = (x.data if isinstance(x, Tensor) else x for x in [*inputs, *(node.value for node in graph.nodes)])
    beside = next((x for x in arrays if is_array(x) and x.dtype.kind == "f"), np.zeros(1, np.float32))
    return seconds(graph, *inputs), ceilings(beside)


def weighed(graph, times, most):
    """The ops of a graph with their costs and these times."""
    ops = [
        Op(node.op, node.scope, f"{node.source.file}:{node.source.line}  {node.source.text}" if node.source else "",
           int(node.flops), int(node.bytes), 1e6 * times[node.id])
        for node in graph.nodes
        if node.kind == "op" and node.id in times
    ]  # fmt: skip
    return beside_ceilings(ops, most)


def _traced(what, inputs):
    if what is None:
        rng = np.random.default_rng(0)
        what = Sequential(Linear(256, 1024, rng=rng), GELU(), Linear(1024, 256, rng=rng), LayerNorm(256))
        inputs = (Tensor(rng.normal(size=(64, 256)).astype(np.float32)),)
    if isinstance(what, Graph):
        inputs = inputs or tuple(what.nodes[i].value for i in what.inputs)
        graph = what
    elif callable(what):
        graph = trace(what, *inputs)
    else:
        raise TypeError(f"roofline takes a graph, a profile, or a model and its inputs, but {what!r} was given")
    given = [x.data if isinstance(x, Tensor) else x for x in inputs]
    if not all(isinstance(x, list) or (is_array(x) and device_of(x) != "spec") for x in given):
        raise ValueError(
            "roofline times a run, so it needs inputs with numbers: roofline(model, x), where x is a tensor"
        )
    graph = replace(graph, nodes=[replace(node) for node in graph.nodes], edges=[*graph.edges])
    costs(graph)
    return graph, inputs


def told(op, state):
    """An op's numbers in words."""
    share = op.microseconds / state.microseconds
    said = f"{time(op.microseconds)}, {share:.1%}; {number(op.flops, 'FLOP')}, {number(op.bytes, 'B')}"
    reach = attainable(op, state)
    if reach is None:
        return f"{said}; no arithmetic" if not op.flops else said
    rate = op.flops / op.microseconds * 1e6
    return (
        f"{said}: {op.flops / op.bytes:.3g} FLOP a byte, {number(rate, 'FLOP/s')}, {100 * rate / reach['flops']:.2g}% "
        f"of what {reach['limit']} allows"
    )


def longest(state):
    return sorted(state.ops, key=lambda op: -op.microseconds)[:TABLED]


def _lines(state):
    yield (
        f"{len(state.ops) + state.left_out} ops in {time(state.microseconds)}. This machine reaches "
        f"{number(state.most_flops, 'FLOP/s')} at best and moves {number(state.most_bytes, 'B/s')} in a large copy"
        "; what fits in its cache can be faster."
    )
    if state.left_out:
        yield f"Shown are the {len(state.ops)} that take longest."
    for op in longest(state):
        yield f"{op.name}{f' in {op.scope}' if op.scope else ''}: {told(op, state)}"


def _picture(state):
    made = figure(720, 420)
    roof, line = made.subplots(2, 1, height_ratios=(3, 1))
    dots = [(op, attainable(op, state)) for op in state.ops if op.flops and op.bytes]
    ridge = state.most_flops / state.most_bytes
    intensity = [op.flops / op.bytes for op, _ in dots] + [ridge]
    x = np.geomspace(min(intensity) / 2, max(intensity) * 4, 100)
    roof.loglog(x, np.minimum(state.most_flops, x * state.most_bytes), color="#222222", label="what the machine can do")
    for limit, color, mark in (("memory", COLORS[0], "o"), ("arithmetic", COLORS[1], "s")):
        those = [op for op, reach in dots if reach["limit"] == limit]
        rates = [op.flops / op.microseconds * 1e6 for op in those]
        roof.scatter(
            [op.flops / op.bytes for op in those], rates, color=color, marker=mark, label=f"limited by {limit}"
        )
    roof.set(xlabel="operations a byte", ylabel="operations a second")
    roof.margins(0.05, 0.15)
    roof.legend(fontsize=8, loc="lower right")
    for op in sorted((op for op, _ in dots), key=lambda op: -op.microseconds)[:4]:
        at = (op.flops / op.bytes, op.flops / op.microseconds * 1e6)
        roof.annotate(op.name, at, xytext=(5, -10), textcoords="offset points", fontsize=8)
    start = 0.0
    for i, op in enumerate(state.ops):
        line.barh(0, op.microseconds, left=start, color=COLORS[i % 6], edgecolor="white")
        if op.microseconds > 0.06 * state.microseconds:
            line.text(start + op.microseconds / 2, 0, op.name, ha="center", va="center", color="white", fontsize=8)
        start += op.microseconds
    line.set(yticks=[], xlabel="microseconds, one op after the other", xlim=(0, start))
    return png(made)
