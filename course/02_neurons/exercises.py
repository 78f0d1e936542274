# %% [markdown]
# # Exercises 02 · Neurons
#
# Each exercise has a cell for your answer and below it a cell that checks. The check runs your answer and tells in
# words what is right and what is not; run it as often as you like. Stuck? `hint("02.follow")` helps in three steps.
#
# One star is a line or two, two stars a small function, three stars half an hour.

# %%
import math
import random

import ddl
from ddl.course import check, hint, progress, reset

# %% [markdown]
# ### 02.follow ★ Follow the perceptron
#
# With pencil and paper, for once you have walked through a learning rule you can tell a wrong one by its numbers. Four
# points come in this order, again and again:
#
# | point | $x_1$ | $x_2$ | label |
# |---|---|---|---|
# | A | 1 | 2 | +1 |
# | B | 2 | 0 | −1 |
# | C | −1 | −1 | +1 |
# | D | 0 | 1 | +1 |
#
# The perceptron of chapter 2 begins with weights and bias 0 and stops after a pass without a mistake. Where does it
# end, and how many mistakes has it made in all?

# %% task="02.follow"
end = ...
### BEGIN SOLUTION
end = {"w1": -2, "w2": 1, "b": 1, "mistakes": 3}
### END SOLUTION

# %% [markdown]
# Give them as `end = {"w1": ..., "w2": ..., "b": ..., "mistakes": ...}`.
#
# ### 02.hears ★ Who hears anything
#
# Weights that all start at 0 learn nothing, as the chapter showed. But a *part* of a network may well start at 0, and
# in chapter 15 a part does so on purpose. Take the network with 2 inputs and 4 hidden $\tanh$ neurons. Its hidden
# weights and biases are 0, and so is the last bias; its last weights are random. It meets the point $(-1, 1)$ with the
# label $+1$.
#
# Which parameters get a gradient other than 0? Draw one hidden neuron's part of the graph and read it off. Answer with
# True or False for each group.

# %% task="02.hears"
hears = ...
### BEGIN SOLUTION
hears = {"hidden weights": True, "hidden biases": True, "last weights": False, "last bias": True}
### END SOLUTION

# %% [markdown]
# Give them as `hears = {"hidden weights": ..., "hidden biases": ..., "last weights": ..., "last bias": ...}`.
#
# ### 02.xor ★★ Exclusive or, by hand
#
# No line parts exclusive or, but two lines do. Write down three neurons that decide by the *sign* of their scores
# (inputs and answers are −1 or +1, and a score of 0 takes no side): two that see the inputs, and one that sees the two.
# Once you can write a solution down, you know what the training has to find.

# %% task="02.xor"
network = ...
### BEGIN SOLUTION
network = [(1, 1, 1), (1, 1, -1), (1, -1, -1)]
### END SOLUTION

# %% [markdown]
# Give each neuron as `(w1, w2, b)`: `network = [first, second, last]`.
#
# ### 02.layer ★★ Find the bug: four neurons that are one
#
# Here is a shorter way to make a layer: each neuron is a list of its weights and, last, its bias, all drawn from
# `rng.uniform(-1, 1)`.


# %%
def short_layer(inputs, outputs, rng):
    neuron = [ddl.Scalar(rng.uniform(-1, 1)) for _ in range(inputs + 1)]
    return [neuron] * outputs


# %% [markdown]
# It runs, its numbers are counted right, gradients come. And exclusive or, which four hidden neurons learn from nearly
# every start, it learns from none:


# %%
XOR = [((-1, -1), -1), ((-1, 1), 1), ((1, -1), 1), ((1, 1), -1)]


def answer(network, x):
    """The score of a network with one hidden layer."""
    hidden, (last,) = network
    h = [ddl.Scalar.dot(weights, x, bias).tanh() for *weights, bias in hidden]
    return ddl.Scalar.dot(last[:-1], h, last[-1])


def steady(s, y):
    return s.max(0) + (1 + (-abs(s)).exp()).log() - (y + 1) / 2 * s


# %%
def train(network, data, loss_of=steady, rate=0.2, passes=150):
    """The share of the data that is right in the end."""
    parameters = {id(p): p for layer in network for neuron in layer for p in neuron}.values()
    for _ in range(passes):
        for x, y in data:
            loss = loss_of(answer(network, x), y)
            for p in parameters:
                p.grad = 0.0
            loss.backward()
            for p in parameters:
                p.data -= rate * p.grad
    return sum(y * answer(network, x).data > 0 for x, y in data) / len(data)


# %%
for seed in range(5):
    rng = random.Random(seed)
    share = train([short_layer(2, 4, rng), short_layer(4, 1, rng)], XOR)
    print(f"seed {seed}: {share:.0%} right")

# %% [markdown]
# Write it so that each neuron, and each number of it, is one of its own. Draw them in order: the first neuron's
# weights, its bias, then the second neuron's.


# %% task="02.layer"
def layer(inputs, outputs, rng):
    ### BEGIN SOLUTION
    return [[ddl.Scalar(rng.uniform(-1, 1)) for _ in range(inputs + 1)] for _ in range(outputs)]
    ### END SOLUTION


# %% [markdown]
# **Try it on.** The same five starts with your layer. (While it is not written yet, this cell says so.)

# %%
if check("02.layer"):
    for seed in range(5):
        rng = random.Random(seed)
        share = train([layer(2, 4, rng), layer(4, 1, rng)], XOR)
        print(f"seed {seed}: {share:.0%} right")
else:
    print("First comes 02.layer, above.")

# %% [markdown]
# Nothing but the identity of the neurons has changed. Four equal ones draw one line, four times over.
#
# ### 02.softplus ★★ One steady operation
#
# The loss of chapter 2 is $\log(1 + e^s) - t\,s$, and its first part makes up most of the graph. Make it one
# operation, as two functions of plain floats: its value, and its slope, which you derive. Both have to be right from
# $-10{,}000$ to $10{,}000$, where $e^s$ is more than a float can hold. (Attention, too, has to keep its exponents from
# growing, in chapter 11.)


# %% task="02.softplus"
def softplus(s):
    ### BEGIN SOLUTION
    return max(s, 0.0) + math.log(1 + math.exp(-abs(s)))
    ### END SOLUTION


def softplus_slope(s):
    ### BEGIN SOLUTION
    m = math.exp(-abs(s))
    return 1 / (1 + m) if s >= 0 else m / (1 + m)
    ### END SOLUTION


# %% [markdown]
# **Try it on.** A Scalar that an operation has made knows its parents and its slope in each of them, so yours is one
# line. Here is the thermostat of chapter 2 with both of its starts: the one at which the naive loss broke, and the one
# that the patched loss could not move.


# %%
def yours(s, y):
    node = ddl.Scalar(softplus(s.data), "", "softplus", (s,), (softplus_slope(s.data),))
    return node - (y + 1) / 2 * s


def thermostat(weight, loss_of, bias=-10.0, passes=200):
    """How many of ten days one neuron has right in the end, and how many numbers the graph of a loss holds."""
    days = [(degrees, 1 if degrees > 55 else -1) for degrees in range(10, 101, 10)]
    w, b, rng = ddl.Scalar(weight), ddl.Scalar(bias), random.Random(0)
    for _ in range(passes):
        for x, y in rng.sample(days, len(days)):
            loss = loss_of(w * x + b, y)
            w.grad = b.grad = 0.0
            loss.backward()
            w.data, b.data = w.data - 0.001 * w.grad, b.data - 0.001 * b.grad
    return sum(y * (w * x + b).data > 0 for x, y in days), len(loss.graph()["nodes"])


# %%
if check("02.softplus"):
    for name, loss_of in (("the chapter's", steady), ("yours", yours)):
        for weight in (0.6, -0.6):
            right, numbers = thermostat(weight, loss_of)
            print(f"{name:14} from {weight:+}: {right} of 10 days right, {numbers} numbers in a graph")
else:
    print("First comes 02.softplus, above.")

# %% [markdown]
# The same training, with less to keep and to walk over. An operation with a slope of its own is how every library makes
# its losses both exact and fast.
#
# ### 02.pocket ★★★ The best line in the pocket
#
# Some of your labels are wrong, as they always are. Then no line parts the data, and the perceptron never rests: where
# it stands when you stop it is an accident. Stephen Gallant's remedy of 1990 is to keep the best line that was met, in
# the pocket. Trainings of all sizes do this still, with the best checkpoint.


# %%
def score(w, b, x):
    return sum(wi * xi for wi, xi in zip(w, x)) + b


rng = random.Random(5)
points = [(rng.uniform(-1, 1), rng.uniform(-1, 1)) for _ in range(40)]
noisy = [(x, (1 if sum(x) > 0.1 else -1) * (-1 if i % 5 == 4 else 1)) for i, x in enumerate(points)]

w, b = [0.0, 0.0], 0.0
for number in range(1, 7):
    for x, y in noisy:
        if y * score(w, b, x) <= 0:
            w, b = [wi + y * xi for wi, xi in zip(w, x)], b + y
    print(f"after pass {number}: {sum(y * score(w, b, x) <= 0 for x, y in noisy)} of 40 wrong")

# %% [markdown]
# Write `pocket(data, passes)`. It trains as above, from zeros, and after *each change* counts the points of all the
# data that are wrong (a score of 0 is wrong). It returns the best weights (a list), their bias and their count; of
# equally good ones, the first. At first there is nothing better than the zeros, with which every point is wrong.


# %% task="02.pocket"
def pocket(data, passes):
    ### BEGIN SOLUTION
    w, b = [0.0] * len(data[0][0]), 0.0
    best, fewest = (w, b), len(data)
    for _ in range(passes):
        for x, y in data:
            if y * score(w, b, x) <= 0:
                w, b = [wi + y * xi for wi, xi in zip(w, x)], b + y
                count = sum(y * score(w, b, x) <= 0 for x, y in data)
                if count < fewest:
                    best, fewest = (w, b), count
    return *best, fewest
    ### END SOLUTION


# %%
if check("02.pocket"):
    print(f"in the pocket after six passes: {pocket(noisy, 6)[2]} of 40 wrong; wrong labels: 8")
else:
    print("First comes 02.pocket, above.")

# %% [markdown]
# ### 02.hidden ★★★ Back through a hidden layer, by hand
#
# Scalar does it for you, and so it should; but whoever has derived it once knows what every gradient of every later
# chapter is made of. A network with one hidden layer, one example $x$, and its target $t$, 1 for true and 0 for false:
#
# $$h_j = \tanh\Bigl(\sum_i W_{ji}\,x_i + c_j\Bigr), \qquad s = \sum_j v_j\,h_j + d, \qquad
# \text{loss} = \log(1 + e^s) - t\,s .$$
#
# Derive the slopes of the loss in $W$, $c$, $v$ and $d$, and return them in this order. All are plain Python: `x`,
# `c`, `v` are lists, `W` is a list of lists with a row for each hidden neuron, `t` and `d` are numbers; each slope has
# the form of its parameter.


# %% task="02.hidden"
def slopes(x, t, W, c, v, d):
    ### BEGIN SOLUTION
    h = [math.tanh(score(weights, bias, x)) for weights, bias in zip(W, c)]
    g = 1 / (1 + math.exp(-score(v, d, h))) - t
    dv = [g * hj for hj in h]
    dc = [g * vj * (1 - hj**2) for vj, hj in zip(v, h)]
    dW = [[dcj * xi for xi in x] for dcj in dc]
    return dW, dc, dv, g
    ### END SOLUTION


# %% [markdown]
# ### 02.why · In your own words
#
# The patched loss of the chapter, with a tiny number inside its logs, raised no error and learned exclusive or. Why is
# it a worse fault than the one that raised? Three or four sentences; a person reads them. They should say which
# examples it silences, why the usual tests do not show it, and what would.

# %% [markdown] task="02.why"
# ### BEGIN SOLUTION
# Where the network is most wrong, p is so near to 0 that the tiny number outweighs it; the slope of the log goes to
# zero there, and just the examples that need it most are never learned from. On exclusive or all scores are small,
# so every test passes. An error stops you at once and names the line; this goes on, with a loss that looks fine. A
# comparison of the slope with p − t at scores like 40, or a training from a bad start, shows it.
# ### END SOLUTION
