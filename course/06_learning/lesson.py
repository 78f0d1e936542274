# %% [markdown]
# # 06 · Learning
#
# After this chapter you can
#
# - derive the losses for numbers and for classes, and their gradients,
# - write SGD, momentum, Adam and AdamW, and say what each does that the one before it could not,
# - write a training loop, and find two bugs in one that looks fine: a gradient that was turned, and one that was
#   multiplied.
#
# **Time:** about 2 hours. **Needs:** [chapter 05](05_layers.ipynb): modules, and how weights start.
#
# Where a line says **Predict**, write your answer down before you run the cell below it. $B$ examples in a batch, $C$
# classes, $K$ outputs; $\eta$ is the learning rate.

# %%
import math
from functools import partial
from itertools import pairwise

import numpy as np
from matplotlib.figure import Figure

import ddl
from ddl import nn, optim
from ddl.course import show
from ddl.data import DataLoader, TensorDataset
from ddl.nn import functional as F
from ddl.nn import init
from ddl.train import Trainer, evaluate
from ddl.widgets import boundary, dashboard, play, race

BLUE, RUST, GREEN, GREY = "#00588a", "#b34700", "#007a5a", "#777777"
LINES, COLORS = ("-", "--", "-.", ":"), (GREEN, BLUE, RUST, GREY)

# %% [markdown]
# ## 1. What should be small?
#
# A model says $y$, the truth is $t$. Which number tells how bad that is? There is one answer behind all the losses of
# this chapter: **the loss is minus the logarithm of the probability that the model gave to the truth.** The likelier
# the data under the model, the smaller the loss; and as probabilities of independent examples multiply, losses add.
#
# **Numbers.** Say the model means: "$t$ is $y$, give or take", a normal distribution around $y$ with some fixed spread
# $\sigma$. Then
#
# $$-\log \frac{1}{\sigma\sqrt{2\pi}}\,e^{-(y - t)^2 / 2\sigma^2} = \frac{(y - t)^2}{2\sigma^2} + \text{const} .$$
#
# All that depends on the model is $(y - t)^2$. Its mean over all entries of $y: (B, K)$ is the **mean squared error**:
#
# $$L = \frac{1}{BK}\sum_{b,k} (y_{bk} - t_{bk})^2 \qquad\Rightarrow\qquad
# \frac{\partial L}{\partial y_{bk}} = \frac{2\,(y_{bk} - t_{bk})}{BK}, \quad\text{shape } (B, K).$$


# %%
def mse(y, t):
    return ((y - t) * (y - t)).mean()  # (B, K) -> ()


rng = np.random.default_rng(0)
y = ddl.tensor(rng.normal(size=(4, 3)), requires_grad=True)  # (B, K)
t = ddl.tensor(rng.normal(size=(4, 3)))
(dy,) = ddl.grad(mse(y, t), [y])
agree = np.allclose(dy.numpy(), 2 * (y - t).numpy() / 12, atol=1e-12)
print("the rule agrees with ddl.grad:", agree)
print("ours equals the library's:", np.isclose(mse(y, t).item(), F.mse_loss(y, t).item()))
assert agree

# %% [markdown]
# **Classes.** The model gives $C$ scores $s_c$, any numbers at all. Probabilities must be positive and add up to 1, so
# take $e^{s_c}$ and divide by their sum: **softmax**. Minus the log of the probability of the true class $t$ is
#
# $$-\log \frac{e^{s_t}}{\sum_c e^{s_c}} = \log \sum_c e^{s_c} - s_t .$$
#
# That is the **cross-entropy**. As in chapter 02, the algebra comes before the computer rounds: no probability is ever
# computed. One danger is left, that $e^{s_c}$ overflows. Subtract the largest score $m$ from all of them: the sum is
# divided by $e^m$, its log loses $m$, and so does $s_t$: the loss does not change.
#
# The gradient in score $k$ of example $b$, line by line:
#
# $$\frac{\partial}{\partial s_{bk}} \log \sum_c e^{s_{bc}} = \frac{e^{s_{bk}}}{\sum_c e^{s_{bc}}} = p_{bk},
# \qquad \frac{\partial s_{b t_b}}{\partial s_{bk}} = [k = t_b]$$
#
# $$\frac{\partial L}{\partial s_{bk}} = \frac{1}{B}\bigl(p_{bk} - [k = t_b]\bigr), \quad\text{shape } (B, C).$$
#
# What the model said minus what was true: $p - t$, as in chapter 02.


# %%
def cross_entropy(s, t):
    s = s - s.numpy().max(-1, keepdims=True)  # (B, C)
    return (s.exp().sum(-1).log() - s[np.arange(len(t)), t]).mean()  # (B,) -> ()


s = ddl.tensor(rng.normal(size=(4, 3)), requires_grad=True)  # (B, C)
t = np.array([0, 2, 1, 1])
(ds,) = ddl.grad(cross_entropy(s, t), [s])
p = np.exp(s.numpy()) / np.exp(s.numpy()).sum(-1, keepdims=True)
agree = np.allclose(ds.numpy(), (p - np.eye(3)[t]) / 4, atol=1e-12)
print("the rule agrees with ddl.grad:", agree)
ours, theirs = cross_entropy(s, t).item(), F.cross_entropy(s, t).item()
print("ours equals the library's:", np.isclose(ours, theirs))
assert agree

# %% [markdown]
# Step through it. Each row of the gradient that arrives at the scores adds up to 0: what one class gets, others lose.

# %%
play(cross_entropy(s, t))

# %% [markdown]
# **Predict.** A model that knows nothing gives all of $C = 3$ classes the same score. What is its loss?
#
# And why not measure classes with the squared error of the probability, $(1 - p)^2$? Put a two-class model in the worst
# place: sure, and wrong. Which of the two losses tells it more loudly to move?

# %%
ignorant = cross_entropy(ddl.zeros(5, 3), np.zeros(5, int))
print(f"loss of equal scores: {ignorant.item():.4f}; log 3 = {math.log(3):.4f}")
print("score of the truth   slope of cross-entropy   slope of (1 - p)^2")
for score in (0.0, -5.0, -10.0):
    slopes = []
    for loss in (lambda s: -s.sigmoid().log(), lambda s: (1 - s.sigmoid()) ** 2):
        at = ddl.tensor(score, requires_grad=True)
        slopes += ddl.grad(loss(at), [at])
    print(f"{score:18.0f}   {slopes[0].item():22.5f}   {slopes[1].item():18.5f}")

# %% [markdown]
# The squared error goes quiet where the mistake is greatest: its slope carries the factor $p(1 - p)$ of the squash.
# Cross-entropy's logarithm cancels it.
#
# ## 2. How far may a step go?
#
# We have a gradient; we go down: $w \leftarrow w - \eta\,g$, **gradient descent**. Take the simplest valley there is,
# steep across and flat along:
#
# $$L(a, b) = \tfrac12\,(a^2 + 25\,b^2), \qquad g = (a,\; 25\,b).$$
#
# One step multiplies $a$ by $1 - \eta$ and $b$ by $1 - 25\,\eta$. A factor must lie between $-1$ and 1, or the weight
# runs away:
#
# $$|1 - \eta\lambda| < 1 \quad\Leftrightarrow\quad 0 < \eta < \frac{2}{\lambda},
# \qquad\text{for every curvature } \lambda .$$
#
# **Predict.** From which rate on does it run away here? And with a rate just below that, how fast is the *flat*
# direction?

# %%
CURVES = np.array([1.0, 25.0])


def descend(rate, steps=60, momentum=0.0, start=(8.0, 1.0)):
    """Every place (steps + 1, 2) on the way down the valley."""
    w, v = np.array(start), np.zeros(2)
    places = [w]
    for _ in range(steps):
        v = momentum * v + CURVES * w
        w = w - rate * v
        places.append(w)
    return np.array(places)


for rate in (0.02, 0.04, 2 / 26, 0.079, 0.081):
    a, b = abs(descend(rate)[-1])
    factors = f"factors {1 - rate:.3f} and {1 - 25 * rate:+.3f}"
    print(f"rate {rate:.3f}: {factors}, after 60 steps |a| = {a:.2g}, |b| = {b:.2g}")

# %% [markdown]
# $2/25 = 0.08$ is the end. The steep direction sets the limit, and the flat one has to live with it. The best
# compromise makes both factors equal in size, $\eta = 2/(1 + 25)$, with factor $24/26$: the larger the ratio of the
# curvatures, the closer to 1.
#
# ## 3. Momentum
#
# A ball does not forget its speed at every step. Let $v$ gather gradients, and forget a little:
#
# $$v \leftarrow \mu v + g, \qquad w \leftarrow w - \eta\,v .$$
#
# Where the gradient keeps its direction, $v$ grows to $g + \mu g + \mu^2 g + \dots = g/(1 - \mu)$. Where it swings from
# side to side, it cancels. How much faster is that? Along one direction of curvature $\lambda$, put
# $v = (w_{t-1} - w_t)/\eta$ into the second line:
#
# $$w_{t+1} = w_t - \eta\lambda w_t + \mu\,(w_t - w_{t-1}) .$$
#
# Try $w_t = z^t$: $\;z^2 - (1 + \mu - \eta\lambda)\,z + \mu = 0$. The product of the two roots is $\mu$. If they are
# complex they are conjugate, so both have size $\sqrt\mu$, *whatever* $\lambda$ is. They are complex where
# $(1 - \sqrt\mu)^2 < \eta\lambda < (1 + \sqrt\mu)^2$. Make $\lambda = 1$ and $\lambda = 25$ the two ends of this range:
# $\frac{1 + \sqrt\mu}{1 - \sqrt\mu} = \sqrt{25}$, so $\sqrt\mu = \frac{4}{6}$ and $\eta = \bigl(\frac{1}{3}\bigr)^2$.
#
# **Predict.** Plain descent shrinks by 24/26 a step, momentum by about 4/6. How many steps until all is 1000 times
# smaller?

# %%
ways = {"plain": descend(2 / 26, 150), "momentum": descend(1 / 9, 150, momentum=(4 / 6) ** 2)}
for (name, places), factor in zip(ways.items(), (24 / 26, 4 / 6)):
    far = np.linalg.norm(places, axis=1)
    steps = int(np.argmax(far < far[0] / 1000))
    theory = math.log(1000) / -math.log(factor)
    print(f"{name:8} took {steps:3} steps; log(1000) / -log(factor) = {theory:.0f}")
    assert far[-1] < far[0] / 1000

# %% [markdown]
# (At the very ends of the range the two roots meet, which costs momentum a few steps more.)
#
# ## 4. Adam: every weight its own rate
#
# Both methods still share one rate among all weights. **Adam** keeps, for each weight, a running mean of its gradients
# and one of their squares:
#
# $$m \leftarrow \beta_1 m + (1 - \beta_1)\,g, \qquad v \leftarrow \beta_2 v + (1 - \beta_2)\,g^2, \qquad
# w \leftarrow w - \eta\,\frac{\hat m}{\sqrt{\hat v} + \varepsilon} .$$
#
# The hats mend a bias. Both start at 0, so after $t$ steps, with gradients of one mean $\bar g$,
#
# $$\mathbb{E}[m_t] = (1 - \beta_1)\sum_{i=1}^{t} \beta_1^{\,t - i}\,\mathbb{E}[g_i]
# = (1 - \beta_1)\,\frac{1 - \beta_1^{\,t}}{1 - \beta_1}\,\bar g = (1 - \beta_1^{\,t})\,\bar g .$$
#
# So $\hat m = m / (1 - \beta_1^{\,t})$, and likewise $\hat v = v / (1 - \beta_2^{\,t})$.
#
# **Predict.** At the first step $\hat m = g$ and $\hat v = g^2$. How far does each weight move? And if the whole loss
# is multiplied by 1000, how does the step change?
#
# **AdamW** adds **weight decay**: before each step every weight shrinks a little, $w \leftarrow (1 - \eta\,d)\,w$.
# All of them, by hand:


# %%
class SGD:
    """v = momentum v + g, p -= lr v"""

    def __init__(self, params, lr, momentum=0.0):
        self.params, self.lr, self.momentum = list(params), lr, momentum
        self.v = [np.zeros_like(p.numpy()) for p in self.params]

    @ddl.no_grad()
    def step(self):
        for p, v in zip(self.params, self.v):
            v *= self.momentum
            v += p.grad.numpy()
            p -= self.lr * v


# %%
class AdamW:
    """Adam, after a shrinking of all weights by 1 - lr decay."""

    def __init__(self, params, lr, betas=(0.9, 0.999), eps=1e-8, decay=0.0):
        self.params, self.lr, self.betas, self.eps, self.decay = list(params), lr, betas, eps, decay
        self.m = [np.zeros_like(p.numpy()) for p in self.params]
        self.v = [np.zeros_like(p.numpy()) for p in self.params]
        self.t = 0

    @ddl.no_grad()
    def step(self):
        self.t += 1
        b1, b2 = self.betas
        for p, m, v in zip(self.params, self.m, self.v):
            g = p.grad.numpy()
            m += (1 - b1) * (g - m)
            v += (1 - b2) * (g * g - v)
            p *= 1 - self.lr * self.decay
            p -= self.lr * (m / (1 - b1**self.t)) / (np.sqrt(v / (1 - b2**self.t)) + self.eps)


# %% [markdown]
# Now data to try them on: a spiral with three arms, and a network with two hidden layers of 32, started as chapter 05
# taught.


# %%
def spiral(seed, n=100):
    """Points (3 n, 2) of mean square 1, and their arm (3 n,): 0, 1 or 2."""
    rng = np.random.default_rng(seed)
    along = rng.uniform(0.3, 1, (3, n))
    angle = 2.2 * np.pi * along + 2 * np.pi / 3 * np.arange(3)[:, None]
    points = np.stack([along * np.cos(angle), along * np.sin(angle)], axis=-1)  # (3, n, 2)
    points = (3 * points + rng.normal(0, 0.15, points.shape)).reshape(-1, 2)
    points /= np.sqrt((points**2).mean())
    return ddl.tensor(points.astype(np.float32)), ddl.tensor(np.repeat(np.arange(3), n))


def network(seed, sizes=(2, 32, 32, 3)):
    ddl.manual_seed(seed)
    kaiming = partial(init.kaiming_normal, nonlinearity="relu")
    start = {"weight_init": kaiming, "bias_init": init.zeros}
    one, two, three = (nn.Linear(i, o, **start) for i, o in pairwise(sizes))
    return nn.Sequential(one, nn.ReLU(), two, nn.ReLU(), three)


# %%
x, t = spiral(0)  # (300, 2), (300,)
x_new, t_new = spiral(1)

figure = Figure((5, 3.6), layout="constrained")
axes = figure.subplots()
for arm, marker, color in zip(range(3), "ox^", COLORS):
    points = x.numpy()[t.numpy() == arm]
    axes.scatter(*points.T, marker=marker, s=18, color=color, label=f"arm {arm}")
axes.set(xlabel="$x_1$", ylabel="$x_2$", aspect="equal")
axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
show(figure, alt="Three arms of a spiral, 100 points each.")

# %% [markdown]
# **Check.** Twenty steps with ours, twenty with the library's, from the same weights, in 64 bits.


# %%
def twenty_steps(make):
    """All weights after 20 steps, as one array."""
    model = network(0).double()
    optimizer = make(model.parameters())
    for _ in range(20):
        model.zero_grad()
        F.cross_entropy(model(x.to(ddl.float64)), t).backward()
        optimizer.step()
    return np.concatenate([p.numpy().ravel() for p in model.parameters()])


# %%
pairs = {
    "SGD": (partial(SGD, lr=0.1), partial(optim.SGD, lr=0.1)),
    "momentum": (partial(SGD, lr=0.1, momentum=0.9), partial(optim.SGD, lr=0.1, momentum=0.9)),
    "Adam": (partial(AdamW, lr=0.01), partial(optim.Adam, lr=0.01)),
    "AdamW": (partial(AdamW, lr=0.01, decay=0.1), partial(optim.AdamW, lr=0.01, weight_decay=0.1)),
}
for name, (ours, theirs) in pairs.items():
    agree = np.allclose(twenty_steps(ours), twenty_steps(theirs), rtol=1e-9, atol=1e-12)
    print(f"{name:8} agrees after 20 steps: {agree}")
    assert agree

# %% [markdown]
# And the first step of Adam: every weight moves by the rate, no more and no less, up or down. Multiplying the loss
# changes nothing.

# %%
for factor in (1, 1000):
    model = network(0).double()
    before = model[0].weight.numpy().copy()
    (factor * F.cross_entropy(model(x.to(ddl.float64)), t)).backward()
    AdamW(model.parameters(), lr=0.01).step()
    moved = abs(model[0].weight.numpy() - before)
    print(f"loss times {factor:4}: weights moved by {moved.min():.4f} to {moved.max():.4f}")
    assert np.allclose(moved, 0.01, atol=1e-4)

# %% [markdown]
# **Why the W?** One could also add the decay to the gradient, $g + \lambda w$: the gradient of an added loss
# $\frac{\lambda}{2} |w|^2$. With SGD that is the same thing. With Adam it is not.
#
# **Predict.** Two weights, both 1, and gradients that say nothing: they swing up and down, by 10 for one weight and by
# 0.1 for the other. After 300 steps with the decay in the gradient, which weight has shrunk more?

# %%
for kind, option in ((optim.Adam, "in the gradient"), (optim.AdamW, "on its own")):
    w = nn.Parameter(np.ones(2))
    optimizer = kind([w], lr=0.003, weight_decay=0.1)
    for step in range(300):
        w.grad = ddl.tensor(np.array([10, 0.1]) * (-1) ** step)
        optimizer.step()
    print(f"decay {option:15}: loud weight {w.numpy()[0]:.2f}, quiet weight {w.numpy()[1]:.2f}")
print(f"(1 - 0.003 x 0.1)^300 = {(1 - 0.0003) ** 300:.2f}")

# %% [markdown]
# In the gradient, the decay too is divided by $\sqrt{\hat v}$: weights with loud gradients hardly decay, and quiet ones
# lose the most. On its own it treats all alike.
#
# ## 5. The race
#
# All four down the valley, from the same place. Adam's rate is its step length, more or less.


# %%
def walk(make, steps=40):
    """Every place (steps + 1, 2) of an optimizer on its way down the valley."""
    w = nn.Parameter(np.array([8.0, 1.0]))
    optimizer, places = make([w]), [w.numpy().copy()]
    for _ in range(steps):
        w.grad = ddl.tensor(CURVES * w.numpy())
        optimizer.step()
        places.append(w.numpy().copy())
    return np.array(places)


racers = {
    "SGD, 0.04": partial(SGD, lr=0.04),
    "SGD, 0.078": partial(SGD, lr=0.078),
    "momentum 0.44, 0.11": partial(SGD, lr=1 / 9, momentum=(4 / 6) ** 2),
    "Adam, 0.5": partial(AdamW, lr=0.5),
}
paths = {name: walk(make) for name, make in racers.items()}

# %%
figure = Figure((8, 4.4), layout="constrained")
a, b = np.meshgrid(np.linspace(-3, 9, 121), np.linspace(-2.2, 2.2, 81))
words = []
boxes = figure.subplots(2, 2, sharex=True, sharey=True).ravel()
for axes, (name, path), color in zip(boxes, paths.items(), COLORS):
    height = (a**2 + 25 * b**2) / 2
    axes.contour(a, b, height, levels=2.0 ** np.arange(-2, 7), colors="#bbbbbb", linewidths=0.7)
    axes.plot(*path.T, "o-", ms=3, lw=1, color=color)
    loss = (CURVES * path[-1] ** 2).sum() / 2
    axes.set(title=name, xlim=(-3, 9), ylim=(-2.2, 2.2))
    words.append(f"{name} ends at a loss of {loss:.1g}")
boxes[2].set(xlabel="a", ylabel="b")
show(figure, alt="Forty steps down a valley from (8, 1): " + ", ".join(words) + ".")

# %% [markdown]
# SGD crawls, or swings; momentum overshoots and comes back; Adam starts off at 45 degrees, since its first step is as
# long in $a$ as in $b$, and does not see that the valley is steep.
#
# Hold a race of your own: the rates can be changed, and there are other surfaces. **Predict.** From which rate on does
# SGD leave this one?

# %%
race(lambda a, b: (a * a + 25 * b * b) / 2, steps=60, lr={"SGD": 0.07})

# %% [markdown]
# At $2/25 = 0.08$, as computed, whatever the start. No method wins everywhere. On the network, with batches of 30 and
# five seeds each:


# %%
def batches(n, size, rng):
    """The numbers of 0 to n - 1 in a new order, `size` at a time: each once."""
    order = rng.permutation(n)
    return [order[i : i + size] for i in range(0, n, size)]


def train(model, optimizer, epochs, rng, size=30):
    """The loss of every step."""
    losses = []
    for _ in range(epochs):
        for rows in batches(len(t), size, rng):
            loss = F.cross_entropy(model(x[rows]), t[rows])  # (30, 3), (30,) -> ()
            model.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    return losses


# %%
chosen = {
    "SGD, 0.1": partial(SGD, lr=0.1),
    "momentum, 0.1": partial(SGD, lr=0.1, momentum=0.9),
    "Adam, 0.01": partial(AdamW, lr=0.01),
}
runs, losses_new = {}, {}
for name, make in chosen.items():
    models = [network(seed) for seed in range(5)]
    runs[name] = []
    for seed, model in enumerate(models):
        rng = np.random.default_rng(seed)
        runs[name].append(train(model, make(model.parameters()), 20, rng))
    losses_new[name] = [F.cross_entropy(model(x_new), t_new).item() for model in models]
    print(f"{name:14} loss on new points: {np.median(losses_new[name]):.1f}, the median of five")
assert min(losses_new["SGD, 0.1"]) > max(losses_new["Adam, 0.01"])

# %%
figure = Figure((7, 3.2), layout="constrained")
axes = figure.subplots()
for (name, group), line, color in zip(runs.items(), LINES, COLORS):
    for i, losses in enumerate(group):
        smooth = np.convolve(losses, np.ones(10) / 10, "valid")  # an epoch
        axes.plot(smooth, line, color=color, lw=1.1, label=None if i else name)
axes.set(xlabel="step", ylabel="loss, mean of 10 steps", ylim=(0, 1.2))
axes.legend()
ends = ", ".join(f"{name} {np.mean([r[-10:] for r in group]):.1f}" for name, group in runs.items())
show(figure, alt=f"Loss by step, five seeds each. At the end: {ends}.")

# %% [markdown]
# (The rates were picked by hand, on these very seeds, after a few tries. A comparison of optimizers is only as fair as
# the search for their rates.)
#
# ## 6. The rate over time
#
# Large steps at first, small ones at the end; and a short **warm-up**, because the very first gradients are those of
# random weights, and Adam knows only a few of them. Linear up, then half a cosine down:


# %%
def rate_at(step, warmup, total, final=0.1):
    """A factor for the learning rate: up to 1 in `warmup` steps, then down to `final`."""
    if step < warmup:
        return (step + 1) / warmup
    done = min(1, (step - warmup) / (total - 1 - warmup))
    return final + (1 - final) * (1 + math.cos(math.pi * done)) / 2


schedule = optim.LambdaLR(optim.SGD([nn.Parameter((1,))], lr=1.0), optim.warmup_cosine(20, 200))
theirs = []
for _ in range(220):
    theirs += schedule.get_last_lr()
    schedule.step()
ours = [rate_at(step, 20, 200) for step in range(220)]
print("ours equals the library's:", np.allclose(ours, theirs))
print("first:", ours[0], "  last:", round(ours[-1], 3))
assert np.allclose(ours, theirs)

# %% [markdown]
# **Predict.** Somebody writes `step / warmup` for `(step + 1) / warmup`. What does the first step of the run do? And a
# cosine without the `min`: what happens after step 200?
#
# The first step would not move at all, and a run that goes on past the end would find its rate *rising* again. Look at
# both ends of every schedule, and one step beyond:

# %%
figure = Figure((6.4, 2.8), layout="constrained")
axes = figure.subplots()
axes.plot(ours, color=BLUE)
beyond = [0.1 + 0.9 * (1 + math.cos(math.pi * (step - 20) / 179)) / 2 for step in range(200, 300)]
axes.plot(range(200, 300), beyond, "--", color=RUST, label="without the min")
axes.set(xlabel="step", ylabel="factor of the rate", ylim=(0, 1.05))
axes.legend()
words = "Up from 0.05 to 1 in 20 steps, down to 0.1 at step 199, and level from there."
show(figure, alt=f"{words} Without the min it has risen to {beyond[-1]:.1f} by step 299.")

# %% [markdown]
# ## 7. When a gradient is too large
#
# One bad batch is enough. Here, at step 50, one point was entered a thousand times too large.


# %%
def with_accident(clip, seed, rate=0.3):
    """The loss on all points, step by step; `clip(parameters)` comes before each step."""
    model, rng = network(seed), np.random.default_rng(seed)
    parameters, optimizer = list(model.parameters()), optim.SGD(model.parameters(), lr=rate)
    losses = []
    for step in range(200):
        rows = rng.choice(300, 30, replace=False)
        inputs = x[rows].numpy().copy()
        if step == 50:
            inputs[0] *= 1000
        model.zero_grad()
        F.cross_entropy(model(ddl.tensor(inputs)), t[rows]).backward()
        clip(parameters)
        optimizer.step()
        losses.append(F.cross_entropy(model(x), t).item())
    return losses


# %% [markdown]
# **Clip by norm.** Write all gradients of the model as one long vector $g$. If it is longer than $c$, shorten it to
# $c$: $\;g \leftarrow g\,\min\bigl(1, c/|g|\bigr)$. A colleague does it element by element, which is shorter.


# %%
def by_norm(parameters, c=1.0):
    norm = math.sqrt(sum((p.grad.numpy() ** 2).sum() for p in parameters))
    for p in parameters:
        p.grad = p.grad * min(1.0, c / norm)


def by_value(parameters, c=0.1):
    for p in parameters:
        p.grad = p.grad.clip(-c, c)


kinds = {"not clipped": lambda parameters: None, "by norm": by_norm, "by value": by_value}
accidents = {name: [with_accident(clip, seed) for seed in range(5)] for name, clip in kinds.items()}
for name, group in accidents.items():
    jumps = [max(losses[50:60]) - losses[49] for losses in group]
    print(f"{name:11} loss jumps by more than 1 in {sum(jump > 1 for jump in jumps)} of 5 runs")


# %%
figure = Figure((7, 3), layout="constrained")
axes = figure.subplots()
for (name, group), line, color in zip(accidents.items(), (":", "-", "--"), (GREY, BLUE, RUST)):
    for i, losses in enumerate(group):
        axes.semilogy(losses, line, color=color, lw=1.1, label=None if i else name)
axes.set(xlabel="step", ylabel="loss on all points")
axes.legend()
words = "Loss by step. At step 50 it leaps up where nothing is clipped"
show(figure, alt=f"{words}; both clips ride it out.")

# %% [markdown]
# ## 8. A bug that trains anyway: the gradient that was turned
#
# Both clips saved the run, and with both the loss falls. The colleague's is shorter, and nothing failed. **Find it**
# before you read on: what did the gradient have before clipping that it should have after, and how could you measure
# it?
#
# **Predict.** The gradient is (100, 1). Clip it by value at 1. Where does it point?


# %%
def angle(before, after):
    """Degrees between two gradients, each a list of arrays."""
    a, b = (np.concatenate([g.ravel() for g in group]).astype(float) for group in (before, after))
    cosine = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
    return math.degrees(math.acos(min(1.0, cosine)))


def turned(clip, gradients):
    """By how many degrees `clip` turns them."""
    parameters = [nn.Parameter(np.zeros_like(g)) for g in gradients]
    for p, g in zip(parameters, gradients):
        p.grad = ddl.tensor(g)
    clip(parameters)
    return angle(gradients, [p.grad.numpy() for p in parameters])


steep = [np.array([100.0, 1.0])]
for name, clip in (("by norm", by_norm), ("by value", partial(by_value, c=1.0))):
    print(f"{name:8} turns (100, 1) by {turned(clip, steep):.1f} degrees")

# %% [markdown]
# From almost along the first axis to the diagonal. On the network, with bounds that bite more and more:

# %%
model = network(0)
F.cross_entropy(model(x), t).backward()
gradients = [p.grad.numpy() for p in model.parameters()]
largest = max(abs(g).max() for g in gradients)
for bound in (1.0, 0.1, 0.01, 0.001):
    degrees = turned(partial(by_value, c=bound * largest), gradients)
    print(f"bound at {bound:5} of the largest entry: turned by {degrees:2.0f} degrees", end=", ")
    print(f"{math.cos(math.radians(degrees)):.2f} of the descent is left")
print(f"by norm at any bound: {turned(partial(by_norm, c=0.001), gradients):.1f} degrees")

# %% [markdown]
# **Proved.** A small step against a direction $u$ lowers the loss by $|g|\cos\varphi$ per unit of length, where
# $\varphi$ is the angle between $u$ and $g$: the last column is what is left of it. A clip is there to make a step
# *shorter*. This one makes it another step.
#
# Does it cost anything? Take 300 steps, all of length 0.02, along the gradient clipped one way or the other.


# %%
def equal_steps(clip, seed, length=0.02, steps=300):
    """The loss of every step, each `length` long, in the direction that `clip` leaves."""
    model, losses = network(seed), []
    for _ in range(steps):
        loss = F.cross_entropy(model(x), t)
        model.zero_grad()
        loss.backward()
        clip(list(model.parameters()))
        norm = math.sqrt(sum((p.grad.numpy() ** 2).sum() for p in model.parameters()))
        with ddl.no_grad():
            for p in model.parameters():
                p -= length / norm * p.grad
        losses.append(loss.item())
    return losses


# %%
figure = Figure((7, 3), layout="constrained")
axes = figure.subplots()
ends = {}
clips = {"by norm": by_norm, "by value, 0.0001": partial(by_value, c=1e-4)}
for (name, clip), line, color in zip(clips.items(), LINES, (BLUE, RUST)):
    group = [equal_steps(clip, seed) for seed in range(5)]
    for i, losses in enumerate(group):
        axes.plot(losses, line, color=color, lw=1.1, label=None if i else name)
    ends[name] = [losses[-1] for losses in group]
axes.set(xlabel="step of length 0.02", ylabel="loss", ylim=(0, 1.4))
axes.legend()
words = ", ".join(f"{name} {np.median(end):.1f}" for name, end in ends.items())
show(figure, alt=f"Loss by step, five seeds each. Medians at the end: {words}.")
assert max(ends["by norm"]) < min(ends["by value, 0.0001"])

# %% [markdown]
# Every run by norm is below every run by value. Is that always so? Take longer steps:

# %%
for length in (0.02, 0.05):
    ends = []
    for clip in clips.values():
        ends.append(np.median([equal_steps(clip, seed, length)[-1] for seed in range(3)]))
    print(f"steps of length {length}: lower is", list(clips)[int(np.argmin(ends))])

# %% [markdown]
# No, the order can turn round. Clipped this hard only signs are left, and steps along signs are close to Adam's. Then
# use Adam, and know that you do.
#
# **The fix** is one factor for all gradients: `optim.clip_grad_norm_`. It returns the norm before clipping, which is
# worth a place on every dashboard.

# %%
norm = optim.clip_grad_norm_(model.parameters(), max_norm=0.1)
clipped = [p.grad.numpy() for p in model.parameters()]
print(f"turned by {angle(gradients, clipped):.1f} degrees;", "shortened:", norm > 0.1)
assert angle(gradients, clipped) < 0.1

# %% [markdown]
# ## 9. A second one: the gradient that was multiplied
#
# Now two numbers are to be predicted for each point, and the loss is the mean squared error. The same colleague writes:

# %% tags=["raises-exception"]
rng = np.random.default_rng(0)
target = np.stack([np.sin(2 * x.numpy()[:, 0]), x.numpy().prod(1)], axis=-1)
target = ddl.tensor((target + rng.normal(0, 0.1, target.shape)).astype(np.float32))  # (300, K)
model = network(0, (2, 32, 32, 2))
loss = ((model(x) - target) ** 2).mean(-1)
loss.backward()

# %% [markdown]
# The message says what is missing: a loss of many numbers does not say by itself which of them should fall. So the
# colleague gives it what it asks for, ones, and prints the mean:


# %%
def colleague_step(model, optimizer, rows):
    loss = ((model(x[rows]) - target[rows]) ** 2).mean(-1)
    model.zero_grad()
    loss.backward(ddl.ones(*loss.shape))
    optimizer.step()
    return loss.mean().item()


def our_step(model, optimizer, rows):
    loss = ((model(x[rows]) - target[rows]) ** 2).mean()
    model.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


# %%
def fit(step, make, seed, size, steps=200):
    """The loss of every step."""
    model, rng = network(seed, (2, 32, 32, 2)), np.random.default_rng(seed)
    optimizer = make(model.parameters())
    with np.errstate(all="ignore"):
        return [step(model, optimizer, rng.choice(300, size, replace=False)) for _ in range(steps)]


# %%
slow = partial(optim.SGD, lr=0.02)
for seed in range(5):
    losses = fit(colleague_step, slow, seed, size=10)
    print(f"seed {seed}: loss {losses[0]:.1f} -> {np.mean(losses[-20:]):.2f}")

# %% [markdown]
# It falls for every seed, and the printed loss is right to the last digit. **Find it.** What must hold for a *mean*
# that fails for a sum?
#
# > Give every example twice. A mean does not notice, and neither may its gradient.


# %%
def gradient_norm(step, rows):
    model = network(0, (2, 32, 32, 2))
    step(model, optim.SGD(model.parameters(), lr=0.0), rows)
    return math.sqrt(sum((p.grad.numpy() ** 2).sum() for p in model.parameters()))


rows = np.arange(10)
for step in (our_step, colleague_step):
    once, twice = gradient_norm(step, rows), gradient_norm(step, np.concatenate([rows, rows]))
    print(f"{step.__name__:15} each example twice: gradient times {twice / once:.2f}")
ratio = gradient_norm(colleague_step, rows) / gradient_norm(our_step, rows)
print(f"theirs against ours, 10 examples: {ratio:.2f} times as large")
assert np.isclose(ratio, 10, rtol=1e-3)

# %% [markdown]
# **Proved.** `mean(-1)` is a mean over the last axis only, $(B, K) \to (B)$. Ones as the gradient then *sum* over the
# batch: $\sum_b 1 \cdot \partial L_b/\partial w$ is $B$ times the gradient of the mean. The rate 0.02 was in truth 0.2,
# and it was found by trying, so it fits.
#
# **Predict.** Then the colleague gets a larger machine, and takes batches of 200 in place of 10.

# %%
print("batch   colleague          ours, rate 0.2")
for size in (10, 50, 200):
    ends = []
    for step, make in ((colleague_step, slow), (our_step, partial(optim.SGD, lr=0.2))):
        last = np.array([np.mean(fit(step, make, seed, size)[-20:]) for seed in range(5)])
        good = sum(last < 0.5)
        ends.append(f"{good} of 5 learn")
    print(f"{size:5}   {ends[0]}       {ends[1]}")

# %% [markdown]
# What was a good rate for 10 examples throws the model out for 200. And the last, smaller batch of an epoch would count
# for less than the others.
#
# **Predict.** Would the colleague have noticed with Adam?

# %%
for name, make in (("SGD", slow), ("Adam", partial(optim.Adam, lr=0.01))):
    ends = []
    for step in (our_step, colleague_step):
        end = np.median([np.mean(fit(step, make, seed, 50)[-20:]) for seed in range(5)])
        ends.append(f"{end:.2f}" if end < 99 else "lost")
    print(f"{name:4} ours {ends[0]}, colleague {ends[1]}")

# %% [markdown]
# No: Adam divides a factor out again, and so hides the bug from whoever looks at losses alone. It waits for the day
# when somebody adds clipping by norm, whose bound then means something else for every batch size.
#
# **The fix** is `.mean()`, and a habit: the loss that goes into `backward` has shape `()`. The library's losses do
# that, and refuse the other classic as well, a target of shape $(B, 1)$ beside an output $(B)$, which numpy would
# spread to $(B, B)$ without a word:

# %% tags=["raises-exception"]
F.mse_loss(ddl.zeros(300), ddl.zeros(300, 1))

# %% [markdown]
# The last line names both shapes. Make them equal, and it will compute what you mean.
#
# ## 10. The loop, whole
#
# Everything of this chapter in one loop: batches in a new order each epoch, a loss of shape `()`, old gradients
# dropped, backward, the norm kept and clipped, a step, the schedule; and now and then a look at points that were never
# trained on, in evaluation mode. `dashboard` draws it while it runs: you can pause, change the rate, and stop.


# %%
def held_out(model):
    model.eval()
    with ddl.no_grad():
        loss = F.cross_entropy(model(x_new), t_new).item()
    model.train()
    return loss


# %%
def learn(model, board, epochs=20):
    optimizer = AdamW(model.parameters(), lr=0.02, decay=0.01)
    step, total, rng = 0, 10 * epochs, np.random.default_rng(0)
    for _ in range(epochs):
        for rows in batches(len(t), 30, rng):
            optimizer.lr = 0.02 * rate_at(step, 20, total)
            loss = F.cross_entropy(model(x[rows]), t[rows])
            model.zero_grad()
            loss.backward()
            optim.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            step += 1
            board.log(loss=loss.item(), lr=optimizer.lr)
        board.log(step=step, held_out=held_out(model))


# %% tags=["nbval-ignore-output"]
model = network(0)
with dashboard() as board:
    learn(model, board)

# %% [markdown]
# **Hand-over.** `ddl.train.Trainer` is this loop, with checkpoints from which a run goes on to the last bit (chapter
# 14). A `DataLoader` makes the batches, and `evaluate` measures in evaluation mode and puts each layer back into the
# mode it was in.


# %%
def arm_loss(model, batch):
    points, arm = batch  # (B, 2), (B,)
    return F.cross_entropy(model(points), arm)


finals = []
for seed in range(5):
    model = network(seed)
    optimizer = optim.AdamW(model.parameters(), lr=0.02, weight_decay=0.01)
    loader = DataLoader(TensorDataset(x, t), batch_size=30, shuffle=True, seed=seed)
    new = DataLoader(TensorDataset(x_new, t_new), batch_size=100)
    schedule = optim.LambdaLR(optimizer, optim.warmup_cosine(20, 200))
    trainer = Trainer(model, optimizer, loader, new, schedule, loss=arm_loss, max_norm=1.0)
    trainer.fit(200, progress=False)
    finals.append(evaluate(model, new, arm_loss))
share = float((model(x_new).numpy().argmax(-1) == t_new.numpy()).mean())
print(f"loss on new points: all below 0.2: {max(finals) < 0.2}; the last is right on {share:.0%}")
assert max(finals) < 0.2

# %% tags=["nbval-ignore-output"]
boundary(model, x_new, t_new)

# %% [markdown]
# ## Recap
#
# 1. A loss is minus the log of the probability given to the truth: squares for numbers, cross-entropy for classes,
#    with gradients $2(y - t)/BK$ and $(p - t)/B$.
# 2. The steepest curvature limits the rate, $\eta < 2/\lambda$; the flattest pays for it. Momentum makes 4/6 of 24/26.
# 3. Adam gives each weight its own rate, forgets every factor of the loss, and needs its decay outside the gradient.
# 4. A clip by norm shortens the gradient; a clip by value turns it. Measure the angle.
# 5. The loss has shape `()`. Give every example twice: the gradient of a mean stays.
#
# | here | PyTorch | JAX (Optax) |
# |---|---|---|
# | `mse` | `F.mse_loss` | `squared_error` |
# | `cross_entropy` | `F.cross_entropy` | `softmax_cross_entropy` |
# | `SGD`, `AdamW` | `optim.SGD`, `optim.AdamW` | `sgd`, `adamw` |
# | `rate_at` | `lr_scheduler.LambdaLR` | `warmup_cosine_decay_schedule` |
# | `by_norm` | `clip_grad_norm_` | `clip_by_global_norm` |
# | `by_value` | `clip_grad_value_` | `clip` |
# | `Trainer` | the loop is yours | the loop is yours |
#
# ## Go deeper
#
# - A.-L. Cauchy (1847), *Méthode générale pour la résolution des systèmes d'équations simultanées*: going down.
# - H. Robbins and S. Monro (1951), *A stochastic approximation method*: why batches are enough.
# - B. Polyak (1964), *Some methods of speeding up the convergence of iteration methods*: the heavy ball of section 3.
# - D. Kingma and J. Ba (2015), *Adam: a method for stochastic optimization*.
# - I. Loshchilov and F. Hutter (2017), *SGDR: stochastic gradient descent with warm restarts*: the cosine; and (2019),
#   *Decoupled weight decay regularization*: the W.
# - R. Pascanu, T. Mikolov and Y. Bengio (2013), *On the difficulty of training recurrent neural networks*: clipping by
#   norm.
#
# **Next:** 07 · Numbers that misbehave: what a float does to losses and gradients on the way through many layers.
