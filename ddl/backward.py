"""The walk back: from a result to everything it depends on, latest first, gradients adding up on the way."""

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any

from . import arrays
from .arrays import module_of, owner, written_since
from .core import Leaf, Node, Tensor
from .sums import summed


def backward(y: Tensor, gradient: Any = None, retain_graph: bool = True, create_graph: bool = False) -> None:
    """Add d y / d leaf to the `grad` of every leaf that requires one; `Tensor.backward` says more."""
    if y.node is None:
        raise RuntimeError(
            "backward was asked of a tensor that does not require a gradient; no input had requires_grad=True"
        )
    seed = _seed(y, gradient, create_graph)
    found = _pull_back([(y.node, seed)], create_graph=create_graph, free=not retain_graph)
    taken = {_memory(seed)}
    for leaf, g in found.items():
        if leaf.grad is not None:
            g = leaf.grad + g if create_graph else leaf.grad.data + g
        else:
            g = _own(g, taken)
        leaf.grad = g if create_graph else Tensor(arrays.boxed(g))
        for tell in leaf.told:
            tell(leaf.grad)


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
    """`g` itself, or a copy where its memory is read-only, not its own, or already somebody else's gradient."""
    array = g.data if isinstance(g, Tensor) else g
    flags = getattr(array, "flags", None)
    if _memory(g) in taken or not getattr(flags, "writeable", True) or 0 in getattr(array, "strides", ()):
        g = g * 1.0 if isinstance(g, Tensor) else g.copy()  # a tensor's copy stays in the graph
    taken.add(_memory(g))
    return g


def _memory(g: Any) -> int:
    return owner(g.data if isinstance(g, Tensor) else g)


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
    return (summed(g, axes, keepdims=True) if axes else g).reshape(shape)


def unbroadcast(g: Any, shape: tuple[int, ...], op: str) -> Any:
    """`g` summed to the shape of the input that it is the gradient of; a wrong rule's shape is refused."""
    lead = g.ndim - len(shape)
    if lead < 0 or any(n not in (1, m) for n, m in zip(shape, g.shape[lead:])):
        raise ValueError(
            f"the pull-back of {op} gave a gradient of shape {tuple(g.shape)} for an input of shape {shape}; "
            "a gradient has its input's shape, or one that broadcasting made of it"
        )
    return sum_to(g, shape)


def _pull_back(
    roots: Sequence[tuple[Node, Any]], wanted: Iterable[Node] = (), create_graph: bool = False, free: bool = False
) -> dict[Any, Any]:
    """Pull gradients from `roots` to the leaves, and to the nodes `wanted` on the way: {node: gradient}."""
    grads = _Sums(in_place=not create_graph)
    for node, seed in roots:
        if node in grads:
            grads.add(node, seed)
        else:
            grads[node] = seed
    wanted, found = set(wanted), {}
    order = walk(*grads)
    order.reverse()
    while order:
        node = order.pop()
        g = grads.pop(node, None)
        if g is None:
            continue
        if node.op is None or node in wanted:
            found[node] = g if type(node) is not Leaf or g.dtype == node.dtype else g.astype(node.dtype)
        if node.op is None:
            continue
        saved = node.saved
        if saved is None or written_since(saved, node.born):
            raise lost(node)
        if node.op.adds_into is not None and not create_graph:
            node.op.adds_into(grads.memory(node.parents[0], g), g, **node.params)
        else:
            try:
                pulled = node.op.pull(node, g, node.op.lift(node) if create_graph else saved)
            except Exception as error:
                error.add_note(f"in the backward of {node.op.name}, gradient {g.dtype}{list(g.shape)}")
                raise
            for parent, gp in pulled:
                if gp is None:
                    raise NotImplementedError(
                        f"a gradient of {node.op.name} was asked for with respect to an input that has none"
                    )
                if gp.shape != parent.shape:
                    gp = unbroadcast(gp, parent.shape, node.op.name)
                if parent in grads:
                    grads.add(parent, gp)
                else:
                    grads[parent] = gp
        if free:
            node.saved, node.parents = None, ()
    return found


class _Sums(dict):
    """The gradient that has arrived at each node so far."""

    def __init__(self, in_place: bool):
        self.in_place = in_place
        self.ours: set[Node] = set()  # those whose memory no other gradient shares, so that it can be added to

    def add(self, node: Node, g: Any) -> None:
        if node in self.ours:
            self[node] += g
        else:
            self[node] = self[node] + g
            if self.in_place:
                self.ours.add(node)

    def memory(self, node: Node, like: Any) -> Any:
        """An array for the gradient of `node`, to whose parts can be added: a part needs no padded copy of its own."""
        if node not in self.ours:
            start = module_of(like).zeros(node.shape, dtype=like.dtype)
            self[node] = start + self[node] if node in self else start
            self.ours.add(node)
        return self[node]


def lost(node: Node) -> RuntimeError:
    """Why what a node kept for its pull-back cannot be used."""
    if node.saved is None:
        return RuntimeError(
            f"backward through {node.op.name} was asked a second time, but its graph was freed; "
            "run the forward pass again, or keep the graph with retain_graph=True"
        )
    return RuntimeError(
        f"backward through {node.op.name} needs values that were changed in place after it ran; "
        "make the change after backward, or on a copy"
    )


def grad(outputs: Any, inputs: Any, grad_outputs: Any = None, create_graph: bool = False) -> Any:
    """The gradients of `outputs` with respect to `inputs`, which need not be leaves; no `grad` attribute changes.

    One tensor or a list of tensors on either side; the result has the form of `inputs`. `grad_outputs`, in the form of
    `outputs`, may be left out for outputs of one element. With `create_graph=True` the results can be differentiated
    again. An input that no output depends on gets zeros.
    """
    ys = [outputs] if isinstance(outputs, Tensor) else list(outputs)
    xs = [inputs] if isinstance(inputs, Tensor) else list(inputs)
    seeds = [grad_outputs] if isinstance(outputs, Tensor) else list(grad_outputs or [None] * len(ys))
    if len(seeds) != len(ys):
        raise ValueError(f"grad was given {len(ys)} outputs and {len(seeds)} grad_outputs; give one for each, or none")
    for place, x in enumerate(xs):
        if x.node is None:
            raise RuntimeError(
                f"grad was asked for input {place}, which does not require a gradient; set requires_grad=True"
            )
    roots = [(y.node, _seed(y, seed, create_graph)) for y, seed in zip(ys, seeds) if y.node is not None]
    found = _pull_back(roots, [x.node for x in xs], create_graph)
    gs = [found[x.node] if x.node in found else module_of(x.data).zeros_like(x.data) for x in xs]
    taken = {_memory(seed) for _, seed in roots}
    owned = [_own(g, taken) for g in gs]
    tensors = [g if isinstance(g, Tensor) else Tensor(arrays.boxed(g)) for g in owned]
    return tensors[0] if isinstance(inputs, Tensor) else tensors
