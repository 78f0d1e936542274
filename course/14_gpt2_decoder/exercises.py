# %% [markdown]
# # Exercises 14 · A GPT-2 decoder
#
# Each exercise has a cell for your answer and below it a cell that checks. The check runs your answer and tells in
# words what is right and what is not; run it as often as you like. Stuck? `hint("14.first")` helps in three steps.
#
# One star is a line or two, two stars a small function, three stars half an hour.

# %%
import inspect

import numpy as np

import ddl
from ddl import nn, optim
from ddl.course import check, hint, progress, reset
from ddl.course.tasks.chapter_14 import Run
from ddl.models import GPT2, SMALL, GPT2Config
from ddl.text import BPETokenizer
from ddl.train import next_token_loss

# %% [markdown]
# ### 14.first ★ The first loss of GPT-2
#
# A first loss that is far from what it should be is the cheapest sign of a broken model: it costs one batch. GPT-2 has
# a vocabulary of 50257 tokens. What is its loss, in nats a token, before it has learned anything? Three digits are
# enough.

# %% task="14.first"
first_loss = ...
### BEGIN SOLUTION
first_loss = np.log(50257).item()
### END SOLUTION

# %% [markdown]
# ### 14.size ★★ How many parameters
#
# Whoever counts before building knows whether a model fits into memory, and finds layers that are not what they should
# be. `size(V, T, C, L)` gives the number of parameters of the chapter's decoder: `V` tokens, `T` places, `C` numbers a
# token, `L` blocks, an MLP four times as wide, biases everywhere but at the head, and the head tied.


# %% task="14.size"
def size(V, T, C, L):
    ### BEGIN SOLUTION
    block = 12 * C * C + 13 * C
    return V * C + T * C + L * block + 2 * C
    ### END SOLUTION


# %% [markdown]
# ### 14.groups ★★ What decays
#
# Weight decay pulls towards 0. That is sensible for the entries of a matrix and makes no sense for the gain of a norm,
# which begins at 1, or for a bias. So an optimizer gets two groups. `groups(model)` gives two lists of names, in the
# model's order: of the parameters that decay, which have two axes or more, and of those that are spared.


# %% task="14.groups"
def groups(model):
    ### BEGIN SOLUTION
    named = [*model.named_parameters()]
    decayed = [name for name, p in named if p.ndim > 1]
    spared = [name for name, p in named if p.ndim <= 1]
    return decayed, spared
    ### END SOLUTION


# %% [markdown]
# ### 14.moved ★★ Find the bug: a probe that sees nothing move
#
# The chapter ended with a probe that belongs into every new training script: which parameters has a step left where
# they were? A colleague wrote it anew, from memory.


# %%
def still_by_memory(model, step):
    before = {name: p.numpy() for name, p in model.named_parameters()}
    step(model)
    return [name for name, p in model.named_parameters() if np.allclose(p.numpy(), before[name])]


def descend(model):
    optimizer = optim.SGD(model.parameters(), lr=0.5)
    optimizer.backward_step((model(ddl.ones(4, 3)) ** 2).mean())


ddl.manual_seed(0)
print("still:", still_by_memory(nn.Linear(3, 2), descend))

# %% [markdown]
# Both parameters moved, and it says that neither did. There are two faults in it, and only one shows here. Write
# `still(model, step)`, which calls `step(model)` once and returns the names, in the model's order, of the parameters of
# which not a single entry has changed.


# %% task="14.moved"
def still(model, step):
    ### BEGIN SOLUTION
    before = {name: p.numpy().copy() for name, p in model.named_parameters()}
    step(model)
    return [name for name, p in model.named_parameters() if (p.numpy() == before[name]).all()]
    ### END SOLUTION


# %% [markdown]
# **Try it on.** The colleague of the chapter, who gave the model new blocks after the optimizer was made:

# %%
if check("14.moved"):
    ddl.manual_seed(3)
    config = GPT2Config(vocab_size=50, block_size=8, n_embd=16, n_layer=1, n_head=2)
    net = GPT2(config)
    optimizer = optim.AdamW(net.parameters(), lr=1e-2)
    net.blocks = GPT2(config).blocks
    ids = np.random.default_rng(0).integers(0, 50, (4, 9))
    names = still(net, lambda model: optimizer.backward_step(next_token_loss(model, (ids[:, :-1], ids[:, 1:]))))
    print(len(names), "parameters are still; the first is", names[0])
else:
    print("First comes 14.moved, above.")

# %% [markdown]
# ### 14.nucleus ★★ Draw from the likely ones
#
# At every step a model leaves a little chance to thousands of tokens that make no sense, and together they are drawn
# often enough to spoil a page. Top-p sampling cuts them: it keeps the likeliest tokens, as few as have a probability of
# at least $p$ together, and draws from these.
#
# `nucleus(scores, p)` gets the scores (V,) of the tokens, a numpy array, and gives the probabilities (V,) to draw with:
# 0 for what is cut, and 1 in all. Scores may be thousands.


# %% task="14.nucleus"
def nucleus(scores, p):
    ### BEGIN SOLUTION
    q = np.exp(scores - scores.max())
    q = q / q.sum()
    order = np.argsort(-q, kind="stable")
    likelier = np.cumsum(q[order]) - q[order]
    q[order[likelier >= p]] = 0.0
    return q / q.sum()
    ### END SOLUTION


# %% [markdown]
# **Try it on.** What may follow these words, by the model that the package ships? The rarer the tokens that are let in,
# the more there are of them.

# %%
if check("14.nucleus"):
    model, tokenizer = GPT2.from_pretrained(SMALL), BPETokenizer.load(SMALL / "tokenizer.json")
    with ddl.no_grad():
        scores = model(np.array([tokenizer.encode("Return the number of")])).numpy()[0, -1].astype(float)  # (V,)
    for p in (0.5, 0.9, 0.99):
        q = nucleus(scores, p)
        likeliest = ", ".join(repr(tokenizer.decode([i])) for i in np.argsort(-q)[:3])
        print(f"p = {p}: {(q > 0).sum():3} of {len(q)} tokens, first of all {likeliest}")
else:
    print("First comes 14.nucleus, above.")

# %% [markdown]
# ### 14.cache ★★★ One new token
#
# While a decoder writes, the keys and values of the past stay what they are; only one token is new. Without a cache the
# whole past would be computed again for every letter.
#
# Write attention of one head for one new token. `attend(q, k, v, cache)` gets its query, key and value, each (D,), and
# `cache`, the pair of all keys and all values so far, each (t, D), where t may be 0. It returns the head's output (D,)
# and the new pair. The new token sees the past and itself. Scores may be large.


# %% task="14.cache"
def attend(q, k, v, cache):
    ### BEGIN SOLUTION
    K = np.vstack([cache[0], k])
    V = np.vstack([cache[1], v])
    scores = K @ q / np.sqrt(len(q))
    e = np.exp(scores - scores.max())
    return e / e.sum() @ V, (K, V)
    ### END SOLUTION


# %% [markdown]
# **Try it on.** Token by token, your function has to give what the library gives for all places at once:

# %%
if check("14.cache"):
    Q, K, V = np.random.default_rng(0).normal(size=(3, 1, 6, 4))  # (1, T, D) each
    at_once = nn.functional.scaled_dot_product_attention(*map(ddl.tensor, (Q, K, V)), is_causal=True).numpy()[0]
    cache, rows = (np.zeros((0, 4)), np.zeros((0, 4))), []
    for t in range(6):
        out, cache = attend(Q[0, t], K[0, t], V[0, t], cache)
        rows.append(out)
    print("the same as all at once:", np.allclose(rows, at_once))
else:
    print("First comes 14.cache, above.")

# %% [markdown]
# ### 14.resume ★★★ To the last bit
#
# A run of days is stopped a dozen times. If each stop changes what comes after it, no result can be repeated. Here is a
# run in small:

# %%
print(inspect.getsource(Run))

# %% [markdown]
# Write two functions. `keep(run)` returns all that has to be kept of it, in whatever form you like; the run goes on
# afterwards. `take_up(run, kept)` gets a fresh run, made from another seed, and puts it where the kept one was: from
# there both go the same way, to the last bit. What is kept can be taken up again and again.


# %% task="14.resume"
def keep(run):
    ### BEGIN SOLUTION
    return {"w": run.w.copy(), "v": run.v.copy(), "step": run.step, "rng": run.rng.bit_generator.state}
    ### END SOLUTION


def take_up(run, kept):
    ### BEGIN SOLUTION
    run.w = kept["w"].copy()
    run.v = kept["v"].copy()
    run.step = kept["step"]
    run.rng.bit_generator.state = kept["rng"]
    ### END SOLUTION


# %% [markdown]
# ### 14.why ★★ Three probes
#
# In words: a colleague shows you a loss curve that falls smoothly, far below that of the trigram, and wants to train
# for a week. Which three probes do you ask for first, and what would each of them show if something were wrong?

# %% [markdown] task="14.why"
# ### BEGIN SOLUTION
# Three of these. The first loss: it should be the logarithm of the vocabulary's size; far above it the weights start
# too large, far below it something tells the answer. The peek: one token is changed, and no score before its place may
# move; where one does, the model sees what it should predict, and a loss far below the trigram's comes from that. The
# held-out loss, on documents that no training text repeats: where it is much higher than the training loss, the model
# has memorised. The parameters after one step: each has to have moved; where a block has not, the optimizer does not
# know it.
# ### END SOLUTION
