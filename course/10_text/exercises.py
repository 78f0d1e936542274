# %% [markdown]
# # Exercises 10 · Text becomes numbers
#
# Each exercise has a cell for your answer and below it a cell that checks. The check runs your answer and tells in
# words what is right and what is not; run it as often as you like. Stuck? `hint("10.floor")` helps in three steps.
#
# One star is a line or two, two stars a small function, three stars half an hour.

# %%
import inspect
import json
import math
from functools import cache
from itertools import pairwise

import numpy as np

from ddl.course import check, hint, progress, reset
from ddl.text import BPETokenizer, split_words, standard_library

# %% [markdown]
# ### 10.floor ★ As low as it goes
#
# A text is drawn at random: each token by itself, `a` with probability 1/2, `b` with 1/4, `c` and `d` with 1/8 each. A
# model with a thousand tokens of context trains on as much of it as it likes. What is the lowest loss, in nats a token,
# that it can have on new text? Three digits are enough. Whoever knows this number for a text knows when to stop.

# %% task="10.floor"
floor = ...
### BEGIN SOLUTION
floor = 1.75 * math.log(2)
### END SOLUTION

# %% [markdown]
# ### 10.bits ★ Bits a byte
#
# Two models with two tokenizers can be compared in one number alone. `loss` is the mean over the tokens of `text`, in
# nats; `tokens` is how many of them there are. Return the bits that the model needs for a byte of the text, on average.


# %% task="10.bits"
def bits_a_byte(loss, tokens, text):
    ### BEGIN SOLUTION
    return loss / math.log(2) * tokens / len(text.encode())
    ### END SOLUTION


# %% [markdown]
# ### 10.rows ★★ Find the bug: the last target of each row
#
# For measuring, a long text is cut into rows of `T` tokens without gaps: each token but the first is to be guessed
# once. A colleague wrote this, saw a sensible loss, and went home:


# %%
def colleagues_rows(ids, T):
    x = ids[: len(ids) // T * T].reshape(-1, T)  # (n, T)
    return x, np.roll(x, -1, axis=1)


for part in colleagues_rows(np.arange(9), 4):
    print(part)

# %% [markdown]
# In rows of 64 tokens 63 targets of 64 are right, and no loss would tell. Repair it: `rows(ids, T)` returns `x` and
# `y`, both `(n, T)`, with as many rows as have all their targets. What is left over at the end is left out.


# %% task="10.rows"
def rows(ids, T):
    ### BEGIN SOLUTION
    n = (len(ids) - 1) // T
    x = ids[: n * T].reshape(n, T)
    y = ids[1 : n * T + 1].reshape(n, T)
    return x, y
    ### END SOLUTION


# %% [markdown]
# ### 10.encode ★★ Find the bug: from left to right
#
# The chapter's `encode` goes through all pairs for each word, and GPT-2 has 50 000 of them. Better: look only at the
# pairs that stand in the word. A colleague's version, where `table` has the id of each pair, numbered as they were
# learned:


# %%
def colleagues_encode(data, table):
    ids = list(data)
    while known := [at for at, pair in enumerate(pairwise(ids)) if pair in table]:
        at = known[0]
        ids[at : at + 2] = [table[ids[at], ids[at + 1]]]
    return ids


corpus = standard_library()
text, held_text = "\n".join(corpus.train)[:600_000], "\n".join(corpus.held_out)
merges = BPETokenizer.train(text, 512, special_tokens=()).merges
table = {pair: id for id, pair in enumerate(merges, 256)}
spelled = [bytes([i]) for i in range(256)]
for left, right in merges:
    spelled.append(spelled[left] + spelled[right])
ids = colleagues_encode(b" returns", table)
print("back again:", b"".join(spelled[i] for i in ids))

# %% [markdown]
# What comes back is what went in, for every word that there is; so all their tests passed. And yet the ids are not
# those that a model was trained on. Write `encode_word(data, table)`, from bytes to a list of ids, so that it gives
# what the chapter's `encode` gives.


# %% task="10.encode"
def encode_word(data, table):
    ### BEGIN SOLUTION
    ids = list(data)
    while known := [table[pair] for pair in pairwise(ids) if pair in table]:
        new = min(known)
        joined = []
        for i in ids:
            if joined and table.get((joined[-1], i)) == new:
                joined[-1] = new
            else:
                joined.append(i)
        ids = joined
    return ids
    ### END SOLUTION


# %% [markdown]
# **Try it on.** A bigram model is counted on text that was cut properly. Then it is measured on held-out text that was
# cut by the colleague, and by you.


# %%
def cut_by(encode, text):
    ids = cache(lambda word: encode(word.encode(), table))
    return np.array([id for word in split_words(text) for id in ids(word)])


def measured(encode):
    """Bits a byte on the held-out text, its words cut by `encode`."""
    seen = np.array(BPETokenizer(merges, special_tokens=()).encode(text))
    N = np.bincount(seen[:-1] * 512 + seen[1:], minlength=512 * 512).reshape(512, 512) + 0.1
    P = N / N.sum(axis=1, keepdims=True)
    new = cut_by(encode, held_text)
    return bits_a_byte(-np.log(P[new[:-1], new[1:]]).mean(), len(new), held_text)


# %% tags=["nbval-ignore-output"]
if check("10.bits") and check("10.encode"):
    for name, encode in (("the colleague's", colleagues_encode), ("yours", encode_word)):
        print(f"{name:16} {measured(encode):.2f} bits a byte")
else:
    print("First come 10.bits and 10.encode, above.")

# %% [markdown]
# ### 10.warmth ★★ How fast warmth undoes certainty
#
# Let $p_k \propto e^{s_k/\tau}$ be what a model draws from at temperature $\tau$, and $H$ its entropy in nats. Derive
# $dH/d\tau$, and write it: `warmth(s, tau)` for scores `s` of shape `(V,)`, which may be thousands. The result is
# short, and one glance at it says where warmth does nothing.


# %% task="10.warmth"
def warmth(s, tau):
    ### BEGIN SOLUTION
    p = np.exp((s - s.max()) / tau)
    p = p / p.sum()
    mean = (p * s).sum()
    return (p * (s - mean) ** 2).sum() / tau**3
    ### END SOLUTION


# %% [markdown]
# **Try it on.** Nobody knows which temperature is right, but you may know among how many tokens you want to choose. So
# let Newton look for the temperature at which the perplexity is 5, with your slope.

# %%
scores = np.random.default_rng(0).normal(0, 2, 50)
if check("10.warmth"):
    tau = 0.5
    for _ in range(5):
        p = np.exp((scores - scores.max()) / tau)
        p /= p.sum()
        H = -(p * np.log(p)).sum()
        print(f"temperature {tau:.4f}: perplexity {math.exp(H):.4f}")
        tau -= (H - math.log(5)) / warmth(scores, tau)
else:
    print("First comes 10.warmth, above.")

# %% [markdown]
# ### 10.mix ★★ Two models are better than one
#
# A table of three bytes knows more than one of two, where it has seen the three; elsewhere it knows nothing. So mix
# them: $\lambda p + (1 - \lambda) q$. For each place of a text, `p` and `q`, both `(T,)`, hold what two models said of
# the token that really came; never are both 0. Return the $\lambda$ from 0 to 1 at which the mixture has the least
# loss, to three digits.


# %% task="10.mix"
def mix(p, q):
    ### BEGIN SOLUTION
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        if ((p - q) / (middle * p + (1 - middle) * q)).sum() > 0:  # more of p makes the loss smaller
            low = middle
        else:
            high = middle
    return low
    ### END SOLUTION


# %% [markdown]
# **Try it on.** Bytes: a table of two and one of three. The weight is chosen on validation text, and judged on text
# that neither the counts nor the choice have seen.


# %%
def as_bytes(text):
    return np.minimum(np.frombuffer(text.encode(), np.uint8), 127).astype(int)


def said(seen, ids):
    """What a table of three and one of two say of each byte of `ids`, counted in `seen`."""
    two = np.bincount(seen[:-1] * 128 + seen[1:], minlength=128**2).reshape(128, 128)
    three = np.bincount(seen[:-2] * 128**2 + seen[1:-1] * 128 + seen[2:], minlength=128**3).reshape(128, 128, 128)
    a, b, c = ids[:-2], ids[1:-1], ids[2:]
    return three[a, b, c] / np.maximum(three[a, b].sum(axis=-1), 1), (two[b, c] + 0.1) / (two[b].sum(axis=-1) + 12.8)


# %% tags=["nbval-ignore-output"]
if check("10.mix"):
    seen = as_bytes(text)
    share = mix(*said(seen, as_bytes("\n".join(corpus.validation)[:100_000])))
    p, q = said(seen, as_bytes(held_text[:100_000]))
    with np.errstate(divide="ignore"):
        for name, part in (("three", p), ("two", q), (f"{share:.2f} of three", share * p + (1 - share) * q)):
            print(f"{name:14} {-np.log(part).mean():.2f} nats a byte")
else:
    print("First comes 10.mix, above.")

# %% [markdown]
# ### 10.bag ★★★ A text as one vector
#
# To tell texts apart one vector for each is enough: the mean of the rows of its tokens. Texts differ in length, so
# short ones are filled up with −1, where no token stands. Derive the way back, and write both:
#
# - `bag(weight, i)`: a table `(V, C)` and ids `(B, T)` give `(B, C)`; each text is the mean over the tokens that it
#   has, and 0 where it has none.
# - `bag_vjp(g, weight, i)`: from `g`, `(B, C)`, the gradient of the table, `(V, C)`.
#
# −1 may stand anywhere. What comes has the dtype of the table.


# %% task="10.bag"
def bag(weight, i):
    ### BEGIN SOLUTION
    real = i >= 0
    n = np.maximum(real.sum(axis=1, keepdims=True), 1).astype(weight.dtype)  # (B, 1)
    return (weight[i] * real[:, :, None]).sum(axis=1) / n
    ### END SOLUTION


def bag_vjp(g, weight, i):
    ### BEGIN SOLUTION
    real = i >= 0
    n = np.maximum(real.sum(axis=1, keepdims=True), 1)
    dw = np.zeros_like(weight)
    np.add.at(dw, i, (real / n)[:, :, None] * g[:, None])  # (B, T, C)
    return dw
    ### END SOLUTION


# %% [markdown]
# **Try it on.** Is a line Python, or a sentence about Python? Tokens of the pairs above, a table of two columns,
# softmax and cross-entropy by hand: a small classifier of text.


# %%
def lines():
    """Lines as rows of ids, filled up with -1, and whether each is code; half to learn from, half to test."""
    code = [line for module in (inspect, json.decoder, json.encoder) for line in inspect.getsource(module).split("\n")]
    prose = held_text.split("\n")
    rng, found = np.random.default_rng(0), []
    for name, some in ((1, code), (0, prose)):
        some = sorted({line.strip() for line in some if 20 <= len(line.strip()) < 80})
        found += [(encode_word(some[n].encode(), table), name) for n in rng.permutation(len(some))[:800]]
    rng.shuffle(found)
    i = np.full((len(found), max(len(ids) for ids, _ in found)), -1)
    for row, (ids, _) in zip(i, found):
        row[: len(ids)] = ids
    t = np.array([name for _, name in found])
    return i[::2], t[::2], i[1::2], t[1::2]


# %% tags=["nbval-ignore-output"]
if check("10.encode") and check("10.bag"):
    i, t, new, new_t = lines()
    weight = np.zeros((512, 2))
    for step in range(201):
        s = bag(weight, i)  # (B, 2)
        p = np.exp(s) / np.exp(s).sum(axis=1, keepdims=True)
        if step % 50 == 0:
            right = (bag(weight, new).argmax(axis=1) == new_t).mean()
            print(f"step {step:3}: loss {-np.log(p[np.arange(len(t)), t]).mean():.2f}, right on new lines {right:.0%}")
        weight -= 30 * bag_vjp((p - np.eye(2)[t]) / len(t), weight, i)
    likely = np.argsort(weight[:, 1] - weight[:, 0])
    print("of code:  ", [spelled[id].decode(errors="replace") for id in likely[:-11:-1]])
    print("of prose: ", [spelled[id].decode(errors="replace") for id in likely[:10]])
else:
    print("First come 10.encode and 10.bag, above.")

# %% [markdown]
# ### 10.why · In your own words
#
# Two reports on the same held-out text. Model A reads bytes, and has a loss of 0.9 nats a token. Model B has pairs, 4.4
# bytes a token on average, and a loss of 3.1. Its author says that A wins by far. Which is the better model of this
# text, and by which numbers? And a third author reports 0.02 nats a byte: what do you suspect, and which two checks do
# you ask for? Four sentences; a person reads them. They should name the unit in which the two can be compared, and
# why low loss on held-out text does not clear the third.

# %% [markdown] task="10.why"
# ### BEGIN SOLUTION
# Losses a token can only be compared with one tokenizer; the whole text can always be compared, in bits a byte. A needs
# 0.9 / ln 2 = 1.30 bits a byte, B only 3.1 / (4.4 · ln 2) = 1.02, so B is the better one. The third is below anything
# that text allows, so the answer must be in the question, for example targets that were not shifted. I would ask for
# one row of inputs above its targets, and for a run on noise of V equal chances, where nothing honest gets below ln V.
# Held-out text is no proof, as its targets are made by the same lines of code.
# ### END SOLUTION
