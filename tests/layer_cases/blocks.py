"""Encoder and decoder blocks, and GPT-2. ddl's boolean masks keep, those of PyTorch's layers hide."""

from itertools import product

import numpy as np
from cases.table import N, Z, fixed

from ddl import nn, ones
from ddl.models import GPT2, GPT2Config

from .attention import NAMES, future, keeps
from .table import bad_arguments, bad_inputs, row

ENCODER, DECODER, BLOCK = nn.TransformerEncoderLayer, nn.TransformerDecoderLayer, nn.TransformerBlock
X, M = N(2, 3, 8), N(2, 5, 8)


def inside(ours, theirs):
    return {f"{ours}.{a}": f"{theirs}.{b}" for a, b in NAMES.items()}


ENCODERS = inside("self_attn", "self_attn")
DECODERS = ENCODERS | inside("multihead_attn", "multihead_attn")
BLOCKS = inside("attn", "self_attn") | {
    f"{a}.{part}": f"{b}.{part}"
    for part in ("weight", "bias")
    for a, b in {"ln_1": "norm1", "ln_2": "norm2", "mlp.up": "linear1", "mlp.down": "linear2"}.items()
}


# fmt: off
def pair(kind, name, *makers, options=None, **more):
    """A row of an encoder or decoder layer (8, 2, 12, 0.0) beside PyTorch's of the same name and options."""
    options = options or {}
    row(kind, name, lambda: kind(8, 2, 12, 0.0, **options), *makers, names=DECODERS if kind is DECODER else ENCODERS,
        torch=lambda t: getattr(t.nn, kind.__name__)(8, 2, 12, 0.0, batch_first=True, **options), **more)


for first, activation, bias in product((False, True), ("relu", "gelu"), (True, False)):
    options = {"norm_first": first, "activation": activation, "bias": bias, "layer_norm_eps": 0.01}
    name = f"{activation}, norm_first {first}, bias {bias}"
    pair(ENCODER, name, X, options=options)
    pair(DECODER, name, X, M, options=options)
for first in (False, True):
    options = {"norm_first": first}
    pair(ENCODER, f"causal and padding, norm_first {first}", X, fixed([[True] * 3, [True, True, False]]),
         options=options, call=lambda layer, x, keep: layer(x, src_key_padding_mask=keep, is_causal=True),
         run=lambda t, twin, x, keep: twin(x, future(t, x), src_key_padding_mask=~keep))
    pair(ENCODER, f"float mask, norm_first {first}", X, N(3, 3), options=options)
    pair(DECODER, f"masks, norm_first {first}", X, M, keeps(3, 5), keeps(2, 3), keeps(2, 5), options=options,
         call=lambda layer, x, m, *masks: layer(x, m, None, *masks, tgt_is_causal=True),
         run=lambda t, twin, x, m, *masks: twin(x, m, future(t, x), *(~mask for mask in masks)))
    pair(DECODER, f"float masks, norm_first {first}", X, M, N(3, 3), N(3, 5), options=options)
row(ENCODER, "a function", lambda: ENCODER(8, 2, 12, 0.0, nn.functional.tanh), X, names=ENCODERS,
    torch=lambda t: t.nn.TransformerEncoderLayer(8, 2, 12, 0.0, t.tanh, batch_first=True))
row(ENCODER, "dropout, grouped, rotary", lambda: ENCODER(8, 4, 12, kv_heads=2, rotary=nn.RotaryEmbedding(2)), X,
    random=True)
row(DECODER, "dropout, grouped, alibi", lambda: DECODER(8, 4, 12, kv_heads=2, alibi=nn.ALiBi(4)), X, M, random=True)
for kind in (ENCODER, DECODER):
    bad_arguments(kind, "activation", lambda kind=kind: kind(8, 2, activation="tanh"), "'relu'", "'tanh'")
    bad_arguments(kind, "activations", lambda kind=kind: kind(8, 2, activation=["relu"]), "'relu'", "['relu']")
    bad_arguments(kind, "heads", lambda kind=kind: kind(8, 3), "width 8", "3 heads")
    bad_arguments(kind, "no inner width", lambda kind=kind: kind(8, 2, 0), "dim_feedforward", "0")
bad_inputs(ENCODER, "rank", lambda: ENCODER(4, 2)(ones(3, 4)), "(B, T, 4)", "(3, 4)")
bad_inputs(ENCODER, "padding", lambda: ENCODER(4, 2)(ones(2, 3, 4), src_key_padding_mask=np.ones((2, 4), bool)),
           "(2, 3)", "(2, 4)")
bad_inputs(DECODER, "memory's width", lambda: DECODER(4, 2)(ones(2, 3, 4), ones(2, 5, 6)), "(B, T, 4)", "(2, 5, 6)")

row(nn.MLP, "", lambda: nn.MLP(4), N(2, 5, 4),
    torch=lambda t: t.nn.Sequential(t.nn.Linear(4, 16), t.nn.GELU("tanh"), t.nn.Linear(16, 4)),
    names=lambda ours: {path.replace("up", "0").replace("down", "2"): x for path, x in ours.items()})
bad_arguments(nn.MLP, "no width", lambda: nn.MLP(0), "n_embd", "0")
bad_inputs(nn.MLP, "width", lambda: nn.MLP(4)(ones(2, 3)), "4", "(2, 3)")

row(BLOCK, "", lambda: BLOCK(8, 2), N(2, 70, 8), names=BLOCKS,
    torch=lambda t: t.nn.TransformerEncoderLayer(
        8, 2, 32, 0.0, lambda x: t.nn.functional.gelu(x, approximate="tanh"), batch_first=True, norm_first=True),
    run=lambda torch, twin, x: twin(x, src_mask=future(torch, x)))
row(BLOCK, "no bias", lambda: BLOCK(8, 2, bias=False), N(2, 5, 8))
row(BLOCK, "grouped, rotary", lambda: BLOCK(8, 2, kv_heads=1, rotary=nn.RotaryEmbedding(4)), X)
bad_arguments(BLOCK, "no heads", lambda: BLOCK(8, 0), "width 8", "0 heads")
bad_inputs(BLOCK, "rank", lambda: BLOCK(4, 2)(ones(2, 4)), "(2, 4)")

row(GPT2, "", lambda: GPT2(GPT2Config(vocab_size=11, block_size=5, n_embd=8, n_layer=2, n_head=2)), Z(11, 2, 5))
# fmt: on
