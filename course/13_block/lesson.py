# %% [markdown]
# # 13 · The block
#
# After this chapter you can
#
# - build the transformer's block from its two halves, and derive the way back through the MLP and through a sum,
# - say, before any training, how gradients grow or die through a stack of blocks, and where the norm must stand,
# - unmask a model whose attention looks at nothing but itself, although its loss falls.
#
# **Time:** about 110 minutes. **Needs:** chapters [05](05_layers.ipynb) (how weights start),
# [07](07_numbers.ipynb) (LayerNorm), [10](10_text.ipynb), 11 (causal attention) and 12 (places).
#
# $B$ texts of $T$ tokens, $C$ numbers a token, $H$ heads, $V$ different tokens. In this chapter $L$ counts blocks; the
# loss is written out.

# %%
import math
from functools import partial
from pydoc_data.topics import topics

import numpy as np
from matplotlib.figure import Figure

import ddl
from ddl import nn
from ddl.course import show, wearing
from ddl.fused import gelu_tanh
from ddl.nn import functional as F
from ddl.nn import init
from ddl.widgets import play, watch

BLUE, RUST, GREEN, GREY, PINK = "#00588a", "#b34700", "#007a5a", "#777777", "#a0457f"

# %% [markdown]
# ## 1. A question that takes two looks
#
# A word of 3 to 6 letters, all different, is written again and again until the line is full. What comes next?


# %%
def repeats(rng, B=24, T=14, V=8):
    """Tokens (B, T) and the token after each, or -100 where nobody could know it yet."""
    n = rng.integers(3, 7, size=(B, 1))
    words = rng.permuted(np.tile(np.arange(V), (B, 1)), axis=1)  # (B, V)
    rows = np.take_along_axis(words, np.arange(T + 1) % n, axis=1)
    known = np.arange(1, T + 1) >= n
    return rows[:, :-1], np.where(known, rows[:, 1:], -100)


for row, target in zip(*repeats(np.random.default_rng(1), B=2)):
    print("read: ", " ".join("abcdefgh"[i] for i in row))
    print("asked:", " ".join("abcdefgh"[i] if i >= 0 else "." for i in target))

# %% [markdown]
# You answer at once: find the same letter earlier, and say what came *after* it. **Predict.** Attention's scores
# compare what a query holds with what each key holds. The place to copy holds its letter and its position. Can one
# attention find it?
#
# No: nothing there matches the query; its neighbour matches. It takes two looks. In the first, every place looks one
# step back and notes which letter stood there. In the second, the query searches the notes. So a second attention must
# read what the first one wrote, next to what was there before. How does one put attentions on top of each other?
#
# ## 2. Each token by itself
#
# Attention only mixes: what it gives is a weighted mean of the values. Between two looks something should be computed
# from what was gathered, at each place by itself: a network of two layers, as in chapter 02, four times as wide inside.
# With the $N = B\,T$ tokens as rows of $x$, $(N, C)$:
#
# $$h = x\,W_1^\top + b_1 \;(N, 4C), \qquad a = \text{gelu}(h) \;(N, 4C), \qquad y = a\,W_2^\top + b_2 \;(N, C).$$
#
# **gelu** is a relu with a soft knee: $h$ times the probability that a standard normal number lies below $h$, which
# GPT-2 approximates by a tanh. Its slope follows from the product rule, with $\tanh' = 1 - \tanh^2$:
#
# $$\text{gelu}(h) = h\,\tfrac12 (1 + t), \qquad t = \tanh u, \quad u = \sqrt{2/\pi}\,(h + 0.044715\,h^3),$$
#
# $$\text{gelu}'(h) = \tfrac12 (1 + t) + h\,\tfrac12 (1 - t^2)\,u', \qquad
# u' = \sqrt{2/\pi}\,(1 + 3 \cdot 0.044715\,h^2) .$$


# %%
def gelu(x):
    u = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    return x * (1 + np.tanh(u)) / 2


def gelu_slope(x):
    u = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    t, du = np.tanh(u), math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * x**2)
    return (1 + t) / 2 + x * (1 - t * t) / 2 * du


# %% [markdown]
# **The whole way back**, from the end to the beginning. $g$, $(N, C)$, is the gradient of $y$. Each matrix is chapter
# 05's linear layer, and hears from every token that used it:
#
# 1. $y = a W_2^\top + b_2$: $\quad dW_2 = g^\top a$, $(C, N)(N, 4C) = (C, 4C)$; $\quad db_2 = \sum_n g$, $(C,)$;
#    $\quad da = g\,W_2$, $(N, C)(C, 4C) = (N, 4C)$.
# 2. $a = \text{gelu}(h)$, number by number: $\quad dh = da \odot \text{gelu}'(h)$, $(N, 4C)$.
# 3. $h = x W_1^\top + b_1$: $\quad dW_1 = dh^\top x$, $(4C, N)(N, C) = (4C, C)$; $\quad db_1 = \sum_n dh$, $(4C,)$;
#    $\quad dx = dh\,W_1$, $(N, 4C)(4C, C) = (N, C)$.


# %%
def mlp_back(g, x, w1, b1, w2, b2):
    h = x @ w1.T + b1  # (N, 4C)
    dh = (g @ w2) * gelu_slope(h)  # (N, 4C)
    return dh @ w1, dh.T @ x, dh.sum(axis=0), g.T @ gelu(h), g.sum(axis=0)


rng = np.random.default_rng(0)
shapes = (5, 3), (12, 3), (12,), (3, 12), (3,)  # N = 5, C = 3
inputs = [ddl.tensor(rng.normal(size=shape), requires_grad=True) for shape in shapes]
x5, w1, b1, w2, b2 = inputs
out = F.linear(F.gelu(F.linear(x5, w1, b1), approximate="tanh"), w2, b2)
g5 = rng.normal(size=(5, 3))
mine = mlp_back(g5, *(a.numpy() for a in inputs))
for ours, theirs in zip(mine, ddl.grad((out * g5).sum(), inputs)):
    assert np.allclose(ours, theirs.numpy(), atol=1e-12)
    print(ours.shape, "agrees with ddl.grad")

# %% [markdown]
# As a module. Weights start with variance $1/n_\text{in}$ (chapter 05), the last matrix smaller where section 6 asks.

# %%
even = partial(init.kaiming_normal, nonlinearity="linear")  # variance 1 / n_in


def starts(scale):
    smaller = lambda shape, **how: scale * even(shape, **how)
    return {"weight_init": even, "proj_init": smaller, "bias_init": init.zeros}


class MLP(nn.Module):
    """(.., C) -> (.., C), each token by itself."""

    def __init__(self, C, weight_init, proj_init, bias_init):
        self.up = nn.Linear(C, 4 * C, weight_init=weight_init, bias_init=bias_init)
        self.down = nn.Linear(4 * C, C, weight_init=proj_init, bias_init=bias_init)

    def forward(self, x):
        return self.down(F.gelu(self.up(x), approximate="tanh"))


# %% [markdown]
# ## 3. Four blocks, and deaf
#
# Attention, MLP, attention, MLP ... each reads what the one before it gave. So that we can change our mind, the *way*
# in which such a half is put in is a function of its own, of the stream $x$, the half $f$ and a norm.

# %%
WAYS = {"neither": lambda x, f, norm: f(x)}


class Block(nn.Module):
    """(B, T, C) -> (B, T, C): attention, then an MLP, put in as `way` says."""

    def __init__(self, C, H, way, scale=1.0):
        self.way = way
        self.ln_1, self.ln_2 = nn.LayerNorm(C), nn.LayerNorm(C)
        self.attn = nn.CausalSelfAttention(C, H, **starts(scale))
        self.mlp = MLP(C, **starts(scale))

    def forward(self, x):
        x = WAYS[self.way](x, self.attn, self.ln_1)
        return WAYS[self.way](x, self.mlp, self.ln_2)


# %%
class Reader(nn.Module):
    """ids (B, T) -> scores (B, T, V)"""

    def __init__(self, way, L=4, V=8, T=16, C=32, H=2, scale=1.0):
        self.tokens, self.places = nn.Embedding(V, C), nn.Embedding(T, C)
        self.blocks = [Block(C, H, way, scale) for _ in range(L)]
        self.norm, self.head = nn.LayerNorm(C), nn.Linear(C, V)

    def forward(self, x):
        x = (self.tokens(x) + self.places(np.arange(x.shape[1]))) * 0.5**0.5  # (B, T, C)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


# %%
def fit(model, batch, seed, steps=70, lr=8e-3):
    """The loss of each step with Adam."""
    optimizer, losses = ddl.optim.Adam(model.parameters(), lr=lr), []
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        x, y = batch(rng)
        scores = model(x)  # (B, T, V)
        scores = scores.reshape(-1, scores.shape[-1])
        loss = F.cross_entropy(scores, ddl.tensor(y.reshape(-1)))
        optimizer.backward_step(loss)
        losses.append(loss.item())
    return losses


# %%
runs, ends = {}, {}  # by name: the losses of each seed, and where they end


def compare(name, way, seeds=range(3), **options):
    runs[name] = []
    for seed in seeds:
        ddl.manual_seed(seed)
        runs[name].append(fit(Reader(way, **options), repeats, seed))
    ends[name] = [np.mean(losses[-15:]) for losses in runs[name]]
    print(f"{name:16} " + "  ".join(f"{end:.2f}" for end in ends[name]))


# %% [markdown]
# **Predict.** Four such blocks, so four looks where two would do. The loss of who knows nothing is $\ln 8 = 2.08$; of
# who remembers which letters have come, and not their order, less than 1.5. Where will it end?

# %% tags=["nbval-ignore-output"]
compare("neither", "neither", range(2))
assert min(ends["neither"]) > 1.8

# %% [markdown]
# It has learned nothing. The gradient microscope on a stack of twelve, at its first step, before anything has moved:


# %% tags=["nbval-ignore-output"]
def look(way, scale=1.0):
    ddl.manual_seed(0)
    model = Reader(way, L=12, scale=scale)
    with watch(model, every=1):
        fit(model, repeats, seed=0, steps=1, lr=1e-5)


look("neither")

# %% [markdown]
# **Read it.** The alarm says how little of the last layer's gradient arrives at the first. (The picture has 24 layers,
# the live view has all.) And even without that, what a half does not copy on purpose is lost for all that follow. After
# the first look the letter itself is gone, and there is nothing to lay the note beside.
#
# ## 4. Add, do not replace
#
# Let each half **add** to what is there:
#
# $$y = x + f(x), \qquad x, f(x), y: (B, T, C) .$$
#
# What runs through all blocks is the **residual stream**. A half reads from it and adds its share, and what it does not
# touch stays. The first look *adds* its note to the letter, and the second finds both.
#
# **The way back.** A small move $\varepsilon$ of $x$ moves $y$ by $\varepsilon + J\varepsilon$, with $J$ the slopes of
# $f$. A sum hands $g$ to both of its terms, and what is used twice adds what comes back (chapter 01):
#
# $$dx = g + J^\top g \qquad (B, T, C).$$
#
# The first term is the whole gradient, with nothing multiplied to it: not shrunk, not turned, whatever $f$ is. Through
# two of them, and through all $2L$ halves of $L$ blocks,
#
# $$dx = (I + J_1^\top)(I + J_2^\top)\, g = g + J_1^\top g + J_2^\top g + J_1^\top J_2^\top g, \qquad
# dx = \prod_{l=1}^{2L} (I + J_l^\top)\; g .$$
#
# Each factor offers a choice, *past* $f_l$ or *through* it: the gradient is the sum over $2^{2L}$ paths. The path
# through all of them is the only one that section 3 had.
#
# **Predict.** How many paths go through exactly two of eight halves?

# %%
rng = np.random.default_rng(0)
x6, g6, slopes = ddl.tensor(rng.normal(size=6), requires_grad=True), rng.normal(size=6), []
stream = x6
for A in rng.normal(0, 0.2, (8, 6, 6)):  # eight halves f(x) = tanh(A x)
    added = (A @ stream).tanh()
    slopes.append((1 - added.numpy() ** 2)[:, None] * A)  # J, (6, 6)
    stream = stream + added
parts = [g6]  # parts[k]: what comes back through exactly k halves, over all such paths
for J in slopes[::-1]:
    past, through = [*parts, 0], [0, *(J.T @ part for part in parts)]
    parts = [a + b for a, b in zip(past, through)]
for k, part in enumerate(parts):
    print(f"{math.comb(8, k):2} paths through {k}: length {np.linalg.norm(part):6.3f}")
(by_library,) = ddl.grad((stream * g6).sum(), [x6])
assert np.allclose(sum(parts), by_library.numpy(), atol=1e-12)
print("their sum agrees with ddl.grad")

# %% [markdown]
# Most of what arrives has come through few of them. Now train four blocks with the sum in place:

# %% tags=["nbval-ignore-output"]
WAYS["sum only"] = lambda x, f, norm: x + f(x)
compare("sum only", "sum only", range(2))
assert min(ends["sum only"]) > 1.8

# %% [markdown]
# No better. The gradient cannot vanish any more, but nobody said that it may not explode.
#
# ## 5. Where does the norm go?
#
# Chapter 07's LayerNorm sets the scale anew. There are two places for it:
#
# $$\text{post-norm (2017): } y = \text{LN}(x + f(x)), \qquad \text{pre-norm (GPT-2): } y = x + f(\text{LN}(x)).$$
#
# We can say what each does at the start, with one number. Weights are random and have mean 0. So $f(x)$ is unrelated
# to $x$, and what comes back through $f$ is unrelated to $g$: in the mean square of a sum the mixed terms average out,
# and **mean squares add**. Let $f$ make mean square $c$ of mean square 1, forward, and of $g$ backward too. Let $q_l$
# be the mean square of the stream after $l$ halves, $q_0 = 1$, and $G_l$ that of its gradient. $M = 2L$ halves in all.
#
# **For the MLP** with weights of variance $1/n_\text{in}$: $W_1$ keeps the mean square, gelu takes $z \sim N(0, 1)$ to
# $c = E[\text{gelu}(z)^2]$, $W_2$ keeps that. Back: $W_2^\top$ sums $C$ terms of variance $\frac{1}{4C}$, a factor
# $\frac14$; the slope gives $E[\text{gelu}'(z)^2]$; $W_1^\top$ sums $4C$ terms of variance $\frac1C$, a factor 4.

# %%
z = np.random.default_rng(0).normal(size=1_000_000)
c = (gelu(z) ** 2).mean()
print(f"forward c = {c:.2f}, backward c = {(gelu_slope(z) ** 2).mean():.2f}")
assert abs(c - 0.425) < 0.005

# %% [markdown]
# Nearly the same. (Attention's $c$ depends on how much alike the tokens are: a mean over $t$ unrelated values has
# $\frac1t$ of their mean square, one over equal values all of it. We take 0.43 for both, and see how far it goes.)
#
# - **neither**: each half multiplies by $c$. $\;G_0 = c^M G_M$. It dies.
# - **sum only**: $q_{l+1} = (1 + c)\,q_l$, and $G_l = (1 + c)\,G_{l+1}$. $\;G_0 = (1 + c)^M G_M$. It explodes.
#   (At least so fast: attention's scores grow with the *square* of the stream.)
# - **post-norm**: the sum has $1 + c$, and the norm divides by $\sqrt{1 + c}$, on the way back too (chapter 07).
#   $G_l = \frac{1 + c}{1 + c}\,G_{l+1}$. $\;G_0 = G_M$. Flat.
# - **pre-norm**: $f$ reads mean square 1, whatever the stream has: $q_{l+1} = q_l + c$, so $q_l = 1 + c\,l$. Back, the
#   norm before $f$ divides by $\sqrt{q_l}$:
#   $$G_l = \Bigl(1 + \frac{c}{q_l}\Bigr) G_{l+1} = \frac{q_{l+1}}{q_l}\, G_{l+1} \;\Rightarrow\;
#   G_0 = \frac{q_M}{q_{M-1}} \cdots \frac{q_1}{q_0}\, G_M = (1 + c\,M)\, G_M .$$
#   The fractions cancel. It grows like $M$, where others grow like a power.
#
# So post-norm looks best. But look what became of the first term of $g + J^\top g$. In pre-norm it is still there, the
# *whole* $g$. In post-norm every norm divides it by $\sqrt{1 + c}$ as well, so of $g$ itself $(1 + c)^{-M/2}$ arrives:
# the size is kept, and *filled up with what came through random matrices*. The cosine between the gradient that
# arrives and the one that was sent is $(1 + c)^{-M/2}$ in post-norm, and $1/\sqrt{1 + cM}$ in pre-norm.
#
# **Predict.** That cosine for 16 blocks, $M = 32$: in post-norm, and in pre-norm?


# %%
def through(way, L, seed, scale=1.0, C=64, T=16, B=8):
    """Stream and gradient after each block: two lists of L + 1 arrays (B, T, C)."""
    ddl.manual_seed(seed)
    rng = np.random.default_rng(seed)
    x, g = (ddl.tensor(rng.normal(size=(B, T, C)), requires_grad=True) for _ in range(2))
    xs = [x]
    for _ in range(L):
        xs.append(Block(C, 4, way, scale).to(x.dtype)(xs[-1]))
    grads = ddl.grad((xs[-1] * g).sum(), xs)
    return [a.numpy() for a in xs], [a.numpy() for a in grads]


rms = lambda a: (a * a).mean() ** 0.5
cosine = lambda a, b: (a * b).mean() / (rms(a) * rms(b))
WAYS["post-norm"] = lambda x, f, norm: norm(x + f(x))
WAYS["pre-norm"] = lambda x, f, norm: x + f(norm(x))

# %% tags=["nbval-ignore-output"]
DEPTHS, SEEDS = np.array([2, 4, 8, 16]), range(3)
M, sizes, angles = 2 * DEPTHS, {}, {}  # of each way: (depths, seeds)
for way in WAYS:
    grads = [[through(way, L, seed)[1] for seed in SEEDS] for L in DEPTHS]
    sizes[way] = np.array([[rms(g[0]) / rms(g[-1]) for g in row] for row in grads])
    angles[way] = np.array([[cosine(g[0], g[-1]) for g in row] for row in grads])
size_laws = {"neither": c ** (M / 2), "sum only": (1 + c) ** (M / 2)}
size_laws |= {"post-norm": np.ones(len(M)), "pre-norm": (1 + c * M) ** 0.5}
angle_laws = {"post-norm": (1 + c) ** (-M / 2), "pre-norm": (1 + c * M) ** -0.5}
for way, law in angle_laws.items():
    print(f"{way:9} of 16: cosine {angles[way][-1].round(2)}, law {law[-1]:.3f};", end=" ")
    print(f"size {sizes[way][-1].round(1)}, law {size_laws[way][-1]:.1f}")
assert (abs(np.log(sizes["pre-norm"] / size_laws["pre-norm"][:, None])) < 0.5).all()
assert sizes["post-norm"].max() < 2.5
assert abs(angles["post-norm"][-1]).max() < 0.08 < 0.14 < angles["pre-norm"].min()

# %%
COLORS = {"neither": GREY, "sum only": RUST, "post-norm": GREEN, "pre-norm": BLUE}
figure, words = Figure((8, 3.6), layout="constrained"), []
left, right = figure.subplots(1, 2)
for axes, seen, laws in (left, sizes, size_laws), (right, angles, angle_laws):
    for way, law in laws.items():
        axes.plot(DEPTHS, law, color=COLORS[way], lw=1, label=way)
        axes.plot(DEPTHS, seen[way], "o", color=COLORS[way], ms=4, alpha=0.7)
        words.append(f"{way} {np.median(seen[way][-1]):.2g}")
    axes.set(xlabel="blocks", xticks=DEPTHS)
left.set(yscale="log", ylabel="rms at the first block / at the last", title="size of the gradient")
right.set(ylabel="cosine", ylim=(-0.05, 0.7), title="how much of it is the gradient sent")
left.legend(fontsize=8, loc="upper left")
show(figure, alt=f"At 16 blocks, sizes: {', '.join(words[:4])}; cosines: {', '.join(words[4:])}.")

# %% [markdown]
# Dots are measured, lines are the laws. In pre-norm the two meet within a half over the whole range. (*Sum only* leaves
# its line where scores are so large that softmax only chooses. In *neither* tokens grow alike, and attention's $c$
# with them.) **This is why GPT-2 moved the norm.** Post-norm can be trained deep, with small steps and a slow start:
# its gradients have the right size from the first step on, what they lack is direction.
#
# ## 6. How large the stream gets
#
# In pre-norm $q_M = 1 + cM$. (So one more norm stands at the very end, before the scores; `Reader` has it.) What the
# last block adds to so large a stream is a drop in the sea. GPT-2's cure is to start the *last* matrix of each half
# smaller, by a factor $s$. Then $f$ adds $s^2 c$ in place of $c$:
#
# $$q_M = 1 + s^2\,c\,M, \qquad s = \frac{1}{\sqrt{M}} = \frac{1}{\sqrt{2L}} \;\Rightarrow\; q_M = 1 + c,
# \quad G_0 = (1 + c)\,G_M .$$
#
# **Predict.** The stream's mean square after 4 blocks and after 16, with $s$ and without?

# %%
print("blocks   law   measured    with s: law   measured")
for L in 2, 4, 8, 16:
    columns = []
    for scale in 1.0, (2 * L) ** -0.5:
        last = [rms(through("pre-norm", L, seed, scale)[0][-1]) ** 2 for seed in SEEDS]
        law = 1 + scale**2 * c * 2 * L
        columns.append(f"{law:5.1f}  {min(last):4.1f} to {max(last):4.1f}")
        assert 0.7 < min(last) / law < max(last) / law < 1.3
    print(f"{L:6} {columns[0]} {columns[1]:>21}")

# %% [markdown]
# With $s$ a stack of any depth starts as the same mild thing: mostly the token, and $2L$ small opinions about it.
#
# ## 7. The block
#
# Pre-norm, two sums: one of them, on three tokens of four numbers. Parts are folded; open one, and step back through a
# sum: $g$ goes to both sides of it, unchanged.

# %%
ddl.manual_seed(0)
small = Block(4, 2, "pre-norm")
x3 = ddl.randn(1, 3, 4, requires_grad=True)
play(ddl.trace(small, x3), gradient=np.ones((1, 3, 4)))

# %% [markdown]
# How many numbers does a block learn? A Linear from $n$ to $m$ has $mn + m$. In attention $C \to 3C$ and $C \to C$, in
# the MLP $C \to 4C$ and $4C \to C$; two norms of $2C$:
#
# $$(3C^2 + 3C) + (C^2 + C) + (4C^2 + 4C) + (4C^2 + C) + 4C = 12\,C^2 + 13\,C .$$
#
# A third is in attention, two thirds in the MLP; heads do not come up. **Predict.** It for $C = 768$, GPT-2's.

# %%
for C in 4, 32, 768:
    assert Block(C, 2, "pre-norm").num_parameters() == 12 * C * C + 13 * C
    print(f"C = {C:3}: {12 * C * C + 13 * C:9,}, as counted")

# %% [markdown]
# ## 8. Which of them learns?
#
# The task of section 1, four blocks, all else the same. **Predict** the order.

# %% tags=["nbval-ignore-output"]
for name, scale in ("post-norm", 1.0), ("pre-norm", 1.0), ("pre-norm, scaled", 8**-0.5):
    compare(name, name.split(",")[0], scale=scale)
assert min(ends["neither"] + ends["sum only"]) > max(ends["post-norm"]) + 0.15
assert min(ends["post-norm"]) > max(ends["pre-norm"] + ends["pre-norm, scaled"]) + 0.3
figure = Figure((6.6, 3.2), layout="constrained")
axes = figure.subplots()
for (name, group), color in zip(runs.items(), (GREY, RUST, GREEN, PINK, BLUE)):
    for i, losses in enumerate(group):
        smooth = np.convolve(losses, np.ones(8) / 8, "valid")
        axes.plot(range(8, 71), smooth, color=color, lw=1.2, label=None if i else name)
axes.set(xlabel="step", ylabel="loss, nats a token (mean of 8)", ylim=(0, 2.3))
axes.set_title("What came after it? Four blocks, a line for each seed")
axes.legend(fontsize=8, loc="lower left")
words = "; ".join(f"{name} {min(end):.1f} to {max(end):.1f}" for name, end in ends.items())
show(figure, alt=f"Losses by step, ending at: {words}.")

# %% [markdown]
# Without a norm, nothing is learned. With it behind the sum, slowly; before the half, well. (The smaller start matters
# little yet: at four blocks $1 + cM$ is only 4.4.) Now the claim of section 1: *one* block must fail where *two*
# succeed. They wear your gelu.
#
# **Predict.** Where will the one end, if all it can know is which letters have come?

# %% tags=["nbval-ignore-output"]
with wearing(gelu_tanh, gelu, lambda g, x: (g * gelu_slope(x),)):
    compare("one block", "pre-norm", range(2), L=1, scale=2**-0.5)
    compare("two blocks", "pre-norm", range(2), L=2, scale=0.5)
assert min(ends["one block"]) > max(ends["two blocks"]) + 0.2
look("pre-norm", scale=24**-0.5)

# %% [markdown]
# The second look makes the difference. (The one beats a guess among 3 to 6, as what came last will not come next.) And
# in the microscope, twelve blocks deep, the gradients of all layers lie in the same few bars, and there is no alarm.
#
# ## 9. A bug that trains anyway
#
# Real text now: the pages behind Python's `help()`, their 26 letters and the space. A colleague builds a model of two
# blocks. Since chapter 05, she says, every layer has taken rows, so she flattens the tokens into rows, $(B\,T, C)$.

# %% tags=["raises-exception"]
Block(32, 2, "pre-norm")(ddl.randn(384, 32))

# %% [markdown]
# Three axes are asked for, so she adds one, and there is no error any more.


# %%
class HerReader(Reader):
    def forward(self, x):
        h = (self.tokens(x) + self.places(np.arange(x.shape[1]))) * 0.5**0.5  # (B, T, C)
        rows = h.reshape(-1, 1, h.shape[-1])  # (B T, 1, C)
        for block in self.blocks:
            rows = block(rows)
        return self.head(self.norm(rows)).reshape(*x.shape, -1)


# %%
raw = np.frombuffer(" ".join(topics.values()).lower().encode(), np.uint8)
letters = np.where((raw >= 97) & (raw <= 122), raw - 96, 0).astype(int)  # 0: no letter
letters = letters[(letters > 0) | (np.roll(letters, 1) > 0)]  # one space at a time


def windows(rng, B=24, T=16):
    """Windows of the text, (B, T), and the letter that follows each place."""
    places = rng.integers(len(letters) - T, size=(B, 1)) + np.arange(T + 1)
    return letters[places[:, :-1]], letters[places[:, 1:]]


def learn_text(kind, seed):
    ddl.manual_seed(seed)
    model = kind("pre-norm", L=2, V=27, scale=0.5)
    return model, fit(model, windows, seed, steps=210, lr=0.01)


# %% tags=["nbval-ignore-output"]
hers = [learn_text(HerReader, seed) for seed in range(2)]
for _, losses in hers:
    print(f"loss {losses[0]:.2f} -> {np.mean(losses[-50:]):.2f}")
assert max(np.mean(losses[-50:]) for _, losses in hers) < math.log(27) - 0.8

# %% [markdown]
# Who knows nothing has $\ln 27 = 3.30$. It falls below 2.4, twice. **Find it** before you read on: what would you ask?
#
# **First probe: what should it beat?** Chapter 10's bigram model counts which letter follows which. Its loss on the
# text that it was counted on is the entropy of the next letter, given *one* letter. Whoever sees more can get below
# it; whoever sees one letter cannot.

# %% tags=["nbval-ignore-output"]
counts = np.bincount(letters[:-1] * 27 + letters[1:], minlength=27 * 27).reshape(27, 27)
p = counts / counts.sum(axis=1, keepdims=True)
bigram = -np.log(p[letters[:-1], letters[1:]]).mean()
gap = [np.mean(losses[-50:]) - bigram for _, losses in hers]
print(f"bigram: {bigram:.3f}; hers ends above it by " + ", ".join(f"{g:.3f}" for g in gap))
assert -0.02 < min(gap) <= max(gap) < 0.15

# %% [markdown]
# She stands on it: two attentions have learned a table of 27 by 27. **Second probe: what does it see?** Change one
# letter, and look which scores move. **Third: the weights** of her attention. **Predict.** The letter at place 4 is
# changed. Which places' scores move in hers?


# %%
def moves(model):
    """Whether the scores at a place move when one letter is changed: (changed, seen)."""
    x, _ = windows(np.random.default_rng(5), B=1)
    lines = np.repeat(x, 16, axis=0)
    lines[np.arange(16), np.arange(16)] = (x[0] + 1) % 27  # line i differs at place i
    with ddl.no_grad():
        return np.abs(model(lines).numpy() - model(x).numpy()).max(axis=-1) > 1e-5


print("the letter at place 4 moves the scores at", *np.flatnonzero(moves(hers[0][0])[4]))
assert (moves(hers[0][0]) == np.eye(16, dtype=bool)).all()

attn, rows = hers[0][0].blocks[0].attn, ddl.randn(24 * 16, 1, 32)
_, weights = nn.MultiHeadAttention.forward(attn, rows, need_weights=True)  # (B T, 1, 1)
print(weights.shape, "from", weights.numpy().min(), "to", weights.numpy().max())
assert (weights.numpy() == 1).all()

# %% [markdown]
# **Proved.** 384 texts of *one* token each. A softmax over one score is 1, whatever the score: each token attends to
# itself alone. Its slope, $p\,(1 - p)$, is 0, so no gradient ever tells queries and keys anything. What is left is a
# linear layer and an MLP: a fine network, on single letters. The error message had asked for $(B, T, C)$, and got three
# axes of another meaning. **The fix** is to leave the axes alone, as `Reader` does.
#
# **Predict.** How far below the bigram will the mended model be?

# %% tags=["nbval-ignore-output"]
ours = [learn_text(Reader, seed) for seed in range(2)]
below = [bigram - np.mean(losses[-50:]) for _, losses in ours]
print("below the bigram by " + ", ".join(f"{b:.2f}" for b in below))
assert min(below) > 0.08

# %%
figure = Figure((8.2, 3), layout="constrained")
left, *maps = figure.subplots(1, 3, width_ratios=[1.5, 1, 1])
for axes, name, group, color in zip(maps, ("hers", "mended"), (hers, ours), (RUST, BLUE)):
    for i, (_, losses) in enumerate(group):
        smooth = np.convolve(losses, np.ones(10) / 10, "valid")
        left.plot(range(10, 211), smooth, color=color, lw=1.2, label=None if i else name)
    axes.imshow(moves(group[0][0]), cmap="cividis")
    axes.set(xlabel="scores at place", title=f"{name}: what moves", ylabel="letter changed at")
left.axhline(bigram, color="black", lw=0.8, ls=":", label="bigram")
left.set(xlabel="step", ylabel="loss, nats a letter (mean of 10)")
left.legend()
words = f"Loss: hers {np.mean(gap):.2f} above the bigram, mended {np.mean(below):.2f} below."
show(figure, alt=f"{words} A letter moves only its own scores in hers, all later ones when mended.")
assert (moves(ours[0][0]) == np.triu(np.ones((16, 16), bool))).all()

# %% [markdown]
# ## 10. The library's own
#
# `nn.TransformerBlock` has the same parts under the same names, so your weights fit in:

# %%
mine, library, x = ours[0][0].blocks[0], nn.TransformerBlock(32, 2), ddl.randn(4, 16, 32)
library.load_state_dict(mine.state_dict())
assert np.allclose(mine(x).numpy(), library(x).numpy(), atol=1e-6)
print("the same weights, the same result, and", library.num_parameters(), "parameters each")

# %% [markdown]
# **Hand-over.** From here on, `nn.TransformerBlock` stands for what you built, and chapter 14 stacks four of them into
# a decoder.
#
# ## Recap
#
# 1. A block adds twice to a stream: what attention gathers from other tokens, and what an MLP makes of each token.
# 2. $y = x + f(x)$ sends back $g + J^\top g$: the whole gradient, and what came through $f$.
# 3. With gain $c$ a half, $M$ halves change the gradient's mean square by $c^M$ (neither), $(1 + c)^M$ (sum only), 1
#    (post-norm) or $1 + cM$ (pre-norm). Post-norm keeps its size and loses its direction.
# 4. Last matrices start at $1/\sqrt{2L}$, and the stream ends at $1 + c$ at any depth. $12C^2 + 13C$ parameters.
# 5. Attention over one token is 1 and learns nothing. Change an early letter: the scores after it must move.
#
# | here | PyTorch | JAX |
# |---|---|---|
# | `Block` | `nn.TransformerEncoderLayer`, `norm_first=True`, with a causal mask | written out with `flax.nnx` |
# | post-norm | the same, `norm_first=False`, the default | written out |
# | `F.gelu(x, approximate="tanh")` | the same | `jax.nn.gelu`, whose default is the tanh |
#
# ## Go deeper
#
# - K. He, X. Zhang, S. Ren and J. Sun (2016), *Identity mappings in deep residual networks*: the sum kept clear.
# - A. Vaswani and others (2017), *Attention is all you need*: post-norm, and a slow start.
# - A. Radford and others (2019), *Language models are unsupervised multitask learners*: pre-norm, small last matrices.
# - R. Xiong and others (2020), *On layer normalization in the transformer architecture*: both norms compared.
# - A. Veit, M. Wilber and S. Belongie (2016), *Residual networks behave like ensembles of relatively shallow networks*.
# - D. Balduzzi and others (2017), *The shattered gradients problem*: size without direction.
# - C. Olsson and others (2022), *In-context learning and induction heads*: the two looks, found in large models.
#
# **Next:** [14 · A GPT-2 decoder](14_gpt2_decoder.ipynb). All of it together, on real text.
