# %% [markdown]
# # Exercises 06 · Learning
#
# Each exercise has a cell for your answer and below it a cell that checks. The check runs your answer and tells in
# words what is right and what is not; run it as often as you like. Stuck? `hint("06.limit")` helps in three steps.
#
# One star is a line or two, two stars a small function, three stars half an hour.

# %%
from functools import partial

import numpy as np

import ddl
from ddl import nn, optim
from ddl.course import check, hint, progress, reset, wearing
from ddl.nn import functional as F

# %% [markdown]
# ### 06.limit ★ The largest rate
#
# When a run blows up, the first question is whether the rate was beyond the limit. The loss is
#
# $$L(a, b) = 3\,a^2 + 10\,b^2,$$
#
# and you go down with plain gradient descent. Below which learning rate does it come to rest at $(0, 0)$ from any
# start?

# %% task="06.limit"
largest_rate = ...
### BEGIN SOLUTION
largest_rate = 2 / 20
### END SOLUTION

# %% [markdown]
# ### 06.first ★ Adam's first step
#
# A rate for Adam is a length, and for SGD it is not: this is why rates do not carry over from one to the other. A
# weight is $w = 1$, and the slope of the loss there is $-0.02$. A colleague multiplies the loss by 1000. Adam takes
# its first step, with a rate of 0.1, $\beta_1 = 0.9$, $\beta_2 = 0.999$, no decay and a tiny $\varepsilon$. What is $w$
# now?

# %% task="06.first"
w = ...
### BEGIN SOLUTION
w = 1 + 0.1
### END SOLUTION

# %% [markdown]
# ### 06.xent ★★ Cross-entropy with soft targets
#
# Sometimes the truth is a share for each class and not one class: three of ten people saw a cat, seven a fox. A model
# can also learn what another model says. Now $t$ has shape $(B, C)$, no number in it is negative, and each row adds up
# to 1:
#
# $$L = -\frac{1}{B} \sum_b \sum_c t_{bc} \log p_{bc}, \qquad p_{bc} = \frac{e^{s_{bc}}}{\sum_k e^{s_{bk}}} .$$
#
# Derive the gradient in $s$, and write both functions on numpy arrays. `xent` returns the loss, one number; `xent_vjp`
# gets the number $g$ that comes back and returns the gradient of `s`. Scores may be thousands.


# %% task="06.xent"
def xent(s, t):
    ### BEGIN SOLUTION
    s = s - s.max(axis=1, keepdims=True)
    total = np.exp(s).sum(axis=1)
    return (np.log(total) - (t * s).sum(axis=1)).mean()
    ### END SOLUTION


def xent_vjp(g, s, t):
    ### BEGIN SOLUTION
    e = np.exp(s - s.max(axis=1, keepdims=True))
    p = e / e.sum(axis=1, keepdims=True)
    return g * (p - t) / len(s)
    ### END SOLUTION


# %% [markdown]
# ### 06.mean ★★ Find the bug: a mean of means
#
# A set that does not fit into memory is measured in batches, and whoever compares two models by it relies on every
# digit. `loss(x, t)` is the mean over the examples that it gets.


# %%
def mean_of_means(loss, x, t, size):
    parts = [loss(x[i : i + size], t[i : i + size]) for i in range(0, len(x), size)]
    return sum(parts) / len(parts)


def squares(x, t):
    return float(((x - t) ** 2).mean())


x, t = np.array([1.0, 1.0, 1.0, 1.0, 6.0]), np.zeros(5)
print("all at once:    ", squares(x, t))
print("in batches of 4:", mean_of_means(squares, x, t, 4))

# %% [markdown]
# The same examples, the same model, and more than twice the loss. Write it so that the batches do not matter. No batch
# may be larger than `size`.


# %% task="06.mean"
def mean_loss(loss, x, t, size):
    ### BEGIN SOLUTION
    total = 0.0
    for i in range(0, len(x), size):
        total += loss(x[i : i + size], t[i : i + size]) * len(x[i : i + size])
    return total / len(x)
    ### END SOLUTION


# %% [markdown]
# ### 06.clip ★★ Find the bug: a clip that turns
#
# The colleague of chapter 06 has read that one clips by norm, and not by value. Now the new clip:


# %%
def clip_each(gradients, c):
    clipped = []
    for g in gradients:
        norm = float((g**2).sum()) ** 0.5
        clipped.append(g * min(1.0, c / norm) if norm > 0 else g.copy())
    return clipped


def degrees(before, after):
    a, b = (np.concatenate([g.ravel() for g in group]) for group in (before, after))
    cosine = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
    return np.degrees(np.arccos(min(1.0, cosine)))


loud_and_quiet = [np.array([[60.0, -80.0]]), np.array([0.5])]
print(f"it turns by {degrees(loud_and_quiet, clip_each(loud_and_quiet, 1.0)):.0f} degrees")

# %% [markdown]
# A clip should turn nothing. `clipped(gradients, c)` gets the gradients of all parameters, a list of numpy arrays, and
# returns new ones, of the same dtypes: as they were where all of them together are no longer than $c$, else shortened
# to $c$.


# %% task="06.clip"
def clipped(gradients, c):
    ### BEGIN SOLUTION
    norm = float(sum((g**2).sum() for g in gradients)) ** 0.5
    if norm <= c:
        return [g.copy() for g in gradients]
    return [g * (c / norm) for g in gradients]
    ### END SOLUTION


# %%
if check("06.clip"):
    for clip in (clip_each, clipped):
        print(f"{clip.__name__:9} turns by {degrees(loud_and_quiet, clip(loud_and_quiet, 1.0)):2.0f} degrees")
else:
    print("First comes 06.clip, above.")

# %% [markdown]
# ### 06.momentum ★★ The best momentum of a valley
#
# Nobody knows the curvatures of a real network, but all intuition for momentum comes from where they are known. The
# chapter found $\eta$ and $\mu$ for a valley of curvatures 1 and 25, from
#
# $$(1 - \sqrt\mu)^2 = \eta\,\lambda_1, \qquad (1 + \sqrt\mu)^2 = \eta\,\lambda_2 .$$
#
# Derive the rule for any two curvatures. `best(least, largest)` returns $\eta$ and $\mu$, in this order.


# %% task="06.momentum"
def best(least, largest):
    ### BEGIN SOLUTION
    low, high = least**0.5, largest**0.5
    rate = (2 / (high + low)) ** 2
    momentum = ((high - low) / (high + low)) ** 2
    return rate, momentum
    ### END SOLUTION


# %% [markdown]
# **Try it on.** A valley of a hundred directions, whose curvatures go from 1 to 1000. How many steps until the distance
# is a thousandth of what it was, for the best plain descent and for your rate and momentum?


# %%
def steps_needed(rate, momentum):
    curves = np.geomspace(1, 1000, 100)
    w, v, steps = np.ones(100), np.zeros(100), 0
    while np.linalg.norm(w) > 10 / 1000 and steps < 10_000:
        v = momentum * v + curves * w
        w = w - rate * v
        steps += 1
    return steps


if check("06.momentum"):
    print("plain:", steps_needed(2 / 1001, 0.0), "steps")
    print("yours:", steps_needed(*best(1, 1000)), "steps")
else:
    print("First comes 06.momentum, above.")

# %% [markdown]
# ### 06.schedule ★★ Up, level, down
#
# A cosine has to know from the start how long the run will be. Many large models are trained with another shape, which
# can be made longer on the way: up along a line in `warmup` steps, then level, and down along a line in the last
# `decay` steps.
#
# Write the factor of the rate. Steps count from 0. Step 0 has the factor 1 / warmup and the last step of the warm-up
# has 1; the last step of the run, number total − 1, still moves, by 1 / decay; from step total on the factor is 0. The
# way up and the way down do not overlap; `warmup` may be 0, `decay` is at least 1.


# %% task="06.schedule"
def factor(step, warmup, decay, total):
    ### BEGIN SOLUTION
    if step < warmup:
        return (step + 1) / warmup
    return max(0.0, min(1.0, (total - step) / decay))
    ### END SOLUTION


# %% [markdown]
# **Try it on.** The spiral of the chapter, Adam with a rate that is a little too large, and batches of 30: five runs
# with the rate held level, and five with your schedule. Compared are the losses on points that nobody trained on.


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


# %%
def learn(seed, make, scale=lambda step: 1.0, steps=200):
    """The trained model."""
    ddl.manual_seed(seed)
    model = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 3))
    optimizer, rng = make(model.parameters()), np.random.default_rng(seed)
    rate, (x, t) = optimizer.param_groups[0]["lr"], spiral(0)
    for step in range(steps):
        rows = rng.choice(300, 30, replace=False)
        optimizer.param_groups[0]["lr"] = rate * scale(step)
        optimizer.backward_step(F.cross_entropy(model(x[rows]), t[rows]))
    return model


def loss_on_new_points(model):
    x, t = spiral(1)
    return F.cross_entropy(model(x), t).item()


# %% tags=["nbval-ignore-output"]
if check("06.schedule"):
    ways = {"level": lambda step: 1.0, "yours": lambda step: factor(step, 20, 100, 200)}
    for name, scale in ways.items():
        losses = [loss_on_new_points(learn(seed, partial(optim.Adam, lr=0.05), scale)) for seed in range(5)]
        print(f"{name}: ", "  ".join(f"{loss:.2f}" for loss in sorted(losses)))
else:
    print("First comes 06.schedule, above.")

# %% [markdown]
# ### 06.adamw ★★★ AdamW that leaves biases alone
#
# This is the optimizer that trains the GPT-2 of chapter 14, with one thing the chapter's did not have: only arrays of
# two or more axes decay. A bias says where a squash begins, and has no reason to be small.
#
# `adamw(p, g, state, lr, betas, eps, decay)` does one step for one parameter. It changes the numpy array `p` in place,
# leaves `g` as it is, and returns nothing. `state` is a dict that is empty in the first call and comes back in every
# further one for this parameter: keep there what has to be remembered.


# %% task="06.adamw"
def adamw(p, g, state, lr, betas, eps, decay):
    ### BEGIN SOLUTION
    if not state:
        state["t"] = 0
        state["m"] = np.zeros_like(p)
        state["v"] = np.zeros_like(p)
    state["t"] += 1
    b1, b2 = betas
    state["m"] += (1 - b1) * (g - state["m"])
    state["v"] += (1 - b2) * (g * g - state["v"])
    m_hat = state["m"] / (1 - b1 ** state["t"])
    v_hat = state["v"] / (1 - b2 ** state["t"])
    if p.ndim > 1:
        p *= 1 - lr * decay
    p -= lr * m_hat / (np.sqrt(v_hat) + eps)
    ### END SOLUTION


# %% [markdown]
# **Try it on.** An optimizer of the library says in `update` what a step does to one parameter. Here yours stands in
# for `optim.AdamW`, with a decay so strong that it is seen:


# %%
class Mine(optim.AdamW):
    def update(self, p, g, state, group):
        adamw(p, g, state, group["lr"], group["betas"], group["eps"], group["weight_decay"])


def size_of(model):
    """The root mean square of all weights, and of all biases."""
    kinds = [[p.numpy().ravel() for p in model.parameters() if (p.ndim > 1) == big] for big in (True, False)]
    return [np.sqrt((np.concatenate(kind) ** 2).mean()) for kind in kinds]


# %% tags=["nbval-ignore-output"]
if check("06.adamw"):
    for decay in (0.0, 4.0):
        for name, kind in (("the library's", optim.AdamW), ("yours", Mine)):
            with wearing(optim.AdamW, kind):
                model = learn(0, partial(optim.AdamW, lr=0.005, weight_decay=decay))
            weights, biases = size_of(model)
            print(f"decay {decay}, {name:13}: weights {weights:.2f}, biases {biases:.2f}, ", end="")
            print(f"loss {loss_on_new_points(model):.2f}")
else:
    print("First comes 06.adamw, above.")

# %% [markdown]
# Without decay the two are one optimizer, but for the order in which they round. With it the weights shrink in both,
# and in yours the biases stay where the loss wants them.
#
# ### 06.why · In your own words
#
# A run was good with batches of 10. With batches of 200, the same rate and the same program, the loss goes up without
# end. With Adam in the place of SGD, both sizes learn. What do you suspect, how do you prove it without any training,
# and why does Adam hide it? Three or four sentences; a person reads them. They should name the line you would look at,
# a probe that takes two gradients, and what Adam does to a factor.

# %% [markdown] task="06.why"
# ### BEGIN SOLUTION
# I suspect that the gradient is a sum over the batch where it should be a mean: a loss that goes into backward with
# one number for each example, mean(-1) for mean(). Proof: give every example twice; the gradient of a mean stays as it
# is, and that of a sum doubles. With SGD a gradient 20 times as large is a rate 20 times as large, beyond 2/λ. Adam
# divides the mean of the gradients by the root of the mean of their squares, so that any constant factor cancels.
# ### END SOLUTION
