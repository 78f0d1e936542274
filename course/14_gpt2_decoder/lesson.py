# %% [markdown]
# # 14 · A GPT-2 decoder
#
# After this chapter you can
#
# - train a language model from nothing on real text, and say what its loss means,
# - tell a model that has learned from one that only looks as if it had,
# - stop a run, take it up again to the last bit, and let the model write.
#
# **Time:** about 60 minutes, of which the training takes two or three. **Needs:** chapters 01 and 02; the parts of a
# decoder (attention, blocks, tokens) are named here and used from the library.
#
# Where a line says **Predict**, write your answer down before you run the cell below it.

# %%
import math
import tempfile
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import ddl
from ddl.course import show
from ddl.data import DataLoader, Windows
from ddl.models import GPT2, GPT2Config
from ddl.nn import functional as F
from ddl.optim import AdamW, LambdaLR, warmup_cosine
from ddl.text import BPETokenizer, NGram, standard_library
from ddl.train import Trainer

ddl.manual_seed(0)

# %% [markdown]
# ## 1. The text
#
# Every Python carries English: the pages that `help()` prints, and the docstrings of its standard library. Together
# they make a small book on one subject. One topic or module is one document. A tenth of the documents is **held out**:
# the model never trains on them, so only they can show what it has learned rather than memorised. Another tenth, for
# **validation**, was used to choose the settings of this chapter: a choice made on the held-out text would flatter it.
#
# (The text differs a little from one version of Python to the next, and so do the numbers below. The claims that
# matter are asserted, and hold on all of them.)

# %% tags=["nbval-ignore-output"]
corpus = standard_library()
for part in ("train", "validation", "held_out"):
    documents = getattr(corpus, part)
    letters = sum(map(len, documents))
    print(f"{part:12} {len(documents):4} documents, {letters:9,} characters")
print()
print(corpus.train[3][:300])

# %% [markdown]
# ## 2. Text becomes numbers
#
# A **byte-pair tokenizer** starts from the 256 bytes and joins, again and again, the pair that stands side by side most
# often. We let it make 711 joins, and add one special token that marks the end of a document: 256 + 711 + 1 = 968.
#
# **Predict.** How many characters will one token stand for, on average?

# %% tags=["nbval-ignore-output"]
tokenizer = BPETokenizer.train(corpus.train, vocab_size=968)
train_ids = tokenizer.encode_documents(corpus.train)
held_ids = tokenizer.encode_documents(corpus.held_out)

sentence = "Return the number of items in the list."
print(" | ".join(tokenizer.decode([i]) for i in tokenizer.encode(sentence)))
letters = sum(map(len, corpus.train))
print(f"{len(train_ids):,} tokens to train on, {letters / len(train_ids):.1f} characters each")

# %%
assert tokenizer.vocab_size == 968
assert all(tokenizer.decode(tokenizer.encode(text)) == text for text in corpus.held_out)
print("every held-out document comes back from its tokens, character for character")

# %% [markdown]
# ## 3. The model
#
# The decoder reads up to 128 tokens and gives, at **each** place, a score to each of the 968 tokens that may come next.
#
# $$\text{ids} \;\to\; \text{embeddings } x \;\to\; \text{4 blocks} \;\to\; \text{norm} \;\to\; \text{scores}$$
#
# and each block adds to $x$ twice:
#
# $$x \leftarrow x + \text{attention}(\text{norm}(x)), \qquad x \leftarrow x + \text{mlp}(\text{norm}(x))$$
#
# The last step multiplies by the embedding table once more. One table serves both ends: the **tied head**.
#
# **Predict.** A block holds a linear layer from 128 to 384 numbers, one from 128 to 128, one from 128 to 512 and one
# back, each with a bias, and two norms of 128 gains and 128 biases. How many parameters is that? And the whole model?

# %%
config = GPT2Config(vocab_size=968, block_size=128, n_embd=128, n_layer=4, n_head=4)
model = GPT2(config)

attention = (128 * 384 + 384) + (128 * 128 + 128)
mlp = (128 * 512 + 512) + (512 * 128 + 128)
block = attention + mlp + 2 * (128 + 128)
total = 968 * 128 + 128 * 128 + 4 * block + (128 + 128)
assert model.num_parameters() == total == 933_632
print(f"one block {block:,}, the whole model {total:,}")

# %%
parts = {
    "tokens": 968 * 128,
    "places": 128 * 128,
    "4 attentions": 4 * attention,
    "4 MLPs": 4 * mlp,
    "9 norms": 9 * (128 + 128),
}
assert sum(parts.values()) == total

figure = Figure((6.5, 2.4), layout="constrained")
axes = figure.subplots()
axes.barh(list(parts), list(parts.values()), color="#00588a")
axes.invert_yaxis()
axes.set(xlabel="parameters", title="Where the 933,632 parameters are")
axes.set_xlim(0, 650_000)
axes.xaxis.set_major_formatter("{x:,.0f}")
for row, count in enumerate(parts.values()):
    axes.text(count + 6_000, row, f"{count:,}", va="center")
words = ", ".join(f"{name} {count:,}" for name, count in parts.items())
show(figure, alt=f"Bars of the parameters in each part: {words}.")

# %% [markdown]
# ## 4. What should it say before it has learned?
#
# The loss is $-\log p$ of the token that really came next, averaged over all places. A model that knows nothing gives
# every token the same chance, $p = 1/968$.
#
# **Predict.** What is its loss? If the first loss were far above, what would that tell you?

# %%
x, y = Windows(train_ids, 128).batch(np.arange(16) * 1000)
logits = model(x)  # (B, T, V) = (16, 128, 968)
first = F.cross_entropy(logits.reshape(-1, 968), y.reshape(-1)).item()
assert abs(first - math.log(968)) < 0.1
print(f"ln 968 is {math.log(968):.3f}, and the first loss is within 0.1 of it")

# %% [markdown]
# A first loss far above $\ln 968$ comes from a model that is sure of something before it has seen anything: its weights
# start too large. It would spend its first steps unlearning.
#
# ## 5. No peeking
#
# Place $t$ must not see the token at $t + 1$: that token is its answer. A model that can peek trains beautifully and
# writes nonsense. So before any training we change one token and look where the scores move.
#
# **Predict.** We change the token at place 60. At which places may the scores change?

# %%
changed = x[:1].copy()
changed[0, 60] = (changed[0, 60] + 1) % 968
with ddl.no_grad():
    moved = np.abs(model(changed).numpy() - model(x[:1]).numpy()).max(axis=-1)[0]  # (T,)

assert (moved[:60] == 0).all()
assert (moved[60:] > 0).all()
print("places whose scores moved:", np.flatnonzero(moved)[0], "to", np.flatnonzero(moved)[-1])

# %% [markdown]
# ## 6. What there is to beat
#
# Counting goes a long way. A **bigram** model looks up how often each token followed the last one; a **trigram** looks
# at the last two. (Ours discount each count a little, and give what is left to the shorter context.)
# A neural model that does not beat them has not earned its multiplications.

# %% tags=["nbval-ignore-output"]
bigram, trigram = (NGram(order).fit(train_ids, 968).loss(held_ids) for order in (2, 3))
print("held-out loss, in nats a token")
for name, loss in [("nothing known", math.log(968)), ("bigram", bigram), ("trigram", trigram)]:
    print(f"{name:14}{loss:.2f}")

# %% [markdown]
# ## 7. Training
#
# One step: take 8 windows of 128 tokens, compute the loss, walk back, move every parameter against its gradient.
# AdamW scales each move by how large that parameter's gradients have been. The learning rate warms up, then falls
# along half a cosine.
#
# The bar shows the steps done, the time left, the loss and the speed. You may press the stop button: the step in hand
# is finished, and what was learned is kept.

# %%
STEPS = 1100
loader = DataLoader(Windows(train_ids, 128), batch_size=8, shuffle=True, seed=0)
held_out = DataLoader(Windows(held_ids, 128, stride=128), batch_size=32)

matrices = [p for p in model.parameters() if p.ndim > 1]
vectors = [p for p in model.parameters() if p.ndim == 1]
groups = [
    {"params": matrices, "weight_decay": 0.1},
    {"params": vectors, "weight_decay": 0.0},
]
optimizer = AdamW(groups, lr=4e-3, betas=(0.9, 0.95))
schedule = LambdaLR(optimizer, warmup_cosine(150, STEPS, final=0.0))
trainer = Trainer(model, optimizer, loader, held_out=held_out, schedule=schedule)

# %% tags=["nbval-ignore-output"]
history = trainer.fit(STEPS, eval_every=275)

# %% tags=["nbval-ignore-output"]
final = history[-1]["held_out"]
print(f"held-out loss: {final:.2f}, where the bigram has {bigram:.2f}")

# %%
assert trainer.step < STEPS or final < bigram - 0.05  # after a stop it may be too early
seen = [h["held_out"] for h in history if "held_out" in h]
assert seen == sorted(seen, reverse=True)
print("the held-out loss fell at every look, and ended below the bigram's")

# %% tags=["nbval-ignore-output"]
steps = [h["step"] for h in history]
looks = [h["step"] for h in history if "held_out" in h]
figure = Figure((6.5, 3.4), layout="constrained")
axes = figure.subplots()
axes.plot(steps, [h["loss"] for h in history], color="#8ab6d6", lw=0.8, label="each batch")
axes.plot(looks, seen, "o-", color="#00588a", label="held out")
for name, loss, style in [("bigram", bigram, "--"), ("trigram", trigram, ":")]:
    axes.axhline(loss, color="#b35900", ls=style, label=name)
axes.set(xlabel="step", ylabel="loss, nats a token", title="Learning to predict the next token")
axes.legend()
words = f"The loss falls from {history[0]['loss']:.2f}; held out, it ends at {seen[-1]:.2f}"
show(figure, alt=f"{words}, where the bigram has {bigram:.2f} and the trigram {trigram:.2f}.")

# %% [markdown]
# The model has earned its multiplications against the bigram. The trigram is still ahead: in two minutes our model has
# read the text once or twice, and it needs more. After a longer run the same model passes the trigram too; section 8
# shows that one.
#
# ## 8. Let it write
#
# To write, the model scores the next token, we draw one, put it at the end, and ask again. **Temperature** divides the
# scores first: below 1 the likely tokens become likelier still; at 0 only the likeliest is ever taken.
#
# (The prompt has no space at its end: in our tokens a word brings the space before it along. With the space the model
# would have to begin in the middle of a word.)
#
# **Predict.** What will a low temperature do to the text, and what a high one?

# %% tags=["nbval-ignore-output"]
prompt = tokenizer.encode("Return the")
for temperature in (0.0, 0.7, 1.3):
    ids = model.generate(prompt, 60, temperature=temperature, rng=np.random.default_rng(1))
    print(f"temperature {temperature}:", tokenizer.decode(ids), "\n")

# %% [markdown]
# Cold, it repeats itself; hot, it falls apart. In between it has the rhythm of the manual, its words and its
# punctuation, and no idea what it says: it has trained for two minutes. The package holds the same model after a
# longer run (`python -m ddl.models.record` trains it, `record.json` beside it says how):

# %% tags=["nbval-ignore-output"]
longer = GPT2.from_pretrained(ddl.models.SMALL)
its_tokens = BPETokenizer.load(ddl.models.SMALL / "tokenizer.json")
prompt_ids = its_tokens.encode("Return the")
ids = longer.generate(prompt_ids, 90, temperature=0.7, rng=np.random.default_rng(1))
print(its_tokens.decode(ids))

# %% [markdown]
# Writing keeps the keys and values of the past in a **cache**, and runs only the newest token. That must change the
# speed and nothing else.

# %%
with_cache = model.generate(prompt, 40, temperature=0.0, use_cache=True)
without = model.generate(prompt, 40, temperature=0.0, use_cache=False)
assert (with_cache == without).all()
print("the same", len(with_cache) - len(prompt), "tokens with the cache and without")

# %% [markdown]
# ## 9. Stop, and go on to the last bit
#
# A checkpoint that holds only the weights is a different run: AdamW's running means start at zero again, the shuffle
# starts again, the schedule too. `Trainer` keeps all of it. We train a small model for 20 steps in one go, and another
# for 12, forget everything, and take it up from the folder.


# %%
def small_run(folder):
    ddl.manual_seed(1)
    small = GPT2Config(968, block_size=32, n_embd=32, n_layer=2, n_head=2, dropout=0.1)
    net = GPT2(small)
    opt = AdamW(net.parameters(), lr=1e-2)
    batches = DataLoader(Windows(train_ids, 32), batch_size=8, shuffle=True, seed=2)
    schedule = LambdaLR(opt, warmup_cosine(5, 20))
    return Trainer(net, opt, batches, schedule=schedule, folder=folder)


with tempfile.TemporaryDirectory() as place:
    in_one_go = [h["loss"] for h in small_run(Path(place, "one")).fit(20, progress=False)]
    small_run(Path(place, "two")).fit(12, progress=False)
    again = small_run(Path(place, "two"))
    print("taken up at step", again.resume())
    resumed = [h["loss"] for h in again.fit(20, progress=False)]

assert resumed == in_one_go
print("all 20 losses are equal, to the last bit")

# %% [markdown]
# ## 10. The bug that trains anyway
#
# A colleague builds a model and its optimizer, then decides to give the model new blocks. The loss falls. Is all well?

# %%
ddl.manual_seed(3)
small = GPT2Config(vocab_size=968, block_size=32, n_embd=32, n_layer=2, n_head=2)
net = GPT2(small)
opt = AdamW(net.parameters(), lr=3e-3)
net.blocks = GPT2(small).blocks  # the change of mind

before = {name: p.numpy().copy() for name, p in net.named_parameters()}
batches = DataLoader(Windows(train_ids, 32), batch_size=16, shuffle=True, seed=4)
losses = [h["loss"] for h in Trainer(net, opt, batches).fit(300, progress=False)]
assert np.mean(losses[-10:]) < losses[0] - 1
print("the loss fell by more than 1 nat")

# %% [markdown]
# It did, and a plot of it would pass any meeting. **Predict.** Which parameters moved?
#
# The probe costs three lines, and belongs after the first step of every new training script.

# %% tags=["nbval-ignore-output"]
still = [name for name, p in net.named_parameters() if (p.numpy() == before[name]).all()]
moved = [name for name in before if name not in still]
print("moved:", ", ".join(moved))
rooms = sorted({name.split(".")[0] for name in still})
print("never moved:", len(still), "parameters, in", rooms)

# %% [markdown]
# The optimizer still holds the **old** blocks, which no forward pass uses; nobody moves the new ones. What fell was the
# work of the embeddings and the last norm alone. The cure is an order: first the whole model, then its optimizer.

# %%
assert still
assert all(name.startswith("blocks.") for name in still)
print("proved: every parameter of the new blocks is where it started")

# %% [markdown]
# **Predict.** With the two lines in the right order, which parameters will stay, and how much lower will the loss end?

# %%
ddl.manual_seed(3)
mended = GPT2(small)
mended.blocks = GPT2(small).blocks
opt = AdamW(mended.parameters(), lr=3e-3)  # now it holds what the model is made of

before = {name: p.numpy().copy() for name, p in mended.named_parameters()}
batches = DataLoader(Windows(train_ids, 32), batch_size=16, shuffle=True, seed=4)
better = [h["loss"] for h in Trainer(mended, opt, batches).fit(300, progress=False)]

assert not any((p.numpy() == before[name]).all() for name, p in mended.named_parameters())
assert np.mean(better[-20:]) < np.mean(losses[-20:]) - 0.1
print("every parameter moved, and the loss ends more than 0.1 nats lower")

# %% [markdown]
# ## Recap
#
# 1. A decoder scores every next token at every place, and looks only back: change one token, watch what moves.
# 2. An untrained model's loss is the logarithm of the vocabulary's size; know it before the first step.
# 3. Held-out text says what was learned, and counting models say whether it was worth it.
# 4. A run is its weights, optimizer, schedule, shuffle and random numbers: keep all, and it resumes to the last bit.
# 5. A falling loss does not prove that every parameter trains. Look which ones moved.
#
# | here | PyTorch | JAX |
# |---|---|---|
# | `optimizer.backward_step(loss)` | `zero_grad()`, `loss.backward()`, `optimizer.step()` | `optax.apply_updates` |
# | `Module`, `AdamW`, `LambdaLR` | the same names, in `torch.nn` and `torch.optim` | `flax.nnx.Module`, `optax.adamw` |
# | `Windows`, `DataLoader` | `torch.utils.data.Dataset`, `DataLoader` | `grain` |
# | `ddl.save`, `Trainer.resume` | `safetensors.torch`, `torch.load` | `orbax.checkpoint` |
#
# In JAX, parameters are passed in by hand, so the bug of section 10 takes another shape there: an optimizer state that
# was made for other parameters.
#
# ## Go deeper
#
# - A. Vaswani et al. (2017), *Attention is all you need*: the blocks.
# - A. Radford et al. (2019), *Language models are unsupervised multitask learners*: GPT-2, the same decoder, at 133
#   times the size in its smallest form.
# - R. Sennrich, B. Haddow and A. Birch (2016), *Neural machine translation of rare words with subword units*: byte
#   pairs.
# - H. Ney, U. Essen and R. Kneser (1994), *On structuring probabilistic dependences in stochastic language modelling*:
#   the discounted counts of section 6.
# - I. Loshchilov and F. Hutter (2019), *Decoupled weight decay regularization*: AdamW.
#
# **Next:** the library's files are short. Open `ddl/models/gpt2.py` and read the model that you have just trained, or
# go back to [01 · One number at a time](01_one_number.ipynb) with the question of what its parts are made of.
