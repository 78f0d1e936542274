"""Wrong answers to the exercises of chapter 3, as learners give them, and right ones written in another way."""

import numpy as np
from answers import Answers

import ddl

ANSWERS = Answers()
wrong, right = ANSWERS.wrong, ANSWERS.right

SHAPES = {"a + b": (4, 5, 3), "b + c": (5, 3), "a * c": (4, 1, 3), "b[:, 0] - b": (5, 5)}
right("03.shapes")(dict(reversed(SHAPES.items())))
wrong("03.shapes", "number by number where a column meets a row")(SHAPES | {"b[:, 0] - b": (5,)})
wrong("03.shapes", "a column stays a column")(SHAPES | {"b[:, 0] - b": (5, 1)})
wrong("03.shapes", "an axis of size 1 is dropped")(SHAPES | {"a * c": (4, 3)})
wrong("03.shapes", "aligned at the left")(SHAPES | {"a + b": (4, 1, 3)})
wrong("03.shapes")(SHAPES | {"b + c": (3, 5)})
wrong("03.shapes")(SHAPES | {"b + c": (5, 1, 3)})

WALK = {"start": 4, "number": 10, "strides": (2, 12, 4)}
right("03.strides")(WALK)
wrong("03.strides", "the strides of a fresh array")(WALK | {"strides": (4, 2, 1), "start": 0})
wrong("03.strides", "the step is forgotten")(WALK | {"strides": (1, 12, 4)})
wrong("03.strides", "starts at 0")(WALK | {"start": 0})
wrong("03.strides", "starts at 1")(WALK | {"start": 1})
wrong("03.strides", "the axes back in the order of x")(WALK | {"strides": (12, 4, 2)})
wrong("03.strides", "counted in bytes")(WALK | {"strides": (16, 96, 32)})
wrong("03.strides")(WALK | {"number": 6})
wrong("03.strides")(WALK | {"strides": (2, 4, 12)})


def rate(scores, labels, difference=None, share=None, grow=1):
    """The loss and its slope, with one thing or another done otherwise."""
    error = scores.ravel() - labels.ravel() if difference is None else difference(scores, labels)
    value = np.square(error).sum() / (share or error.size)
    return value, (2 * grow * error / (share or error.size)).reshape(-1)[: scores.size].reshape(scores.shape)


right("03.loss")(rate)


@right("03.loss")
def mean_square(scores, labels):
    x = ddl.tensor(scores, requires_grad=True)
    loss = ((x - ddl.tensor(labels).reshape(scores.shape)) ** 2).mean()
    return loss.item(), ddl.grad(loss, x).numpy()


@wrong("03.loss", "everyone with everyone")
def mean_square(scores, labels):
    error = scores - labels
    return np.mean(error**2), 2 * error / error.size


@wrong("03.loss", "the slope alone was mended")
def mean_square(scores, labels):
    error = scores - labels
    slope = 2 * error / error.size
    return np.mean(error**2), slope if slope.ndim == scores.ndim else slope.sum(0)


@wrong("03.loss", "a sum for a mean")
def mean_square(scores, labels):
    return rate(scores, labels, share=1)


@wrong("03.loss", "the slope is not shared out")
def mean_square(scores, labels):
    return rate(scores, labels, grow=scores.size)


@wrong("03.loss", "the sign of the slope")
def mean_square(scores, labels):
    return rate(scores, labels, grow=-1)


@wrong("03.loss", "the slope is always a column")
def mean_square(scores, labels):
    value, slope = rate(scores, labels)
    return value, slope[:, None] if slope.ndim == 1 else slope


@wrong("03.loss")
def mean_square(scores, labels):
    return rate(scores, labels, grow=0.5)


@wrong("03.loss")
def mean_square(scores, labels):
    return rate(scores, labels, difference=lambda s, t: s.ravel() - t.ravel()[::-1])


@right("03.rows")
def rows_back(g, table, ids):
    picked = np.eye(len(table), dtype=table.dtype)[ids.ravel()]  # a row of zeros and a one for each use
    return picked.T @ g.reshape(len(picked), table.shape[1])


@right("03.rows")
def rows_back(g, table, ids):
    x = ddl.tensor(table, requires_grad=True)
    return ddl.grad((x[ids] * ddl.tensor(g)).sum(), x).numpy()


def scattered(g, table, ids, first=0, shares=False, last=None):
    out, uses = np.zeros_like(table), np.zeros((len(table), 1), table.dtype)
    flat = g.reshape(-1, table.shape[1])
    for i, row in zip(ids.ravel()[:last], flat[:last]):
        out[(i + first) % len(table)] += row
        uses[i] += 1
    return out / np.maximum(uses, 1) if shares else out


@wrong("03.rows", "the last of equal ids stays")
def rows_back(g, table, ids):
    out = np.zeros(table.shape, table.dtype)
    out[ids] = out[ids] + g
    return out


@wrong("03.rows", "a mean over the uses")
def rows_back(g, table, ids):
    return scattered(g, table, ids, shares=True)


@wrong("03.rows", "a row too far")
def rows_back(g, table, ids):
    return scattered(g, table, ids, first=1)


@wrong("03.rows", "added to the table")
def rows_back(g, table, ids):
    out = table.copy()
    np.add.at(out, ids, g)
    return out


@wrong("03.rows")
def rows_back(g, table, ids):
    return scattered(g, table, ids, last=len(table))


@wrong("03.rows")
def rows_back(g, table, ids):
    return scattered(g, table, np.sort(ids, axis=None))


@wrong("03.rows")
def rows_back(g, table, ids):
    return np.ones_like(table) * scattered(np.ones_like(g), table, ids)


def squash(x):
    return np.sign(x) * (1 - 1 / (1 + np.abs(x)))


right("03.squash")((squash, lambda g, out: g * (1 - 2 * np.abs(out) + out * out)))
wrong("03.squash", "the rule of tanh")((squash, lambda g, out: g * (1 - out**2)))
wrong("03.squash", "not squared")((squash, lambda g, out: g - g * np.abs(out)))
wrong("03.squash", "right for positive numbers alone")((squash, lambda g, out: g * (out - 1) ** 2))
wrong("03.squash", "what came back is left out")((squash, lambda g, out: (1 - np.abs(out)) ** 2))
wrong("03.squash")((squash, lambda g, out: g / (1 + np.abs(out)) ** 2))
wrong("03.squash")((lambda x: x / (1 + x * x), lambda g, out: g * (1 - np.abs(out)) ** 2))
wrong("03.squash")((squash, lambda g, out: g * np.sign(out) * (1 - np.abs(out)) ** 2))


def form(x, A):
    return np.einsum("ni,ij,nj->n", x, A, x)


def form_back(g, x, A):
    dx = np.einsum("n,nj,kj->nk", g, x, A) + np.einsum("n,ni,ik->nk", g, x, A)
    return dx, np.einsum("n,ni,nj->ij", g, x, x)


def by_library(g, x, A):
    x, A = ddl.tensor(x, requires_grad=True), ddl.tensor(A, requires_grad=True)
    return tuple(part.numpy() for part in ddl.grad((((x @ A) * x).sum(1) * ddl.tensor(g)).sum(), [x, A]))


right("03.quadratic")((form, form_back))
right("03.quadratic")((form, by_library))
wrong("03.quadratic", "as if A were symmetric")((form, lambda g, x, A: (g[:, None] * x @ A * 2, form_back(g, x, A)[1])))
wrong("03.quadratic", "one of the two x")((form, lambda g, x, A: (g[:, None] * (x @ A.T), form_back(g, x, A)[1])))
wrong("03.quadratic", "the rows are not weighed")((form, lambda g, x, A: form_back(np.ones(len(x)), x, A)))
wrong("03.quadratic", "a mean over the rows")(
    (form, lambda g, x, A: (form_back(g, x, A)[0], np.einsum("n,ni,nj->ij", g, x, x) / len(g)))
)
wrong("03.quadratic")((form, lambda g, x, A: (g[:, None] * (x @ (A - A.T)), form_back(g, x, A)[1])))
wrong("03.quadratic")((lambda x, A: np.diag(x @ A.T @ A @ x.T), form_back))
wrong("03.quadratic")((form, lambda g, x, A: (form_back(g, x, A)[0], np.einsum("ni,nj->ij", x, x))))


def view(x, size):
    return np.lib.stride_tricks.sliding_window_view(x, size, axis=0)


def gathered(g, n, order=1):
    out, size = np.zeros(n), g.shape[1]
    for k in range(size):  # column k of all windows are the numbers from k on
        out[k : k + len(g)] += g[:, ::order][:, k]
    return out


right("03.windows")((view, gathered))
wrong("03.windows", "a copy")((lambda x, size: np.stack([x[i : i + size] for i in range(len(x) - size + 1)]), gathered))
wrong("03.windows", "a mean over the windows")((view, lambda g, n: gathered(g, n) / gathered(np.ones(g.shape), n)))
wrong("03.windows", "turned round within the window")((view, lambda g, n: gathered(g, n, order=-1)))
wrong("03.windows")((lambda x, size: view(x[: len(x) // size * size], size), gathered))
wrong("03.windows")((view, lambda g, n: gathered(g[::-1], n)))


def overwriting(g, n):
    out = np.zeros(n)
    for start in range(len(g)):
        out[start : start + g.shape[1]] = g[start]
    return out


wrong("03.windows", "the gradient overwrites")((view, overwriting))


def proved(forward, vjp, *inputs, g=None, count=None, h=1e-5, ends=(1, -1), tolerance=None, judge=None, kind=float):
    """The check by nudging, with one thing or another done otherwise."""
    inputs = [np.asarray(x, kind) for x in inputs]
    out = forward(*inputs)
    g = np.random.default_rng(3).uniform(-1, 1, out.shape) if g is None else np.full(out.shape, g)
    exacts = vjp(g, out, *inputs)[:count]
    verdicts = []
    for i, exact in enumerate(exacts):
        nudges = np.zeros_like(exact, dtype=float)
        for at in np.ndindex(nudges.shape):
            values = []
            for end in ends:
                change = np.zeros(nudges.shape)
                change[at] = end * h
                changed = [(x + change).astype(x.dtype) if i == j else x for j, x in enumerate(inputs)]
                values.append(np.sum(forward(*changed) * g))
            nudges[at] = (values[0] - values[1]) / (h * (ends[0] - ends[1]))
        limit = tolerance or 1e-6 * (1 + np.abs(nudges))
        verdicts.append(judge(exact, nudges) if judge else np.all(np.abs(exact - nudges) <= limit))
    return bool(all(verdicts))


right("03.gradcheck")(proved)


@wrong("03.gradcheck", "the plain sum of the outputs")
def agrees(*given):
    return proved(*given, g=1.0)


@wrong("03.gradcheck", "the first input alone")
def agrees(*given):
    return proved(*given, count=1)


@wrong("03.gradcheck", "as close for large slopes as for small ones")
def agrees(*given):
    return proved(*given, tolerance=1e-8)


@wrong("03.gradcheck", "nudged to one side")
def agrees(*given):
    return proved(*given, ends=(1, 0))


@wrong("03.gradcheck", "too generous")
def agrees(*given):
    return proved(*given, judge=lambda exact, nudged: np.allclose(exact, nudged, rtol=0.05, atol=0.05))


@wrong("03.gradcheck", "sums are compared")
def agrees(*given):
    return proved(*given, judge=lambda exact, nudged: abs(exact.sum() - nudged.sum()) < 1e-6 * (1 + abs(nudged.sum())))


@wrong("03.gradcheck", "whole numbers stay whole")
def agrees(*given):
    return proved(*given, kind=None)


@wrong("03.gradcheck")
def agrees(forward, vjp, *inputs):
    return proved(forward, vjp, *inputs, kind=np.float32)


@wrong("03.gradcheck")
def agrees(forward, vjp, *inputs):
    return proved(forward, vjp, *inputs, judge=lambda exact, nudged: np.abs(exact - nudged).min() < 1e-6)


@wrong("03.gradcheck")
def agrees(forward, vjp, *inputs):
    return len(vjp(np.ones_like(forward(*inputs)), forward(*inputs), *inputs)) == len(inputs)
