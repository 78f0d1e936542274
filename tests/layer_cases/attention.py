"""Attention with heads. ddl's boolean masks keep, those of PyTorch's layers hide."""

import numpy as np
from cases.table import N

import ddl
from ddl import nn

from .table import bad_arguments, bad_inputs, row

MHA, CSA, ones = nn.MultiHeadAttention, nn.CausalSelfAttention, ddl.ones
NAMES = {"qkv.weight": "in_proj_weight", "qkv.bias": "in_proj_bias",
         "proj.weight": "out_proj.weight", "proj.bias": "out_proj.bias"}  # fmt: skip


def keeps(*shape):
    """A boolean mask that leaves every query its first key."""

    def make(rng):
        mask = rng.random(shape) < 0.6
        mask[..., 0] = True
        return mask

    return make


def all_of(*shape):
    return np.ones(shape, bool)


def future(torch, x):
    return torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)  # PyTorch's True hides


def look(torch, twin, query, key=None, value=None, need_weights=False, average_attn_weights=True, **masks):
    """PyTorch's layer called as ddl's: with masks that keep, and inputs that may be left out."""
    key = query if key is None else key
    hidden = {name: ~mask if mask.dtype == torch.bool else mask for name, mask in masks.items()}
    out = twin(query, key, key if value is None else value, need_weights=need_weights,
               average_attn_weights=average_attn_weights, **hidden)  # fmt: skip
    return out if need_weights else out[0]


# fmt: off
def mha(name, *makers, bias=True, masks=(), options=None, run=look, **more):
    """A row of MHA(8, 2) called with inputs, then masks by these names, and options."""
    def call(layer, *xs, call=lambda layer, *xs, **named: layer(*xs, **named)):
        n = len(xs) - len(masks)
        return call(layer, *xs[:n], **dict(zip(masks, xs[n:])), **(options or {}))

    row(MHA, name, lambda: MHA(8, 2, bias=bias), *makers, call=call, names=NAMES,
        torch=lambda t: t.nn.MultiheadAttention(8, 2, bias=bias, batch_first=True),
        run=lambda t, twin, *xs: call(twin, *xs, call=lambda twin, *xs, **named: run(t, twin, *xs, **named)), **more)


def causal(t, twin, x, is_causal=True, attn_mask=None, **more):
    keep = ~future(t, x)
    mask = keep if attn_mask is None else (keep & attn_mask).flatten(0, 1)  # each head of each sequence
    return look(t, twin, x, attn_mask=mask, **more)


def padded_and_added(t, twin, x, attn_mask, key_padding_mask, **more):
    hidden = t.zeros(2, 3, 3).masked_fill(~key_padding_mask[:, None], -t.inf)
    return look(t, twin, x, attn_mask=(attn_mask + hidden).repeat_interleave(2, 0), **more)


X, M = N(2, 3, 8), N(2, 5, 8)
PADDING, MASK, BOTH = ("key_padding_mask",), ("attn_mask",), ("attn_mask", "key_padding_mask")
for bias in (True, False):
    end = "" if bias else ", no bias"
    mha(f"self{end}", X, bias=bias)
    mha(f"cross{end}", X, M, bias=bias)
    mha(f"three inputs{end}", X, M, M, bias=bias)
for average in (True, False):
    weights = {"need_weights": True, "average_attn_weights": average}
    end = f"weights, average {average}"
    mha(end, X, M, options=weights)
    mha(f"causal {end}", X, options={"is_causal": True, **weights}, run=causal)
    mha(f"padding {end}", X, M, keeps(2, 5), masks=PADDING, options=weights)
    mha(f"float mask {end}", X, M, N(3, 5), masks=MASK, options=weights)
mha("causal in the call", N(2, 70, 8), options={"is_causal": True}, run=causal)
mha("padding", X, M, keeps(2, 5), masks=PADDING)
mha("mask", X, M, keeps(3, 5), masks=MASK)
mha("float mask", X, M, N(3, 5), masks=MASK)
mha("both masks", X, M, keeps(3, 5), keeps(2, 5), masks=BOTH)
mha("mask of heads, padding, causal", X, keeps(2, 2, 3, 3), keeps(2, 3), masks=BOTH, options={"is_causal": True},
    run=causal)
mha("float mask and padding", X, N(3, 3), keeps(2, 3), masks=BOTH, run=padded_and_added)
row(MHA, "causal", lambda: MHA(8, 2, is_causal=True), N(2, 70, 8), names=NAMES, run=causal,
    torch=lambda t: t.nn.MultiheadAttention(8, 2, batch_first=True))
row(MHA, "dropout", lambda: MHA(8, 2, 0.3), X, random=True, names=NAMES, run=look,
    torch=lambda t: t.nn.MultiheadAttention(8, 2, 0.3, batch_first=True))
for heads in (1, 2, 4):
    row(CSA, f"{heads} heads", lambda h=heads: CSA(8, h), N(2, 5, 8), names=NAMES, run=causal,
        torch=lambda t, h=heads: t.nn.MultiheadAttention(8, h, batch_first=True))
row(CSA, "dropout", lambda: CSA(8, 2, 0.2), N(2, 5, 8), random=True)


def grouped(t, twin, x, is_causal=True, turn=lambda x: x):
    """The same in PyTorch's functions, where it has no layer: 4 heads of 2, 2 of keys and of values."""
    q, k, v = (part.unflatten(-1, (-1, 2)).transpose(1, 2) for part in twin.qkv(x).split([8, 4, 4], -1))
    y = t.nn.functional.scaled_dot_product_attention(turn(q), turn(k), v, is_causal=is_causal, enable_gqa=True)
    return twin.proj(y.transpose(1, 2).flatten(2))


def grouped_twin(t):
    twin = t.nn.Module()
    twin.qkv, twin.proj = t.nn.Linear(8, 16), t.nn.Linear(8, 8)
    return twin


def turned(t, twin, x):
    """Heads of one pair: place p turns by p, as a complex number does."""
    angles = t.arange(x.shape[1], dtype=x.dtype)[:, None]
    turn = lambda x: t.view_as_real(t.view_as_complex(x[..., None, :].contiguous()) * t.exp(1j * angles)).flatten(-2)
    return grouped(t, twin, x, turn=turn)


row(MHA, "grouped", lambda: MHA(8, 4, kv_heads=2), X, torch=grouped_twin,
    run=lambda t, twin, x: grouped(t, twin, x, is_causal=False))
row(CSA, "grouped", lambda: CSA(8, 4, kv_heads=2), X, torch=grouped_twin, run=grouped)
row(MHA, "grouped cross", lambda: MHA(8, 4, kv_heads=1), X, M)
for form in (False, True):
    rotary = lambda width, i=form: nn.RotaryEmbedding(width, interleaved=i)
    row(CSA, f"grouped, rotary {form}", lambda r=rotary: CSA(8, 4, kv_heads=2, rotary=r(2)), X, torch=grouped_twin,
        run=turned)
    row(MHA, f"rotary {form}", lambda r=rotary: MHA(8, 2, kv_heads=1, is_causal=True, rotary=r(4)), X)


def in_two(layer, x):
    """The first places, then the others beside a cache of those."""
    cache = nn.KVCache()
    return layer(x[:, :2], cache=cache), layer(x[:, 2:], cache=cache)


row(CSA, "cached", lambda: CSA(8, 4, kv_heads=2, rotary=nn.RotaryEmbedding(2), alibi=nn.ALiBi(4)), N(2, 5, 8),
    call=in_two)


def penalised(t, twin, x):
    """Two heads, of slopes 1 / 16 and 1 / 256."""
    apart = (t.arange(x.shape[1])[:, None] - t.arange(x.shape[1])).abs()
    mask = -t.tensor([1 / 16, 1 / 256], dtype=x.dtype)[:, None, None] * apart
    return look(t, twin, x, attn_mask=mask.repeat(len(x), 1, 1))


row(MHA, "alibi", lambda: MHA(8, 2, alibi=nn.ALiBi(2)), X, names=NAMES, run=penalised,
    torch=lambda t: t.nn.MultiheadAttention(8, 2, batch_first=True))

bad_arguments(MHA, "no width", lambda: MHA(0, 2), "embed_dim", "0")
bad_arguments(MHA, "rotary", lambda: MHA(8, 2, rotary=nn.RotaryEmbedding(8)), "width 4", "width 8")
bad_arguments(MHA, "alibi", lambda: MHA(8, 2, alibi=nn.ALiBi(4)), "2 heads", "4 heads")
for kind in (MHA, CSA):
    bad_arguments(kind, "heads", lambda k=kind: k(8, 3), "width 8", "3 heads")
    bad_arguments(kind, "negative heads", lambda k=kind: k(8, -2), "width 8", "-2 heads")
    bad_arguments(kind, "half a head", lambda k=kind: k(8, 2.0), "width 8", "2.0 heads")
    bad_arguments(kind, "True head", lambda k=kind: k(8, True), "width 8", "True heads")
    bad_arguments(kind, "kv heads", lambda k=kind: k(8, 4, kv_heads=3), "4 heads", "3 kv_heads")
    bad_arguments(kind, "no kv heads", lambda k=kind: k(8, 4, kv_heads=0), "4 heads", "0 kv_heads")
    bad_arguments(kind, "rotary that is a width", lambda k=kind: k(8, 2, rotary=4), "RotaryEmbedding", "4")
    bad_arguments(kind, "alibi that is a switch", lambda k=kind: k(8, 2, alibi=True), "ALiBi", "True")
    bad_inputs(kind, "width", lambda k=kind: k(4, 2)(ones(1, 2, 6)), "(B, T, 4)", "(1, 2, 6)")
    bad_inputs(kind, "rank", lambda k=kind: k(4, 2)(ones(2, 4)), "(B, T, 4)", "(2, 4)")

Q, LAYER = ones(2, 3, 4), MHA(4, 2)
for name, call, *words in (
    ("keys' rank", lambda: LAYER(Q, ones(3, 4)), "keys", "(3, 4)"),
    ("values' width", lambda: LAYER(Q, ones(2, 5, 4), ones(2, 5, 3)), "values", "(2, 5, 3)"),
    ("batches", lambda: LAYER(Q, ones(1, 5, 4)), "(2, 3, 4)", "(1, 5, 4)"),
    ("keys and values", lambda: LAYER(Q, ones(2, 5, 4), ones(2, 6, 4)), "(2, 5, 4)", "(2, 6, 4)"),
    ("mask", lambda: LAYER(Q, attn_mask=all_of(3, 4)), "(2, 2, 3, 3)", "(3, 4)"),
    ("mask of PyTorch's form", lambda: LAYER(Q, attn_mask=all_of(4, 3, 3)), "(2, 2, 3, 3)", "(4, 3, 3)"),
    ("mask's rank", lambda: LAYER(Q, attn_mask=all_of(1, 1, 1, 3, 3)), "(2, 2, 3, 3)", "(1, 1, 1, 3, 3)"),
    ("mask's dtype", lambda: LAYER(Q, attn_mask=np.ones((3, 3), int)), "boolean", "float", "int64"),
    ("padding", lambda: LAYER(Q, key_padding_mask=all_of(2, 4)), "(2, 3)", "(2, 4)"),
    ("padding's rank", lambda: LAYER(Q, key_padding_mask=all_of(2, 1, 3)), "(2, 3)", "(2, 1, 3)"),
    ("cache", lambda: LAYER(Q, cache=nn.KVCache()), "cache", "causal"),
    ("cache of another sequence", lambda: LAYER(Q, Q * 1, is_causal=True, cache=nn.KVCache()), "cache", "one sequence"),
    ("rotary across", lambda: MHA(4, 2, rotary=nn.RotaryEmbedding(2))(Q, Q * 1), "rotary", "one sequence"),
):
    bad_inputs(MHA, name, call, *words)
# fmt: on
