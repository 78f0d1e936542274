"""Attention with heads: self and cross, masked or causal, with grouped keys, positions, and a cache."""

from typing import Any

import numpy as np

from ..arrays import put_beside
from ..checks import divides, positive
from ..core import Tensor
from ..ops import broadcast_to, concatenate
from . import functional as F
from .dropout import Dropout
from .functional.attention import as_mask, both_masks, fitting, repeat_heads
from .functional.inputs import as_tensor
from .linear import Linear
from .module import Module
from .positions import ALiBi, RotaryEmbedding


class KVCache:
    """The keys and values of the positions seen so far, for one attention layer; without a gradient."""

    def __init__(self) -> None:
        self.k: Tensor | None = None
        self.v: Tensor | None = None

    def __len__(self) -> int:
        return 0 if self.k is None else self.k.shape[-2]

    def followed_by(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """The keys and values seen so far and the newest, (B, H, T, D); they are held once `keep` is told."""
        if self.k is None:
            return k, v
        if self.k.shape[:2] != k.shape[:2]:
            raise ValueError(
                f"KVCache holds keys (B, H, T, D) of shape {self.k.shape}, but keys of shape {k.shape} were given; "
                "begin another cache"
            )
        return concatenate(self.k, k, axis=-2), concatenate(self.v, v, axis=-2)

    def keep(self, k: Tensor, v: Tensor) -> None:
        self.k, self.v = k.detach(), v.detach()


def check_heads(layer: str, width: int, heads: Any, kv_heads: Any = None) -> None:
    """Refuse heads that do not divide the width, and shared ones that do not divide the heads."""
    if not divides(heads, width):
        raise ValueError(f"{layer} needs a width that its heads divide, but width {width} and {heads} heads were given")
    if kv_heads is not None and not divides(kv_heads, heads):
        raise ValueError(
            f"{layer} needs heads that its kv_heads divide, but {heads} heads and {kv_heads} kv_heads were given"
        )


def as_sequences(layer: str, x: Any, width: int, beside: Tensor, what: str = "inputs") -> Tensor:
    """x as a tensor, refused unless it is (B, T, width)."""
    x = as_tensor(x, beside)
    if x.ndim != 3 or x.shape[-1] != width:
        raise ValueError(f"{layer} takes {what} of shape (B, T, {width}), but {tuple(x.shape)} was given")
    return x


class MultiHeadAttention(Module):
    """Each query takes a mean of the values, weighted by how well the keys match it, in several heads at once.

    Queries (B, T, C), keys and values (B, S, C) -> (B, T, C), with C = `embed_dim`, which `num_heads` divides. Fewer
    `kv_heads` serve a run of heads each (Ainslie et al. 2023). A causal layer lets query t see keys 0 .. t. `rotary`
    turns queries and keys, `alibi` penalises distance. `dropout` drops weights. `qkv` makes queries, keys and values,
    rows in that order, `proj` joins the heads.
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        *,
        kv_heads: int | None = None,
        is_causal: bool = False,
        rotary: RotaryEmbedding | None = None,
        alibi: ALiBi | None = None,
        weight_init: Any = None,
        proj_init: Any = None,
        bias_init: Any = None,
    ):
        self.embed_dim, self.num_heads, self.is_causal = embed_dim, num_heads, is_causal
        self.kv_heads = num_heads if kv_heads is None else kv_heads
        self._check_sizes(rotary, alibi)
        narrow = embed_dim // num_heads * self.kv_heads
        self.sizes = [embed_dim, narrow, narrow]
        self.qkv = Linear(embed_dim, sum(self.sizes), bias, weight_init=weight_init, bias_init=bias_init)
        self.proj = Linear(embed_dim, embed_dim, bias, weight_init=proj_init or weight_init, bias_init=bias_init)
        self.dropout = Dropout(dropout)
        self.rotary, self.alibi = rotary, alibi

    def _check_sizes(self, rotary: RotaryEmbedding | None, alibi: ALiBi | None) -> None:
        name, C, H, K = type(self).__name__, self.embed_dim, self.num_heads, self.kv_heads
        positive(name, embed_dim=C)
        check_heads(name, C, H, K)
        for option, given, kind in (("rotary", rotary, RotaryEmbedding), ("alibi", alibi, ALiBi)):
            if given is not None and not isinstance(given, kind):
                raise TypeError(f"{name} needs {option} to be the layer {kind.__name__}, but {given!r} was given")
        if rotary is not None and rotary.dim != C // H:
            raise ValueError(f"{name} has heads of width {C // H}, but a rotary of width {rotary.dim} was given")
        if alibi is not None and alibi.num_heads != H:
            raise ValueError(f"{name} has {H} heads, but an alibi of {alibi.num_heads} heads was given")

    def forward(
        self,
        query: Any,
        key: Any = None,
        value: Any = None,
        key_padding_mask: Any = None,
        need_weights: bool = False,
        attn_mask: Any = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
        cache: KVCache | None = None,
    ) -> Any:
        """The output, and with `need_weights` the weights, (B, T, S) or of each head (B, H, T, S).

        Keys left out are the queries, values left out the keys. Masks keep where they are True and are added where they
        are float: `attn_mask` (T, S), or what broadcasts to (B, H, T, S); `key_padding_mask` (B, S). A query that may
        see nothing gets zeros from the values. A `cache` holds what causal self-attention saw before these queries; S
        counts those too.
        """
        query, key, value = self._tensors(query, key, value)
        causal = self.is_causal or is_causal
        self._check_inputs(query, key, value, causal, cache)
        past = 0 if cache is None else len(cache)
        q, k, v = self._heads(query, key, value)
        if self.rotary is not None:
            q, k = self.rotary(q, past), self.rotary(k, past)
        if cache is not None:
            k, v = cache.followed_by(k, v)
        mask = self._mask(q, k, key_padding_mask, attn_mask, past)
        if cache is not None:
            cache.keep(k, v)  # not before the masks: what is refused leaves no trace
        k, v = repeat_heads(k, self.num_heads), repeat_heads(v, self.num_heads)
        rate, causal = self.dropout.p if self.training else 0.0, causal and not past
        if not need_weights:
            return self._joined(F.scaled_dot_product_attention(q, k, v, mask, dropout_p=rate, is_causal=causal))
        p = F.dropout(F.attention_weights(q, k, mask, causal), rate)
        return self._joined(p @ v), p.mean(1) if average_attn_weights else p

    def _tensors(self, query: Any, key: Any, value: Any) -> list[Tensor]:
        """The inputs as tensors, with what stands in for one that is left out; one that is given twice stays one."""
        key = query if key is None else key
        given = (query, key, key if value is None else value)
        tensors = {id(x): as_tensor(x, self.qkv.weight) for x in given}
        return [tensors[id(x)] for x in given]

    def _check_inputs(self, query: Any, key: Any, value: Any, causal: bool, cache: KVCache | None) -> None:
        name, C = type(self).__name__, self.embed_dim
        for kind, x in {"queries": query, "keys": key, "values": value}.items():
            if x.ndim != 3 or x.shape[-1] != C:
                raise ValueError(f"{name} takes {kind} of shape (B, T, {C}), but {tuple(x.shape)} was given")
        if key.shape != value.shape or key.shape[0] != query.shape[0]:
            raise ValueError(
                f"{name} takes queries (B, T, {C}), keys and values (B, S, {C}), "
                f"but {query.shape}, {key.shape} and {value.shape} were given"
            )
        if key is not query and (cache is not None or self.rotary is not None or self.alibi is not None):
            raise ValueError(
                f"{name} has a cache, a rotary or an alibi, which count places of one sequence, "
                "but keys other than the queries were given"
            )
        if cache is not None and not causal:
            raise ValueError(f"{name} was given a cache, but is not causal: the past would have to see what is new")

    def _heads(self, query: Any, key: Any, value: Any) -> list[Any]:
        """Queries, keys and values, each (B, its heads, its length, D)."""
        if key is query and value is query:
            parts = self.qkv(query).split(self.sizes, dim=-1)
        else:
            weights, bias = self.qkv.weight.split(self.sizes), self.qkv.bias
            biases = [None] * 3 if bias is None else bias.split(self.sizes)
            parts = [F.linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases)]
        D = self.embed_dim // self.num_heads
        return [part.reshape(*part.shape[:-1], part.shape[-1] // D, D).swapaxes(1, 2) for part in parts]

    def _mask(self, q: Any, k: Any, key_padding_mask: Any, attn_mask: Any, past: int) -> Any:
        """All masks in one, that of the future included where there is a past."""
        (B, H, T, _), S = q.shape, k.shape[-2]
        name, mask = type(self).__name__, None
        if key_padding_mask is not None:
            padding = fitting(as_mask(key_padding_mask, q), (B, S), f"{name} takes a key_padding_mask")
            mask = broadcast_to(padding, (B, S))[:, None, None]
        if attn_mask is not None:
            mask = both_masks(mask, fitting(as_mask(attn_mask, q), (B, H, T, S), f"{name} takes an attn_mask"))
        if self.alibi is not None:
            mask = both_masks(mask, self.alibi(q, k))
        if past and T > 1:  # new query t sees all the past and the new keys 0 .. t; a single one sees all there is
            mask = both_masks(mask, put_beside(np.tri(T, S, k=past, dtype=bool), q))
        return mask

    def _joined(self, y: Any) -> Any:
        B, H, T, D = y.shape
        return self.proj(y.swapaxes(1, 2).reshape(B, T, H * D))


class CausalSelfAttention(MultiHeadAttention):
    """Every position takes a weighted mean over itself and its past, in n_head heads: (B, T, C) -> (B, T, C).

    `dropout` also drops from what is given back. `options` are MultiHeadAttention's: kv_heads, rotary, alibi, inits.
    """

    def __init__(self, n_embd: int, n_head: int, dropout: float = 0.0, bias: bool = True, **options: Any):
        super().__init__(n_embd, n_head, dropout, bias, is_causal=True, **options)

    def forward(self, x: Any, cache: KVCache | None = None) -> Any:  # type: ignore[override]
        return self.dropout(super().forward(x, cache=cache))
