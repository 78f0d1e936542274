"""An ONNX graph as it grows: nodes, initializers, and sizes that are known only when it runs."""

from typing import Any, NamedTuple

import numpy as np

from ...shape_rules import broadcast
from ...sizes import Quotient, Size, name, named
from .refusals import no_origin, unknown_number

OPSET, IR = 20, 9  # of ONNX 1.15, which runtimes since the end of 2023 can run

INT = np.dtype(np.int64)


class Value(NamedTuple):
    """What a node gives: its name in the ONNX graph, its shape with named sizes, its dtype."""

    name: str
    shape: tuple
    dtype: np.dtype

    @property
    def ndim(self) -> int:
        return len(self.shape)


class Writer:
    """Rows of the table write with it; where an input is wanted, a number stands for a constant of the first's dtype.

    `scope` is the module whose nodes are being written, and begins their names. `known` says whether the graph was
    recorded with values: where it was not, NaN stands for a number that nobody knew. `values` are those that it lacks.
    """

    def __init__(self, onnx: Any, known: bool, values: Any):
        self.onnx, self.known, self.values = onnx, known, values
        self.scope = ""
        self.nodes: list[Any] = []
        self.initializers: list[Any] = []
        self.names: dict[str, int] = {}  # and how many more were made of each
        self.unknown: set[str] = set()  # what has sizes that depend on values
        self.constants: dict[Any, Value] = {}
        self.sizes: dict[Any, Value] = {}  # vectors of one entry
        self.origins: dict[Any, tuple[Value, int]] = {}  # which axis of which input has a named size

    # ---- nodes
    def op(
        self, kind: str, *inputs: Any, shape: Any = None, dtype: Any = None, place: int = 0, **attributes: Any
    ) -> Value:
        """A result of an ONNX operator, of the dtype of its first input and all inputs' common shape unless told.

        `place` says which of its results is meant.
        """
        first = next(x for x in inputs if isinstance(x, Value))
        xs = [x if x is None or isinstance(x, Value) else self.cast(x, first.dtype) for x in inputs]
        label = self.free(f"{self.scope}/{kind}" if self.scope else kind)
        shape = broadcast(*(x.shape for x in xs if x)) if shape is None else tuple(shape)
        results = [self.free(f"{label}/unused") for _ in range(place)] + [label]
        given = [x.name if x else "" for x in xs]
        self.nodes.append(self.onnx.helper.make_node(kind, given, results, name=label, **attributes))
        if self.unknown.intersection(given):
            self.unknown.add(label)
        return Value(label, shape, np.dtype(dtype or first.dtype))

    def cast(self, x: Any, dtype: Any) -> Value:
        """x in this dtype; a Python number or a size becomes a constant."""
        dtype = np.dtype(dtype)
        if isinstance(x, Size):
            x = self.op("Squeeze", self.size(x), self.axes(0), shape=())
        if not isinstance(x, Value):
            if not self.known and x != x:
                unknown_number(self.scope)
            return self.constant(np.asarray(x).astype(dtype), str(x))
        if x.dtype == dtype:
            return x
        return self.op("Cast", x, dtype=dtype, to=self.type_of(dtype))

    def result(self, x: Value, label: str) -> Any:
        """Let a value be a result of the graph."""
        label = self.free(label)
        self.nodes.append(self.onnx.helper.make_node("Identity", [x.name], [label], name=label))
        return self.info(x._replace(name=label))

    def input(self, node: Any, label: str) -> Value:
        """An input of the graph, by its name or else by this one; its axes say how large named sizes are."""
        x = Value(self.free(node.name or label), node.shape, node.dtype)
        self.origins.update({n: (x, axis) for axis, n in enumerate(x.shape) if named(n)})
        return x

    def info(self, x: Value) -> Any:
        sizes = [None if x.name in self.unknown else clean(str(n)) if named(n) else n for n in x.shape]
        return self.onnx.helper.make_tensor_value_info(x.name, self.type_of(x.dtype), sizes)

    def type_of(self, dtype: np.dtype) -> int:
        return self.onnx.helper.np_dtype_to_tensor_dtype(dtype)

    # ---- constants
    def constant(self, array: np.ndarray, label: str = "constant") -> Value:
        """An array that is written into the graph, once."""
        key = (array.dtype, array.shape, array.tobytes())
        if key not in self.constants:
            self.constants[key] = self.initializer(array, label)
        return self.constants[key]

    def initializer(self, array: np.ndarray, label: str) -> Value:
        label = self.free(label)
        whole = np.ascontiguousarray(array).reshape(array.shape)
        self.initializers.append(self.onnx.numpy_helper.from_array(whole, label))
        return Value(label, array.shape, array.dtype)

    def filled(self, number: Any, shape: Any, dtype: Any) -> Value:
        return self.op("Expand", self.cast(number, dtype), self.shape(shape), shape=shape)

    def axes(self, *axes: int) -> Value:
        return self.constant(np.array(axes, INT), str(list(axes)))

    def free(self, wanted: str) -> str:
        """A name that nothing has: this one, or with a number behind it."""
        wanted = clean(wanted)
        found = wanted
        while found in self.names:
            self.names[wanted] = count = self.names.get(wanted, 0) + 1
            found = f"{wanted}.{count}"
        self.names[found] = 0
        return found

    # ---- sizes
    def size(self, n: Any) -> Value:
        """A size as a vector of one entry: a constant, or computed from the shapes of the inputs."""
        if not named(n):
            return self.constant(np.array([n], INT), str(n))
        if n not in self.sizes:
            self.sizes[n] = self._of_an_input(n) if n in self.origins else self._computed(n)
        return self.sizes[n]

    def shape(self, sizes: Any) -> Value:
        """Sizes as a vector."""
        if not any(map(named, sizes)):
            return self.constant(np.array(sizes, INT), str(list(sizes)))
        key = tuple(sizes)
        if key not in self.sizes:
            parts = [self.size(n) for n in key]
            self.sizes[key] = parts[0] if len(parts) == 1 else self.op("Concat", *parts, axis=0, shape=(len(parts),))
        return self.sizes[key]

    def arange(self, n: Any) -> Value:
        """0, 1, .. n - 1."""
        if not named(n):
            return self.constant(np.arange(n), f"0..{n}")
        return self.op("Range", self.cast(0, INT), self.cast(n, INT), self.cast(1, INT), shape=(n,))

    def reshape(self, x: Value, shape: Any) -> Value:
        shape = tuple(shape)
        if x.shape == shape:
            return x
        one = sum(map(named, shape)) == 1 and 0 not in shape  # the size with a name is what is left
        wanted = self.shape([-1 if one and named(n) else n for n in shape])
        return self.op("Reshape", x, wanted, shape=shape, **({"allowzero": 1} if 0 in shape else {}))

    def _of_an_input(self, n: Size) -> Value:
        x, axis = self.origins[n]
        return self.op("Shape", x, start=axis, end=axis + 1, shape=(1,), dtype=INT)

    def _computed(self, n: Size) -> Value:
        total: Any = None
        for factors, count in n.terms.items():
            term = self.size(count)
            for k, factor in enumerate(map(self._factor, factors)):
                term = factor if count == 1 and not k else self.op("Mul", term, factor)
            total = term if total is None else self.op("Add", total, term)
        return total

    def _factor(self, factor: Any) -> Value:
        if isinstance(factor, Quotient):
            top, bottom = map(self.size, factor)
            rest = self.op("Mod", top, bottom)  # of integers it has the bottom's sign, as Python's
            return self.op("Div", self.op("Sub", top, rest), bottom)
        if name(factor) not in self.origins:
            no_origin(factor)
        return self.size(name(factor))


def clean(text: str) -> str:
    """A name as ONNX can hold it: some character, no half of a pair, no end of a C string."""
    return text.replace("\0", "\\0").encode("utf-8", "backslashreplace").decode("utf-8") or "unnamed"
