# %% [markdown]
# # Exercises 09 · A faster machine
#
# Each exercise has a cell for your answer and below it a cell that checks. The check runs your answer and tells in
# words what is right and what is not; run it as often as you like. Stuck? `hint("09.passes")` helps in three steps.
# None of them needs a GPU.
#
# One star is a line or two, two stars a small function, three stars half an hour.

# %%
import statistics

import numpy as np
from sklearn.datasets import load_digits

import ddl
from ddl import nn
from ddl.course import check, hint, progress, reset, wearing
from ddl.nn import functional as F

# %% [markdown]
# ### 09.passes ★ Passes of a softmax
#
# Before you make something faster, find out how much faster it could be. Here is a softmax over the rows of a large
# array, written out. How many passes over memory does it make? (A pass reads or writes an array as large as `x`; arrays
# with one number a row do not count.)


# %%
def softmax(x):
    shifted = x - x.max(axis=-1, keepdims=True)
    weights = np.exp(shifted)
    return weights / weights.sum(axis=-1, keepdims=True)


# %% task="09.passes"
passes = ...
### BEGIN SOLUTION
passes = 1 + 2 + 2 + 1 + 2
### END SOLUTION

# %% [markdown]
# ### 09.least ★ The least time
#
# With this line you can tell a program that is slow from one that has much to do. Some computation has `flops`
# operations and moves `nbytes` bytes, on a machine that can do `peak` operations and move `bandwidth` bytes a second.
# How many seconds does it take at least?


# %% task="09.least"
def least(flops, nbytes, peak, bandwidth):
    ### BEGIN SOLUTION
    return max(flops / peak, nbytes / bandwidth)
    ### END SOLUTION


# %% [markdown]
# ### 09.lines ★★ Lines of memory that a view touches
#
# Two loops over the same numbers can differ twentyfold, and this count says which is which. A view of float32 numbers
# begins at byte `start`, has a `shape`, and `strides` in bytes, as numpy gives them. How many lines of 64 bytes hold
# its numbers? A line that is touched twice counts once. (No number lies across the border of two lines.)


# %% task="09.lines"
def lines(start, shape, strides):
    ### BEGIN SOLUTION
    places = start + sum(stride * at for stride, at in zip(strides, np.indices(shape)))
    return len(np.unique(places // 64))
    ### END SOLUTION


# %% [markdown]
# ### 09.silu ★★ An operation for both machines
#
# Whoever writes `xp` once need not write everything twice. $\text{silu}(x) = x\,s(x)$ with the sigmoid
# $s(x) = 1 / (1 + e^{-x})$, a cousin of GELU. Derive its slope, and write both functions so that they run wherever
# their arrays live: `xp` is numpy, or another module with the same names. The check has such a module, and it notices
# who asks numpy by name.


# %% task="09.silu"
def silu(xp, x):
    ### BEGIN SOLUTION
    s = 1 / (1 + xp.exp(-x))
    return x * s
    ### END SOLUTION


def silu_vjp(xp, g, x):
    """What comes back to x, where g comes back to the result."""
    ### BEGIN SOLUTION
    s = 1 / (1 + xp.exp(-x))
    return g * (s + x * s * (1 - s))
    ### END SOLUTION


# %% [markdown]
# **Try it on.** A network for the digits, with GELU; and the same with your operation in GELU's place, forward and
# back.


# %%
def learned(seed=0):
    """The losses of 60 steps, and the share of right answers."""
    data = load_digits()
    x = ddl.tensor((data.images / 16).astype(np.float32).reshape(-1, 64))  # (1797, 64)
    t = ddl.tensor(data.target)
    ddl.manual_seed(seed)
    model = nn.Sequential(nn.Linear(64, 64), nn.GELU("tanh"), nn.Linear(64, 10))
    optimizer, losses = ddl.optim.Adam(model.parameters(), lr=0.01), []
    for _ in range(60):
        loss = F.cross_entropy(model(x), t)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, float((model(x).numpy().argmax(axis=1) == data.target).mean())


# %%
if check("09.silu"):
    losses, right = learned()
    with wearing(ddl.fused.gelu_tanh, lambda x: silu(np, x), lambda g, x: silu_vjp(np, g, x)):
        with_yours, right_too = learned()
    print(f"GELU: loss {losses[0]:.2f} -> {losses[-1]:.2f}, right {right:.0%}")
    print(f"silu: loss {with_yours[0]:.2f} -> {with_yours[-1]:.2f}, right {right_too:.0%}")
else:
    print("First comes 09.silu, above.")

# %% [markdown]
# Another start and another path, and the digits are learned all the same: which of the two it is hardly matters here.
#
# ### 09.thread ★★ Whose number is it
#
# Every kernel begins with this line of arithmetic, and a slip in it corrupts memory without a word. A matrix of `rows`
# rows and `width` columns lies in memory row by row, as one flat array `x`. Each row is to be multiplied by its own
# factor: the numbers of row 0 by `factor[0]`, and so on; the products go to `out`. Write what *one thread* does. There
# are as many blocks of `threads` threads as are needed, the last one not always full, and behind each array lies what
# is none of your business.


# %% task="09.thread"
def scale_thread(block, thread, threads, x, factor, out, rows, width):
    ### BEGIN SOLUTION
    i = block * threads + thread
    if i < rows * width:
        out[i] = x[i] * factor[i // width]
    ### END SOLUTION


# %% [markdown]
# ### 09.tree ★★ Find the bug: a tree for powers of two
#
# In the chapter a block always had 256 partial sums. A colleague uses the same tree for any number of them, and for
# other things than sums: `join` is `np.add`, `np.maximum` or the like.


# %%
def colleagues_tree(part, join):
    part, half = part.copy(), len(part) // 2
    while half > 0:
        part[:half] = join(part[:half], part[half : 2 * half])
        half //= 2
    return part[0]


for n in (4, 8, 6, 7):
    print(n, "ones:", colleagues_tree(np.ones(n), np.add))

# %% [markdown]
# Write it so that it is right for every number of partial results from 1 on, and takes no more steps than a tree must:
# each step is one call of `join` on two arrays of equal length, and $n$ numbers need $\lceil \log_2 n \rceil$ steps. Do
# not change `part` itself.


# %% task="09.tree"
def tree(part, join):
    ### BEGIN SOLUTION
    part, n = part.copy(), len(part)
    while n > 1:
        half = (n + 1) // 2
        part[: n - half] = join(part[: n - half], part[half:n])
        n = half
    return part[0]
    ### END SOLUTION


# %% [markdown]
# ### 09.stopwatch ★★ Find the bug: a stopwatch
#
# Every claim of this chapter stands on a stopwatch, so it had better be right. This one is wrong in three ways.


# %%
def hasty(f, wait, clock, rounds):
    start = clock()
    for _ in range(rounds):
        f()
    return (clock() - start) / rounds


# %% [markdown]
# Write an honest one. It calls `f` once to warm up; then it times each of `rounds` calls for itself, waiting with
# `wait()` wherever that is needed, and returns the median of the times. `clock()` gives the time. (The check has a
# machine with a queue and a clock of its own, so your computer's speed does not matter.)


# %% task="09.stopwatch"
def stopwatch(f, wait, clock, rounds):
    ### BEGIN SOLUTION
    f()
    times = []
    for _ in range(rounds):
        wait()
        start = clock()
        f()
        wait()
        times.append(clock() - start)
    return statistics.median(times)
    ### END SOLUTION


# %% [markdown]
# ### 09.running ★★★ A softmax's sums in one walk
#
# A softmax needs the largest number of a row, $m$, and then the sum $s$ of $e^{x - m}$: two walks, since the largest is
# known only at the end. It can be done in one, and that is the heart of the fastest attention there is (chapter 11
# builds attention). The row comes in blocks, each is seen *once*, and nothing of it is kept but two numbers.
#
# Write it: `blocks` is an iterator over arrays, the pieces of one row; return $(m, s)$ as two floats. What must happen
# to the sum so far when a block brings a larger $m$?


# %% task="09.running"
def running(blocks):
    ### BEGIN SOLUTION
    m, s = -np.inf, 0.0
    for block in blocks:
        new = max(m, block.max())
        s = s * np.exp(m - new) + np.exp(block - new).sum()
        m = new
    return float(m), float(s)
    ### END SOLUTION


# %% [markdown]
# ### 09.why · In your own words
#
# A friend writes: "On my GPU a matrix product of side 8192 takes 0.02 milliseconds, and one of side 256 takes the
# same." Give two reasons why this cannot be, one without any second measurement, and say what was measured. Three or
# four sentences; a person reads them.

# %% [markdown] task="09.why"
# ### BEGIN SOLUTION
# A product of side 8192 has 2 · 8192³, about 10¹² operations; in 0.02 milliseconds that would be 5 · 10¹⁶ a second, far
# beyond the peak of any processor. And it has 32,768 times the operations of side 256, so its time cannot be the same
# once the work is more than starting it. What was measured is how long it takes to put the work into the queue: wait
# for the device before looking at the clock.
# ### END SOLUTION
