# %% [markdown]
# # 05 · Layers that own their parameters
#
# After this chapter you can
#
# - write a `Module`: layers that own their parameters, and a model that finds every one of them by name,
# - derive how large random weights must be so that a signal survives many layers, in both directions,
# - tell from the outputs alone whether a model is really in evaluation.
#
# **Time:** about 2 hours. **Needs:** chapters [01](01_one_number.ipynb) and [02](02_neurons.ipynb), tensors and
# their shapes, and what a variance is.
#
# Where a line says **Predict**, write your answer down before you run the cell below it. $B$ is the number of examples
# in a batch, and shapes stand at line ends.

# %%
import math
from functools import partial
from itertools import pairwise

import numpy as np
from matplotlib.figure import Figure

import ddl
from ddl import nn
from ddl.course import show
from ddl.nn import functional as F
from ddl.nn import init
from ddl.widgets import initialisers, play, watch

BLUE, RUST, GREEN, GREY = "#00588a", "#b34700", "#007a5a", "#777777"

# %% [markdown]
# ## 1. A network in a drawer
#
# Two arms of a spiral, a hundred points on each. Which arm is a point on?


# %%
def spiral(rng, n=100, noise=0.15):
    """Points (2 n, 2), scaled to a mean square of 1, and their arm (2 n, 1): 0 or 1."""
    along = rng.uniform(0.3, 1, (2, n))
    angle = 2.7 * np.pi * along + np.array([[0], [np.pi]])
    points = np.stack([along * np.cos(angle), along * np.sin(angle)], axis=-1)  # (2, n, 2)
    points = (3 * points + rng.normal(0, noise, points.shape)).reshape(-1, 2)
    points /= np.sqrt((points**2).mean())
    arm = np.repeat([0, 1], n)[:, None]
    return ddl.tensor(points.astype(np.float32)), ddl.tensor(arm.astype(np.float32))


# %%
x, t = spiral(np.random.default_rng(0))  # (200, 2), (200, 1)

figure = Figure((5, 3.6), layout="constrained")
axes = figure.subplots()
for arm, marker, color in ((0, "o", BLUE), (1, "x", RUST)):
    points = x.numpy()[t.numpy()[:, 0] == arm]
    axes.scatter(*points.T, marker=marker, s=18, color=color, label=f"arm {arm}")
axes.set(xlabel="$x_1$", ylabel="$x_2$", aspect="equal")
axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
words = "Two arms of a spiral wound into each other, 100 points each."
show(figure, alt=f"{words} Arm 0 is round, arm 1 crosses.")

# %% [markdown]
# Chapter 02 found the loss that takes a score $s$ and the truth $t$, and does its algebra before the computer rounds:
# $\max(s, 0) + \log(1 + e^{-|s|}) - t\,s$. Its mean over the batch is what we want small.
#
# A network with two hidden layers has three matrices and three biases. So far we would write it like this:


# %%
def surprise(s, t):
    return (s.relu() + (1 + (-abs(s)).exp()).log() - t * s).mean()  # (B, 1) -> ()


def right(s, t):
    """The share of scores on the right side of 0."""
    return float(((s.numpy() > 0) == (t.numpy() > 0.5)).mean())


# %%
def drawer(rng, hidden=32):
    """Six loose tensors."""
    w1, w2 = rng.normal(0, 0.3, (hidden, 2)), rng.normal(0, 0.3, (hidden, hidden))
    w3 = rng.normal(0, 0.3, (1, hidden))
    loose = w1, np.zeros(hidden), w2, np.zeros(hidden), w3, np.zeros(1)
    return [ddl.tensor(p.astype(np.float32), requires_grad=True) for p in loose]


def score(w1, b1, w2, b2, w3, b3, x):
    h = (x @ w1.T + b1).relu()  # (B, 32)
    h = (h @ w2.T + b2).relu()  # (B, 32)
    return h @ w3.T + b3  # (B, 1)


# %% [markdown]
# And the loop names all six again. Read it twice.
#
# **Predict.** Does the loss fall?

# %%
w1, b1, w2, b2, w3, b3 = drawer(np.random.default_rng(0))
start = [p.numpy().copy() for p in (w1, b1, w2, b2, w3, b3)]
for step in range(1001):
    loss = surprise(score(w1, b1, w2, b2, w3, b3, x), t)
    for p in w1, b1, w2, b2, w3, b3:
        p.grad = None
    loss.backward()
    with ddl.no_grad():
        for p in w1, b1, w3, b2, b3:
            p -= 0.3 * p.grad
    if step % 250 == 0:
        share = right(score(w1, b1, w2, b2, w3, b3, x), t)
        print(f"step {step:4}: loss {loss.item():.2f}, right {share:.0%}")

# %% [markdown]
# It falls, nicely. Now ask each tensor whether it moved:

# %%
for name, p, before in zip(("w1", "b1", "w2", "b2", "w3", "b3"), (w1, b1, w2, b2, w3, b3), start):
    print(f"{name} moved by at most {abs(p.numpy() - before).max():.2f}")
assert (w2.numpy() == start[2]).all(), "run the cell above again first"

# %% [markdown]
# `w2`, by far the largest of the six, was left out of one list, and nothing said so. The network learned around its
# random middle. With six names that is a slip of the pen, and a real model has dozens.
#
# So: **nobody should list parameters.** Whoever makes one keeps it, and a model is asked for all that its parts keep.

# %% [markdown]
# ## 2. A module finds what it owns
#
# First try. A **module** is an object that keeps tensors, other modules, and lists of them, as attributes. Python
# remembers attributes in the order in which they were set: `vars(module)`. We walk through them, and through theirs,
# and on the way write down the path.


# %%
class Module:
    """A part of a model: keeps what it owns in attributes, and computes in `forward`."""

    training = True

    def __call__(self, *inputs):
        return self.forward(*inputs)


def walk(thing, path=""):
    """(path, part) of a module and all that is inside, in the order in which it was set."""
    yield path, thing
    inside = ()
    if isinstance(thing, Module):
        inside = vars(thing).items()
    elif isinstance(thing, list):
        inside = enumerate(thing)
    for name, part in inside:
        if isinstance(part, (ddl.Tensor, Module, list)):
            yield from walk(part, f"{path}.{name}" if path else str(name))


# %% [markdown]
# A layer that multiplies by a matrix and adds a bias, and a network of such layers, is then:


# %%
class Linear(Module):
    """(B, n_in) -> (B, n_out)"""

    def __init__(self, n_in, n_out, draw, rng):
        self.weight = ddl.tensor(draw((n_out, n_in), rng), requires_grad=True)
        self.bias = ddl.tensor(np.zeros(n_out, np.float32), requires_grad=True)

    def forward(self, x):
        return x @ self.weight.T + self.bias


# %%
class Remembering(Module):
    def __init__(self, rng):
        self.first, self.last = Linear(2, 4, some, rng), Linear(4, 1, some, rng)

    def forward(self, x):
        self.seen = self.first(x).relu()  # kept, to draw it later
        return self.last(self.seen)


def some(shape, rng):
    return rng.normal(0, 0.3, shape).astype(np.float32)


# %% [markdown]
# **Predict.** The parameters are the tensors that require a gradient. How many does the walk find in `Remembering`,
# before it was used and after?

# %%
model = Remembering(np.random.default_rng(0))
for when in "before", "after":
    tensors = [(path, part) for path, part in walk(model) if isinstance(part, ddl.Tensor)]
    print(f"{when:6}", [path for path, tensor in tensors if tensor.requires_grad])
    model(x)

# %% [markdown]
# `seen` was computed from parameters, so it requires a gradient too; but it is a result, and moving it teaches nothing.
# Only the author of a layer knows which tensors are meant to learn. The author has to say so, and the shortest way to
# say it is a class of its own.


# %%
class Parameter(ddl.Tensor):
    """A tensor that a module owns and training moves."""

    def __init__(self, values):
        super().__init__(values)
        self.requires_grad = True


# %%
class Linear(Module):
    """(B, n_in) -> (B, n_out)"""

    def __init__(self, n_in, n_out, draw, rng):
        self.weight = Parameter(draw((n_out, n_in), rng))
        self.bias = Parameter(np.zeros(n_out, np.float32))

    def forward(self, x):
        return x @ self.weight.T + self.bias


model = Remembering(np.random.default_rng(0))
model(x)
print([path for path, part in walk(model) if isinstance(part, Parameter)])

# %% [markdown]
# A second trap. Two places of a model can hold *one* layer: chapter 14 reads and writes tokens with the same table.


# %%
class Twice(Module):
    def __init__(self, rng):
        self.forth = Linear(2, 2, some, rng)
        self.back = self.forth

    def forward(self, x):
        return self.back(self.forth(x))


def step_along(parameters, loss, rate):
    parameters = list(parameters)
    for p in parameters:
        p.grad = None
    loss.backward()
    with ddl.no_grad():
        for p in parameters:
            p -= rate * p.grad


# %% [markdown]
# **Predict.** One step down. How far does the weight move, in units of rate times gradient?

# %%
model = Twice(np.random.default_rng(0))
found = [part for _, part in walk(model) if isinstance(part, Parameter)]
before = model.forth.weight.numpy().copy()
step_along(found, (model(x) ** 2).mean(), rate=0.1)
moved = (before - model.forth.weight.numpy()) / (0.1 * model.forth.weight.grad.numpy())
print(len(found), "parameters; moved", moved.round(3).ravel(), "times rate x gradient")
assert np.allclose(moved, 2, atol=1e-3)

# %% [markdown]
# The walk meets it on two paths, and the loop moves it twice. So each object counts once, under the first path by which
# it was met. (By `id`, its identity: two different tensors may hold the same values.) That is all a Module needs:


# %%
def named_parameters(self):
    """{path: parameter}; one that is reached twice has its first path."""
    first = {}
    for path, part in walk(self):
        if isinstance(part, Parameter):
            first.setdefault(id(part), (path, part))
    return dict(first.values())


def parameters(self):
    return list(self.named_parameters().values())


Module.named_parameters, Module.parameters = named_parameters, parameters
print(list(model.named_parameters()))


# %% [markdown]
# From here on a network of any depth is one short class, and the loop never changes again:


# %%
class MLP(Module):
    """Linear layers with a squash between them: MLP((2, 32, 32, 1), ..) takes (B, 2) to (B, 1)."""

    def __init__(self, sizes, draw, rng, squash=ddl.Tensor.relu):
        self.layers = [Linear(n_in, n_out, draw, rng) for n_in, n_out in pairwise(sizes)]
        self.squash = squash

    def forward(self, x):
        for layer in self.layers[:-1]:
            x = self.squash(layer(x))
        return self.layers[-1](x)


# %%
def train(model, x, t, rate, steps):
    """The loss of every step."""
    losses = []
    for _ in range(steps):
        loss = surprise(model(x), t)
        step_along(model.parameters(), loss, rate)
        losses.append(loss.item())
    return losses


model = MLP((2, 32, 32, 1), some, np.random.default_rng(0))
losses = train(model, x, t, rate=0.3, steps=1001)
for path, p in model.named_parameters().items():
    print(f"{path:16} {p.shape}")
print(f"loss {losses[0]:.2f} -> {losses[-1]:.3f}, right {right(model(x), t):.0%}")

# %% [markdown]
# ## 3. What a layer does to a gradient
#
# We will need the backward of this layer, so here it is, one entry at a time. Forward, for example $b$ and output $j$:
#
# $$z_{bj} = \sum_i x_{bi}\,w_{ji} + c_j \qquad x: (B, n_\text{in}),\; w: (n_\text{out}, n_\text{in}),\;
# c: (n_\text{out}),\; z: (B, n_\text{out}).$$
#
# Let $g_{bj}$ be the gradient that comes back, how fast the loss moves with $z_{bj}$; so $g$ is $(B, n_\text{out})$ as
# $z$ is. Multiply along each path, add over all paths:
#
# - $x_{bi}$ reaches the loss through $z_{bj}$ for every $j$, with slope $w_{ji}$:
#   $\;dx_{bi} = \sum_j g_{bj}\,w_{ji}$, so $dx = g\,w$ with shapes $(B, n_\text{out}) (n_\text{out}, n_\text{in})
#   = (B, n_\text{in})$.
# - $w_{ji}$ reaches it through $z_{bj}$ for every $b$, with slope $x_{bi}$:
#   $\;dw_{ji} = \sum_b g_{bj}\,x_{bi}$, so $dw = g^\mathsf{T} x$ with shapes $(n_\text{out}, B) (B, n_\text{in})
#   = (n_\text{out}, n_\text{in})$.
# - $c_j$ reaches it through $z_{bj}$ for every $b$, with slope 1: $\;dc_j = \sum_b g_{bj}$, shape $(n_\text{out})$.
#
# Each gradient has the shape of its own tensor, and that alone nearly dictates the formula. The check:

# %%
rng = np.random.default_rng(1)
layer = Linear(3, 4, some, rng)
x5 = ddl.tensor(rng.normal(size=(5, 3)).astype(np.float32), requires_grad=True)  # (B, n_in)
g = ddl.tensor(rng.normal(size=(5, 4)).astype(np.float32))  # (B, n_out)
dx, dw, dc = ddl.grad((layer(x5) * g).sum(), [x5, layer.weight, layer.bias])
for mine, theirs in ((g @ layer.weight, dx), (g.T @ x5, dw), (g.sum(0), dc)):
    agree = np.allclose(mine.numpy(), theirs.numpy(), atol=1e-5)
    print(mine.shape, "agrees with ddl.grad:", agree)
    assert agree

# %% [markdown]
# (The sum of `layer(x5) * g` is a loss whose gradient in the layer's output is exactly `g`: a handy way to feed any
# gradient into a backward.)
#
# Here is the same backward step by step. Open a box to see its numbers; the arrow keys walk.

# %%
play((layer(x5) * g).sum())

# %% [markdown]
# ## 4. How large should the weights be?
#
# Twenty layers, each 100 wide, with $\tanh$ between them. The inputs have mean 0 and variance 1. The weights are
# normal with mean 0, and the only choice is their standard deviation $\sigma$: 0.02, 0.1 or 1.
#
# **Predict.** For each of the three, sketch the histogram of what comes out of layer 20.


# %%
def normal(std):
    """An initialiser: weights from N(0, std^2)."""
    return lambda shape, rng: rng.normal(0, std, shape).astype(np.float32)


def signals(model, x):
    """The activations after each layer but the last, as tensors."""
    seen = []
    for layer in model.layers[:-1]:
        x = model.squash(layer(x))
        seen.append(x)
    return seen


# %%
WIDE = (100,) * 21 + (1,)
noise = ddl.tensor(np.random.default_rng(7).normal(size=(500, 100)).astype(np.float32))  # (B, 100)
at = {}
for std in (0.02, 0.1, 1.0):
    at[std] = signals(MLP(WIDE, normal(std), np.random.default_rng(0), ddl.Tensor.tanh), noise)
    spread = ", ".join(f"layer {n} {at[std][n - 1].numpy().std():.1g}" for n in (1, 5, 10, 20))
    print(f"sigma {std:4}: std after {spread}")

# %%
figure = Figure((8, 4.4), layout="constrained")
grid = figure.subplots(3, 4, sharex=True)
for row, (std, seen), color in zip(grid, at.items(), (BLUE, GREEN, RUST)):
    for axes, n in zip(row, (1, 5, 10, 20)):
        axes.hist(seen[n - 1].numpy().ravel(), bins=np.linspace(-1, 1, 41), color=color)
        axes.set(yticks=[], title=f"layer {n}" if std == 0.02 else "", xlim=(-1.05, 1.05))
    row[0].set_ylabel(f"$\\sigma$ = {std}")
for axes in grid[-1]:
    axes.set_xlabel("activation")
full = float((abs(at[1.0][19].numpy()) > 0.99).mean())
words = "Activations between -1 and 1. Sigma 0.02: a spike at 0 from layer 5 on."
words += " Sigma 0.1: a bell that narrows slowly. Sigma 1: two spikes at -1 and +1;"
show(figure, alt=f"{words} {full:.0%} of layer 20 lie beyond 0.99.")

# %% [markdown]
# Three fates. With 0.02 the signal is gone after a few layers: every input gives the same output. With 1 the neurons
# stand at the ends of $\tanh$, where its slope $1 - \tanh^2$ is almost 0, and no gradient comes through. With 0.1
# something arrives. Where does 0.1 come from?
#
# **Forward.** Take one output of a layer, $z = \sum_{i=1}^{n} w_i x_i$, with $n = n_\text{in}$. The weights are drawn
# independently of each other and of the inputs, with mean 0 and variance $\sigma^2$. $\mathbb{E}$ is the mean over the
# draws:
#
# $$\mathbb{E}[z] = \sum_i \mathbb{E}[w_i]\,\mathbb{E}[x_i] = 0$$
#
# $$\mathbb{E}[z^2] = \sum_i \sum_k \mathbb{E}[w_i w_k]\,\mathbb{E}[x_i x_k]
# \qquad\text{and } \mathbb{E}[w_i w_k] = 0 \text{ for } i \ne k \text{, so}$$
#
# $$\mathbb{E}[z^2] = \sum_i \sigma^2\,\mathbb{E}[x_i^2] = n_\text{in}\,\sigma^2\;\mathbb{E}[x^2] .$$
#
# Nothing was asked of the inputs: they may be correlated, and need not have mean 0; only their **mean square** counts.
# A layer multiplies it by $n_\text{in}\sigma^2$, twenty layers by the twentieth power. To keep it, take
# $\sigma = 1/\sqrt{n_\text{in}}$: with 100 inputs, 0.1.
#
# **Predict.** $n_\text{in}\sigma^2$ for $\sigma$ = 0.02, and by how much the *standard deviation* shrinks in a layer.

# %%
for std in (0.02, 0.1, 1.0):
    theory = 100 * std**2
    z = noise.numpy() @ normal(std)((100, 100), np.random.default_rng(0)).T  # (B, 100)
    measured = (z**2).mean() / (noise.numpy() ** 2).mean()
    print(f"sigma {std:4}: n sigma^2 = {theory:6.2f}, measured {measured:5.2f}", end=", ")
    print(f"its root {measured**0.5:.2f}")
    assert abs(measured / theory - 1) < 0.1

# %% [markdown]
# **Backward.** From section 3, $dx_i = \sum_j g_j w_{ji}$: the same kind of sum, with $n_\text{out}$ terms. Suppose the
# gradients that arrive are independent of this layer's weights (not quite true, and the measurement below says how
# well it works). Then by the same lines
#
# $$\mathbb{E}[dx^2] = n_\text{out}\,\sigma^2\;\mathbb{E}[g^2] .$$
#
# So forward wants $n_\text{in}\sigma^2 = 1$, and backward wants $n_\text{out}\sigma^2 = 1$. Where the layer is not
# square, both cannot be had. **Xavier** Glorot and Yoshua Bengio take the middle of $n_\text{in}$ and $n_\text{out}$:
#
# $$\sigma^2 = \frac{2}{n_\text{in} + n_\text{out}} .$$
#
# **Predict.** For 100 inputs and 400 outputs, what are the two factors, and what do they add up to?

# %%
n_in, n_out = 100, 400
rng = np.random.default_rng(0)
g = rng.normal(size=(500, n_out))
print("              forward  backward")
for name, fan in (("for forward", n_in), ("for backward", n_out), ("Xavier", (n_in + n_out) / 2)):
    w = rng.normal(0, fan**-0.5, (n_out, n_in))  # (n_out, n_in)
    forward, backward = ((noise.numpy() @ w.T) ** 2).mean(), ((g @ w) ** 2).mean()
    print(f"{name:13} {forward:7.2f} {backward:9.2f}", end="   in theory ")
    print(f"{n_in / fan:.2f} and {n_out / fan:.2f}")
    assert abs(forward / (n_in / fan) - 1) < 0.1
    assert abs(backward / (n_out / fan) - 1) < 0.1

# %% [markdown]
# $\frac{2 n_\text{in}}{n_\text{in} + n_\text{out}} + \frac{2 n_\text{out}}{n_\text{in} + n_\text{out}} = 2$, always:
# what one direction gains the other pays.
#
# ## 5. What the squash takes away
#
# All this was for layers without anything between them. Near 0, $\tanh$ has slope 1 and does little. Now **relu**,
# $h = \max(z, 0)$. The weights are as often positive as negative, so $z$ is as often $z$ as $-z$. Relu keeps one of the
# two and makes the other 0:
#
# $$\mathbb{E}[h^2] = \tfrac12\,\mathbb{E}[z^2] \qquad\Rightarrow\qquad
# \mathbb{E}[z_{l}^2] = n_\text{in}\sigma^2\cdot\tfrac12\,\mathbb{E}[z_{l-1}^2] .$$
#
# The gradient loses as much: relu's slope is 1 where $z > 0$, else 0, and half of the entries of $g$ become 0. To make
# up for it, **Kaiming** He and others take
#
# $$\sigma^2 = \frac{2}{n_\text{in}} .$$
#
# Forward or backward? Take $n_\text{in}$ everywhere, and the backward factors are $n_\text{out}/n_\text{in}$, layer by
# layer. One layer's $n_\text{out}$ is the next one's $n_\text{in}$, so in their product all cancel but the ends: the
# gradient is off by one fixed factor, whatever the depth. That does no harm.
#
# A relu that leaks, with slope $a$ below 0, keeps $\frac12(1 + a^2)$ of the mean square, so
# $\sigma^2 = \frac{2}{(1 + a^2)\,n_\text{in}}$. The square root of what makes up for a squash is called its **gain**:
# $\sqrt2$ for relu.
#
# **Predict.** Twenty relu layers with Xavier's weights, square: by how much does the standard deviation shrink in all?

# %%
z = np.random.default_rng(0).normal(size=1_000_000)
for a in (0.0, 0.2, 1.0):
    kept = (np.where(z > 0, z, a * z) ** 2).mean() / (z**2).mean()
    theory = (1 + a * a) / 2
    print(f"leak {a:.1f}: keeps {kept:.3f} of the mean square, (1 + a^2) / 2 = {theory:.3f}")
    assert abs(kept - theory) < 0.005
print(f"Xavier, 20 relu layers: the standard deviation goes down to (1/2)^(20/2) = 1/{2**10}")

# %% [markdown]
# Here are four initialisers by hand. A uniform draw from $-b$ to $b$ has mean square
# $\int_{-b}^{b} \frac{w^2}{2b}\,dw = \frac{b^2}{3}$, so for a wanted $\sigma$ take $b = \sqrt3\,\sigma$.
#
# The last one is what `Linear` in PyTorch, and in this library, does when you ask for nothing: $U(-b, b)$ with
# $b = 1/\sqrt{n_\text{in}}$. PyTorch's source writes it as the draw for a leaky relu with $a = \sqrt5$, a relu that
# nobody uses. (It draws the biases like this as well; ours stay 0.)
#
# **Predict.** What is $n_\text{in}\sigma^2$ for it, and so its factor per layer with relu?


# %%
def xavier_normal(shape, rng):
    return rng.normal(0, math.sqrt(2 / sum(shape)), shape).astype(np.float32)


def kaiming_normal(shape, rng):
    return rng.normal(0, math.sqrt(2 / shape[1]), shape).astype(np.float32)


def kaiming_uniform(shape, rng, a=0.0):
    b = math.sqrt(3) * math.sqrt(2 / (1 + a * a) / shape[1])
    return rng.uniform(-b, b, shape).astype(np.float32)


def as_pytorch(shape, rng):
    return kaiming_uniform(shape, rng, a=math.sqrt(5))


# %%
w = as_pytorch((100, 100), np.random.default_rng(0))
print(f"n sigma^2 = {100 * w.var():.2f}, with relu {50 * w.var():.2f}", end="; ")
print(f"largest weight {abs(w).max():.2f}")
assert abs(w).max() <= 0.1

# %% [markdown]
# A third, and a sixth with relu. Now measure activations *and* gradients through twenty relu layers, beside what the
# formulas say. To have a gradient at the end we send in noise of mean square 1, as in section 3.


# %%
def through(draw, squash, seed=0):
    """Root mean squares of the activations after each layer, and of the gradients in them."""
    rng = np.random.default_rng(seed)
    seen = signals(MLP(WIDE, draw, rng, squash), noise)
    g = ddl.tensor(rng.normal(size=seen[-1].shape).astype(np.float32))
    grads = ddl.grad((seen[-1] * g).sum(), seen)
    return [np.array([np.sqrt((a.numpy() ** 2).mean()) for a in group]) for group in (seen, grads)]


# %%
LINES, COLORS = ("-", "--", "-.", ":"), (GREEN, BLUE, RUST, GREY)


def plot_scales(rows, squash, title):
    """Draw the scales in both directions for several initialisers."""
    figure, words = Figure((8, 3.4), layout="constrained"), []
    ways = figure.subplots(1, 2, sharey=True)
    for (name, draw), line, color in zip(rows.items(), LINES, COLORS):
        ahead, back = through(draw, squash)
        for axes, scales in zip(ways, (ahead, back)):
            axes.semilogy(range(1, 21), scales, line, color=color, label=name)
        words.append(f"{name}: activations {ahead[0]:.1g} to {ahead[-1]:.1g}")
        words[-1] += f", gradients {back[-1]:.1g} to {back[0]:.1g}"
    for axes, way in zip(ways, ("activations", "gradients")):
        axes.set(xlabel="layer", title=f"{title}: {way}", xticks=(1, 5, 10, 15, 20))
    ways[0].set_ylabel("root mean square")
    ways[1].legend()
    show(figure, alt="Activations from layer 1 to 20, gradients back. " + "; ".join(words) + ".")


# %%
rows = {"Kaiming": kaiming_normal, "Xavier": xavier_normal, "as PyTorch": as_pytorch}
rows["sigma 0.02"] = normal(0.02)
plot_scales(rows, ddl.Tensor.relu, "relu")

# %%
factors = {"Kaiming": 1.0, "Xavier": 1 / 2, "as PyTorch": 1 / 6, "sigma 0.02": 100 * 0.02**2 / 2}
print("mean square, factor per layer")
for name, draw in rows.items():
    runs = [through(draw, ddl.Tensor.relu, seed) for seed in range(5)]
    ahead = [(a[-1] / a[0]) ** (2 / 19) for a, _ in runs]
    back = [(b[0] / b[-1]) ** (2 / 19) for _, b in runs]
    print(f"{name:11} theory {factors[name]:.3f}", end="")
    for way, values in (("forward", ahead), ("backward", back)):
        print(f"   {way} {min(values):.3f} to {max(values):.3f}", end="")
        assert 0.85 < min(values) / factors[name] < max(values) / factors[name] < 1.15
    print()

# %% [markdown]
# The theory holds within a few percent for five networks each, in both directions. Straight lines on this scale are
# powers: that is what "vanishing" and "exploding" mean.
#
# And $\tanh$? It shrinks whatever is not tiny, so even with $n\sigma^2 = 1$ the signal fades, ever more slowly. The
# table of gains that libraries carry says 5/3 for it.
#
# **Predict.** With gain 5/3, does the signal grow without end?

# %%
gained = {
    "gain 1": xavier_normal,
    "gain 5/3": lambda shape, rng: 5 / 3 * xavier_normal(shape, rng),
    "gain 3": lambda shape, rng: 3 * xavier_normal(shape, rng),
}
plot_scales(gained, ddl.Tensor.tanh, "tanh")
for name, draw in gained.items():
    ahead, back = through(draw, ddl.Tensor.tanh)
    print(f"{name:8} activations {ahead[0]:.1f} -> {ahead[-1]:.1f}", end=", ")
    print(f"gradients {back[-1]:.1g} -> {back[0]:.1g}")

# %% [markdown]
# No: $\tanh$ holds it below 1, and it settles where growth and squash balance. 5/3 settles in the part of the curve
# that still bends; with 3 the neurons live near the ends, and the gradients *explode* on the way back.
#
# ## 6. The initialisers of the library
#
# An initialiser is a function of a shape. These are the library's, for a weight of 64 outputs and 256 inputs.
#
# **Predict** the standard deviations: you have all the formulas for the middle four. Two need more words.
# `trunc_normal` draws again whatever falls outside its ends. `orthogonal` makes rows (or columns, the fewer) that have
# length 1 and stand at right angles.

# %%
ddl.manual_seed(0)
starts = {
    "zeros": init.zeros((64, 256)),
    "ones": init.ones((64, 256)),
    "constant": init.constant((64, 256), value=0.05),
    "uniform": init.uniform((64, 256), low=-0.1, high=0.1),
    "normal": init.normal((64, 256), std=0.02),
    "xavier_uniform": init.xavier_uniform((64, 256)),
    "xavier_normal": init.xavier_normal((64, 256)),
    "kaiming_uniform": init.kaiming_uniform((64, 256), nonlinearity="relu"),
    "kaiming_normal": init.kaiming_normal((64, 256), nonlinearity="relu"),
    "trunc_normal": init.trunc_normal((64, 256), std=0.05, low=-0.1, high=0.1),
    "orthogonal": init.orthogonal((64, 256)),
}
for name, w in starts.items():
    print(f"{name:16} std {w.std():.3f}   from {w.min():+.2f} to {w.max():+.2f}", end="   ")
    print(f"n_in sigma^2 = {256 * w.var():.2f}")

# %%
figure = Figure((8, 4.2), layout="constrained")
boxes = figure.subplots(3, 4, sharex=True).ravel()
for axes, (name, w) in zip(boxes, starts.items()):
    axes.hist(w.ravel(), bins=np.linspace(-0.3, 0.3, 61), color=BLUE if w.std() else GREY)
    axes.set_title(name, fontsize=10)
    axes.set(yticks=[], xlim=(-0.3, 0.3))
boxes[1].text(0, 0.5, "all at 1,\noutside", ha="center", transform=boxes[1].get_xaxis_transform())
boxes[-1].axis("off")
for axes in boxes[8:11]:
    axes.set_xlabel("weight")
spreads = ", ".join(f"{name} {w.std():.3f}" for name, w in starts.items())
words = "Histograms of the weights of eleven initialisers, with standard deviations"
show(figure, alt=f"{words} {spreads}.")

# %% [markdown]
# Try them in a deep network of your own choice: the depth, the width, the squash.

# %%
initialisers(depth=20, width=64, activation="relu", shown="kaiming_normal")

# %% [markdown]
# Ours and the library's, from the same generator, give the same weights. The library counts the **fans** from the shape
# by itself, for the kernels of chapter 08 too: in (64, 3, 5, 5), 64 outputs each look at 3 channels of 5 by 5 pixels.
#
# **Predict.** What is `fan_in` there, and what is `fan_out`?

# %%
pairs = {
    "xavier_normal": (xavier_normal, init.xavier_normal, {}),
    "kaiming_normal": (kaiming_normal, init.kaiming_normal, {"nonlinearity": "relu"}),
    "kaiming_uniform": (kaiming_uniform, init.kaiming_uniform, {"nonlinearity": "relu"}),
}
for name, (mine, library, options) in pairs.items():
    a = mine((64, 256), np.random.default_rng(3))
    b = library((64, 256), rng=np.random.default_rng(3), **options)
    print(f"{name:16} equal: {np.allclose(a, b, rtol=1e-6)}")
    assert np.allclose(a, b, rtol=1e-6)
print("fans of (64, 3, 5, 5):", init.fans((64, 3, 5, 5)))

# %% [markdown]
# **Why orthogonal?** $n\sigma^2 = 1$ keeps lengths *on average*. An orthogonal matrix keeps every length exactly:
# $|Qx|^2 = x^\mathsf{T} Q^\mathsf{T} Q\, x = x^\mathsf{T} x$. Multiply twenty matrices, and ask for the direction that
# comes through largest and the one that comes through smallest:

# %%
draws = {"normal": normal(0.1), "orthogonal": lambda shape, rng: init.orthogonal(shape, rng=rng)}
for name, draw in draws.items():
    rng = np.random.default_rng(0)
    product = np.linalg.multi_dot([draw((100, 100), rng).astype(float) for _ in range(20)])
    stretch = np.linalg.svd(product, compute_uv=False)
    print(f"{name:10} largest stretch {stretch[0]:.1f}, the median {np.median(stretch):.1g}")

# %% [markdown]
# On average nothing is lost, and yet the typical direction is: the mean is held up by a few. (With relu between, half
# of the rows are silent for each input, and this holds only roughly; gain $\sqrt2$ belongs there too.)
#
# **Why not `constant`?** Chapter 02 saw that equal neurons stay equal. With layers it is easy to count how many
# different neurons a hidden layer has:

# %%
draws = {"constant": lambda shape, rng: init.constant(shape, value=0.1), "Kaiming": kaiming_normal}
for name, draw in draws.items():
    model = MLP((2, 32, 32, 1), draw, np.random.default_rng(0))
    train(model, x, t, rate=0.3, steps=500)
    kinds = len(np.unique(model.layers[0].weight.numpy().round(3), axis=0))
    share = right(model(x), t)
    print(f"{name:8} after 500 steps: {kinds} different neurons of 32, right {share:.0%}")
    assert kinds == (1 if name == "constant" else 32)

# %% [markdown]
# ## 7. Does it matter for learning?
#
# A network of twelve layers, the spiral, 400 steps, one rate, five seeds for each initialiser. Only the start differs.
#
# **Predict.** Order them.

# %% tags=["nbval-ignore-output"]
DEEP = (2,) + (48,) * 11 + (1,)
del rows["sigma 0.02"]  # dead before the first step
runs, correct = {}, {}
for name, draw in rows.items():
    models = [MLP(DEEP, draw, np.random.default_rng(seed)) for seed in range(5)]
    runs[name] = [train(model, x, t, rate=0.05, steps=400) for model in models]
    correct[name] = sorted(right(model(x), t) for model in models)
    print(f"{name:10} right: " + ", ".join(f"{share:.0%}" for share in correct[name]))
assert np.median(correct["Kaiming"]) > 0.95
assert np.median(correct["Xavier"]) < 0.9
assert correct["as PyTorch"][-1] < 0.8

# %%
figure = Figure((7, 3.4), layout="constrained")
axes = figure.subplots()
for (name, group), line, color in zip(runs.items(), LINES, COLORS):
    for i, losses in enumerate(group):
        lowest = np.minimum.accumulate(losses)
        axes.plot(lowest, line, color=color, lw=1.2, label=None if i else name)
axes.set(xlabel="step", ylabel="lowest loss so far", ylim=(0, 0.8))
axes.set_title("Twelve layers, five seeds each")
axes.legend()
lows = {name: np.median([min(losses) for losses in group]) for name, group in runs.items()}
words = "; ".join(f"{name} comes down to {low:.1f}" for name, low in lows.items())
show(figure, alt=f"Loss by step. Medians of five: {words}.")

# %% [markdown]
# A network whose signal has died is not wrong, it is deaf: its loss stays at $\log 2 = 0.69$, and nothing in the code
# is to blame. (PyTorch's default is made for shallow networks, and for those with the normalisation of chapter 07,
# which sets the scale anew in every layer.)
#
# ## 8. Dropout
#
# A network can also learn too well. Here are 200 patients with 40 measurements each, and whether they recovered. The
# truth is the sign of a weighted sum of the 40, and one label in five was written down wrong. 2,000 others, with true
# labels, are **held out**: never trained on, they show what was learned and not memorised.


# %%
def patients(seed):
    """(x, t) to train on, one label in five wrong, and (x, t) held out."""
    rng = np.random.default_rng(seed)
    weights = rng.normal(size=40)
    x = rng.normal(size=(2200, 40)).astype(np.float32)
    t = x @ weights > 0
    t[:200] ^= rng.random(200) < 0.2
    t = t.astype(np.float32)[:, None]
    return [ddl.tensor(part) for part in (x[:200], t[:200], x[200:], t[200:])]


x, t, x_new, t_new = patients(0)  # (200, 40), (200, 1), (2000, 40), (2000, 1)
model = MLP((40, 64, 64, 1), kaiming_normal, np.random.default_rng(0))
train(model, x, t, rate=0.1, steps=600)
print(f"right on its own 200: {right(model(x), t):.0%}", end="; ")
print(f"on those held out: {right(model(x_new), t_new):.0%}")

# %% [markdown]
# It has learned the wrong labels by heart. Geoffrey Hinton and others proposed to disturb it: in every training step,
# each neuron is silent with probability $p$. No neuron can then rely on one particular other, and no single path can
# hold one patient's secret.
#
# Let $m_i$ be 0 with probability $p$ and 1 otherwise. A neuron of the next layer hears
#
# $$\mathbb{E}\Bigl[\sum_i w_i\,m_i x_i\Bigr] = \sum_i w_i\,\mathbb{E}[m_i]\,x_i = (1 - p) \sum_i w_i x_i .$$
#
# When it counts, all neurons speak, and everything arrives $1/(1 - p)$ times as loud as ever in training. So **scale
# what is kept** by $1/(1 - p)$ while training, and evaluation needs no change at all:
#
# $$h_i = \frac{m_i}{1 - p}\,x_i, \qquad \mathbb{E}[h_i] = x_i, \qquad
# \mathbb{E}[h_i^2] = \frac{1 - p}{(1 - p)^2}\,x_i^2 = \frac{x_i^2}{1 - p} .$$
#
# **Predict.** With $p = 0.5$, the mean of the outputs, and their mean square, for inputs that are all 1?


# %%
def dropout(x, p, rng, training=True):
    """Zeros with probability p, the rest times 1 / (1 - p); in evaluation nothing."""
    if not training:
        return x
    mask = (rng.random(x.shape) >= p).astype(np.float32) / (1 - p)
    return x * ddl.tensor(mask)


ones = ddl.ones(100_000)
both = {"ours": dropout(ones, 0.5, np.random.default_rng(0)), "the library's": F.dropout(ones, 0.5)}
for name, y in both.items():
    y = y.numpy()
    print(f"{name:14} values {np.unique(y)}, mean {y.mean():.2f}, mean square {(y**2).mean():.2f}")
    assert abs(y.mean() - 1) < 0.02

# %% [markdown]
# The mask is a constant, so the backward is the product's: $dx_i = \frac{m_i}{1 - p}\,g_i$, of the shape of $x$. The
# gradient takes the paths that the signal took, with the *same* mask: a new one drawn for the backward would be wrong.

# %%
x6 = ddl.tensor(np.arange(1.0, 7.0, dtype=np.float32), requires_grad=True)
g = ddl.tensor(np.full(6, 10, np.float32))
mask = dropout(ddl.ones(6), 0.5, np.random.default_rng(4))
(dx,) = ddl.grad((dropout(x6, 0.5, np.random.default_rng(4)) * g).sum(), [x6])
print("mask / (1 - p):", mask.numpy(), "  gradient:", dx.numpy())
assert (dx.numpy() == (mask * g).numpy()).all()

# %% [markdown]
# The mean square doubles at $p = 0.5$, layer after layer, and that upsets section 5: with dropout behind each relu,
# $n_\text{in}\sigma^2 = 2\,(1 - p)$ would keep the scale in training, and let it shrink in evaluation. The mean is kept
# in both modes and the mean square cannot be. In a few layers nobody minds.
#
# Training and evaluation now differ, and a module must know which it is in. One flag, set on every module inside:


# %%
class Dropout(Module):
    def __init__(self, p, rng):
        self.p, self.rng = p, rng

    def forward(self, x):
        return dropout(x, self.p, self.rng, self.training)


# %%
class Doctor(Module):
    """(B, 40) -> (B, 1)"""

    def __init__(self, p, seed):
        rng = np.random.default_rng(seed)
        self.net = MLP((40, 64, 64, 1), kaiming_normal, rng)
        self.drop = Dropout(p, rng)

    def forward(self, x):
        first, second, last = self.net.layers
        h = self.drop(first(x).relu())  # (B, 64)
        h = self.drop(second(h).relu())  # (B, 64)
        return last(h)


# %%
def set_training(self, mode=True):
    for _, part in walk(self):
        if isinstance(part, Module):
            part.training = mode
    return self


Module.train = set_training
Module.eval = lambda self: self.train(False)


def study(make, seeds=range(5), steps=600):
    """For each seed a trained model in evaluation, and its share right among those held out."""
    results = []
    for seed in seeds:
        x, t, x_new, t_new = patients(seed)
        model = make(seed)
        losses = train(model.train(), x, t, rate=0.1, steps=steps)
        results.append((model, losses, right(model.eval()(x_new), t_new)))
    return results


# %% [markdown]
# **Predict.** Half of the neurons silent in each step: will the training loss be higher or lower? And the share right
# among those held out?

# %%
without, with_half = study(lambda seed: Doctor(0.0, seed)), study(lambda seed: Doctor(0.5, seed))
print("seed   without dropout      with p = 0.5")
for seed, (a, b) in enumerate(zip(without, with_half)):
    late = np.mean(b[1][-20:])
    print(f"{seed:4}   loss {a[1][-1]:.2f}, {a[2]:.0%}     loss {late:.2f}, {b[2]:.0%}")
gain = np.array([b[2] - a[2] for a, b in zip(without, with_half)])
print(f"mean gain: {gain.mean():.0%}, positive for {(gain > 0).sum()} of 5 seeds")
assert gain.mean() > 0.015
assert (gain > 0).sum() >= 4

# %% [markdown]
# A higher loss on what it was shown, and more right about what it was not.
#
# ## 9. A bug that trains anyway
#
# A colleague knows the library, and writes the same model in fewer lines.


# %%
class Colleague(Module):
    """(B, 40) -> (B, 1)"""

    def __init__(self, seed):
        self.net = MLP((40, 64, 64, 1), kaiming_normal, np.random.default_rng(seed))

    def forward(self, x):
        first, second, last = self.net.layers
        h = F.dropout(first(x).relu(), 0.5)  # (B, 64)
        h = F.dropout(second(h).relu(), 0.5)  # (B, 64)
        return last(h)


ddl.manual_seed(0)
theirs = study(Colleague)
for seed, (_, losses, share) in enumerate(theirs):
    print(f"seed {seed}: loss {losses[0]:.1f} -> {np.mean(losses[-20:]):.1f}, held out {share:.0%}")

# %%
figure = Figure((6.4, 3), layout="constrained")
axes = figure.subplots()
axes.plot(with_half[0][1], color=BLUE, lw=1, label="ours")
axes.plot(theirs[0][1], "--", color=RUST, lw=1, label="the colleague's")
axes.set(xlabel="step", ylabel="training loss", ylim=(0, 1.5))
axes.legend()
ends = [np.mean(group[0][1][-20:]) for group in (with_half, theirs)]
show(figure, alt=f"Both training losses fall alike, and end at {ends[0]:.1f} and {ends[1]:.1f}.")

# %% [markdown]
# The loss falls as ours does. `study` calls `model.eval()`. The share held out is a respectable number, and no error
# was raised. **Find it** before you read on: what could you ask *the outputs* of a model to learn whether it is in
# evaluation?
#
# > Two passes over the same inputs. In evaluation they must be equal; in training, with dropout, they must differ.


# %%
def two_passes(model, x):
    """The largest difference between two passes over x, in evaluation and in training."""
    largest = {}
    for mode in ("evaluation", "training"):
        model.train(mode == "training")
        a, b = model(x).numpy(), model(x).numpy()
        largest[mode] = float(abs(a - b).max())
    model.eval()
    return largest


for name, group in (("ours", with_half), ("the colleague's", theirs)):
    largest = two_passes(group[0][0], x_new)
    print(f"{name:16}", {mode: "equal" if d == 0 else "differ" for mode, d in largest.items()})
assert two_passes(with_half[0][0], x_new)["evaluation"] == 0
assert two_passes(theirs[0][0], x_new)["evaluation"] > 1

# %% [markdown]
# **Proved:** dropout is on in evaluation. `F.dropout(x, p)` is a function. It has no flag to look at, and its third
# argument, `training`, is True unless you say otherwise, in PyTorch too.
#
# What does it do to one patient? Ask two hundred times:

# %%
ask = x_new[:3]  # (3, 40)
fixed, theirs_ = with_half[0][0], theirs[0][0]
answers = np.array([theirs_(ask).sigmoid().numpy()[:, 0] for _ in range(200)])  # (200, 3)

figure = Figure((7.6, 2.6), layout="constrained")
for i, axes in enumerate(figure.subplots(1, 3, sharey=True)):
    axes.hist(answers[:, i], bins=np.linspace(0, 1, 21), color=RUST, label="left on")
    axes.axvline(fixed(ask).sigmoid().numpy()[i, 0], color=BLUE, lw=2, label="ours")
    axes.set(xlabel="probability", title=f"patient {i}", xlim=(0, 1))
figure.axes[0].set_ylabel("of 200 answers")
figure.axes[0].legend(loc="upper left")
spans = ", ".join(f"{a.min():.1f} to {a.max():.1f}" for a in answers.T)
words = "The same three patients asked 200 times: the answers run from"
show(figure, alt=f"{words} {spans}. Ours, a line, never moves.")

# %% [markdown]
# **Predict.** How much did it cost? Mend it without training again: the same weights, dropout off.


# %%
def forward_mended(self, x):
    first, second, last = self.net.layers
    h = F.dropout(first(x).relu(), 0.5, self.training)  # (B, 64)
    h = F.dropout(second(h).relu(), 0.5, self.training)  # (B, 64)
    return last(h)


Colleague.forward = forward_mended

# %%
left_on = [share for _, _, share in theirs]
mended = []
for seed, (model, _, _) in enumerate(theirs):
    *_, x_new, t_new = patients(seed)
    mended.append(right(model(x_new), t_new))
print("seed   left on   mended   no dropout at all")
for seed, row in enumerate(zip(left_on, mended, without)):
    print(f"{seed:4}   {row[0]:7.0%}  {row[1]:7.0%}  {row[2][2]:7.0%}")
cost = np.array(mended) - np.array(left_on)
same = two_passes(model, x_new)["evaluation"] == 0
print(f"mean cost: {cost.mean():.0%}; two passes equal:", same)
assert cost.min() > 0
assert np.mean(left_on) < np.mean([share for _, _, share in without])

# %% [markdown]
# It cost all that dropout had gained, and more. The report would have said "dropout does harm here".
#
# The other way round happens as well: `eval()` before the first evaluation, and no `train()` after it. Then dropout is
# off for the rest of the training, and the probe says so: in training, the two passes are equal. Run both halves of it
# on every model that you did not write yourself, and on every one that you did.
#
# ## 10. The library's own
#
# `ddl.nn.Module` is the class that you wrote, with more ways to ask: saved states, devices, summaries. Its layers say
# what they start from.

# %%
ddl.manual_seed(0)
relu_start = {"weight_init": partial(init.kaiming_normal, nonlinearity="relu")}
model = nn.Sequential(
    nn.Linear(40, 64, **relu_start), nn.ReLU(), nn.Dropout(0.5),
    nn.Linear(64, 64, **relu_start), nn.ReLU(), nn.Dropout(0.5),
    nn.Linear(64, 1),
)  # fmt: skip
print(model.summary(ddl.zeros(1, 40)))
print(two_passes(model, x_new)["evaluation"] == 0, [path for path, _ in model.named_parameters()])

# %% [markdown]
# Its modules can also be watched while they learn. Here are the twelve layers of section 7 again, as the library starts
# them, on the spiral. The microscope shows for each layer how large its outputs and its gradients are, and how far one
# step moves its weights.
#
# **Predict.** Which way do the hills of the outputs drift from layer to layer, and which way those of the gradients?

# %% tags=["nbval-ignore-output"]
ddl.manual_seed(0)
pairs = pairwise(DEEP[:-1])
blocks = [part for n_in, n_out in pairs for part in (nn.Linear(n_in, n_out), nn.ReLU())]
deaf = nn.Sequential(*blocks, nn.Linear(48, 1))
microscope = watch(deaf, every=1)
losses = train(deaf, *spiral(np.random.default_rng(0)), rate=0.05, steps=10)
microscope

# %% [markdown]
# Outputs fade downwards, gradients upwards, by a factor a layer, as computed. (The last outputs stop fading at the size
# of the biases, which here are not 0.) Put `weight_init=partial(init.kaiming_normal, nonlinearity="relu")` into the
# `Linear`s and run the cell again.
#
# And it refuses what ours would have taken in silence. Read the last line of this error: what was asked, what was
# given, what to do, and in which layer.

# %% tags=["raises-exception"]
model(ddl.zeros(1, 41))

# %% [markdown]
# Layer "0" is the first `Linear`: it expects 40 columns, and 41 came. In a model of fifty layers that path is worth
# the whole walk of section 2.
#
# **Hand-over.** From here on, `nn.Module`, `nn.Linear`, `nn.Dropout` and `nn.init` stand for what you built.
#
# ## Recap
#
# 1. A module keeps parameters in attributes; a walk finds each once, in a fixed order, by path. Nobody lists them.
# 2. $dx = g\,w$, $dw = g^\mathsf{T}x$, $dc = \sum_b g_b$: shapes nearly dictate it.
# 3. A layer multiplies the mean square by $n_\text{in}\sigma^2$ forward and by $n_\text{out}\sigma^2$ backward: Xavier
#    takes the middle.
# 4. Relu halves it in both directions: Kaiming's 2 makes up for it. What is off per layer is off to the power of depth.
# 5. Dropout scales what it keeps, so that evaluation needs nothing; two evaluation passes tell whether it is off.
#
# | here | PyTorch | JAX |
# |---|---|---|
# | `Module`, `Parameter` | `torch.nn.Module`, `torch.nn.Parameter` | `flax.nnx.Module`, `flax.nnx.Param` |
# | a list of layers | `torch.nn.ModuleList` (a plain list is not walked) | a list (`nnx.List` in newer versions) |
# | `xavier_*`, `kaiming_*` | `torch.nn.init.xavier_*_`, `kaiming_*_` | `jax.nn.initializers.glorot_*`, `he_*` |
# | `Dropout`, `train()`, `eval()` | the same names | `flax.nnx.Dropout`, `model.train()`, `model.eval()` |
#
# ## Go deeper
#
# - Y. LeCun, L. Bottou, G. Orr and K.-R. Müller (1998), *Efficient BackProp*: $1/\sqrt{n_\text{in}}$, and much else.
# - X. Glorot and Y. Bengio (2010), *Understanding the difficulty of training deep feedforward neural networks*.
# - K. He, X. Zhang, S. Ren and J. Sun (2015), *Delving deep into rectifiers*: the 2 in Kaiming.
# - A. Saxe, J. McClelland and S. Ganguli (2014), *Exact solutions to the nonlinear dynamics of learning in deep linear
#   neural networks*: orthogonal weights.
# - N. Srivastava, G. Hinton, A. Krizhevsky, I. Sutskever and R. Salakhutdinov (2014), *Dropout: a simple way to prevent
#   neural networks from overfitting*.
# - X. Li, S. Chen, X. Hu and J. Yang (2019), *Understanding the disharmony between dropout and batch normalization by
#   variance shift*: what the mean square of section 8 can do.
#
# **Next:** [06 · Learning](06_learning.ipynb). The walk down, so far one line, becomes a subject of its own.
