"""A tensor is a value and its place in the graph; a node is one application of an op."""

import functools
import itertools
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from . import arrays
from .arrays import mark_written, module_of, owner, written_since

if TYPE_CHECKING:
    from .ops.methods import Methods
else:
    Methods = object  # ddl.ops attaches the methods; `Methods` shows them to readers and type checkers

_clock = itertools.count(1).__next__


class Tensor(Methods):
    """An array, and the node that made it (None: a constant that needs no gradient)."""

    __slots__ = ("__weakref__", "data", "node")
    __array_ufunc__ = None  # ndarray * Tensor is ours
    __hash__ = object.__hash__

    def __init__(self, data: Any, node: "Node | None" = None):
        self.data = data
        self.node = node

    @property
    def shape(self) -> tuple[int, ...]:
        return self.data.shape

    @property
    def ndim(self) -> int:
        return self.data.ndim

    @property
    def dtype(self) -> Any:
        return self.data.dtype

    @property
    def device(self) -> str:
        return arrays.device_of(self.data)

    @property
    def is_leaf(self) -> bool:
        return self.node is None or type(self.node) is Leaf

    @property
    def requires_grad(self) -> bool:
        return self.node is not None

    @requires_grad.setter
    def requires_grad(self, wanted: bool) -> None:
        if not self.is_leaf:
            raise RuntimeError(
                "requires_grad can be set on leaf tensors only; use detach() to cut a tensor from its graph"
            )
        if wanted and self.dtype.kind != "f":
            raise TypeError(f"only floating-point tensors can require a gradient, but this one is {self.dtype}")
        self.node = (self.node or Leaf(self.data.shape, self.dtype)) if wanted else None

    @property
    def grad(self) -> "Tensor | None":
        return self.node.grad if type(self.node) is Leaf else None

    @grad.setter
    def grad(self, value: "Tensor | None") -> None:
        if type(self.node) is not Leaf:
            raise RuntimeError("grad can be set on leaf tensors that require a gradient only")
        if value is not None and value.shape != self.shape:
            raise ValueError(f"the gradient of a tensor of shape {self.shape} was given with shape {value.shape}")
        self.node.grad = value

    def backward(self, gradient: Any = None, retain_graph: bool = True, create_graph: bool = False) -> None:
        """Add d self / d leaf to the `grad` of every leaf that requires one.

        `gradient` (the shape of self) may be left out for a tensor of one element, whose gradient is then 1. The graph
        is kept, so a second call accumulates; `retain_graph=False` frees it on the way, and a later call then raises.
        """
        if self.node is None:
            raise RuntimeError(
                "backward was asked of a tensor that does not require a gradient; no input had requires_grad=True"
            )
        seed = _seed(self, gradient, create_graph)
        found = _pull_back([(self.node, seed)], create_graph=create_graph, free=not retain_graph)
        taken = {owner(seed)}
        for leaf, g in found.items():
            if leaf.grad is not None:
                g = leaf.grad + g if create_graph else leaf.grad.data + g
            elif not create_graph:
                g = _own(g, taken)
            leaf.grad = g if create_graph else Tensor(arrays.boxed(g))

    def detach(self) -> "Tensor":
        """The same values, cut from the graph; memory is shared."""
        return Tensor(self.data)

    def write(self, index: Any, value: Any) -> None:
        """Put `value` into `self.data[index]` in place; a graph that kept the old values will refuse to run backward."""
        if recording.on and (self.node is not None or (isinstance(value, Tensor) and value.node is not None)):
            raise RuntimeError(
                "a tensor that takes part in a graph was assigned to in place, which leaves no gradient; "
                "use ddl.where or ddl.concatenate, or do it under ddl.no_grad()"
            )
        if not isinstance(self.data, arrays.Spec):
            self.data[index] = value.data if isinstance(value, Tensor) else value
            mark_changed(self)


def mark_changed(t: Tensor) -> None:
    """Say that the values of `t` were changed in place, so that graphs which kept them refuse to run backward."""
    mark_written(t.data, _clock())


class Node:
    """One application of an op: to whose outputs, with which settings, keeping what for its gradient."""

    __slots__ = ("born", "op", "params", "parents", "saved", "shape")

    def __init__(self, op: Any, parents: tuple, params: dict[str, Any], saved: Any, shape: tuple[int, ...]):
        self.op = op
        self.parents = parents
        self.params = params
        self.saved = saved
        self.shape = shape
        self.born = _clock()


class Leaf(Node):
    """A node that no op made: where a wanted gradient arrives."""

    __slots__ = ("dtype", "grad")

    def __init__(self, shape: tuple[int, ...], dtype: Any):
        super().__init__(None, (), {}, (), shape)
        self.dtype = dtype
        self.grad: Tensor | None = None


class recording:
    """Whether ops leave nodes behind; `with no_grad():` says no."""

    on = True


class no_grad:
    """Inside `with no_grad():`, or a function decorated with it, ops compute values and record nothing."""

    def __enter__(self) -> None:
        self.was, recording.on = recording.on, False

    def __exit__(self, *_: Any) -> None:
        recording.on = self.was

    def __call__(self, f: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(f)
        def quiet(*args: Any, **kwargs: Any) -> Any:
            with no_grad():
                return f(*args, **kwargs)

        return quiet


def _seed(y: Tensor, gradient: Any, create_graph: bool) -> Any:
    """The gradient that backward starts from: an array, or a tensor where the walk back is itself recorded."""
    if gradient is None:
        if y.shape and any(n != 1 for n in y.shape):
            raise RuntimeError(
                f"backward without a gradient needs a tensor of one element, but its shape is {y.shape}; "
                "reduce it (.sum(), .mean()) or pass gradient="
            )
        gradient = module_of(y.data).ones_like(y.data)
    value = gradient.data if isinstance(gradient, Tensor) else arrays.as_array(gradient)
    if value.shape != y.shape:
        raise ValueError(f"the gradient of a tensor of shape {y.shape} was given with shape {value.shape}")
    if not create_graph:
        return value
    return gradient if isinstance(gradient, Tensor) else Tensor(value)


def _own(g: Any, taken: set[int]) -> Any:
    """`g` itself, or a copy where its memory is read-only or already somebody else's gradient."""
    flags = getattr(g, "flags", None)
    if owner(g) in taken or not getattr(flags, "writeable", True):
        g = g.copy()
    taken.add(owner(g))
    return g


def walk(*roots: Node) -> list[Node]:
    """The nodes that `roots` depend on, latest born first: a node is always younger than its parents."""
    found = list(dict.fromkeys(roots))
    seen = set(found)
    for node in found:
        for parent in node.parents:
            if parent is not None and parent not in seen:
                seen.add(parent)
                found.append(parent)
    found.sort(key=attrgetter("born"), reverse=True)
    return found


def sum_to(g: Any, shape: tuple[int, ...]) -> Any:
    """Undo broadcasting: sum `g` down to `shape`."""
    lead = g.ndim - len(shape)
    axes = tuple(range(lead)) + tuple(i + lead for i, n in enumerate(shape) if n == 1 and g.shape[i + lead] != 1)
    return (g.sum(axis=axes, keepdims=True) if axes else g).reshape(shape)


def _pull_back(
    roots: Sequence[tuple[Node, Any]], wanted: Iterable[Node] = (), create_graph: bool = False, free: bool = False
) -> dict[Any, Any]:
    """Pull gradients from `roots` to the leaves, and to the nodes `wanted` on the way: {node: gradient}."""
    grads: dict[Node, Any] = {}
    for node, seed in roots:
        grads[node] = grads[node] + seed if node in grads else seed
    wanted, found, sums = set(wanted), {}, set()  # sums: gradients whose memory is ours to add to
    order = walk(*grads)
    order.reverse()
    while order:
        node = order.pop()
        g = grads.pop(node, None)
        if g is None:
            continue
        op = node.op
        if op is None or node in wanted:
            found[node] = g if op is not None or g.dtype == node.dtype else g.astype(node.dtype)
            if op is None:
                continue
        saved = node.saved
        if saved is None:
            raise RuntimeError(
                f"backward through {op.name} was asked a second time, but its graph was freed; "
                "run the forward pass again, or keep the graph with retain_graph=True"
            )
        if written_since(saved, node.born):
            raise RuntimeError(
                f"backward through {op.name} needs values that were changed in place after it ran; "
                "make the change after backward, or on a copy"
            )
        if op.adds_into is not None and not create_graph:  # a part of an array: add to that part, not a padded copy
            parent = node.parents[0]
            if parent not in sums:
                start = module_of(g).zeros(parent.shape, dtype=g.dtype)
                grads[parent] = start + grads[parent] if parent in grads else start
                sums.add(parent)
            op.adds_into(grads[parent], g, **node.params)
            if free:
                node.saved, node.parents = None, ()
            continue
        try:
            pulled = list(op.pull(node, g, op.lift(node) if create_graph else saved))
        except Exception as error:
            error.add_note(f"in the backward of {op.name}, gradient {g.dtype}{list(g.shape)}")
            raise
        if free:
            node.saved, node.parents = None, ()
        for parent, gp in pulled:
            if parent is None:
                continue
            if gp is None:
                raise NotImplementedError(
                    f"a gradient of {op.name} was asked for with respect to an input that has none"
                )
            if gp.shape != parent.shape:
                gp = sum_to(gp, parent.shape)
            old = grads.get(parent)
            if old is None:
                grads[parent] = gp
            elif parent in sums:
                old += gp
                grads[parent] = old  # numpy's 0-d results are values: += made a new one
            else:
                grads[parent] = old + gp
                if not create_graph:
                    sums.add(parent)
    return found


def grad(outputs: Any, inputs: Any, grad_outputs: Any = None, create_graph: bool = False) -> Any:
    """The gradients of `outputs` with respect to `inputs`, which need not be leaves; no `grad` attribute changes.

    One tensor or a list of tensors on either side; the result has the form of `inputs`. `grad_outputs`, in the form of
    `outputs`, may be left out for outputs of one element. With `create_graph=True` the results can be differentiated
    again. An input that no output depends on gets zeros.
    """
    ys = [outputs] if isinstance(outputs, Tensor) else list(outputs)
    xs = [inputs] if isinstance(inputs, Tensor) else list(inputs)
    seeds = [grad_outputs] if isinstance(outputs, Tensor) else list(grad_outputs or [None] * len(ys))
    for place, x in enumerate(xs):
        if x.node is None:
            raise RuntimeError(
                f"grad was asked for input {place}, which does not require a gradient; set requires_grad=True"
            )
    roots = [(y.node, _seed(y, seed, create_graph)) for y, seed in zip(ys, seeds) if y.node is not None]
    found = _pull_back(roots, [x.node for x in xs], create_graph)
    gs = [found[x.node] if x.node in found else module_of(x.data).zeros_like(x.data) for x in xs]
    tensors = [g if isinstance(g, Tensor) else Tensor(arrays.boxed(g)) for g in gs]
    return tensors[0] if isinstance(inputs, Tensor) else tensors
