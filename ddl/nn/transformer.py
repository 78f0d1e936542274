"""Transformer blocks: attention, then each position by itself, both added to a residual stream."""

from typing import Any

from . import functional as F
from .attention import CausalSelfAttention, KVCache
from .dropout import Dropout
from .linear import Linear
from .module import Module
from .normalization import LayerNorm


class MLP(Module):
    """Each position by itself through a layer four times as wide: up, GELU, down."""

    def __init__(
        self,
        n_embd: int,
        dropout: float = 0.0,
        bias: bool = True,
        *,
        weight_init: Any = None,
        proj_init: Any = None,
        bias_init: Any = None,
    ):
        self.up = Linear(n_embd, 4 * n_embd, bias, weight_init=weight_init, bias_init=bias_init)
        self.down = Linear(4 * n_embd, n_embd, bias, weight_init=proj_init or weight_init, bias_init=bias_init)
        self.dropout = Dropout(dropout)

    def forward(self, x: Any) -> Any:
        return self.dropout(self.down(F.gelu(self.up(x), approximate="tanh")))


class TransformerBlock(Module):
    """x + attention(norm x), then x + mlp(norm x): the residual stream is only ever added to."""

    def __init__(self, n_embd: int, n_head: int, dropout: float = 0.0, bias: bool = True, **inits: Any):
        self.ln_1 = LayerNorm(n_embd, bias=bias)
        self.attn = CausalSelfAttention(n_embd, n_head, dropout, bias, **inits)
        self.ln_2 = LayerNorm(n_embd, bias=bias)
        self.mlp = MLP(n_embd, dropout, bias, **inits)

    def forward(self, x: Any, cache: KVCache | None = None) -> Any:
        x = x + self.attn(self.ln_1(x), cache)
        return x + self.mlp(self.ln_2(x))
