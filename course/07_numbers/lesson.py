# %% [markdown]
# # 07 · Numbers that misbehave
#
# After this chapter you can
#
# - say where 32-bit floats end, in both directions, and compute probabilities that never get there,
# - derive the way back through a softmax and through a LayerNorm, and prove both,
# - read from the sizes of signals and gradients, layer by layer, why a deep network does not learn, and mend it.
#
# **Time:** about 110 minutes. **Needs:** chapters [02](02_neurons.ipynb), [03](03_tensors.ipynb) and
# [05](05_layers.ipynb); optimizers and the cross-entropy loss, from chapter [06](06_learning.ipynb).
#
# Where a line says **Predict**, write your answer down before you run the cell below it. $B$ is the number of examples
# in a batch, $V$ that of the classes to choose from, $C$ the width of a layer. $g$ is the gradient that comes back.

# %%
from itertools import pairwise

import numpy as np
from matplotlib.figure import Figure

import ddl
from ddl import nn
from ddl.course import show, wearing
from ddl.fused import layer_norm, softmax
from ddl.nn import functional as F
from ddl.widgets import play, watch

BLUE, RUST, GREEN, GREY = "#00588a", "#b34700", "#007a5a", "#777777"

# %% [markdown]
# ## 1. Ninety good steps
#
# Three kinds of birds, a hundred of each; of each bird the length of its wing and of its beak, in millimetres. Both are
# brought to mean 0 and standard deviation 1. One beak was typed without its decimal point, 475 for 47.5.


# %%
def birds(seed, n=100):
    """Two measurements of each bird, (3 n, 2), and its kind, (3 n,): 0, 1 or 2."""
    rng = np.random.default_rng(seed)
    wing = np.array([190, 196, 217])[:, None] + rng.normal(0, 6, (3, n))
    beak = np.array([38.8, 48.8, 47.5])[:, None] + rng.normal(0, 2.5, (3, n))
    x = np.stack([wing, beak], axis=-1).reshape(-1, 2)  # (3 n, 2)
    middle, spread = x.mean(axis=0), x.std(axis=0)
    x[-1, 1] = 475
    return ddl.tensor(((x - middle) / spread).astype(np.float32)), np.repeat(np.arange(3), n)


x, t = birds(0)  # (300, 2), (300,)
print("the first bird", x.numpy()[0].round(1), "  the last", x.numpy()[-1].round(1))

# %% [markdown]
# A linear model gives each bird three scores. The loss is the mean of $-\log p_t$, where $t$ is the true kind and
#
# $$p_j = \frac{e^{s_j}}{\sum_k e^{s_k}}\,,$$
#
# the **softmax** of the scores: positive, and 1 in all. Straight from the formula into code:


# %%
def by_formula(s, t):
    e = s.exp()  # (B, V)
    p = e / e.sum(axis=1, keepdims=True)  # (B, V)
    return -p[np.arange(len(t)), t].log().mean()  # ()


def learn(loss_of, seed, steps=300):
    """The loss of each step, and the scores at the end."""
    x, t = birds(seed)
    w, b = (ddl.tensor(np.zeros(shape, np.float32), requires_grad=True) for shape in ((2, 3), (3,)))
    optimizer, losses = ddl.optim.SGD([w, b], lr=0.3), []
    for _ in range(steps):
        loss = loss_of(x @ w + b, t)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, (x @ w + b).numpy()


# %% [markdown]
# (numpy warns when a number misbehaves. We turn the warnings off, to see what happens to those who do not read them.)
#
# **Predict.** What will one wrong record in three hundred do?

# %%
with np.errstate(all="ignore"):
    losses, scores = learn(by_formula, seed=0)
broken = int(np.argmin(np.isfinite(losses)))
for step in (0, 40, broken - 1, broken, broken + 1, 299):
    print(f"step {step:3}: loss {losses[step]:.3f}")
share = float((scores.argmax(axis=1) == t).mean())
print(f"right at the end: {share:.0%};", "the scores of the first bird:", scores[0])
assert 60 < broken < 120

# %% [markdown]
# For ninety steps all is well. Then `nan`, *not a number*, at once and for ever. And note the last line: the share
# that is right does not become `nan`. `argmax` of three `nan` is 0, so the model calls every bird kind 0, and one in
# three is. A report that prints only the share looks like a weak model, not like a broken one.
#
# Which number was it? To see that, we must know what a number is.

# %% [markdown]
# ## 2. What a float32 can hold
#
# 32 bits: one for the sign $\sigma$, 8 for an exponent $e$, 23 for a fraction $f$. They mean
#
# $$(-1)^\sigma \cdot 2^{\,e - 127} \cdot \Bigl(1 + \frac{f}{2^{23}}\Bigr) \quad\text{for } 1 \le e \le 254 .$$
#
# With $e = 0$ the leading 1 is dropped: $(-1)^\sigma\, 2^{-126}\, \frac{f}{2^{23}}$, the **subnormal** numbers, down to
# 0. With $e = 255$ it is infinity if $f = 0$, and `nan` otherwise. That is all of it:


# %%
def anatomy(x):
    """Sign, exponent and fraction of a float32, as whole numbers."""
    bits = int(np.float32(x).view(np.uint32))
    return bits >> 31, bits >> 23 & 0xFF, bits & 0x7FFFFF


def meaning(sign, e, f):
    size = 2.0 ** (e - 127) * (1 + f / 2**23) if e else 2.0**-126 * f / 2**23
    return (-1) ** sign * size


for x_ in (1.0, -0.75, 0.1, 1e-40):
    print(f"{x_:6}  {anatomy(x_)}  means {meaning(*anatomy(x_)):.12g}")
patterns = np.random.default_rng(0).integers(0, 2**32, 20_000, dtype=np.uint32).view(np.float32)
assert all(meaning(*anatomy(x_)) == x_ for x_ in patterns[np.isfinite(patterns)])

# %% [markdown]
# (0.1 is not among them: the nearest is off in the ninth digit.) In any such format, with $E$ bits for the exponent and
# $F$ for the fraction, three numbers follow:
#
# $$\text{largest: } (2 - 2^{-F})\,2^{\,2^{E-1} - 1} \qquad \text{smallest: } 2^{\,2 - 2^{E-1} - F}
# \qquad \text{gap above 1: } 2^{-F}$$
#
# **Predict.** $e^s$ is too large for a float32 from which $s$ on? And from which $-s$ on is it 0?

# %%
FORMATS = {"float16": (5, 10), "bfloat16": (8, 7), "float32": (8, 23), "float64": (11, 52)}
print("            largest   smallest  gap above 1   e^s is inf from   0 from")
for name, (E, F_) in FORMATS.items():
    top = np.log(2 - 2.0**-F_) + np.log(2) * (2 ** (E - 1) - 1)
    low = np.log(2) * (2 - 2 ** (E - 1) - F_)
    tens = [f"1e{value / np.log(10):+.1f}" for value in (top, low)]
    print(f"{name:9} {tens[0]:>9} {tens[1]:>10} {2.0**-F_:12.1e}", end=" ")
    print(f"{top:17.2f} {low - np.log(2):8.2f}")
print("numpy says of e^-103.97 and e^-103.98:", np.exp(np.float32([-103.97, -103.98])))
assert np.isfinite(np.exp(np.float32(88.72)))
assert np.exp(np.float32(-103.98)) == 0

# %% [markdown]
# ($e^s$ is rounded to 0 below *half* of the smallest number, hence a further $\log 2$.) A score of 89 is all it takes.
# The picture shows how fine the numbers lie. A gap is counted relative to the number itself, so 1e-7 means seven good
# digits.

# %%
figure = Figure((7, 3.4), layout="constrained")
axes = figure.subplots()
for name, style, color in zip(FORMATS, ("--", "-.", "-"), (RUST, GREEN, BLUE)):
    E, F_ = FORMATS[name]
    powers = np.arange(2 - 2 ** (E - 1) - F_, 2 ** (E - 1))  # of 2: from smallest to largest
    gaps = np.maximum(powers - F_, powers[0])
    places, sizes = powers * np.log10(2), (gaps - powers) * np.log10(2)
    axes.plot(places, sizes, style, color=color, lw=2, label=name)
axes.set(xlabel="number, as a power of ten", ylabel="gap / number, power of ten")
axes.set_title("How finely numbers lie")
axes.legend(loc="center right")
axes.grid(alpha=0.3)
words = "Relative gaps. float32: 1e-7 from 1e-38 to 1e38, rising to 1 at 1e-45."
words += " bfloat16: 1e-2 over the same range."
show(figure, alt=f"{words} float16: 1e-3, but only from 6e-5 to 65504; it ends at 6e-8.")

# %% [markdown]
# Flat over the whole middle: that is what *floating* buys. On the left the digits run out, on the right the numbers
# end. So there are three ways to misbehave:
#
# **Predict.** Each line, before you look.

# %%
f32 = np.float32
with np.errstate(all="ignore"):
    print("too large:  ", f32(3e38) + f32(3e38))
    print("too small:  ", f32(1e-30) * f32(1e-30))
    print("too unlike: ", f32(2**24) + f32(1) == f32(2**24), "that 16,777,216 + 1 = 16,777,216")
    inf, zero = f32(np.inf), f32(0)
    print("and then:   ", inf - inf, inf / inf, zero * inf, zero / zero)
    print("nan == nan: ", f32(np.nan) == f32(np.nan))

# %% [markdown]
# `nan` comes from two misfits that meet, and from then on whatever touches it is `nan`. The last line is the standard's
# own trick to find one: `nan` is the only number that is not equal to itself.
#
# Back to the birds. Let us stop just before the loss breaks, and look at the bird with the wrong record.
#
# **Predict.** Its scores?

# %%
_, scores = learn(by_formula, seed=0, steps=broken)
print(f"step {broken}, the last bird, kind {t[-1]}: scores", scores[-1].round(2))
print(f"the largest score of any other bird: {scores[:-1].max():.1f}")
assert 88 < scores[-1].max() < 89
assert scores[-1].argmax() == t[-1]

# %% [markdown]
# A beak 84 standard deviations long makes scores that no other bird comes near. Here is their way through the loss, in
# the player. Step forward to see where `inf` appears, then back to see what it does to the gradient.

# %%
with np.errstate(all="ignore"):
    last = ddl.tensor(scores[-1], requires_grad=True)
    player = play(lambda s: -(s.exp() / s.exp().sum())[2].log(), last)
player

# %% [markdown]
# No exponential overflows: $e^{88.63}$ is 3.1e38, and fits. Their *sum* does not. It is `inf`, and $p = e^{s} /
# \text{inf}$ is 0. The log of 0 is `-inf`, so far the forward. On the way back the slope of that log is $1/0$, and a
# little further `inf` meets a 0, or `inf` meets `inf`: `nan`. The weights are used by this bird, so their gradient is
# `nan`, and after one step so are they. One record in three hundred was enough. And the model is *right* about it: kind
# 2 has the highest score.

# %% [markdown]
# ## 3. Take the largest out
#
# Softmax does not change when all scores of a row move by the same $c$:
#
# $$\frac{e^{s_j + c}}{\sum_k e^{s_k + c}} = \frac{e^c\,e^{s_j}}{e^c \sum_k e^{s_k}}
# = \frac{e^{s_j}}{\sum_k e^{s_k}} .$$
#
# So choose $c = -m$ with $m = \max_k s_k$. Every exponent is then at most 0, and one of them is 0: no exponential
# exceeds 1, and the sum lies between 1 and $V$. Nothing overflows, and nothing is divided by 0.
#
# **Predict.** Then is `log(softmax(s))` safe? Take the scores 0 and 200.


# %%
def softmax_of(x, *, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


with np.errstate(all="ignore"):
    for s_ in ([0, 2], [0, 100], [0, 200], [1000, 1200]):
        p = softmax_of(np.float32(s_))
        print(f"{s_!s:14} softmax {p}   its log {np.log(p)}")

# %% [markdown]
# Not yet. A probability may be too small to hold, and its log is then $-\infty$, where $-200$ was meant. Again algebra
# goes first:
#
# $$\log p_j = s_j - \log \sum_k e^{s_k} = s_j - \text{LSE}(s), \qquad
# \text{LSE}(s) = m + \log \sum_k e^{s_k - m} .$$
#
# **Log-sum-exp** is a soft maximum. The sum lies between 1 and $V$, so $m \le \text{LSE}(s) \le m + \log V$. It is safe
# because the logarithm is taken of a number of at least 1, and no probability is formed on the way.


# %%
def logsumexp(x):
    m = x.max(axis=-1, keepdims=True)
    return m + np.log(np.exp(x - m).sum(axis=-1, keepdims=True))


rng = np.random.default_rng(0)
s10 = rng.uniform(0, 1, (1000, 10))  # (B, V)
scales = np.geomspace(0.1, 1e6, 57)
errors = {"by the formula": [], "largest out": []}
for scale in scales:
    s_ = np.float32(s10 * scale)
    truth = logsumexp(np.float64(s_))
    with np.errstate(all="ignore"):
        plain = np.log(np.exp(s_).sum(axis=-1, keepdims=True))
    for name, value in zip(errors, (plain, logsumexp(s_))):
        errors[name].append(float((abs(value - truth) / truth).max()))
assert max(errors["largest out"]) < 1e-6
ends = np.isfinite(errors["by the formula"])

# %%
figure = Figure((6.4, 3.2), layout="constrained")
axes = figure.subplots()
axes.loglog(scales, errors["largest out"], "-", color=BLUE, label="largest taken out")
axes.loglog(scales, errors["by the formula"], "--", color=RUST, lw=2.5, label="by the formula")
axes.axvline(88.72, color=GREY, lw=1, ls=":")
axes.text(95, 3e-6, "88.72", color=GREY)
axes.set(xlabel="largest score", ylabel="relative error", ylim=(1e-8, 1e-5))
axes.set_title("log-sum-exp in float32")
axes.legend(loc="upper right")
words = f"By the formula the error is near 1e-7 up to {scales[ends].max():.0f}, then infinite."
worst = max(errors["largest out"])
show(figure, alt=f"{words} With the largest taken out it is at most {worst:.0e} up to a million.")

# %% [markdown]
# **Its gradient.** $\text{LSE}$ does not depend on $m$: any $m$ gives the same value, so the way through $m$ brings
# nothing, and $m$ may be treated as a constant. What is left is
#
# $$\frac{\partial\,\text{LSE}}{\partial s_j} = \frac{e^{s_j - m}}{\sum_k e^{s_k - m}} = p_j
# \qquad (B, V).$$
#
# **The slope of log-sum-exp is softmax.** So the loss of one example, $-\log p_t = \text{LSE}(s) - s_t$, has the slope
# $p_j - [j = t]$: chapter 02's $p - t$, for any number of classes. With the mean over the batch, $(p - t)/B$.


# %%
def steady(s, t):
    m = s.max(axis=1, keepdims=True)  # (B, 1)
    lse = m + (s - m).exp().sum(axis=1, keepdims=True).log()  # (B, 1)
    return (lse[:, 0] - s[np.arange(len(t)), t]).mean()  # ()


s5 = ddl.tensor(rng.normal(size=(4, 3)), requires_grad=True)
kinds = np.array([0, 2, 1, 1])
(ds,) = ddl.grad(steady(s5, kinds), [s5])
by_hand = (softmax_of(s5.numpy()) - np.eye(3)[kinds]) / 4
print("(p - t) / B agrees with ddl.grad:", np.allclose(ds.numpy(), by_hand, atol=1e-12))
assert np.allclose(ds.numpy(), by_hand, atol=1e-12)
assert abs(steady(s5, kinds).item() - F.cross_entropy(s5, ddl.tensor(kinds)).item()) < 1e-12

# %% [markdown]
# That bird's scores again. Look at what comes back to the largest score: a message of $+1$ through the
# sum $m + \dots$, and one of $-1$ through the three differences. They cancel, as the algebra said.

# %%
last = ddl.tensor(scores[-1], requires_grad=True)
play(lambda s: s.max() + (s - s.max()).exp().sum().log(), last)

# %% [markdown]
# And the birds again, five flocks of them:

# %%
print("flock   by the formula      largest out")
for seed in range(5):
    with np.errstate(all="ignore"):
        broken = int(np.argmin(np.isfinite(learn(by_formula, seed)[0])))
    losses, scores = learn(steady, seed)
    share = float((scores.argmax(axis=1) == birds(seed)[1]).mean())
    ends = f"loss {losses[-1]:.2f}, right {share:.0%}, score of up to {scores.max():.0f}"
    print(f"{seed:5}   breaks at step {broken:3}   {ends}")
    assert share > 0.9
    assert 60 < broken < 120

# %% [markdown]
# ## 4. The way back through softmax
#
# In the loss the softmax disappeared. Where a network *uses* probabilities in its middle, to choose or to mix, it
# stays, and needs a rule of its own. One row at a time: $y_i = e^{s_i} / Z$ with $Z = \sum_k e^{s_k}$. A score $s_j$
# moves $y_i$ in two ways, through its own exponential if $i = j$, and through $Z$, whose slope is $e^{s_j}$:
#
# $$\frac{\partial y_i}{\partial s_j} = [i = j]\,\frac{e^{s_i}}{Z} - \frac{e^{s_i}}{Z^2}\,e^{s_j}
# = y_i\,\bigl([i = j] - y_j\bigr) \qquad (V, V).$$
#
# With $g_i$ coming back to $y_i$, add over all paths from $s_j$:
#
# $$ds_j = \sum_i g_i\,y_i\,\bigl([i = j] - y_j\bigr) = g_j\,y_j - y_j \sum_i g_i\,y_i .$$
#
# $$\boxed{\;ds = y \odot \Bigl(g - \sum_i g_i\,y_i\Bigr)\;}
# \qquad y, g: (B, V), \quad \text{the sum, in each row: } (B, 1)$$
#
# The sum is the mean of $g$ under the probabilities $y$. A score that does better than this mean is pushed one way, one
# that does worse the other. The matrix of $V \times V$ slopes is never formed.
#
# **Predict.** What is the sum of $ds$ over a row? (Move all scores of a row by the same $c$. What does $y$ do?)


# %%
def softmax_back(g, out, axis):
    return (out * (g - (g * out).sum(axis=axis, keepdims=True)),)


x5 = ddl.tensor(rng.normal(size=(4, 5)), requires_grad=True)  # (B, V)
g5 = rng.normal(size=(4, 5))
(ds,) = ddl.grad((F.softmax(x5, dim=1) * g5).sum(), [x5])
(mine,) = softmax_back(g5, softmax_of(x5.numpy()), 1)
print(
    "agrees with ddl.grad:",
    np.allclose(mine, ds.numpy(), atol=1e-12),
    "  sums of rows:",
    abs(mine.sum(axis=1)).round(12),
)
assert np.allclose(mine, ds.numpy(), atol=1e-12)
assert abs(mine.sum(axis=1)).max() < 1e-12

# %% [markdown]
# Zero, always: $\sum_j y_j g_j - \sum_j y_j \cdot \sum_i g_i y_i = 0$, because $\sum_j y_j = 1$. **What a function does
# not notice gets no gradient.** Keep that in mind; it returns twice.
#
# A softmax can also fall silent. Its slopes are products $y_i (1 - y_i)$ and $y_i y_j$:
#
# **Predict.** Multiply five ordinary scores by 10, then by 100. How large is the largest slope?

# %%
for factor in (1, 10, 100):
    y = softmax_of(factor * x5.numpy()[0])
    slopes = np.diag(y) - np.outer(y, y)  # (V, V)
    print(f"times {factor:3}: largest y {y.max():.4f}, largest slope {abs(slopes).max():.0e}")

# %% [markdown]
# Scores that are too large make a choice that is too sure, and no gradient tells it otherwise. Chapter 11 divides its
# scores by a square root for this reason.

# %% [markdown]
# ## 5. A bug that trains anyway
#
# A network with a **gate**. Four groups of four neurons; a softmax says, for each point, how much each group is
# listened to. (Jacobs, Jordan, Nowlan and Hinton called such groups *experts* in 1991, and large language models use
# them today.) Its task: which of three arms of a spiral is a point on?


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
class Gated(nn.Module):
    """(B, 2) -> (B, 3)"""

    def __init__(self, groups=4, size=4):
        self.shape = (-1, groups, size)
        self.first, self.gate = nn.Linear(2, groups * size), nn.Linear(2, groups)
        self.last = nn.Linear(groups * size, 3)

    def forward(self, x):
        y = self.gate(x).softmax(-1)  # (B, groups)
        h = self.first(x).relu().reshape(self.shape)  # (B, groups, size)
        return self.last((h * y.reshape(-1, self.shape[1], 1)).flatten(1))


# %%
def fit(model, x, t, steps, lr):
    """The loss of each step with Adam."""
    optimizer, losses = ddl.optim.Adam(model.parameters(), lr=lr), []
    for _ in range(steps):
        loss = F.cross_entropy(model(x), t)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def right(model, x, t):
    return float((model(x).numpy().argmax(axis=1) == t.numpy()).mean())


# %%
def gated(vjp, seeds=range(5), steps=500):
    """For each seed the losses and the share right, with this way back through softmax."""
    runs = []
    for seed in seeds:
        ddl.manual_seed(seed)
        model, (x, t) = Gated(), spiral(seed)
        with wearing(softmax, softmax_of, vjp):
            runs.append((fit(model, x, t, steps, lr=0.02), right(model, x, t)))
    return runs


# %% [markdown]
# `wearing` has the library use our two functions for a while. A colleague has written the rule too, and reads out the
# formula: "y times, g minus the sum of g times y".


# %% tags=["nbval-ignore-output"]
def colleagues_back(g, out, axis):
    return (out * (g - (g * out).sum()),)


ours, theirs = gated(softmax_back), gated(colleagues_back)
for name, runs in ("ours", ours), ("the colleague's", theirs):
    ends = ", ".join(f"{losses[-1]:.2f}" for losses, _ in runs)
    least = min(share for _, share in runs)
    print(f"{name:16} loss from {runs[0][0][0]:.2f} to {ends};  right: {least:.0%} or more")
assert min(share for _, share in theirs) > 0.95
assert max(losses[-1] for losses, _ in theirs) < 0.2

# %%
figure = Figure((6.6, 3.2), layout="constrained")
axes = figure.subplots()
for name, runs, style, color in ("ours", ours, "-", BLUE), ("the colleague's", theirs, "--", RUST):
    for i, (losses, _) in enumerate(runs):
        axes.plot(losses, style, color=color, lw=1.2, label=None if i else name)
axes.set(xlabel="step", ylabel="loss", ylim=(0, 1.2))
axes.set_title("A gated network on three spirals, five seeds each")
axes.legend()
medians = [np.median([losses[-1] for losses, _ in runs]) for runs in (ours, theirs)]
words = f"Both losses fall from 1.1; ours to a median of {medians[0]:.2f},"
show(figure, alt=f"{words} the colleague's, later, to {medians[1]:.2f}.")

# %% [markdown]
# It trains. A little slower than ours, but who has ours to compare with? Of a hundred points at least 97 are right, and
# the first thing one would change is the learning rate.
#
# **Find it** before you read on. Shapes are right, nothing raises. Which question would you put to the rule?
#
# **Predict.** The colleague did test it, with `gradcheck`, on the scores `[0.3, -1.2, 0.8]`. Did it pass?

# %%
with wearing(softmax, softmax_of, colleagues_back):
    row = ddl.tensor(np.array([0.3, -1.2, 0.8]))
    print("one row of 3:", ddl.gradcheck(lambda x: softmax(x, axis=-1), [row]))

# %% tags=["raises-exception"]
with wearing(softmax, softmax_of, colleagues_back):
    rows = ddl.tensor(np.random.default_rng(1).normal(size=(4, 5)))
    ddl.gradcheck(lambda x: softmax(x, axis=-1), [rows])

# %% [markdown]
# One row passes and four rows fail, in all twenty places. The sum runs over *all* numbers, where it should run over the
# row; with one row it is the same. So every example hears from every other:
#
# **Prove it.** Three probes, each of which needs no right rule to compare with. The map of gradcheck's errors. The sum
# of each row, which must be 0. And the plainest: let a gradient come back to row 0 alone, and see which rows move.


# %%
def nudged_softmax(x, g, h=1e-6):
    """The slopes of sum(g * softmax(x)), by nudging each number both ways."""
    out = np.empty_like(x)
    for at in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[at] = h
        out[at] = ((softmax_of(x + step) - softmax_of(x - step)) * g).sum() / (2 * h)
    return out


x_, only_first = x5.numpy(), g5 * (np.arange(4) == 0)[:, None]
maps = {}
for name, back in ("ours", softmax_back), ("the colleague's", colleagues_back):
    error = abs(back(g5, softmax_of(x_), -1)[0] - nudged_softmax(x_, g5))
    sums = back(g5, softmax_of(x_), -1)[0].sum(axis=1)
    moved = abs(back(only_first, softmax_of(x_), -1)[0]).max(axis=1)
    maps[name] = error, abs(sums), moved


# %%
def heat(axes, part):
    """The numbers of one probe, each in a square shaded by its size."""
    shades = np.log10(part + 1e-12)
    axes.imshow(shades, cmap="cividis", vmin=-12, vmax=0.5, aspect="auto")
    for (i, j), value in np.ndenumerate(part):
        text, color = (f"{value:.2f}", "black") if value > 1e-6 else ("0", "white")
        axes.text(j, i, text, ha="center", va="center", color=color, fontsize=9)
    axes.set(xticks=[], yticks=range(4))


# %%
figure, words = Figure((8, 4.2), layout="constrained"), []
titles = "error of each slope", "sum of the row", "from row 0 alone"
for panels, (name, parts) in zip(figure.subplots(2, 3, width_ratios=[5, 2, 2]), maps.items()):
    for axes, part, title in zip(panels, parts, titles):
        heat(axes, part.reshape(4, -1))
        axes.set_title(title if name == "ours" else "")
        words.append(f"{name}, {title}: up to {part.max():.2f}")
    panels[0].set_ylabel(f"{name}\nrow")
show(figure, alt="Three probes of two rules, row by row. " + "; ".join(words) + ".")
assert max(p.max() for p in (maps["ours"][0], maps["ours"][1], maps["ours"][2][1:])) < 1e-6
assert maps["the colleague's"][2][1:].min() > 0.01

# %% [markdown]
# A gradient that was sent to the first example reaches all four. Why did it train? Take the difference of the rules, in
# row $b$:
#
# $$ds^{\text{theirs}}_{bj} - ds_{bj} = - y_{bj}\,\Bigl(\sum_{b' \ne b} \sum_i g_{b'i}\,y_{b'i}\Bigr)
# = -\,k_b\; y_{bj} .$$
#
# Each row is pushed along its own probabilities: all choices become surer, or all less sure, by what the *others* say.
# That disturbs the gate and nothing else. The neurons behind it have true gradients, and they learn around it.
#
# Where nothing can learn around it, it is less kind. Four straight lines and a gate shall fit a zigzag: only a good
# gate can put each line in its place.


# %%
def zigzag(seed, n=150):
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(-1, 1, n))[:, None]
    y = np.interp(x, [-1, -1 / 3, 1 / 3, 1], [1.5, -0.8, 0.8, -1.5]) + rng.normal(0, 0.05, x.shape)
    return ddl.tensor(x.astype(np.float32)), ddl.tensor(y.astype(np.float32))


class Lines(nn.Module):
    def __init__(self, n=4):
        self.gate = nn.Linear(1, n, weight_init=nn.init.normal)
        self.line = nn.Linear(1, n, weight_init=nn.init.normal)

    def forward(self, x):
        return (self.gate(x).softmax(-1) * self.line(x)).sum(axis=1, keepdims=True)


# %%
def draw_lines(vjp, seed, steps=500):
    """The mean squared error of each step, and what the model says in the end."""
    ddl.manual_seed(seed)
    model, (x, y) = Lines(), zigzag(seed)
    optimizer, errors = ddl.optim.Adam(model.parameters(), lr=0.05), []
    with wearing(softmax, softmax_of, vjp):
        for _ in range(steps):
            error = ((model(x) - y) ** 2).mean()
            optimizer.zero_grad()
            error.backward()
            optimizer.step()
            errors.append(error.item())
    return errors, x.numpy(), y.numpy(), model(x).numpy()


# %% tags=["nbval-ignore-output"]
drawn = {name: [draw_lines(vjp, seed) for seed in range(5)] for name, vjp in
         (("ours", softmax_back), ("the colleague's", colleagues_back))}  # fmt: skip
for name, runs in drawn.items():
    print(f"{name:16}", "  ".join(f"{errors[0]:.1f} -> {errors[-1]:.3f}" for errors, *_ in runs))
assert np.median([run[0][-1] for run in drawn["ours"]]) < 0.05
assert min(run[0][-1] for run in drawn["the colleague's"]) > 0.15

# %%
figure = Figure((7.6, 2.8), layout="constrained")
for axes, (name, runs) in zip(figure.subplots(1, 2, sharey=True), drawn.items()):
    errors, x_, y_, said = runs[0]
    axes.plot(x_, y_, ".", color=GREY, ms=4, label="to fit")
    axes.plot(x_, said, color=BLUE if name == "ours" else RUST, lw=2, label="the model")
    axes.set(xlabel="x", title=f"{name}: error {errors[-1]:.3f}", ylim=(-2, 2))
    axes.legend(loc="lower left")
figure.axes[0].set_ylabel("y")
ends = [runs[0][0][-1] for runs in drawn.values()]
words = f"A zigzag of three slopes. Ours follows it, error {ends[0]:.3f}."
show(figure, alt=f"{words} The colleague's misses it, {ends[1]:.3f}.")

# %% [markdown]
# The error went down a little, and stayed there. "Four lines are not enough", the report would have said. **The fix**
# is `axis=axis, keepdims=True`, and a habit: *gradcheck with more than one row, and with sizes that differ.*
#
# This fault hides well for another reason. A classifier's loss is computed from the scores, as in section 3, and never
# walks back through a softmax. The rule is first used the day someone builds a gate, or attention.

# %% [markdown]
# ## 6. Deep networks: products of many factors
#
# From one layer to the next, a gradient is multiplied by the layer's weights and by the slopes of the squash (chapter
# 05). Through $L$ layers that is a product of $L$ matrices:
#
# $$dx_0 = J_1^\top J_2^\top \cdots J_L^\top\, g .$$
#
# If each factor changes the size by $c$, all of them change it by $c^L$. Kaiming's weights make $c = 1$ at the start.
# What if they are half or twice as large?
#
# **Predict.** Twenty relu layers, 32 wide: by what factor does the gradient at the first layer shrink, or grow?


# %%
class Norm(nn.Module):
    """Each row to mean 0 and variance 1."""

    def forward(self, x):
        c = x - x.mean(axis=-1, keepdims=True)  # (B, C)
        return c / (c * c).mean(axis=-1, keepdims=True).sqrt()


def tower(factor, depth=20, width=32, norm=False):
    """Linear layers with relu between; weights `factor` times Kaiming's."""
    start = lambda shape, **how: factor * nn.init.kaiming_normal(shape, nonlinearity="relu", **how)
    parts = []
    for n_in, n_out in pairwise([2] + [width] * depth):
        parts.append(nn.Linear(n_in, n_out, bias=False, weight_init=start))
        parts += [Norm()] * norm + [nn.ReLU()]
    return nn.Sequential(*parts, nn.Linear(width, 3))


# %%
def gradient_sizes(model, x, t):
    """The root mean square of the loss's gradient in each layer's output, first layer first."""
    seen = []
    for part in model:
        x = part(x)
        seen += [x] * isinstance(part, nn.ReLU)
    grads = ddl.grad(F.cross_entropy(x, t), seen)
    return np.array([np.sqrt(np.square(g.numpy(), dtype=np.float64).mean()) for g in grads])


# %%
x, t = spiral(0)  # (300, 2), (300,)
sizes = {}
for norm in (False, True):
    for factor in (0.5, 1, 2):
        ddl.manual_seed(0)
        sizes[factor, norm] = gradient_sizes(tower(factor, norm=norm), x, t)
for factor in (0.5, 1, 2):
    first, *_, last_ = sizes[factor, False]
    print(f"weights times {factor:3}: from layer 20 to 1, times {first / last_:.0e}", end="; ")
    print(f"{factor}^19 = {factor**19:.0e}")

# %% [markdown]
# A factor of two, a million in twenty layers. Gradients **vanish** or **explode**, and a learning rate that suits the
# last layer is a million times wrong for the first.
#
# Even $c = 1$ holds only *on average over directions*. A matrix stretches some directions and shrinks others. In a
# product the stretched ones win, again and again:
#
# **Predict.** Multiply forty random matrices, each of which keeps the mean square. How many of 32 directions are left?

# %%
rng = np.random.default_rng(0)
product, kept = np.eye(32), []
for _ in range(40):
    product = rng.normal(0, 32**-0.5, (32, 32)) @ product
    stretch = np.linalg.svd(product, compute_uv=False)  # of 32 directions, the largest first
    kept.append(stretch / stretch[0])

figure = Figure((6.4, 3), layout="constrained")
axes = figure.subplots()
for n, color in ((1, BLUE), (2, GREEN), (8, RUST), (16, GREY)):
    axes.semilogy(range(1, 41), [k[n - 1] for k in kept], color=color, label=f"direction {n}")
axes.set(xlabel="matrices multiplied", ylabel="stretch / largest", ylim=(1e-8, 3))
axes.set_title("Forty layers, 32 directions")
axes.legend()
words = ", ".join(f"direction {n} {kept[39][n - 1]:.0e}" for n in (2, 8, 16))
show(figure, alt=f"Stretch of a direction beside the largest, after forty matrices: {words}.")
left = [int((kept[n - 1] > 1e-3).sum()) for n in (1, 10, 40)]
print("directions within a thousandth of the largest, after 1, 10 and 40:", left)
assert (kept[39] > 1e-3).sum() < 12

# %% [markdown]
# Depth alone forgets most of what came in.
#
# And where section 2's limits are near, vanishing is final. A sigmoid's slope is at most $\frac14$ (at 0, where $p (1 -
# p)$ is largest). Chain it with weights of 1, in 16, 32 and 64 bits:
#
# **Predict.** After how many layers is the gradient not small, but exactly 0, in float16?

# %%
for kind in np.float16, np.float32, np.float64:
    g, layers = kind(1), 0
    while g > 0:
        g, layers = kind(g * kind(0.25)), layers + 1
    print(f"{kind.__name__}: exactly 0 after {layers} layers")

# %% [markdown]
# Exploding has its own trap. To clip a gradient by its norm one needs the norm, and squares overflow at half the
# exponent:

# %%
g = np.full(4, 1e20, np.float32)
with np.errstate(all="ignore"):
    norm = np.sqrt((g * g).sum())
    print("norm", norm, "  clipped to length 1:", g / norm)
largest = abs(g).max()
norm = largest * np.sqrt(np.square(g / largest).sum())
print(f"largest taken out first: norm {norm:.1e}, clipped:", g / norm)

# %% [markdown]
# Nothing here is too large for a float32, and yet the clipped gradient was 0. The cure is section 3's: *take the
# largest out first*. (Or square in 64 bits, as `gradient_sizes` does.)

# %% [markdown]
# ## 7. LayerNorm
#
# We cannot choose weights that stay right while training moves them. So set the scale anew in every layer, whatever the
# weights are. Ba, Kiros and Hinton do it for each example by itself: over the $C$ numbers of a row,
#
# $$\mu = \text{mean}(x), \quad c = x - \mu, \quad v = \text{mean}(c^2), \quad s = \frac{1}{\sqrt{v + \varepsilon}},
# \quad \hat x = s\,c, \quad y = w\,\hat x + b .$$
#
# $x, c, \hat x, y: (B, C)$; $\mu, v, s: (B, 1)$; $w$ and $b$, which are learned, $(C,)$. No example looks at another,
# so training and evaluation are the same. The small $\varepsilon$ keeps a constant row from being divided by 0.
#
# First the forward, in numbers that behave. A well-known shortcut for the variance needs one pass over the data where
# $\text{mean}(c^2)$ needs two: $v = \text{mean}(x^2) - \text{mean}(x)^2$.
#
# **Predict.** Both, in float32, for 256 numbers with variance 1 around a mean of 1; of 1,000; of 10,000.

# %%
rng = np.random.default_rng(1)
wave = rng.normal(size=(4, 256))
for middle in (1, 1_000, 10_000):
    r = np.float32(middle + wave)  # (4, 256)
    shortcut = np.square(r).mean(axis=1) - r.mean(axis=1) ** 2
    centred = np.square(r - r.mean(axis=1, keepdims=True)).mean(axis=1)
    print(f"mean {middle:6,}:  shortcut {shortcut.round(2)}   centred first {centred.round(2)}")
assert abs(shortcut - wave.var(axis=1)).max() > 0.5
assert abs(centred - wave.var(axis=1)).max() < 0.05

# %% [markdown]
# At 10,000 the squares are near $10^8$, where neighbouring float32 lie 8 apart, and the difference of two such numbers
# is all gap. It may be 0 or negative, and its root `nan`. Centre first.
#
# **The way back.** From $y$ to $x$, one step of the forward at a time. Let $h = g\,w$, which is the gradient of $\hat
# x$, $(B, C)$. (And $db = \sum_b g$, $dw = \sum_b g\,\hat x$, both $(C,)$: $w$ and $b$ are used by each row, so they
# hear from each.) All sums below are over one row.
#
# 1. $\hat x = s\,c$ is a product. To $c$ comes $h\,s$, $(B, C)$. To $s$ comes $\sum h\,c$, $(B, 1)$.
# 2. $s = (v + \varepsilon)^{-1/2}$ has the slope $-\frac12 (v + \varepsilon)^{-3/2} = -\frac12 s^3$. To $v$ comes
#    $-\frac12 s^3 \sum h\,c = -\frac12 s^2 \sum h\,\hat x$, $(B, 1)$.
# 3. $v = \frac1C \sum c^2$ has the slope $\frac2C c$ in each $c$. To $c$ comes, besides,
#    $-\frac12 s^2 \sum h\,\hat x \cdot \frac2C c = -s\,\hat x \cdot \frac1C \sum h\,\hat x$. Together with step 1,
#    $$dc = s\,\bigl(h - \hat x\,\text{mean}(h\,\hat x)\bigr) \qquad (B, C).$$
# 4. $c = x - \text{mean}(x)$ is chapter 03's centring, whose gradient is centred: $dx = dc - \text{mean}(dc)$. The mean
#    of $\hat x$ is 0, so the second part of $dc$ has no mean:
#
# $$\boxed{\;dx = s\,\bigl(h - \text{mean}(h) - \hat x\,\text{mean}(h\,\hat x)\bigr)\;} \qquad (B, C).$$


# %%
def norm_forward(x, weight, bias, *, eps=1e-5):
    c = x - x.mean(axis=-1, keepdims=True)  # (B, C)
    s = 1 / np.sqrt((c * c).mean(axis=-1, keepdims=True) + eps)  # (B, 1)
    return weight * (s * c) + bias  # (B, C)


def norm_back(g, x, weight, bias, eps):
    c = x - x.mean(axis=-1, keepdims=True)
    s = 1 / np.sqrt((c * c).mean(axis=-1, keepdims=True) + eps)
    x_hat, h = s * c, g * weight
    dx = s * (h - h.mean(axis=-1, keepdims=True) - x_hat * (h * x_hat).mean(axis=-1, keepdims=True))
    return dx, g * x_hat, g  # the engine sums the last two over the rows


# %% [markdown]
# Checked against `ddl.grad` through the plain operations, and by nudging:

# %%
rng = np.random.default_rng(2)
shapes = (4, 6), (6,), (6,)
x6, w6, b6 = (ddl.tensor(rng.normal(size=shape), requires_grad=True) for shape in shapes)
g6 = rng.normal(size=(4, 6))
c = x6 - x6.mean(axis=1, keepdims=True)
by_parts = c / ((c * c).mean(axis=1, keepdims=True) + 1e-5).sqrt() * w6 + b6
dx, dw, db = ddl.grad((by_parts * g6).sum(), [x6, w6, b6])
mine = norm_back(g6, x6.numpy(), w6.numpy(), b6.numpy(), 1e-5)
for theirs_, ours_ in ((dx, mine[0]), (dw, mine[1].sum(axis=0)), (db, mine[2].sum(axis=0))):
    assert np.allclose(theirs_.numpy(), ours_, atol=1e-12)
    print(theirs_.shape, "agrees with ddl.grad")
with wearing(layer_norm, norm_forward, norm_back):
    print("gradcheck:", ddl.gradcheck(lambda x, w, b: layer_norm(x, w, b), [x6, w6, b6]))

# %% [markdown]
# Read the rule once more. $\hat x$ does not notice when all of $x$ moves together, nor when all of it is stretched
# about its mean. *What a function does not notice gets no gradient*: the rule takes from $h$ what points along $(1, 1,
# \dots, 1)$ and what points along $\hat x$.
#
# **Predict.** $\sum dx$ and $\sum dx\,\hat x$ in each row, for $\varepsilon = 0$?

# %%
dx = norm_back(g6, x6.numpy(), w6.numpy(), b6.numpy(), 0.0)[0]
x_hat = norm_forward(x6.numpy(), 1, 0, eps=0.0)
print("sum dx:      ", abs(dx.sum(axis=1)).max().round(12))
print("sum dx x_hat:", abs((dx * x_hat).sum(axis=1)).max().round(12))
assert abs(dx.sum(axis=1)).max() < 1e-12
assert abs((dx * x_hat).sum(axis=1)).max() < 1e-12

# %% [markdown]
# **Why it cures depth.** Let the weights $W$ of the layer before be $k$ times as large. $\text{LN}(kWx) =
# \text{LN}(Wx)$: the output does not notice. Going back, $W^\top$ brings a factor $k$, and $s$, one over the spread,
# brings $\frac1k$. The factor $c$ of section 6 is gone, in both directions. Those six towers:

# %%
figure, words = Figure((8, 3.2), layout="constrained"), []
panels = zip(figure.subplots(1, 2, sharey=True), (False, True), ("without", "with LayerNorm"))
for axes, norm, name in panels:
    for factor, width, color in ((0.5, 5, RUST), (1, 3, BLUE), (2, 1, GREEN)):
        line = sizes[factor, norm]
        axes.semilogy(range(1, 21), line, color=color, lw=width, label=f"weights times {factor}")
        words.append(f"{name}, times {factor}: {line[0]:.0e} to {line[-1]:.0e}")
    axes.set(xlabel="layer", xticks=(1, 5, 10, 15, 20), title=name)
figure.axes[0].set_ylabel("rms of the gradient")
figure.axes[0].legend()
show(figure, alt="Size of the gradient at layers 1 to 20. " + "; ".join(words) + ".")
ratios = [sizes[factor, True][0] / sizes[factor, True][-1] for factor in (0.5, 1, 2)]
assert max(ratios) / min(ratios) < 1.01

# %% [markdown]
# On the right the three lines lie on each other: with LayerNorm, the size of the weights does not matter to the way
# back. (What slope is left is that of the architecture: the slow drift of relu and norm, layer after layer.)

# %% [markdown]
# ## 8. A deep network, under the microscope
#
# Now train. Twenty relu layers on the three spirals, with the weights that `nn.Linear` draws when nobody asks for
# anything else. Adam, 150 steps. `watch` looks at every layer of every tenth step: how large its outputs are, how large
# the gradients that come back, how far the weights move.


# %% tags=["nbval-ignore-output"]
def deep(norm, depth=20, width=32):
    parts = []
    for n_in, n_out in pairwise([2] + [width] * depth):
        parts += [nn.Linear(n_in, n_out)] + [nn.LayerNorm(width)] * norm + [nn.ReLU()]
    return nn.Sequential(*parts, nn.Linear(width, 3))


ddl.manual_seed(0)
model = deep(norm=False)
with watch(model, every=10):
    losses = fit(model, x, t, steps=150, lr=0.0003)
print(f"loss {losses[0]:.3f} -> {losses[-1]:.3f}; log 3 = {np.log(3):.3f}")

# %% [markdown]
# **Read it** from the bottom to the top, the way the gradient goes. (The picture has the first 24 of the 41 layers; the
# live view has all.) With each layer the hill of gradients lies further to the left, until at the first layer they are
# less than a millionth of those at the last: the alarm names the layer, and says how much is left. The outputs, on the
# left, look healthy, and say nothing of it. The loss is $\log 3$: what one gets for saying "one in three" to every
# point.
#
# The same with a LayerNorm behind each Linear, which wears your two functions:

# %% tags=["nbval-ignore-output"]
ddl.manual_seed(0)
model = deep(norm=True)
with watch(model, every=10), wearing(layer_norm, norm_forward, norm_back):
    losses = fit(model, x, t, steps=150, lr=0.0003)
print(f"loss {losses[0]:.2f} -> {np.median(losses[-20:]):.2f}; right {right(model, x, t):.0%}")

# %% [markdown]
# One seed proves little. Three of each, each with its own spirals. (A loss at the end is the median of the last 20.)

# %% tags=["nbval-ignore-output"]
curves = {}
for norm in (False, True):
    curves[norm] = []
    for seed in range(3):
        ddl.manual_seed(seed)
        model, (x_, t_) = deep(norm), spiral(seed)
        curves[norm].append(fit(model, x_, t_, steps=150, lr=0.0003))
        name, end = "with" if norm else "without", np.median(curves[norm][-1][-20:])
        print(f"{name:8} seed {seed}: loss {end:.3f}, right {right(model, x_, t_):.0%}")
assert min(np.median(c[-20:]) for c in curves[False]) > 1.05
assert max(np.median(c[-20:]) for c in curves[True]) < 0.3

# %%
figure = Figure((6.4, 3), layout="constrained")
axes = figure.subplots()
styles = (False, "--", RUST, "without"), (True, "-", BLUE, "with LayerNorm")
for norm, style, color, name in styles:
    for i, line in enumerate(curves[norm]):
        axes.plot(line, style, color=color, lw=1.3, label=None if i else name)
axes.axhline(np.log(3), color=GREY, lw=0.8)
axes.set(xlabel="step", ylabel="loss", ylim=(0, 1.3), title="Twenty layers, three seeds each")
axes.legend(loc="center right")
highest = max(np.median(c[-20:]) for c in curves[True])
words = "Without, the loss stays at log 3 = 1.10."
show(figure, alt=f"{words} With, it falls to {highest:.2f} or less.")

# %% [markdown]
# No layer was added that could compute something new: a LayerNorm only moves and scales. It made the others audible.
#
# ## 9. The library's own
#
# `F.softmax`, `F.log_softmax` and `F.cross_entropy` take the largest out; `nn.LayerNorm` is your two functions in a
# module with `weight` and `bias`. It refuses a width that is not its own. Read the last line: what it normalises, what
# came, and in which layer.

# %% tags=["raises-exception"]
nn.Sequential(nn.Linear(2, 32), nn.LayerNorm(64))(x)

# %% [markdown]
# **Hand-over.** From here on, `F.softmax`, `F.cross_entropy` and `nn.LayerNorm` stand for what you built.
#
# ## Recap
#
# 1. A float32 has seven digits, from 1e-45 to 3e38: $e^s$ is `inf` from 88.72 on and 0 from $-103.97$ on.
# 2. Take the largest out before you exponentiate or square, do the algebra before the computer rounds, centre before
#    you take a variance.
# 3. Softmax: $ds = y\,(g - \sum g\,y)$, the sum over the row. Over all rows it trains anyway; one row cannot tell.
# 4. What is off per layer is off to the power of depth, in both directions. Sizes by layer show it.
# 5. LayerNorm: $dx = s\,(h - \text{mean}(h) - \hat x\,\text{mean}(h\,\hat x))$. The scale of the weights drops out.
#
# | here | PyTorch | JAX |
# |---|---|---|
# | `logsumexp` | `torch.logsumexp` | `jax.scipy.special.logsumexp` |
# | `F.softmax`, `F.log_softmax` | `torch.softmax`, `torch.log_softmax` | `jax.nn.softmax`, `jax.nn.log_softmax` |
# | `steady` | `torch.nn.CrossEntropyLoss` | `optax`: softmax cross entropy with integer labels |
# | `nn.LayerNorm` | `torch.nn.LayerNorm` | `flax.nnx.LayerNorm` |
# | `watch(model)` | hooks: `register_forward_hook`, `Tensor.register_hook` | `jax.debug.callback` |
# | `np.errstate` | `torch.autograd.detect_anomaly` | the setting `jax_debug_nans` |
#
# ## Go deeper
#
# - D. Goldberg (1991), *What every computer scientist should know about floating-point arithmetic*.
# - N. J. Higham (2002), *Accuracy and Stability of Numerical Algorithms*, second edition: the variance, and much else.
# - P. Blanchard, D. J. Higham and N. J. Higham (2021), *Accurately computing the log-sum-exp and softmax functions*.
# - S. Hochreiter (1991), *Untersuchungen zu dynamischen neuronalen Netzen*, and Y. Bengio, P. Simard and P. Frasconi
#   (1994), *Learning long-term dependencies with gradient descent is difficult*: vanishing gradients.
# - R. Jacobs, M. Jordan, S. Nowlan and G. Hinton (1991), *Adaptive mixtures of local experts*.
# - J. L. Ba, J. R. Kiros and G. Hinton (2016), *Layer normalization*.
# - J. Pennington, S. Schoenholz and S. Ganguli (2017), *Resurrecting the sigmoid in deep learning through dynamical
#   isometry*: all the stretches of section 6 at once.
#
# **Next:** [08 · Looking at images](08_images.ipynb). Layers that use the same few weights everywhere.
