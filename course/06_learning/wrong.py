"""Wrong answers to the exercises of chapter 6, as learners give them, and right ones written in another way."""

import math

import numpy as np
from answers import Answers

import ddl
from ddl import nn, optim
from ddl.nn import functional as F

ANSWERS = Answers()
wrong, right = ANSWERS.wrong, ANSWERS.right

right("06.limit")(0.1)
wrong("06.limit", "the coefficient for the curvature")(0.2)
wrong("06.limit", "the flat direction")(1 / 3)
wrong("06.limit", "where the step just reaches the bottom")(0.05)
wrong("06.limit", "the best rate")(1 / 13)
wrong("06.limit")(2 / 3)

right("06.first")(1.1 - 5e-11)
wrong("06.first", "uphill")(0.9)
wrong("06.first", "the step of SGD")(3.0)
wrong("06.first", "the factor of 1000 left out, and SGD's step")(1.002)
wrong("06.first", "the hats are forgotten")(1.31623)
wrong("06.first")(1.0)
wrong("06.first")(1.02)


def exact(s, t):
    return np.logaddexp.reduce(s, axis=-1) - np.einsum("bc,bc->b", s, t)


def soft(s):
    return np.exp(s - np.logaddexp.reduce(s, axis=-1)[:, None])


def back(g, s, t):
    return g / len(s) * (soft(s) - t)


def loss_by_library(s, t):
    return -(F.log_softmax(ddl.tensor(s), -1).numpy() * t).sum() / len(s)


def by_library(g, s, t):
    x = ddl.tensor(s, requires_grad=True)
    loss = g * -(F.log_softmax(x, -1) * ddl.tensor(t)).sum(-1).mean()
    return ddl.grad(loss, [x])[0].numpy()


right("06.xent")((loss_by_library, by_library))
right("06.xent")((lambda s, t: exact(s, t).mean(), back))


def naive(s, t):
    e = np.exp(s)
    return np.mean(np.log(e.sum(1)) - np.sum(s * t, 1))


def naive_back(g, s, t):
    e = np.exp(s)
    return (e / e.sum(1, keepdims=True) - t) * g / len(t)


wrong("06.xent", "a sum over the batch")((lambda s, t: exact(s, t).sum(), lambda g, s, t: g * (soft(s) - t)))
wrong("06.xent", "1/B is missing from the gradient")(
    (lambda s, t: exact(s, t).mean(), lambda g, s, t: g * (soft(s) - t))
)
wrong("06.xent", "divided by all entries")(
    (lambda s, t: exact(s, t).mean(), lambda g, s, t: np.asarray(g * (soft(s) - t) / s.size, s.dtype))
)
wrong("06.xent", "the scores are not shifted")((naive, naive_back))
wrong("06.xent", "one maximum for all rows")((lambda s, t: naive(s - np.max(s), t), back))
wrong("06.xent", "a probability is rounded before its logarithm")(
    (lambda s, t: -np.mean(np.sum(t * np.log(soft(s)), axis=1)), back)
)
wrong("06.xent", "the likeliest class alone")(
    (
        lambda s, t: exact(
            s, (t == t.max(1, keepdims=True)) * (np.cumsum(t == t.max(1, keepdims=True), 1) == 1)
        ).mean(),
        lambda g, s, t: back(g, s, np.eye(t.shape[1], dtype=t.dtype)[np.argmax(t, 1)]),
    )
)
wrong("06.xent", "g is forgotten")((lambda s, t: exact(s, t).mean(), lambda g, s, t: (soft(s) - t) / len(s)))
wrong("06.xent")((lambda s, t: exact(s, t).mean(), lambda g, s, t: g * np.abs(soft(s) - t) / len(s)))
wrong("06.xent")((lambda s, t: exact(s, t).mean(), lambda g, s, t: g * (soft(s.T).T - t) / len(s)))
wrong("06.xent")((lambda s, t: exact(s, t)[0], back))


@right("06.mean")
def mean_loss(loss, x, t, size):
    return sum(loss(x[i : i + 1], t[i : i + 1]) for i in range(len(x))) / len(x)


@right("06.mean")
def mean_loss(loss, x, t, size):
    ends = [*range(size, len(x), size)]
    parts = zip(np.split(x, ends), np.split(t, ends))
    return float(np.average([loss(a, b) for a, b in parts], weights=np.diff([0, *ends, len(x)])))


def parts_of(loss, x, t, size):
    return [(loss(x[i : i + size], t[i : i + size]), len(x[i : i + size])) for i in range(0, len(x), size)]


@wrong("06.mean", "a mean of means")
def mean_loss(loss, x, t, size):
    parts = parts_of(loss, x, t, size)
    return sum(part for part, _ in parts) / len(parts)


@wrong("06.mean", "the last examples are left out")
def mean_loss(loss, x, t, size):
    whole = [part for part, n in parts_of(loss, x, t, size) if n == size]
    return sum(whole) / max(1, len(whole))


@wrong("06.mean", "divided as if every batch were whole")
def mean_loss(loss, x, t, size):
    parts = parts_of(loss, x, t, size)
    return sum(part * n for part, n in parts) / (size * len(parts))


@wrong("06.mean", "all at once")
def mean_loss(loss, x, t, size):
    return parts_of(loss, x, t, len(x))[0][0]


@wrong("06.mean", "a sum, not a mean")
def mean_loss(loss, x, t, size):
    return sum(part * n for part, n in parts_of(loss, x, t, size))


@wrong("06.mean")
def mean_loss(loss, x, t, size):
    return sum(part * size for part, _ in parts_of(loss, x, t, size)) / len(x)


@wrong("06.mean")
def mean_loss(loss, x, t, size):
    return float(np.median([part for part, _ in parts_of(loss, x, t, size)]))


@right("06.clip")
def clipped(gradients, c):
    parameters = [nn.Parameter(np.zeros_like(g)) for g in gradients]
    for p, g in zip(parameters, gradients):
        p.grad = ddl.tensor(g.copy())
    optim.clip_grad_norm_(parameters, c)
    return [p.grad.numpy() for p in parameters]


@right("06.clip")
def clipped(gradients, c):
    norm = math.hypot(*(float(x) for g in gradients for x in g.ravel()))
    return [g / max(1.0, norm / c) for g in gradients]


def shortened(gradients, c, size):
    factor = 1.0 if size <= c else c / size
    return [g * factor for g in gradients]


def length(g):
    return float(np.sqrt(np.sum(g * g)))


wrong("06.clip", "each array by itself")(lambda gradients, c: [shortened([g], c, length(g))[0] for g in gradients])
wrong("06.clip", "element by element")(lambda gradients, c: [np.minimum(np.maximum(g, -c), c) for g in gradients])
wrong("06.clip", "norms are added")(lambda gradients, c: shortened(gradients, c, sum(length(g) for g in gradients)))
wrong("06.clip", "the square of the norm")(
    lambda gradients, c: shortened(gradients, c, sum(float((g * g).sum()) for g in gradients))
)
wrong("06.clip", "the largest of the norms")(lambda gradients, c: shortened(gradients, c, max(map(length, gradients))))
wrong("06.clip")(lambda gradients, c: shortened(gradients, c, length(gradients[0])))
wrong("06.clip")(lambda gradients, c: shortened(gradients, c, max(float(abs(g).max()) for g in gradients)))
wrong("06.clip")(lambda gradients, c: shortened(gradients, c, sum(length(g) for g in gradients) / len(gradients)))


@wrong("06.clip", "a short gradient is made longer")
def clipped(gradients, c):
    norm = math.hypot(*map(length, gradients))
    return [g / norm * c if norm else g.copy() for g in gradients]


@wrong("06.clip", "what was given is changed")
def clipped(gradients, c):
    norm = math.hypot(*map(length, gradients))
    for g in gradients:
        g *= min(1.0, c / max(norm, 1e-30))
    return gradients


@wrong("06.clip")
def clipped(gradients, c):
    norm = np.sqrt(sum((g.astype(np.float64) ** 2).sum() for g in gradients))
    return [g * np.float64(c / norm) if norm > c else g.copy() for g in gradients]


@right("06.momentum")
def best(least, largest):
    root = math.sqrt(largest / least)
    mu = ((root - 1) / (root + 1)) ** 2
    return (1 + math.sqrt(mu)) ** 2 / largest, mu


def both(rate=lambda a, b: 4 / (a + b) ** 2, momentum=lambda a, b: ((b - a) / (b + a)) ** 2):
    return lambda least, largest: (rate(least**0.5, largest**0.5), momentum(least**0.5, largest**0.5))


wrong("06.momentum", "√μ for μ")(both(momentum=lambda a, b: (b - a) / (b + a)))
wrong("06.momentum", "√η for η")(both(rate=lambda a, b: 2 / (a + b)))
wrong("06.momentum", "the ratio of the curvatures without its root")(
    both(momentum=lambda a, b: ((b * b - a * a) / (b * b + a * a)) ** 2)
)
wrong("06.momentum", "the best rate of plain descent")(both(rate=lambda a, b: 2 / (a * a + b * b)))
wrong("06.momentum")(both(rate=lambda a, b: 1 / 9, momentum=lambda a, b: 4 / 9))
wrong("06.momentum")(both(rate=lambda a, b: 4 / (a * a + b * b + 2)))
wrong("06.momentum")(both(momentum=lambda a, b: 1 - a / b))


@right("06.schedule")
def factor(step, warmup, decay, total):
    up = (step + 1) / warmup if warmup else 1.0
    return min(1.0, up, max(total - step, 0) / decay)


@right("06.schedule")
def factor(step, warmup, decay, total):
    return float(np.interp(step, [-1, warmup - 1, total - decay, total], [0, 1, 1, 0]) if warmup or step else 1)


def piecewise(step, warmup, decay, total, first=1, last=0, end=0.0, beyond=True):
    if step < warmup:
        return (step + first) / warmup
    if step >= total and beyond:
        return end
    return min(1.0, (total - last - step) / decay)


def shaped(**how):
    return lambda *steps: piecewise(*steps, **how)


wrong("06.schedule", "the first step stands still")(shaped(first=0))
wrong("06.schedule", "the last step stands still")(shaped(last=1))
wrong("06.schedule", "below zero beyond the end")(shaped(beyond=False))
wrong("06.schedule", "it stays up beyond the end")(shaped(end=1.0))
wrong("06.schedule")(shaped(first=2))
wrong("06.schedule")(shaped(last=-1))
wrong("06.schedule")(shaped(end=0.1))
wrong("06.schedule", "no level part")(lambda step, warmup, decay, total: piecewise(step, warmup, total - warmup, total))


@wrong("06.schedule")
def factor(step, warmup, decay, total):
    if step < total - decay:
        return piecewise(step, warmup, decay, total)
    done = min(1.0, (step - total + decay) / decay)
    return (1 + math.cos(math.pi * done)) / 2


@right("06.adamw")
def adamw(p, g, state, lr, betas, eps, decay):
    past = state.setdefault("gradients", [])
    past.append(g.astype(np.float64))
    ages = np.arange(len(past))[::-1].reshape(-1, *[1] * g.ndim)
    means = [np.sum((1 - b) * b**ages * np.stack(past) ** k, 0) / (1 - b ** len(past)) for b, k in zip(betas, (1, 2))]
    kept = p * (1 - lr * decay) if p.ndim >= 2 else p
    p[...] = kept - lr * means[0] / (np.sqrt(means[1]) + eps)


@right("06.adamw")
def adamw(p, g, state, lr, betas, eps, decay):
    weight = nn.Parameter(p)
    optimizer = optim.AdamW([weight], lr, betas, eps, decay if p.ndim > 1 else 0.0)
    optimizer.state, weight.grad = state, ddl.tensor(g.copy())
    optimizer.step()
    p[...] = weight.numpy()


def step_of(p, g, state, lr, betas, eps, decay, decays=lambda p: p.ndim > 1, shrink=lambda lr, d: 1 - lr * d,
            hats=lambda b, t: 1 - b**t, divide=lambda v, eps: np.sqrt(v) + eps, one=1, order="before"):  # fmt: skip
    t, m, v = state.get("all", (0, 0 * p, 0 * p))
    d = decay if decays(p) else 0.0
    if order == "gradient":
        g, d = g + d * p, 0.0
    t, m, v = t + one or 1, betas[0] * m + (1 - betas[0]) * g, betas[1] * v + (1 - betas[1]) * g**2
    state["all"] = t, m, v
    step = lr * (m / hats(betas[0], t)) / divide(v / hats(betas[1], t), eps)
    p[...] = (p - step) * shrink(lr, d) if order == "after" else p * shrink(lr, d) - step


def adamw_with(**how):
    return lambda *inputs: step_of(*inputs, **how)


wrong("06.adamw", "the decay in the gradient")(adamw_with(order="gradient"))
wrong("06.adamw", "biases decay as well")(adamw_with(decays=lambda p: True))
wrong("06.adamw", "the hats are forgotten")(adamw_with(hats=lambda b, t: 1))
wrong("06.adamw", "the count stays at 1")(adamw_with(one=0))
wrong("06.adamw", "eps under the root")(adamw_with(divide=lambda v, eps: np.sqrt(v + eps)))
wrong("06.adamw", "the decay without the rate")(adamw_with(shrink=lambda lr, d: 1 - d))
wrong("06.adamw", "the decay after the step")(adamw_with(order="after"))
wrong("06.adamw")(adamw_with(decays=lambda p: p.ndim == 2))
wrong("06.adamw")(adamw_with(divide=lambda v, eps: np.sqrt(v) if eps < 1e-6 and v.any() else np.sqrt(v) + 1e-8))
wrong("06.adamw")(adamw_with(shrink=lambda lr, d: 1 + lr * d))


@wrong("06.adamw", "the two betas exchanged")
def adamw(p, g, state, lr, betas, eps, decay):
    step_of(p, g, state, lr, (betas[1], betas[0]), eps, decay)


@wrong("06.adamw", "another array is moved, and p stays")
def adamw(p, g, state, lr, betas, eps, decay):
    new = p.copy()
    step_of(new, g, state, lr, betas, eps, decay)
    p = new


@wrong("06.adamw", "the gradient is changed")
def adamw(p, g, state, lr, betas, eps, decay):
    step_of(p, g, state, lr, betas, eps, decay)
    g *= 1 - betas[0]
