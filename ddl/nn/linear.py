"""Layers of one matrix: a linear map, and a table of rows."""

import math
from functools import partial
from typing import Any

from ..checks import positive
from ..ops.lookup import ids as rows_of
from . import functional as F
from . import init
from .functional.inputs import as_tensor, of_width
from .module import Module
from .parameter import Parameter


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
        x = as_tensor(x, self.weight)
        if not x.ndim or x.shape[-1] != self.in_features:
            of_width(f"Linear({self.in_features}, {self.out_features})", x, self.in_features, self.weight)
        return F.linear(x, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"{self.in_features}, {self.out_features}" + ("" if self.bias is not None else ", bias=False")


class Embedding(Module):
    """A table of `num_embeddings` rows; integers (..) pick rows (.., embedding_dim). Starts in N(0, 1)."""

    def __init__(self, num_embeddings: int, embedding_dim: int, *, weight_init: Any = init.normal, rng: Any = None):
        positive(type(self).__name__, num_embeddings=num_embeddings, embedding_dim=embedding_dim)
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.weight = Parameter((num_embeddings, embedding_dim), weight_init, axes=("in", "out"), rng=rng)

    def forward(self, ids: Any) -> Any:
        ids = rows_of(ids, self.weight)
        if ids.dtype.kind not in "iu":
            raise TypeError(f"{type(self).__name__}'s ids must be integers, but {ids.dtype} was given")
        return F.embedding(ids, self.weight)

    def extra_repr(self) -> str:
        return f"{self.num_embeddings}, {self.embedding_dim}"
