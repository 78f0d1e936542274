# %% [markdown]
# # 03 · From numbers to tensors
#
# After this chapter you can
#
# - say which shape broadcasting gives, where it reads a number twice, and where the gradient must be summed for it,
# - write an operation on whole arrays as two plain functions, and derive the second one for a matrix product,
# - unmask a gradient that is wrong and trains anyway, with one picture.
#
# **Time:** about two hours. **Needs:** [chapter 01](01_one_number.ipynb) (the walk back, nudging) and [chapter
# 02](02_neurons.ipynb) (a network, a training loop); numpy's arrays and `@`.
#
# Where a line says **Predict**, write your answer down before you run the cell below it.

# %%
import itertools

import numpy as np
from matplotlib.figure import Figure

import ddl
from ddl.course import show, wearing
from ddl.widgets import broadcast, play, strides

BLUE, RUST = "#00588a", "#b34700"

# %% [markdown]
# ## 1. Two hundred points at once
#
# A network as in chapter 02: 2 inputs, 16 hidden neurons, one score. It shall tell points within a circle from those
# outside, and it has 200 of them to learn from.
#
# **Predict.** With Scalars, about how many numbers does the graph of one loss hold?


# %%
def disc(n, rng):
    """n points of a square, (N, 2), and +1 for those within a circle, -1 for the others, (N, 1)."""
    points = rng.uniform(-1, 1, (n, 2))
    inside = np.hypot(points[:, 0], points[:, 1]) < 0.7
    return points, np.where(inside, 1.0, -1.0)[:, None]


rng = np.random.default_rng(0)
points, labels = disc(200, rng)  # (N, 2), (N, 1)
first, last = rng.normal(size=(2, 16)), rng.normal(size=(16, 1))

into_hidden = [[ddl.Scalar(w) for w in column] for column in first.T]
into_score = [ddl.Scalar(w) for w in last[:, 0]]
squares = []
for point, label in zip(points, labels[:, 0]):
    hidden = [ddl.Scalar.dot(ws, list(map(ddl.Scalar, point))).tanh() for ws in into_hidden]
    squares.append((ddl.Scalar.dot(into_score, hidden) - label) ** 2)
loss = ddl.Scalar.sum(squares) / 200
print(f"{len(loss.graph()['nodes']):,} numbers, for a loss of {loss.data:.4f}")

# %% [markdown]
# Each of them is a Python object that computes one thing. Numpy computes the same with five operations on whole arrays:

# %%
hidden = np.tanh(points @ first)  # (N, 16)
score = hidden @ last  # (N, 1)
again = ((score - labels) ** 2).mean()  # ()
print(f"{again:.4f}")
assert abs(again - loss.data) < 1e-12

# %% [markdown]
# So let the nodes of the graph be arrays: **tensors**. All of chapter 01 stays true; only the local derivatives change,
# for an arrow now carries an array. Two things are new. Arrays of unequal shapes are combined, by **broadcasting**. And
# a product of matrices has a rule of its own. This chapter is about those two, and about proof.

# %% [markdown]
# ## 2. Where the numbers lie
#
# Memory is one long row. An array is a way of walking through it: a place to start, a shape, and for each axis a
# **stride**, how far it is to the next number along that axis. (Numpy counts strides in bytes; we count in numbers.)
#
# $$\text{place of } x_{ij} = \text{start} + i\,s_0 + j\,s_1$$


# %%
def walk(memory, start, strides, shape):
    """The array of this shape that these strides read out of memory."""
    places = start + sum(s * axis for s, axis in zip(strides, np.indices(shape)))
    return memory[places]


memory = np.arange(12.0)
x = memory.reshape(3, 4)
print(walk(memory, 0, (4, 1), (3, 4)))

# %% [markdown]
# Row by row. To go one row down is 4 numbers further, to go one column to the right is 1.
#
# **Predict.** Start and strides of `x.T`, of `x[::-1]` (rows from the last to the first), of `x[:, ::2]` (every other
# column)? And of the first column written four times side by side, without a copy?

# %%
views = {
    "x": (x, (0, (4, 1))),
    "x.T": (x.T, (0, (1, 4))),
    "x[::-1]": (x[::-1], (8, (-4, 1))),
    "x[:, ::2]": (x[:, ::2], (0, (4, 2))),
    "x[:, :1], 4 times": (np.broadcast_to(x[:, :1], (3, 4)), (0, (4, 0))),
}
for name, (array, (begin, apart)) in views.items():
    ours = walk(memory, begin, apart, array.shape)
    theirs = tuple(s // array.itemsize for s in array.strides)
    print(f"{name:22} shape {array.shape}  start {begin}  strides {theirs}")
    assert (ours == array).all()
    assert theirs == apart
    assert np.shares_memory(array, memory)

# %%
figure = Figure((8, 2.4), layout="constrained")
panels = figure.subplots(1, 5, width_ratios=[4, 3, 4, 2, 4])
for axes, (name, (array, _)) in zip(panels, views.items()):
    axes.imshow(array, cmap="Blues", vmin=0, vmax=18)
    for (i, j), place in np.ndenumerate(array):
        axes.text(j, i, f"{place:.0f}", ha="center", va="center")
    axes.set(xticks=[], yticks=[])
    axes.set_title(name, fontsize=9)
words = "; ".join(f"{name}: {array.astype(int).tolist()}" for name, (array, _) in views.items())
show(figure, alt=f"Five arrays over one memory, each cell with its place in it. {words}.")

# %% [markdown]
# None of these five moved a number. They are **views**: the same memory, walked in another way. The last one walks
# along its second axis with a stride of **0**: it reads the same number again and again. Keep that in mind.
#
# An array whose reading order is the order in memory is **contiguous**. Each stride is then the product of the sizes to
# its right. Such an array can take any other shape without a copy.
#
# **Predict.** Which of these two still shares memory with `x`?

# %%
for name, array in {"x.reshape(12)": x.reshape(12), "x.T.reshape(12)": x.T.reshape(12)}.items():
    print(f"{name:16} {array.astype(int)}  shares memory: {np.shares_memory(array, x)}")

# %% [markdown]
# The second had to copy: no single stride walks 0, 4, 8, 1, 5, 9, ... So a reshape of a transposed array costs memory
# and time, and writing into it does not write into `x`.
#
# Try chains of your own on `x`, step by step. **Find** one with `.T` in it that is contiguous all the same, and a slice
# that is not contiguous and still can be reshaped without a copy.

# %%
strides(x, "x.T.reshape(-1)")

# %% [markdown]
# ## 3. Broadcasting
#
# What is the sum of a $(3, 1)$ array and one of 4 numbers? Numpy's rule has three lines:
#
# 1. Write the shapes below each other, **aligned at the right**. Where one is shorter, put 1 in front.
# 2. On each axis the sizes must be equal, or one of them is 1.
# 3. An axis of size 1 is read again and again, with stride 0, until it is as long as the other.


# %%
def broadcast_shape(*shapes):
    """The shape that these shapes become together."""
    out = []
    for sizes in itertools.zip_longest(*(shape[::-1] for shape in shapes), fillvalue=1):
        larger = {n for n in sizes if n != 1} or {1}
        if len(larger) > 1:
            raise ValueError(f"shapes {shapes}: on axis {-1 - len(out)}, {larger} meet")
        out.insert(0, larger.pop())
    return tuple(out)


# %% [markdown]
# **Predict.** Six pairs; one of them does not fit. Which, and what do the others give?

# %%
pairs = [((3, 1), (4,)), ((2, 3), (3,)), ((2, 3), (2,))]
pairs += [((2, 3), (2, 1)), ((5, 1, 3), (4, 1)), ((3,), ())]
for a, b in pairs:
    try:
        print(a, "and", b, "give", broadcast_shape(a, b))
    except ValueError as error:
        print(error)

# %% [markdown]
# $(2, 3)$ and $(2,)$: aligned at the right, 3 meets 2. To add one number to each *row*, write it as $(2, 1)$. Is our
# rule numpy's? Two thousand random pairs, sizes of 0 among them:


# %%
def attempt(f, *shapes):
    try:
        return f(*shapes)
    except ValueError:
        return None


rng = np.random.default_rng(1)
fits = 0
for _ in range(2000):
    a, b = (tuple(map(int, rng.choice([0, 1, 1, 2, 3], rng.integers(0, 4)))) for _ in "ab")
    assert attempt(broadcast_shape, a, b) == attempt(np.broadcast_shapes, a, b)
    fits += attempt(broadcast_shape, a, b) is not None
assert 500 < fits < 1900
print("2,000 pairs, and the same answer, or the same refusal, each time")

# %% [markdown]
# It is a convenience with a sharp edge.
#
# **Predict.** A score for each of 200 points, as $(200,)$, minus the labels, as $(200, 1)$: which shape?

# %%
difference = score[:, 0] - labels
print(difference.shape)
print(f"mean square {np.square(difference).mean():.2f}, where the loss is {again:.2f}")

# %% [markdown]
# Every score minus *every* label, and no complaint. For one score $s$ the sum $\sum_j (s - t_j)^2$ over all labels is
# least at their mean. So a loss made of this falls nicely, and teaches the network to say the same to every point. It
# is why the library's losses refuse unequal shapes.

# %% [markdown]
# ## 4. The way back from a copy
#
# In chapter 01 a number that is used twice got two messages, and they added up. Broadcasting uses a number many times
# over. Take the smallest case, a column that is repeated:
#
# $$y_{ij} = x_{i} \qquad x: (3, 1), \quad y: (3, 4).$$
#
# A loss $L$ depends on all the $y_{ij}$. Let $g_{ij} = \partial L / \partial y_{ij}$ be the gradient that comes back,
# of the shape of $y$. Move $x_i$ by $h$: all four $y_{i0}, \dots, y_{i3}$ move by $h$, and so
#
# $$\frac{\partial L}{\partial x_i} = \sum_j g_{ij} \qquad (3, 4) \to (3, 1).$$
#
# **Forward it copies, backward it sums**, over the very axes with stride 0.
#
# There is a way to see this that covers much more. Line up the numbers of $x$ in one column and those of $y$ in
# another. Copying is then a matrix of zeros and ones: $y = R\,x$. For any matrix,
#
# $$\frac{\partial L}{\partial x_k} = \sum_n \frac{\partial L}{\partial y_n}\,R_{nk}
# \qquad\text{that is}\qquad \bar x = R^\top g :$$
#
# the way back is the **transpose**. Which matrix does an operation have? Give it one 1 and zeros at a time, and write
# down what comes out.


# %%
def matrix_of(f, shape):
    """The matrix of a linear f: one column for each number that goes in."""
    ones = np.eye(int(np.prod(shape)))
    return np.stack([f(one.reshape(shape)).ravel() for one in ones], axis=1)


# %%
moves = {
    "broadcast\n(3, 1) to (3, 4)": (lambda x: np.broadcast_to(x, (3, 4)), (3, 1)),
    "sum over axis 1\n(3, 4) to (3, 1)": (lambda x: x.sum(axis=1, keepdims=True), (3, 4)),
    "transpose\n(2, 4) to (4, 2)": (lambda x: x.T, (2, 4)),
    "slice x[1:]\n(3, 2) to (2, 2)": (lambda x: x[1:], (3, 2)),
}
figure = Figure((8, 3.4), layout="constrained")
words = []
for axes, (name, (f, shape)) in zip(figure.subplots(1, 4), moves.items()):
    R = matrix_of(f, shape)
    axes.imshow(R, cmap="Blues", vmin=0, vmax=1.4)
    axes.set_title(name, fontsize=9)
    axes.set(xlabel="numbers in", ylabel="numbers out", xticks=[], yticks=[])
    words.append(f"{name}: {R.shape[0]} rows, {R.shape[1]} columns, {int(R.sum())} ones")
words = "; ".join(words).replace("\n", " ")
show(figure, alt=f"Four matrices of zeros and ones. {words}.")

# %% [markdown]
# **Read it.** In the first, each column has four ones: every number goes to four places. The second is the first,
# turned on its side: *summing is the transpose of broadcasting, and broadcasting that of summing.* In the third every
# row and column has exactly one: nothing is copied or lost, and the way back is the transposition undone. In the fourth
# the first two columns are empty: what a slice leaves out gets a gradient of 0.

# %%
R, S = (matrix_of(*moves[name]) for name in list(moves)[:2])
assert (R.T == S).all()
print("sum is the transpose of broadcast")

# %% [markdown]
# Now for any two shapes that fit. New axes in front are summed away; axes that were 1 are summed and stay, as 1.


# %%
def unbroadcast(g, shape):
    """The gradient of an array of this shape, from that of what broadcasting made of it."""
    new = g.ndim - len(shape)
    g = g.sum(axis=tuple(range(new)))
    stretched = tuple(i for i, n in enumerate(shape) if n == 1 and g.shape[i] != 1)
    return g.sum(axis=stretched, keepdims=True)


rng = np.random.default_rng(2)
pairs = [((3, 1), (3, 4)), ((4,), (3, 4)), ((), (2, 3)), ((2, 1, 3), (2, 5, 3)), ((1,), (0,))]
for small, large in pairs:
    g = rng.normal(size=large)
    R = matrix_of(lambda x, large=large: np.broadcast_to(x, large), small)
    ours, by_matrix = unbroadcast(g, small), (R.T @ g.ravel()).reshape(small)
    assert ours.shape == small
    assert np.abs(ours - by_matrix).max() < 1e-12
    print(f"{large!s:10} back to {small!s:10} as the transposed matrix says")

# %% [markdown]
# Even for a size of 0: one number, copied zero times, matters to nothing, and its gradient is 0.
#
# Below, a column and a row are added, and the gradient that comes back to the sum is 1, 2, 3, ... in reading order.
# Pick an entry to see all that it goes to, and all that comes back to it; then try shapes of your own.
#
# **Predict.** What comes back to the first entry of the row?

# %%
broadcast(np.array([[10.0], [20.0], [30.0]]), np.arange(1.0, 5.0))

# %% [markdown]
# ## 5. An operation is two functions
#
# The first computes. The second gets `g`, the gradient of its result, and gives one gradient for each input. (Its name
# is **vector-Jacobian product**, `vjp`: it is $g$ times the matrix of all slopes, without ever making that matrix.)
#
# Neither function need think about broadcasting. Say $z = x\,y$, element by element: $\bar x = g\,y$ has the shape of
# the *result*, and the engine sums it to the shape of $x$, in one place, for all operations.


# %%
births = itertools.count()


class Tensor:
    """An array that remembers how it was made."""

    def __init__(self, data, parents=(), pull=None):
        self.data = np.asarray(data, dtype=np.float64)
        self.grad = None
        self.parents = parents
        self.pull = pull  # from the gradient of this to one for each parent
        self.birth = next(births)

    @property
    def shape(self):
        return self.data.shape


# %%
def operation(forward, vjp):
    """An operation on Tensors, made of two functions on arrays."""

    def call(*inputs, **settings):
        inputs = [x if isinstance(x, Tensor) else Tensor(x) for x in inputs]
        arrays = [x.data for x in inputs]
        out = forward(*arrays, **settings)
        return Tensor(out, tuple(inputs), lambda g: vjp(g, out, *arrays, **settings))

    return call


# %%
def history(y):
    """y and all that it was computed from, newest first: chapter 01's walk."""
    seen, waiting = {y}, [y]
    while waiting:
        for parent in waiting.pop().parents:
            if parent not in seen:
                seen.add(parent)
                waiting.append(parent)
    return sorted(seen, key=lambda node: node.birth, reverse=True)


# %%
def backward(y, g=1.0):
    """Fill in the gradient of y, weighted by g, with respect to all that y was computed from."""
    order = history(y)
    for node in order:
        node.grad = np.zeros(node.shape)
    y.grad = y.grad + g
    for node in order:
        if node.pull:
            for parent, sent in zip(node.parents, node.pull(node.grad)):
                parent.grad = parent.grad + unbroadcast(sent, parent.shape)


# %% [markdown]
# The operations of chapter 01, for arrays. Where they work element by element, $z_n$ moves with $x_n$ alone, say with
# the slope $s_n$, and the sum over all paths has one term: $\bar x_n = g_n\,s_n$. So each rule is chapter 01's slope
# times $g$, entry by entry: $g\,y$ for a product, $g\,e^x$, $g\,(1 - \tanh^2 x)$. The vjp of `sum` is a broadcast, as
# the matrices said, and a mean is a sum times $\frac{1}{\text{count}}$.


# %%
def sum_back(g, out, x, axis):
    return (np.broadcast_to(g, x.shape),)


add = operation(lambda x, y: x + y, lambda g, out, x, y: (g, g))
sub = operation(lambda x, y: x - y, lambda g, out, x, y: (g, -g))
mul = operation(lambda x, y: x * y, lambda g, out, x, y: (g * y, g * x))
exp = operation(np.exp, lambda g, out, x: (g * out,))
tanh = operation(np.tanh, lambda g, out, x: (g * (1 - out * out),))
total = operation(lambda x, axis: x.sum(axis=axis, keepdims=True), sum_back)


def mean(x, axis=None):
    count = x.data.size if axis is None else x.shape[axis]
    return mul(total(x, axis=axis), 1 / count)


# %% [markdown]
# **Predict.** $z = x\,y$ with $x$ of shape $(3, 1)$ and $y$ of shape $(4,)$; then the sum of all $z$. What is the
# gradient of $x$?

# %%
x, y = Tensor([[1.0], [2.0], [3.0]]), Tensor([10.0, 20.0, 30.0, 40.0])
z = mul(x, y)  # (3, 4)
backward(total(z, axis=None), 1.0)
print("x.grad", x.grad.tolist(), "  y.grad", y.grad.tolist())
assert x.grad.shape == (3, 1)
assert y.grad.shape == (4,)

# %% [markdown]
# Each $x_i$ met all four $y_j$, whose sum is 100. Each $y_j$ met all three $x_i$, whose sum is 6.

# %% [markdown]
# ## 6. Proof by nudging: gradcheck
#
# Arrays have many numbers, so there is more to get wrong, and nudging deserves some care. From both sides,
#
# $$f(x \pm h) = f \pm h f' + \tfrac{h^2}{2} f'' \pm \tfrac{h^3}{6} f''' + \dots
# \qquad\Rightarrow\qquad
# \frac{f(x + h) - f(x - h)}{2h} = f' + \tfrac{h^2}{6} f''' + \dots$$
#
# The $h^2$ in the error is what two sides buy; one side leaves $\frac h2 f''$. Against it stands rounding: each $f$ is
# off by about $\varepsilon |f|$, where $\varepsilon = 2.2\cdot 10^{-16}$, and dividing by $h$ makes that $\varepsilon
# |f| / h$. The sum of both is least where its slope in $h$ is 0:
#
# $$\frac{h}{3} |f'''| = \frac{\varepsilon |f|}{h^2} \qquad\Rightarrow\qquad
# h = \Bigl(3\,\varepsilon\,\frac{|f|}{|f'''|}\Bigr)^{1/3} \approx 10^{-5}.$$
#
# **Predict.** What would be the best $h$ for 32-bit floats, with $\varepsilon = 1.2 \cdot 10^{-7}$? How many digits of
# the slope are then left?

# %%
nudges = 10.0 ** -np.arange(1, 14)
slope = 1 - np.tanh(0.7) ** 2
figure = Figure((6, 3.4), layout="constrained")
axes = figure.subplots()
words = []
for kind, color, style in (np.float64, BLUE, "o-"), (np.float32, RUST, "s--"):
    h, at = nudges.astype(kind), kind(0.7)
    nudged = (np.tanh(at + h) - np.tanh(at - h)) / (2 * h)
    errors = np.maximum(np.abs(nudged - slope), 1e-16)
    axes.loglog(nudges, errors, style, color=color, label=kind.__name__)
    words.append(f"{kind.__name__}: least at {nudges[errors.argmin()]:.0e}")
axes.invert_xaxis()
axes.set(xlabel="nudge h", ylabel="error of the slope", title="tanh at 0.7, nudged from both sides")
axes.legend()
axes.grid(alpha=0.3)
words = "; ".join(words)
show(figure, alt=f"Each error falls with h squared, then rises as rounding takes over. {words}.")

# %% [markdown]
# About $10^{-2}$, and some 5 digits. So **gradients are checked in 64 bits**, whatever they are used in.
#
# One thing more. A check needs a single number to look at, and the plain sum of all outputs is a bad one.
#
# **Predict.** $x - \text{mean}(x)$ has a sum of 0, always. What does a check of that sum learn about the gradient?
# Nothing: every slope is 0, and a rule that returned zeros would pass. So we weigh every output with a fixed random
# number before we sum. That is the same as starting the walk back with random $g$.


# %%
def slopes_both_ways(f, *arrays, walk_back=backward, h=1e-5):
    """For each input, the gradients of f by the walk back and by nudging, for a random g."""
    inputs = [Tensor(x) for x in arrays]
    y = f(*inputs)
    g = np.random.default_rng(7).normal(size=y.shape)
    walk_back(y, g)
    found = []
    for x in inputs:
        nudged = np.empty(x.shape)
        for at in np.ndindex(x.shape):
            value = x.data[at]
            ends = []
            for step in (h, -h):
                x.data[at] = value + step
                ends.append((f(*inputs).data * g).sum())
            x.data[at] = value
            nudged[at] = (ends[0] - ends[1]) / (2 * h)
        found.append((x.grad, nudged))
    return found


# %%
rng = np.random.default_rng(3)
column, row, block = rng.normal(size=(3, 1)), rng.normal(size=4), rng.normal(size=(3, 4))
trials = {
    "x + y": (add, column, row),
    "x - y": (sub, row, block),
    "x * y": (mul, block, column),
    "exp": (exp, block),
    "tanh": (tanh, block),
    "sum over axis 0": (lambda x: total(x, axis=0), block),
    "x - mean(x)": (lambda x: sub(x, mean(x, axis=1)), block),
}
for name, (f, *arrays) in trials.items():
    worst = max(np.abs(exact - nudged).max() for exact, nudged in slopes_both_ways(f, *arrays))
    print(f"{name:16} agree to 8 digits: {worst < 1e-8}")
    assert worst < 1e-8

# %% [markdown]
# ## 7. The matrix product
#
# A layer of neurons is a product: $x$, with a row for each point, times $w$, with a column for each neuron. What is its
# vjp? Let $y = x\,w$ with shapes
#
# $$x: (N, C) \qquad w: (C, D) \qquad y, g: (N, D), \qquad\qquad y_{nd} = \sum_c x_{nc}\,w_{cd}.$$
#
# **Predict.** The gradient of $x$ has the shape $(N, C)$, and it is made of $g$ $(N, D)$ and $w$ $(C, D)$. Which
# product of the two, with transposes, has that shape?
#
# Now derive it. Move one entry, $x_{mk}$. It occurs in row $m$ of $y$ only, in each entry of it once, with the factor
# $w_{kd}$:
#
# $$\frac{\partial y_{nd}}{\partial x_{mk}} = \begin{cases} w_{kd} & n = m \\ 0 & \text{else.} \end{cases}$$
#
# Multiply along each path, add over all paths:
#
# $$\frac{\partial L}{\partial x_{mk}} = \sum_{n,d} g_{nd}\,\frac{\partial y_{nd}}{\partial x_{mk}}
# = \sum_{d} g_{md}\,w_{kd} = \sum_d g_{md}\,(w^\top)_{dk}
# \qquad\Rightarrow\qquad \boxed{\;\bar x = g\,w^\top\;}
# \qquad (N, D)\,(D, C) = (N, C).$$
#
# And one entry $w_{kj}$ occurs in column $j$ of $y$ only, with the factor $x_{nk}$:
#
# $$\frac{\partial L}{\partial w_{kj}} = \sum_{n} g_{nj}\,x_{nk} = \sum_n (x^\top)_{kn}\,g_{nj}
# \qquad\Rightarrow\qquad \boxed{\;\bar w = x^\top g\;}
# \qquad (C, N)\,(N, D) = (C, D).$$
#
# The sum over $n$ is the interesting one: a weight is used by every point, so it hears from every point.

# %%
matmul = operation(lambda x, w: x @ w, lambda g, out, x, w: (g @ w.T, x.T @ g))

rng = np.random.default_rng(4)
x, w, g = rng.normal(size=(5, 3)), rng.normal(size=(3, 2)), rng.normal(size=(5, 2))
for exact, nudged in slopes_both_ways(matmul, x, w):
    assert np.abs(exact - nudged).max() < 1e-8

xt, wt = ddl.tensor(x, requires_grad=True), ddl.tensor(w, requires_grad=True)
by_library = ddl.grad((xt @ wt * g).sum(), [xt, wt])
for ours, theirs in zip((g @ w.T, x.T @ g), by_library):
    print(ours.shape, "equal to ddl.grad's:", np.abs(ours - theirs.numpy()).max() < 1e-12)
    assert np.abs(ours - theirs.numpy()).max() < 1e-12

# %% [markdown]
# Many people remember these two rules by their shapes alone: there is only one way to fit $g$ and $w$ together. Let us
# count the ways.


# %%
def ways(n, c, d):
    """The products of g and w, in either order, transposed or not, that have the shape of x."""
    g, w = np.empty((n, d)), np.empty((c, d))
    sides = {"g": g, "g.T": g.T}, {"w": w, "w.T": w.T}
    found = []
    for (a, left), (b, right) in itertools.product(*(side.items() for side in sides)):
        for name, p, q in (f"{a} @ {b}", left, right), (f"{b} @ {a}", right, left):
            if p.shape[1] == q.shape[0] and (p.shape[0], q.shape[1]) == (n, c):
                found.append(name)
    return found


print("sizes 5, 3, 2:", ", ".join(ways(5, 3, 2)))
print("sizes 4, 4, 4:", ", ".join(ways(4, 4, 4)))

# %% [markdown]
# With three different sizes, one way. With equal sizes, eight, and only one of them is right. Hence two habits: **test
# with sizes that differ, and let gradcheck decide.** This is its picture, of a square product with a rule that forgets
# the transpose: the error of each slope, place by place.


# %%
def error_maps(cases, title, width=7.0):
    """Heat maps of |walk back - nudged|, of the first input of each case."""
    figure = Figure((width, 2.6), layout="constrained")
    panels, words = figure.subplots(1, len(cases)), []
    for axes, (name, f, arrays, walk_back) in zip(panels, cases):
        exact, nudged = slopes_both_ways(f, *arrays, walk_back=walk_back)[0]
        error = np.abs(exact - nudged)
        image = axes.imshow(np.log10(error + 1e-12), cmap="cividis", vmin=-12, vmax=1)
        axes.set_title(name, fontsize=9)
        axes.set(xlabel="column of x", ylabel="row of x", xticks=[], yticks=[])
        wrong = (error > 1e-6).sum()
        words.append(f"{name}: {wrong} of {error.size} slopes are wrong")
    bar = figure.colorbar(image, ax=panels, label="error of the slope", shrink=0.8)
    bar.ax.set_yticks([-12, -8, -4, 0])
    bar.ax.set_yticklabels(["$10^{-12}$", "$10^{-8}$", "$10^{-4}$", "1"])
    figure.suptitle(title, fontsize=10)
    show(figure, alt=f"{title}. " + "; ".join(words) + ".")


# %%
forgets = operation(lambda x, w: x @ w, lambda g, out, x, w: (g @ w, x.T @ g))
x, w = rng.normal(size=(4, 4)), rng.normal(size=(4, 4))
cases = [
    ("g @ w.T", matmul, (x, w), backward),
    ("g @ w", forgets, (x, w), backward),
    ("g @ w, w symmetric", forgets, (x, w + w.T), backward),
]
error_maps(cases, "Square products")

# %% [markdown]
# **Read the third.** With a symmetric $w$ the wrong rule is right. So would it be with the identity, with all ones,
# with zeros: exactly what one types in to try a thing quickly. Random numbers hide nothing.
#
# **A stack of matrices.** Text comes as $x$ of shape $(B, T, C)$, and the same $w$ $(C, D)$ serves each of the $B$. You
# know what that is: $w$ is broadcast, and its gradient sums over $B$: $\;\bar w = \sum_b x_b^\top g_b,\;$ which is what
# one product of all $B\,T$ rows gives as well.

# %%
B, T, C, D = 2, 5, 3, 4
x, w, g = rng.normal(size=(B, T, C)), rng.normal(size=(C, D)), rng.normal(size=(B, T, D))
one_by_one = unbroadcast(x.swapaxes(-1, -2) @ g, (C, D))  # (B, C, D) to (C, D)
at_once = x.reshape(B * T, C).T @ g.reshape(B * T, D)  # (C, B T) (B T, D)
wt = ddl.tensor(w, requires_grad=True)
by_library = ddl.grad((ddl.tensor(x) @ wt * g).sum(), wt).numpy()
assert np.abs(one_by_one - at_once).max() < 1e-12
assert np.abs(one_by_one - by_library).max() < 1e-12
print("summed over the stack, in one product, by the library: the same", at_once.shape)

# %% [markdown]
# ## 8. Learning with arrays
#
# The network of section 1 with one hidden layer more, in six lines. Its features are **centred** after each product: of
# every row its own mean is taken away, so that no neuron lives off what all neurons have in common. (Chapter 07 says
# why one wants that.)


# %%
def start(rng, sizes=(2, 16, 16, 1)):
    """Weights (C, D) and biases (D,), layer after layer."""
    shapes = list(itertools.pairwise(sizes))
    return [(rng.normal(size=s) / np.sqrt(s[0]), np.zeros(s[1])) for s in shapes]


def network(x, parameters):
    *hidden, (w, b) = parameters
    for w_in, b_in in hidden:
        x = add(matmul(x, w_in), b_in)  # (N, D)
        x = tanh(sub(x, mean(x, axis=1)))  # (N, D) - (N, 1)
    return add(matmul(x, w), b)  # (N, 1)


# %%
def train(seed, walk_back=backward, steps=300, rate=0.05):
    """The loss of every step on the way down, on data and from a start that the seed decides."""
    rng = np.random.default_rng(seed)
    points, labels = disc(200, rng)
    layers = [tuple(map(Tensor, layer)) for layer in start(rng)]
    losses = []
    for _ in range(steps):
        error = sub(network(points, layers), labels)  # (N, 1)
        loss = mean(mul(error, error))  # (1, 1)
        walk_back(loss)
        for p in itertools.chain(*layers):
            assert p.grad.shape == p.shape
            p.data = p.data - rate * p.grad
        losses.append(loss.data.item())
    return losses


losses = train(seed=0)
print(f"loss {losses[0]:.2f} at first, {losses[-1]:.2f} after 300 steps")
assert losses[-1] < losses[0] / 2

# %% [markdown]
# **Predict.** How many tensors does the graph of one loss hold, where Scalars took thousands?

# %%
layers = [tuple(map(Tensor, layer)) for layer in start(np.random.default_rng(0))]
print(len(history(mean(network(points, layers)))), "tensors, for 200 points or for 200,000")

# %% [markdown]
# ## 9. A bug that trains anyway
#
# A colleague wrote her own engine, without `unbroadcast`. The first run stopped at once: the gradient of a bias had the
# shape $(200, 16)$, and could not be taken from a bias of shape $(16,)$. So she sums where it was needed, at the
# parameters.


# %%
def backward_at_leaves(y, g=1.0):
    """As backward, but gradients are summed to shape at the ends of the ways alone."""
    order = history(y)
    for node in order:
        node.grad = np.zeros(node.shape)
    y.grad = y.grad + g
    for node in order:
        if node.pull:
            for parent, sent in zip(node.parents, node.pull(node.grad)):
                parent.grad = parent.grad + sent
        else:
            node.grad = unbroadcast(node.grad, node.shape)


# %%
seeds = range(6)
right = np.array([train(seed) for seed in seeds])  # (seeds, steps)
hers = np.array([train(seed, backward_at_leaves) for seed in seeds])
for name, runs in ("ours", right), ("hers", hers):
    print(f"{name}: from {runs[:, 0].mean():.2f} down to {runs[:, -1].mean():.2f}")
    assert (runs[:, -1] < runs[:, 0] / 2).all()

# %%
figure = Figure((6.5, 3.4), layout="constrained")
axes = figure.subplots()
for name, runs, color, style in ("ours", right, BLUE, "-"), ("hers", hers, RUST, "--"):
    axes.plot(runs.T, style, color=color, lw=0.8, alpha=0.4)
    axes.plot(runs.mean(axis=0), style, color=color, lw=2.2, label=f"{name}, mean of {len(runs)}")
axes.set(xlabel="step", ylabel="loss", ylim=(0, 1.6), title="Two engines, the same six starts")
axes.legend()
ends = f"ours to {right[:, -1].mean():.2f}, hers to {hers[:, -1].mean():.2f} on average"
show(figure, alt=f"Loss by step for six seeds each. Both fall alike: {ends}.")

# %% [markdown]
# The losses fall alike, and every gradient has the shape of its parameter (`train` insists on it). From here one would
# go on and tune the rate. **Find it:** which expression gets a wrong gradient from her engine?
#
# **Predict.** She gradchecks every operation by itself, with inputs of unequal shapes. Does one fail?

# %%
for name, (f, *arrays) in trials.items():
    pairs = slopes_both_ways(f, *arrays, walk_back=backward_at_leaves)
    worst = max(np.abs(exact - nudged).max() for exact, nudged in pairs)
    print(f"{name:16} {'agree' if worst < 1e-8 else 'WRONG'}")
    assert (worst < 1e-8) == (name != "x - mean(x)")

# %% [markdown]
# Every single operation passes, and only the last line, which is made of three, does not. For in the others the inputs
# *are* the ends of the way. The fault needs a broadcast in the **middle**: something computed, then repeated. The
# probe, then, is gradcheck of a composition, drawn place by place.

# %%
rng = np.random.default_rng(5)
block, column, row = rng.normal(size=(6, 8)), rng.normal(size=(6, 1)), rng.normal(size=8)
cases = [
    ("x + row", lambda x: add(x, row), (block,), backward_at_leaves),
    ("tanh(x * column)", lambda x: tanh(mul(x, column)), (block,), backward_at_leaves),
    ("x - mean(x)", lambda x: sub(x, mean(x, axis=1)), (block,), backward_at_leaves),
    ("x - mean(x), ours", lambda x: sub(x, mean(x, axis=1)), (block,), backward),
]
error_maps(cases, "Where her slopes are off", width=8.4)

# %% [markdown]
# **Prove it.** The third map is bright in every place. What does she think that centring does? Ask for all slopes of
# one row of 6: how much each output moves with each input.


# %%
def jacobian(f, x, walk_back):
    """In row i, the slopes of output i of f in each number of x: g is 1 there alone."""
    rows = []
    for g in np.eye(x.size):
        x_in = Tensor(x)
        walk_back(f(x_in), g.reshape(x.shape))
        rows.append(x_in.grad.ravel())
    return np.array(rows)


def centre(x):
    return sub(x, mean(x, axis=1))


x = rng.normal(size=(1, 6))
h = 1e-6 * np.eye(6)[:, None]  # six nudges, each of one number
nudged = np.stack([(centre(x + e).data - centre(x - e).data)[0] / 2e-6 for e in h], axis=1)
slopes = {"nudged": nudged, "ours": jacobian(centre, x, backward)}
slopes["hers"] = jacobian(centre, x, backward_at_leaves)
assert np.abs(slopes["ours"] - nudged).max() < 1e-8

# %%
figure = Figure((7.5, 2.9), layout="constrained")
panels, words = figure.subplots(1, 3), []
for axes, (name, J) in zip(panels, slopes.items()):
    image = axes.imshow(J, cmap="PuOr_r", vmin=-0.9, vmax=0.9)
    for (i, j), value in np.ndenumerate(J):
        color = "white" if value > 0.5 else "black"
        axes.text(j, i, f"{value:.2f}", ha="center", va="center", fontsize=7, color=color)
    axes.set(title=name, xlabel="input", ylabel="output", xticks=[], yticks=[])
    words.append(f"{name} has {J[0, 0]:.2f} on the diagonal and {J[0, 1]:.2f} beside it")
figure.colorbar(image, ax=panels, label="slope")
show(figure, alt="The slopes of x - mean(x) for six numbers: " + "; ".join(words) + ".")

# %% [markdown]
# In truth every output moves with every input: raise one number of a row and the mean rises, so all the others fall.
# Her engine has no number off the diagonal. The algebra says the same. With $m_i$ the mean of row $i$,
#
# $$y_{ij} = x_{ij} - m_i, \qquad m_i = \tfrac1C \sum_k x_{ik},
# \qquad\quad y: (N, C), \quad m: (N, 1).$$
#
# The mean is repeated along its row with the slope $-1$, so it must gather, and then it sends $\frac1C$ of what it has
# to each $x_{ij}$:
#
# $$\bar m_i = -\sum_j g_{ij} \quad (N, 1), \qquad\qquad
# \bar x_{ij} = g_{ij} + \tfrac1C\,\bar m_i = g_{ij} - \text{mean}_k\,g_{ik} \quad (N, C).$$
#
# The gradient of centring is centred. In her engine $\bar m$ stays $-g_{ij}$, with the shape $(N, C)$ of $y$. The next
# rule, a broadcast to $(N, C)$, finds nothing to do, and takes it. Out comes $g_{ij} - \frac1C g_{ij} = (1 -
# \frac1C)\,g_{ij}$: **nothing raised, because broadcasting forgives.**

# %%
g = rng.normal(size=block.shape)
x_ours, x_hers = Tensor(block), Tensor(block)
backward(centre(x_ours), g)
backward_at_leaves(centre(x_hers), g)
xt = ddl.tensor(block, requires_grad=True)
by_library = ddl.grad(((xt - xt.mean(axis=1, keepdims=True)) * g).sum(), xt).numpy()
assert np.abs(x_ours.grad - (g - g.mean(axis=1, keepdims=True))).max() < 1e-12
assert np.abs(x_ours.grad - by_library).max() < 1e-12
assert np.abs(x_hers.grad - (1 - 1 / 8) * g).max() < 1e-12
print("ours is g - mean(g), as ddl.grad's; hers is (1 - 1/8) g")

# %% [markdown]
# Why did it train? Her gradient is, but for a factor, $g = (g - \bar g) + \bar g$: the true one, plus a part that is
# the same for all numbers of a row. Following that part moves all of them alike, and the centring takes it away again.
# To the weights right below it does no harm. Whatever lies deeper gets a mixture, right enough to go down.
#
# It is not always so kind. Fit one weight, $p_i = w\,(x_i - \bar x)$, to readings $t_i = 2\,(x_i - \bar x) + c$ of an
# instrument that shows $c = 0.1$ too much. Let $v$ be the variance of the $N$ inputs, so that $\sum_i x_i (x_i - \bar
# x) = N v$. The gradient that comes back is $g_i \propto (w - 2)(x_i - \bar x) - c$, and the walk ends where $w$ hears
# 0:
#
# $$\text{ours:}\quad \sum_i x_i\,(g_i - \bar g) \;\propto\; (w - 2)\,N v = 0
# \qquad\Rightarrow\qquad w = 2$$
#
# $$\text{hers:}\quad \sum_i x_i\,g_i \;\propto\; (w - 2)\,N v - c\,N \bar x = 0
# \qquad\Rightarrow\qquad w = 2 + c\,\frac{\bar x}{v}$$
#
# **Predict.** With $x$ spread evenly between 1 and 3, $\bar x = 2$ and $v = \frac13$. Where does she end?


# %%
def one_weight(walk_back, seed, steps=300, rate=0.3):
    """Losses and the weight at the end; each seed has its own 400 inputs."""
    x = np.random.default_rng(seed).uniform(1, 3, (400, 1))
    t = 2 * (x - x.mean()) + 0.1
    w, losses = Tensor([[0.0]]), []
    for _ in range(steps):
        z = mul(x, w)
        error = sub(sub(z, mean(z, axis=0)), t)  # (N, 1) - (1, 1) - (N, 1)
        loss = mean(mul(error, error))
        walk_back(loss)
        w.data = w.data - rate * w.grad
        losses.append(loss.data.item())
    return losses, w.data.item(), 2 + 0.1 * x.mean() / x.var()


# %%
for name, walk_back in ("ours", backward), ("hers", backward_at_leaves):
    ends = [one_weight(walk_back, seed) for seed in range(10)]
    weights = [w for _, w, _ in ends]
    print(f"{name}: loss {ends[0][0][0]:.2f} to {ends[0][0][-1]:.2f},", end=" ")
    print(f"weight between {min(weights):.2f} and {max(weights):.2f} in ten runs")
    expected = [2.0 if walk_back is backward else wrong for _, _, wrong in ends]
    assert np.abs(np.subtract(weights, expected)).max() < 1e-6

# %% [markdown]
# Near 2.6, to all digits where the algebra put it. Her loss fell too, tenfold, and stayed where a small remainder looks
# like noise. **The fix** is one line in one place: sum to shape at *every* node, as a gradient arrives. Then no rule
# ever sees a gradient whose shape is not that of its own result.

# %% [markdown]
# ## 10. Yours against the library's
#
# `ddl.Tensor` is the same idea; its operations are the same two functions each. The same network, in its words:


# %%
def train_with_library(seed, steps=300, rate=0.05):
    rng = np.random.default_rng(seed)
    points, labels = map(ddl.tensor, disc(200, rng))
    layers = [[ddl.tensor(p, requires_grad=True) for p in layer] for layer in start(rng)]
    losses = []
    for _ in range(steps):
        x = points
        for w, b in layers[:-1]:
            x = x @ w + b
            x = (x - x.mean(axis=1, keepdims=True)).tanh()
        w, b = layers[-1]
        loss = ((x @ w + b - labels) ** 2).mean()
        loss.backward()
        with ddl.no_grad():
            for p in itertools.chain(*layers):
                p -= rate * p.grad
                p.grad = None
        losses.append(loss.item())
    return losses


# %%
gap = np.abs(np.array(train_with_library(0)) - losses).max()
assert gap < 1e-9
print("300 losses agree to 9 digits")

# %% [markdown]
# It can be watched, step by step. Here is the product of section 5 in the library's words. Step forward to the end,
# then back.
#
# **Predict.** Before the last two steps: which axis is summed on the way to `x`, and which on the way to `y`?

# %%
x = ddl.tensor([[1.0], [2.0], [3.0]], requires_grad=True)
y = ddl.tensor([10.0, 20.0, 30.0, 40.0], requires_grad=True)
play((x * y).sum(), params={"x": x, "y": y})

# %% [markdown]
# And centring, with $g$ in its first place alone. Two messages come to `x`: 1 directly, and $-\frac13$ for each number
# by way of the mean. Set a value of `x` anew and see what moves: the gradient does not, for centring is linear.

# %%
x = ddl.tensor([[1.0, 2.0, 6.0]])
play(lambda x: x - x.mean(axis=1, keepdims=True), x, gradient=[[1.0, 0.0, 0.0]])

# %% [markdown]
# In the library too an operation is two functions, and yours may stand in for its own for a while. First the matrix
# product that forgets a transpose, before the library's `gradcheck`. (`vjp` names what it wants to see again: those
# names are all that the graph keeps.)


# %%
def product(x, y):
    return x @ y


def product_back(g, x, y):
    return g @ y.swapaxes(-1, -2), x.swapaxes(-1, -2) @ g


def forgetful_back(g, x, y):
    return g @ y, x.swapaxes(-1, -2) @ g


square = [ddl.tensor(np.random.default_rng(6).normal(size=(4, 4))) for _ in range(2)]


# %% tags=["raises-exception"]
with wearing(ddl.ops.matmul, product, forgetful_back):
    ddl.gradcheck(lambda x, y: x @ y, square)

# %% [markdown]
# Read the last line: which input (0 is $x$), how many places, and the first of them with both numbers. Your right one
# passes, even one order up, where the gradient is itself pulled back; and it trains.

# %%
with wearing(ddl.ops.matmul, product, product_back):
    assert ddl.gradcheck(lambda x, y: x @ y, square, order=2)
    with_yours = train_with_library(0, steps=100)
assert np.allclose(with_yours, losses[:100], rtol=1e-9)
print("a hundred steps with your product: the same losses again")

# %% [markdown]
# And where shapes do not fit, the library says so before anything is computed with them:

# %% tags=["raises-exception"]
ddl.ones(200, 16) - ddl.ones(200)

# %% [markdown]
# The note under the error names the operation and what came in, with types and shapes. Aligned at the right, 16 meets
# 200. One number for each row should have been $(200, 1)$.
#
# From here on the course imports `ddl.tensor` and its operations.
#
# ## Recap
#
# 1. An array is memory, a start, a shape and strides; views walk the same memory in other ways, and broadcasting is a
#    stride of 0.
# 2. Forward it copies, backward it sums. The way back through any move of numbers is the transposed matrix.
# 3. An operation is two functions; the engine sums each gradient to its input's shape, at every node.
# 4. For $y = x\,w$: $\bar x = g\,w^\top$ and $\bar w = x^\top g$. Shapes suggest it, gradcheck proves it: 64 bits,
#    random $g$, sizes that differ, compositions as well as single operations.
# 5. An engine that sums at the leaves alone passes every test of one operation, trains, and forgets that the mean
#    moves.
#
# | here | PyTorch | JAX |
# |---|---|---|
# | `ddl.tensor(x, requires_grad=True)` | `torch.tensor(x, requires_grad=True)` | any array |
# | `unbroadcast` | `Tensor.sum_to_size` | in the transpose rule of `broadcast_in_dim` |
# | an operation and its vjp | `torch.autograd.Function` | `jax.custom_vjp` |
# | `jacobian` | `torch.autograd.functional.jacobian` | `jax.jacrev` |
# | `ddl.gradcheck` | `torch.autograd.gradcheck` | `jax.test_util.check_grads` |
# | strides | `Tensor.stride()`, `is_contiguous()` | not shown |
#
# ## Go deeper
#
# - S. van der Walt, S. C. Colbert and G. Varoquaux (2011), *The NumPy array: a structure for efficient numerical
#   computation*: strides and broadcasting.
# - C. R. Harris and others (2020), *Array programming with NumPy*.
# - M. B. Giles (2008), *Collected matrix derivative results for forward and reverse mode algorithmic differentiation*:
#   the matrix product and many more.
# - D. Maclaurin, D. Duvenaud and R. P. Adams (2015), *Autograd: effortless gradients in numpy*: rules written in the
#   language that they differentiate.
# - R. Frostig, M. Johnson, D. Maclaurin, A. Paszke and A. Radul (2021), *Decomposing reverse-mode automatic
#   differentiation*: the way back as a transposition.
#
# **Next:** [04 · The graph itself](04_graph.ipynb). What can be said of a computation before there is any data?
