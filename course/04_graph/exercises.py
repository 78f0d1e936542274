# %% [markdown]
# # Exercises 04 · The graph itself
#
# Each exercise has a cell for your answer and below it a cell that checks. The check runs your answer and tells in
# words what is right and what is not; run it as often as you like. Stuck? `hint("04.read")` helps in three steps.
#
# One star is a line or two, two stars a small function, three stars half an hour.

# %%
import itertools
import math

import numpy as np

import ddl
from ddl.course import check, hint, progress, reset
from ddl.graph import kept_bytes

# %% [markdown]
# ### 04.read ★ A slope off the list
#
# Who reads a list can walk back over it with a pencil, and finds faults that no picture shows. At $a = 2$ and $b = 3$,
# what is the slope of the last row with respect to $a$?

# %%
rows = [
    ("a", ()),
    ("b", ()),
    ("mul", (0, 1)),
    ("sub", (2, 0)),
    ("mul", (3, 2)),
    ("sub", (4, 1)),
]
for place, (what, of) in enumerate(rows):
    print(f"#{place}  {what:4}", *(f"#{i}" for i in of))

# %% task="04.read"
slope = ...
### BEGIN SOLUTION
slope = (4 + 6) * 3 - 6  # two messages to #2, then from #2 and #3 to a
### END SOLUTION

# %% [markdown]
# ### 04.kept ★ What has to stay
#
# What is kept for the way back, more than the weights, decides how large a batch fits. How many bytes are kept by this
# function in training, in float32, if `x` has shape (1000, 50), `w` (50, 250) and `v` (250, 1)? Inputs and weights do
# not count.


# %%
def gated(x, w, v):
    h = (x @ w).tanh()  # (1000, 250)
    e = h.exp()
    return (h * e) @ v  # (1000, 1)


# %% task="04.kept"
nbytes = ...
### BEGIN SOLUTION
nbytes = 3 * 1000 * 250 * 4
### END SOLUTION

# %% [markdown]
# **Try it on.** The same question, with names for two of the sizes.

# %%
if check("04.kept"):
    named = ddl.trace(gated, ddl.Spec(("N", 50)), ddl.Spec((50, "H")), ddl.Spec(("H", 1)))
    print("in bytes:", kept_bytes(named))
else:
    print("First comes 04.kept, above.")

# %% [markdown]
# ### 04.rule ★★ Find the bug: the batch of the longer one
#
# From chapter 11 on, matrices come in stacks: `a @ b` multiplies the last two axes, and all axes in front are batch.
# For these numpy does what it does in an addition. A colleague has extended the chapter's rule:


# %%
def colleagues_rule(a, b):
    if a[-1] != b[-2]:
        raise ValueError(f"a product of {a} and {b}: the inner sizes have to be equal")
    batch = a[:-2] if len(a) >= len(b) else b[:-2]
    return (*batch, a[-2], b[-1])


for a, b in [((7, 4, 3), (3, 5)), ((1, 4, 3), (7, 3, 5)), ((2, 4, 3), (7, 3, 5))]:
    try:
        real = (np.zeros(a) @ np.zeros(b)).shape
    except ValueError:
        real = "refused"
    print(f"{a} @ {b}: the rule says {colleagues_rule(a, b)}, numpy {real}")

# %% [markdown]
# Write it so that it is right for all shapes of two or more axes, and raises a `ValueError` where they do not fit. A
# size may be a name. The chapter's rule of broadcasting is here, and you may call it.


# %%
def broadcast_rule(*shapes):
    """Aligned from the right; where sizes differ, one of them has to be 1."""
    out = []
    for sizes in itertools.zip_longest(*(shape[::-1] for shape in shapes), fillvalue=1):
        known = set(sizes) - {1} or {1}
        if len(known) > 1:
            raise ValueError(f"shapes {shapes} do not fit: {' meets '.join(map(str, sizes))}")
        out.insert(0, known.pop())
    return tuple(out)


# %% task="04.rule"
def matmul_rule(a, b):
    ### BEGIN SOLUTION
    if a[-1] != b[-2]:
        raise ValueError(f"a product of {a} and {b}: the inner sizes have to be equal")
    return (*broadcast_rule(a[:-2], b[:-2]), a[-2], b[-1])
    ### END SOLUTION


# %% [markdown]
# **Try it on.** Three thousand pairs of random shapes, numpy, and both rules.


# %%
def outcome(f, *args):
    try:
        return f(*args)
    except ValueError:
        return "refused"


if check("04.rule"):
    rng = np.random.default_rng(0)
    wrong = {colleagues_rule: 0, matmul_rule: 0}
    for _ in range(3000):
        a, b = (tuple(map(int, rng.choice([1, 2, 3], rng.integers(2, 5)))) for _ in "ab")
        real = outcome(lambda a=a, b=b: (np.zeros(a) @ np.zeros(b)).shape)
        for rule in wrong:
            wrong[rule] += outcome(rule, a, b) != real
    print("wrong:", {rule.__name__: count for rule, count in wrong.items()})
else:
    print("First comes 04.rule, above.")

# %% [markdown]
# ### 04.bind ★★ What a name stands for
#
# A function declares shapes with names, and one day arrays arrive. `bind(named, real)` gets two dicts with the same
# keys: the declared shape of each array, and the real one. It returns what each name stands for, as in
# `{"N": 200, "H": 16}`. Where the two do not agree it raises a `ValueError`: another number of axes, another number
# where a number was declared, or one name for two sizes, in one array or in two.


# %% task="04.bind"
def bind(named, real):
    ### BEGIN SOLUTION
    found = {}
    for name, shape in named.items():
        if len(shape) != len(real[name]):
            raise ValueError(f"{name} should have the shape {shape}, but has {real[name]}")
        for declared, size in zip(shape, real[name]):
            known = declared
            if isinstance(declared, str):
                known = found.setdefault(declared, size)
            if known != size:
                raise ValueError(f"{name} should have the shape {shape}, but has {real[name]}")
    return found
    ### END SOLUTION


# %% [markdown]
# **Try it on.** Chapter 02's loss, points and targets. The second call is the one that numpy lets pass: it would spread
# $(N, 1)$ and $(N)$ to $(N, N)$.

# %%
if check("04.bind"):
    declared = {"points": ("N", 2), "scores": ("N", 1), "targets": ("N", 1)}
    for targets in (np.zeros((200, 1)), np.zeros(200)):
        arrays = {"points": np.zeros((200, 2)), "scores": np.zeros((200, 1)), "targets": targets}
        print(outcome(bind, declared, {name: array.shape for name, array in arrays.items()}))
else:
    print("First comes 04.bind, above.")

# %% [markdown]
# ### 04.order ★★ Put into order
#
# A trace is in order by itself. A graph that was read from a file, or put together from pieces, may not be, and whoever
# runs it has to put it into order first. `needs` is a dict from each name to a list of the names that it needs. Return
# a list of all names, each once, in which each comes after all that it needs. If they need each other in a circle,
# raise a `ValueError`. Several orders can be right. Chains may be longer than Python's recursion goes.


# %% task="04.order"
def order(needs):
    ### BEGIN SOLUTION
    users = {name: [] for name in needs}
    for name, of in needs.items():
        for part in of:
            users[part].append(name)
    missing = {name: len(of) for name, of in needs.items()}
    ready = [name for name in needs if missing[name] == 0]
    found = []
    while ready:
        name = ready.pop()
        found.append(name)
        for user in users[name]:
            missing[user] -= 1
            if missing[user] == 0:
                ready.append(user)
    if len(found) != len(needs):
        raise ValueError("some names need each other in a circle")
    return found
    ### END SOLUTION


# %% [markdown]
# ### 04.lines ★★ A formula that says everything once
#
# The chapter's `formula` writes out what is used twice, twice, and so twenty doublings become a million letters. Write
# `lines(rows)`: a list of lines of Python. Every *operation* that is used more than once gets a line of its own,
# `v7 = ...`, with its place in the name; all others stand where they are used. The last line is the last row alone, an
# expression. Inputs go by their own names. Every row but the last is used.

# %%
PATTERNS = {"matmul": "({} @ {})", "add": "({} + {})", "sub": "({} - {})", "mul": "({} * {})"}
PATTERNS |= {"tanh": "np.tanh({})", "exp": "np.exp({})"}


# %% task="04.lines"
def lines(rows):
    ### BEGIN SOLUTION
    used = [i for _, of, _ in rows for i in of]
    texts, found = [], []
    for place, (what, of, _) in enumerate(rows):
        text = PATTERNS[what].format(*[texts[i] for i in of]) if of else what
        if of and used.count(place) > 1:
            found.append(f"v{place} = {text}")
            text = f"v{place}"
        texts.append(text)
    return [*found, texts[-1]]
    ### END SOLUTION


# %% [markdown]
# **Try it on.** The rows of a network with a residual, and of a few doublings. `rows_of` takes them from the library's
# trace.


# %%
def rows_of(f, *shapes):
    """(what, of which rows, shape)"""
    graph = ddl.trace(f, *map(ddl.Spec, shapes))
    return [(n.op or n.name, tuple(p.id for p in graph.parents(n)), n.shape) for n in graph.nodes]


def residual(x, w, v):
    h = (x @ w).tanh()
    return h + (h @ v).tanh()


def doublings(a):
    for _ in range(5):
        a = a + a
    return a


# %%
if check("04.lines"):
    print(*lines(rows_of(residual, (8, 4), (4, 4), (4, 4))), sep="\n")
    print()
    print(*lines(rows_of(doublings, (8,))), sep="\n")
else:
    print("First comes 04.lines, above.")

# %% [markdown]
# ### 04.peak ★★★ The most that is alive at once
#
# Who only uses a model, and does not train it, keeps nothing for a way back. Each array can go as soon as the last
# operation that uses it has run. How much memory does a program need then? Write `peak(rows)`: the largest number of
# *entries* that are there at the same time. Rows are `(what, of, shape)` as in the chapter, with numbers for sizes.
#
# - Inputs, the rows whose `of` is empty, are somebody else's and do not count.
# - While an operation runs, its result and all that it is made from are there.
# - After it has run, what no later operation uses is dropped, at once.


# %% task="04.peak"
def peak(rows):
    ### BEGIN SOLUTION
    last = {}
    for place, (_, of, _) in enumerate(rows):
        for i in of:
            last[i] = place
    alive, most = {}, 0
    for place, (_, of, shape) in enumerate(rows):
        if of:
            alive[place] = math.prod(shape)
        most = max(most, sum(alive.values()))
        alive = {i: size for i, size in alive.items() if i in last and last[i] > place}
    return most
    ### END SOLUTION


# %% [markdown]
# **Try it on.** Forty layers, as wide as each other, used and trained. Then the same with a residual around each.


# %%
def layers(x, w):
    for _ in range(40):
        x = (x @ w).tanh()
    return x


def residual_layers(x, w):
    for _ in range(40):
        x = x + (x @ w).tanh()
    return x


# %%
if check("04.peak"):
    for f in (layers, residual_layers):
        shapes = (100, 64), (64, 64)
        kept = kept_bytes(ddl.trace(f, *map(ddl.Spec, shapes))) // 4
        print(f"{f.__name__:15} used: {peak(rows_of(f, *shapes)):6,} numbers, trained: {kept:7,} are kept")
else:
    print("First comes 04.peak, above.")

# %% [markdown]
# A model that fits for use may be far from fitting for training.
#
# ### 04.why · In your own words
#
# A colleague's shape rule says: the result has the shape of the larger operand. All his tests pass, and a model that
# was built with it trains, to a loss that could be better. Why did nothing raise, which number gave it away, and which
# two kinds of test would have caught the rule? Three or four sentences; a person reads them. They should name what
# forgives a wrong shape, a count, sizes that differ, and sizes that have no number.

# %% [markdown] task="04.why"
# ### BEGIN SOLUTION
# The rule is right where shapes are equal or a row is added to a matrix, and those were his tests. Elsewhere it names a
# shape that is too small, a weight is made with one entry in the place of twelve, and broadcasting stretches it without
# a word, so nothing raises and the loss falls as far as it can. The count of the parameters, 2 in the place of 13, gave
# it away. Tests against numpy on shapes that differ, and on those that do not fit, would have caught it; so would a
# trace with names, because which of N and 12 is larger has no answer, and a right rule never asks.
# ### END SOLUTION
