"""A copy task that needs memory: an LSTM and a one-block transformer solve it, the same without memory only guess."""

import numpy as np
import pytest

import ddl
from ddl import nn
from ddl.nn import functional as F

SYMBOLS, LENGTH = 4, 5  # that many symbols are read, then as many blanks, at which they are due in the same order
BLANK = SYMBOLS


def sequences(rng, n):
    symbols = rng.integers(0, SYMBOLS, (n, LENGTH))
    return np.concatenate([symbols, np.full((n, LENGTH), BLANK)], axis=1), symbols


class Recurrent(nn.Module):
    def __init__(self, memory):
        self.memory = memory
        self.wte = nn.Embedding(SYMBOLS + 1, 16)
        self.lstm = nn.LSTM(16, 32, batch_first=True)
        self.head = nn.Linear(32, SYMBOLS)

    def forward(self, ids):
        x = self.wte(ids)
        steps = x if self.memory else x.reshape(-1, 1, x.shape[-1])  # without: each step begins from nothing
        return self.head(self.lstm(steps)[0]).reshape(*ids.shape, SYMBOLS)


class Attentive(nn.Module):
    def __init__(self, memory):
        self.sees = None if memory else np.eye(2 * LENGTH, dtype=bool)  # without: each place sees itself alone
        self.wte = nn.Embedding(SYMBOLS + 1, 32)
        self.positions = nn.LearnedPositions(2 * LENGTH, 32)
        self.block = nn.TransformerEncoderLayer(32, 2, 64, 0.0, norm_first=True, is_causal=True)
        self.norm = nn.LayerNorm(32)
        self.head = nn.Linear(32, SYMBOLS)

    def forward(self, ids):
        return self.head(self.norm(self.block(self.positions(self.wte(ids)), self.sees)))


def held_out_accuracy(model, seed, steps):
    """Trained for some steps on sequences of this seed: the share of 2500 unseen symbols that come back right."""
    rng, unseen = np.random.default_rng(seed), np.random.default_rng(1000 + seed)
    optimizer = ddl.optim.Adam(model.parameters(), lr=0.01)
    answers = lambda ids: model(ids)[:, LENGTH:]
    for _ in range(steps):
        ids, symbols = sequences(rng, 64)
        loss = F.cross_entropy(answers(ids).reshape(-1, SYMBOLS), symbols.reshape(-1))
        optimizer.backward_step(loss, max_norm=1.0)
    ids, symbols = sequences(unseen, 500)
    with ddl.no_grad():
        return float((answers(ids).argmax(dim=-1).numpy() == symbols).mean())


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("kind", "steps"), [(Recurrent, 600), (Attentive, 200)])
def test_memory_solves_the_copy_task_and_nothing_else_does(kind, steps, seed):
    """Measured on 3 seeds: LSTM 99.2% to 100%, transformer 100%; without memory 22.7% to 26.7%, a guess having 25%."""
    ddl.manual_seed(seed)
    solved = held_out_accuracy(kind(memory=True), seed, steps)
    ddl.manual_seed(seed)
    guessed = held_out_accuracy(kind(memory=False), seed, 200)
    print(f"{kind.__name__}, seed {seed}: {solved:.2%} with memory, {guessed:.2%} without")
    assert solved >= 0.97
    assert abs(guessed - 1 / SYMBOLS) < 0.05
