"""An op is two plain functions and a line of table: one computes, one pulls the gradient back, the line names it."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .arrays import FLOAT64, as_real, module_of, narrowed, plain
from .core import Node, Tensor, recording
from .faults import explain, numbers_moved, shapes_alone
from .rule import Rule, picker


class Op:
    """One definition: `forward` computes, `vjp` pulls gradients back, `tex` writes the formula."""

    def __init__(
        self,
        forward: Callable[..., Any],
        tex: str = "",
        binds: int = 9,
        saves: Sequence[str] = (),
        smooth: bool = True,
        real: bool = False,
    ):
        given = list(inspect.signature(forward).parameters.values())
        self.__signature__ = inspect.Signature([p for p in given if p.name != "xp"])
        names = [p.name for p in given if p.kind != p.KEYWORD_ONLY]
        self.wants_xp = names[0] == "xp"
        self.variadic = any(p.kind == p.VAR_POSITIONAL for p in given)
        self.inputs = tuple(names[1:] if self.wants_xp else names)
        self.settings = tuple(p.name for p in given if p.kind == p.KEYWORD_ONLY)
        self.defaults = {p.name: p.default for p in given if p.kind == p.KEYWORD_ONLY and p.default is not p.empty}
        self.name, self.__doc__, self.forward = forward.__name__, forward.__doc__, forward
        self.tex, self.binds, self.saves, self.smooth, self.real = tex, binds, tuple(saves), smooth, real
        self.kernels: dict[str, Callable[..., Any]] = {}
        self.shapes = {f"{n}_shape": i for i, n in enumerate(self.inputs)}  # a rule may ask for a shape alone
        self.asks_shapes = False
        self.scope = ("out", *self.inputs, *self.saves)  # what a rule may ask for by name
        self.joint: Callable[..., Any] | None = None
        self.joint_kernels: dict[str, Callable[..., Any]] = {}
        # of one input, where g is the gradient of a part of it: adds g to that part of the input's gradient
        self.adds_into: Callable[..., None] | None = None
        self.rules: dict[str, Callable[..., Any] | None] = {}
        self.pulls: tuple[Any, ...] = ()
        self.keeps: tuple[str, ...] = ()
        self.keep: Callable[[tuple], tuple] = picker(())
        self.run: Callable[..., Any] = self.on_module if self.wants_xp or real else forward

    def __repr__(self) -> str:
        return f"<op {self.name}({', '.join(self.inputs)})>"

    def vjp(self, joint: Any = None, /, **each: Any) -> Any:
        """The pull-back: one rule per input (`x=lambda g, y: g * y`), or one function for all of them.

        An input whose gradient does not exist (an index, a mask) is given as None.
        """
        rules = {n: self.rule(fn) for n, fn in ({"": joint} if joint else each).items() if fn}
        asked = {n for r in rules.values() for n in r.needs} | set(self.inputs if self.saves else ())
        self.keeps = tuple(n for n in self.scope if n in asked)
        self.keep = picker(self.scope.index(n) for n in self.keeps)
        self.asks_shapes = any(n in self.shapes for r in rules.values() for n in r.settings)
        bound = {n: r.bind(self.keeps) for n, r in rules.items()}
        if joint:
            self.joint = bound[""]
        else:
            self.rules = {n: bound.get(n) for n in each}
            self.pulls = tuple(self.rules.get(n, self.missing(n)) for n in self.inputs)
        return joint

    def rule(self, fn: Callable[..., Any]) -> Rule:
        return Rule(fn, self.scope, (*self.settings, *self.shapes))

    def missing(self, name: str) -> Callable[..., Any]:
        def refuse(*_: Any) -> Any:
            raise NotImplementedError(
                f"the gradient of {self.name} with respect to {name} was asked for, but it has no rule"
            )

        return refuse

    def kernel(self, module: str) -> Callable[[Any], Any]:
        """Let a function stand in for the definition on one array module; it may return NotImplemented to decline."""
        self.run = self.on_module

        def stand_in(fn: Any) -> Any:
            self.kernels[module] = fn
            return fn

        return stand_in

    def vjp_kernel(self, module: str) -> Callable[[Any], Any]:
        """Let a function of the same parameters stand in for the joint pull-back on one array module."""

        def stand_in(fn: Any) -> Any:
            self.joint_kernels[module] = self.rule(fn).bind(self.keeps)
            return fn

        return stand_in

    def __call__(self, *inputs: Any, **params: Any) -> Any:
        if len(inputs) > len(self.inputs) and not self.variadic:
            inputs, params = self.with_settings(inputs, params)
        data, parents, lifted, live = [], [], False, False
        for x in inputs:
            if isinstance(x, Tensor):
                node = x.node
                data.append(x.data)
                parents.append(node)
                lifted = True
                if node is not None:
                    live = True
            else:
                data.append(plain(x))
                parents.append(None)
        if not lifted:  # within a rule: a numpy scalar is a 0-d array, and keeps its dtype
            data = list(inputs)
        if len(data) < len(self.inputs) and not self.variadic:  # inputs left out, such as a bias
            absent = [None] * (len(self.inputs) - len(data))
            data, parents = data + absent, parents + absent
        if self.defaults:
            params = {**self.defaults, **params}
        try:
            out = self.run(*data, **params)
        except Exception as error:  # costs nothing until it happens
            if (moved := numbers_moved(inputs)) is not None:
                return self(*moved, **params)
            if (unknown := shapes_alone(data, params)) is None:
                explain(self, error, data, params)
                raise
            data = unknown
            out = self.run(*data, **params)
        extra: Any = ()
        if self.saves:
            out, *extra = out
        if not lifted:
            return out
        if out.dtype is FLOAT64 and not self.saves and (narrow := narrowed(data)):
            data = narrow
            out = self.run(*data, **params)
        if isinstance(out, np.generic):
            out = np.asarray(out)
        if not (live and self.smooth and recording.on):
            return Tensor(out)
        kept = self.keep((out, tuple(data)) if self.variadic else (out, *data, *extra))
        return Tensor(out, Node(self, tuple(parents), params, kept, out.shape))

    def with_settings(self, given: tuple, params: dict[str, Any]) -> tuple[tuple, dict[str, Any]]:
        """Inputs and settings, where some settings were given by place."""
        extra = given[len(self.inputs) :]
        taken = [n for n in self.settings[: len(extra)] if n in params]
        if len(extra) > len(self.settings) or taken:
            raise TypeError(
                f"{self.name}{self.__signature__} was called with {len(given)} arguments and {sorted(params)}"
            )
        return given[: len(self.inputs)], dict(zip(self.settings, extra)) | params

    def on_module(self, *data: Any, **params: Any) -> Any:
        """Run the kernel for these arrays' module if there is one, else the definition."""
        if self.real:
            data = tuple(map(as_real, data))
        xp = module_of(*data)
        kernel = self.kernels.get(xp.__name__) if self.kernels else None
        if kernel is not None:
            out = kernel(*data, **params)
            if out is not NotImplemented:
                return out
        return self.forward(xp, *data, **params) if self.wants_xp else self.forward(*data, **params)

    def pull(self, node: Node, g: Any, saved: tuple) -> Any:
        """The gradient of each input that has a node, from the gradient `g` of the output: (parent, gradient) pairs."""
        params = node.params
        if self.asks_shapes:
            known = {n: node.parents[i].shape for n, i in self.shapes.items() if node.parents[i] is not None}
            params = {**params, **known}
        if self.joint is None:
            if not self.pulls:
                raise NotImplementedError(f"the gradient of {self.name} was asked for, but it has no rule")
            return [
                (parent, rule and rule(g, saved, params))
                for parent, rule in zip(node.parents, self.pulls)
                if parent is not None
            ]
        pulled = NotImplemented
        if self.joint_kernels and type(g) is not Tensor:  # a kernel only ever sees arrays; a trace sees the rule
            kernel = self.joint_kernels.get(module_of(g).__name__)
            pulled = kernel(g, saved, params) if kernel else NotImplemented
        if pulled is NotImplemented:
            pulled = self.joint(g, saved, params)
        if not isinstance(pulled, (tuple, list)) or len(pulled) != len(node.parents):
            raise NotImplementedError(
                f"the pull-back of {self.name} must give one gradient for each of its {len(node.parents)} inputs, "
                f"in a tuple, but gave {len(pulled) if isinstance(pulled, (tuple, list)) else type(pulled).__name__}"
            )
        return [(parent, gp) for parent, gp in zip(node.parents, pulled) if parent is not None]

    def lift(self, node: Node) -> tuple:
        """What the node kept, put back in the graph, so that the pull-back can itself be pulled back."""
        kept = dict(zip(self.keeps, node.saved))
        live = {n: p for n, p in zip(self.inputs, node.parents) if p is not None and not self.variadic}
        for name in live.keys() & kept.keys():
            kept[name] = Tensor(kept[name], live[name])
        if self.variadic:
            kept = {n: tuple(Tensor(x, p) for x, p in zip(xs, node.parents)) for n, xs in kept.items()}
        if "out" in kept:
            kept["out"] = Tensor(kept["out"], node)
        if self.saves:  # intermediates are functions of the inputs: trace them anew
            _, *extra = self.forward(*(kept[n] for n in self.inputs), **node.params)
            kept.update((n, e) for n, e in zip(self.saves, extra) if n in kept)
        return tuple(kept[n] for n in self.keeps)


class Unary(Op):
    """An op of one array and no settings: the same call, without the loop."""

    def __call__(self, x: Any) -> Any:
        if not isinstance(x, Tensor):
            return self.run(x)
        a, node = x.data, x.node
        try:
            out = self.run(a)
        except Exception as error:
            explain(self, error, (a,), NO_SETTINGS)
            raise
        if isinstance(out, np.generic):
            out = np.asarray(out)
        if node is None or not recording.on:
            return Tensor(out)
        return Tensor(out, Node(self, (node,), NO_SETTINGS, self.keep((out, a)), out.shape))


class Binary(Op):
    """An op of two arrays and no settings: the same call and the same pull, without the loop."""

    def pull(self, node: Node, g: Any, saved: tuple) -> Any:
        (p, q), pulls = node.parents, self.pulls
        if self.asks_shapes or not (p and q and pulls and pulls[0] and pulls[1]):
            return super().pull(node, g, saved)
        return (p, pulls[0](g, saved, NO_SETTINGS)), (q, pulls[1](g, saved, NO_SETTINGS))

    def __call__(self, x: Any, y: Any) -> Any:
        if isinstance(x, Tensor):
            a, p, lifted = x.data, x.node, True
        else:
            a, p, lifted = plain(x), None, False
        if isinstance(y, Tensor):
            b, q, lifted = y.data, y.node, True
        else:
            b, q = plain(y), None
        if not lifted:
            a, b = x, y
        try:
            out = self.run(a, b)
        except Exception as error:
            if (moved := numbers_moved((x, y))) is not None:
                return self(*moved)
            explain(self, error, (a, b), NO_SETTINGS)
            raise
        if not lifted:
            return out
        if out.dtype is FLOAT64 and (narrow := narrowed((a, b))):
            a, b = narrow
            out = self.run(a, b)
        if isinstance(out, np.generic):
            out = np.asarray(out)
        if (p is None and q is None) or not recording.on:
            return Tensor(out)
        return Tensor(out, Node(self, (p, q), NO_SETTINGS, self.keep((out, a, b)), out.shape))


NO_SETTINGS: dict[str, Any] = {}


def op(
    tex: str = "", saves: Sequence[str] = (), binds: int = 9, smooth: bool = True, real: bool = False
) -> Callable[[Callable[..., Any]], Op]:
    """Declare an op. Decorates the plain array function that computes it.

    `tex` is its formula with the inputs' names in braces; `binds` says how tightly (1: like +, 2: like *, 9: an atom).
    `saves` names further results of the function, kept for the pull-back and not returned to the caller.
    `smooth=False` marks a function of steps (a comparison, argmax): its results are constants to the graph.
    `real=True` marks a function of real numbers: integers and booleans come to it as float64.
    """

    def declare(forward: Callable[..., Any]) -> Op:
        given = [p for p in inspect.signature(forward).parameters.values() if p.name != "xp"]
        simple = smooth and not saves and all(p.kind not in (p.KEYWORD_ONLY, p.VAR_POSITIONAL) for p in given)
        kind = {1: Unary, 2: Binary}.get(len(given), Op) if simple else Op
        return kind(forward, tex, binds, saves, smooth, real)

    return declare
