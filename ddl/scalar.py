"""A number that remembers how it was made, so that one walk back gives its slope in every number it came from."""

import math
from itertools import count
from operator import attrgetter, mul

_next_birth = count().__next__


class Scalar:
    """A number with a gradient: `Scalar(2.0)`, or `Scalar(2.0, "w")` to find it in a picture.

    Operators and methods give new Scalars; a Python number among them is taken as a constant. `backward()` on a
    result adds its slope in every Scalar it was computed from to their `grad`. Comparisons compare values.
    Where a slope does not exist one is chosen, as in PyTorch: relu and abs have 0 at 0, a tie in max gives half to
    each side, sqrt has inf at 0.
    """

    __slots__ = ("birth", "data", "grad", "name", "op", "parents", "slopes")
    __array_ufunc__ = None  # a numpy number on the left leaves the operation to us
    __hash__ = object.__hash__  # by identity: equal numbers are still two nodes

    def __init__(self, data, name="", op="", parents=(), slopes=()):
        self.data = data if type(data) is float else _number(data)
        self.grad = 0.0
        self.name = name
        self.op = op  # what made it; "" for a number that was given
        self.parents = parents  # the Scalars it was made from
        self.slopes = slopes  # the local derivatives: how fast it moves as one parent moves, parent by parent
        self.birth = _next_birth()  # later than its parents'

    def __repr__(self):
        data, grad = (float(f"{x:.6g}") for x in (self.data, self.grad))
        return f"Scalar({data}, grad={grad}" + (f", name={self.name!r})" if self.name else ")")

    def backward(self):
        """Add the slope of this number in every number it was computed from to their `grad`.

        It adds: a second call doubles every gradient, so set `grad = 0.0` before the next one.
        """
        flow = dict.fromkeys(self._history(), 0.0)
        flow[self] = 1.0
        for node, gradient in flow.items():  # newest first: a node sends when all it will get has arrived
            node.grad += gradient
            for parent, slope in zip(node.parents, node.slopes):
                flow[parent] += slope * gradient

    def _history(self):
        """This number and all it was computed from, newest first."""
        seen, waiting = {self}, [self]
        while waiting:
            for parent in waiting.pop().parents:
                if parent not in seen:
                    seen.add(parent)
                    waiting.append(parent)
        return sorted(seen, key=attrgetter("birth"), reverse=True)

    def graph(self):
        """The computation as plain data, oldest number first; an edge runs from a parent to what was made from it.

        `{"nodes": [{"id", "op", "value", "grad", "name"}, ...], "edges": [{"from", "to", "slope"}, ...]}`
        """
        ids = {node: i for i, node in enumerate(reversed(self._history()))}
        nodes = [{"id": i, "op": n.op, "value": n.data, "grad": n.grad, "name": n.name} for n, i in ids.items()]
        edges = [{"from": ids[p], "to": i, "slope": s} for n, i in ids.items() for p, s in zip(n.parents, n.slopes)]
        return {"nodes": nodes, "edges": edges}

    def __add__(self, other):
        other = _lift(other)
        return Scalar(self.data + other.data, "", "+", (self, other), (1.0, 1.0))

    def __sub__(self, other):
        other = _lift(other)
        return Scalar(self.data - other.data, "", "-", (self, other), (1.0, -1.0))

    def __mul__(self, other):
        other = _lift(other)
        return Scalar(self.data * other.data, "", "*", (self, other), (other.data, self.data))

    def __truediv__(self, other):
        other = _lift(other)
        if other.data == 0:
            raise ZeroDivisionError(f"cannot divide {self.data} by zero: check the divisor first")
        out = self.data / other.data
        return Scalar(out, "", "/", (self, other), (1 / other.data, -out / other.data))

    def __pow__(self, power):
        """x ** p. A negative x needs a whole p, and has no slope in a Scalar p (nan). The slope of x**0 at 0 is 0."""
        x, p = self.data, _number(_value(power))
        if x < 0 and not p.is_integer():
            raise ValueError(f"cannot raise {x} to the power {p}: a negative number needs a whole exponent")
        if x == 0 and p < 0:
            raise ZeroDivisionError(f"cannot raise zero to the power {p}: that would divide by zero")
        try:
            out, slope = x**p, p * x ** (p - 1) if x or p >= 1 else math.inf if p else 0.0
        except OverflowError:
            raise OverflowError(f"{x} ** {p} or its slope is larger than a float can hold") from None
        if not isinstance(power, Scalar):
            return Scalar(out, "", f"**{p!r}".removesuffix(".0"), (self,), (slope,))
        return Scalar(out, "", "**", (self, power), (slope, out * math.log(x) if x > 0 else math.nan if x else 0.0))

    __radd__ = lambda self, other: _lift(other) + self
    __rsub__ = lambda self, other: _lift(other) - self
    __rmul__ = lambda self, other: _lift(other) * self
    __rtruediv__ = lambda self, other: _lift(other) / self
    __rpow__ = lambda self, other: _lift(other) ** self
    __neg__ = lambda self: Scalar(-self.data, "", "neg", (self,), (-1.0,))
    abs = __abs__ = lambda self: Scalar(abs(self.data), "", "abs", (self,), (float((self.data > 0) - (self.data < 0)),))

    __eq__ = lambda self, other: self.data == _value(other)
    __lt__ = lambda self, other: self.data < _value(other)
    __le__ = lambda self, other: self.data <= _value(other)
    __gt__ = lambda self, other: self.data > _value(other)
    __ge__ = lambda self, other: self.data >= _value(other)
    __bool__ = lambda self: self.data != 0

    def exp(self):
        try:
            out = math.exp(self.data)
        except OverflowError:
            raise OverflowError(f"exp({self.data}) is larger than a float can hold: the limit is near 709") from None
        return Scalar(out, "", "exp", (self,), (out,))

    def log(self):
        if self.data <= 0:
            raise ValueError(f"cannot take log({self.data}): log needs a number above zero")
        return Scalar(math.log(self.data), "", "log", (self,), (1 / self.data,))

    def sqrt(self):
        if self.data < 0:
            raise ValueError(f"cannot take sqrt({self.data}): sqrt needs a number that is not negative")
        out = math.sqrt(self.data)
        return Scalar(out, "", "sqrt", (self,), (0.5 / out if out else math.inf,))

    def tanh(self):
        out = math.tanh(self.data)
        return Scalar(out, "", "tanh", (self,), (1 - out * out,))

    def sigmoid(self):
        small = math.exp(-abs(self.data))  # at most 1: nothing overflows
        out = (1 if self.data >= 0 else small) / (1 + small)
        return Scalar(out, "", "sigmoid", (self,), (small / (1 + small) ** 2,))

    def relu(self):
        on = not self.data <= 0  # nan passes through
        return Scalar(self.data if on else 0.0, "", "relu", (self,), (float(on),))

    def max(self, other):
        other = _lift(other)
        x, y = self.data, other.data
        share = 0.5 if x == y else float(x > y or x != x)  # nan is the larger, on either side
        return Scalar(x if share else y, "", "max", (self, other), (share, 1 - share))

    @staticmethod
    def sum(xs):
        """x1 + x2 + ... as one node."""
        xs = tuple(map(_lift, xs))
        return Scalar(sum([x.data for x in xs]), "", "sum", xs, (1.0,) * len(xs))

    @staticmethod
    def dot(ws, xs, bias=None):
        """w1*x1 + w2*x2 + ... (+ bias) as one node."""
        ws, xs, extra = [_lift(w) for w in ws], [_lift(x) for x in xs], [] if bias is None else [_lift(bias)]
        if len(ws) != len(xs):
            raise ValueError(f"dot needs as many weights as inputs, but got {len(ws)} and {len(xs)}")
        w_data, x_data, ones = [w.data for w in ws], [x.data for x in xs], [1.0] * len(extra)
        out = sum(map(mul, w_data, x_data), sum(b.data for b in extra))
        return Scalar(out, "", "dot", (*ws, *xs, *extra), (*x_data, *w_data, *ones))


def _lift(other):
    return other if isinstance(other, Scalar) else Scalar(other)


def _value(other):
    return other.data if isinstance(other, Scalar) else other


def _number(data):
    if hasattr(data, "requires_grad"):
        raise TypeError(f"a Scalar was given a tensor, {data!r}, whose graph it cannot join; give its number: t.item()")
    try:
        return float(None if isinstance(data, (str, bytes, Scalar)) else data)
    except TypeError:
        raise TypeError(f"a Scalar holds one Python number, but got {data!r}") from None
