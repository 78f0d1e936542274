"""Encoder and decoder blocks. ddl's boolean masks keep, those of PyTorch's layers hide."""

import numpy as np
from cases.table import N, fixed

from ddl import nn, ones

from .attention import keeps
from .table import bad_arguments, bad_inputs, row
from .transformers import ATTENTION, future

ENCODER, DECODER = nn.TransformerEncoderLayer, nn.TransformerDecoderLayer
X, M = N(2, 3, 8), N(2, 5, 8)
SELF = {f"self_attn.{a}": f"self_attn.{b}" for a, b in ATTENTION.items()}
CROSS = {f"multihead_attn.{a}": f"multihead_attn.{b}" for a, b in ATTENTION.items()}
for first in (False, True):
    for kind in ("relu", "gelu"):
        row(
            ENCODER,
            f"{kind}, norm_first {first}",
            lambda k=kind, f=first: ENCODER(8, 2, 12, 0.0, k, norm_first=f),
            X,
            names=SELF,
            torch=lambda t, k=kind, f=first: t.nn.TransformerEncoderLayer(
                8, 2, 12, 0.0, k, batch_first=True, norm_first=f
            ),
        )
        row(
            DECODER,
            f"{kind}, norm_first {first}",
            lambda k=kind, f=first: DECODER(8, 2, 12, 0.0, k, norm_first=f),
            X,
            M,
            names=SELF | CROSS,
            torch=lambda t, k=kind, f=first: t.nn.TransformerDecoderLayer(
                8, 2, 12, 0.0, k, batch_first=True, norm_first=f
            ),
        )
row(
    ENCODER,
    "padding and a function",
    lambda: ENCODER(8, 2, 12, 0.0, nn.functional.tanh, 0.01, bias=False),
    X,
    fixed([[True] * 3, [True, True, False]]),
    call=lambda layer, x, keep: layer(x, src_key_padding_mask=keep, is_causal=True),
    names=SELF,
    torch=lambda t: t.nn.TransformerEncoderLayer(8, 2, 12, 0.0, t.tanh, 0.01, batch_first=True, bias=False),
    run=lambda t, twin, x, keep: twin(x, future(t, x), src_key_padding_mask=~keep),
)
row(
    DECODER,
    "masks",
    lambda: DECODER(8, 2, 12, 0.0),
    X,
    M,
    keeps(2, 3),
    keeps(2, 5),
    keeps(3, 5),
    call=lambda layer, x, m, own, theirs, mask: layer(x, m, None, mask, own, theirs, tgt_is_causal=True),
    names=SELF | CROSS,
    torch=lambda t: t.nn.TransformerDecoderLayer(8, 2, 12, 0.0, batch_first=True),
    run=lambda t, twin, x, m, own, theirs, mask: twin(x, m, future(t, x), ~mask, ~own, ~theirs),
)
row(
    ENCODER,
    "dropout, grouped, rotary",
    lambda: ENCODER(8, 4, 12, kv_heads=2, rotary=nn.RotaryEmbedding(2)),
    X,
    random=True,
)
row(DECODER, "dropout, grouped, alibi", lambda: DECODER(8, 4, 12, kv_heads=2, alibi=nn.ALiBi(4)), X, M, random=True)
row(
    nn.TransformerBlock,
    "grouped, rotary",
    lambda: nn.TransformerBlock(8, 2, kv_heads=1, rotary=nn.RotaryEmbedding(4)),
    X,
)
for kind in (ENCODER, DECODER):
    bad_arguments(kind, "activation", lambda kind=kind: kind(8, 2, activation="tanh"), "'relu'", "'tanh'")
    bad_arguments(kind, "heads", lambda kind=kind: kind(8, 3), "width 8", "3 heads", by=nn.MultiHeadAttention)
    bad_arguments(kind, "no inner width", lambda kind=kind: kind(8, 2, 0), "out_features", "0", by=nn.Linear)
bad_inputs(ENCODER, "rank", lambda: ENCODER(4, 2)(ones(3, 4)), "(B, T, 4)", "(3, 4)", by=nn.MultiHeadAttention)
bad_inputs(
    ENCODER,
    "padding",
    lambda: ENCODER(4, 2)(ones(2, 3, 4), src_key_padding_mask=np.ones((2, 4), bool)),
    "(2, 3)",
    "(2, 4)",
    by=nn.MultiHeadAttention,
)
bad_inputs(
    DECODER,
    "memory's width",
    lambda: DECODER(4, 2)(ones(2, 3, 4), ones(2, 5, 6)),
    "(B, T, 4)",
    "(2, 5, 6)",
    by=nn.MultiHeadAttention,
)
