"""The decoder in PyTorch, with ddl's parameter names, to be timed beside it."""

from torch import nn
from torch.nn import functional as F


class Block(nn.Module):
    def __init__(self, c, heads):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(c), nn.LayerNorm(c)
        self.attn = nn.ModuleDict({"qkv": nn.Linear(c, 3 * c), "proj": nn.Linear(c, c)})
        self.mlp = nn.ModuleDict({"up": nn.Linear(c, 4 * c), "down": nn.Linear(4 * c, c)})

    def forward(self, x):
        B, T, C = x.shape
        split = lambda h: h.view(B, T, self.heads, C // self.heads).transpose(1, 2)
        q, k, v = map(split, self.attn["qkv"](self.ln_1(x)).split(C, dim=2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(B, T, C)
        x = x + self.attn["proj"](y)
        return x + self.mlp["down"](F.gelu(self.mlp["up"](self.ln_2(x)), approximate="tanh"))


class Twin(nn.Module):
    """GPT2(config), whose forward gives the loss."""

    def __init__(self, config):
        super().__init__()
        c = config.n_embd
        self.wte, self.wpe = nn.Embedding(config.vocab_size, c), nn.Embedding(config.block_size, c)
        self.blocks = nn.ModuleList(Block(c, config.n_head) for _ in range(config.n_layer))
        self.ln_f = nn.LayerNorm(c)

    def forward(self, ids, targets):
        x = self.wte(ids) + self.wpe.weight[: ids.shape[1]]
        for block in self.blocks:
            x = block(x)
        scores = F.linear(self.ln_f(x), self.wte.weight)
        return F.cross_entropy(scores.view(-1, scores.shape[-1]).float(), targets.view(-1))
