"""A convolution there and back, and the way back through a pooling."""

import numpy as np

from ...task import Mistake, Task, parts


def conv(x, w, stride):
    rows, columns = w.shape[2:]
    windows = np.lib.stride_tricks.sliding_window_view(x, (rows, columns), axis=(2, 3))
    return np.einsum("ncpquv,ocuv->nopq", windows[:, :, ::stride, ::stride], w)


def images(*extra):
    """(x, w, stride) by what is special about them, and a gradient of the result where it is asked for."""
    rng = np.random.default_rng(6)

    def case(x, w, stride=1, kind=np.float64):
        x, w = rng.normal(size=x).astype(kind), rng.normal(size=w).astype(kind)
        return (x, w, stride) if not extra else (rng.normal(size=conv(x, w, stride).shape).astype(kind), x, w, stride)

    return {
        "one pixel, one weight": case((1, 1, 1, 1), (1, 1, 1, 1)),
        "a window as large as the image": case((1, 1, 2, 2), (1, 1, 2, 2)),
        "one weight that slides": case((1, 1, 3, 4), (1, 1, 1, 1)),
        "one image, one channel": case((1, 1, 4, 4), (1, 1, 3, 3)),
        "channels in": case((1, 3, 4, 5), (1, 3, 2, 2)),
        "channels in and out, two images": case((2, 2, 5, 4), (3, 2, 3, 3)),
        "a flat window": case((2, 1, 4, 6), (2, 1, 1, 3)),
        "a stride of 2": case((1, 1, 5, 7), (1, 1, 3, 3), 2),
        "a stride that leaves rows over": case((1, 2, 6, 8), (2, 2, 3, 3), 2),
        "a stride of 3, windows apart": case((2, 1, 8, 7), (1, 1, 2, 2), 3),
        "32 bits": case((2, 2, 4, 4), (2, 2, 2, 2), kind=np.float32),
    }


def turned(w):
    return w[:, :, ::-1, ::-1]


def rows_alone(x, w, stride):
    every = conv(x, w, 1)
    return every[:, :, ::stride]


def last_left_out(x, w, stride):
    y = conv(x, w, stride)
    return y[:, :, : max(1, y.shape[2] - 1), : max(1, y.shape[3] - 1)]


def places(u, v, g, stride):
    """The pixels that lie at (u, v) of the windows."""
    p, q = g.shape[2:]
    return ..., slice(u, u + (p - 1) * stride + 1, stride), slice(v, v + (q - 1) * stride + 1, stride)


def conv_vjp(g, x, w, stride):
    return by(g, x, w, stride)


def by(g, x, w, stride, add=True, weights=lambda w: w, over=np.sum):
    """The rule, with one thing or another done otherwise."""
    dx, dw = np.zeros_like(x), np.zeros_like(w)
    for u, v in np.ndindex(w.shape[2:]):
        at = places(u, v, g, stride)
        dw[:, :, u, v] = over(np.einsum("nopq,ncpq->noc", g, x[at]), axis=0)
        sent = np.einsum("nopq,oc->ncpq", g, weights(w)[:, :, u, v])
        dx[at] = dx[at] + sent if add else sent
    return dx, dw


def both_back(answer, g, x, w, stride):
    """The two gradients."""
    return parts(answer(g, x, w, stride), "dx", "dw")


def otherwise(**how):
    return lambda g, x, w, stride: by(g, x, w, stride, **how)


def dw_turned(g, x, w, stride):
    dx, dw = by(g, x, w, stride)
    return dx, turned(dw)


def mean_over_places(g, x, w, stride):
    dx, dw = by(g, x, w, stride)
    return dx, dw / dw.dtype.type(g.shape[2] * g.shape[3])


def blocks(x, k):
    """(N, C, H, W) -> (N, C, H/k, W/k, k k)"""
    n, c, h, w = x.shape
    return x.reshape(n, c, h // k, k, w // k, k).swapaxes(3, 4).reshape(n, c, h // k, w // k, k * k)


def put_back(sent, x, k):
    n, c, p, q, _ = sent.shape
    return sent.reshape(n, c, p, q, k, k).swapaxes(3, 4).reshape(x.shape)


def max_pool_vjp(g, x, k):
    place = np.arange(k * k) == blocks(x, k).argmax(axis=-1)[..., None]
    return put_back(place * g[..., None], x, k)


def all_ties(g, x, k):
    y = blocks(x, k)
    return put_back((y == y.max(axis=-1, keepdims=True)) * g[..., None], x, k)


def shared_ties(g, x, k):
    y = blocks(x, k)
    place = y == y.max(axis=-1, keepdims=True)
    return put_back((place / place.sum(axis=-1, keepdims=True)).astype(x.dtype) * g[..., None], x, k)


def last_tie(g, x, k):
    y = blocks(x, k)
    last = k * k - 1 - y[..., ::-1].argmax(axis=-1)
    return put_back((np.arange(k * k) == last[..., None]) * g[..., None], x, k)


def largest_size(g, x, k):
    place = np.arange(k * k) == abs(blocks(x, k)).argmax(axis=-1)[..., None]
    return put_back(place * g[..., None], x, k)


def of_the_mean(g, x, k):
    return put_back(np.repeat(g[..., None], k * k, axis=-1) / g.dtype.type(k * k), x, k)


def maximum_times(g, x, k):
    return max_pool_vjp(g, x, k) * x


def pools():
    """(g, x, k) by what is special about them."""
    rng = np.random.default_rng(7)

    def case(n, c, p, q, k, kind=np.float64, change=lambda x: x):
        x = change(rng.normal(size=(n, c, p * k, q * k)))
        return rng.normal(size=(n, c, p, q)).astype(kind), x.astype(kind), k

    return {
        "windows of 1, all ones": case(1, 1, 2, 2, 1, change=np.ones_like),
        "one block": case(1, 1, 1, 1, 2, change=abs),
        "four blocks": case(1, 1, 2, 2, 2),
        "not square, three channels": case(2, 3, 2, 3, 2),
        "windows of 3": case(1, 2, 2, 1, 3),
        "behind a relu": case(2, 2, 3, 3, 2, change=lambda x: np.maximum(x - 0.5, 0)),
        "three of four are largest": (np.ones((1, 1, 1, 1)), np.array([[[[1.0, 5.0], [5.0, 5.0]]]]), 2),
        "all equal": case(1, 1, 2, 2, 2, change=np.zeros_like),
        "all below 0": case(1, 1, 2, 2, 2, change=lambda x: -abs(x)),
        "32 bits": case(2, 1, 2, 2, 2, kind=np.float32),
    }


TASKS = [
    Task(
        "08.conv",
        "A window that takes strides",
        "conv",
        conv,
        images,
        (
            "Lay out every window: np.lib.stride_tricks.sliding_window_view(x, (rows, columns), axis=(2, 3)) has the "
            "shape (N, C, P, Q, rows, columns).",
            "A stride of s takes every s-th window in both directions: windows[:, :, ::s, ::s].",
            'Then sum over channels and the window: np.einsum("ncpquv,ocuv->nopq", windows, w), or a reshape and a '
            "matrix product.",
        ),
        (
            Mistake(
                "the kernel is turned",
                "Here w[.., u, v] meets the pixel u rows down and v columns across: nothing is turned.",
                lambda x, w, stride: conv(x, turned(w), stride),
            ),
            Mistake(
                "a mean over the channels",
                "A kernel sums over all channels that come in.",
                lambda x, w, stride: conv(x, w, stride) / x.dtype.type(x.shape[1]),
            ),
            Mistake(
                "the first channel alone",
                "A kernel has weights for each channel, and sums over all of them.",
                lambda x, w, stride: conv(x[:, :1], w[:, :1], stride),
            ),
            Mistake("a stride for rows alone", "Windows move by the stride in both directions.", rows_alone),
            Mistake(
                "the last window is left out",
                "The last window begins at H − k, and that place counts.",
                last_left_out,
            ),
        ),
        level=2,
        rtol=1e-5,
        atol=1e-6,
    ),
    Task(
        "08.pool",
        "Find the bug: a tie that pays twice",
        "max_pool_vjp",
        max_pool_vjp,
        pools,
        (
            "How much comes back from a block in all? Compare that with the g that was sent.",
            "Each block sends g to one place: where argmax of its k · k numbers is. Of equal ones it takes the first.",
            "np.arange(k * k) == parts.argmax(axis=-1)[..., None] has one True in each block, where `parts` is "
            "(N, C, H/k, W/k, k · k). Multiply it by g[..., None], and lay it back.",
        ),
        (
            Mistake(
                "each of several largest gets all of it",
                "From a block one g came back, and one may be passed on: to the first of the largest.",
                all_ties,
            ),
            Mistake(
                "the largest share it",
                "That is a fair rule, but not this one: here the first of them gets all.",
                shared_ties,
            ),
            Mistake("the last of the largest", "Where several are largest the first one counts.", last_tie),
            Mistake("the largest without its sign", "The maximum of −3 and 1 is 1.", largest_size),
            Mistake(
                "times the maximum",
                "Move the largest number by h, and the result moves by h: the slope is 1.",
                maximum_times,
            ),
            Mistake("the rule of the mean", "Only the largest has a say, and so it alone hears.", of_the_mean),
        ),
        level=2,
        rtol=1e-6,
    ),
    Task(
        "08.back",
        "The way back through strides",
        "conv_vjp",
        conv_vjp,
        lambda: images("g"),
        (
            "For one place (u, v) of the window: which pixels lie there, over all windows? x[:, :, u::stride, "
            "v::stride], cut off after P rows and Q columns.",
            "Those pixels, (N, C, P, Q), meet the weight w[:, :, u, v], (O, C). So dw[:, :, u, v] sums g times them "
            "over N, P, Q, and they get back the sum over O of g times that weight.",
            'Loop over u and v: dw[:, :, u, v] = np.einsum("nopq,ncpq->oc", g, seen), and add '
            'np.einsum("nopq,oc->ncpq", g, w[:, :, u, v]) to the same places of dx, which began as zeros.',
        ),
        (
            Mistake(
                "overwritten where it should add",
                "Several windows see a pixel, and what they send back adds up.",
                otherwise(add=False),
            ),
            Mistake(
                "the kernel is turned",
                "A pixel gets back what the weight that it met sends, w[:, :, u, v].",
                otherwise(weights=turned),
            ),
            Mistake(
                "the weight's gradient is turned",
                "dw[:, :, u, v] is of the weight at that place.",
                dw_turned,
            ),
            Mistake(
                "a mean over the images",
                "The weights serve all images, and what comes back from them is added up.",
                otherwise(over=np.mean),
            ),
            Mistake(
                "a mean over the places",
                "A weight is used at each place, and what comes back from them is added up.",
                mean_over_places,
            ),
            Mistake(
                "the first image alone",
                "The weights hear from every image.",
                otherwise(over=lambda per_image, axis: per_image[0]),
            ),
        ),
        both_back,
        level=3,
        rtol=1e-5,
        atol=1e-6,
    ),
]
