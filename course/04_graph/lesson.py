# %% [markdown]
# # 04 · The graph itself
#
# After this chapter you can
#
# - write down what a program computes as a list, and read formulas, gradients and memory off that list,
# - find faults of shape before there is any data, with names where sizes are not known yet,
# - prove a shape rule, and say why a wrong one can hide behind a falling loss.
#
# **Time:** about 90 minutes. **Needs:** [chapter 03](03_tensors.ipynb): broadcasting, vector-Jacobian products, the
# backward of a matrix product.
#
# Where a line says **Predict**, write your answer down before you run the cell below it.

# %%
import itertools
import math

import numpy as np
from matplotlib.figure import Figure

import ddl
from ddl.backward import sum_to  # the library's name for chapter 03's unbroadcast
from ddl.course import show
from ddl.graph import draw, equations, kept_bytes, unused, without_gradient
from ddl.widgets import play

BLUE, RUST = "#00588a", "#b34700"

# %% [markdown]
# ## 1. What did it do?
#
# Here is a network as a plain function: $x$ holds a row for each of $N$ points, the hidden layer has $H$ neurons.


# %%
def network(x, w1, b1, w2, b2):
    hidden = (x @ w1 + b1).tanh()  # (N, 2) (2, H) to (N, H)
    return hidden @ w2 + b2  # (N, H) (H, 1) to (N, 1)


# %% [markdown]
# So far the graph was something that lay behind the numbers, held together by each tensor's parents. Now we want it in
# the hand: as a list that can be counted, checked, drawn and changed. And without computing anything.
#
# How can we find out what `network` does without reading it? Python itself knows nothing of matrices. At `x @ w1` it
# asks `x` what to do. So give it an `x` that does nothing, and takes notes.


# %%
RULES = {}  # from the shapes of an operation's inputs to that of its result; section 2


class Noted:
    """Stands for an array; what is done with it becomes a row: what, of which rows, shape."""

    def __init__(self, rows, what, of=(), shape=None):
        self.rows, self.place, self.shape = rows, len(rows), shape
        rows.append((what, tuple(x.place for x in of), shape))

    def do(self, what, *others):
        inputs = (self, *others)
        shape = RULES[what](*(x.shape for x in inputs)) if RULES else None
        return Noted(self.rows, what, inputs, shape)


for method in ("matmul", "add", "sub", "mul"):
    setattr(Noted, f"__{method}__", lambda x, y, what=method: x.do(what, y))
for method in ("tanh", "exp"):
    setattr(Noted, method, lambda x, what=method: x.do(what))


# %%
def trace(f, **shapes):
    """The rows of what f does with inputs of these names and shapes."""
    rows = []
    f(*[Noted(rows, name, shape=shape) for name, shape in shapes.items()])
    return rows


NAMES = ("x", "w1", "b1", "w2", "b2")
rows = trace(network, **dict.fromkeys(NAMES))
for place, (what, of, _) in enumerate(rows):
    print(f"#{place}  {what:7}", *(f"#{parent}" for parent in of))

# %% [markdown]
# That is the graph: five inputs, five operations, and for each operation the rows it was made from. Nothing was
# computed, and there were no numbers to compute with. The order matters and is right by itself: a row can only name
# rows above it. (It is chapter 01's birth order.)
#
# **Predict.** What does a trace see of an `if`, or of a `for` loop?


# %%
def looped(x, w, times=3):
    for _ in range(times):
        x = (x @ w).tanh()
    return x


print([what for what, _, _ in trace(looped, x=None, w=None)])

# %% [markdown]
# Only the steps that were really taken, one after the other. The loop itself is gone, and so is an `if`: of its two
# branches the list has the one that was taken. A trace is what *happened*, not the program.

# %% [markdown]
# ## 2. Shapes before data
#
# Chapter 03 made an operation of two functions. Here is the third: from the **shapes** of the inputs, the shape of the
# result, or a refusal. For operations that work element by element it is the rule of broadcasting. For a product of
# matrices the inner sizes must be equal:
#
# $$(N, C)\,(C, D) \to (N, D).$$


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


def matmul_rule(a, b):
    if len(a) != 2 or len(b) != 2 or a[1] != b[0]:
        raise ValueError(f"a product of {a} and {b}: the inner sizes have to be equal")
    return a[0], b[1]


RULES |= dict.fromkeys(("add", "sub", "mul"), broadcast_rule)
RULES |= {"tanh": lambda a: a, "exp": lambda a: a, "matmul": matmul_rule}

# %% [markdown]
# A rule is a claim about what numpy does, and claims are checked: on random shapes, also on those that do not fit.


# %%
def outcome(f, *args):
    """What f gives, or None where it refuses."""
    try:
        return f(*args)
    except ValueError:
        return None


rng = np.random.default_rng(0)
fits = 0
for _ in range(2000):
    a, b = (tuple(map(int, rng.choice([1, 2, 3], rng.integers(0, 4)))) for _ in "ab")
    real = outcome(lambda a=a, b=b: (np.zeros(a) + np.zeros(b)).shape)
    assert outcome(broadcast_rule, a, b) == real
    c, d = (tuple(map(int, rng.choice([1, 2, 3], 2))) for _ in "cd")
    product = outcome(lambda c=c, d=d: (np.zeros(c) @ np.zeros(d)).shape)
    assert outcome(matmul_rule, c, d) == product
    fits += (real is not None) + (product is not None)
assert 1000 < fits < 3000
print("both rules agree with numpy on 2,000 pairs, refusals included")

# %%
sizes = {"x": (200, 2), "w1": (2, 16), "b1": (16,), "w2": (16, 1), "b2": (1,)}
for what, _, shape in trace(network, **sizes):
    print(f"{what:7} {shape}")

# %% [markdown]
# Now make the mistake that everyone makes once, and leave the second weight as it was when the hidden layer was
# smaller.

# %% tags=["raises-exception"]
trace(network, **(sizes | {"w2": (8, 1)}))

# %% [markdown]
# Found before a single number was multiplied. That matters where the first 99 layers take a minute, or where the data
# is on a machine that you pay for by the hour. The library does the same with `ddl.trace`, given a `Spec`, a shape and
# a type without values.
#
# **Predict.** Multiply a million by a million numbers with themselves: how much memory would the result take? How much
# does the trace?

# %%
huge = ddl.trace(lambda x: (x @ x).mean(), ddl.Spec((1_000_000, 1_000_000)))
print(huge)
print(f"the product: {math.prod(huge.nodes[1].shape) * 4 / 1e12:.0f} terabytes")

# %% [markdown]
# ## 3. Sizes with names
#
# How many points will there be? We do not know yet, and the network should not care. Look at the two rules again: they
# compare sizes, and never compute with them. Then a size need not be a number.
#
# **Predict.** Put `"N"` and `"H"` in the place of 200 and 16. Which line of the rules will complain?

# %%
named = {"x": ("N", 2), "w1": (2, "H"), "b1": ("H",), "w2": ("H", 1), "b2": (1,)}
rows = trace(network, **named)
for what, _, shape in rows:
    print(f"{what:7} {shape}")

# %% [markdown]
# None. **One trace speaks for every number of points and every width.** Fill in numbers and compare:

# %%
for n, h in [(1, 1), (7, 3), (200, 16)]:
    at = {"N": n, "H": h}
    fill = {name: tuple(at.get(s, s) for s in shape) for name, shape in named.items()}
    real = network(*(ddl.zeros(*shape) for shape in fill.values())).shape
    assert tuple(at.get(s, s) for s in rows[-1][2]) == real
print("true at 1 point and 1 neuron, at 7 and 3, at 200 and 16")

# %% [markdown]
# And a name refuses what numbers let pass by accident.
#
# **Predict.** Someone writes `bias` with one entry a *point*, $(N, H) + (N)$, and tests it with 16 points and 16
# neurons. What happens then, and what does the trace say?

# %%
print("numbers:", broadcast_rule((16, 16), (16,)))
print("names:  ", outcome(broadcast_rule, ("N", "H"), ("N",)))

# %% [markdown]
# With numbers it passes, and adds each point's bias to a neuron. Two sizes that happen to be equal cannot be told
# apart; two names can. (`None` is a refusal.)
#
# Sometimes sizes are computed, as when an array is **reshaped**: $(B, T, 32)$ with 8 numbers to a group of 4 becomes
# $(-1, 8, 4)$, where $-1$ stands for what is left over. The number of entries must stay the same:
#
# $$B\,T\cdot 32 = s \cdot 8 \cdot 4 \qquad\Rightarrow\qquad s = B\,T.$$
#
# So a rule for it must divide products of names and numbers: strike out the names, divide the numbers.


# %%
def parts(shape):
    """The number of entries of an array of this shape: a number, and names to multiply it by."""
    numbers = [n for n in shape if isinstance(n, int)]
    return math.prod(numbers), [n for n in shape if isinstance(n, str)]


def reshape_rule(shape, wanted):
    """`wanted`, with the size for which its -1 stands."""
    (total, names), (given, struck) = parts(shape), parts([n for n in wanted if n != -1])
    for name in struck:
        if name not in names:
            raise ValueError(f"{shape} into {wanted}: there is no {name}")
        names.remove(name)
    if total % given:
        raise ValueError(f"{shape} into {wanted}: {total} does not divide by {given}")
    factor = [str(total // given)] if total != given else []
    rest = "*".join(factor + names) if names else total // given
    return tuple(rest if n == -1 else n for n in wanted)


# %%
for shape, wanted in [(("B", "T", 32), (-1, 8, 4)), (("B", 6), (-1,)), (("B", 6), (3, -1))]:
    theirs = ddl.Spec(shape).reshape(wanted).shape
    print(shape, "into", wanted, "gives", reshape_rule(shape, wanted), "and the library", theirs)
print("and 30 in the place of 32:", outcome(reshape_rule, ("B", "T", 30), (-1, 8, 4)))

# %% [markdown]
# The library's sizes are polynomials of names, with division, so they follow sums too. An error names both sizes, and
# where in the program it was:

# %%
grown = ddl.trace(lambda x: ddl.cat([x, x[:, :1]], 1)[:, ::2], ddl.Spec(("B", "T", 32)))
print(grown)

# %% tags=["raises-exception"]
ddl.trace(lambda x, bias: x + bias, ddl.Spec(("B", 128)), ddl.Spec(("B",)))

# %% [markdown]
# Read the last lines: $B$ is not 128, whatever $B$ may be. With a batch of 128 the same fault would have passed.

# %% [markdown]
# ## 4. Formulas
#
# A list of operations is a formula that was taken apart. To put it together, give every operation a pattern with gaps,
# and go down the list once.

# %%
PATTERNS = {"matmul": "({} @ {})", "add": "({} + {})", "sub": "({} - {})", "mul": "({} * {})"}
PATTERNS |= {"tanh": "np.tanh({})", "exp": "np.exp({})"}


def formula(rows):
    """The last row as one formula of the inputs."""
    texts = []
    for what, of, _ in rows:
        texts.append(PATTERNS[what].format(*(texts[i] for i in of)) if of else what)
    return texts[-1]


print(formula(rows))

# %% [markdown]
# It is Python again, so it can be checked: evaluate it with arrays, and compare with the function.

# %%
rng = np.random.default_rng(1)
arrays = {name: rng.normal(size=shape) for name, shape in sizes.items()}
by_formula = eval(formula(rows), {"np": np, **arrays})  # (N, 1)
by_function = network(*map(ddl.tensor, arrays.values())).numpy()
assert np.abs(by_formula - by_function).max() < 1e-12
print("the formula, evaluated, is the function:", by_formula.shape)

# %% [markdown]
# **Predict.** Chapter 01's doublings, $b = a + a$, $c = b + b$, twenty of them: how many rows has the list, and how
# many letters `a` has the formula?


# %%
def doublings(a):
    for _ in range(20):
        a = a + a
    return a


twenty = trace(doublings, a=("N",))
print(len(twenty), "rows,", f"{formula(twenty).count('a'):,} letters")
assert formula(twenty).count("a") == 2**20

# %% [markdown]
# A formula says everything that it uses as often as it is used. That is why nobody differentiates big programs by their
# formula: the derivative of a million letters has more letters still. A list says each thing **once**, and has a name
# for it. So write one line for each row, in which the rows above go by their names. The library does, in LaTeX:

# %%
spec = {name: ddl.Spec(shape) for name, shape in named.items()}
graph = ddl.trace(network, *spec.values())
show(draw(graph), alt=graph.to_text())
print(*equations(graph), sep="\n")

# %% [markdown]
# Typeset, that is
#
# $$v_5 = x\,w_1, \qquad v_6 = v_5 + b_1, \qquad v_7 = \tanh v_6, \qquad v_8 = v_7\,w_2, \qquad v_9 = v_8 + b_2 .$$

# %% [markdown]
# ## 5. Forward and backward
#
# Now with numbers, and a loss at the end. A graph of the library is plain data as well: `graph.nodes` are its rows,
# with their values, and `graph.edges` says which row feeds which.


# %%
def loss_of(x, w1, b1, w2, b2, y):
    error = network(x, w1, b1, w2, b2) - y  # (N, 1)
    return (error * error).mean()  # ()


rng = np.random.default_rng(2)
small = {"x": (3, 2), "w1": (2, 2), "b1": (2,), "w2": (2, 1), "b2": (1,), "y": (3, 1)}
numbers = [rng.normal(size=shape).round(1) for shape in small.values()]
inputs = [ddl.tensor(array, requires_grad=True) for array in numbers]
graph = ddl.trace(loss_of, *inputs)
for node in graph.nodes[6:]:
    print(f"#{node.id}", node.op, [parent.id for parent in graph.parents(node)], node.shape)
print("loss", round(graph.nodes[-1].value.item(), 4))

# %% [markdown]
# The walk back over the list is chapter 01's, and its rules are chapter 03's. With both as data it fits on a page.

# %%
PULLS = {
    "add": lambda g, out, x, y: (g, g),
    "sub": lambda g, out, x, y: (g, -g),
    "mul": lambda g, out, x, y: (g * y, g * x),
    "matmul": lambda g, out, x, w: (g @ w.T, x.T @ g),
    "tanh": lambda g, out, x: (g * (1 - out * out),),
    "mean": lambda g, out, x: (np.broadcast_to(g / x.size, x.shape),),
}


# %%
def gradients(graph):
    """For each node the gradient of the last one."""
    grads = [np.zeros(node.shape) for node in graph.nodes]
    grads[-1] = np.ones(graph.nodes[-1].shape)
    for node in reversed(graph.nodes):
        parents = graph.parents(node)
        if parents:
            sent = PULLS[node.op](grads[node.id], node.value, *(p.value for p in parents))
            for parent, g in zip(parents, sent):
                grads[parent.id] = grads[parent.id] + sum_to(g, parent.shape)
    return grads


# %%
by_library = ddl.grad(loss_of(*inputs), inputs)
for name, ours, theirs in zip(small, gradients(graph), by_library):
    gap = np.abs(ours - theirs.numpy()).max()
    print(f"{name:3} {ours.shape!s:7} equal to ddl.grad's: {gap < 1e-12}")
    assert gap < 1e-12

# %% [markdown]
# Watch it. The explorer goes forward, where values appear, and back, where each gradient travels its edges and adds up.
# Set a value of your own, or exchange `tanh` for another function, and all that follows is computed anew.
#
# **Predict.** Before you step back through `error * error`: how many messages does `error` get, and are they equal?

# %%
play(loss_of, *inputs)

# %% [markdown]
# Two messages, and equal ones: each factor of $e \cdot e$ is sent $g\,e$. That is where the 2 in the slope $2e$ of a
# square comes from.
#
# Look at what the rules did on the way back: products, transposes, sums. Those are operations too. So **the way back is
# a graph itself**, and can be had without any numbers.
#
# **Predict.** The forward pass of `network` has two matrix products. How many has its backward? For which of the
# inputs?

# %%
graph = ddl.trace(network, *spec.values())
there_and_back = graph.backward()
back = there_and_back.nodes[len(graph.nodes) :]
print(*equations(there_and_back), sep="\n")
print(sum(node.op == "matmul" for node in back), "products on the way back")
assert sum(node.op == "matmul" for node in back) == 4

# %% [markdown]
# Typeset, with the shape of each:
#
# $$\bar v_8 = \bar v_9 \;\;(N, 1), \qquad \bar b_2 = \textstyle\sum_n \bar v_9 \;\;(1),
# \qquad \bar v_7 = \bar v_9\,w_2^\top \;\;(N, H), \qquad \bar w_2 = v_7^\top\,\bar v_9 \;\;(H, 1),$$
#
# $$\bar v_6 = \bar v_7 \odot (1 - v_7 \odot v_7) \;\;(N, H), \qquad \bar v_5 = \bar v_6, \qquad
# \bar b_1 = \textstyle\sum_n \bar v_6 \;\;(H),$$
#
# $$\bar x = \bar v_6\,w_1^\top \;\;(N, 2), \qquad \bar w_1 = x^\top\,\bar v_6 \;\;(2, H).$$
#
# These are chapter 03's rules, one after the other: $g\,w^\top$ and $x^\top g$ for each product, two for one. (The one
# for $\bar x$ is needed only by those who want the gradient of the data.) **A backward pass takes about twice the work
# of the forward pass**, and a step of training about three times as much. The library counts it:

# %%
forward, both = graph.costs().flops, there_and_back.costs().flops
print("forward:    ", forward)
print("there, back:", both)
for n, h in [(200, 16), (2000, 1000)]:
    at = {"N": n, "H": h}
    ratio = both.at(at) / forward.at(at)
    print(f"at {n} points and {h} neurons: {ratio:.1f} times the forward pass")

# %% [markdown]
# Here are both ways at once. Open the box `backward`, and look for the wires that come out of the forward half: they
# are what the way back needs again.

# %%
play(there_and_back)

# %% [markdown]
# A backward graph is a graph, so it has a backward graph too: that is the gradient of a gradient.

# %%
print(len(graph.nodes), "nodes;", len(there_and_back.nodes), "with the way back;", end=" ")
print(len(there_and_back.backward().nodes), "with the way back of that")

# %% [markdown]
# ## 6. What must be kept
#
# When the walk comes back to `tanh`, its rule needs `out`. So `out` has to stay in memory from the forward pass until
# then. In training it is often this, more than the weights, that fills a machine. Which arrays must stay? Read it off
# the rules above: **a rule's parameters are its save list.**
#
# | operation | its rule | keeps |
# |---|---|---|
# | $x + y$ | $g,\; g$ | nothing |
# | $x\,y$ | $g\,y,\; g\,x$ | both inputs |
# | $x\,w$ (matrices) | $g\,w^\top,\; x^\top g$ | both inputs |
# | $\tanh x$ | $g\,(1 - \text{out}^2)$ | its result |
#
# **Predict.** Which arrays of `network` are kept? Inputs and weights are there anyway. And `hidden` is asked for twice,
# by `tanh` and by the product after it.

# %%
KEEPS = {"add": "", "sub": "", "mul": "inputs", "matmul": "inputs", "tanh": "out", "exp": "out"}


def kept(rows):
    """The rows whose values must stay until the walk back, without the inputs."""
    stay = set()
    for place, (what, of, _) in enumerate(rows):
        stay |= {place} if KEEPS.get(what) == "out" else set()
        stay |= set(of) if KEEPS.get(what) == "inputs" else set()
    return sorted(i for i in stay if rows[i][1])


print([(rows[i][0], rows[i][2]) for i in kept(rows)])
print("the library, in bytes of float32:", kept_bytes(graph))

# %% [markdown]
# One array, $(N, H)$, counted once, 4 bytes a number. Is it true? Ask the real thing: run the network, and collect what
# its nodes really hold.


# %%
def really_kept(y, *given):
    """The bytes of all arrays that the nodes behind y hold, each once, without those given."""
    waiting, seen, arrays = [y.node], set(), {}
    while waiting:
        node = waiting.pop()
        if node is not None and node not in seen:
            seen.add(node)
            waiting += node.parents
            arrays |= {id(a): a for a in node.saved if hasattr(a, "nbytes")}
    return sum(a.nbytes for i, a in arrays.items() if i not in {id(t.data) for t in given})


# %%
for n, h in [(200, 16), (1000, 64)]:
    at = {"N": n, "H": h}
    shapes = [tuple(at.get(s, s) for s in shape) for shape in named.values()]
    given = [ddl.ones(*shape).to(np.float32) for shape in shapes]
    for t in given:
        t.requires_grad = True
    counted = really_kept(network(*given), *given)
    print(f"{n:5} points, {h:2} neurons: {counted:,} bytes")
    assert counted == kept_bytes(graph).at(at)

# %% [markdown]
# Now the sigmoid, $\sigma(x) = 1 / (1 + e^{-x})$, spelled out of small operations, and as one operation, whose slope
# chapter 02 wrote as $p\,(1 - p)$.
#
# **Predict.** How many arrays does each way keep?

# %%
ways = {
    "1 / (1 + exp(-x))": lambda x: 1 / (1 + (-x).exp()),
    "x.sigmoid()": lambda x: x.sigmoid(),
    "x.tanh()": lambda x: x.tanh(),
    "x.relu()": lambda x: x.relu(),
    "x - mean(x)": lambda x: x - x.mean(axis=1, keepdims=True),
}
keeps = {name: kept_bytes(ddl.trace(f, ddl.Spec(("N", "H")))) for name, f in ways.items()}
for name, amount in keeps.items():
    print(f"{name:18} {amount}")

# %%
figure = Figure((6.5, 2.6), layout="constrained")
axes = figure.subplots()
at = {"N": 8192, "H": 1024}
megabytes = {name: (amount.at(at) if amount else 0) / 2**20 for name, amount in keeps.items()}
axes.barh(list(megabytes), list(megabytes.values()), color=BLUE)
axes.invert_yaxis()
axes.set(xlabel="MB kept for the way back", title="8,192 rows of 1,024 numbers, in float32")
for row, amount in enumerate(megabytes.values()):
    axes.text(amount + 1, row, f"{amount:.0f}", va="center")
words = ", ".join(f"{name}: {amount:.0f}" for name, amount in megabytes.items())
show(figure, alt=f"Bars of the megabytes that each keeps: {words}.")

# %% [markdown]
# Three arrays, $e^{-x}$, $1 + e^{-x}$ and the quotient, against one. This, more than speed, is why libraries have an
# operation of its own for what could be spelled: **whoever writes the rule by hand can choose what to keep.** And a
# centring keeps nothing at all, as chapter 03's $g - \bar g$ said.
#
# Two more questions that a list answers at a glance: what takes no part, and which inputs no gradient reaches.


# %%
def careless(x, w, v, b):
    hidden = (x @ w + b).tanh()  # (N, H)
    _ = v * v  # computed, and forgotten
    return hidden.mean() + v.argmax()


lost = ddl.trace(careless, *(ddl.Spec(s) for s in (("N", 2), (2, "H"), ("H",), ("H",))))
print("takes no part:", [node.op for node in unused(lost)])
print("no gradient reaches:", [node.name for node in without_gradient(lost)])

# %% [markdown]
# `v` is used, but only by `argmax`, which is made of steps. An optimizer would be handed `v` and never move it.

# %% [markdown]
# ## 7. A bug that trains anyway
#
# Since shapes are known before data, why should anybody type the sizes of weights? A colleague has them read off the
# trace. His model draws a curve through points as a sum of $K$ bumps, each at its own centre $c_k$:
#
# $$\hat y_n = b + \sum_k w_k\,e^{-8\,(x_n - c_k)^2}
# \qquad\qquad x: (N, 1), \quad c: (K), \quad\text{bumps}: (N, K).$$
#
# He has one weight for each entry of the last axis of `bumps`. For the shape rule he wrote: *the result has the shape
# of the larger operand.*


# %%
def larger_rule(a, b):
    return a if math.prod(a) >= math.prod(b) else b


def bumps(x, c, sharpness):
    near = x - c  # (N, 1) - (K,)
    return (near * near * sharpness).exp()  # (N, K)


def weights_for(rule, n, k):
    """As many weights as the traced shape has columns."""
    for what in ("add", "sub", "mul"):
        RULES[what] = rule
    columns = trace(bumps, x=(n, 1), c=(k,), sharpness=(1,))[-1][2][-1]
    for what in ("add", "sub", "mul"):
        RULES[what] = broadcast_rule
    return np.zeros(columns)


# %%
print("a test of his, with 4 points and 12 bumps:", weights_for(larger_rule, 4, 12).shape)
print("and the right rule:", weights_for(broadcast_rule, 4, 12).shape)

# %% [markdown]
# His test passes. Now 100 points of a curve, with a little noise.


# %%
def fit(rule, seed, n=100, k=12, steps=600, rate=0.05):
    """The losses; points, goal and curve at the end; how many parameters the trace made."""
    rng = np.random.default_rng(seed)
    points = np.sort(rng.uniform(-1, 1, (n, 1)), axis=0)
    goal = 1 + np.sin(4 * points) + rng.normal(0, 0.1, (n, 1))
    x, y = ddl.tensor(points), ddl.tensor(goal)
    c, sharpness = ddl.tensor(np.linspace(-1, 1, k)), ddl.tensor([-8.0])
    w = ddl.tensor(weights_for(rule, n, k), requires_grad=True)
    b = ddl.tensor([0.0], requires_grad=True)
    losses = []
    for _ in range(steps):
        curve = (bumps(x, c, sharpness) * w).sum(axis=1, keepdims=True) + b  # (N, 1)
        error = curve - y
        loss = (error * error).mean()
        for p, g in zip((w, b), ddl.grad(loss, [w, b])):
            p.data -= rate * g.data
        losses.append(loss.item())
    return losses, points, goal, curve.numpy(), w.data.size + b.data.size


# %%
seeds = range(6)
right = [fit(broadcast_rule, seed) for seed in seeds]
his = [fit(larger_rule, seed) for seed in seeds]
for name, runs in ("right", right), ("his", his):
    first, ends = runs[0][0][0], [losses[-1] for losses, *_ in runs]
    print(f"{name:5} from {first:.2f} to between {min(ends):.2f} and {max(ends):.2f} in six runs")

# %% [markdown]
# His loss falls, run after run, and settles. The data is noisy, so perhaps that is all there is to get? **Find it:**
# the shapes fit, nothing is NaN, all gradients are right (the library's own). What would you look at?

# %%
figure = Figure((8, 3.2), layout="constrained")
left, middle = figure.subplots(1, 2)
for name, runs, color, style in ("right", right, BLUE, "-"), ("his", his, RUST, "--"):
    losses, points, goal, curve, count = runs[0]
    left.semilogy(losses, style, color=color, label=name)
    middle.plot(points, curve, style, color=color, label=f"{name}, {count} parameters")
middle.plot(points, goal, ".", color="#777777", ms=4, zorder=0)
left.set(xlabel="step", ylabel="loss", title="The loss")
middle.set(xlabel="x", ylabel="y", title="The curve")
left.legend()
middle.legend(fontsize=8)
counts = right[0][4], his[0][4]
words = f"The curve of {counts[0]} parameters follows the points, his of {counts[1]} does not"
show(figure, alt=f"{words}. Losses end at {right[0][0][-1]:.2f} and {his[0][0][-1]:.2f}.")

# %% [markdown]
# **Prove it, first probe: count the parameters.** Twelve weights and a bias are 13. He has 2. His rule looked at $(100,
# 1)$ and $(12,)$ and took the larger, with one column, so `w` got one entry. And `bumps * w` did not complain: *one*
# weight is broadcast over all twelve bumps. In his test 4 points were fewer than 12 bumps, and the rule was right by
# luck.
#
# **Second probe: the rule itself**, against numpy, on all pairs of some shapes.

# %%
SHAPES = [(), (1,), (3,), (4,), (1, 1), (1, 3), (4, 1), (4, 3), (3, 4)]


def verdict(rule, a, b):
    """0: as numpy. 1: another shape than numpy's. 2: a shape where numpy refuses."""
    real = outcome(np.broadcast_shapes, a, b)
    claimed = outcome(rule, a, b)
    return 0 if claimed == real else 2 if real is None else 1


# %%
figure = Figure((8, 4), layout="constrained")
words = []
for axes, rule in zip(figure.subplots(1, 2), (broadcast_rule, larger_rule)):
    table = np.array([[verdict(rule, a, b) for b in SHAPES] for a in SHAPES])
    axes.imshow(table, cmap="cividis", vmin=0, vmax=2)
    for (i, j), n in np.ndenumerate(table):
        axes.text(j, i, " wx"[n], ha="center", va="center", color="black", fontsize=9)
    axes.set_xticks(range(len(SHAPES)), map(str, SHAPES), rotation=60, fontsize=8)
    axes.set_yticks(range(len(SHAPES)), map(str, SHAPES), fontsize=8)
    axes.set_title(rule.__name__)
    wrong, misfits = (table == 1).sum(), (table == 2).sum()
    words.append(f"{rule.__name__}: {wrong} wrong shapes, {misfits} accepted misfits")
show(figure, alt=f"Each pair of {len(SHAPES)} shapes. " + "; ".join(words) + ".")

# %% [markdown]
# (`w`: a wrong shape. `x`: accepted, though it does not fit.) Wherever the shapes are equal, or a row of biases is
# added to a matrix, his rule is right. That is most of daily life, and all of his tests.
#
# **Third probe: names.** Which is larger, $(N, 1)$ or $(12,)$? The question has no answer while $N$ has no number, and
# a rule that asks it gives itself away:

# %% tags=["raises-exception"]
larger_rule(("N", 1), (12,))

# %% [markdown]
# Read the error: a name was to be compared with a number. `math.prod` of `("N", 1)` is the text `"N"`. A right rule
# never asks how large a size is, only whether two are equal. **The fix** is `broadcast_rule`, and the habit: a shape
# rule is a claim, and is tested against the operation that it speaks for, with sizes that differ and with shapes that
# do not fit.
#
# The library goes one step further and hardly has such rules: it runs the operation's *own definition* on Specs. What
# is written once cannot disagree with itself.

# %% [markdown]
# ## 8. Yours against the library's

# %%
graph = ddl.trace(network, *spec.values())
for (what, of, shape), node in zip(rows, graph.nodes, strict=True):
    assert what == (node.op or node.name)
    assert of == tuple(parent.id for parent in graph.parents(node))
    assert shape == tuple(s if isinstance(s, int) else str(s) for s in node.shape)
print("the same ten rows: operations, parents, shapes")

# %% [markdown]
# From here on the course uses `ddl.trace`. It notes more: the line of your program that called each operation, what
# each keeps, and, in the next chapter, the layer in which it happened. And a graph can leave Python: it is written as
# text, read back, and run by whoever can read it.

# %%
again = ddl.graph.load(graph.to_json())
values = [ddl.tensor(a.astype(np.float32)) for a in arrays.values()]
assert np.allclose(again.run(*values).numpy(), by_function, atol=1e-4)
print("read back from text, it is the same function")
print("line of the first operation:", again.nodes[5].source.text)

# %% [markdown]
# ## Recap
#
# 1. A trace is a list: what was done, with which rows above. Loops are gone; what happened is left.
# 2. An operation's third function says shapes. It needs no data, so faults are found before there is any.
# 3. Sizes with names make one trace speak for all sizes, and refuse what fits by accident.
# 4. The list gives formulas, the way back (a graph itself, with two products for each one), and what must be kept.
# 5. A wrong shape rule need not raise: broadcasting forgives. Count parameters, and test rules on sizes that differ.
#
# | here | PyTorch | JAX |
# |---|---|---|
# | `ddl.trace(f, x)` | `torch.fx.symbolic_trace`, `torch.export.export` | `jax.make_jaxpr(f)(x)` |
# | `ddl.Spec((200, 2))` | a tensor on `device="meta"` | `jax.ShapeDtypeStruct` |
# | `ddl.Spec(("N", 2))` | `torch.export.Dim("N")` | `jax.export.symbolic_shape("N, 2")` |
# | a shape rule | a kernel for `device="meta"` | `jax.eval_shape` |
# | `graph.backward()` | `torch.func.vjp`, then traced | `jax.make_jaxpr(jax.grad(f))` |
# | `kept_bytes` | `torch.autograd.graph.saved_tensors_hooks` | `jax.ad_checkpoint.print_saved_residuals` |
#
# ## Go deeper
#
# - J. Backus and others (1957), *The FORTRAN automatic coding system*: formulas become lists of operations.
# - R. Cytron, J. Ferrante, B. Rosen, M. Wegman and F. Zadeck (1991), *Efficiently computing static single assignment
#   form and the control dependence graph*: each thing once, under its own name.
# - J. Reed, Z. DeVito, H. He, A. Ussery and J. Ansel (2022), *torch.fx: practical program capture and transformation
#   for deep learning in Python*: objects that take notes.
# - R. Frostig, M. Johnson and C. Leary (2018), *Compiling machine learning programs via high-level tracing*: JAX.
# - A. Griewank and A. Walther (2000), *Algorithm 799: revolve*, and T. Chen, B. Xu, C. Zhang and C. Guestrin (2016),
#   *Training deep nets with sublinear memory cost*: keep less, and compute it again.
#
# **Next:** [05 · Layers that own their parameters](05_layers.ipynb). Who keeps all these weights, and how large should
# they be at first?
