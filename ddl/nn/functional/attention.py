"""Attention: a weighted mean of values, with weights from how well queries match keys."""

import math
from typing import Any

import numpy as np

from ... import fused
from ...core import Tensor
from ...fused.attention import weights as _attention_weights
from .dropout import dropout


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
) -> Tensor:
    """softmax(scale query key^T + mask) value, (.., T, D), (.., S, D), (.., S, E) -> (.., T, E); scale is 1 / sqrt(D).

    A boolean mask keeps where it is True; a float mask is added. `is_causal` lets query t see keys 0 .. t. A query that
    may see nothing gets zeros. `dropout_p` drops weights, whatever the mode.
    """
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    if attn_mask is not None:
        attn_mask = attn_mask if hasattr(attn_mask, "dtype") else np.asarray(attn_mask)
        if attn_mask.dtype.kind not in "bf":
            raise TypeError(
                f"an attention mask is boolean (True: may look) or float (added), but {attn_mask.dtype} was given"
            )
    if dropout_p:
        p = _attention_weights(query, key, attn_mask, is_causal, scale)
        return dropout(p, dropout_p) @ value
    return fused.scaled_dot_product_attention(query, key, value, attn_mask, is_causal=is_causal, scale=scale)
