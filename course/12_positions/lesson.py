# %% [markdown]
# # 12 · Where am I?
#
# After this chapter you can
#
# - prove that attention alone cannot tell "dog bites man" from "man bites dog",
# - build the four usual cures: a learned table, waves, a turn (rotary) and a penalty (ALiBi), and derive why waves and
#   turns know distances,
# - find out by one probe whether a model knows where its tokens stand, when its loss says nothing.
#
# **Time:** about 90 minutes. **Needs:** chapters [03](03_tensors.ipynb) (forward it copies, backward it sums),
# [10](10_text.ipynb) (embeddings) and 11 (attention, heads, the causal mask).
#
# $B$ texts of $T$ tokens, $C$ numbers a token, $H$ heads of width $D$. A place is called $m$ where a query stands and
# $n$ where a key stands.

# %%
import math

import numpy as np
from matplotlib.figure import Figure

import ddl
from ddl import nn
from ddl.course import show
from ddl.nn import functional as F
from ddl.text import CharTokenizer
from ddl.widgets import attend, rotary

COLORS = BLUE, RUST, GREEN, PINK, GREY = "#00588a", "#b34700", "#007a5a", "#a0457f", "#555555"

# %% [markdown]
# ## 1. A bag of words
#
# Attention by hand, once more, in numpy: every query takes a mean of all values, weighted by how well the keys match.


# %%
def weights_of(scores):
    """softmax over the keys, the last axis."""
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def attention(q, k, v, causal=False):
    """(T, D), (T, D), (T, D) -> (T, D)"""
    scores = q @ k.T / math.sqrt(q.shape[-1])  # (T, T)
    if causal:
        scores = np.where(np.tri(len(q), dtype=bool), scores, -np.inf)
    return weights_of(scores) @ v  # (T, D)


# %% [markdown]
# **Predict.** Three words, and the same three in another order. What changes in the three outputs?

# %%
rng = np.random.default_rng(0)
C = 8
words = {word: rng.normal(size=C) for word in ("dog", "bites", "man")}
Wq, Wk, Wv = rng.normal(size=(3, C, C)) / math.sqrt(C)


def read(text, causal=False):
    x = np.stack([words[word] for word in text.split()])  # (T, C)
    out = attention(x @ Wq, x @ Wk, x @ Wv, causal)
    return dict(zip(text.split(), out))


one, other = read("dog bites man"), read("man bites dog")
for word in words:
    print(f"{word:6}", one[word][:3].round(3), other[word][:3].round(3))
assert all(np.allclose(one[word], other[word]) for word in words)

# %% [markdown]
# Nothing: each word gets the same output in both. For whoever reads on, the dog bites and is bitten alike. The reason
# is one line. Let $P$ be the matrix that puts the rows in another order. The scores of $Px$ are $P S P^\top$, the
# softmax goes row by row, so that the weights are $P A P^\top$, and
#
# $$(P A P^\top)(P v) = P\,(A v), \qquad P^\top P = 1.$$
#
# Another order in, the same outputs in that order out. A sum does not know the order of what it adds.
#
# **Predict.** And with the causal mask of chapter 11? Which words' outputs stay?

# %%
one, other = read("dog bites man", causal=True), read("bites dog man", causal=True)
same = {word: np.allclose(one[word], other[word]) for word in words}
print(same)
assert same == {"dog": False, "bites": False, "man": True}

# %% [markdown]
# A causal place knows how many stand before it, and which; not in which order. So "man", who comes last, cannot say
# who bit. The model has to be *told* where its tokens stand. There are four usual ways.
#
# ## 2. A table of places
#
# The simplest: place $n$ gets a row of its own, learned like a word's, and the two are added. GPT-2 does it.

# %%
T = 16


def with_places(x, table):
    return x + table[: x.shape[1]]  # (B, T, C) + (T, C): the table is repeated for each text


# %% [markdown]
# The way back, by chapter 03's rule: forward the row of a place is copied to all $B$ texts, backward it is summed.
# $\;dx = g$ of shape $(B, T, C)$, and $dW_t = \sum_b g_{bt}$ of shape $(T, C)$.

# %%
x = ddl.tensor(rng.normal(size=(3, T, C)), requires_grad=True)
table = ddl.tensor(rng.normal(size=(T, C)), requires_grad=True)
g = rng.normal(size=(3, T, C))
dx, dtable = ddl.grad(with_places(x, table), [x, table], ddl.tensor(g))
print("the table's gradient is the sum over the texts:", np.allclose(dtable.numpy(), g.sum(axis=0)))
assert np.allclose(dtable.numpy(), g.sum(axis=0))
assert (dx.numpy() == g).all()

# %% [markdown]
# It costs $T \cdot C$ parameters, and each row has to be learned from texts that are long enough to reach it.
# **Predict.** What does the library's table do with a text of 17 tokens?

# %% tags=["raises-exception"]
nn.LearnedPositions(T, C)(ddl.ones(1, 17, C))

# %% [markdown]
# There is no row 17, and nothing to say about it. That a model's context has an end is this table's doing.
#
# ## 3. Waves
#
# The authors of the transformer wrote the table down by a formula. Channels come in pairs, and pair $i$ is a clock
# hand with a speed of its own:
#
# $$W_{n,2i} = \sin(\omega_i n), \qquad W_{n,2i+1} = \cos(\omega_i n), \qquad \omega_i = 10000^{-2i/C} .$$


# %%
def speeds(width):
    return 10000.0 ** (-np.arange(0, width, 2) / width)  # (C/2,)


def waves(T, C):
    angles = np.arange(T)[:, None] * speeds(C)  # (T, C/2)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(T, C)


figure = Figure((6.8, 3.0), layout="constrained")
axes = figure.subplots()
axes.imshow(waves(64, 32).T, cmap="cividis", aspect="auto", interpolation="nearest")
axes.set(xlabel="place", ylabel="channel", title="Each column is the address of a place")
told = "The first channels change from place to place, the last hardly at all in 64 places."
show(figure, alt=told)
assert np.allclose(waves(T, C), nn.SinusoidalPositions(C)(ddl.zeros(1, T, C)).numpy()[0], atol=1e-6)

# %% [markdown]
# The upper channels are the second hand, the lower ones the hour hand. Near places have like addresses, and no two are
# equal.
#
# Why waves? Step $s$ places on, and look at one pair. By the sums of angles
#
# $$\begin{aligned}
# \sin(\omega(n+s)) &= \cos(\omega s)\,\sin(\omega n) + \sin(\omega s)\,\cos(\omega n),\\
# \cos(\omega(n+s)) &= -\sin(\omega s)\,\sin(\omega n) + \cos(\omega s)\,\cos(\omega n).
# \end{aligned}$$
#
# A step of $s$ turns each pair by $\omega s$, wherever one stands: it is *one linear map* for all places. So a layer
# can learn "two places back" once. And the product of two addresses, $\sin\sin + \cos\cos$ in each pair, is
#
# $$W_m \cdot W_n = \sum_i \cos(\omega_i (m - n)),$$
#
# which knows the distance and nothing else. **Predict.** Where is it largest, and does it tell before from after?

# %%
W = waves(64, 32)
products = W @ W.T  # (64, 64)
distances = np.arange(-30, 31)
formula = np.cos(distances[:, None] * speeds(32)).sum(axis=1)
for m in (31, 33):
    assert np.allclose(products[m, m + distances], formula)

figure = Figure((6.4, 2.8), layout="constrained")
axes = figure.subplots()
axes.plot(distances, formula, color=BLUE)
axes.set(xlabel="distance", ylabel="product of two addresses")
told = f"16 at distance 0, {formula[40]:.1f} at 10 on either side, {formula[60]:.1f} at 30."
show(figure, alt=told)
print("the same forwards and backwards:", np.allclose(formula, formula[::-1]))

# %% [markdown]
# Largest for a place and itself, and the same on both sides: direction has to come from $W_q$ and $W_k$, which may turn
# one of the two. But this is a product of *addresses*. In a model, address and word are added before anything is
# multiplied, and a score holds four products: word with word, word with place, place with word, place with place. The
# next idea leaves out the three that mix.
#
# ## 4. A turn
#
# **Rotary** positions add nothing. They take the finished query at place $m$ and *turn* it: pair $i$ by the angle
# $\omega_i m$. The key at place $n$ likewise, by $\omega_i n$. One pair is a vector in the plane, and with
#
# $$R(\alpha) = \begin{pmatrix} \cos\alpha & -\sin\alpha \\ \sin\alpha & \cos\alpha \end{pmatrix},
# \qquad R(\alpha)^\top = R(-\alpha), \qquad R(\alpha)\,R(\beta) = R(\alpha + \beta)$$
#
# the part that the pair has in the score is
#
# $$\begin{aligned}
# (R(\omega m)\,q) \cdot (R(\omega n)\,k) &= q^\top R(\omega m)^\top R(\omega n)\,k && \text{a product is } a^\top b\\
# &= q^\top R(-\omega m)\,R(\omega n)\,k && \text{turned back}\\
# &= q^\top R(\omega (n - m))\,k && \text{turns add up.}
# \end{aligned}$$
#
# The places themselves are gone: what is left is the distance, with its sign. In code a turn is a slice, two products
# and a concatenation. Which two channels are a pair is a matter of taste; here channel $i$ goes with $i + D/2$.


# %%
def turn(x, back=False):
    """(.., T, D) -> (.., T, D): the pairs (i, i + D/2) of place n turned by n times their speed."""
    T, D = x.shape[-2:]
    angles = (np.arange(T)[:, None] * speeds(D)).astype(x.dtype)  # (T, D/2)
    cos, sin = np.cos(angles), np.sin(-angles if back else angles)
    a, b = x[..., : D // 2], x[..., D // 2 :]
    return ddl.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)


# %% [markdown]
# **Predict.** One query and one key, put at all places. How many different numbers are there among the $T \cdot T$
# scores?

# %%
D, T = 8, 16
q, k = rng.normal(size=(2, D))
Q, K = (turn(ddl.tensor(np.tile(v, (T, 1)))).numpy() for v in (q, k))  # (T, D): at all places
scores = Q @ K.T  # (T, T)
print(len(np.unique(scores.round(9))), "different scores for", 2 * T - 1, "distances")
assert all(np.ptp(np.diag(scores, d)) < 1e-9 for d in range(1 - T, T))
assert np.allclose(np.linalg.norm(Q, axis=-1), np.linalg.norm(q))  # a turn leaves the length

# %% [markdown]
# One for each distance. And a turn leaves lengths as they are, so that chapter 11's $1/\sqrt{D}$ stays right.
# Move the two positions, both together and one alone, and watch the score:

# %%
rotary(D, T, q=q, k=k)

# %% [markdown]
# **The way back.** In a pair $y = R x$, so $dx = R^\top g = R(-\omega n)\,g$, of shape $(T, D)$: the gradient is turned
# back by the same angle. No other rule is as short. The places have no parameters, so that is all.

# %%
x = ddl.tensor(rng.normal(size=(2, T, D)), requires_grad=True)
g = ddl.tensor(rng.normal(size=(2, T, D)))
(dx,) = ddl.grad(turn(x), [x], g)
turned_back = turn(g, back=True).numpy()
print("the gradient is the message, turned back:", np.allclose(dx.numpy(), turned_back))
assert np.allclose(dx.numpy(), turned_back, atol=1e-12)
assert np.allclose(turn(x).numpy(), nn.RotaryEmbedding(D)(x).numpy(), atol=1e-12)

# %% [markdown]
# The library agrees, and has the other taste as well: with `interleaved=True` a pair is $(2i, 2i + 1)$. Weights that
# were trained with one convention are worthless with the other. **Predict.** Is a model that was *begun* with the
# other one worse?
#
# It is not: the channels of $q$ and $k$ have no order of their own. Only mixing the two conventions is an error, and
# none that raises. (An exercise has one to be found.)
#
# ## 5. A penalty
#
# The fourth way touches neither words nor queries. **ALiBi** subtracts from each score its distance times a slope, and
# every head has a slope of its own:
#
# $$s_{mn} = \frac{q_m \cdot k_n}{\sqrt D} - \lambda_h\,(m - n), \qquad \lambda_h = 2^{-8h/H}, \quad h = 1, \dots, H.$$


# %%
def penalty(T, H):
    """(H, T, T), to be added to the scores."""
    slopes = 2.0 ** (-8 * np.arange(1, H + 1) / H)  # (H,)
    distance = np.arange(T)[:, None] - np.arange(T)  # (T, T)
    return -slopes[:, None, None] * np.abs(distance)


T, H = 64, 4
assert np.allclose(penalty(T, H), nn.ALiBi(H)(ddl.zeros(1, T, D)).numpy())

figure = Figure((6.4, 2.8), layout="constrained")
axes = figure.subplots()
told = []
seen = weights_of(penalty(T, H)[:, -1])  # (H, T): by the last query, where all keys are alike
for h, (row, color, style) in enumerate(zip(seen, COLORS, ("-", "--", "-.", ":")), 1):
    axes.plot(np.arange(T) - T + 1, row, color=color, ls=style, label=f"head {h}")
    told.append(f"head {h} gives {row[-8:].sum():.0%} to the last 8 places")
axes.legend(loc="upper left")
axes.set(xlabel="place, from the query's own", ylabel="weight, all keys alike")
show(figure, alt="; ".join(told) + ".")

# %% [markdown]
# The first head is short-sighted, the last sees nearly everything alike. Nothing is learned, nothing ends: a place far
# beyond the training is only a little fainter than the one before. What ALiBi cannot do is point: nearer is always
# more.
#
# ## 6. All of them at work
#
# A task that nobody solves without places: name the token that stood *two places back*. The tokens are drawn at random,
# the first ones more often, so that a model without places can still learn something. One layer of attention, with two
# heads; whoever is right points at the place $m - 2$.

# %%
V, C, H, T, LAG = 8, 32, 2, 16, 2
chances = 1 / np.arange(1, V + 1)
chances /= chances.sum()
entropy = -(chances * np.log(chances)).sum()


class Finder(nn.Module):
    """(B, T) ids -> (B, T, V) scores for the token LAG places back."""

    def __init__(self, places=None, **inside):
        self.table = nn.Embedding(V, C, weight_init=nn.init.xavier_normal)
        self.places = places or nn.Identity()
        self.attention = nn.MultiHeadAttention(C, H, is_causal=True, **inside)
        self.head = nn.Linear(C, V)

    def forward(self, ids):
        return self.head(self.attention(self.places(self.table(ids))))


# %%
WAYS = {
    "none": Finder,
    "learned": lambda: Finder(nn.LearnedPositions(T, C)),
    "sinusoidal": lambda: Finder(nn.SinusoidalPositions(C)),
    "rotary": lambda: Finder(rotary=nn.RotaryEmbedding(C // H)),
    "ALiBi": lambda: Finder(alibi=nn.ALiBi(H)),
}


# %%
def texts(rng, B, T):
    return rng.choice(V, size=(B, T), p=chances)


def train(make, seed, steps=250):
    """The trained model and its losses."""
    ddl.manual_seed(seed)
    model, rng, losses = make(), np.random.default_rng(seed), []
    optimizer = ddl.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(steps):
        ids = texts(rng, 32, T)
        scores = model(ids)[:, LAG:]  # (B, T - LAG, V)
        loss = F.cross_entropy(scores.reshape(-1, V), ids[:, :-LAG].reshape(-1))
        optimizer.backward_step(loss)
        losses.append(loss.item())
    return model, losses


# %% [markdown]
# **Predict.** The tokens have an entropy of 1.82 nats. Who ends near 0, who stays near 1.82, and is there anybody
# between?

# %%
runs = {name: [train(make, seed) for seed in range(3)] for name, make in WAYS.items()}
print(f"the tokens' entropy {entropy:.2f}\n\nloss at the end, three seeds")
for name, of in runs.items():
    ends = [np.mean(losses[-20:]) for _, losses in of]
    print(f"{name:11}", "  ".join(f"{end:.1f}" for end in ends))
    assert (max(ends) < 0.05) if name in ("learned", "sinusoidal", "rotary") else (min(ends) > 1.2)

# %% [markdown]
# Three find the place, every time. Without places the loss falls below the entropy all the same: the token is one of
# those seen so far, and a token that was seen often is a good guess. ALiBi is a little better than none: this one
# layer prefers what is near, and does not single out the place two back.
#
# What the rotary model looks at: whatever the letters, the weights lie two places below the diagonal.

# %% tags=["nbval-ignore-output"]
letters = CharTokenizer(list("abcdefgh"))
model = runs["rotary"][0][0]
attend(model, "cabbagefadedcafe", letters)

# %% [markdown]
# **Predict.** All were trained on 16 tokens. Who is still right on 32, and on 64?


# %%
def share_right(model, T):
    """On texts that it never saw, of any length."""
    ids = texts(np.random.default_rng(99), 200, T)
    with ddl.no_grad():
        said = model(ids).numpy().argmax(axis=-1)
    return (said[:, LAG:] == ids[:, :-LAG]).mean()


# %%
table = {}
for name, of in runs.items():
    row = table[name] = []
    for length in (16, 32, 64):
        reach = name != "learned" or length <= T  # the table has no row for more
        row.append(np.mean([share_right(m, length) for m, _ in of]) if reach else math.nan)

figure = Figure((6.4, 3.0), layout="constrained")
axes = figure.subplots()
told = []
for (name, row), color, style in zip(table.items(), COLORS, ("o-", "s:", "v--", "D-", "^-.")):
    axes.plot((16, 32, 64), row, style, color=color, label=name)
    told.append(f"{name} " + ", ".join(f"{share:.1f}" for share in row if share == share))
axes.set(xlabel="tokens in the text", ylabel="share right", xticks=(16, 32, 64), ylim=(0, 1.05))
axes.legend(loc="lower left", ncols=3)
show(figure, alt=f"Share right at 16, 32 and 64 tokens: {'; '.join(told)}.")
assert table["rotary"][1] > table["sinusoidal"][1] > table["none"][1] + 0.2
assert table["rotary"][2] < 0.9

# %% [markdown]
# Learned places end where the table ends. Waves and turns lose their way too, turns later: a softmax over 64 keys has
# four times as many that are a little wrong, and distances came up that nobody trained. A formula that goes on for ever
# is no promise that the model does. ALiBi, which never pointed, changes least.
#
# ## 7. A bug that trains anyway
#
# A colleague has read that rotary positions are "cosines of the place, in the scores". So she puts them there:


# %%
class Colleague(Finder):
    def forward(self, ids):
        x = self.table(ids)
        parts = self.attention.qkv(x).reshape(*ids.shape, 3, H, C // H).permute(2, 0, 3, 1, 4)
        q, k, v = parts[0], parts[1], parts[2]  # each (B, H, T, D)
        scores = q @ k.mT / math.sqrt(C // H)  # (B, H, T, T)
        place = np.arange(ids.shape[1], dtype="float32")
        scores = scores + np.cos(place)[:, None]  # the cosine of the place
        past = np.tri(ids.shape[1], dtype=bool)
        weights = scores.masked_fill(~past, -np.inf).softmax(dim=-1)
        heads = (weights @ v).permute(0, 2, 1, 3).reshape(*ids.shape, C)
        return self.head(self.attention.proj(heads))


hers = [train(Colleague, seed) for seed in range(3)]
for _, losses in hers:
    print(f"loss {losses[0]:.1f} at first, {np.mean(losses[-20:]):.1f} at the end")
    assert np.mean(losses[-20:]) < losses[0] - 0.5

# %% [markdown]
# It learns, it is far below the tokens' entropy, and the same for all seeds. "A hard task," she says, "it needs a
# larger model." **Find it** before you read on: what would you ask of a model that knows where its tokens stand?
#
# **The probe: put the past in another order.** Two tokens of the past change places, one of them the one that is asked
# for, and we look at the last place's scores. Whoever knows places must notice. It works before any training too.


# %%
def notices(model, a=4, b=T - 1 - LAG):
    """How far the scores of the last place move when places a and b exchange their tokens."""
    ids = texts(np.random.default_rng(5), 50, T)
    swapped = ids.copy()
    swapped[:, [a, b]] = ids[:, [b, a]]
    with ddl.no_grad():
        return float(np.abs(model(swapped).numpy()[:, -1] - model(ids).numpy()[:, -1]).max())


for name, of in {**runs, "hers": hers}.items():
    ddl.manual_seed(7)
    fresh = WAYS.get(name, Colleague)()
    moved = {"before training": notices(fresh), "after": max(notices(m) for m, _ in of)}
    said = (f"{when}: {'moves' if by > 1e-4 else 'still'}" for when, by in moved.items())
    print(f"{name:11}", ", ".join(said))
    assert {by > 1e-4 for by in moved.values()} == {name not in ("none", "hers")}

# %% [markdown]
# Hers does not know places at all: it is the model without. The cosine of the *query's* place is the same for all keys
# of a row, and a softmax does not see what is added to a whole row:
#
# $$\frac{e^{s_n + c}}{\sum_j e^{s_j + c}} = \frac{e^{c}\,e^{s_n}}{e^{c} \sum_j e^{s_j}}
# = \frac{e^{s_n}}{\sum_j e^{s_j}} .$$

# %%
row = rng.normal(size=(1, 6))
assert np.allclose(weights_of(row + 0.7), weights_of(row))
for (_, her_losses), (_, without) in zip(hers, runs["none"]):
    assert abs(np.mean(her_losses[-20:]) - np.mean(without[-20:])) < 0.05
print("her losses are those of the model without places, seed by seed")

# %% [markdown]
# **The fix** is to turn, not to add:


# %%
class Mended(Finder):
    def forward(self, ids):
        x = self.table(ids)
        parts = self.attention.qkv(x).reshape(*ids.shape, 3, H, C // H).permute(2, 0, 3, 1, 4)
        q, k, v = turn(parts[0]), turn(parts[1]), parts[2]
        heads = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.head(self.attention.proj(heads.permute(0, 2, 1, 3).reshape(*ids.shape, C)))


mended, losses = train(Mended, 0)
print(f"loss at the end {np.mean(losses[-20:]):.2f}")
print("the past in another order:", "moves" if notices(mended) > 1e-4 else "still")
assert np.mean(losses[-20:]) < 0.05

# %% [markdown]
# The loss could not show it, since it fell as it should for a model that knows a bag of tokens. On real text this bag
# is worth even more, and the curve looks better still.
#
# **Hand-over.** From here on `nn.LearnedPositions`, `nn.SinusoidalPositions`, `nn.RotaryEmbedding` and `nn.ALiBi` are
# what you have built; the last two go into `nn.MultiHeadAttention(rotary=..)` and `(alibi=..)`.
#
# ## Recap
#
# 1. Attention takes its tokens as a bag: another order in, the same outputs in that order out.
# 2. A learned table tells places one by one, is summed over the texts on the way back, and ends.
# 3. Waves: a step turns every pair by the same angle, so a product of two addresses knows their distance.
# 4. Rotary turns queries and keys; scores see $n - m$ alone, lengths stay, and the gradient is turned back.
# 5. ALiBi subtracts slope times distance. Swap two tokens of the past: a model that knows places notices.
#
# | here | PyTorch, and Hugging Face's libraries | JAX |
# |---|---|---|
# | `nn.LearnedPositions` | `nn.Embedding(T, C)(torch.arange(T))`, `wpe` in GPT-2 | `flax.nnx.Embed` |
# | `turn`, `nn.RotaryEmbedding` | `apply_rotary_pos_emb`, `rotate_half` in LLaMA's code | written by hand |
# | `nn.ALiBi` | `build_alibi_tensor` in BLOOM's code; a float `attn_mask` | `bias=` of `dot_product_attention` |
#
# ## Go deeper
#
# - A. Vaswani and others (2017), *Attention is all you need*: section 3.5, the waves.
# - J. Su and others (2021), *RoFormer: enhanced transformer with rotary position embedding*.
# - O. Press, N. A. Smith and M. Lewis (2022), *Train short, test long*: ALiBi.
# - A. Haviv and others (2022), *Transformer language models without positional encodings still learn positional
#   information*: what several layers make of the causal mask alone.
#
# **Next:** 13 · The block. Attention and places, put into a stack that can be made deep.
