# %% [markdown]
# # Exercises 13 · The block
#
# Each exercise has a cell for your answer and below it a cell that checks. The check runs your answer and tells in
# words what is right and what is not; run it as often as you like. Stuck? `hint("13.paths")` helps in three steps.
#
# One star is a line or two, two stars a small function, three stars half an hour.

# %%
from pydoc_data.topics import topics

import numpy as np

import ddl
from ddl import nn
from ddl.course import check, hint, progress, reset

# %% [markdown]
# ### 13.paths ★ Paths that go through few
#
# The gradient that comes back through a stack of blocks is a sum over paths, and most of it has come through few
# halves. How many paths has a stack of 12 blocks that go through **at most two** halves? (In all it has 16,777,216.)

# %% task="13.paths"
few = ...
### BEGIN SOLUTION
few = 1 + 24 + 24 * 23 // 2
### END SOLUTION

# %% [markdown]
# ### 13.growth ★ Forty-eight blocks
#
# The largest GPT-2 has 48 blocks, pre-norm. Say each half has the gain $c = 0.43$, and the last matrices do *not* start
# smaller. By what factor is the **root mean square** of the gradient larger at the first block than at the last? Three
# digits are enough. It is the number that says whether one learning rate can suit both.

# %% task="13.growth"
ratio = ...
### BEGIN SOLUTION
ratio = (1 + 0.43 * 2 * 48) ** 0.5
### END SOLUTION

# %% [markdown]
# ### 13.places ★ Find the bug: two norms out of place
#
# Two blocks, one pre-norm and one post-norm, written from memory. Both run, both train, and neither is what it says.
# That can cost weeks: with foreign weights, as in chapter 15, they give nonsense.


# %%
def pre_from_memory(x, attn, ln_1, mlp, ln_2):
    x = ln_1(x)
    x = x + attn(x)
    x = ln_2(x)
    return x + mlp(x)


def post_from_memory(x, attn, ln_1, mlp, ln_2):
    x = x + ln_1(attn(x))
    return x + ln_2(mlp(x))


# %% [markdown]
# Write both as the chapter defines them. `x` is an array, the others are functions of arrays.


# %% task="13.places"
def pre(x, attn, ln_1, mlp, ln_2):
    ### BEGIN SOLUTION
    x = x + attn(ln_1(x))
    return x + mlp(ln_2(x))
    ### END SOLUTION


def post(x, attn, ln_1, mlp, ln_2):
    ### BEGIN SOLUTION
    x = ln_1(x + attn(x))
    return ln_2(x + mlp(x))
    ### END SOLUTION


# %% [markdown]
# **Try it on.** A probe that would have found the first one: let both halves add nothing, and see what is left of $x$.

# %%
if check("13.places"):
    norm = lambda x: (x - x.mean()) / x.std()
    for name, block in (("from memory", pre_from_memory), ("yours", pre)):
        print(f"{name:12}", block(np.array([1.0, 2.0, 6.0]), np.zeros_like, norm, np.zeros_like, norm).round(2))
else:
    print("First comes 13.places, above.")

# %% [markdown]
# ### 13.back ★★ Back through a stack
#
# `g` is the gradient at the end of a stack, `halves` a list of pairs `(f_back, norm_back)`, the first half first.
# `f_back(g)` sends a gradient back through $f$, which is $J^\top g$, and `norm_back(g)` through that half's norm. Write
# what arrives at the start of the stack: in pre-norm, $y = x + f(\text{LN}(x))$, and in post-norm, $y = \text{LN}(x +
# f(x))$. Whoever writes a backward by hand, to save memory or for a new chip, writes these two.


# %% task="13.back"
def pre_back(g, halves):
    ### BEGIN SOLUTION
    for f_back, norm_back in halves[::-1]:
        g = g + norm_back(f_back(g))
    return g
    ### END SOLUTION


def post_back(g, halves):
    ### BEGIN SOLUTION
    for f_back, norm_back in halves[::-1]:
        g = norm_back(g)
        g = g + f_back(g)
    return g
    ### END SOLUTION


# %% [markdown]
# **Try it on.** Random matrices in place of slopes, and norms that divide as they do at the start: by $\sqrt{1 + cl}$
# before half $l$, or by $\sqrt{1 + c}$ behind each. How large is what arrives, and how much of it is $g$?

# %%
if check("13.back"):
    rng, c, n = np.random.default_rng(0), 0.43, 400
    g = rng.normal(size=n)
    for name, back in (("pre-norm", pre_back), ("post-norm", post_back)):
        for M in (8, 32):
            stack = []
            for level in range(M):
                A = rng.normal(0, (c / n) ** 0.5, (n, n))
                s = (1 + c * level) ** 0.5 if back is pre_back else (1 + c) ** 0.5
                stack.append((lambda g, A=A: A.T @ g, lambda g, s=s: g / s))
            out = back(g, stack)
            size = np.linalg.norm(out) / np.linalg.norm(g)
            cosine = out @ g / np.linalg.norm(out) / np.linalg.norm(g)
            print(f"{name:9} {M:2} halves: size {size:.1f}, cosine {cosine:+.2f}")
else:
    print("First comes 13.back, above.")

# %% [markdown]
# ### 13.looks ★★ Two looks by hand
#
# What the two attentions of the chapter learned is a small program. Write it: for each place $t$ of `ids`, a list of
# tokens, find the **latest earlier** place with the same token, and give the token that stood *after* it; $-1$ where
# there is none. The answer is a list as long as `ids`. Large language models find this program too, and owe to it a
# good part of what they learn from their prompt.


# %% task="13.looks"
def copied(ids):
    ### BEGIN SOLUTION
    out = []
    for t, now in enumerate(ids):
        earlier = [s for s in range(t) if ids[s] == now]
        out.append(ids[earlier[-1] + 1] if earlier else -1)
    return out
    ### END SOLUTION


# %% [markdown]
# **Try it on.** The first 600 words of some pages of Python's own help. Where a word has come before: how often does
# the same word follow as last time? And how often is it simply the commonest word?

# %% tags=["nbval-ignore-output"]
if check("13.looks"):
    for topic in ("strings", "types", "import"):
        words = topics[topic].split()[:600]
        pairs = [(guess, word) for guess, word in zip(copied(words), words[1:]) if guess != -1]
        share = sum(guess == word for guess, word in pairs) / len(pairs)
        common = max(set(words), key=words.count)
        share_common = sum(word == common for _, word in pairs) / len(pairs)
        print(f"{topic:8} {len(pairs)} guesses: yours {share:.0%} right, always {common!r} {share_common:.0%}")
else:
    print("First comes 13.looks, above.")

# %% [markdown]
# ### 13.shrink ★★ Which matrices start small
#
# `nn.TransformerBlock` does not know how many of its kind will be stacked. Write `shrink(blocks)`: it takes a list of
# blocks, and multiplies those weights by $1/\sqrt{2L}$ that the chapter asks for. Biases stay. (Set `p.data`; weights
# keep their 32 bits.) Chapter 14's model starts like this.


# %% task="13.shrink"
def shrink(blocks):
    ### BEGIN SOLUTION
    for block in blocks:
        for p in (block.attn.proj.weight, block.mlp.down.weight):
            p.data = p.numpy() / (2 * len(blocks)) ** 0.5
    ### END SOLUTION


# %% [markdown]
# **Try it on.** Sixteen blocks of the library, with weights of variance $1/n_\text{in}$: the mean square of the stream.


# %%
def stream(blocks):
    x = ddl.tensor(np.random.default_rng(1).normal(size=(4, 16, 32)).astype(np.float32))
    squares = []
    for block in blocks:
        x = block(x)
        squares.append(float((x.numpy() ** 2).mean()))
    return squares[3::4]


if check("13.shrink"):
    ddl.manual_seed(0)
    even = lambda shape, **how: nn.init.kaiming_normal(shape, nonlinearity="linear", **how)
    blocks = [nn.TransformerBlock(32, 2, weight_init=even, bias_init=nn.init.zeros) for _ in range(16)]
    print("after 4, 8, 12, 16 blocks:", *(f"{q:5.1f}" for q in stream(blocks)))
    shrink(blocks)
    print("with yours:               ", *(f"{q:5.1f}" for q in stream(blocks)))
else:
    print("First comes 13.shrink, above.")

# %% [markdown]
# ### 13.gated ★★★ An MLP with a gate
#
# Many of today's large models have another MLP in their blocks. It has three matrices and no biases: one of them opens
# and shuts what the second one lets through (Noam Shazeer proposed it in 2020, and calls it SwiGLU):
#
# $$h = x\,W_g^\top, \qquad u = x\,W_u^\top, \qquad y = \bigl(h\,\sigma(h) \odot u\bigr)\, W_d^\top, \qquad
# \sigma(h) = \frac{1}{1 + e^{-h}} .$$
#
# `x` is $(N, C)$, `gate` and `up` are $(K, C)$, `down` is $(C, K)$. Derive the way back, with each step's shape, and
# write both functions. `gated_vjp` returns the gradients of `x`, `gate`, `up` and `down`.


# %% task="13.gated"
def gated(x, gate, up, down):
    ### BEGIN SOLUTION
    h = x @ gate.T
    return (h / (1 + np.exp(-h)) * (x @ up.T)) @ down.T
    ### END SOLUTION


def gated_vjp(g, x, gate, up, down):
    ### BEGIN SOLUTION
    h, u = x @ gate.T, x @ up.T
    s = 1 / (1 + np.exp(-h))
    da = g @ down
    du = da * h * s
    dh = da * u * s * (1 + h * (1 - s))
    return dh @ gate + du @ up, dh.T @ x, du.T @ x, g.T @ (h * s * u)
    ### END SOLUTION


# %% [markdown]
# **Try it on.** A gate can multiply. Learn the product of two numbers, with yours and with a relu between two matrices
# that has as many weights.


# %%
def relu_pair(x, w1, w2):
    return np.maximum(x @ w1.T, 0) @ w2.T


def relu_pair_vjp(g, x, w1, w2):
    h = x @ w1.T
    dh = g @ w2 * (h > 0)
    return dh @ w1, dh.T @ x, g.T @ np.maximum(h, 0)


def learn_product(forward, vjp, sizes, seed, steps=3000, rate=0.05):
    rng = np.random.default_rng(seed)
    weights = [rng.normal(0, 0.5, size) for size in sizes]
    for _ in range(steps):
        x = rng.uniform(-1, 1, (32, 2))
        g = 2 * (forward(x, *weights) - x[:, :1] * x[:, 1:]) / len(x)
        weights = [w - rate * dw for w, dw in zip(weights, vjp(g, x, *weights)[1:])]
    x = rng.uniform(-1, 1, (1000, 2))
    return float(((forward(x, *weights) - x[:, :1] * x[:, 1:]) ** 2).mean())


# %% tags=["nbval-ignore-output"]
if check("13.gated"):
    for name, *how in (
        ("relu", relu_pair, relu_pair_vjp, [(10, 2), (1, 10)]),
        ("yours", gated, gated_vjp, [(6, 2), (6, 2), (1, 6)]),
    ):
        errors = [learn_product(*how, seed) for seed in range(4)]
        print(f"{name:6}", "  ".join(f"{error:.4f}" for error in errors), " (saying 0 has 0.1111)")
else:
    print("First comes 13.gated, above.")

# %% [markdown]
# ### 13.why · In your own words
#
# A colleague has measured the gradient in a stack of 24 blocks before training: it is as large at the first block as at
# the last, within a few percent. "Nothing vanishes and nothing explodes", she says, "so this stack is as good as yours,
# where the gradient grows fivefold." It learns badly all the same. Which way of putting in the norm has she chosen,
# what would you measure besides the size, what will you find, and where does it come from? Three or four sentences; a
# person reads them. They should name the term of $g + J^\top g$ that matters.

# %% [markdown] task="13.why"
# ### BEGIN SOLUTION
# Post-norm: there the size is kept, as each norm divides by the root of what the sum has added. I would measure the
# cosine between the gradient at the last block and that at the first. In her stack it is near 0, as (1 + c)^(−M/2) with
# M = 48, in pre-norm about 1/√(1 + cM), some 0.2. The first term, g itself, is divided by √(1 + c) at every norm and
# all but gone at the first block; the size was filled up with what has come through random matrices. In pre-norm the
# norm stands inside f, and g goes past it whole.
# ### END SOLUTION
