"""Layers that read a sequence step by step and remember: a state goes from each step to the next.

A kind of layer is its step. A cell takes one; a layer takes all, after projecting all inputs in one product.
"""

import math
from functools import partial
from typing import Any

import numpy as np

from ..arrays import put_beside
from ..checks import between, positive
from ..core import Tensor
from ..ops import concatenate
from . import functional as F
from . import init
from .functional.inputs import as_tensor
from .module import Module
from .parameter import Parameter

State = tuple[Any, ...]  # what goes from step to step, (B, H) each


class _Recurrent(Module):
    """What cells and layers share: weights by PyTorch's names, and the step, which each kind defines."""

    hidden_size: int
    gates = 1  # how many rows of weights an entry of the state has
    states = 1  # how many tensors go from step to step
    one_bias = True  # whether the step only ever adds both biases to each other

    def step(self, a: Any, state: State, weight: Any, bias: Any) -> State:
        """The next state, whose first part is the output, from the projected input a (B, gates H) and the state."""
        raise NotImplementedError

    def _make(self, input_size: int, suffix: str, bias: bool, rng: Any) -> None:
        """Weights and biases of one layer in one direction, all from U(-b, b), b = 1 / sqrt(hidden_size)."""
        rows, bound = self.gates * self.hidden_size, 1 / math.sqrt(self.hidden_size)
        spread = partial(init.uniform, low=-bound, high=bound)
        for name, size in (("weight_ih", input_size), ("weight_hh", self.hidden_size)):
            setattr(self, name + suffix, Parameter((rows, size), spread, axes=("out", "in"), rng=rng))
        for name in ("bias_ih", "bias_hh"):
            setattr(self, name + suffix, Parameter((rows,), spread, axes=("out",), rng=rng) if bias else None)

    def _steps(self, x: Any, suffix: str) -> tuple[Any, Any]:
        """(the projected input, the step with its weights), for inputs (.., I)."""
        names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        w_ih, w_hh, b_ih, b_hh = (getattr(self, name + suffix) for name in names)
        if self.one_bias and b_ih is not None:
            b_ih, b_hh = b_ih + b_hh, None
        return F.linear(x, w_ih, b_ih), lambda a, state: self.step(a, state, w_hh, b_hh)

    def _nothing(self, shape: tuple[int, ...], x: Any) -> State:
        """The state before anything is read: zeros, beside x."""
        zeros = Tensor(put_beside(np.zeros(shape[-1:], x.dtype), x))
        return (zeros.broadcast_to(shape),) * self.states

    def _taken(self, state: Any, shape: tuple[int, ...], x: Any) -> State:
        """A state beside x as callers give it, refused unless each part has this shape."""
        parts = [as_tensor(s, x) for s in (state if isinstance(state, tuple) else (state,))]
        shapes = [s.shape for s in parts]
        if shapes != [shape] * self.states:
            wanted = f"of shape {shape}" if self.states == 1 else f"(h, c), both of shape {shape}"
            given = str(shapes[0]) if len(shapes) == 1 else f"({', '.join(map(str, shapes))})"
            raise ValueError(f"{type(self).__name__} takes a state {wanted}, but {given} was given")
        return tuple(parts)

    def _given(self, state: State) -> Any:
        """A state as callers see it: a tensor, or a tuple of several."""
        return state[0] if self.states == 1 else state


class _Elman(_Recurrent):
    nonlinearity = "tanh"

    def _choose(self, nonlinearity: str) -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(
                f"{type(self).__name__} with nonlinearity {nonlinearity!r} was asked for, but it has 'tanh' and 'relu'"
            )
        self.nonlinearity = nonlinearity

    def step(self, a: Any, state: State, weight: Any, bias: Any) -> State:
        h = a + F.linear(state[0], weight, bias)
        return (h.tanh() if self.nonlinearity == "tanh" else h.relu(),)


class _LongShortTerm(_Recurrent):
    gates, states = 4, 2

    def step(self, a: Any, state: State, weight: Any, bias: Any) -> State:
        h, c = state
        i, f, g, o = (a + F.linear(h, weight, bias)).split(self.hidden_size, dim=-1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        return o.sigmoid() * c.tanh(), c


class _Gated(_Recurrent):
    gates, one_bias = 3, False

    def step(self, a: Any, state: State, weight: Any, bias: Any) -> State:
        (h,) = state
        size = self.hidden_size
        b = F.linear(h, weight, bias)
        r, z = (a[..., : 2 * size] + b[..., : 2 * size]).sigmoid().split(size, dim=-1)
        n = (a[..., 2 * size :] + r * b[..., 2 * size :]).tanh()
        return (n + z * (h - n),)


class _Cell(_Recurrent):
    """One step; zeros are the state where it is left out."""

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, *, rng: Any = None):
        positive(type(self).__name__, input_size=input_size, hidden_size=hidden_size)
        self.input_size, self.hidden_size = input_size, hidden_size
        self._make(input_size, "", bias, rng)

    def forward(self, x: Any, state: Any = None) -> Any:
        x = as_tensor(x, next(self.parameters()))
        if x.ndim not in (1, 2) or x.shape[-1] != self.input_size:
            raise ValueError(
                f"{type(self).__name__} takes inputs of shape (B, {self.input_size}) or ({self.input_size},), "
                f"but {tuple(x.shape)} was given"
            )
        a, step = self._steps(x, "")
        shape = (*x.shape[:-1], self.hidden_size)
        return self._given(step(a, self._nothing(shape, x) if state is None else self._taken(state, shape, x)))

    def extra_repr(self) -> str:
        return f"{self.input_size}, {self.hidden_size}"


class _Layers(_Recurrent):
    """All steps, in one layer or several, each reading the outputs of the one below; RNN says how it is called."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        *,
        rng: Any = None,
    ):
        name = type(self).__name__
        positive(name, input_size=input_size, hidden_size=hidden_size, num_layers=num_layers)
        between(name, 0, 1, dropout=dropout)
        if dropout and num_layers == 1:
            raise ValueError(f"{name} drops between its layers, but dropout {dropout} and 1 layer were given")
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.batch_first, self.dropout, self.bidirectional = batch_first, dropout, bidirectional
        for layer in range(num_layers):
            for suffix in self._suffixes(layer):
                self._make(hidden_size * (1 + bidirectional) if layer else input_size, suffix, bias, rng)

    def _suffixes(self, layer: int) -> list[str]:
        """How the names of a layer's weights end, by direction."""
        return [f"_l{layer}", f"_l{layer}_reverse"][: 1 + self.bidirectional]

    def forward(self, x: Any, state: Any = None) -> Any:
        x = as_tensor(x, next(self.parameters()))
        batch = x.ndim == 3
        time = 1 if batch and self.batch_first else 0
        if x.ndim not in (2, 3) or x.shape[-1] != self.input_size or not x.shape[time]:
            raise ValueError(
                f"{type(self).__name__} takes inputs of shape ({'B, T' if self.batch_first else 'T, B'}, "
                f"{self.input_size}) or (T, {self.input_size}), T of 1 or more, but {tuple(x.shape)} was given"
            )
        x = x.swapaxes(0, 1) if time else x if batch else x.unsqueeze(1)  # (T, B, I)
        starts, ends = self._starts(state, x, batch), []
        for layer in range(self.num_layers):
            if layer:
                x = F.dropout(x, self.dropout, self.training)
            runs = [self._run(x, starts.pop(0), suffix) for suffix in self._suffixes(layer)]
            ends += [end for _, end in runs]
            x = concatenate(*(out for out, _ in runs), axis=-1)
        sizes = (len(ends), *x.shape[1:2], self.hidden_size) if batch else (len(ends), self.hidden_size)
        last = tuple(concatenate(*parts, axis=0).reshape(sizes) for parts in zip(*ends))
        return x.swapaxes(0, 1) if time else x if batch else x.squeeze(1), self._given(last)

    def _starts(self, state: Any, x: Any, batch: bool) -> list[State]:
        """The state (B, H) in which each layer and direction begins."""
        n, B, H = self.num_layers * (1 + self.bidirectional), x.shape[1], self.hidden_size
        if state is None:
            return [self._nothing((B, H), x)] * n
        parts = self._taken(state, (n, B, H) if batch else (n, H), x)
        return [tuple(part[i].reshape(B, H) for part in parts) for i in range(n)]

    def _run(self, x: Any, state: State, suffix: str) -> tuple[Any, State]:
        """One layer in one direction: (outputs (T, B, H), the last state)."""
        T, B, _ = x.shape
        a, step = self._steps(x, suffix)
        outs: list[Any] = [None] * T
        for t in reversed(range(T)) if suffix.endswith("reverse") else range(T):
            state = step(a[t], state)
            outs[t] = state[0]
        return concatenate(*outs, axis=0).reshape(T, B, self.hidden_size), state

    def extra_repr(self) -> str:
        told = f"{self.input_size}, {self.hidden_size}, num_layers={self.num_layers}"
        told += f", dropout={self.dropout}" * bool(self.dropout)
        return told + ", batch_first=True" * self.batch_first + ", bidirectional=True" * self.bidirectional


class RNN(_Elman, _Layers):
    """h' = tanh(W x + V h + b), or relu, at every step (Elman 1990), in one layer or several on top of each other.

    Takes (T, B, input_size), or (B, T, input_size) with `batch_first`, or (T, input_size); and a state, or else zeros.
    Returns the last layer's output at every step, (T, B, hidden_size), and every layer's last state, (num_layers, B,
    hidden_size). With `bidirectional` another set of weights reads backwards: outputs are twice as wide, and states
    twice as many, forward before backward. `dropout` is between layers, while training.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        *,
        rng: Any = None,
    ):
        self._choose(nonlinearity)
        super().__init__(input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, rng=rng)


class LSTM(_LongShortTerm, _Layers):
    """A state with a part c that is only ever scaled and added to (Hochreiter and Schmidhuber 1997): called as RNN is.

    c' = s(f) c + s(i) tanh(g) and h' = s(o) tanh(c'), where i, f, g, o = W x + V h + b and s is the sigmoid; the state
    is (h, c).
    """


class GRU(_Gated, _Layers):
    """h' = (1 - z) n + z h, between the old state and a new one (Cho et al. 2014): called as RNN is.

    r and z are sigmoids of W x + V h + b, and n = tanh(W x + b + r (V h + b)).
    """


class RNNCell(_Elman, _Cell):
    """One step of RNN: inputs (B, input_size) or (input_size,) and a state h of as many rows -> h'."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh", *, rng: Any = None
    ):
        self._choose(nonlinearity)
        super().__init__(input_size, hidden_size, bias, rng=rng)


class LSTMCell(_LongShortTerm, _Cell):
    """One step of LSTM: inputs (B, input_size) or (input_size,) and a state (h, c) of as many rows -> (h', c')."""


class GRUCell(_Gated, _Cell):
    """One step of GRU: inputs (B, input_size) or (input_size,) and a state h of as many rows -> h'."""
