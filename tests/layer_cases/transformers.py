"""Normalization, dropout, attention and the blocks of a decoder."""

from cases.table import N, Z

import ddl
from ddl import nn
from ddl.models import GPT2, GPT2Config

from .table import bad_arguments, bad_inputs, row

# fmt: off
for bias in (True, False):
    row(nn.LayerNorm, "" if bias else "no bias", lambda b=bias: nn.LayerNorm(4, bias=b), N(2, 3, 4),
        torch=lambda t, b=bias: t.nn.LayerNorm(4, bias=b))
bad_arguments(nn.LayerNorm, "no width", lambda: nn.LayerNorm(0), "normalized_shape", "0")
bad_inputs(nn.LayerNorm, "width", lambda: nn.LayerNorm(3)(ddl.ones(2, 4)), "(3,)", "(2, 4)")

row(nn.Dropout, "", lambda: nn.Dropout(0.3), N(5, 4), torch=lambda t: t.nn.Dropout(0.3), random=True)
bad_arguments(nn.Dropout, "1.5", lambda: nn.Dropout(1.5), "between 0 and 1", "1.5")

ATTENTION = {"qkv.weight": "in_proj_weight", "qkv.bias": "in_proj_bias",
             "proj.weight": "out_proj.weight", "proj.bias": "out_proj.bias"}
BLOCK = {f"attn.{a}": f"self_attn.{b}" for a, b in ATTENTION.items()} | {
    f"{a}.{part}": f"{b}.{part}" for part in ("weight", "bias")
    for a, b in {"ln_1": "norm1", "ln_2": "norm2", "mlp.up": "linear1", "mlp.down": "linear2"}.items()
}


def future(torch, x):
    return torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)  # PyTorch's True hides


def attend(torch, twin, x):
    return twin(x, x, x, attn_mask=future(torch, x), need_weights=False)[0]


for heads in (1, 2, 4):
    row(nn.CausalSelfAttention, f"{heads} heads", lambda h=heads: nn.CausalSelfAttention(8, h), N(2, 5, 8),
        torch=lambda t, h=heads: t.nn.MultiheadAttention(8, h, batch_first=True), names=ATTENTION, run=attend)
row(nn.CausalSelfAttention, "dropout", lambda: nn.CausalSelfAttention(8, 2, 0.2), N(2, 5, 8), random=True)
bad_arguments(nn.CausalSelfAttention, "heads", lambda: nn.CausalSelfAttention(8, 3), "width 8", "3 heads")
bad_arguments(nn.CausalSelfAttention, "half a head", lambda: nn.CausalSelfAttention(8, 2.0), "width 8", "2.0 heads")
bad_inputs(nn.CausalSelfAttention, "width", lambda: nn.CausalSelfAttention(4, 2)(ddl.ones(1, 2, 6)), "4", "(1, 2, 6)")
bad_inputs(nn.CausalSelfAttention, "rank", lambda: nn.CausalSelfAttention(4, 2)(ddl.ones(2, 4)), "4", "(2, 4)")

row(nn.MLP, "", lambda: nn.MLP(4), N(2, 5, 4))
bad_inputs(nn.MLP, "width", lambda: nn.MLP(4)(ddl.ones(2, 3)), "4", "(2, 3)", by=nn.Linear)
row(nn.TransformerBlock, "", lambda: nn.TransformerBlock(8, 2), N(2, 70, 8), names=BLOCK,
    torch=lambda t: t.nn.TransformerEncoderLayer(
        8, 2, 32, 0.0, lambda x: t.nn.functional.gelu(x, approximate="tanh"), batch_first=True, norm_first=True),
    run=lambda torch, twin, x: twin(x, src_mask=future(torch, x)))
row(nn.TransformerBlock, "no bias", lambda: nn.TransformerBlock(8, 2, bias=False), N(2, 5, 8))
bad_arguments(nn.TransformerBlock, "no heads", lambda: nn.TransformerBlock(8, 0), "width 8", "0 heads",
              by=nn.CausalSelfAttention)
bad_inputs(nn.TransformerBlock, "rank", lambda: nn.TransformerBlock(4, 2)(ddl.ones(2, 4)), "(2, 4)",
           by=nn.CausalSelfAttention)

row(GPT2, "", lambda: GPT2(GPT2Config(vocab_size=11, block_size=5, n_embd=8, n_layer=2, n_head=2)), Z(11, 2, 5))
# fmt: on
