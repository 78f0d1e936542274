# %% [markdown]
# # Exercises 03 · From numbers to tensors
#
# Each exercise has a cell for your answer and below it a cell that checks. The check runs your answer and tells in
# words what is right and what is not; run it as often as you like. Stuck? `hint("03.shapes")` helps in three steps.
#
# One star is a line or two, two stars a small function, three stars half an hour.

# %%
import numpy as np

import ddl
from ddl.course import check, hint, progress, reset, wearing

# %% [markdown]
# ### 03.shapes ★ Which shape comes out
#
# Most errors of everyday work are shapes, and the worst of them raise nothing. Let `a` be of shape $(4, 1, 3)$, `b` of
# $(5, 1)$ and `c` of $(3,)$. Which shapes have these four?

# %% task="03.shapes"
shapes = ...
### BEGIN SOLUTION
shapes = {"a + b": (4, 5, 3), "b + c": (5, 3), "a * c": (4, 1, 3), "b[:, 0] - b": (5, 5)}
### END SOLUTION

# %% [markdown]
# Give them as `shapes = {"a + b": (...), "b + c": (...), "a * c": (...), "b[:, 0] - b": (...)}`.
#
# ### 03.strides ★ Where does it lie
#
# `x = np.arange(24).reshape(2, 3, 4)` lies in memory row by row, and `z` is a view of it:
#
#     z = x.transpose(2, 0, 1)[::2, :, 1:]
#
# What are the strides of `z`, counted in numbers? At which place of the memory does it start? And which number is
# `z[1, 0, 1]`? (You will meet such views wherever attention splits its heads, in chapter 11.)

# %% task="03.strides"
walk = ...
### BEGIN SOLUTION
walk = {"strides": (2, 12, 4), "start": 4, "number": 10}
### END SOLUTION

# %% [markdown]
# Give them as `walk = {"strides": (...), "start": ..., "number": ...}`.
#
# ### 03.loss ★★ Find the bug: a loss that compares everyone with everyone
#
# Here is the mean square of $\text{score} - \text{label}$, with its slope in the scores. Nothing ever complains:


# %%
def everyone(scores, labels):
    error = scores - labels
    return (error**2).mean(), 2 * error / error.size


scores, labels = np.array([1.0, 2.0, 4.0]), np.array([[1.0], [2.0], [4.0]])
value, slope = everyone(scores, labels)
print(f"all three are right, and the loss is {value:.2f}; the slope has the shape {slope.shape}")

# %% [markdown]
# Write it so that the scores may be $(N,)$ or $(N, 1)$, and the labels as well, and each score meets its own label. The
# slope has the shape of the scores.


# %% task="03.loss"
def mean_square(scores, labels):
    ### BEGIN SOLUTION
    error = scores - labels.reshape(scores.shape)
    return (error**2).mean(), 2 * error / error.size
    ### END SOLUTION


# %% [markdown]
# ### 03.rows ★★ Find the bug: rows that were asked for twice
#
# `table[ids]` picks rows of a table. It is how words become vectors in chapter 10, and a common word is picked many
# times. Forward it copies; here is a way back:


# %%
def rows_that_forget(g, table, ids):
    out = np.zeros_like(table)
    out[ids] += g
    return out


table = np.zeros((4, 2))
for ids in ([0, 3, 1], [0, 3, 0]):
    print(ids, "send back", rows_that_forget(np.ones((3, 2)), table, np.array(ids)).tolist())

# %% [markdown]
# Row 0 was used twice in the second, and got one gradient. Write it so that every use counts. `ids` may have any shape,
# $(\dots)$; then `g` is $(\dots, C)$ for a table of $C$ columns. The gradient has the shape and the dtype of the table.


# %% task="03.rows"
def rows_back(g, table, ids):
    ### BEGIN SOLUTION
    out = np.zeros_like(table)
    for i, row in zip(ids.ravel(), g.reshape(-1, table.shape[1])):
        out[i] += row
    return out
    ### END SOLUTION


# %% [markdown]
# ### 03.squash ★★ An operation of your own
#
# An operation is two functions, so you can give the library one that it does not have. **Softsign** also goes from −1
# to 1, without an exponential:
#
# $$\text{softsign}(x) = \frac{x}{1 + |x|}.$$
#
# Derive its slope, and write the way back with the *output* alone: then the input need not be kept.


# %% task="03.squash"
def softsign(x):
    ### BEGIN SOLUTION
    return x / (1 + abs(x))
    ### END SOLUTION


def softsign_vjp(g, out):
    ### BEGIN SOLUTION
    return g * (1 - abs(out)) ** 2
    ### END SOLUTION


# %% [markdown]
# **Try it on.** A small network learns which points lie within a circle. Inside
# `wearing(ddl.ops.tanh, softsign, softsign_vjp)` the library computes every `tanh` with your two functions.


# %%
def circle(steps=300, rate=0.1):
    """The share of 200 points that is right, and the loss, in the end."""
    rng = np.random.default_rng(0)
    points = rng.uniform(-1, 1, (200, 2))
    labels = np.where(np.hypot(points[:, :1], points[:, 1:]) < 0.7, 1.0, -1.0)  # (200, 1)
    start = rng.normal(size=(2, 16)), np.zeros(16), rng.normal(size=(16, 1)) / 4, np.zeros(1)
    w1, b1, w2, b2 = layers = [ddl.tensor(p, requires_grad=True) for p in start]
    for _ in range(steps):
        score = (ddl.tensor(points) @ w1 + b1).tanh() @ w2 + b2  # (200, 1)
        loss = ((score - ddl.tensor(labels)) ** 2).mean()
        loss.backward()
        with ddl.no_grad():
            for p in layers:
                p -= rate * p.grad
                p.grad = None
    return ((score.numpy() > 0) == (labels > 0)).mean(), loss.item()


# %%
if check("03.squash"):
    print("with tanh:     {:.0%} right, loss {:.3f}".format(*circle()))
    with wearing(ddl.ops.tanh, softsign, softsign_vjp):
        ddl.gradcheck(lambda x: x.tanh(), [ddl.tensor(np.array([-2.0, -0.5, 0.3, 4.0]))])
        print("with softsign: {:.0%} right, loss {:.3f}".format(*circle()))
else:
    print("First comes 03.squash, above.")

# %% [markdown]
# Not one line of the network has changed, and it computes something else. Softsign is flatter than tanh, and here it
# takes a little longer. The check inside the block is of yours: it raises if the slope is wrong.
#
# ### 03.quadratic ★★ Derive: a form of two x
#
# How well do two things fit? Attention, in chapter 11, will ask this of every pair of words, with a matrix between
# them. Here both are the same $x$:
#
# $$y_n = \sum_{i,j} x_{ni}\,A_{ij}\,x_{nj} \qquad x: (N, C), \quad A: (C, C), \quad y, g: (N,).$$
#
# Write it with numpy, and derive the gradients of $x$ and of $A$. Mind that $x$ occurs twice, and that $A$ need not be
# symmetric.


# %% task="03.quadratic"
def quadratic(x, A):
    ### BEGIN SOLUTION
    return ((x @ A) * x).sum(axis=1)
    ### END SOLUTION


def quadratic_vjp(g, x, A):
    ### BEGIN SOLUTION
    weighed = g[:, None] * x
    return weighed @ (A + A.T), weighed.T @ x
    ### END SOLUTION


# %% [markdown]
# ### 03.windows ★★ Windows without a copy, and back
#
# A convolution looks at a signal through a window that moves on by one, and chapter 08 makes a matrix product of it.
# `windows(x, size)` takes $x$ of shape $(N,)$ to all its windows, $(N - \text{size} + 1, \text{size})$, *without
# copying a number*: a view with the right strides. `windows_back(g, n)` gets the gradient of the windows, and returns
# that of the $n$ numbers.


# %% task="03.windows"
def windows(x, size):
    ### BEGIN SOLUTION
    (step,) = x.strides
    shape = (len(x) - size + 1, size)
    return np.lib.stride_tricks.as_strided(x, shape, (step, step))
    ### END SOLUTION


def windows_back(g, n):
    ### BEGIN SOLUTION
    out = np.zeros(n)
    for start, row in enumerate(g):
        out[start : start + len(row)] += row
    return out
    ### END SOLUTION


# %% [markdown]
# ### 03.gradcheck ★★★ A check that no wrong rule passes
#
# Every rule of this course stands on one check, so the check itself has to be good. Write `agrees(forward, vjp,
# *inputs)`, which says, True or False, whether a rule is right. `forward(*inputs)` gives an array, and
# `vjp(g, out, *inputs)` a tuple with a gradient for each input.
#
# It will be tried on right rules and on wrong ones: off in one input, off in one place, off by a hundredth, wrong in a
# way that the plain sum of all outputs does not show. Some right ones have slopes of many thousands, some are given
# whole numbers, or 32 bits.


# %% task="03.gradcheck"
def agrees(forward, vjp, *inputs):
    ### BEGIN SOLUTION
    inputs = [np.array(x, dtype=np.float64) for x in inputs]
    out = forward(*inputs)
    g = np.random.default_rng(0).normal(size=out.shape)
    gradients = vjp(g, out, *inputs)
    for x, exact in zip(inputs, gradients):
        for at in np.ndindex(x.shape):
            value, ends = x[at], []
            for moved in (value + 1e-5, value - 1e-5):
                x[at] = moved
                ends.append((forward(*inputs) * g).sum())
            x[at] = value
            nudged = (ends[0] - ends[1]) / 2e-5
            if abs(exact[at] - nudged) > 1e-6 * (1 + abs(nudged)):
                return False
    return True
    ### END SOLUTION


# %% [markdown]
# **Try it on** your own rules of above:

# %%
if check("03.gradcheck") and check("03.quadratic"):
    x, A = np.random.default_rng(1).normal(size=(4, 3)), np.random.default_rng(2).normal(size=(3, 3))
    print("quadratic:", agrees(quadratic, lambda g, out, x, A: quadratic_vjp(g, x, A), x, A))
    print("with A for its transpose:", agrees(quadratic, lambda g, out, x, A: quadratic_vjp(g, x, A.T), x, A))
    half = lambda g, out, x, A: (g[:, None] * x @ A.T, quadratic_vjp(g, x, A)[1])
    print("with one x of the two:", agrees(quadratic, half, x, A))
else:
    print("First come 03.quadratic and 03.gradcheck, above.")

# %% [markdown]
# The second passes, and rightly: $A + A^\top$ does not mind.
#
# ### 03.why · In your own words
#
# An engine sums gradients to shape at the parameters only. Every operation passes its gradcheck, and the network
# learns. What is wrong, where, and which check would have found it? Three or four sentences; a person reads them. They
# should name an expression whose gradient is wrong, and say why single operations do not show it.

# %% [markdown] task="03.why"
# ### BEGIN SOLUTION
# In x − mean(x) the mean is computed, and then repeated along its row. On the way back it gathers a whole row of
# gradients, which have to be summed before the mean's own rule divides them among the numbers; the engine leaves them
# as they are, and broadcasting hides that the shape is wrong. In a check of a single operation the repeated input is a
# leaf, where the engine does sum. A gradcheck of a composition, with a random g, finds it at once.
# ### END SOLUTION
