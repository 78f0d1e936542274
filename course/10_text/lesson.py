# %% [markdown]
# # 10 · Text becomes numbers
#
# After this chapter you can
#
# - turn any text into numbers and back: by characters, by bytes, and by byte pairs that you learn yourself,
# - build the smallest language model there is, by counting and by training, and say what its loss means,
# - let it write, cooled and cut as you like, and unmask a loss that fell because the answer was in the question.
#
# **Time:** about 100 minutes. **Needs:** chapters [03](03_tensors.ipynb) (forward it copies, backward it sums) and
# [06](06_learning.ipynb) (cross-entropy, Adam). $V$ is the number of different tokens, the **vocabulary**.

# %%
import math
from collections import Counter
from itertools import pairwise

import numpy as np
from matplotlib.figure import Figure

import ddl
from ddl import nn
from ddl.course import show, wearing
from ddl.data import Windows
from ddl.models import distribution
from ddl.nn import functional as F
from ddl.text import BPETokenizer, CharTokenizer, split_words, standard_library
from ddl.widgets import sample, tokens

# %% [markdown]
# ## 1. Which numbers?
#
# A network takes numbers, and a text has none. The first idea: make a list of all characters, and let each stand for
# its place in the list. **Predict.** What will it make of a new word?

# %%
rose = "a rose is a rose"
characters = sorted(set(rose))
ids = [characters.index(c) for c in rose]
print(characters, ids, "".join(characters[i] for i in ids), sep="\n")
assert ids == CharTokenizer.from_text(rose).encode(rose)

# %% tags=["raises-exception"]
CharTokenizer.from_text(rose).encode("naïve rose")

# %% [markdown]
# Those are not in the list. A longer one helps until the next stranger: Unicode has more than 150,000 characters.
#
# The second idea is one layer deeper. On its way to the disk every text becomes **bytes** (UTF-8), and there are only
# 256 of them. Nothing is ever missing. **Predict.** How many bytes does each of these have?

# %%
for word in ("naive", "naïve", "שלום", "👩‍🔬"):
    data = word.encode()
    print(f"{word}: {len(word)} characters, {len(data)} bytes:", *data)

# %% [markdown]
# So a text is a row of numbers from 0 to 255. But the rows are long: chapter 11 will let every token look at every
# other, and twice the tokens is four times the work. We want *fewer, larger* tokens, and still nothing missing.
#
# ## 2. Byte pairs
#
# Start with the bytes. Find the two neighbours that stand side by side most often, and give the pair a number of its
# own: 256. Do it again: 257, 258, ... That is **byte-pair encoding**, and all there is to learn is the list of pairs.
#
# One thing first. Pairs must not reach over the border of a word, or the list fills up with phrases. GPT-2 cuts a text
# into words in which the space belongs to the word *after* it, and the pairs are counted inside.
#
# **Predict**, before you run the next three cells: in `banana bandana`, which pair is joined first? And second?

# %%
print(split_words("It's a list of 12 items, isn't it?"))


# %%
def count_pairs(words):
    """How often each pair stands side by side, in words {ids: how often the word occurs}."""
    total = Counter()
    for ids, times in words.items():
        for pair in pairwise(ids):
            total[pair] += times
    return total


def join(ids, pair, new):
    """The ids with each `pair`, taken from the left, replaced by `new`."""
    out = []
    for i in ids:
        if out and (out[-1], i) == pair:
            out[-1] = new
        else:
            out.append(i)
    return tuple(out)


# %%
def learn_pairs(text, count):
    """The pairs, in the order in which they were joined; a tie goes to the smaller pair."""
    words = {tuple(w.encode()): n for w, n in Counter(split_words(text)).items()}
    pairs = []
    for new in range(256, 256 + count):
        total = count_pairs(words)
        best = min(total, key=lambda pair: (-total[pair], pair))
        words = {join(ids, best, new): n for ids, n in words.items()}
        pairs.append(best)
    return pairs


spelled = [bytes([i]) for i in range(256)]
for left, right in learn_pairs("banana bandana", 3):
    print(f"{spelled[left].decode()!r} + {spelled[right].decode()!r}")
    spelled.append(spelled[left] + spelled[right])

# %% [markdown]
# `an` stands there four times. Then `b + an` and `an + a` both stand there twice, and the tie goes to the smaller
# numbers: `b` is 98.
#
# To **encode** a new text, do the same joins in the same order. To **decode**, write each token's bytes one after the
# other. It is lossless by construction, as no join ever throws a byte away.


# %%
class BytePairs:
    """Text to ids and back, by learned pairs; without any, ids are bytes."""

    def __init__(self, pairs=()):
        self.merges = list(pairs)
        self.tokens = [bytes([i]) for i in range(256)]
        for left, right in self.merges:
            self.tokens.append(self.tokens[left] + self.tokens[right])

    def encode(self, text):
        out = []
        for word in split_words(text):
            ids = tuple(word.encode())
            for new, pair in enumerate(self.merges, 256):
                ids = join(ids, pair, new)
            out += ids
        return out

    def decode(self, ids):
        return b"".join(self.tokens[i] for i in ids).decode(errors="replace")


# %% [markdown]
# Now real text. Every Python carries English: the pages behind `help()` and the docstrings of its standard library. A
# tenth of the documents is **held out**. (The text, and so the numbers, differ a little from one Python to the next.)

# %% tags=["nbval-ignore-output"]
corpus = standard_library()
text, held_text = "\n".join(corpus.train), "\n".join(corpus.held_out)
print(f"{len(text):,} characters to learn from, {len(held_text):,} held out")
mine = BytePairs(learn_pairs(text[:30_000], 120))
print("first pairs:", [t.decode() for t in mine.tokens[256:266]])
print("last pairs: ", [t.decode() for t in mine.tokens[366:376]])
theirs = BPETokenizer.train(text[:30_000], 256 + 120, special_tokens=())
new = held_text[:10_000]
assert mine.merges == theirs.merges and mine.encode(new) == theirs.encode(new)
assert mine.decode(mine.encode(new)) == new  # and back, to the last character

# %% [markdown]
# Your tokenizer, step by step. Go through the merges, and then put in a word of your own: in another language, say.

# %% tags=["nbval-ignore-output"]
tokens("The function returns a naïve list of strings.", mine)

# %% [markdown]
# The letter that few English pages have stayed two bytes, and nothing was lost.
#
# ## 3. What comes next? Count
#
# A **language model** gives a probability to each token that may come next. The smallest one looks at a single token,
# the last: a **bigram** model. One row for each token that was, one column for each that may come:
#
# $$N_{ab} = \text{how often } b \text{ followed } a, \qquad p(b \mid a) = \frac{N_{ab}}{\sum_k N_{ak}} ,
# \qquad V = 256 \text{ at first.}$$


# %%
def count(ids, V):
    """How often b followed a: (T,) -> (V, V)"""
    return np.bincount(ids[:-1] * V + ids[1:], minlength=V * V).reshape(V, V)


def shares(N, added=0.0):
    """Each row of counts, plus `added`, as probabilities."""
    N = N + added
    return N / np.maximum(N.sum(axis=1, keepdims=True), 1e-300)


V = 256
train, held = (np.frombuffer(t.encode(), np.uint8).astype(int) for t in (text, held_text))
N = count(train, V)
assert N.sum() == len(train) - 1 and N[ord("q"), ord("u")] == text.count("qu")

# %% [markdown]
# **Predict.** Which letters will have a row with almost all in one column?

# %% tags=["nbval-ignore-output"]
letters = list(b" abcdefghijklmnopqrstuvwxyz")
names = ["␣", *map(chr, letters[1:])]


def draw(axes, P, vmax):
    axes.set(xticks=range(27), yticks=range(27), xticklabels=names, yticklabels=names)
    axes.set(xlabel="comes next", ylabel="was")
    axes.tick_params(labelsize=6.5)
    return axes.imshow(P[np.ix_(letters, letters)], cmap="cividis", vmin=0, vmax=vmax)


figure = Figure((6.2, 5.4), layout="constrained")
axes = figure.subplots()
P = shares(N)
figure.colorbar(draw(axes, P, 0.5), ax=axes, label="share of the row", extend="max")
words = [f"{chr(a)} then {chr(P[a].argmax())} {P[a].max():.0%}" for a in b"quvjz"]
show(figure, alt=f"Which letter follows which, among letters and space. {', '.join(words)}.")

# %% [markdown]
# After `q` it is nearly sure. How good is it? As in chapter 06, take minus the log of the probability that the model
# gave to what really came, averaged. On a text $x_1 \dots x_T$:
#
# $$L = -\frac{1}{T-1} \sum_{t=1}^{T-1} \ln p(x_{t+1} \mid x_t) \quad\text{nats a token.}$$


# %%
def loss_of(P, ids):
    """Mean of -ln P[a, b] over all neighbours a, b."""
    with np.errstate(divide="ignore"):
        return -np.log(P[ids[:-1], ids[1:]]).mean()


# %% [markdown]
# **Predict.** The loss on the text that was counted; and on the held-out text, where new pairs come?

# %% tags=["nbval-ignore-output"]
print(f"text that was counted: {loss_of(shares(N), train):.2f} nats")
print(f"held-out text:         {loss_of(shares(N), held):.2f} nats")
print((N[held[:-1], held[1:]] == 0).sum(), "pairs there were never seen before")
assert loss_of(shares(N), held) == math.inf

# %% [markdown]
# Who says "impossible", and is wrong once, has lost everything: $-\ln 0 = \infty$. The cure is to believe a little in
# all that one has not seen: add some $\alpha$ to each count. With so much text it hardly matters how much.

# %% tags=["nbval-ignore-output"]
losses = [loss_of(shares(N, added), held) for added in (0.001, 0.01, 0.1, 1)]
print("held-out text, alpha 0.001, 0.01, 0.1, 1:", *(f"{loss:.3f}" for loss in losses))
P = shares(N, 0.1)
assert max(losses) < min(losses) + 0.05 < 3

# %% [markdown]
# ## 4. How low can it go?
#
# Is that good? Two numbers frame it, and one inequality gives both. The logarithm lies below its
# tangent at 1: $\ln z \le z - 1$. Let $p$ be the truth and $q$ what a model says:
#
# $$\sum_k p_k \ln \frac{q_k}{p_k} \;\le\; \sum_k p_k\Bigl(\frac{q_k}{p_k} - 1\Bigr) \;\le\; 1 - 1 = 0
# \qquad\Rightarrow\qquad
# \underbrace{-\sum_k p_k \ln q_k}_{\text{cross-entropy}} \;\ge\;
# \underbrace{-\sum_k p_k \ln p_k}_{\text{entropy } H(p)} .$$
#
# **No model can have a smaller loss than the entropy of the truth**, and only $q = p$ reaches it. Put in
# $q_k = 1/V$, a model that knows nothing: its loss is $\ln V$, so $H(p) \le \ln V$. And if the truth itself is $V$
# equal chances, then the floor and the ceiling are the same: *nobody* gets below $\ln V$.


# %%
def entropy(p):
    """In nats; 0 ln 0 is 0."""
    p = p[p > 0]
    return (p * np.log(1 / p)).sum()


guesses = np.random.default_rng(0).dirichlet(np.ones(4), 10_000)  # (10000, 4)
for p in np.array([[0.5, 0.5, 0, 0], [0.6, 0.2, 0.1, 0.1], [0.25, 0.25, 0.25, 0.25]]):
    lowest = (p * np.log(1 / guesses)).sum(axis=1).min()
    print(f"{p}: entropy {entropy(p):.2f}, the best of 10,000 guesses {lowest:.2f}")
    assert lowest >= entropy(p)

# %% [markdown]
# Read it backwards and it is a number that one can feel: $e^{H}$ equal chances have the entropy $H$. For a loss this is
# called **perplexity**: among how many equally likely tokens the model is undecided.

# %% tags=["nbval-ignore-output"]
how_often = N.sum(axis=1) / N.sum()
alone = np.tile(how_often + 1e-9, (V, 1)) / (1 + V * 1e-9)  # every row the same: forgets what was
for name, table in (("nothing", np.full((V, V), 1 / V)), ("frequencies", alone), ("bigram", P)):
    loss = loss_of(table, held)
    print(f"{name:12} {loss:.2f} nats a token, perplexity {math.exp(loss):6.1f}")
assert loss_of(P, held) < loss_of(alone, held) - 0.4 < math.log(V) - 2

# %% [markdown]
# Frequencies alone leave about 27 candidates of 256; to look at one byte leaves about 15.
#
# ## 5. The same table, trained
#
# Counting ends with two tokens of context: a table for ten would have $V^{11}$ entries. So let us reach the same table
# by the road that goes on: scores $W: (V, V)$, softmax, cross-entropy, gradients.
#
# The scores after token $a$ are row $a$ of $W$. **Looking up a row** is an operation of its own, the **embedding**:
#
# $$y_{n} = W_{x_n}, \qquad W: (V, C),\; x: (N,),\; y: (N, C) .$$
#
# Its way back. $W_{ac}$ went into each $y_{nc}$ with $x_n = a$, and into nothing else, with slope 1:
#
# $$dW_{ac} = \sum_n \frac{\partial y_{nc}}{\partial W_{ac}}\, g_{nc} = \sum_{n:\, x_n = a} g_{nc}, \quad
# \text{shape } (V, C) .$$
#
# Chapter 03 once more: forward it copies, backward it sums. **Predict.** What is wrong with `dW[x] = g`?


# %%
def lookup(weight, i):
    return weight[i]  # (V, C), (..) -> (.., C)


def lookup_back(g, weight, i):
    dw = np.zeros_like(weight)
    np.add.at(dw, i, g)  # adds where an id comes twice; dw[i] = g would keep the last one
    return dw, None  # ids have no slope


rng = np.random.default_rng(0)
w = ddl.tensor(rng.normal(size=(5, 3)), requires_grad=True)
x = np.array([[1, 4, 1], [0, 1, 4]])  # (B, T)
g = rng.normal(size=(2, 3, 3))  # (B, T, C)
(dw,) = ddl.grad((F.embedding(x, w) * g).sum(), [w])
assert np.allclose(lookup_back(g, w.numpy(), x)[0], dw.numpy(), atol=1e-12)
print("the rule agrees with ddl.grad")

# %% [markdown]
# Now the whole way. From chapter 06: the gradient of the mean cross-entropy in the scores is $(p - [k = t])/N$. Send it
# through the lookup. Of the $N$ places, $n_a = \sum_b N_{ab}$ have $x = a$, and $N_{ab}$ of these have the target $b$:
#
# $$dW_{ab} = \sum_{n:\,x_n = a} \frac{p_{ab} - [b = t_n]}{N} = \frac{n_a\,p_{ab} - N_{ab}}{N},
# \quad\text{shape } (V, V) .$$
#
# And where is it zero? At $p_{ab} = N_{ab}/n_a$: **the counts**. By section 4 no table has a lower loss on this text.
# This is the one network of the course whose end we know before it starts.

# %%
table = ddl.tensor(rng.normal(size=(V, V)), requires_grad=True)
x, y = train[:5000], train[1:5001]
(by_library,) = ddl.grad(F.cross_entropy(F.embedding(x, table), ddl.tensor(y)), [table])
counts = count(train[:5001], V)
p = np.exp(table.numpy()) / np.exp(table.numpy()).sum(axis=1, keepdims=True)
by_counts = (counts.sum(axis=1, keepdims=True) * p - counts) / 5000
assert np.allclose(by_library.numpy(), by_counts, atol=1e-12)
print("the rule agrees with ddl.grad")

# %% [markdown]
# To train, take rows of $T$ tokens from anywhere in the text. **The targets are the same rows, one token later**: place
# $t$ is asked for token $t + 1$.


# %%
class Bigram(nn.Module):
    """(B, T) ids -> (B, T, V) scores of the next token"""

    def __init__(self, V):
        self.table = nn.Parameter(np.zeros((V, V), np.float32))

    def forward(self, x):
        return F.embedding(x, self.table)


def batch(ids, rng, B=64, T=64):
    """Rows (B, T), and the same rows one token later."""
    places = rng.integers(len(ids) - T, size=(B, 1)) + np.arange(T)
    return ids[places], ids[places + 1]


rows, targets = batch(np.arange(100), np.random.default_rng(0), B=2, T=5)
print("inputs ", *rows, "\ntargets", *targets)
theirs = Windows(np.arange(100), 5).batch(rows[:, 0])  # the library's
assert (rows == theirs[0]).all() and (targets == theirs[1]).all()


# %%
def loss_on(model, x, y):
    scores = model(x)  # (B, T, V)
    return F.cross_entropy(scores.reshape(-1, scores.shape[-1]), ddl.tensor(y.reshape(-1)))


def fit(model, ids, make_batch=batch, steps=300, lr=0.3, seed=0):
    """The loss of each step; Adam, its rate falling to 0."""
    optimizer = ddl.optim.Adam(model.parameters(), lr=lr)
    falling = ddl.optim.LambdaLR(optimizer, lambda step: 1 - step / steps)
    rng, losses = np.random.default_rng(seed), []
    for _ in range(steps):
        loss = loss_on(model, *make_batch(ids, rng))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        falling.step()
        losses.append(loss.item())
    return losses


# %% [markdown]
# **Predict.** The loss before the first step, to three digits; and where it will end.

# %% tags=["nbval-ignore-output"]
model = Bigram(V)
with wearing(ddl.ops.embedding, lookup, lookup_back):  # yours in the library's place
    worn = fit(Bigram(V), train, steps=20)
losses = fit(model, train)
assert np.allclose(worn[0], losses[0]) and worn[-1] < worn[0] - 0.5
lowest = loss_of(shares(N), train)
table = model.table.softmax(-1).numpy()  # (V, V)
print(f"first loss {losses[0]:.3f}, ln 256 = {math.log(256):.3f}")
print(f"the counted text: trained {loss_of(table, train):.3f}, counts {lowest:.3f}, the floor")
print(f"held out:         trained {loss_of(table, held):.3f}, counts {loss_of(P, held):.3f}")
assert lowest < loss_of(table, train) < lowest + 0.03
assert loss_of(table, held) < loss_of(P, held) + 0.03

# %% [markdown]
# Training comes to the counts, as it must, and it needs no $\alpha$: a pair that never occurred is pushed down step by
# step, and never reaches probability 0.
#
# ## 6. Let it write
#
# Give it a token, draw the next one from its probabilities, put that at the end, ask again. Three knobs change the
# probabilities first.
#
# **Temperature** divides the scores, $p_k \propto e^{s_k/\tau}$: below 1 the likely becomes likelier still, above 1 all
# come closer together. **top_k** keeps the $k$ likeliest tokens; **top_p** keeps the fewest whose probabilities reach
# $p$ together. The rest becomes 0, and what is kept is divided by its sum.


# %%
def cut(s, temperature=1.0, top_k=None, top_p=None):
    """Scores (V,) -> probabilities (V,) to draw from."""
    p = np.exp((s - s.max()) / temperature)
    order = np.argsort(-s, kind="stable")  # likeliest first
    if top_k is not None:
        p[order[top_k:]] = 0
    p /= p.sum()
    if top_p is not None:
        before = np.cumsum(p[order]) - p[order]  # what those before it have together
        p[order[before >= top_p]] = 0
        p /= p.sum()
    return p


for knobs in ({"temperature": 0.5}, {"top_k": 3}, {"top_p": 0.8}, {"top_k": 4, "top_p": 0.6}):
    s = rng.normal(size=50)
    print(knobs, "keeps", np.count_nonzero(cut(s, **knobs)), "of 50")
    assert np.allclose(cut(s, **knobs), distribution(s, **knobs), atol=1e-12)


# %% tags=["nbval-ignore-output"]
def write(model, ids, n, seed, **knobs):
    """The ids, and n more that the model draws."""
    ids, rng = list(ids), np.random.default_rng(seed)
    for _ in range(n):
        with ddl.no_grad():
            s = model(np.array([ids[-1:]])).numpy()[0, -1].astype(float)  # (V,)
        ids.append(int(rng.choice(len(s), p=cut(s, **knobs))))
    return ids


for knobs in ({"temperature": 0.3}, {"temperature": 1.0}, {"temperature": 1.0, "top_p": 0.8}):
    written = BytePairs().decode(write(model, b"The ", 70, seed=1, **knobs))
    print(knobs, written, sep="\n", end="\n\n")

# %% [markdown]
# Cold, it says the same few short words; at 1 it has the rhythm of letters and no words. It sees one byte. Let it see
# more in one token: the same table over byte pairs. **Predict.** The loss of a *token* will be higher than that of a
# byte. Is the model worse?

# %% tags=["nbval-ignore-output"]
many = BPETokenizer.train(text, 1024, special_tokens=())
held_bytes, bits = len(held_text.encode()), []
print("   V   bytes a token   nats a token   perplexity   bits a byte   (held out)")
for size in (256, 512, 1024):
    tokenizer = BPETokenizer(many.merges[: size - 256], special_tokens=())
    old, new = (np.array(tokenizer.encode(t)) for t in (text, held_text))
    loss = loss_of(shares(count(old, size), 0.1), new)
    each = held_bytes / len(new)
    bits.append(loss / math.log(2) / each)
    print(f"{size:5} {each:12.2f} {loss:14.2f} {math.exp(loss):14.1f} {bits[-1]:12.2f}")
assert bits[0] > bits[1] + 0.5 and bits[1] > bits[2]

# %% [markdown]
# A token of several bytes is harder to guess, and there are fewer of them. **Losses in nats a token can only be
# compared with the same tokenizer.** What can always be compared is the whole text: the nats of all tokens together,
# divided by its bytes, $\text{bits a byte} = \frac{L}{\ln 2} \cdot \frac{\text{tokens}}{\text{bytes}}$.

# %% tags=["nbval-ignore-output"]
tokenizer = BPETokenizer(many.merges[:256], special_tokens=())
larger = Bigram(512)
fit(larger, np.array(tokenizer.encode(text)), steps=150)
print(tokenizer.decode(write(larger, tokenizer.encode("The"), 40, seed=1, temperature=0.7)))

# %% [markdown]
# Short words are right now, and long ones begin well. Turn the knobs yourself, and draw on. (The seed fixes the luck of
# each draw: go back, and see what another temperature makes of the same luck.) **Predict** first: where the model is
# nearly sure, and where it is not, which of `top_k` and `top_p` notices the difference?

# %% tags=["nbval-ignore-output"]
sample(larger, "The function", tokenizer)

# %% [markdown]
# (`top_p` does: few tokens stay where a few have nearly all, and many elsewhere.)
#
# ## 7. A bug that trains anyway
#
# A colleague comes from a library in which one gives the text as the target, and the model itself moves it by a place:


# %% tags=["nbval-ignore-output"]
def colleagues_batch(ids, rng, B=64, T=64):
    places = rng.integers(len(ids) - T, size=(B, 1)) + np.arange(T)
    x = ids[places]  # (B, T)
    return x, x.copy()


theirs = [Bigram(V) for _ in range(3)]
runs = [fit(net, train, colleagues_batch, 80, seed=i) for i, net in enumerate(theirs)]
for seed, (net, run) in enumerate(zip(theirs, runs)):
    with ddl.no_grad():
        held_out = loss_on(net, *colleagues_batch(held, np.random.default_rng(9), B=256)).item()
    print(f"seed {seed}: loss {run[0]:.2f} -> {run[-1]:.4f}, held out {held_out:.4f}")
    assert run[-1] < 0.05 and held_out < 0.05

# %% [markdown]
# No error, all shapes right, three seeds; and the *held-out* loss is as low, so it has not learned by heart. The best
# language model in the world. **Find it** before you read on. On which text can *nobody* be so good?
#
# **Predict.** Train both on tokens that are drawn at random, independent, all $V$ equally likely. Where must the loss
# of an honest model stay? And the colleague's?

# %% tags=["nbval-ignore-output"]
print(f"the floor: ln {V} = {math.log(V):.2f}")
for name, make_batch in (("ours", batch), ("the colleague's", colleagues_batch)):
    for seed in range(3):
        noise = np.random.default_rng(seed).integers(0, V, 1_000_000)
        net = Bigram(V)
        fit(net, noise, make_batch, 60, lr=0.1, seed=seed)
        fresh = np.random.default_rng(seed + 50).integers(0, V, 100_000)
        with ddl.no_grad():
            end = loss_on(net, *make_batch(fresh, np.random.default_rng(seed), B=512)).item()
        print(f"{name:16} seed {seed}: {end:.2f} on fresh noise")
        assert (end > math.log(V) - 0.02) == (make_batch is batch)

# %% [markdown]
# **Proved.** On such tokens nothing gets below $\ln V$ (section 4). Ours stays above, as what one noise taught is wrong
# on another. Whoever gets below has not predicted: the answer was in the question. The probe needs no idea of what is
# wrong. Held-out text could not help: the same line makes its targets.
#
# Then where is the answer? Ask each table what it says of the *next* token, whatever it was trained for:

# %% tags=["nbval-ignore-output"]
figure = Figure((7, 3.3), layout="constrained")
shown = []
for axes, net, name in zip(figure.subplots(1, 2), (model, theirs[0]), ("ours", "the colleague's")):
    P_net = net.table.softmax(-1).numpy().astype(float)
    draw(axes, P_net, vmax=1)
    comes, same = loss_of(P_net, held), np.diag(P_net)[letters].mean()
    axes.set_title(f"{name}: {comes:.1f} nats", fontsize=10)
    shown.append(f"{name}, {comes:.1f} nats on what comes, {same:.2f} on the diagonal")
    assert (comes > math.log(V)) == (net is not model)
show(figure, alt=f"Probabilities of letters after letters: {'; '.join(shown)}.")
print("it writes:", repr(BytePairs().decode(write(theirs[0], b"The", 30, seed=1))))

# %% [markdown]
# On what comes next it is worse than knowing nothing, worse than $\ln 256$; it repeats what it was just told.
#
# **The fix** is `+ 1`, and a habit: in every new training script on text, print one row of inputs above its targets, as
# section 5 did, and run the noise probe once. It takes a few seconds.
#
# **Hand-over.** From here on `nn.Embedding` is the table with its lookup, `Windows` the shifted rows, `BPETokenizer`
# the pairs (counted again only where something joined), `distribution` the knobs, `ddl.metrics.perplexity` is $e^L$.
#
# ## Recap
#
# 1. Bytes lack nothing. Byte pairs make the rows shorter: join the most frequent neighbours; encode in the same order.
# 2. A language model's loss is at least the entropy of the text: $\ln V$ on noise. $e^L$ is the perplexity.
# 3. The embedding looks up rows; its way back adds them. Trained to the end, a bigram table is the counts.
# 4. Temperature sharpens and flattens; top_k and top_p cut the tail. Compare tokenizers in bits a byte.
# 5. A loss near 0 on text is no success. Print inputs above targets, and train on noise: below $\ln V$ is a leak.
#
# | here | PyTorch, and Hugging Face's libraries | JAX |
# |---|---|---|
# | `BytePairs`, `BPETokenizer` | `tokenizers.models.BPE`, `tiktoken` | the same |
# | `lookup`; `np.add.at` | `F.embedding`; `index_add_` | `table[ids]`, `flax.nnx.Embed`; `x.at[ids].add(g)` |
# | `batch`, `Windows` | a `Dataset` of your own; `labels=input_ids`, shifted by the model | `grain` |
# | `cut`, `distribution` | `generate(temperature=, top_k=, top_p=)` | `jax.random.categorical` |
#
# ## Go deeper
#
# - A. A. Markov (1913), *An example of statistical investigation of the text Eugene Onegin*: the first bigram model.
# - C. Shannon (1948), *A mathematical theory of communication*; (1951), *Prediction and entropy of printed English*.
# - R. Sennrich, B. Haddow and A. Birch (2016), *Neural machine translation of rare words with subword units*.
# - A. Radford and others (2019), *Language models are unsupervised multitask learners*: pairs of bytes.
# - Y. Bengio, R. Ducharme, P. Vincent and C. Jauvin (2003), *A neural probabilistic language model*.
# - A. Holtzman, J. Buys, L. Du, M. Forbes and Y. Choi (2020), *The curious case of neural text degeneration*: top_p.
#
# **Next:** 11 · Attention. One token of context is little: how can a place look at all the others?
