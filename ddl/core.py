"""A tensor is a value and its place in the graph; a node is one application of an op."""

import functools
import inspect
import itertools
import threading
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

from . import arrays
from .arrays import mark_written

if TYPE_CHECKING:
    from .ops.methods import Methods
else:
    Methods = object  # ddl.ops attaches the methods; `Methods` shows them to readers and type checkers

_clock = itertools.count(1).__next__

_REFLECTED = {  # numpy's name of an operator with an array on its left, and the method by which the tensor answers
    "add": "__radd__",
    "subtract": "__rsub__",
    "multiply": "__rmul__",
    "divide": "__rtruediv__",
    "power": "__rpow__",
    "matmul": "__rmatmul__",
    "equal": "__eq__",
    "not_equal": "__ne__",
    "less": "__gt__",
    "less_equal": "__ge__",
    "greater": "__lt__",
    "greater_equal": "__le__",
}


class Tensor(Methods):
    """An array, and the node that made it (None: a constant that needs no gradient)."""

    __slots__ = ("__weakref__", "data", "node")
    __hash__ = object.__hash__

    def __init__(self, data: Any, node: "Node | None" = None):
        self.data = data
        self.node = node

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        return self.data.shape

    @property
    def ndim(self) -> int:  # type: ignore[override]
        return self.data.ndim

    @property
    def dtype(self) -> Any:
        return self.data.dtype

    @property
    def device(self) -> str:  # type: ignore[override]
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
        self.node = (self.node or Leaf(self.data.shape, self.dtype)) if wanted else None

    @property
    def grad(self) -> "Tensor | None":
        return self.node.grad if type(self.node) is Leaf else None

    @grad.setter
    def grad(self, value: "Tensor | None") -> None:
        if value is None and type(self.node) is not Leaf:
            return  # nothing is there to forget
        if type(self.node) is not Leaf:
            raise RuntimeError("grad can be set on leaf tensors that require a gradient only")
        if value is not None and not isinstance(value, Tensor):
            raise TypeError(f"a gradient is a tensor, but {type(value).__name__} was given; wrap it in ddl.tensor")
        if value is not None and value.shape != self.shape:
            raise ValueError(f"the gradient of a tensor of shape {self.shape} was given with shape {value.shape}")
        self.node.grad = value

    def detach(self) -> "Tensor":
        """The same values, cut from the graph; memory is shared."""
        return Tensor(self.data)

    def write(self, index: Any, value: Any) -> None:
        """Put `value` into `self.data[index]`; a graph that kept the old values will refuse to run backward."""
        if recording.on and (self.node is not None or (isinstance(value, Tensor) and value.node is not None)):
            raise RuntimeError(
                "a tensor that takes part in a graph was assigned to in place, which leaves no gradient; "
                "use ddl.where or ddl.concatenate, or do it under ddl.no_grad()"
            )
        if not isinstance(self.data, arrays.Spec):
            value = value.data if isinstance(value, Tensor) else value
            if arrays.is_array(value) and (there := arrays.device_of(value)) != self.device:
                if value.ndim:
                    raise TypeError(
                        f"values on {there} were to be written into a tensor on {self.device}; "
                        f"move them first with .to({self.device!r})"
                    )
                value = value.item()  # a number belongs to no device
            if arrays.is_array(value) and value.shape[:1] == (1,):  # numpy alone refuses one entry where a number is
                value = value.reshape(value.shape[next((i for i, n in enumerate(value.shape) if n != 1), value.ndim) :])
            self.data[index] = value
            mark_changed(self)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **_: Any) -> Any:
        """numpy's question where an array stands left of an operator: the answer is a tensor, as on the right."""
        if out is not None:
            raise TypeError(
                "an array was to be changed in place by a tensor; give it the tensor's array, as in "
                "`p.data -= 0.1 * p.grad.data`, or change the tensor: `with ddl.no_grad(): p -= 0.1 * p.grad`"
            )
        if method == "__call__" and ufunc.__name__ in _REFLECTED and inputs[-1] is self:
            return getattr(self, _REFLECTED[ufunc.__name__])(inputs[0])
        raise TypeError(
            f"numpy's {ufunc.__name__} was given a tensor, but it knows no gradients; "
            "use ddl's function, or give numpy the values alone with t.numpy()"
        )


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
    """A node that no op made: where a wanted gradient arrives. Each f of `told` is called with it after a backward."""

    __slots__ = ("dtype", "grad", "told")

    def __init__(self, shape: tuple[int, ...], dtype: Any):
        if dtype.kind != "f":
            raise TypeError(f"only floating-point tensors can require a gradient, but this one is {dtype}")
        super().__init__(None, (), {}, (), shape)
        self.dtype = dtype
        self.grad: Tensor | None = None
        self.told: tuple[Callable[[Tensor], Any], ...] = ()


class _Recording(threading.local):
    """Whether ops of this thread leave nodes behind; `with no_grad():` says no."""

    on = True


recording = _Recording()


class no_grad:
    """Inside `with no_grad():`, or a function decorated with it, ops compute values and record nothing."""

    def __new__(cls, f: Callable[..., Any] | None = None) -> Any:
        return super().__new__(cls) if f is None else cls()(f)  # as a decorator with parentheses or without

    def __init__(self) -> None:
        self.before: list[bool] = []

    def __enter__(self) -> None:
        self.before.append(recording.on)
        recording.on = False

    def __exit__(self, *_: Any) -> None:
        recording.on = self.before.pop()

    def __call__(self, f: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(f)
        def quiet(*args: Any, **kwargs: Any) -> Any:
            with no_grad():
                return f(*args, **kwargs)

        @functools.wraps(f)
        def quiet_steps(*args: Any, **kwargs: Any) -> Any:
            return (yield from _each_quiet(f(*args, **kwargs)))

        return quiet_steps if inspect.isgeneratorfunction(f) else quiet


def _each_quiet(steps: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
    """The same generator, recording nothing while it runs; between its steps its caller records as before."""
    resume: Callable[[Any], Any] = steps.send
    sent: Any = None
    while True:
        try:
            with no_grad():
                made = resume(sent)
        except StopIteration as end:
            return end.value
        try:
            resume, sent = steps.send, (yield made)
        except BaseException as error:  # for the generator to see, GeneratorExit too
            resume, sent = steps.throw, error
