"""Wrong answers to the exercises of chapter 7, as learners give them, and right ones written in another way."""

import math
from itertools import pairwise

import numpy as np
from answers import Answers

import ddl
from ddl.nn import functional as F

ANSWERS = Answers()
wrong, right = ANSWERS.wrong, ANSWERS.right

right("07.counter")(2**11)
wrong("07.counter", "as if it went on for ever")(10**5)
wrong("07.counter", "the largest float16")(65_504)
wrong("07.counter", "one bit too few")(2**10)
wrong("07.counter", "as in float32")(2**24)
wrong("07.counter", "infinity")(math.inf)
wrong("07.counter")(2049)
wrong("07.counter")(4096)

right("07.notice")(1.225)
wrong("07.notice", "the deviation of a sample")(1)
wrong("07.notice", "divided by the variance")(0.15)
wrong("07.notice", "centred alone")(10)
wrong("07.notice", "not centred")(1228.42)
wrong("07.notice")(0.0)
wrong("07.notice")(-1.225)


@right("07.factor")
def layer_factor(sizes):
    return math.exp(np.mean(np.log(sizes[:-1]) - np.log(sizes[1:])))


@right("07.factor")
def layer_factor(sizes):
    root = 1 / (len(sizes) - 1)
    return float(sizes[0] ** root / sizes[-1] ** root)


def by_logs(sizes, end=0, start=-1, steps=lambda n: n - 1):
    return math.exp((math.log(sizes[end]) - math.log(sizes[start])) / steps(len(sizes)))


wrong("07.factor", "the wrong way round")(lambda sizes: by_logs(sizes, -1, 0))
wrong("07.factor", "one step too many")(lambda sizes: by_logs(sizes, steps=lambda n: n))
wrong("07.factor")(lambda sizes: by_logs(sizes, start=1, steps=lambda n: 1))
wrong("07.factor")(lambda sizes: by_logs(sizes, steps=lambda n: 4))
wrong("07.factor")(lambda sizes: float(np.exp(np.median(np.log(sizes[:-1]) - np.log(sizes[1:])))))


@wrong("07.factor", "a mean of the ratios")
def layer_factor(sizes):
    return sum(a / b for a, b in pairwise(sizes)) / (len(sizes) - 1)


@wrong("07.factor", "the whole way at once")
def layer_factor(sizes):
    return sizes[0] / sizes[-1]


@wrong("07.factor", "the ratio is formed first")
def layer_factor(sizes):
    return (sizes[0] / sizes[-1]) ** (1 / (len(sizes) - 1))


@right("07.lse")
def lse(x, axis):
    return np.logaddexp.reduce(x, axis=axis)


@right("07.lse")
def lse(x, axis):
    rows = np.moveaxis(x, axis, -1)
    m = rows.max(axis=-1)
    with np.errstate(all="ignore"):
        return np.where(m == -np.inf, m, m + np.log(np.exp(rows - m[..., None]).sum(axis=-1)))


def largest(x, axis):
    m = np.amax(x, axis=axis, keepdims=True)
    return np.where(m == -np.inf, m.dtype.type(0), m)


def with_shift(x, axis, m):
    return np.log(np.sum(np.exp(x - m), axis)) + np.reshape(m, np.delete(x.shape, axis) if np.size(m) > 1 else ())


wrong("07.lse", "the largest is not taken out")(lambda x, axis: np.log(np.sum(np.exp(x), axis)))
wrong("07.lse", "one largest number for all lines")(lambda x, axis: with_shift(x, axis, np.max(x)))
wrong("07.lse", "the largest is not put back")(lambda x, axis: np.log(np.exp(x - largest(x, axis)).sum(axis)))
wrong("07.lse", "−∞ minus −∞")(lambda x, axis: with_shift(x, axis, x.max(axis, keepdims=True)))
wrong("07.lse", "the last axis, whatever axis says")(lambda x, axis: np.logaddexp.reduce(x, axis=-1))
wrong("07.lse", "a mean for the sum")(
    lambda x, axis: np.logaddexp.reduce(x, axis=axis) - x.dtype.type(math.log(x.shape[axis]))
)
wrong("07.lse")(lambda x, axis: with_shift(x, axis, abs(x).max(axis, keepdims=True)))
wrong("07.lse")(lambda x, axis: x.max(axis))
wrong("07.lse")(
    lambda x, axis: largest(x, axis).max(axis) + np.log(np.exp(x - largest(x, axis)).sum(axis) + x.dtype.type(1e-9))
)


@right("07.merge")
def merge(n1, mean1, var1, n2, mean2, var2):
    mean = (n1 * mean1 + n2 * mean2) / (n1 + n2)
    squares = n1 * (var1 + (mean1 - mean) ** 2) + n2 * (var2 + (mean2 - mean) ** 2)
    return mean, squares / (n1 + n2)


def merged(n1, mean1, var1, n2, mean2, var2, p=None, q=None, between=lambda p, d: p * (1 - p) * d * d):
    p = n1 / (n1 + n2) if p is None else p
    q = p if q is None else q
    return q * mean1 + (1 - q) * mean2, p * var1 + (1 - p) * var2 + between(p, mean1 - mean2)


def merge_with(**how):
    return lambda *parts: merged(*parts, **how)


wrong("07.merge", "as if both were of one size")(merge_with(p=0.5))
wrong("07.merge", "the mean of the means")(merge_with(q=0.5))
wrong("07.merge", "the distance of the means is left out")(merge_with(between=lambda p, d: 0 * d))
wrong("07.merge")(merge_with(between=lambda p, d: p * (1 - p) * abs(d)))
wrong("07.merge")(merge_with(between=lambda p, d: d * d / 4))
wrong("07.merge")(merge_with(between=lambda p, d: d * d))


@wrong("07.merge", "the mean of the squares minus the square of the mean")
def merge(n1, mean1, var1, n2, mean2, var2):
    n = n1 + n2
    mean = (n1 * mean1 + n2 * mean2) / n
    return mean, (n1 * (var1 + mean1 * mean1) + n2 * (var2 + mean2 * mean2)) / n - mean * mean


@wrong("07.merge", "a sample's variance")
def merge(n1, mean1, var1, n2, mean2, var2):
    mean, var = merged(n1, mean1, var1, n2, mean2, var2)
    return mean, var * (n1 + n2) / (n1 + n2 - 1)


@wrong("07.merge", "the two numbers exchanged")
def merge(n1, mean1, var1, n2, mean2, var2):
    return merged(n1, mean1, var1, n2, mean2, var2, p=n2 / (n1 + n2))


@right("07.logsoftmax")
def log_softmax_vjp(g, out, axis):
    x = ddl.tensor(out, requires_grad=True)  # it is its own log-softmax
    return ddl.grad((F.log_softmax(x, axis) * ddl.tensor(g)).sum(), [x])[0].numpy()


@right("07.logsoftmax")
def log_softmax_vjp(g, out, axis):
    total = np.add.reduce(g, axis)
    return g - np.expand_dims(total, axis) * np.exp(out)


def taken_away(g, y, total):
    return g - y * total


wrong("07.logsoftmax", "the last axis, whatever axis says")(
    lambda g, out, axis: taken_away(g, np.exp(out), g.sum(-1)[..., None])
)
wrong("07.logsoftmax", "a sum over all lines")(lambda g, out, axis: taken_away(g, np.exp(out), np.sum(g)))
wrong("07.logsoftmax", "the rule of softmax")(
    lambda g, out, axis: np.exp(out) * taken_away(g, 1, (g * np.exp(out)).sum(axis, keepdims=True))
)
wrong("07.logsoftmax", "out for its exponential")(lambda g, out, axis: taken_away(g, out, g.sum(axis, keepdims=True)))
wrong("07.logsoftmax", "each score by itself")(lambda g, out, axis: g * (1 - np.exp(out)))
wrong("07.logsoftmax", "a mean for the sum")(
    lambda g, out, axis: taken_away(g, np.exp(out), g.mean(axis, keepdims=True))
)
wrong("07.logsoftmax")(lambda g, out, axis: g + np.exp(out) * g.sum(axis, keepdims=True))
wrong("07.logsoftmax")(lambda g, out, axis: taken_away(g, np.exp(out), g.sum(0, keepdims=True)))


def there(x, w, eps):
    return np.einsum("...c,c->...c", x, w) * (np.square(x).mean(-1, keepdims=True) + eps) ** -0.5


def rms_back(g, x, w, eps, inside=lambda g, w: g * w, sign=1, divide=None, axes=None, how=np.sum):
    s = (np.square(x).mean(-1, keepdims=True) + eps) ** -0.5
    total = (inside(g, w) * x).sum(-1, keepdims=True) / (divide or x.shape[-1])
    dx = s * g * w - sign * s**3 * x * total
    axes = tuple(range(x.ndim)[:-1]) if axes is None else axes(x)
    return dx, how(g * x * s, axis=axes) if axes else g * x * s


def rms_with(forward=there, **how):
    return forward, lambda g, x, w, eps: rms_back(g, x, w, eps, **how)


def by_library(g, x, w, eps):
    a, b = (ddl.tensor(part, requires_grad=True) for part in (x, w))
    out = a * ((a * a).mean(-1, keepdim=True) + eps) ** -0.5 * b
    return tuple(part.numpy() for part in ddl.grad((out * ddl.tensor(g)).sum(), [a, b]))


right("07.rms")((lambda x, w, eps: F.rms_norm(ddl.tensor(x), w.shape, ddl.tensor(w), eps).numpy(), by_library))
right("07.rms")((there, rms_back))
wrong("07.rms", "centred")(
    (
        lambda x, w, eps: there(x - np.mean(x, -1, keepdims=True), w, eps),
        lambda g, x, w, eps: rms_back(g, x - np.mean(x, -1, keepdims=True), w, eps),
    )
)
wrong("07.rms", "the way through the scale is missing")(rms_with(sign=0))
wrong("07.rms", "added where it should be taken away")(rms_with(sign=-1))
wrong("07.rms", "w is left out of the mean")(rms_with(inside=lambda g, w: g))
wrong("07.rms", "a sum for the mean over the row")(rms_with(divide=1))
wrong("07.rms", "a mean over the batch for w")(rms_with(how=np.mean))
wrong("07.rms", "summed over the first axis alone")(rms_with(axes=lambda x: (0,)[: x.ndim - 1]))
wrong("07.rms", "eps outside the root")(
    (lambda x, w, eps: w * x / (np.square(x).mean(-1, keepdims=True) ** 0.5 + eps), rms_back)
)
wrong("07.rms")(rms_with(divide=4))
wrong("07.rms")(rms_with(lambda x, w, eps: w * x / (np.square(x).mean() + eps) ** 0.5))
wrong("07.rms")(rms_with(inside=lambda g, w: np.abs(g * w)))
