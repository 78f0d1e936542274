"""A convolutional network trained to a stated result: scikit-learn's bundled digits, held out and never looked at."""

from functools import partial

import numpy as np
import pytest

import ddl
from ddl.models import CNN
from ddl.nn import functional as F

EPOCHS, BATCH, RATE = 40, 64, 3e-3
HELD_OUT = 450


def digits():
    """((1347, 1, 8, 8), classes) to train on, and 450 held out, by a fixed split; values in 0 .. 1."""
    bundled = pytest.importorskip("sklearn.datasets", reason="scikit-learn is not installed").load_digits()
    x, y = (bundled.images[:, None] / 16).astype(np.float32), bundled.target
    order = np.random.default_rng(0).permutation(len(x))
    held, train = order[:HELD_OUT], order[HELD_OUT:]
    return (x[train], y[train]), (x[held], y[held])


def shifted(images, rng):
    """Each image moved by up to one place along each axis, zeros coming in: the same digit, but other numbers."""
    n = np.arange(len(images))[:, None, None]
    down, right = rng.choice(3, (2, len(images), 1, 1), p=[0.1, 0.8, 0.1])
    framed = np.pad(images[:, 0], ((0, 0), (1, 1), (1, 1)))
    return framed[n, down + np.arange(8)[:, None], right + np.arange(8)][:, None]


def trained(seed, x, y):
    """The network, and its state before training."""
    ddl.manual_seed(seed)
    model, rng = CNN(8, channels=(64, 64)), np.random.default_rng(seed)
    before = {path: t.numpy().copy() for path, t in model.state_dict().items()}
    optimizer = ddl.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.05)
    loss = partial(F.cross_entropy, label_smoothing=0.1)
    schedule = ddl.optim.CosineAnnealingLR(optimizer, EPOCHS * (len(x) // BATCH))
    for _ in range(EPOCHS):
        order = rng.permutation(len(x))
        for rows in order[: len(x) // BATCH * BATCH].reshape(-1, BATCH):
            optimizer.backward_step(loss(model(ddl.Tensor(shifted(x[rows], rng))), y[rows]))
            schedule.step()
    return model.eval(), before


def accuracy(model, x, y):
    with ddl.no_grad():
        return float((model(ddl.Tensor(x)).argmax(dim=1).numpy() == y).mean())


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_cnn_reads_held_out_digits(seed):
    """Measured: 99.11%, 98.89% and 99.33%, with settings chosen on thirds of the training part.

    The convolutions learn: each number in them moves, and with those of the start the network reads worse.
    """
    (x, y), held = digits()
    model, before = trained(seed, x, y)
    score = accuracy(model, *held)
    after = model.state_dict()
    filters = [path for path in before if path.startswith("features.")]
    assert filters == [f"features.{i}.{name}" for i in (0, 3) for name in ("weight", "bias")]
    moved = {path: abs(after[path].numpy() - before[path]) for path in filters}
    far = {path: float(np.linalg.norm(d) / np.linalg.norm(before[path])) for path, d in moved.items()}
    print(f"seed {seed}: {score:.2%} of {HELD_OUT} held out;", ", ".join(f"{p} by {f:.0%}" for p, f in far.items()))
    assert score >= 0.985
    assert all((d > 0).all() for d in moved.values())
    assert min(far.values()) > 0.1
    for path in filters:
        after[path].numpy()[...] = before[path]
    assert accuracy(model, *held) < score - 0.2


def test_a_shift_moves_an_image_by_at_most_one_place():
    image = np.zeros((500, 1, 8, 8), np.float32)
    image[:, 0, 4, 2] = 1.0
    moved = shifted(image, np.random.default_rng(0))
    assert (moved.sum(axis=(1, 2, 3)) == 1).all()
    assert {(int(r), int(c)) for _, _, r, c in np.argwhere(moved)} == {(r, c) for r in (3, 4, 5) for c in (1, 2, 3)}
