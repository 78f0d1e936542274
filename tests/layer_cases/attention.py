"""Attention with heads. ddl's boolean masks keep, those of PyTorch's layers hide."""

import numpy as np
from cases.table import N

import ddl
from ddl import nn

from .table import bad_arguments, bad_inputs, row
from .transformers import ATTENTION, future

MHA, CSA = nn.MultiHeadAttention, nn.CausalSelfAttention


def keeps(*shape):
    """A boolean mask that leaves every query its first key."""

    def make(rng):
        mask = rng.random(shape) < 0.6
        mask[..., 0] = True
        return mask

    return make


def look(torch, twin, query, key=None, value=None, **masks):
    key = query if key is None else key
    hidden = {name: ~mask if mask.dtype == torch.bool else mask for name, mask in masks.items()}
    return twin(query, key, key if value is None else value, need_weights=False, **hidden)[0]


def plain(bias=True):
    return MHA(8, 2, bias=bias)


def mha(name, *makers, make=plain, bias=True, run=look, **options):
    twin = lambda t: t.nn.MultiheadAttention(8, 2, bias=bias, batch_first=True)
    row(MHA, name, make, *makers, torch=twin, names=ATTENTION, run=run, **options)


X, M = N(2, 3, 8), N(2, 5, 8)
mha("self", X)
mha("no bias", X, make=lambda: plain(bias=False), bias=False)
mha("cross", X, M)
mha("three inputs", X, M, M)
mha("cross, no bias", X, M, make=lambda: plain(bias=False), bias=False)
mha(
    "causal",
    N(2, 70, 8),
    make=lambda: MHA(8, 2, is_causal=True),
    run=lambda t, twin, x: look(t, twin, x, attn_mask=~future(t, x)),
)
mha(
    "causal in the call",
    X,
    call=lambda layer, x: layer(x, is_causal=True),
    run=lambda t, twin, x: look(t, twin, x, attn_mask=~future(t, x)),
)
mha(
    "padding",
    X,
    M,
    keeps(2, 5),
    call=lambda layer, x, m, keep: layer(x, m, key_padding_mask=keep),
    run=lambda t, twin, x, m, keep: look(t, twin, x, m, key_padding_mask=keep),
)
mha(
    "mask",
    X,
    M,
    keeps(3, 5),
    call=lambda layer, x, m, keep: layer(x, m, attn_mask=keep),
    run=lambda t, twin, x, m, keep: look(t, twin, x, m, attn_mask=keep),
)
mha(
    "float mask",
    X,
    M,
    N(3, 5),
    call=lambda layer, x, m, mask: layer(x, m, attn_mask=mask),
    run=lambda t, twin, x, m, mask: look(t, twin, x, m, attn_mask=mask),
)
mha(
    "mask of heads, padding, causal",
    X,
    keeps(2, 2, 3, 3),
    keeps(2, 3),
    call=lambda layer, x, keep, real: layer(x, attn_mask=keep, key_padding_mask=real, is_causal=True),
    run=lambda t, twin, x, keep, real: look(
        t, twin, x, attn_mask=(keep & ~future(t, x)).flatten(0, 1), key_padding_mask=real
    ),
)
mha(
    "float mask and padding",
    X,
    N(3, 3),
    keeps(2, 3),
    call=lambda layer, x, mask, keep: layer(x, attn_mask=mask, key_padding_mask=keep),
    run=lambda t, twin, x, mask, keep: look(
        t, twin, x, attn_mask=(mask + t.zeros(2, 3, 3).masked_fill(~keep[:, None], -t.inf)).repeat_interleave(2, 0)
    ),
)
for average in (True, False):
    mha(
        f"weights, average {average}",
        X,
        M,
        call=lambda layer, *xs, a=average: layer(*xs, need_weights=True, average_attn_weights=a),
        run=lambda t, twin, x, m, a=average: twin(x, m, m, average_attn_weights=a),
    )
mha("dropout", X, make=lambda: MHA(8, 2, 0.3), random=True)


def grouped(t, twin, x):
    """The same in PyTorch's functions, where it has no layer: 4 heads of 2, 2 of keys and of values."""
    q, k, v = (part.unflatten(-1, (-1, 2)).transpose(1, 2) for part in twin.qkv(x).split([8, 4, 4], -1))
    y = t.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
    return twin.proj(y.transpose(1, 2).flatten(2))


def grouped_twin(t):
    twin = t.nn.Module()
    twin.qkv, twin.proj = t.nn.Linear(8, 16), t.nn.Linear(8, 8)
    return twin


row(MHA, "grouped", lambda: MHA(8, 4, kv_heads=2, is_causal=True), X, torch=grouped_twin, run=grouped)
row(CSA, "grouped", lambda: CSA(8, 4, kv_heads=2), X, torch=grouped_twin, run=grouped)
row(MHA, "grouped cross", lambda: MHA(8, 4, kv_heads=1), X, M)
for form in (False, True):
    row(
        MHA,
        f"rotary {form}",
        lambda i=form: MHA(8, 2, kv_heads=1, is_causal=True, rotary=nn.RotaryEmbedding(4, interleaved=i)),
        X,
    )
row(MHA, "alibi", lambda: MHA(8, 2, alibi=nn.ALiBi(2)), X)
bad_arguments(MHA, "no width", lambda: MHA(0, 2), "embed_dim", "0")
bad_arguments(MHA, "heads", lambda: MHA(8, 3), "width 8", "3 heads")
bad_arguments(MHA, "negative heads", lambda: MHA(8, -2), "width 8", "-2 heads")
bad_arguments(MHA, "kv heads", lambda: MHA(8, 4, kv_heads=3), "4 heads", "3 kv_heads")
bad_arguments(MHA, "no kv heads", lambda: MHA(8, 4, kv_heads=0), "4", "0 kv_heads")
bad_arguments(MHA, "True head", lambda: MHA(8, True), "width 8", "True heads")
bad_arguments(MHA, "rotary that is a width", lambda: MHA(8, 2, rotary=4), "RotaryEmbedding", "4")
bad_arguments(CSA, "alibi that is a switch", lambda: CSA(8, 2, alibi=True), "ALiBi", "True")
bad_arguments(MHA, "rotary", lambda: MHA(8, 2, rotary=nn.RotaryEmbedding(8)), "width 4", "width 8")
bad_arguments(MHA, "alibi", lambda: MHA(8, 2, alibi=nn.ALiBi(4)), "2 heads", "4 heads")
bad_arguments(CSA, "kv heads", lambda: CSA(8, 4, kv_heads=3), "4 heads", "3 kv_heads")
ones = ddl.ones
LAYER = MHA(4, 2)
for name, call, words in (
    ("rank", lambda: LAYER(ones(3, 4)), ("(B, T, 4)", "(3, 4)")),
    ("width", lambda: LAYER(ones(2, 3, 6)), ("(B, T, 4)", "(2, 3, 6)")),
    ("keys' rank", lambda: LAYER(ones(2, 3, 4), ones(3, 4)), ("keys", "(3, 4)")),
    ("values' width", lambda: LAYER(ones(2, 3, 4), ones(2, 5, 4), ones(2, 5, 3)), ("values", "(2, 5, 3)")),
    ("batches", lambda: LAYER(ones(2, 3, 4), ones(1, 5, 4)), ("(2, 3, 4)", "(1, 5, 4)")),
    ("keys and values", lambda: LAYER(ones(2, 3, 4), ones(2, 5, 4), ones(2, 6, 4)), ("(2, 5, 4)", "(2, 6, 4)")),
    ("mask", lambda: LAYER(ones(2, 3, 4), attn_mask=np.ones((3, 4), bool)), ("(2, 2, 3, 3)", "(3, 4)")),
    (
        "mask of PyTorch's form",
        lambda: LAYER(ones(2, 3, 4), attn_mask=np.ones((4, 3, 3), bool)),
        ("(2, 2, 3, 3)", "(4, 3, 3)"),
    ),
    (
        "mask's rank",
        lambda: LAYER(ones(2, 3, 4), attn_mask=np.ones((1, 1, 1, 3, 3), bool)),
        ("(2, 2, 3, 3)", "(1, 1, 1, 3, 3)"),
    ),
    ("mask's dtype", lambda: LAYER(ones(2, 3, 4), attn_mask=np.ones((3, 3), int)), ("boolean", "float", "int64")),
    ("padding", lambda: LAYER(ones(2, 3, 4), key_padding_mask=np.ones((2, 4), bool)), ("(2, 3)", "(2, 4)")),
    (
        "padding's rank",
        lambda: LAYER(ones(2, 3, 4), key_padding_mask=np.ones((2, 1, 3), bool)),
        ("(2, 3)", "(2, 1, 3)"),
    ),
    ("cache", lambda: LAYER(ones(2, 3, 4), cache=nn.KVCache()), ("cache", "causal")),
    (
        "cache of another sequence",
        lambda: LAYER(ones(2, 3, 4), ones(2, 3, 4), is_causal=True, cache=nn.KVCache()),
        ("cache", "one sequence"),
    ),
):
    bad_inputs(MHA, name, call, *words)
