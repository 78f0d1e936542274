# %% [markdown]
# # Exercises 01 · One number at a time
#
# Each exercise has a cell for your answer and below it a cell that checks. The check runs your answer and tells in
# words what is right and what is not; run it as often as you like. Stuck? `hint("01.product")` helps in three steps.
#
# One star is a line or two, two stars a small function, three stars half an hour.

# %%
import ddl
from ddl.course import check, hint, progress, reset

# %% [markdown]
# ### 01.product ★ The slopes of a product
#
# Every engine of this kind begins with one rule for each operation. Return the slope of $a \cdot b$ in $a$, then
# its slope in $b$.


# %% task="01.product"
def product_slopes(a, b):
    ### BEGIN SOLUTION
    return b, a
    ### END SOLUTION


# %% [markdown]
# ### 01.divide ★ A division and its two slopes
#
# `Scalar` divides too. Return three numbers: $a / b$, its slope in $a$, and its slope in $b$. You will meet the
# second slope again in the softmax.


# %% task="01.divide"
def divide(a, b):
    ### BEGIN SOLUTION
    value = a / b
    return value, 1 / b, -value / b
    ### END SOLUTION


# %% [markdown]
# ### 01.read ★ Read the gradients off the graph
#
# Let $z = x\,y + x$ with $x = 2$ and $y = -3$. Draw the graph on paper, write the slope on each arrow, and give the
# gradient of $z$ in both. No code: this is what you will do whenever a gradient looks wrong.

# %% task="01.read"
gradients = ...
### BEGIN SOLUTION
gradients = {"x": -2.0, "y": 2.0}
### END SOLUTION

# %% [markdown]
# Give them as `gradients = {"x": ..., "y": ...}`.
#
# ### 01.paths ★ How many visits
#
# The walk that follows every path anew comes to a number once for each path that leads there. Let $a$ be doubled 30
# times, `a = a + a`. How many visits does that walk make in all, the result and all copies counted?

# %% task="01.paths"
visits = ...
### BEGIN SOLUTION
visits = 2**31 - 1
### END SOLUTION

# %% [markdown]
# ### 01.nudge ★★ A better nudge
#
# The check of every gradient in this course is a nudge, so it pays to have a good one. The nudge of chapter 1 moves
# to one side, and its error shrinks with $h$. Write one that moves to both sides: its error shrinks with $h^2$.


# %% task="01.nudge"
def nudge(f, x, h=1e-5):
    ### BEGIN SOLUTION
    above, below = f(x + h), f(x - h)
    return (above - below) / (2 * h)
    ### END SOLUTION


# %% [markdown]
# ### 01.tanh ★★ The slope of tanh from its value
#
# A rule that needs the *output* only keeps less in memory: the input may be forgotten. Derive the slope of $\tanh x$
# from
#
# $$\tanh x = \frac{e^x - e^{-x}}{e^x + e^{-x}}$$
#
# and write it as a function of the output alone.


# %% task="01.tanh"
def tanh_slope(out):
    ### BEGIN SOLUTION
    return 1 - out * out
    ### END SOLUTION


# %% [markdown]
# ### 01.backward ★★ Find the bug: a walk back that forgets
#
# Here is a number of a graph, without `Scalar`'s operators, and two ways to make one. Its `birth` is larger than that
# of every number it was made of.


# %%
class Number:
    def __init__(self, data, parents=(), slopes=()):
        self.data, self.parents, self.slopes, self.grad = data, parents, slopes, 0.0
        self.birth = 1 + max((parent.birth for parent in parents), default=0)


def add(a, b):
    return Number(a.data + b.data, (a, b), (1.0, 1.0))


def multiply(a, b):
    return Number(a.data * b.data, (a, b), (b.data, a.data))


# %% [markdown]
# `everything` gives all numbers that a result was made of, oldest first, and `forgetful` walks back over them. For
# some graphs its gradients are right, for others they are wrong. Here is one of each:


# %%
def everything(result):
    found, waiting = {}, [result]
    while waiting:
        number = waiting.pop()
        if id(number) not in found:
            found[id(number)] = number
            waiting.extend(number.parents)
    return sorted(found.values(), key=lambda number: number.birth)


def forgetful(result):
    result.grad = 1.0
    for number in reversed(everything(result)):  # newest first
        for parent, slope in zip(number.parents, number.slopes):
            parent.grad = slope * number.grad


# %%
a, b, c = Number(2.0), Number(-3.0), Number(0.5)
forgetful(add(multiply(a, b), c))
print("a * b + c:    ", a.grad, b.grad, c.grad)
a, b, c = Number(2.0), Number(-3.0), Number(0.5)
forgetful(add(multiply(a, a), multiply(b, c)))
print("a * a + b * c:", a.grad, b.grad, c.grad)

# %% [markdown]
# Write it so that it is right for every graph.


# %% task="01.backward"
def backward(result):
    ### BEGIN SOLUTION
    result.grad = 1.0
    for number in reversed(everything(result)):
        for parent, slope in zip(number.parents, number.slopes):
            parent.grad += slope * number.grad
    ### END SOLUTION


# %% [markdown]
# ### 01.order ★★ Each number once, newest first
#
# `everything` did half of the work above. Write your own, the other way round: return a list of all numbers that
# `result` was made of, itself first, each of them once, and none before a number that was made of it. It has to stand
# a chain of 5,000 numbers.


# %% task="01.order"
def newest_first(result):
    ### BEGIN SOLUTION
    seen, waiting = {id(result): result}, [result]
    while waiting:
        for parent in waiting.pop().parents:
            if id(parent) not in seen:
                seen[id(parent)] = parent
                waiting.append(parent)
    return sorted(seen.values(), key=lambda number: -number.birth)
    ### END SOLUTION


# %% [markdown]
# ### 01.fit ★★★ A line that learns
#
# Put it all to work. Fit $w\,x + b$ to points $(x, y)$ with `ddl.Scalar`: begin with $w = b = 0$; take `steps` steps
# against the gradient of the *mean* of $(w\,x + b - y)^2$, each of size `rate`; return the two numbers $w$ and $b$.
# Chapter 14 trains its decoder by the same loop.


# %% task="01.fit"
def fit(points, steps, rate):
    ### BEGIN SOLUTION
    w, b = ddl.Scalar(0.0), ddl.Scalar(0.0)
    for _ in range(steps):
        loss = sum((w * x + b - y) ** 2 for x, y in points) / len(points)
        w.grad = b.grad = 0.0
        loss.backward()
        w.data -= rate * w.grad
        b.data -= rate * b.grad
    return w.data, b.data
    ### END SOLUTION


# %% [markdown]
# How far are you? `progress()` has a line for every exercise of the course, and `reset("01.fit")` begins one again
# without losing what you wrote.

# %% [markdown]
# ### 01.why · In your own words
#
# Why does a number send its gradient on only when all has arrived, and what goes wrong if it does not? Three or four
# sentences; a person reads them. They should name the number that is used twice, what arrives late, and what the walk
# then gets wrong.

# %% [markdown] task="01.why"
# ### BEGIN SOLUTION
# A number that is used twice gets a message along each of its uses. If it sends on after the first, its parents get
# only a part, and what comes later is never passed on (or the whole walk below is done again for each message, which
# doubles with every such number). Newest first means that every number that was made of it has sent before it sends.
# ### END SOLUTION
