"""Wrong answers to the exercises of chapter 8, as learners give them, and right ones written in another way."""

import copy

import numpy as np
from answers import Answers

import ddl
from ddl.nn import functional as F

ANSWERS = Answers()
wrong, right = ANSWERS.wrong, ANSWERS.right

right("08.size")(15)
wrong("08.size", "padded on one side")((30 + 4 - 9) // 2 + 1)
wrong("08.size", "the first window is not counted")(14)
wrong("08.size", "rounded up")(16)
wrong("08.size", "the stride is left out")(30)
wrong("08.size", "without padding")((30 - 9) // 2 + 1)
wrong("08.size")(15.5)

right("08.params")(26_346)
wrong("08.params", "biases are forgotten")(1200 + 4608 + 20_480)
wrong("08.params", "one kernel for all channels that come in")(416 + 320 + 20_490)
wrong("08.params", "pooled once")(1216 + 4640 + 81_930)
wrong("08.params", "the channels are lost on the way to the linear layer")(1216 + 4640 + 650)
wrong("08.params")(26_345)


@right("08.conv")
def conv(x, w, stride):
    return F.conv2d(ddl.tensor(x), ddl.tensor(w), stride=stride).numpy()


def loops(x, w, stride, turn=1, channels=None, weigh=1, steps=None, end=1):
    down, across = steps(stride) if steps else (stride, stride)
    (o, c, a, b), (n, _, height, width) = w.shape, x.shape
    p, q = (max(1, (size - k) // s + end) for size, k, s in ((height, a, down), (width, b, across)))
    out = np.zeros((n, o, p, q), x.dtype)
    rows = np.reshape(w[:, :channels, ::turn, ::turn], (o, -1))
    for i in range(p):
        for j in range(q):
            window = x[:, :channels, i * down : i * down + a, j * across : j * across + b]
            out[:, :, i, j] = window.reshape(n, -1) @ rows.T
    return out * np.asarray(weigh(c) if callable(weigh) else weigh, x.dtype)


def conv_with(**how):
    return lambda x, w, stride: loops(x, w, stride, **how)


right("08.conv")(conv_with())
wrong("08.conv", "the kernel is turned")(conv_with(turn=-1))
wrong("08.conv", "a mean over the channels")(conv_with(weigh=lambda c: 1 / c))
wrong("08.conv", "the first channel alone")(conv_with(channels=1))
wrong("08.conv", "a stride for rows alone")(conv_with(steps=lambda s: (s, 1)))
wrong("08.conv", "the last window is left out")(conv_with(end=0))
wrong("08.conv")(conv_with(steps=lambda s: (1, s)))
wrong("08.conv")(lambda x, w, stride: loops(x, abs(w), stride))
wrong("08.conv")(lambda x, w, stride: loops(x[:1].repeat(len(x), 0), w, stride))


def by_library(x, k):
    y = ddl.tensor(x, requires_grad=True)
    return y, F.max_pool2d(y, k)


@right("08.pool")
def max_pool_vjp(g, x, k):
    y, out = by_library(x, k)
    return ddl.grad((out * ddl.tensor(g)).sum(), [y])[0].numpy()


def each_block(g, x, k, send):
    """`send(block, g)` for every block."""
    out = np.zeros_like(x)
    for n, c, i, j in np.ndindex(g.shape):
        at = n, c, slice(i * k, i * k + k), slice(j * k, j * k + k)
        out[at] = send(x[at], g[n, c, i, j])
    return out


def to_first(block, g, largest=np.argmax):
    out = np.zeros_like(block)
    out.flat[largest(block)] = g
    return out


def pool_with(send):
    return lambda g, x, k: each_block(g, x, k, send)


right("08.pool")(pool_with(to_first))
wrong("08.pool", "each of several largest gets all of it")(pool_with(lambda block, g: g * (block == block.max())))
wrong("08.pool", "the largest share it")(
    pool_with(lambda block, g: g * (block == block.max()) / (block == block.max()).sum())
)
wrong("08.pool", "the last of the largest")(
    pool_with(lambda block, g: to_first(block, g, lambda b: b.size - 1 - np.argmax(b.ravel()[::-1])))
)
wrong("08.pool", "the largest without its sign")(pool_with(lambda b, g: to_first(b, g, lambda b: np.argmax(abs(b)))))
wrong("08.pool", "the rule of the mean")(pool_with(lambda block, g: np.full_like(block, g / block.size)))
wrong("08.pool", "times the maximum")(pool_with(lambda block, g: to_first(block, g * block.max())))
wrong("08.pool")(pool_with(lambda block, g: to_first(block, g, np.argmin)))
wrong("08.pool")(pool_with(lambda block, g: to_first(block.T, g).T))
wrong("08.pool")(pool_with(lambda block, g: to_first(block, abs(g))))


@right("08.frozen")
def frozen(model, train):
    old = copy.deepcopy(model)
    train()
    pairs = zip(old.named_parameters(), model.parameters())
    return [name for (name, a), b in pairs if abs(a.numpy() - b.numpy()).max() == 0]


@right("08.frozen")
def frozen(model, train):
    before = {name: p.numpy().tobytes() for name, p in model.named_parameters()}
    train()
    return [name for name, p in model.named_parameters() if p.numpy().tobytes() == before[name]]


def compared(model, train, copied=np.array, stays=lambda a, b: not np.any(a - b)):
    before = {name: copied(p.numpy()) for name, p in model.named_parameters()}
    train()
    return [name for name, p in model.named_parameters() if stays(before[name], p.numpy())]


def frozen_with(**how):
    return lambda model, train: compared(model, train, **how)


wrong("08.frozen", "the same array before and after")(frozen_with(copied=np.asarray))
wrong("08.frozen", "sums are compared")(frozen_with(stays=lambda a, b: abs(np.sum(a) - np.sum(b)) < 1e-5))
wrong("08.frozen", "one number that stays")(frozen_with(stays=lambda a, b: np.any(a == b)))
wrong("08.frozen", "those that moved")(frozen_with(stays=lambda a, b: np.any(a != b)))
wrong("08.frozen")(lambda model, train: list(dict.fromkeys(name.split(".")[0] for name in compared(model, train))))


@wrong("08.frozen", "only those without a gradient")
def frozen(model, train):
    train()
    return [name for name, p in model.named_parameters() if not isinstance(p.grad, ddl.Tensor)]


@wrong("08.frozen")
def frozen(model, train):
    return [name for name in compared(model, train) if name.endswith("weight")]


@right("08.leak")
def leaked(train, test, near):
    count = 0
    for image in test:
        count += any(np.linalg.norm((image.astype(float) - other).ravel()) < near for other in train)
    return count / len(test)


def distances(train, test, kind=np.float64, power=lambda d: (d * d).sum(-1) ** 0.5):
    a, b = (np.reshape(part, (len(part), -1)).astype(kind) for part in (train, test))
    return np.stack([power(image - a) for image in b])


def leak_with(pick=lambda apart: apart.min(1), **how):
    return lambda train, test, near: float(np.mean(pick(distances(train, test, **how)) < near))


right("08.leak")(leak_with())
wrong("08.leak", "the squared distance")(leak_with(power=lambda d: (d * d).sum(-1)))
wrong("08.leak", "a mean over the pixels")(leak_with(power=lambda d: (d * d).mean(-1) ** 0.5))
wrong("08.leak", "each training image is asked")(leak_with(pick=lambda apart: apart.min(0)))
wrong("08.leak", "near to all of them")(leak_with(pick=lambda apart: apart.max(1)))
wrong("08.leak")(leak_with(power=lambda d: abs(d).sum(-1)))
wrong("08.leak")(lambda train, test, near: leak_with()(train, test, near**2))


@wrong("08.leak", "bytes are subtracted from bytes")
def leaked(train, test, near):
    apart = [[((image - other) ** 2).sum(dtype=float) ** 0.5 for other in train] for image in test]
    return float((np.min(apart, axis=1) < near).mean())


@wrong("08.leak", "side by side")
def leaked(train, test, near):
    apart = [np.linalg.norm(a.astype(float).ravel() - b.ravel()) for a, b in zip(test, train)]
    return float((np.array(apart) < near).mean())


@right("08.back")
def conv_vjp(g, x, w, stride):
    a, b = (ddl.tensor(part, requires_grad=True) for part in (x, w))
    return tuple(part.numpy() for part in ddl.grad((F.conv2d(a, b, stride=stride) * ddl.tensor(g)).sum(), [a, b]))


def window_by_window(g, x, w, stride, add=True, turn=(1, 1), images=None, weigh=lambda g: 1):
    dx, dw = np.zeros_like(x), np.zeros_like(w)
    a, b = w.shape[2:]
    for p, q in np.ndindex(g.shape[2:]):
        at = np.s_[:, :, p * stride : p * stride + a, q * stride : q * stride + b]
        here = g[:, :, p, q]  # (N, O)
        dw += np.einsum("no,ncuv->ocuv", here[:images], x[at][:images])
        sent = np.einsum("no,ocuv->ncuv", here, w[:, :, :: turn[0], :: turn[0]])
        dx[at] = dx[at] + sent if add else sent
    return dx, dw[:, :, :: turn[1], :: turn[1]] * np.asarray(weigh(g), w.dtype)


def back_with(**how):
    return lambda g, x, w, stride: window_by_window(g, x, w, stride, **how)


def overwritten(g, x, w, stride):
    dx, dw = window_by_window(g, x, w, stride)
    dx = np.zeros_like(x)
    (p, q), (a, b) = g.shape[2:], w.shape[2:]
    for u in range(a):
        for v in range(b):
            to = np.s_[:, :, u : u + stride * p : stride, v : v + stride * q : stride]
            dx[to][:, :, :p, :q] = np.tensordot(g, w[:, :, u, v], (1, 0)).transpose(0, 3, 1, 2)
    return dx, dw


right("08.back")(back_with())
wrong("08.back", "overwritten where it should add")(overwritten)
wrong("08.back", "the kernel is turned")(back_with(turn=(-1, 1)))
wrong("08.back", "the weight's gradient is turned")(back_with(turn=(1, -1)))
wrong("08.back", "a mean over the images")(back_with(weigh=lambda g: 1 / len(g)))
wrong("08.back", "a mean over the places")(back_with(weigh=lambda g: 1 / g[0, 0].size))
wrong("08.back", "the first image alone")(back_with(images=1))
wrong("08.back")(back_with(add=False))
wrong("08.back")(lambda g, x, w, stride: window_by_window(g, x, abs(w), stride))
wrong("08.back")(lambda g, x, w, stride: window_by_window(g, abs(x), w, stride))
