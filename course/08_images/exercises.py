# %% [markdown]
# # Exercises 08 · Looking at images
#
# Each exercise has a cell for your answer and below it a cell that checks. The check runs your answer and tells in
# words what is right and what is not; run it as often as you like. Stuck? `hint("08.size")` helps in three steps.
#
# One star is a line or two, two stars a small function, three stars half an hour.

# %%
import numpy as np
from sklearn.datasets import load_digits

import ddl
from ddl import nn
from ddl.course import check, hint, progress, reset, wearing
from ddl.nn import functional as F

data = load_digits()
images, kinds = (data.images / 16).astype(np.float32)[:, None], data.target  # (1797, 1, 8, 8), (1797,)

# %% [markdown]
# ### 08.size ★ How many windows fit
#
# Most errors with convolutions are errors of size, and are found on paper in half a minute. An image of 30 by 30
# pixels, a window of $k = 9$, padding $p = 4$, stride $s = 2$: how many rows has the result?

# %% task="08.size"
rows = ...
### BEGIN SOLUTION
rows = (30 + 2 * 4 - 9) // 2 + 1
### END SOLUTION

# %% [markdown]
# ### 08.params ★ How many weights look
#
# Where do the weights of an image model lie, in its eyes or in its head? Images have 3 channels and 32 by 32 pixels.
# How many parameters has this model, biases included? (And how many of them are in the last layer?)


# %%
def small_net():
    return nn.Sequential(
        nn.Conv2d(3, 16, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(..., 10),
    )  # fmt: skip


# %% task="08.params"
parameters = ...
### BEGIN SOLUTION
parameters = (3 * 5 * 5 + 1) * 16 + (16 * 3 * 3 + 1) * 32 + (32 * 8 * 8 + 1) * 10
### END SOLUTION

# %% [markdown]
# ### 08.conv ★★ A window that takes strides
#
# The chapter's convolution moves by one pixel. With a stride it looks and makes smaller at the same time, and many
# models need no pooling then. Write `conv(x, w, stride)` for numpy arrays $x: (N, C, H, W)$ and
# $w: (O, C, k_1, k_2)$, whose windows need not be square:
#
# $$y_{nopq} = \sum_{c, u, v} x_{n,\,c,\,ps+u,\,qs+v}\; w_{ocuv} .$$
#
# No padding, no bias. As one matrix product, or with `np.einsum`, as you like.


# %% task="08.conv"
def conv(x, w, stride):
    ### BEGIN SOLUTION
    size = w.shape[2:]
    windows = np.lib.stride_tricks.sliding_window_view(x, size, axis=(2, 3))  # (N, C, P, Q, k1, k2)
    windows = windows[:, :, ::stride, ::stride]
    return np.einsum("ncpquv,ocuv->nopq", windows, w)
    ### END SOLUTION


# %% [markdown]
# ### 08.pool ★★ Find the bug: a tie that pays twice
#
# A colleague writes the way back through max pooling without `argmax`: wherever a number equals its block's maximum,
# there goes the gradient. On random numbers it agrees with the library's to the last digit.


# %%
def wide(y, k):
    """Each number as a block of k x k."""
    return y.repeat(k, axis=2).repeat(k, axis=3)


def colleagues_back(g, x, k):
    n, c, h, w = x.shape
    largest = x.reshape(n, c, h // k, k, w // k, k).max(axis=(3, 5))
    return (x == wide(largest, k)) * wide(g, k)


x = np.random.default_rng(0).normal(size=(1, 1, 4, 4))
for name, inputs in (("random numbers", x), ("behind a relu", np.maximum(x - 1, 0))):
    back = colleagues_back(np.ones((1, 1, 2, 2)), inputs, 2)
    print(f"{name}: 4 was sent, {back.sum():.0f} came back")

# %% [markdown]
# Behind a relu a block is often all zeros. Write `max_pool_vjp(g, x, k)` so that each block sends its `g` to *one*
# place, the first of the largest, row by row. $x$ is $(N, C, H, W)$, where $H$ and $W$ divide by $k$, and $g$ is
# $(N, C, H/k, W/k)$.


# %% task="08.pool"
def max_pool_vjp(g, x, k):
    ### BEGIN SOLUTION
    n, c, p, q = g.shape
    parts = x.reshape(n, c, p, k, q, k).swapaxes(3, 4).reshape(n, c, p, q, k * k)
    place = np.arange(k * k) == parts.argmax(axis=4, keepdims=True)
    sent = (place * g[..., None]).reshape(n, c, p, q, k, k)
    return sent.swapaxes(3, 4).reshape(x.shape)
    ### END SOLUTION


# %% [markdown]
# **Try it on.** A network on 300 digits in which both rules stand in for the library's, and how far the gradient of
# its first layer is from the library's.


# %%
def pooled(x, *, size, shape, slide):
    n, c, h, w = x.shape
    return x.reshape(n, c, h // 2, 2, w // 2, 2).max(axis=(3, 5))


def first_gradient(rule=None):
    """The gradient of the first layer's weight, with this way back through the pooling or the library's."""
    if rule:
        with wearing(ddl.ops.max_pool, pooled, lambda g, x, size: rule(g, x, size[0])):
            return first_gradient()
    ddl.manual_seed(0)
    layers = nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(128, 10)
    model = nn.Sequential(*layers)
    loss = F.cross_entropy(model(ddl.tensor(images[:300])), ddl.tensor(kinds[:300]))
    return ddl.grad(loss, [model[0].weight])[0].numpy()


# %%
if check("08.pool"):
    truth = first_gradient()
    for name, rule in (("the colleague's", colleagues_back), ("yours", max_pool_vjp)):
        off = np.linalg.norm(first_gradient(rule) - truth) / np.linalg.norm(truth)
        print(f"{name:15} off by {off:.1%}")
else:
    print("First comes 08.pool, above.")

# %% [markdown]
# (A tie at 0 behind a relu does little harm, because the relu stops what comes back. Elsewhere nobody stops it.)
#
# ### 08.frozen ★★ Who never moved
#
# The chapter's frozen convolutions scored nine in ten. This is the probe that would have found them, for any model and
# any way of training. `train()` trains `model` for a few steps and returns nothing. Write `frozen(model, train)`: call
# `train()` once, and return a list of the names of all parameters of which no number has moved.
# `model.named_parameters()` gives names and parameters in pairs.


# %% task="08.frozen"
def frozen(model, train):
    ### BEGIN SOLUTION
    before, still = {}, []
    for name, p in model.named_parameters():
        before[name] = p.numpy().copy()
    train()
    for name, p in model.named_parameters():
        if (p.numpy() == before[name]).all():
            still.append(name)
    return still
    ### END SOLUTION


# %% [markdown]
# **Try it on.** Three models and their training. All of them get better at digits.


# %%
class Frozen(nn.Conv2d):
    def forward(self, x):
        return ddl.tensor(super().forward(x).numpy())


def digit_net(kind, part=lambda model: model):
    """A model, its training, and the loss now."""
    ddl.manual_seed(0)
    model = nn.Sequential(kind(1, 8, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(72, 10))
    optimizer = ddl.optim.Adam(part(model).parameters(), lr=0.02)
    loss_of = lambda: F.cross_entropy(model(ddl.tensor(images[:300])), ddl.tensor(kinds[:300]))

    def train():
        for _ in range(20):
            optimizer.backward_step(loss_of())

    return model, train, loss_of


# %%
if check("08.frozen"):
    makers = {
        "as it should be": digit_net(nn.Conv2d),
        "a layer that uses .numpy()": digit_net(Frozen),
        "an optimizer of the last layer": digit_net(nn.Conv2d, lambda model: model[-1]),
    }
    for name, (model, train, loss_of) in makers.items():
        first = loss_of().item()
        never = frozen(model, train)
        print(f"{name:30} loss {first:.1f} -> {loss_of().item():.1f}, never moved: {', '.join(never) or 'none'}")
else:
    print("First comes 08.frozen, above.")

# %% [markdown]
# ### 08.leak ★★ How much of the test was in the training
#
# A score on a test is worth as much as the test is strange to the model. Write `leaked(train, test, near)`: the share
# of the *test* images for which there is a training image at a distance below `near`. The distance of two images is the
# root of the sum of the squared differences of all their numbers. Both are arrays of images, of any shape behind the
# first axis; they may hold floats, or bytes (`np.uint8`) as they come from a file.


# %% task="08.leak"
def leaked(train, test, near):
    ### BEGIN SOLUTION
    a = train.reshape(len(train), -1).astype(float)
    b = test.reshape(len(test), -1).astype(float)
    squares = ((b[:, None] - a[None]) ** 2).sum(axis=2)
    return (squares.min(axis=1) < near**2).mean()
    ### END SOLUTION


# %% [markdown]
# **Try it on.** Two hundred digits, and five copies of each with a little noise. Once they are copied, mixed and split;
# and once split and then copied.

# %%
if check("08.leak"):
    rng = np.random.default_rng(0)
    noisy = lambda x: np.repeat(x, 5, axis=0) + rng.normal(0, 0.05, (5 * len(x), 1, 8, 8))
    mixed = noisy(images[:200])[rng.permutation(1000)]
    print(f"copied, then split: {leaked(mixed[:800], mixed[800:], 1.0):.0%} of the test is near")
    print(f"split, then copied: {leaked(noisy(images[:160]), images[160:200], 1.0):.0%}")
else:
    print("First comes 08.leak, above.")

# %% [markdown]
# ### 08.back ★★★ The way back through strides
#
# Derive the two gradients of `08.conv`, and write them. Start from the formula there. Which pixels does the weight
# $w_{ocuv}$ meet, over all windows? What it sends back to them and what they send back to it are two sums over the same
# places. Pixels that no window sees get 0. `conv_vjp(g, x, w, stride)` returns the gradients of `x` and of `w`; $g$ has
# the shape of the result, $(N, O, P, Q)$.


# %% task="08.back"
def conv_vjp(g, x, w, stride):
    ### BEGIN SOLUTION
    dx, dw = np.zeros_like(x), np.zeros_like(w)
    p, q = g.shape[2:]
    for u in range(w.shape[2]):
        for v in range(w.shape[3]):
            down = u + stride * np.arange(p)[:, None]
            across = v + stride * np.arange(q)
            seen = x[:, :, down, across]  # (N, C, P, Q)
            dw[:, :, u, v] = np.einsum("nopq,ncpq->oc", g, seen)
            dx[:, :, down, across] += np.einsum("nopq,oc->ncpq", g, w[:, :, u, v])
    return dx, dw
    ### END SOLUTION


# %% [markdown]
# **Try it on.** Both functions of yours in the library's place, in a network that has no pooling: its two convolutions
# take strides of 2. (The library pads; here that is done around yours.)


# %%
def forward(x, weight, bias, *, shape, slide, groups=1):
    edge = slide.padding[0]
    x = np.pad(x, ((0, 0), (0, 0), (edge, edge), (edge, edge)))
    return conv(x, weight, slide.stride[0]) + bias[:, None, None]


def back(g, x, weight, slide):
    edge, (h, w) = slide.padding[0], x.shape[2:]
    x = np.pad(x, ((0, 0), (0, 0), (edge, edge), (edge, edge)))
    dx, dw = conv_vjp(g, x, weight, slide.stride[0])
    return dx[:, :, edge : edge + h, edge : edge + w], dw, g.sum(axis=(0, 2, 3))


def strided(steps=60):
    """The first and the last loss, and the share of 597 other digits that are right."""
    ddl.manual_seed(0)
    layers = nn.Conv2d(1, 8, 3, 2, padding=1), nn.ReLU(), nn.Conv2d(8, 16, 3, 2, padding=1), nn.ReLU()
    model, rng = nn.Sequential(*layers, nn.Flatten(), nn.Linear(64, 10)), np.random.default_rng(0)
    optimizer, losses = ddl.optim.Adam(model.parameters(), lr=0.02), []
    for _ in range(steps):
        chosen = rng.choice(1200, 100, replace=False)
        loss = F.cross_entropy(model(ddl.tensor(images[chosen])), ddl.tensor(kinds[chosen]))
        optimizer.backward_step(loss)
        losses.append(loss.item())
    right = model(ddl.tensor(images[1200:])).numpy().argmax(axis=1) == kinds[1200:]
    return losses[0], np.mean(losses[-10:]), right.mean()


# %%
if check("08.conv") and check("08.back"):
    print("the library's: loss {:.2f} -> {:.2f}, {:.0%} right".format(*strided()))
    with wearing(ddl.ops.conv, forward, back):
        print("yours:         loss {:.2f} -> {:.2f}, {:.0%} right".format(*strided()))
else:
    print("First come 08.conv and 08.back, above.")

# %% [markdown]
# ### 08.why · In your own words
#
# A colleague has 200 digits, makes five copies of each with a little noise, mixes them, and splits them into training
# and test. The test says 100%. What did it test, which two probes prove that without any further digits, and how do you
# split? Three or four sentences; a person reads them. They should name siblings, a distance, random labels, and the
# order of two steps.

# %% [markdown] task="08.why"
# ### BEGIN SOLUTION
# Nearly every test image has siblings in the training set, copies of the same digit, so the test asks whether the model
# remembers, not whether it can read. First probe: for each test image the distance to the nearest training image is no
# more than that of two copies. Second probe: give each original digit a random label and train again; an honest test
# would be right in one of ten, this one is right far more often, which can only have been carried over. Split the
# originals first, and copy only those of the training part.
# ### END SOLUTION
