"""Layers without parameters, and losses, as functions: torch.nn.functional's names and meaning.

`dim` and `keepdim` may also be called `axis` and `keepdims`.
"""

import math
from typing import Any

import numpy as np

from .. import fused, ops, random
from ..arrays import module_of, to_device
from ..core import Tensor
from ..fused.attention import weights as _attention_weights
from ..ops import relu, sigmoid, tanh
from ..ops.methods import either_name
from ..ops.selection import check_ids
from ..spec import Spec

__all__ = [
    "binary_cross_entropy_with_logits",
    "cross_entropy",
    "dropout",
    "embedding",
    "gelu",
    "layer_norm",
    "linear",
    "log_softmax",
    "mse_loss",
    "relu",
    "scaled_dot_product_attention",
    "sigmoid",
    "softmax",
    "tanh",
]


@either_name
def softmax(input: Tensor, dim: int = -1) -> Tensor:
    return fused.softmax(input, axis=dim)


@either_name
def log_softmax(input: Tensor, dim: int = -1) -> Tensor:
    return fused.log_softmax(input, axis=dim)


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """x Phi(x), exactly ("none") or by GPT-2's formula ("tanh")."""
    if approximate not in ("none", "tanh"):
        raise ValueError(f"gelu with approximate={approximate!r} was asked for, but the forms are 'none' and 'tanh'")
    return fused.gelu(input) if approximate == "none" else fused.gelu_tanh(input)


def dropout(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """Zeros with probability p, the rest times 1 / (1 - p); the input itself when not training."""
    if not 0 <= p <= 1:
        raise ValueError(f"dropout with probability {p} was asked for, but probabilities lie between 0 and 1")
    if not training or p == 0:
        return input
    if p == 1:
        return ops.where(False, input, 0.0)
    return fused.dropout(input, p=p, seed=int(random.stream("dropout").integers(2**63)))


def embedding(input: Any, weight: Tensor) -> Tensor:
    """The rows of `weight` (V, C) that the integers of `input` name: (..) -> (.., C)."""
    return ops.embedding(weight, ids(input, weight))


def ids(x: Any, beside: Tensor) -> Any:
    """Integers as an array, from a tensor, an array, or a list, which goes to the device of the tensor `beside` it."""
    x = x.data if isinstance(x, Tensor) else x
    if not isinstance(x, (list, tuple, int, np.generic)):
        return x
    numbers = np.asarray(x)
    return to_device(numbers if numbers.size else numbers.astype(np.int64), "gpu" if beside.device == "gpu" else "cpu")


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input weight^T + bias: (.., in), (out, in), (out,) -> (.., out)."""
    return ops.linear(input, weight, bias)


def layer_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """Mean 0 and variance 1 over the last axes, those of `normalized_shape`; then times weight, plus bias."""
    sizes = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    if input.shape[-len(sizes) :] != sizes:
        raise ValueError(f"layer_norm over the last axes {sizes} was asked for, but the input's shape is {input.shape}")
    flat = input if len(sizes) == 1 else input.reshape(*input.shape[: -len(sizes)], math.prod(sizes))
    gain = module_of(flat.data).ones(flat.shape[-1], input.dtype) if weight is None else weight.reshape(-1)
    return fused.layer_norm(flat, gain, None if bias is None else bias.reshape(-1), eps=eps).reshape(input.shape)


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


# ---- losses
def _reduced(each: Tensor, reduction: str, count: Any = None) -> Tensor:
    if reduction == "none":
        return each
    if reduction not in ("mean", "sum"):
        raise ValueError(f"reduction {reduction!r} was asked for, but the reductions are 'mean', 'sum' and 'none'")
    return each.sum() if reduction == "sum" else each.mean() if count is None else each.sum() / count


def _same_shape(loss: str, input: Any, target: Any) -> None:
    if tuple(input.shape) != tuple(target.shape):
        raise ValueError(
            f"{loss} compares element by element, but input has shape {input.shape} "
            f"and target {tuple(target.shape)}; reshape one of them"
        )


def mse_loss(input: Tensor, target: Any, reduction: str = "mean") -> Tensor:
    """(input - target)^2; the shapes must be equal."""
    _same_shape("mse_loss", input, target)
    d = input - target
    return _reduced(d * d, reduction)


def binary_cross_entropy_with_logits(input: Tensor, target: Any, reduction: str = "mean") -> Tensor:
    """-(t log s(x) + (1 - t) log(1 - s(x))) from the logit x, finite: -log s(x) is softplus(-x)."""
    _same_shape("binary_cross_entropy_with_logits", input, target)
    return _reduced(ops.softplus(-input) * target + ops.softplus(input) * (1.0 - target), reduction)


def cross_entropy(
    input: Tensor, target: Any, ignore_index: int = -100, reduction: str = "mean", label_smoothing: float = 0.0
) -> Tensor:
    """-log softmax(input)[target], from scores (N, C) or (N, C, d1, ..) and integer classes (N) or (N, d1, ..).

    Rows whose class is `ignore_index` count for nothing, and "mean" divides by the rows that count.
    """
    classes = ids(target, input)
    if input.ndim < 2 or (input.shape[0], *input.shape[2:]) != tuple(classes.shape):
        raise ValueError(
            f"cross_entropy takes scores (N, C, ..) and classes (N, ..), but scores {input.shape} "
            f"and classes {tuple(classes.shape)} were given"
        )
    if not isinstance(classes, Spec):
        check_ids(classes[classes != ignore_index], input.shape[1])
    moved = input if input.ndim == 2 else input.permute(0, *range(2, input.ndim), 1)
    flat = classes.reshape(-1)
    each = fused.cross_entropy_rows(
        moved.reshape(-1, input.shape[1]), flat, ignore_index=ignore_index, label_smoothing=label_smoothing
    )
    counted = each.data.size if isinstance(flat, Spec) else int((flat != ignore_index).sum())
    return _reduced(each.reshape(classes.shape), reduction, counted or float("nan"))
