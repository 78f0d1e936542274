"""Attention: a weighted mean of values, with weights from how well queries match keys."""

import math
from typing import Any

import numpy as np

from ... import fused
from ...arrays import put_beside
from ...core import Tensor
from ...fused.attention import weights
from ...ops import where
from .dropout import dropout
from .inputs import as_tensor


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """softmax(scale query key^T + mask) value, (.., T, D), (.., S, D), (.., S, E) -> (.., T, E); scale is 1 / sqrt(D).

    A boolean mask keeps where it is True; a float mask is added. `is_causal` lets query t see keys 0 .. t. A query that
    may see nothing gets zeros. `dropout_p` drops weights, whatever the mode. With `enable_gqa`, key and value may have
    fewer heads (axis -3), each of which serves a run of the query's.
    """
    query, key, value = _checked(query, key, value, enable_gqa)
    if dropout_p:
        p = attention_weights(query, key, attn_mask, is_causal, scale, enable_gqa)
        return dropout(p, dropout_p) @ (repeat_heads(value, query.shape[-3]) if enable_gqa else value)
    if enable_gqa:
        key, value = repeat_heads(key, query.shape[-3]), repeat_heads(value, query.shape[-3])
    mask = _mask(attn_mask, query, key)
    return fused.scaled_dot_product_attention(
        query, key, value, mask, is_causal=is_causal, scale=_scale(query) if scale is None else scale
    )


def attention_weights(
    query: Tensor,
    key: Tensor,
    attn_mask: Any = None,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """The weights by which `scaled_dot_product_attention` takes its mean: (.., T, S), rows sum to 1."""
    query, key, _ = _checked(query, key, key, enable_gqa)
    key = repeat_heads(key, query.shape[-3]) if enable_gqa else key
    mask = _mask(attn_mask, query, key)
    return weights(query, key, mask, is_causal, _scale(query) if scale is None else scale)


def _checked(query: Any, key: Any, value: Any, enable_gqa: bool) -> tuple[Tensor, Tensor, Tensor]:
    """The three as tensors, refused unless widths of queries and keys, and numbers of keys and values, are equal."""
    query = as_tensor(query)
    key, value = as_tensor(key, query), as_tensor(value, query)
    axes = 3 if enable_gqa else 2
    if (
        min(query.ndim, key.ndim, value.ndim) < axes
        or query.shape[-1] != key.shape[-1]
        or key.shape[-2] != value.shape[-2]
    ):
        heads = "H, " * enable_gqa
        raise ValueError(
            f"attention takes queries (.., {heads}T, D), keys (.., {heads}S, D) and values (.., {heads}S, E), "
            f"but {query.shape}, {key.shape} and {value.shape} were given"
        )
    return query, key, value


def _scale(query: Tensor) -> float:
    return 1 / math.sqrt(max(1, query.shape[-1]))


def repeat_heads(x: Tensor, heads: int) -> Tensor:
    """(.., K, S, D) -> (.., heads, S, D): each of K heads repeated for a run of heads / K."""
    *lead, K, S, D = x.shape
    if heads == K:
        return x
    if heads % K:
        raise ValueError(f"grouped attention needs heads that its key heads divide, but {heads} and {K} were given")
    return x.unsqueeze(-3).expand(*lead, K, heads // K, S, D).reshape(*lead, heads, S, D)


def _mask(mask: Any, query: Tensor, key: Tensor) -> Any:
    if mask is None:
        return None
    mask = as_mask(mask, query)
    wanted = (*mask.shape[:-2], query.shape[-2], key.shape[-2])
    return fitting(mask, wanted, "scaled_dot_product_attention takes an attn_mask")


def as_mask(mask: Any, beside: Tensor) -> Any:
    """A mask as booleans, or floats of the dtype of the tensor `beside` it; a list goes to that one's device."""
    if not hasattr(mask, "dtype"):
        mask = put_beside(np.asarray(mask), beside)
    if mask.dtype.kind not in "bf":
        raise TypeError(f"an attention mask is boolean (True: may look) or float (added), but {mask.dtype} was given")
    return mask if mask.dtype.kind == "b" or mask.dtype == beside.dtype else mask.astype(beside.dtype)


def fitting(mask: Any, wanted: tuple, who: str) -> Any:
    """The mask itself, if its shape broadcasts to the one that is wanted."""
    shape = tuple(mask.shape)
    if len(shape) > len(wanted) or any(n not in (1, m) for n, m in zip(shape[::-1], wanted[::-1])):
        raise ValueError(f"{who} that broadcasts to {wanted}, but {shape} was given")
    return mask


def both_masks(a: Any, b: Any) -> Any:
    """One mask for two, of which either may be None: what both keep, with what both add."""
    if a is None or b is None:
        return b if a is None else a
    if a.dtype == bool:
        return where(a, b, False if b.dtype == bool else -float("inf"))
    return where(b, a, -float("inf")) if b.dtype == bool else a + b
