"""Probes: parameters that never moved, and test images that were in the training set."""

import numpy as np

from .... import nn, optim
from ....creation import tensor
from ....nn import functional as F
from ....random import manual_seed
from ...compare import kind
from ...task import Malformed, Mistake, Task


def frozen(model, train):
    before = {name: p.numpy().copy() for name, p in model.named_parameters()}
    train()
    return [name for name, p in model.named_parameters() if np.array_equal(p.numpy(), before[name])]


class Cut(nn.Module):
    """A layer whose result forgot where it came from."""

    def __init__(self, inner):
        self.inner = inner

    def forward(self, x):
        return tensor(self.inner(x).numpy())


def two_layers(cut=False):
    first = nn.Linear(3, 4)
    return nn.Sequential(Cut(first) if cut else first, nn.Tanh(), nn.Linear(4, 3))


def trained(make, owned=lambda model: [*model.parameters()], rate=0.1, steps=2, blind=0):
    """A function that makes a model, and one that trains it."""

    def made():
        manual_seed(3)
        rng = np.random.default_rng(3)
        x, t = rng.normal(size=(6, 3)).astype(np.float32), np.arange(6) % 3
        x[:, :blind] = 0
        model = make()

        def train():
            given = owned(model)
            optimizer = optim.SGD(given, lr=rate) if given else None
            for _ in range(steps if optimizer else 0):
                loss = F.cross_entropy(model(tensor(x)), tensor(t))
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()

        return model, train

    return (made,)


def asked(answer, made):
    """The names that came, in order."""
    model, train = made()
    names = answer(model, train)
    if not isinstance(names, (list, tuple, set)):
        raise Malformed(f"a list of names was expected, but {kind(names)} came")
    return sorted(names)


def models():
    return {
        "no parameters": trained(lambda: nn.Sequential(nn.Tanh()), owned=lambda model: []),
        "all of them learn": trained(two_layers),
        "the first layer is cut off": trained(lambda: two_layers(cut=True)),
        "the optimizer was given the last layer alone": trained(
            two_layers, owned=lambda model: [*model[2].parameters()]
        ),
        "the optimizer was given weights alone": trained(
            two_layers, owned=lambda model: [p for p in model.parameters() if p.ndim > 1]
        ),
        "a rate of 0": trained(two_layers, rate=0.0),
        "inputs that are always 0": trained(two_layers, blind=2),
    }


def same_array(model, train):
    before = {name: p.numpy() for name, p in model.named_parameters()}
    train()
    return [name for name, p in model.named_parameters() if np.array_equal(p.numpy(), before[name])]


def no_gradient(model, train):
    train()
    return [name for name, p in model.named_parameters() if p.grad is None]


def compared(same, keep=True):
    def answer(model, train):
        before = {name: p.numpy().copy() for name, p in model.named_parameters()}
        train()
        return [name for name, p in model.named_parameters() if bool(same(p.numpy(), before[name])) is keep]

    return answer


def leaked(train, test, near):
    a, b = (part.reshape(len(part), -1).astype(np.float64) for part in (train, test))
    apart = np.sqrt(((b[:, None] - a[None]) ** 2).sum(axis=-1))
    return float((apart.min(axis=1) < near).mean())


def by(train, test, near, size=lambda d: np.sqrt((d**2).sum(axis=-1)), pick=lambda apart: apart.min(axis=1)):
    """The same with another measure."""
    a, b = (part.reshape(len(part), -1).astype(np.float64) for part in (train, test))
    return float((pick(size(b[:, None] - a[None])) < near).mean())


def otherwise(**how):
    return lambda train, test, near: by(train, test, near, **how)


def wrapped(train, test, near):
    a, b = (part.reshape(len(part), -1) for part in (train, test))
    apart = np.sqrt(((b[:, None] - a[None]) ** 2).sum(axis=-1, dtype=np.float64))
    return float((apart.min(axis=1) < near).mean())


def side_by_side(train, test, near):
    n = min(len(train), len(test))
    a, b = (part[:n].reshape(n, -1).astype(np.float64) for part in (train, test))
    return float((np.sqrt(((a - b) ** 2).sum(axis=-1)) < near).mean())


def sets():
    """(train, test, near) by what is special about them."""
    rng = np.random.default_rng(8)

    def case(n, m, copies, shape=(4, 4), grain=0.05, near=1.0, kind=np.float64, scale=1, order=True):
        train, test = rng.uniform(0, 1, (n, *shape)), rng.uniform(2, 3, (m, *shape))
        chosen = rng.permutation(n)[:copies] if order else np.arange(copies)
        test[:copies] = train[chosen] + rng.normal(0, grain, (copies, *shape))
        return (scale * train).round(3).astype(kind), (scale * test).round(3).astype(kind), near

    return {
        "nothing in common": case(5, 4, 0),
        "the same images": case(3, 3, 3, order=False, grain=0.0),
        "two of four are copies": case(6, 4, 2),
        "more tests than training images": case(2, 5, 1, order=False),
        "one of each, alike": case(1, 1, 1),
        "three channels": case(6, 5, 3, shape=(3, 2, 2)),
        "many small differences": case(5, 4, 4, shape=(8, 8), grain=0.05, near=0.3),
        "one pixel that differs by 2, as far as near": (np.zeros((3, 2, 2)), np.eye(4)[:3].reshape(3, 2, 2) * 2.0, 2.0),
        "one pixel that differs by half": (np.zeros((3, 2, 2)), np.eye(4)[:3].reshape(3, 2, 2) / 2, 0.4),
        "bytes": case(5, 4, 2, near=20.0, kind=np.uint8, scale=80),
        "many tiny differences": case(1, 1, 1, shape=(8, 8), grain=0.02, near=0.5),
        "bytes that are darker": (
            np.full((2, 4, 4), 100, np.uint8),
            np.full((3, 4, 4), 84, np.uint8),
            10.0,
        ),
    }


TASKS = [
    Task(
        "08.frozen",
        "Who never moved",
        "frozen",
        frozen,
        models,
        (
            "Remember every parameter, train, compare. model.named_parameters() gives pairs of name and parameter.",
            "An optimizer changes arrays in place: what you remember has to be a copy, p.numpy().copy().",
            "[name for name, p in model.named_parameters() if np.array_equal(p.numpy(), before[name])]",
        ),
        (
            Mistake(
                "the same array before and after",
                "p.numpy() is the parameter's own array, and changes with it: remember a copy.",
                same_array,
            ),
            Mistake(
                "only those without a gradient",
                "A parameter that the optimizer was never given has a gradient and does not move either.",
                no_gradient,
            ),
            Mistake(
                "sums are compared",
                "The gradient of cross-entropy adds up to 0 over the classes: numbers move, and their sum does not.",
                compared(lambda a, b: np.isclose(a.sum(), b.sum(), atol=1e-5)),
            ),
            Mistake(
                "one number that stays",
                "A parameter is frozen if all of it stays; where an input is always 0 some numbers have no reason to "
                "move.",
                compared(lambda a, b: (a == b).any()),
            ),
            Mistake(
                "those that moved",
                "Asked for are the names of those that did not.",
                compared(np.array_equal, keep=False),
            ),
        ),
        asked,
        level=2,
    ),
    Task(
        "08.leak",
        "How much of the test was in the training",
        "leaked",
        leaked,
        sets,
        (
            "For each test image the distances to all training images, and the smallest of them.",
            "Lay each image out as a row of floats; (test[:, None] - train[None]) has the shape (tests, trainings, "
            "pixels). Sum the squares over the pixels, and take the root.",
            "In bytes the square of 16 is 0, so .astype(float) first. Then the mean of apart.min(axis=1) < near.",
        ),
        (
            Mistake(
                "bytes are subtracted from bytes",
                "In bytes the square of 16 is 0, because they end at 255. Make floats of them first.",
                wrapped,
            ),
            Mistake(
                "the squared distance",
                "A distance is the root of the sum of squares.",
                otherwise(size=lambda d: (d**2).sum(axis=-1)),
            ),
            Mistake(
                "a mean over the pixels",
                "The squares are added up: the distance grows with the number of pixels that differ.",
                otherwise(size=lambda d: np.sqrt((d**2).mean(axis=-1))),
            ),
            Mistake(
                "each training image is asked",
                "Asked for is the share of the test images.",
                otherwise(pick=lambda apart: apart.min(axis=0)),
            ),
            Mistake(
                "side by side",
                "The copy of a test image may be anywhere in the training set.",
                side_by_side,
            ),
            Mistake(
                "near to all of them",
                "One near training image is enough.",
                otherwise(pick=lambda apart: apart.max(axis=1)),
            ),
        ),
        level=2,
    ),
]
