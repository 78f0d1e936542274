"""The layers that a decoder is made of, and the activations."""

import math
from functools import partial
from typing import Any

from . import functional as F
from . import init
from .module import Module
from .parameter import Parameter


def positive(layer: str, **sizes: int) -> None:
    """Refuse a size that is no whole number of 1 or more."""
    for name, n in sizes.items():
        if not isinstance(n, int) or isinstance(n, bool) or n < 1:
            raise ValueError(f"{layer} needs {name} to be a whole number of 1 or more, but {n!r} was given")


class Linear(Module):
    """x weight^T + bias, (.., in_features) -> (.., out_features).

    Both start in U(-b, b), b = 1 / sqrt(in_features), as in PyTorch, unless initialisers are given.
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        *,
        weight_init: Any = None,
        bias_init: Any = None,
        rng: Any = None,
    ):
        positive("Linear", in_features=in_features, out_features=out_features)
        bound = 1 / math.sqrt(in_features)
        spread = partial(init.uniform, low=-bound, high=bound)
        self.in_features, self.out_features = in_features, out_features
        self.weight = Parameter((out_features, in_features), weight_init or spread, axes=("out", "in"), rng=rng)
        self.bias = Parameter((out_features,), bias_init or spread, axes=("out",), rng=rng) if bias else None

    def forward(self, x: Any) -> Any:
        if not x.ndim or x.shape[-1] != self.in_features:
            raise ValueError(
                f"Linear({self.in_features}, {self.out_features}) takes inputs whose last axis is {self.in_features}, "
                f"but {tuple(x.shape)} was given"
            )
        return F.linear(x, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"{self.in_features}, {self.out_features}" + ("" if self.bias is not None else ", bias=False")


class Embedding(Module):
    """A table of `num_embeddings` rows; integers (..) pick rows (.., embedding_dim). Starts in N(0, 1)."""

    def __init__(self, num_embeddings: int, embedding_dim: int, *, weight_init: Any = init.normal, rng: Any = None):
        positive("Embedding", num_embeddings=num_embeddings, embedding_dim=embedding_dim)
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.weight = Parameter((num_embeddings, embedding_dim), weight_init, axes=("in", "out"), rng=rng)

    def forward(self, ids: Any) -> Any:
        return F.embedding(ids, self.weight)

    def extra_repr(self) -> str:
        return f"{self.num_embeddings}, {self.embedding_dim}"


class LayerNorm(Module):
    """Mean 0 and variance 1 over the last axis, then times weight (starts at 1), plus bias (starts at 0)."""

    def __init__(self, normalized_shape: int, eps: float = 1e-5, bias: bool = True):
        positive("LayerNorm", normalized_shape=normalized_shape)
        self.normalized_shape, self.eps = normalized_shape, eps
        self.weight = Parameter((normalized_shape,), init.ones, axes=("out",))
        self.bias = Parameter((normalized_shape,), init.zeros, axes=("out",)) if bias else None

    def forward(self, x: Any) -> Any:
        return F.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}"


class Dropout(Module):
    """While training, zeros with probability p and the rest times 1 / (1 - p); in evaluation nothing."""

    def __init__(self, p: float = 0.5):
        if not 0 <= p <= 1:
            raise ValueError(f"Dropout needs a probability between 0 and 1, but {p!r} was given")
        self.p = p

    def forward(self, x: Any) -> Any:
        return F.dropout(x, self.p, self.training)

    def extra_repr(self) -> str:
        return f"p={self.p}"


class Activation(Module):
    """A function of each element, as a layer."""

    def forward(self, x: Any) -> Any:
        return type(self).function(x)  # type: ignore[attr-defined]


class ReLU(Activation):
    function = F.relu


class Tanh(Activation):
    function = F.tanh


class Sigmoid(Activation):
    function = F.sigmoid


class GELU(Module):
    """x Phi(x), exactly ("none") or by GPT-2's formula ("tanh")."""

    def __init__(self, approximate: str = "none"):
        self.approximate = approximate

    def forward(self, x: Any) -> Any:
        return F.gelu(x, self.approximate)

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"
