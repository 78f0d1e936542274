"""A task that needs positions: rotary, sinusoidal and learned ones solve it; without, a model knows a bag of tokens."""

import numpy as np
import pytest

import ddl
from ddl import nn
from ddl.nn import functional as F

TOKENS, LENGTH, WIDTH, HEADS = 8, 12, 32, 2
ADDED = {"learned": lambda: nn.LearnedPositions(LENGTH, WIDTH), "sinusoidal": lambda: nn.SinusoidalPositions(WIDTH)}
INSIDE = {
    "rotary": lambda: {"rotary": nn.RotaryEmbedding(WIDTH // HEADS)},
    "rotary, interleaved": lambda: {"rotary": nn.RotaryEmbedding(WIDTH // HEADS, interleaved=True)},
    "alibi": lambda: {"alibi": nn.ALiBi(HEADS)},
}


class Model(nn.Module):
    """One causal block, with positions of a kind."""

    def __init__(self, kind):
        self.wte = nn.Embedding(TOKENS, WIDTH)
        self.positions = ADDED.get(kind, nn.Identity)()
        self.block = nn.TransformerBlock(WIDTH, HEADS, **INSIDE.get(kind, dict)())
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, TOKENS)

    def forward(self, ids):
        return self.head(self.norm(self.block(self.positions(self.wte(ids)))))


def unseen(seed):
    return np.random.default_rng(1000 + seed).integers(0, TOKENS, (500, LENGTH))


def held_out_accuracy(kind, lag, seed, steps=250):
    """Trained to name the token `lag` places back: the share of unseen sequences' tokens that it names."""
    ddl.manual_seed(seed)
    model, rng = Model(kind), np.random.default_rng(seed)
    optimizer = ddl.optim.Adam(model.parameters(), lr=0.005)
    for _ in range(steps):
        ids = rng.integers(0, TOKENS, (32, LENGTH))
        loss = F.cross_entropy(model(ids)[:, lag:].reshape(-1, TOKENS), ids[:, :-lag].reshape(-1))
        optimizer.backward_step(loss, max_norm=1.0)
    ids = unseen(seed)
    with ddl.no_grad():
        return float((model(ids)[:, lag:].argmax(dim=-1).numpy() == ids[:, :-lag]).mean())


def bag_knows(lag, seed):
    """The most that one can name of the token `lag` places back, knowing only how often each token came before."""
    counts = np.cumsum(np.eye(TOKENS)[unseen(seed)], axis=1)  # (N, T, TOKENS)
    return float(np.mean([counts[:, t - 1].max(axis=-1) / t for t in range(lag, LENGTH)]))


@pytest.mark.parametrize("seed", range(3))
def test_with_positions_the_token_two_places_back_is_known_and_without_it_is_not(seed):
    """Measured on 3 seeds: 100.0% with each kind; 36.3% to 36.9% without, where a bag knows 37.2% to 38.0%."""
    found = {kind: held_out_accuracy(kind, 2, seed) for kind in [*ADDED, "rotary", "rotary, interleaved", "none"]}
    bag = bag_knows(2, seed)
    print(f"seed {seed}: a bag knows {bag:.2%};", ", ".join(f"{kind} {share:.2%}" for kind, share in found.items()))
    none = found.pop("none")
    assert min(found.values()) >= 0.99
    assert none < bag + 0.02


@pytest.mark.parametrize("seed", range(3))
def test_alibi_knows_what_is_near_but_not_how_far(seed):
    """Measured on 3 seeds: one place back 79.5% where a bag knows 43%, two back 38.5% to 38.9% where it knows 37.5%."""
    near, far = held_out_accuracy("alibi", 1, seed, 800), held_out_accuracy("alibi", 2, seed, 250)
    print(
        f"seed {seed}: one back {near:.2%} of {bag_knows(1, seed):.2%}, two back {far:.2%} of {bag_knows(2, seed):.2%}"
    )
    assert near > bag_knows(1, seed) + 0.1
    assert far < bag_knows(2, seed) + 0.1
