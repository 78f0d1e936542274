# %% [markdown]
# # 01 · One number at a time
#
# After this chapter you can
#
# - say how fast the result of a computation moves when any one of its inputs moves,
# - write the engine that finds all those speeds in a single walk back,
# - recognise its two classic bugs: the gradient that overwrites, and the walk that never ends.
#
# **Time:** about 90 minutes. **Needs:** Python classes, and the derivative as a slope. Every rule we use is derived
# here.
#
# Where a line says **Predict**, write your answer down before you run the cell below it. A wrong guess teaches more
# than a right one. After a restart of the kernel, or when you have changed a cell, choose *Run All Above* before you
# go on.

# %%
import itertools
import math
import random

from matplotlib.figure import Figure

import ddl
from ddl.course import show
from ddl.graph import describe, draw

# %% [markdown]
# ## 1. A question of slopes
#
# Take
#
# $$y = (a + b)\,b \qquad\text{with}\qquad a = 2,\; b = 3.$$
#
# **Predict.** Move $a$ a little, then $b$ a little. Which of them moves $y$ more, and how many times its own
# movement?


# %%
def f(a, b):
    return (a + b) * b


h = 0.001
print("y =", f(2, 3))
print("y moves", round((f(2 + h, 3) - f(2, 3)) / h, 3), "times as much as a")
print("y moves", round((f(2, 3 + h) - f(2, 3)) / h, 3), "times as much as b")

# %% [markdown]
# Those two numbers are the **slopes** of $y$, in $a$ and in $b$: its derivatives. (The second is 8, and a little more
# because the nudge was not infinitely small.)
#
# Slopes are all that learning needs. Let $y$ be how wrong a model is, and $a$ and $b$ its settings: the slopes say
# which way to turn each of them. So we want slopes of any program, cheaply and exactly.
#
# Nudging is neither. It runs the program once more for every input. The language model of chapter 14 has this many:

# %%
parameters = 933_632
print(f"{parameters + 1:,} runs of the model for a single step of learning")

# %% [markdown]
# And it is not exact.
#
# **Predict.** The smaller the nudge, the smaller the error of the slope. True or false?
#
# (`show` displays a figure; `alt` says the same in words, for those who cannot see it.)

# %%
nudges = [10.0**-k for k in range(1, 16)]
errors = [abs((f(2, 3 + h) - f(2, 3)) / h - 8) for h in nudges]

figure = Figure((6, 3.2), layout="constrained")
axes = figure.subplots()
axes.loglog(nudges, errors, "o-", color="#00588a")
axes.set(xlabel="size of the nudge", ylabel="error of the slope", title="Nudging b")
axes.invert_xaxis()
axes.grid(alpha=0.3)
best = nudges[errors.index(min(errors))]
words = f"The error falls from {errors[0]:.0e} at a nudge of 0.1 to its least at {best:.0e},"
show(figure, alt=f"{words} then rises again to {errors[-1]:.0e} at {nudges[-1]:.0e}.")

# %% [markdown]
# False. A float keeps about 16 digits. With a tiny nudge, $f(2, 3 + h)$ and $f(2, 3)$ agree in almost all of them,
# and subtracting leaves mostly rounding.
#
# Nudging stays useful as a **check**: it needs no theory, so it cannot share our mistakes. We will use it like that
# all the way through. But the slopes themselves must come from somewhere else.

# %% [markdown]
# ## 2. A computation is a graph
#
# Here is the same computation as a picture, drawn by the library's own `ddl.Scalar`. By the end of the chapter yours
# will do the same work.

# %%
a, b = ddl.Scalar(2, "a"), ddl.Scalar(3, "b")
s = a + b
y = s * b
s.name, y.name = "s", "y"
show(draw(y.graph(), grad=False, slope=False), alt=describe(y.graph(), grad=False, slope=False))

# %% [markdown]
# Boxes are numbers. An arrow runs from a number to what was made of it: its **parents** point at it. Notice that $b$
# has two arrows: it is used twice.
#
# Now look at one box at a time. How fast does *this* number move when *one* of its parents moves and nothing else
# does? That is a **local derivative**, and two lines of school algebra give the ones we need. Move one parent by $h$:
#
# $$\text{sum:}\quad (a + h) + b = (a + b) + 1\cdot h \qquad\Rightarrow\qquad \text{slope } 1$$
#
# $$\text{product:}\quad (s + h)\,b = s\,b + b\cdot h \qquad\Rightarrow\qquad \text{slope } b
# \text{: the other factor}$$
#
# The next picture has them written on the arrows.

# %%
show(draw(y.graph(), grad=False), alt=describe(y.graph(), grad=False))

# %% [markdown]
# ## 3. Along a path multiply, over paths add
#
# **Along a path.** If $a$ moves by $h$, then $s$ moves by $1\cdot h$. If $s$ moves by that, $y$ moves by
# $3 \cdot (1 \cdot h)$. One after the other, slopes multiply.
#
# **Over paths.** If $b$ moves by $h$, two things happen at once: $s$ moves, and the factor $b$ itself does. For a
# small $h$ their effects on $y$ add:
#
# $$(s + h)(b + h) - s\,b = b\,h + s\,h + h^2 \;\approx\; (b + s)\,h .$$
#
# The $h^2$ is what nudging got wrong: divided by $h$ it is $h$, and it goes away as $h$ does.
#
# That is the whole **chain rule**: *multiply along each path, add over all paths.*
#
# **Predict.** Read both slopes of $y$ off the picture.

# %%
slope_in_s, slope_in_b = y.slopes
print("a:", slope_in_s * s.slopes[0])
print("b:", slope_in_s * s.slopes[1], "through s, and", slope_in_b, "directly:", end=" ")
print(slope_in_s * s.slopes[1] + slope_in_b)

# %% [markdown]
# 3 and 8, and exactly. Now let us have a program do it.

# %% [markdown]
# ## 4. A number that remembers
#
# Our number keeps four things: its value, its gradient (the slope of the result in it, once we know), its parents,
# and the local derivative on the arrow from each parent. It also takes a ticket when it is made. Why, section 6 will
# tell.

# %%
tickets = itertools.count()


class Scalar:
    """A number that remembers how it was made."""

    def __init__(self, data, parents=(), slopes=()):
        self.data = data
        self.grad = 0.0
        self.parents = parents
        self.slopes = slopes
        self.birth = next(tickets)

    def __repr__(self):
        return f"Scalar({self.data}, grad={self.grad})"


# %% [markdown]
# An operation computes the value and writes down the slopes. It knows nothing of the rest of the graph, and need not.


# %%
def add(self, other):
    return Scalar(self.data + other.data, (self, other), (1.0, 1.0))


def multiply(self, other):
    return Scalar(self.data * other.data, (self, other), (other.data, self.data))


Scalar.__add__ = add
Scalar.__mul__ = multiply

# %%
a, b = Scalar(2.0), Scalar(3.0)
y = (a + b) * b
print(y, "was made of", y.parents, "with slopes", y.slopes)

# %% [markdown]
# ## 5. Walking back, first try
#
# Start at the result with 1 (it moves exactly as much as itself) and walk every path back to the inputs, multiplying
# on the way. Wherever we come by, we add.


# %%
def walk_every_path(node, gradient=1.0):
    node.grad += gradient
    for parent, slope in zip(node.parents, node.slopes):
        walk_every_path(parent, gradient * slope)


walk_every_path(y)
print("a:", a.grad, "  b:", b.grad)
assert (a.grad, b.grad) == (3.0, 8.0), "gradients add up: run the cell above again first"

# %% [markdown]
# Right, and all slopes at once. Are we done?
#
# Consider $b = a + a$ and $c = b + b$, and so on, each number the sum of the last with itself.

# %%
a = ddl.Scalar(1, "a")
b = a + a
c = b + b
b.name, c.name = "b", "c"
show(draw(c.graph(), grad=False), alt=describe(c.graph(), grad=False))

# %% [markdown]
# **Predict.** The walk from $c$ visits $c$ once and $b$ twice. How often does it visit $a$? How many visits are there
# in all after $n$ doublings?


# %%
def doubled(times):
    x = Scalar(1.0)
    for _ in range(times):
        x = x + x
    return x


def visits(node):
    return 1 + sum(visits(parent) for parent in node.parents)


print(f"c once, b twice, a {visits(c) - 1 - 2} times")
for n in (1, 2, 3, 4, 8, 16):
    print(f"{n:2} doublings: {n + 1:2} numbers, {visits(doubled(n)):6} visits")
    assert visits(doubled(n)) == 2 ** (n + 1) - 1, "run all cells above again first"

# %% [markdown]
# $2^{n+1} - 1$ visits to $n + 1$ numbers. Fifty doublings at ten million visits a second would take

# %%
seconds = (2**51 - 1) / 10_000_000
print(round(seconds / (365 * 24 * 3600), 1), "years")

# %% [markdown]
# There is a second fault. The walk calls itself, once for each step of a path, and Python allows that about a
# thousand times.

# %%
x = Scalar(0.0)
for _ in range(5000):
    x = x + Scalar(1.0)
try:
    walk_every_path(x)
except RecursionError:
    print("RecursionError: 5,000 additions are too long a path")

# %% [markdown]
# ## 6. The order matters
#
# Paths that meet can go on as one. If a number first gathers all that comes to it and then sends on the sum, each
# number sends once. Let us mark those we have been to, then.


# %%
def walk_once_too_soon(node, seen):
    for parent, slope in zip(node.parents, node.slopes):
        parent.grad += slope * node.grad
        if parent not in seen:
            seen.add(parent)
            walk_once_too_soon(parent, seen)


# %% [markdown]
# **Predict.** With $b = a + a$ and $c = b + b$ we have $c = 4a$, so `a.grad` should be 4. What will it be? Follow the
# walk by hand: it goes as deep as it can before it looks at the second arrow.

# %%
a = Scalar(1.0)
b = a + a
c = b + b
c.grad = 1.0
walk_once_too_soon(c, seen={c})
print("b:", b.grad, "  a:", a.grad)
assert a.grad == 2.0, "run the cell above again first"  # 2 is wrong, and what this walk gives

# %% [markdown]
# `b` ends with the right gradient, and it sent its share to `a` when only half of it had arrived. So:
#
# > A number may send only after everything made from it has sent.
#
# Which order guarantees that? Remember the tickets. A number is always made *after* its parents. Whatever was made
# from it has a later ticket. So **newest first** is safe, in every graph.
#
# Collect what the result was computed from, with a list instead of recursion, and sort.


# %%
def history(node):
    """The number and all that it was computed from, newest first."""
    seen, waiting = {node}, [node]
    while waiting:
        for parent in waiting.pop().parents:
            if parent not in seen:
                seen.add(parent)
                waiting.append(parent)
    return sorted(seen, key=lambda n: n.birth, reverse=True)


def backward(self):
    self.grad = 1.0
    for node in history(self):
        for parent, slope in zip(node.parents, node.slopes):
            parent.grad += slope * node.grad


Scalar.backward = backward

# %% [markdown]
# That is **reverse-mode automatic differentiation**, whole. PyTorch and JAX do the same, on arrays.
#
# **Predict.** Twenty-five doublings: how many numbers does the walk visit, and what is the gradient of the first?

# %%
x = doubled(25)
x.backward()
first = history(x)[-1]
print(len(history(x)), "numbers;", f"gradient {first.grad:,.0f}")
assert first.grad == 2**25, "run the cell above again first"

x = a = Scalar(0.0)
for _ in range(100_000):
    x = x + Scalar(1.0)
x.backward()
print("100,000 additions in a row: value", x.data, "and gradient", a.grad)

# %% [markdown]
# Why backward? One could also walk forward, carrying along how fast each number moves as *one* input moves. But then
# every input needs a walk of its own. Count the multiplications, one an arrow, for a sum of squares:

# %%
inputs = [ddl.Scalar(i) for i in range(1000)]
total = ddl.Scalar.sum([x * x for x in inputs])
arrows = len(total.graph()["edges"])
print(f"one walk back: {arrows:,}")
print(f"a walk forward for each input: {arrows * len(inputs):,}")

# %% [markdown]
# All slopes of one result for about the price of computing it: that is why everything here goes backward.

# %% [markdown]
# ## 7. A bug that trains anyway
#
# This version was written in a hurry. It differs from ours in one character.


# %%
def backward_in_a_hurry(self):
    self.grad = 1.0
    for node in history(self):
        for parent, slope in zip(node.parents, node.slopes):
            parent.grad = slope * node.grad


a, b, c = Scalar(2.0), Scalar(-3.0), Scalar(10.0)
y = a * b + c
backward_in_a_hurry(y)
print(a.grad, b.grad, c.grad)

# %% [markdown]
# The slopes of $ab + c$ are $b$, $a$ and 1, and there they are. Let it train something: find $w$ with $w^2 = 2$, by
# walking down the slope of $(w^2 - 2)^2$.


# %%
def learn(loss_of, walk_back, w=1.0, rate=0.1, steps=80):
    """Every value that w had on its way down."""
    values = [w]
    for _ in range(steps):
        w = Scalar(values[-1])
        walk_back(loss_of(w))
        values.append(w.data - rate * w.grad)
    return values


def root_of_two(w):
    u = w * w + Scalar(-2.0)
    return u * u


print("right:     ", round(learn(root_of_two, backward)[-1], 4))
print("in a hurry:", round(learn(root_of_two, backward_in_a_hurry)[-1], 4))

# %% [markdown]
# It found $\sqrt 2$. Nobody who looks at this result would suspect a thing. **Find it:** before you read on, look for
# the smallest expression on which the two disagree.
#
# **Predict.** What does the hasty version say is the slope of $x \cdot x$ at $x = 3$?

# %%
for walk_back in backward, backward_in_a_hurry:
    x = Scalar(3.0)
    walk_back(x * x)
    print(f"{walk_back.__name__:20} {x.grad}")

print(f"{'nudged':20}", round(((3 + 1e-6) ** 2 - 3**2) / 1e-6, 3))

# %% [markdown]
# **Prove it.** Nudging knows no theory, and it sides with 6. A number used twice gets two messages; `=` keeps the
# last one and drops the other. Any test in which no number is used twice passes.
#
# Why did it find $\sqrt 2$? There, both $u$ and $w$ are used twice by the same product. Each time half is lost, so
# the gradient is a quarter of the true one: the direction is right, the step too short. When the two messages differ,
# the direction is wrong. The next loss pulls $w$ to 1 and to 3; its minimum lies between, at 2.
#
# **Predict.** Where does the hasty version end?


# %%
def between(w):
    left, right = w + Scalar(-1.0), w + Scalar(-3.0)
    return left * left + right * right


ends = {walk: learn(between, walk, w=4.0) for walk in (backward, backward_in_a_hurry)}
for walk_back, values in ends.items():
    print(f"{walk_back.__name__:20} ends at {values[-1]:.2f}")

# %%
figure = Figure((8, 3.2), layout="constrained")
styles = {backward: ("-", "#00588a", "+="), backward_in_a_hurry: ("--", "#9c3d00", "=")}
tasks = {root_of_two: (1.0, 2**0.5), between: (4.0, 2.0)}
words = []
for axes, (loss_of, (start, goal)) in zip(figure.subplots(1, 2), tasks.items()):
    title = loss_of.__name__.replace("_", " ")
    axes.axhline(goal, color="#999999", lw=0.8)
    for walk_back, (line, color, label) in styles.items():
        values = learn(loss_of, walk_back, w=start)
        axes.plot(values, line, color=color, label=label)
        words.append(f"{title} with {label} ends at {values[-1]:.2f}, the goal is {goal:.2f}")
    axes.set(xlabel="step", ylabel="w", title=title)
    axes.legend()
show(figure, alt="\n".join(words))

# %% [markdown]
# Not at 2, and it never will: it hears only the last message, from `left`, and goes to 1. **The fix** is the
# character you know: `+=`.
#
# Take the habit from here: *a loss that falls proves nothing about a gradient.* Compare gradients with nudges, on an
# expression in which every number is used twice.

# %% [markdown]
# ## 8. More rules
#
# Two operations are not much. But each new one is only a value and a slope. First, numbers of Python's own:

# %% tags=["raises-exception"]
2 * Scalar(3.0)

# %% [markdown]
# Python asked 2 to multiply itself by a `Scalar`, it declined, and nobody else was asked. Two things mend that: turn
# plain numbers into Scalars, and answer when our number stands on the right (`__rmul__`).


# %%
def lift(x):
    return x if isinstance(x, Scalar) else Scalar(float(x))


Scalar.__add__ = Scalar.__radd__ = lambda self, other: add(self, lift(other))
Scalar.__mul__ = Scalar.__rmul__ = lambda self, other: multiply(self, lift(other))
Scalar.__neg__ = lambda self: self * -1
Scalar.__sub__ = lambda self, other: self + -lift(other)
Scalar.__rsub__ = lambda self, other: lift(other) - self

x = Scalar(3.0)
y = 2 * x - (1 - x)
y.backward()
print(y, x.grad)

# %% [markdown]
# **Powers.** Multiply $(x + h)^n$ out for a whole $n$: one term is $x^n$, each of the $n$ factors can contribute its
# $h$ once, and everything else has $h^2$ in it:
#
# $$(x + h)^n = x^n + n\,x^{n-1}\,h + h^2(\dots) \qquad\Rightarrow\qquad \text{slope } n\,x^{n-1}.$$
#
# It holds for $n = -1$ too:
#
# $$\frac1{x + h} - \frac1x = \frac{-h}{x\,(x + h)}
# \qquad\Rightarrow\qquad \text{slope } \frac{-1}{x^2} = (-1)\,x^{-2},$$
#
# and so division comes free: $a / b = a \cdot b^{-1}$.
#
# **The exponential.** $e^{x + h} - e^x = e^x\,(e^h - 1)$, so all hangs on how $e^h - 1$ compares with $h$ when $h$ is
# small:

# %%
for h in (0.1, 0.01, 0.001, 0.0001):
    print(f"h = {h}: (e^h - 1) / h = {(math.exp(h) - 1) / h:.5f}")

# %% [markdown]
# It tends to 1; this is what singles out the number $e$. So the slope of $e^x$ is $e^x$ itself.
#
# **The logarithm** undoes it. If $y = \log x$ then $x = e^y$: as $y$ moves by $h$, $x$ moves by $e^y h = x\,h$. Turn
# that around: the slope of $\log x$ is $1/x$.
#
# **The hyperbolic tangent** squeezes any number between −1 and 1. With $E = e^{2x}$, whose slope is $2E$,
#
# $$t = \tanh x = \frac{E - 1}{E + 1} = 1 - \frac{2}{E + 1}
# \qquad\Rightarrow\qquad \text{slope } \frac{2 \cdot 2E}{(E + 1)^2} .$$
#
# Since $1 - t = \frac{2}{E + 1}$ and $1 + t = \frac{2E}{E + 1}$, that is $(1 - t)(1 + t) = 1 - t^2$. The slope comes
# from the result alone.
#
# **ReLU**, $\max(x, 0)$, has slope 1 to the right of zero and 0 to the left. At zero it has none, and we choose 0.


# %%
def power(self, n):
    return Scalar(self.data**n, (self,), (n * self.data ** (n - 1),))


def exp(self):
    out = math.exp(self.data)
    return Scalar(out, (self,), (out,))


def log(self):
    return Scalar(math.log(self.data), (self,), (1 / self.data,))


def tanh(self):
    out = math.tanh(self.data)
    return Scalar(out, (self,), (1 - out * out,))


# %%
def relu(self):
    on = self.data > 0
    return Scalar(self.data if on else 0.0, (self,), (float(on),))


Scalar.__pow__ = power
Scalar.__truediv__ = lambda self, other: self * lift(other) ** -1
Scalar.__rtruediv__ = lambda self, other: lift(other) * self**-1
Scalar.exp, Scalar.log, Scalar.tanh, Scalar.relu = exp, log, tanh, relu

# %% [markdown]
# Derived is good, checked is better. Nudging from both sides, $\frac{f(x + h) - f(x - h)}{2h}$, lets the $h^2$ terms
# cancel.
#
# **Predict.** Which of these slopes at $x = 0.7$ can you name before you run the cell?

# %%
rules = {
    "x * x": lambda x: x * x,
    "x ** 3": lambda x: x**3,
    "1 / x": lambda x: 1 / x,
    "exp(x)": lambda x: x.exp(),
    "log(x)": lambda x: x.log(),
    "tanh(x)": lambda x: x.tanh(),
    "relu(x)": lambda x: x.relu(),
    "relu(-x)": lambda x: (-x).relu(),
    "all of it": lambda x: ((2 - x) / x + x.log() * x.exp()).tanh() - 1 / (x * x),
}
h = 1e-5
for name, rule in rules.items():
    x = Scalar(0.7)
    rule(x).backward()
    nudged = (rule(Scalar(0.7 + h)).data - rule(Scalar(0.7 - h)).data) / (2 * h)
    print(f"{name:10} slope {x.grad:8.4f}   nudged {nudged:8.4f}")
    assert abs(x.grad - nudged) < 1e-7, f"the slope of {name} is wrong: run all cells above again"

# %% [markdown]
# ## 9. Yours against the library's
#
# `ddl.Scalar` is the same idea on a page. Let both compute 200 random programs of 15 steps, in which numbers are used
# again and again, and compare every gradient.


# %%
def random_program(rng, steps=15):
    """A function of three numbers, the same whatever kind of number it gets."""
    operations = [
        lambda x, y: x + y,
        lambda x, y: x * y,
        lambda x, y: x / (y * y + 1),
        lambda x, y: x.tanh(),
        lambda x, y: x.relu() - y,
        lambda x, y: (1 - x.tanh()).exp(),
    ]
    plan = [(rng.choice(operations), rng.random(), rng.random()) for _ in range(steps)]

    def program(*numbers):
        pool = list(numbers)
        for operation, i, j in plan:
            pool.append(operation(pool[int(i * len(pool))], pool[int(j * len(pool))]))
        return sum(pool[3:])

    return program


# %%
rng = random.Random(1)
worst = 0.0
for _ in range(200):
    program, data = random_program(rng), [rng.uniform(-1, 1) for _ in range(3)]
    mine, theirs = [Scalar(x) for x in data], [ddl.Scalar(x) for x in data]
    program(*mine).backward()
    program(*theirs).backward()
    for x, y in zip(mine, theirs):
        worst = max(worst, abs(x.grad - y.grad) / max(1.0, abs(y.grad)))

assert worst < 1e-12, "yours and the library's differ: run all cells above again first"
print("600 gradients agree to 12 digits")

# %% [markdown]
# From here on the course imports the library's. It differs from yours in a few ways. First, it keeps what flows
# through the graph apart from `grad`, and adds it at the end.
#
# **Predict.** For $y = (a + b)\,b$ with slopes 3 and 8: what does a second `backward()` make of `a.grad`, in yours
# and in the library's?

# %%
for whose, kind in ("yours", Scalar), ("library's", ddl.Scalar):
    a, b = kind(2.0), kind(3.0)
    y = (a + b) * b
    y.backward()
    once = a.grad
    y.backward()
    print(f"{whose:10} once {once}, twice {a.grad}")

# %% [markdown]
# Yours sent along, the second time, what `a + b` still held from the first. The library's adds the same 3 again. Both
# leave the old gradient in place: **before the next step, set `grad = 0.0`**. Forgetting that is a famous bug.
#
# It draws itself, and names help. Here is the neuron of the next chapter.

# %%
w, x, bias = ddl.Scalar(0.5, "w"), ddl.Scalar(2.0, "x"), ddl.Scalar(-0.3, "bias")
out = (w * x + bias).tanh()
out.name = "out"
out.backward()
show(draw(out.graph()), alt=describe(out.graph()))

# %% [markdown]
# **Read it.** Pick any blue box and follow its path to the right, multiplying: you must get its gradient.
#
# A sum of many products is one number, not two for each of them.

# %%
ws = [ddl.Scalar(0.01 * i) for i in range(100)]
one_by_one = sum(w * w for w in ws)
at_once = ddl.Scalar.dot(ws, ws)
print("numbers in the graph, one by one:", len(one_by_one.graph()["nodes"]))
print("numbers in the graph, at once:   ", len(at_once.graph()["nodes"]))
assert abs(one_by_one.data - at_once.data) < 1e-12, "one by one and at once differ"

# %% [markdown]
# And it says what is wrong.

# %% tags=["raises-exception"]
(ddl.Scalar(2.0) - 3).log()

# %% [markdown]
# ## Recap
#
# 1. A computation is a graph; each arrow has a local derivative that the operation knows by itself.
# 2. The slope of the result in any number: multiply along each path, add over all paths.
# 3. One walk back, newest number first, finds them all; each number sends once, when all has arrived.
# 4. Gradients add up. `=` in the place of `+=` trains anyway, and goes wrong where a number is used twice.
# 5. A falling loss proves nothing about a gradient. Nudges do.
#
# | here | PyTorch | JAX |
# |---|---|---|
# | `x = ddl.Scalar(2.0)` | `x = torch.tensor(2.0, requires_grad=True)` | any number |
# | `y.backward(); x.grad` | `y.backward(); x.grad` | `jax.grad(f)(x)` |
# | `x.grad = 0.0` | `x.grad = None`, `optimizer.zero_grad()` | nothing to reset |
# | operation with its slopes | `torch.autograd.Function` | `jax.custom_vjp` |
# | nudging | `torch.autograd.gradcheck` | `jax.test_util.check_grads` |
#
# ## Go deeper
#
# - R. E. Wengert (1964), *A simple automatic derivative evaluation program*: local derivatives carried along,
#   forward.
# - S. Linnainmaa (1976), *Taylor expansion of the accumulated rounding error*: the walk back.
# - W. Baur and V. Strassen (1983), *The complexity of partial derivatives*: all slopes for a constant times the price
#   of the value.
# - A. Griewank and A. Walther (2008), *Evaluating Derivatives*, second edition: the book on all of it.
# - A. G. Baydin, B. A. Pearlmutter, A. A. Radul and J. M. Siskind (2018), *Automatic differentiation in machine
#   learning: a survey*.
# - A. Karpathy (2020), *micrograd*: the idea of this chapter in a hundred lines of Python.
#
# **Next:** [02 · Neurons](02_neurons.ipynb). What can a few of these numbers learn?
