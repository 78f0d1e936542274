# %% [markdown]
# # Exercises 05 · Layers that own their parameters
#
# Each exercise has a cell for your answer and below it a cell that checks. The check runs your answer and tells in
# words what is right and what is not; run it as often as you like. Stuck? `hint("05.count")` helps in three steps.
#
# One star is a line or two, two stars a small function, three stars half an hour.

# %%
import numpy as np

import ddl
from ddl import nn
from ddl.course import check, hint, progress, reset, wearing
from ddl.nn import functional as F

# %% [markdown]
# ### 05.count ★ How many parameters
#
# Before you train a model you should know its size, to the last number: memory and time hang on it. How many numbers
# do the parameters of this one hold?


# %%
class Folded(nn.Module):
    def __init__(self):
        self.first = nn.Linear(784, 128)
        self.middle = nn.Linear(128, 128)
        self.again = self.middle
        self.last = nn.Linear(128, 10)

    def forward(self, x):
        x = self.middle(self.first(x).relu()).relu()  # (B, 128)
        return self.last(self.again(x).relu())  # (B, 10)


# %% task="05.count"
parameters = ...
### BEGIN SOLUTION
parameters = 784 * 128 + 128 + 128 * 128 + 128 + 128 * 10 + 10
### END SOLUTION

# %% [markdown]
# ### 05.scale ★ How much is left after thirty layers
#
# Whether a deep network can learn is decided before its first step. Thirty linear layers, each from 256 numbers to
# 256, without biases, with relu behind each; all weights drawn from a normal distribution with mean 0 and standard
# deviation $\frac{1}{16}$. By what factor is the *root* of the mean square multiplied on the way through all of them,
# in theory? Write it as a number or as an expression.

# %% task="05.scale"
factor = ...
### BEGIN SOLUTION
factor = 2.0**-15
### END SOLUTION

# %% [markdown]
# ### 05.linear ★★ A layer there and back
#
# You are about to replace an operation of the library. Its two functions, on numpy arrays: `linear` adds the bias to
# $x\,w^\top$, and `linear_vjp` gets the gradient $g$ that comes back and returns those of `x`, `weight` and `bias`, in
# this order.
#
# The chapter derived them for $x$ of shape $(B, n_\text{in})$. Here $x$ may be $(\dots, n_\text{in})$, with any number
# of axes in front: in chapter 11 there will be sentences of words, $(B, T, n_\text{in})$.


# %% task="05.linear"
def linear(x, weight, bias):
    ### BEGIN SOLUTION
    return x @ weight.T + bias
    ### END SOLUTION


def linear_vjp(g, x, weight):
    ### BEGIN SOLUTION
    g_rows = g.reshape(-1, g.shape[-1])
    x_rows = x.reshape(-1, x.shape[-1])
    return g @ weight, g_rows.T @ x_rows, g_rows.sum(axis=0)
    ### END SOLUTION


# %% [markdown]
# **Try it on.** Two arms of a spiral, and a network whose every layer computes with your two functions. With
# `wearing(ddl.ops.linear, linear, linear_vjp)` they stand in for the library's until the block ends.


# %%
def spiral(rng, n=100):
    """Points (2 n, 2) and their arm (2 n, 1): 0 or 1."""
    along, arm = rng.uniform(0.3, 1, (2, n)), np.array([[0], [1]])
    angle = 2.7 * np.pi * along + np.pi * arm
    points = 3 * np.stack([along * np.cos(angle), along * np.sin(angle)], axis=-1).reshape(-1, 2)
    return ddl.tensor(points.astype(np.float32)), ddl.tensor(np.repeat([[0], [1]], n, 0).astype(np.float32))


def surprise(s, t):
    return (s.relu() + (1 + (-abs(s)).exp()).log() - t * s).mean()  # (B, 1) -> ()


# %%
def train(model, x, t, rate=0.3, steps=300):
    """The loss of every step."""
    losses = []
    for _ in range(steps):
        loss = surprise(model(x), t)
        for p in model.parameters():
            p.grad = None
        loss.backward()
        with ddl.no_grad():
            for p in model.parameters():
                p -= rate * p.grad
        losses.append(loss.item())
    return losses


# %%
def learned():
    """The losses of a network that always starts alike."""
    ddl.manual_seed(0)
    model = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))
    return train(model, *spiral(np.random.default_rng(0)))


# %%
if check("05.linear"):
    losses = learned()
    with wearing(ddl.ops.linear, linear, linear_vjp):
        with_yours = learned()
    print(f"the library's: loss {losses[0]:.3f} -> {losses[-1]:.3f}")
    print(f"yours:         loss {with_yours[0]:.3f} -> {with_yours[-1]:.3f}")
else:
    print("First comes 05.linear, above.")

# %% [markdown]
# Nothing has changed, and that is the point: a layer is these two functions, and now they are yours.
#
# ### 05.walk ★★ Find the bug: layers that nobody trains
#
# A list of parameters that is not whole is a quiet fault: the rest of the model learns around what was left out. Here
# is a walk that goes from module to module:


# %%
def short_walk(module):
    found = {}
    for name, part in vars(module).items():
        if isinstance(part, nn.Parameter):
            found[name] = part
        elif isinstance(part, nn.Module):
            found |= {f"{name}.{path}": p for path, p in short_walk(part).items()}
    return found


# %%
class Body(nn.Module):
    """A body of layers in a list, and two heads in a dict."""

    def __init__(self):
        self.body = [nn.Linear(2, 8), nn.Linear(8, 8)]
        self.heads = {"arm": nn.Linear(8, 1), "radius": nn.Linear(8, 1)}
        self.norm = nn.Linear(8, 8, bias=False)
        self.again = self.norm


print([*short_walk(Folded())])
print([*short_walk(Body())])

# %% [markdown]
# The first list has two names too many, and from the second nearly everything is missing. Write it so that it finds
# every `nn.Parameter` in modules, lists and dicts, however they are put into each other, in the order in which they
# were set. A parameter that is reached twice counts once, by its first path. Paths are joined by dots, as in
# `body.0.weight` and `heads.arm.bias`.


# %% task="05.walk"
def named_parameters(module):
    """{path: parameter}"""
    ### BEGIN SOLUTION
    found, seen = {}, set()

    def walk(thing, path):
        if isinstance(thing, nn.Parameter) and id(thing) not in seen:
            seen.add(id(thing))
            found[path] = thing
        inside = {}
        if isinstance(thing, nn.Module):
            inside = vars(thing)
        elif isinstance(thing, dict):
            inside = thing
        elif isinstance(thing, list):
            inside = dict(enumerate(thing))
        for name, part in inside.items():
            walk(part, f"{path}.{name}" if path else str(name))

    walk(module, "")
    return found
    ### END SOLUTION


# %% [markdown]
# ### 05.dropout ★★ Find the bug: a dropout that was tried at one half
#
# A colleague writes dropout, tries it with $p = 0.5$, and is content. Then a model with $p = 0.1$, a mild one, hardly
# learns.


# %%
def tried(x, p, training, rng):
    if not training:
        return x
    mask = (rng.random(x.shape) < p) / (1 - p)
    return x * ddl.tensor(mask.astype(x.dtype))


rng = np.random.default_rng(0)
for p in (0.5, 0.1):
    y = tried(ddl.ones(100_000), p, True, rng).numpy()
    print(f"p = {p}: {(y == 0).mean():.0%} silent, the mean of 1 is {y.mean():.2f}")

# %% [markdown]
# Write it so that it is right for every $p$ below 1: `x` is a tensor, `rng` one of numpy's generators, and the result
# keeps the dtype of `x`.


# %% task="05.dropout"
def dropout(x, p, training, rng):
    ### BEGIN SOLUTION
    if not training:
        return x
    mask = (rng.random(x.shape) >= p) / (1 - p)
    return x * ddl.tensor(mask.astype(x.dtype))
    ### END SOLUTION


# %% [markdown]
# **Try it on.** The library's `nn.Dropout` calls the function `F.dropout(x, p, training)`. Here both versions stand in
# for it while a network with `nn.Dropout(0.1)` learns the spiral:


# %%
def spiral_with(function):
    """The last loss in training, and the share right in evaluation."""
    rng, (x, t) = np.random.default_rng(1), spiral(np.random.default_rng(0))
    ddl.manual_seed(0)
    layers = nn.Linear(2, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 64), nn.ReLU(), nn.Dropout(0.1)
    model = nn.Sequential(*layers, nn.Linear(64, 1))
    with wearing(F.dropout, lambda x, p, training: function(x, p, training, rng)):
        losses = train(model, x, t, steps=200)
        scores = model.eval()(x).numpy()
    return np.mean(losses[-20:]), ((scores > 0) == (t.numpy() > 0.5)).mean()


# %%
if check("05.dropout"):
    for name, function in (("the colleague's", tried), ("yours", dropout)):
        loss, right = spiral_with(function)
        print(f"{name:16} loss {loss:.2f}, {right:.0%} right")
else:
    print("First comes 05.dropout, above.")

# %% [markdown]
# ### 05.gain ★★ The gain of any squash
#
# The chapter found $\sqrt2$ for relu, because relu keeps half of the mean square. There are dozens of other squashes;
# the GPT-2 of chapter 14 has one called gelu. Derive the rule for any function: if $z$ is normal with mean 0 and
# variance 1, what factor on the next layer's weights makes up for what `squash` does to the mean square of $z$?
#
# Write `gain(squash)`, where `squash` takes an array. No formula is needed for the mean: a sum over many values of $z$,
# weighed by the density $e^{-z^2/2}$, or very many draws will do; three digits are enough.


# %% task="05.gain"
def gain(squash):
    ### BEGIN SOLUTION
    z = np.linspace(-8.0, 8, 4001)
    density = np.exp(-(z**2) / 2)
    return ((squash(z) ** 2 * density).sum() / density.sum()) ** -0.5
    ### END SOLUTION


# %% [markdown]
# **Try it on.** Twenty layers, and three squashes that are in use: how large the signal is in the last of them, with
# no gain, with relu's, and with yours. In the first layer its size is 1.


# %%
def last_size(squash, factor, depth=20, n=200):
    """The root mean square before the last squash."""
    rng = np.random.default_rng(0)
    z = rng.normal(size=(100, n))
    for _ in range(depth):
        z = squash(z) @ rng.normal(0, factor / n**0.5, (n, n))
    return (z**2).mean() ** 0.5


if check("05.gain"):
    for name, squash in {"tanh": np.tanh, "sine": np.sin, "softplus": lambda z: np.log1p(np.exp(z))}.items():
        mine = gain(squash)
        ends = [f"{last_size(squash, factor):.2f}" for factor in (1, 2**0.5, mine)]
        print(f"{name:8} gain {mine:.2f}:", "  ".join(ends))
else:
    print("First comes 05.gain, above.")

# %% [markdown]
# ### 05.calibrate ★★★ A start that measures itself
#
# Formulas need assumptions, and a real model has layers that meet none of them. So measure instead: send a batch
# through, layer by layer, and scale each layer's weights so that what comes out of it has mean square 1. It improves
# the start of any network, whatever is between its layers. (Dmytro Mishkin and Jiri Matas, 2016, do so with the
# variance.)
#
# `calibrated(weights, x, squash)` gets numpy arrays: `weights` is a list of $(n_\text{out}, n_\text{in})$, `x` is
# $(B, n_\text{in})$. Layer by layer, $z = x\,w^\top$ and then `squash(z)` is the next layer's $x$. Return new weights,
# each divided by one number, so that the mean of $z^2$ is 1 in every layer. Leave those that were given as they are.


# %% task="05.calibrate"
def calibrated(weights, x, squash):
    ### BEGIN SOLUTION
    scaled = []
    for w in weights:
        w = w / np.sqrt(((x @ w.T) ** 2).mean())
        x = squash(x @ w.T)
        scaled.append(w)
    return scaled
    ### END SOLUTION


# %% [markdown]
# **Try it on.** A network of seven layers, whose weights start far too small. Once it learns the spiral from there, and
# once from your start:


# %%
def deep(calibrate):
    """The losses of 150 steps."""
    ddl.manual_seed(0)
    x, t = spiral(np.random.default_rng(0))
    small = {"weight_init": lambda shape, **how: nn.init.normal(shape, std=0.05, **how), "bias_init": nn.init.zeros}
    layers = [nn.Linear(n, 32, **small) for n in (2, 32, 32, 32, 32, 32)]
    if calibrate:
        given = [layer.weight.numpy() for layer in layers]
        for layer, w in zip(layers, calibrated(given, x.numpy(), lambda z: np.maximum(z, 0))):
            layer.weight.data = w
    parts = [part for layer in layers for part in (layer, nn.ReLU())]
    return train(nn.Sequential(*parts, nn.Linear(32, 1)), x, t, steps=150)


# %%
if check("05.calibrate"):
    for name, calibrate in (("as it was", False), ("with yours", True)):
        losses = deep(calibrate)
        print(f"{name:10} loss {losses[0]:.2f} -> {losses[-1]:.2f}")
else:
    print("First comes 05.calibrate, above.")

# %% [markdown]
# ### 05.why · In your own words
#
# Two evaluation passes of a model over the same inputs give different answers. What do you suspect, how do you prove
# it, and why did nobody notice while the model was trained? Three or four sentences; a person reads them. They should
# name what is on, the probe in both modes, and what the training loss shows of it.

# %% [markdown] task="05.why"
# ### BEGIN SOLUTION
# Something random is on in evaluation, most likely dropout called as a function without its flag, or a forgotten
# eval(). Two passes in evaluation must be equal, and with the flag mended they are; in training, with dropout, they
# must differ. The training loss cannot show it, since there dropout is meant to be on and the loss falls as it should;
# only the numbers held out are worse than they need be, and still look respectable.
# ### END SOLUTION
