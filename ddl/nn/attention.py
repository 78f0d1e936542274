"""Self-attention over the past, with heads and a cache of keys and values."""

from typing import Any

import numpy as np

from ..arrays import to_device
from ..core import Tensor
from ..ops import concatenate
from . import functional as F
from .dropout import Dropout
from .linear import Linear
from .module import Module


class KVCache:
    """The keys and values of the positions seen so far, for one attention layer; without a gradient."""

    def __init__(self) -> None:
        self.k: Tensor | None = None
        self.v: Tensor | None = None

    def __len__(self) -> int:
        return 0 if self.k is None else self.k.shape[-2]

    def extend(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """Add the newest keys and values, (B, H, T, D); all of them, the newest included, come back."""
        if self.k is not None:
            k, v = concatenate(self.k, k, axis=-2), concatenate(self.v, v, axis=-2)
        self.k, self.v = k.detach(), v.detach()
        return k, v


class CausalSelfAttention(Module):
    """Every position takes a weighted mean over itself and its past, in n_head heads: (B, T, C) -> (B, T, C)."""

    def __init__(
        self,
        n_embd: int,
        n_head: int,
        dropout: float = 0.0,
        bias: bool = True,
        *,
        weight_init: Any = None,
        proj_init: Any = None,
        bias_init: Any = None,
    ):
        if not isinstance(n_head, int) or n_head < 1 or n_embd % n_head:
            raise ValueError(
                "CausalSelfAttention needs a width that its heads divide, "
                f"but width {n_embd} and {n_head} heads were given"
            )
        self.n_head = n_head
        self.qkv = Linear(n_embd, 3 * n_embd, bias, weight_init=weight_init, bias_init=bias_init)
        self.proj = Linear(n_embd, n_embd, bias, weight_init=proj_init or weight_init, bias_init=bias_init)
        self.dropout = Dropout(dropout)

    def forward(self, x: Any, cache: KVCache | None = None) -> Any:
        if x.ndim != 3 or x.shape[-1] != self.qkv.in_features:
            raise ValueError(
                f"CausalSelfAttention takes inputs of shape (B, T, {self.qkv.in_features}), "
                f"but {tuple(x.shape)} was given"
            )
        B, T, C = x.shape
        heads = (part.reshape(B, T, self.n_head, C // self.n_head) for part in self.qkv(x).split(C, dim=-1))
        q, k, v = (part.swapaxes(1, 2) for part in heads)  # (B, H, T, D)
        past, mask = 0, None
        if cache is not None:
            past = len(cache)
            k, v = cache.extend(k, v)
        if past and T > 1:  # new query t sees all the past and the new keys 0 .. t; a single one sees all there is
            mask = to_device(np.tri(T, past + T, k=past, dtype=bool), k.device)
        rate = self.dropout.p if self.training else 0.0
        y = F.scaled_dot_product_attention(q, k, v, mask, dropout_p=rate, is_causal=not past)  # (B, H, T, D)
        return self.dropout(self.proj(y.swapaxes(1, 2).reshape(B, T, C)))
