"""Transformer blocks: attention, then each position by itself, both added to a residual stream."""

from collections.abc import Callable
from typing import Any

from ..checks import between, positive
from . import functional as F
from .attention import CausalSelfAttention, KVCache, MultiHeadAttention, as_sequences, check_heads
from .dropout import Dropout
from .functional.inputs import of_width
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
        positive("MLP", n_embd=n_embd)
        between("MLP", 0, 1, dropout=dropout)
        self.n_embd = n_embd
        self.up = Linear(n_embd, 4 * n_embd, bias, weight_init=weight_init, bias_init=bias_init)
        self.down = Linear(4 * n_embd, n_embd, bias, weight_init=proj_init or weight_init, bias_init=bias_init)
        self.dropout = Dropout(dropout)

    def forward(self, x: Any) -> Any:
        x = of_width("MLP", x, self.n_embd, self.up.weight)
        return self.dropout(self.down(F.gelu(self.up(x), approximate="tanh")))


class TransformerBlock(Module):
    """x + attention(norm x), then x + mlp(norm x): the residual stream is only ever added to.

    The attention is causal; kv_heads, rotary and alibi are its own options, `inits` its and the MLP's.
    """

    def __init__(
        self,
        n_embd: int,
        n_head: int,
        dropout: float = 0.0,
        bias: bool = True,
        *,
        kv_heads: int | None = None,
        rotary: Any = None,
        alibi: Any = None,
        **inits: Any,
    ):
        positive("TransformerBlock", n_embd=n_embd)
        check_heads("TransformerBlock", n_embd, n_head, kv_heads)
        between("TransformerBlock", 0, 1, dropout=dropout)
        self.n_embd = n_embd
        self.ln_1 = LayerNorm(n_embd, bias=bias)
        self.attn = CausalSelfAttention(
            n_embd, n_head, dropout, bias, kv_heads=kv_heads, rotary=rotary, alibi=alibi, **inits
        )
        self.ln_2 = LayerNorm(n_embd, bias=bias)
        self.mlp = MLP(n_embd, dropout, bias, **inits)

    def forward(self, x: Any, cache: KVCache | None = None) -> Any:
        x = as_sequences("TransformerBlock", x, self.n_embd, self.mlp.up.weight)
        x = x + self.attn(self.ln_1(x), cache)
        return x + self.mlp(self.ln_2(x))


class TransformerEncoderLayer(Module):
    """Self-attention, then two linear layers, each added to its input: (B, T, d_model) -> the same (Vaswani 2017).

    Norms follow the sums, or come first with `norm_first`. `options` are the self-attention's: kv_heads, rotary, alibi.
    """

    activations = {"relu": F.relu, "gelu": F.gelu}

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Any], Any] = "relu",
        layer_norm_eps: float = 1e-5,
        norm_first: bool = False,
        bias: bool = True,
        **options: Any,
    ):
        name = type(self).__name__
        positive(name, d_model=d_model, dim_feedforward=dim_feedforward)
        check_heads(name, d_model, nhead, options.get("kv_heads"))
        between(name, 0, 1, dropout=dropout)
        if not callable(activation) and activation not in list(self.activations):
            raise ValueError(f"{name} knows the activations 'relu', 'gelu' and functions, but {activation!r} was given")
        self.d_model = d_model
        self.activation = self.activations.get(activation, activation)  # type: ignore[arg-type]
        self.self_attn = MultiHeadAttention(d_model, nhead, dropout, bias, **options)
        self.linear1 = Linear(d_model, dim_feedforward, bias)
        self.linear2 = Linear(dim_feedforward, d_model, bias)
        self.norm1 = LayerNorm(d_model, layer_norm_eps, bias=bias)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, bias=bias)
        self.dropout = Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, src: Any, src_mask: Any = None, src_key_padding_mask: Any = None, is_causal: bool = False) -> Any:
        """Masks are those of MultiHeadAttention: `src_mask` (T, T), `src_key_padding_mask` (B, T), True keeps."""
        src = as_sequences(type(self).__name__, src, self.d_model, self.linear1.weight)
        attend = lambda x: self.self_attn(
            x, attn_mask=src_mask, key_padding_mask=src_key_padding_mask, is_causal=is_causal
        )
        return self.add(self.add(src, self.norm1, attend), self.norm2, self.feed_forward)

    def feed_forward(self, x: Any) -> Any:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))

    def add(self, x: Any, norm: Module, part: Callable[[Any], Any]) -> Any:
        """x plus what a part makes of it, normed before or after."""
        return x + self.dropout(part(norm(x))) if self.norm_first else norm(x + self.dropout(part(x)))


class TransformerDecoderLayer(TransformerEncoderLayer):
    """An encoder layer that after its self-attention looks into a memory (B, S, d_model), such as an encoder's output.

    Its self-attention is causal where `tgt_is_causal` says so, or its option is_causal.
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Any], Any] = "relu",
        layer_norm_eps: float = 1e-5,
        norm_first: bool = False,
        bias: bool = True,
        **options: Any,
    ):
        super().__init__(
            d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, norm_first, bias, **options
        )
        self.multihead_attn = MultiHeadAttention(d_model, nhead, dropout, bias)
        self.norm3 = LayerNorm(d_model, layer_norm_eps, bias=bias)

    def forward(  # type: ignore[override]
        self,
        tgt: Any,
        memory: Any,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
        cache: KVCache | None = None,
    ) -> Any:
        """Masks are MultiHeadAttention's, for tgt (T, T) and for memory (T, S); `cache` is the self-attention's."""
        name, weight = type(self).__name__, self.linear1.weight
        tgt = as_sequences(name, tgt, self.d_model, weight)
        memory = as_sequences(name, memory, self.d_model, weight, "a memory")
        attend = lambda x: self.self_attn(
            x, attn_mask=tgt_mask, key_padding_mask=tgt_key_padding_mask, is_causal=tgt_is_causal, cache=cache
        )
        look = lambda x: self.multihead_attn(
            x, memory, attn_mask=memory_mask, key_padding_mask=memory_key_padding_mask, is_causal=memory_is_causal
        )
        x = self.add(self.add(tgt, self.norm1, attend), self.norm2, look)
        return self.add(x, self.norm3, self.feed_forward)
