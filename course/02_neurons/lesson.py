# %% [markdown]
# # 02 · Neurons
#
# After this chapter you can
#
# - train the oldest learning machine, and prove what it cannot learn,
# - build a network of neurons from Scalars and train it with a loop of your own,
# - find, prove and mend a loss that works in every test and fails in real life.
#
# **Time:** about 90 minutes. **Needs:** [chapter 01](01_one_number.ipynb): Scalar, backward, the habit of nudging.
#
# Where a line says **Predict**, write your answer down before you run the cell below it.

# %%
import math
import random

import numpy as np
from matplotlib.figure import Figure

import ddl
from ddl.course import show
from ddl.graph import describe, draw

BLUE, RUST = "#00588a", "#9c3d00"

# %% [markdown]
# ## 1. A neuron that decides
#
# A neuron takes some numbers $x_1, x_2, \dots$, weighs each, adds a **bias**, and decides by the sign of the
# **score**:
#
# $$s = w_1 x_1 + w_2 x_2 + b, \qquad \text{answer} = \begin{cases} +1 & s > 0 \\ -1 & s < 0. \end{cases}$$
#
# With two inputs, $s = 0$ is a line, and the weights point to its positive side. A score of exactly 0 takes no side: it
# counts as wrong, whatever the label.


# %%
def score(w, b, x):
    return sum(wi * xi for wi, xi in zip(w, x)) + b


def plot_line(axes, w, b, style, label):
    """The points of the square from -1 to 1 whose score is 0."""
    xs = np.linspace(-1.2, 1.2, 2)
    axes.plot(xs, -(w[0] * xs + b) / w[1], style, color="#333333", lw=1.2, label=label)


def plot_points(axes, data):
    for label, marker, color in ((1, "o", BLUE), (-1, "x", RUST)):
        points = np.array([x for x, y in data if y == label])
        axes.scatter(*points.T, marker=marker, color=color, label=f"{label:+d}", zorder=3)
    axes.set(xlim=(-1.2, 1.2), ylim=(-1.2, 1.2), aspect="equal")


# %% [markdown]
# Sixty points, labelled by a line that the neuron will not be told, and none very near to it:

# %%
rng = random.Random(2)
secret_w, secret_b = (0.8, -0.6), 0.1
data = []
while len(data) < 60:
    x = (rng.uniform(-1, 1), rng.uniform(-1, 1))
    s = score(secret_w, secret_b, x)
    if abs(s) > 0.1:
        data.append((x, 1 if s > 0 else -1))
print(sum(y == 1 for x, y in data), "points are +1,", sum(y == -1 for x, y in data), "are -1")

# %% [markdown]
# How could it learn from a mistake? Say the point $x$ has label $y$ (which is $+1$ or $-1$), and the neuron's sign is
# wrong. Rosenblatt's rule of 1958 is
#
# $$w \leftarrow w + y\,x, \qquad b \leftarrow b + y .$$
#
# What does that do to the score of the same point?
#
# $$s_{\text{new}} = (w + y\,x)\cdot x + (b + y) = s + y\,(x\cdot x + 1).$$
#
# The bracket is positive, so $s$ moves towards $y$. The line moves so that this point is less wrong. Others may
# become wrong by it.
#
# **Predict.** Does it ever come to an end?


# %%
def perceptron(data, passes):
    """Weights, bias and the number of mistakes in each pass; stops after a pass without one."""
    w, b, mistakes = [0.0] * len(data[0][0]), 0.0, []
    for _ in range(passes):
        mistakes.append(0)
        for x, y in data:
            if y * score(w, b, x) <= 0:
                w = [wi + y * xi for wi, xi in zip(w, x)]
                b = b + y
                mistakes[-1] += 1
        if mistakes[-1] == 0:
            break
    return w, b, mistakes


w, b, mistakes = perceptron(data, passes=100)
print("mistakes, pass by pass:", mistakes)
assert mistakes[-1] == 0

# %%
figure = Figure((5.6, 3.6), layout="constrained")
axes = figure.subplots()
plot_points(axes, data)
plot_line(axes, secret_w, secret_b, ":", "the secret line")
plot_line(axes, w, b, "-", "the line found")
axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
correct = sum(y * score(w, b, x) > 0 for x, y in data)
words = "Two lines, the secret one and the one found, part the points of both labels."
show(figure, alt=f"{words} The one found has {correct} of {len(data)} right.")

# %% [markdown]
# It does, and here is why. Write the bias as one more weight, with an input that is always 1. Suppose some direction
# $u$ of length 1 parts the data with room to spare: $y\,(u\cdot x) \ge \gamma > 0$ for all points. And let no point
# be longer than $R$. Watch two quantities at each mistake:
#
# - $u\cdot w$ grows by $y\,(u\cdot x)$, which is at least $\gamma$. After $k$ mistakes $u\cdot w \ge k\gamma$.
# - $w\cdot w$ grows by $2\,y\,(w\cdot x) + x\cdot x$. The first part is not positive (it was a mistake), the second
#   at most $R^2$. After $k$ mistakes $w\cdot w \le kR^2$.
#
# But $u\cdot w$ is at most the length of $w$. So $k\gamma \le \sqrt{k}\,R$, and **$k \le R^2/\gamma^2$**: the number
# of mistakes has a ceiling, however long we go on.

# %%
length = math.hypot(*secret_w, secret_b)
gamma = min(y * score(secret_w, secret_b, x) for x, y in data) / length
R = max(math.hypot(*x, 1) for x, y in data)
print(f"mistakes made: {sum(mistakes)}; allowed at most: {R**2 / gamma**2:.0f}")
assert sum(mistakes) <= R**2 / gamma**2, "run the cell that trains on the sixty points again first"

# %% [markdown]
# ## 2. What it cannot learn
#
# The proof began with "suppose some direction parts the data". Here are four points where none does: **exclusive
# or**, true when exactly one of the two inputs is. (We write $+1$ for true and $-1$ for false.)

# %%
XOR = [((-1, -1), -1), ((-1, 1), 1), ((1, -1), 1), ((1, 1), -1)]

w, b, mistakes = perceptron(XOR, passes=1000)
print("passes:", len(mistakes), "  last mistakes:", mistakes[-5:], "  weights:", w, b)
assert min(mistakes) > 0

# %% [markdown]
# A thousand passes and still as many mistakes as at first. The weights end where they began, at zero: it goes round
# in a circle. Could a cleverer rule do it?
#
# **Predict.** How many of the four can a line get right? Here are lines in 40 directions at 41 distances, both ways
# round.

# %%
best = 0
for step in range(80):
    angle = math.pi * step / 40
    w = (math.cos(angle), math.sin(angle))
    for shift in range(-20, 21):
        best = max(best, sum(y * score(w, shift / 10, x) > 0 for x, y in XOR))
print("at best", best, "of 4")
assert best == 3

# %% [markdown]
# No line does, and the reason fits in two lines. Take the scores of the two true points, and of the two false ones:
#
# $$\text{true:}\quad (-w_1 + w_2 + b) + (w_1 - w_2 + b) = 2b$$
#
# $$\text{false:}\quad (-w_1 - w_2 + b) + (w_1 + w_2 + b) = 2b$$
#
# Both true scores should be positive, so $2b > 0$. Both false ones should be negative, so $2b < 0$. **No numbers do
# that.** Minsky and Papert made much of this in 1969, and interest in neural networks cooled for years.

# %% [markdown]
# ## 3. A neuron with a slope
#
# Two lines together could do it: true is *between* them. So we need neurons that feed neurons. But how should the
# first ones learn? A mistake at the end has to be traced back to them, and that is what slopes are for. The sign is
# no help: its slope is 0 wherever it has one. So we bend it: $\tanh$ also goes from $-1$ to $1$, without a jump.

# %%
xs = np.linspace(-4, 4, 201)
figure = Figure((7.5, 2.8), layout="constrained")
curves = {"sign": (np.sign(xs), 0 * xs), "tanh": (np.tanh(xs), 1 - np.tanh(xs) ** 2)}
for axes, (name, (values, slopes)) in zip(figure.subplots(1, 2), curves.items()):
    axes.plot(xs, values, color=BLUE, label="value")
    axes.plot(xs, slopes, "--", color=RUST, label="slope")
    axes.set(title=name, xlabel="score")
    axes.legend(loc="upper left")
words = "The sign jumps from -1 to 1 and its slope is 0. tanh goes from -1 to 1 without a jump;"
show(figure, alt=f"{words} its slope is 1 at 0 and {1 - math.tanh(3) ** 2:.2f} at 3.")

# %% [markdown]
# Now a neuron, and a network of them: one hidden layer, and a last neuron that gives a bare score.


# %%
class Neuron:
    """Weights and a bias of its own; squashed by tanh, or not."""

    def __init__(self, inputs, rng, squash=True):
        self.weights = [ddl.Scalar(rng.uniform(-1, 1)) for _ in range(inputs)]
        self.bias = ddl.Scalar(rng.uniform(-1, 1))
        self.squash = squash

    def __call__(self, xs):
        s = ddl.Scalar.dot(self.weights, xs, self.bias)
        return s.tanh() if self.squash else s

    def parameters(self):
        return [*self.weights, self.bias]


# %%
class MLP:
    """A multi-layer perceptron: one layer of hidden neurons, then one that gives the score."""

    def __init__(self, inputs, hidden, rng):
        self.hidden = [Neuron(inputs, rng) for _ in range(hidden)]
        self.output = Neuron(hidden, rng, squash=False)

    def __call__(self, xs):
        return self.output([neuron(xs) for neuron in self.hidden])

    def parameters(self):
        return [p for neuron in (*self.hidden, self.output) for p in neuron.parameters()]


# %% [markdown]
# **Predict.** How many parameters has a network with 2 inputs and 4 hidden neurons?

# %%
model = MLP(2, 4, random.Random(0))
print(len(model.parameters()))
for x, y in XOR:
    print(x, f"wanted {y:+d}, score {model(x).data:+.2f}")

# %% [markdown]
# ## 4. How wrong is a score?
#
# The bare sign of the score will not do for learning: nothing changes as the score moves, until it jumps. We turn the
# score into a **probability** that the answer is true, with the **sigmoid**,
#
# $$p = \sigma(s) = \frac{1}{1 + e^{-s}},$$
#
# which is $\frac12$ at 0 and tends to 0 and to 1 at the two ends. Its slope: with $m = e^{-s}$, whose slope is $-m$,
#
# $$\frac{d}{ds}\,\frac{1}{1 + m} = \frac{m}{(1 + m)^2} = p\,(1 - p).$$
#
# And we measure the **surprise** at the right answer: $-\log$ of the probability it was given. No surprise if that
# was 1, and more and more as it goes to 0. With a target $t$ of 1 for true and 0 for false, one formula covers both:
#
# $$\text{loss} = -\bigl(t \log p + (1 - t) \log(1 - p)\bigr).$$

# %%
for p in (0.999, 0.9, 0.5, 0.1, 0.001):
    print(f"right answer given {p}: surprise {-math.log(p):.3f}")

# %% [markdown]
# Straight from the formula into code. The picture shows what is left of it where the right answer is false, $t = 0$:


# %%
def surprise(s, y):
    """The loss of score s where the label is y, +1 or -1."""
    t = (y + 1) / 2
    p = s.sigmoid()
    return -(t * p.log() + (1 - t) * (1 - p).log())


s = ddl.Scalar(1.2, "s")
loss = -(1 - s.sigmoid()).log()
loss.name = "loss"
loss.backward()
assert loss == surprise(s, -1)
show(draw(loss.graph()), alt=describe(loss.graph()))

# %% [markdown]
# **Check by nudging**, as always. The slope of the loss in the score should also be simple. For $t = 0$ the loss is
# $-\log(1 - p)$, with slope $\frac{1}{1 - p}\cdot p\,(1 - p) = p$. For $t = 1$ it is $-\frac1p \cdot p\,(1 - p) = p -
# 1$. Both are
#
# $$\frac{d\,\text{loss}}{ds} = p - t .$$
#
# Too high by how much, that is the slope. It never exceeds 1 in size.

# %%
h = 1e-5
for y in (1, -1):
    s = ddl.Scalar(1.2)
    surprise(s, y).backward()
    up, down = surprise(ddl.Scalar(1.2 + h), y).data, surprise(ddl.Scalar(1.2 - h), y).data
    rule = s.sigmoid().data - (y + 1) / 2
    print(f"y = {y:+d}: p - t {rule:+.6f}   backward {s.grad:+.6f}", end="   ")
    print(f"nudged {(up - down) / (2 * h):+.6f}")
    assert abs(s.grad - rule) < 1e-12

# %% [markdown]
# ## 5. Learning
#
# Here is one example on its way through a small network, with 2 hidden neurons, to its score. The gradients are those
# of the score; one more factor on every path, $p - t$, makes them those of the loss. Every blue box that is not an
# input is a parameter, and its gradient says which way to turn it.

# %%
small = MLP(2, 2, random.Random(1))
for name, neuron in zip(("h1", "h2", "out"), (*small.hidden, small.output)):
    for part, p in zip(("w1", "w2", "b"), neuron.parameters()):
        p.name = f"{name}.{part}"
answer = small([ddl.Scalar(-1, "x1"), ddl.Scalar(1, "x2")])
answer.name = "score"
answer.backward()
show(draw(answer.graph()), alt=describe(answer.graph()))

# %% [markdown]
# A step: turn every parameter a little against its gradient. **Stochastic gradient descent** does so after each
# single example, in a new order each pass.


# %%
def train(model, data, loss_of, rng, rate=0.2, passes=200):
    """The mean loss of each pass."""
    means = []
    for _ in range(passes):
        total = 0.0
        for x, y in rng.sample(data, len(data)):
            loss = loss_of(model(x), y)
            for p in model.parameters():
                p.grad = 0.0
            loss.backward()
            for p in model.parameters():
                p.data -= rate * p.grad
            total += loss.data
        means.append(total / len(data))
    return means


def right(model, data):
    return sum(y * model(x).data > 0 for x, y in data)


# %%
rng = random.Random(0)
model = MLP(2, 4, rng)
means = train(model, XOR, surprise, rng)
print(f"loss: {means[0]:.2f} in the first pass, {means[-1]:.2f} in the last")
for x, y in XOR:
    print(x, f"wanted {y:+d}, probability of true {model(x).sigmoid().data:.2f}")
assert right(model, XOR) == 4

# %% [markdown]
# It can do what no line can. What did it draw? We ask it everywhere in the square.


# %%
def plot_answers(axes, model, data):
    """The probability of true all over the square."""
    ticks = np.linspace(-1.6, 1.6, 33)
    grid = np.array([[model((u, v)).sigmoid().data for u in ticks] for v in ticks])
    levels = np.linspace(0, 1, 11)
    shades = axes.contourf(ticks, ticks, grid, levels, cmap="PuOr", alpha=0.45)
    axes.contour(ticks, ticks, grid, levels=[0.5], colors="#333333")
    plot_points(axes, data)
    axes.set(xlim=(-1.6, 1.6), ylim=(-1.6, 1.6))
    return shades


figure = Figure((5.2, 4), layout="constrained")
axes = figure.subplots()
figure.colorbar(plot_answers(axes, model, XOR), label="probability of true")
corners = ", ".join(f"{x}: {model(x).sigmoid().data:.2f}" for x, y in XOR)
show(figure, alt=f"A curved boundary parts true from false. Probability of true at {corners}.")

# %% [markdown]
# **Look inside.** The hidden neurons hand the last one four numbers for each point, and the last one is no cleverer
# than the perceptron of section 1.
#
# **Predict.** Give *those* numbers to the perceptron: will it come to an end?

# %%
inside = [([neuron(x).data for neuron in model.hidden], y) for x, y in XOR]
for (x, y), (values, _) in zip(XOR, inside):
    print(x, f"{y:+d}  hidden:", "  ".join(f"{value:+.1f}" for value in values))

_, _, mistakes = perceptron(inside, passes=1000)
print("mistakes, pass by pass:", mistakes)
assert mistakes[-1] == 0, "run the cell that trains the network on XOR again first"

# %% [markdown]
# The hidden layer has moved the points to where a line can part them. That is what layers are for.
#
# Was it luck? One run proves little. Twenty, each from weights of its own, and beside them twenty with only two
# hidden neurons.
#
# **Predict.** Two lines are enough for XOR, so two hidden neurons suffice. Will they do as well?


# %%
def many(hidden, loss_of, seeds=range(20)):
    """For each seed, the losses of its passes and how many of the four it has right at the end."""
    runs = []
    for seed in seeds:
        rng = random.Random(seed)
        model = MLP(2, hidden, rng)
        means = train(model, XOR, loss_of, rng)
        runs.append((means, right(model, XOR)))
    return runs


runs = {hidden: many(hidden, surprise) for hidden in (4, 2)}
solved = {hidden: sum(count == 4 for _, count in group) for hidden, group in runs.items()}
for hidden, count in solved.items():
    print(f"{hidden} hidden neurons: {count} of 20 runs get all four right")
assert solved[4] >= 18
assert solved[2] <= 15

# %%
figure = Figure((8, 3), layout="constrained")
for axes, (hidden, group) in zip(figure.subplots(1, 2, sharey=True), runs.items()):
    for means, count in group:
        style = ("-", BLUE) if count == 4 else ("--", RUST)
        axes.plot(means, style[0], color=style[1], lw=0.9)
    axes.set_title(f"{hidden} hidden neurons: {solved[hidden]} of 20 solve it")
    axes.set(xlabel="pass", ylim=(0, 1))
figure.axes[0].set_ylabel("mean loss")
words = "Loss by pass, twenty runs each; those that fail are dashed and stay high."
show(figure, alt=f"{words} 4 hidden neurons: {solved[4]} solve it. 2 hidden neurons: {solved[2]}.")

# %% [markdown]
# Two are enough to *write down* a solution, and often not enough to *find* it: the way down ends in a hollow. Spare
# neurons give spare ways. This is one reason why networks are made larger than they need to be.
#
# Random weights matter too.
#
# **Predict.** Start with all weights at zero. What will the loss be after 200 passes?

# %%
model = MLP(2, 4, random.Random(0))
for p in model.parameters():
    p.data = 0.0
means = train(model, XOR, surprise, random.Random(0))
moved = sum(p.data != 0 for p in model.parameters())
print(f"loss {means[-1]:.2f}; parameters that ever moved: {moved} of {len(model.parameters())}")
assert moved == 1
assert right(model, XOR) <= 3

# %% [markdown]
# All hidden values are $\tanh 0 = 0$, so the last weights get no gradient. They are 0 themselves, so nothing passes
# through them to the hidden ones. Only the last bias hears anything, and the loss stays near that of a coin, $\log 2
# = 0.69$. Were the weights all equal but not zero, the four neurons would get the same gradients and stay four copies
# of one. **Randomness is what makes them differ.**

# %% [markdown]
# ## 6. A bug that trains anyway
#
# Forty runs, and `surprise` never failed. Here is a task that looks easier still: one input, the temperature outside
# in degrees Fahrenheit; one neuron; was the heating off? The start is not bad: the colder, the lower the score.

# %%
DAYS = [((degrees,), 1 if degrees > 55 else -1) for degrees in range(10, 101, 10)]


def thermostat(weight, bias=-10.0):
    """One neuron, without tanh, that starts with this weight and bias."""
    neuron = Neuron(1, random.Random(0), squash=False)
    neuron.weights[0].data, neuron.bias.data = weight, bias
    return neuron


model = thermostat(0.6)
print("right at the start:", right(model, DAYS), "of", len(DAYS))

# %% tags=["raises-exception"]
train(model, DAYS, surprise, random.Random(0), rate=0.001)

# %% [markdown]
# The log of zero? **Find it** before you read on. Which days can do that, and is the neuron wrong about them?

# %%
model = thermostat(0.6)
for x, y in DAYS:
    s = model(x).data
    p = ddl.Scalar(s).sigmoid().data
    truth = 1 / (1 + math.exp(s))
    print(f"{x[0]:3} degrees, label {y:+d}, score {s:+3.0f}:", end="  ")
    print(f"1 - p = {1 - p:.1e}, in truth {truth:.1e}")

print(f"the float next below 1 is 1 - {1 - math.nextafter(1, 0):.1e}")

# %% [markdown]
# It fails on days about which it is *right*, because it is so sure. There $p$ is nearer to 1 than to the float next
# below, so it is rounded to exactly 1. Then $1 - p$ is exactly 0, and its log is asked for even where the factor $1 -
# t$ is 0.
#
# The rounding begins long before it shows.
#
# **Predict.** For $t = 0$, at which score has the loss lost half of its 16
# digits? And at which score does it break in 32-bit floats, which have 7?

# %%
print("score   loss by the formula   loss in truth")
for s in (10, 20, 30, 36):
    by_formula = surprise(ddl.Scalar(s), -1).data
    print(f"{s:5}   {by_formula:19.12f}   {s + math.log1p(math.exp(-s)):.12f}")

# %%
for kind in np.float64, np.float32:
    s = 0
    while 1 - 1 / (1 + np.exp(-kind(s))) > 0:
        s += 1
    print(f"{kind.__name__}: 1 - p is exactly 0 from a score of {s} on")

with np.errstate(all="ignore"):
    p = 1 / (1 + np.exp(np.float32(-20)))
    print("float32, score 20, true:", -(1 * np.log(p) + 0 * np.log(1 - p)))

# %% [markdown]
# Most networks compute in 32 bits, so there a score of 20 is enough. And numpy and PyTorch do not stop where Scalar
# does: they go on with `nan`, not a number, and after one step every parameter is `nan` as well.
#
# A popular patch keeps the log away from zero:


# %%
def patched(s, y, tiny=1e-12):
    t = (y + 1) / 2
    p = s.sigmoid()
    return -(t * (p + tiny).log() + (1 - t) * (1 - p + tiny).log())


model = thermostat(0.6)
train(model, DAYS, patched, random.Random(0), rate=0.001)
print("it trains:", right(model, DAYS), "of", len(DAYS), "days right")
print("and XOR:", sum(count == 4 for _, count in many(4, patched)), "of 20 runs solve it")

# %% [markdown]
# No error any more, and everything learns. Would you ship it?
#
# **Predict.** What is the slope of `patched` at a score of 40 where the answer is false? This is the worst mistake
# there is. We know what the slope should be: $p - t = 1$.

# %%
print("score   patched   p - t")
for s in (0, 10, 20, 25, 30, 40):
    x = ddl.Scalar(s)
    patched(x, -1).backward()
    print(f"{s:5}   {x.grad:7.4f}   {x.sigmoid().data:.4f}")

# %% [markdown]
# **That is the proof.** The patch silences a point exactly where it is most wrong. A bad start is enough, one with
# the sign of the weight turned round:

# %%
model = thermostat(-0.6)
before = right(model, DAYS)
train(model, DAYS, patched, random.Random(0), rate=0.001)
print(f"patched: {before} days right before, {right(model, DAYS)} after 200 passes")
assert right(model, DAYS) <= 6

# %% [markdown]
# **The fix** is algebra, done before the computer rounds. Put $p = 1/(1 + e^{-s})$ into both logs:
#
# $$-\log(1 - p) = -\log\frac{e^{-s}}{1 + e^{-s}} = s + \log(1 + e^{-s}) = \log(1 + e^{s}),
# \qquad -\log p = \log(1 + e^{-s}) = \log(1 + e^{s}) - s .$$
#
# Both together: **loss $= \log(1 + e^s) - t\,s$**. No $p$, no $1 - p$. One danger is left: $e^s$ overflows near 709.
# For a positive $s$ take $e^s$ out of the log: $\log(1 + e^s) = s + \log(1 + e^{-s})$. For both signs at once:
#
# $$\text{loss} = \max(s, 0) + \log\bigl(1 + e^{-|s|}\bigr) - t\,s .$$
#
# The exponent is never positive, and the log's argument lies between 1 and 2.


# %%
def steady(s, y):
    t = (y + 1) / 2
    return s.max(0) + (1 + (-abs(s)).exp()).log() - t * s


for s in (-10_000, -40, -1.2, 0, 1.2, 40, 10_000):
    for y in (1, -1):
        x = ddl.Scalar(s)
        loss = steady(x, y)
        loss.backward()
        rule = x.sigmoid().data - (y + 1) / 2
        assert math.isfinite(loss.data)
        assert abs(x.grad - rule) < 1e-12
print("finite, with the slope p - t, from -10,000 to 10,000")

# %% [markdown]
# (At $s = 0$ neither $\max$ nor $|s|$ has a slope of its own. Scalar splits a tie of max in halves and gives $|0|$
# the slope 0, and so the sum is right there too.)
#
# Both starts again, and XOR once more:

# %%
for start in (0.6, -0.6):
    model = thermostat(start)
    train(model, DAYS, steady, random.Random(0), rate=0.001)
    print(f"weight {start:+} at the start: {right(model, DAYS)} of {len(DAYS)} days right")
    assert right(model, DAYS) >= 9

print("XOR:", sum(count == 4 for _, count in many(4, steady)), "of 20 runs solve it")

# %% [markdown]
# A loss that takes **scores** and does the algebra inside is what every library offers, and now you know why.
#
# ## Recap
#
# 1. A perceptron adds what it got wrong to its weights; if a line parts the data, it ends after at most
#    $R^2/\gamma^2$ mistakes.
# 2. No line parts exclusive or: the scores of the true and of the false points have the same sum, $2b$.
# 3. A hidden layer moves the points to where a line can; with $\tanh$ for the sign it has slopes, and backward trains
#    it.
# 4. One run proves little. Twenty seeds showed that spare neurons help, and that equal weights stay equal.
# 5. Sigmoid, then log, throws away what the log needs. Compute the loss from the score: slope $p - t$, everywhere.
#
# | here | PyTorch | JAX |
# |---|---|---|
# | `Neuron`, a layer of them | `torch.nn.Linear`, `torch.nn.Tanh` | `flax.nnx.Linear`, `jax.nn.tanh` |
# | `surprise` | `torch.nn.BCELoss` (which cuts the log off at −100) | |
# | `steady` | `torch.nn.BCEWithLogitsLoss` | `optax.sigmoid_binary_cross_entropy` |
# | $\log(1 + e^s)$ | `torch.nn.functional.softplus` | `jax.nn.softplus` |
# | `train` | `torch.optim.SGD` | `optax.sgd` |
#
# ## Go deeper
#
# - W. McCulloch and W. Pitts (1943), *A logical calculus of the ideas immanent in nervous activity*: neurons that
#   decide.
# - F. Rosenblatt (1958), *The perceptron: a probabilistic model for information storage and organization in the
#   brain*.
# - A. Novikoff (1962), *On convergence proofs on perceptrons*: the ceiling of section 1.
# - M. Minsky and S. Papert (1969), *Perceptrons*: what one layer cannot do.
# - D. Rumelhart, G. Hinton and R. Williams (1986), *Learning representations by back-propagating errors*: hidden
#   layers that learn.
# - G. Cybenko (1989), *Approximation by superpositions of a sigmoidal function*: one hidden layer can come close to
#   any continuous function, if it is wide enough.
#
# **Next:** [03 · From numbers to tensors](03_tensors.ipynb). The same loop, with whole arrays for numbers.
