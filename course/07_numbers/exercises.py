# %% [markdown]
# # Exercises 07 · Numbers that misbehave
#
# Each exercise has a cell for your answer and below it a cell that checks. The check runs your answer and tells in
# words what is right and what is not; run it as often as you like. Stuck? `hint("07.counter")` helps in three steps.
#
# One star is a line or two, two stars a small function, three stars half an hour.

# %%
from itertools import pairwise

import numpy as np

import ddl
from ddl import nn
from ddl.course import check, hint, progress, reset, wearing
from ddl.nn import functional as F

# %% [markdown]
# ### 07.counter ★ A counter of 16 bits
#
# Large models are trained in 16 bits, and what is added up there is added up with care. This is why: a counter starts
# at 0, and 1 is added to it a hundred thousand times. The counter, the 1 and each sum are numbers of the kind
# `np.float16`, with 5 bits for the exponent and 10 for the fraction. What does the counter say in the end?

# %% task="07.counter"
count = ...
### BEGIN SOLUTION
count = 2048  # 2049 lies between two float16, and is rounded to the even one
### END SOLUTION

# %% [markdown]
# ### 07.notice ★ What a LayerNorm does not notice
#
# A LayerNorm with $w = 1$, $b = 0$ and a tiny $\varepsilon$ gets the row (10 010, 10 020, 10 030). What is the third
# number that comes out? Three digits are enough. If you know what a LayerNorm does not notice, you hardly have to
# compute; and you know what the weights in front of it may do without any harm.

# %% task="07.notice"
third = ...
### BEGIN SOLUTION
third = (3 / 2) ** 0.5
### END SOLUTION

# %% [markdown]
# ### 07.factor ★ One layer's factor
#
# You have measured how large the gradient is at each layer, and want one number that says how ill the network is. By
# what factor does *one* layer multiply the gradient on its way back, if it were the same in each? `sizes` is an array
# of at least two numbers above 0, the first layer first. Sizes may be as small and as large as floats can be.


# %% task="07.factor"
def layer_factor(sizes):
    ### BEGIN SOLUTION
    logs = np.log(sizes)
    return np.exp((logs[0] - logs[-1]) / (len(sizes) - 1))
    ### END SOLUTION


# %% [markdown]
# **Try it on.** Twenty relu layers with the weights that `nn.Linear` draws. Then all weights are divided by your
# factor.


# %%
def spiral(seed, n=100, arms=3):
    """Points (arms n, 2) of mean square 1, and the number of the arm of each."""
    rng = np.random.default_rng(seed)
    along = rng.uniform(0.3, 1, (arms, n))
    angle = 2.7 * np.pi * along + 2 * np.pi * np.arange(arms)[:, None] / arms
    points = 3 * np.stack([along * np.cos(angle), along * np.sin(angle)], axis=-1)
    points = (points + rng.normal(0, 0.15, points.shape)).reshape(-1, 2)
    points /= np.sqrt((points**2).mean())
    return ddl.tensor(points.astype(np.float32)), ddl.tensor(np.repeat(np.arange(arms), n))


# %%
def tower(norm=None, depth=20, width=32, bias=True):
    ddl.manual_seed(0)
    parts = []
    for n_in, n_out in pairwise([2] + [width] * depth):
        parts += [nn.Linear(n_in, n_out, bias=bias)] + ([norm(width)] if norm else []) + [nn.ReLU()]
    return nn.Sequential(*parts, nn.Linear(width, 3))


def gradient_sizes(model, x, t):
    """The root mean square of the gradient at each relu, first layer first."""
    seen = []
    for part in model:
        x = part(x)
        seen += [x] * isinstance(part, nn.ReLU)
    grads = ddl.grad(F.cross_entropy(x, t), seen)
    return np.array([np.sqrt(np.square(g.numpy(), dtype=np.float64).mean()) for g in grads])


# %%
if check("07.factor"):
    model, (x, t) = tower(bias=False), spiral(0)
    sizes = gradient_sizes(model, x, t)
    factor = layer_factor(sizes)
    print(f"as drawn:          first {sizes[0]:.0e}, last {sizes[-1]:.0e}, a factor of {factor:.2f} a layer")
    for p in model.parameters():
        p.data = p.numpy() / np.float32(factor)
    sizes = gradient_sizes(model, x, t)
    print(
        f"weights divided:   first {sizes[0]:.0e}, last {sizes[-1]:.0e}, a factor of {layer_factor(sizes):.2f} a layer"
    )
else:
    print("First comes 07.factor, above.")

# %% [markdown]
# ### 07.lse ★★ Log-sum-exp along any axis
#
# Every language model computes one of these for each word it reads. Write `lse(x, axis)` for a numpy array `x` of two
# or more axes: the axis is gone from the result, as with `x.sum(axis)`. Scores may be thousands. They may also be
# $-\infty$, for a choice that is forbidden (chapter 11 forbids to look into the future); where all choices are
# forbidden the result is $-\infty$.


# %% task="07.lse"
def lse(x, axis):
    ### BEGIN SOLUTION
    m = x.max(axis=axis, keepdims=True)
    m = np.where(np.isfinite(m), m, 0)
    total = np.exp(x - m).sum(axis=axis)
    return np.squeeze(m, axis) + np.log(total)
    ### END SOLUTION


# %% [markdown]
# ### 07.merge ★★ A variance from two parts
#
# Data too large for memory come in parts, and several machines have a part each. For each part you know the number of
# values, their mean and their variance (the mean of the squared distances from the mean, as in a LayerNorm). Derive the
# mean and variance of all of them together, and return both. The chapter says why the mean of the squares minus the
# square of the mean will not do.


# %% task="07.merge"
def merge(n1, mean1, var1, n2, mean2, var2):
    ### BEGIN SOLUTION
    n = n1 + n2
    distance = mean2 - mean1
    mean = mean1 + distance * (n2 / n)
    within = (n1 * var1 + n2 * var2) / n
    between = distance**2 * n1 * n2 / n**2
    return mean, within + between
    ### END SOLUTION


# %% [markdown]
# **Try it on.** A hundred thousand numbers in float32, with variance 1 around 10 000. They come a hundred at a time.

# %%
if check("07.merge"):
    data = (10_000 + np.random.default_rng(0).normal(size=100_000)).astype(np.float32)
    n, mean, var = 0, np.float32(0), np.float32(0)
    for part in np.split(data, 1000):
        mean, var = map(np.float32, merge(n, mean, var, len(part), part.mean(), part.var()))
        n += len(part)
    print(f"the shortcut: {np.square(data).mean() - data.mean() ** 2:.3f}")
    print(f"yours:        {var:.3f}")
    print(f"in 64 bits:   {data.astype(np.float64).var():.3f}")
else:
    print("First comes 07.merge, above.")

# %% [markdown]
# ### 07.logsoftmax ★★ Find the bug: a rule for the last axis
#
# `F.log_softmax` is a softmax and its log in one, and has one rule for the way back. A colleague derived it, tried it
# with gradcheck on four rows of five, and it passed:


# %%
def colleagues_back(g, out, axis):
    return g - np.exp(out) * g.sum(axis=-1, keepdims=True)


def forward(x, *, axis=-1):
    d = x - x.max(axis=axis, keepdims=True)
    return d - np.log(np.exp(d).sum(axis=axis, keepdims=True))


rows = ddl.tensor(np.random.default_rng(0).normal(size=(4, 5)))
with wearing(ddl.fused.log_softmax, forward, colleagues_back):
    print("four rows of 5:", ddl.gradcheck(lambda x: F.log_softmax(x, 1), [rows]))

# %% [markdown]
# Then somebody has scores of shape (classes, examples), and softmax runs along axis 0. Derive the rule, and write it
# for every axis and any number of axes. `g` is the gradient that comes back, `out` the result of `forward`.


# %% task="07.logsoftmax"
def log_softmax_vjp(g, out, axis):
    ### BEGIN SOLUTION
    return g - np.exp(out) * g.sum(axis=axis, keepdims=True)
    ### END SOLUTION


# %% [markdown]
# **Try it on.** A network on three spirals, whose last layer is turned so that the classes lie along axis 0.


# %%
def loss_by(rule, steps=200):
    """The first and the last loss."""
    x, t = spiral(0)
    ddl.manual_seed(0)
    model = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 3))
    optimizer, losses = ddl.optim.Adam(model.parameters(), lr=0.01), []
    for _ in range(steps):
        with wearing(ddl.fused.log_softmax, forward, rule):
            log_p = F.log_softmax(model(x).T, 0)  # (3, 300)
            loss = -log_p[t, np.arange(300)].mean()
            optimizer.backward_step(loss)
        losses.append(loss.item())
    return losses[0], losses[-1]


# %% tags=["nbval-ignore-output"]
if check("07.logsoftmax"):
    for name, rule in (("the colleague's", colleagues_back), ("yours", log_softmax_vjp)):
        first, last = loss_by(rule)
        print(f"{name:15} loss {first:.2f} -> {last:.2f}")
else:
    print("First comes 07.logsoftmax, above.")

# %% [markdown]
# ### 07.rms ★★★ A norm that does not centre
#
# Several large models leave the mean where it is, and only divide by the root of the mean square. Biao Zhang and Rico
# Sennrich proposed that in 2019, and call it RMSNorm:
#
# $$y = w \odot \frac{x}{\sqrt{\text{mean}(x^2) + \varepsilon}},$$
#
# the mean over the last axis. Derive the way back as the chapter does for LayerNorm, one step at a time, and write both
# functions. $x$ is $(\dots, C)$ with any number of axes in front, or none; $w$ is $(C,)$. `rms_vjp` returns the
# gradients of `x` and of `w`, the latter summed, so that it has the shape of `w`.


# %% task="07.rms"
def rms(x, w, eps):
    ### BEGIN SOLUTION
    size = np.sqrt((x * x).mean(axis=-1, keepdims=True) + eps)
    return w * (x / size)
    ### END SOLUTION


def rms_vjp(g, x, w, eps):
    ### BEGIN SOLUTION
    size = np.sqrt((x * x).mean(axis=-1, keepdims=True) + eps)
    x_hat = x / size
    h = g * w
    dx = (h - x_hat * (h * x_hat).mean(axis=-1, keepdims=True)) / size
    return dx, (g * x_hat).reshape(-1, x.shape[-1]).sum(axis=0)
    ### END SOLUTION


# %% [markdown]
# **Try it on.** Twenty layers deep, as in the last section of the chapter: without a norm, with the library's
# LayerNorm, and with yours standing in for it.


# %%
def forth(x, weight, bias, *, eps=1e-5):
    return rms(x, weight, eps) + bias


def back(g, x, weight, bias, eps):
    dx, dw = rms_vjp(g, x, weight, eps)
    return dx, dw, g


def last_loss(norm):
    model, (x, t) = tower(norm), spiral(0)
    optimizer, losses = ddl.optim.Adam(model.parameters(), lr=0.0003), []
    for _ in range(150):
        loss = F.cross_entropy(model(x), t)
        optimizer.backward_step(loss)
        losses.append(loss.item())
    return np.median(losses[-20:])


# %%
if check("07.rms"):
    print(f"no norm:   loss {last_loss(None):.2f}")
    print(f"LayerNorm: loss {last_loss(nn.LayerNorm):.2f}")
    with wearing(ddl.fused.layer_norm, forth, back):
        print(f"yours:     loss {last_loss(nn.LayerNorm):.2f}")
else:
    print("First comes 07.rms, above.")

# %% [markdown]
# What cures depth is the scale, not the mean.
#
# ### 07.why · In your own words
#
# A report on three kinds of birds says: right in 70%, 84%, 91%, 33%, 33%, 33% of the cases, after 20, 40, .. steps. The
# author wants to lower the learning rate. What do you suspect, which one line do you ask for to be sure, what does one
# bird have to do with it, and what is the repair? Three or four sentences; a person reads them. They should name the
# number that came, why the share looks healthy, and the algebra that comes before the rounding.

# %% [markdown] task="07.why"
# ### BEGIN SOLUTION
# I suspect a nan: argmax of three nan is 0, so every bird is called kind 0, and one in three is. Print the loss, or
# ask whether all weights are finite. One bird with a wild measurement gets a score near 89; its exponentials, or their
# sum, overflow float32, the probability of its kind becomes 0, the log of it −∞, the gradient nan, and after one step
# every weight. The repair is not a smaller rate, which only comes there later, but to take the largest score out of
# each row and to compute LSE(s) − s_t without forming a probability.
# ### END SOLUTION
