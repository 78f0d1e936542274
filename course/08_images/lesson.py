# %% [markdown]
# # 08 · Looking at images
#
# After this chapter you can
#
# - compute a convolution as one matrix product, and derive its way back, and that of pooling,
# - train a convolutional network on real handwritten digits, and look at what its layers see,
# - unmask two results that look fine: layers that never learned, and a test that was part of the training.
#
# **Time:** about 110 minutes. **Needs:** chapters [03](03_tensors.ipynb) (strides, the way back from a copy, the matrix
# product), [05](05_layers.ipynb) and [06](06_learning.ipynb).
#
# Where a line says **Predict**, write your answer down before you run the cell below it. $N$ images of $C$ channels are
# $(N, C, H, W)$, with $H$ rows and $W$ columns; $O$ is the number of channels that come out, $k$ the side of a window.

# %%
import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_digits

import ddl
from ddl import nn
from ddl.course import show, wearing
from ddl.nn import functional as F
from ddl.widgets import convolve, digits, features, watch

BLUE, RUST = "#00588a", "#b34700"

# %% [markdown]
# ## 1. One pixel to the right
#
# 1,797 digits, written by hand and scanned, 8 by 8 pixels each. (Alpaydin and Kaynak collected them in the 1990s; they
# come with scikit-learn.) 1,200 are for training, the other 597 are held out.

# %%
data = load_digits()
images = (data.images / 16).astype(np.float32)[:, None]  # (1797, 1, 8, 8)
kinds = data.target  # (1797,)


def split(seed, n=1200):
    """Images and kinds to train on, and those held out, in a random order."""
    order = np.random.default_rng(seed).permutation(len(images))
    train, held = order[:n], order[n:]
    return images[train], kinds[train], images[held], kinds[held]


x, t, x_new, t_new = split(0)  # (1200, 1, 8, 8), (1200,), (597, 1, 8, 8), (597,)

figure = Figure((7.5, 1.9), layout="constrained")
for axes, image, kind in zip(figure.subplots(2, 10).flat, x, t):
    axes.imshow(image[0], cmap="gray_r")
    axes.set(xticks=[], yticks=[])
    axes.set_ylabel(kind, rotation=0, labelpad=7, va="center")
show(figure, alt=f"Twenty digits of 8 x 8 pixels: {', '.join(map(str, t[:20]))}.")

# %% [markdown]
# First without any new idea: 64 pixels in a row, one linear layer, ten scores.


# %%
def fit(model, x, t, epochs=20, lr=0.02, seed=0, batch=100):
    """The loss of each step with Adam."""
    optimizer, losses = ddl.optim.Adam(model.parameters(), lr=lr), []
    rng = np.random.default_rng(seed)
    for _ in range(epochs):
        for chosen in np.split(rng.permutation(len(x)), range(batch, len(x), batch)):
            loss = F.cross_entropy(model(ddl.tensor(x[chosen])), ddl.tensor(t[chosen]))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    return losses


def right(model, x, t):
    return float((model(ddl.tensor(x)).numpy().argmax(axis=1) == t).mean())


# %%
def moved(x, down, across):
    """Images moved by up to one pixel; what comes in at the edge is empty."""
    wide = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    return wide[:, :, 1 - down : 9 - down, 1 - across : 9 - across]


SIDES = (0, 1), (1, 0), (0, -1), (-1, 0)


def by_pixels(seed):
    ddl.manual_seed(seed)
    return nn.Sequential(nn.Flatten(), nn.Linear(64, 10))


# %% [markdown]
# **Predict.** How many of the held-out digits will it have right? And how many of the same digits, each moved by one
# pixel?

# %% tags=["nbval-ignore-output"]
flat = by_pixels(0)
fit(flat, x, t)
print(f"held out: {right(flat, x_new, t_new):.0%}")
print("moved one pixel:", ", ".join(f"{right(flat, moved(x_new, *d), t_new):.0%}" for d in SIDES))
assert right(flat, x_new, t_new) > 0.9
assert max(right(flat, moved(x_new, *d), t_new) for d in SIDES) < 0.75

# %% [markdown]
# It knows what ink at pixel 19 means and what ink at pixel 20 means, and has no idea that the two have anything to do
# with each other. Whatever it learns, it must learn again at every place.
#
# So: learn a small thing once, and **use it everywhere**.
#
# ## 2. A window that slides
#
# Take a small array of weights, a **kernel** $w$ of $k \times k$. Lay it on the image, multiply what lies on each
# other, add up; then move on by one pixel:
#
# $$y_{pq} = \sum_{u=0}^{k-1} \sum_{v=0}^{k-1} x_{p+u,\;q+v}\; w_{uv} .$$
#
# (Everybody here calls this **convolution**. In mathematics that name belongs to the sum with the kernel turned by half
# a turn, and ours is *cross-correlation*. The turned one comes back in section 4.)
#
# Try it. Each number on the right is one sum of nine products: choose a place and see them. Then change the kernel.
#
# **Predict.** Where will a kernel with $-1$ on the left and $+1$ on the right give large numbers?

# %%
convolve(x[2, 0].round(1), "edges, upright")

# %% [markdown]
# At upright edges, where it gets darker from left to right; and negative ones where it gets lighter.
#
# How many windows fit? Pad the image with $p$ zeros on each side, and it is $H + 2p$ high. The first window begins at
# 0, the last at $H + 2p - k$, and with a step (**stride**) of $s$ there are
#
# $$P = \Bigl\lfloor \frac{H + 2p - k}{s} \Bigr\rfloor + 1 .$$
#
# **Predict.** $P$ for $H = 8$ with $k = 3$; the same with $p = 1$; and $k = 2$, $s = 2$.


# %%
def slide(x, w, padding=0, stride=1):
    """(H, W), (k, k) -> (P, Q), as the formula says."""
    x, k = np.pad(x, padding), len(w)
    starts = [range(0, n - k + 1, stride) for n in x.shape]
    return np.array([[(x[p : p + k, q : q + k] * w).sum() for q in starts[1]] for p in starts[0]])


rng = np.random.default_rng(0)
for k, padding, stride in ((3, 0, 1), (3, 1, 1), (2, 0, 2)):
    w = rng.normal(size=(k, k))
    ours = slide(x[2, 0], w, padding, stride)
    image, weight = ddl.tensor(x[2:3]), ddl.tensor(w[None, None])
    theirs = F.conv2d(image, weight, stride=stride, padding=padding).numpy()[0, 0]
    assert ours.shape == theirs.shape == ((8 + 2 * padding - k) // stride + 1,) * 2
    assert np.allclose(ours, theirs, atol=1e-5)
    print(f"k = {k}, p = {padding}, s = {stride}: {ours.shape}, as the library's")

# %% [markdown]
# With several channels a kernel has one $k \times k$ for each of them, and sums over all. With $O$ kernels there are
# $O$ results, the **channels** of the next layer, each a **feature map**. So the weights are $(O, C, k, k)$, and
#
# $$y_{nopq} = b_o + \sum_{c, u, v} x_{n,\,c,\,p+u,\,q+v}\; w_{ocuv} .$$
#
# ## 3. One matrix product
#
# Loops are slow, but the sum over $(c, u, v)$ is that of a matrix product: *window times kernel*. Lay every window out
# as a row of $C k^2$ numbers. All windows of all images make a matrix $\hat x$ (**unfold**, or im2col), the kernels are
# its columns:
#
# $$\hat x: (N P Q,\; C k^2), \qquad \hat w: (O,\; C k^2), \qquad \hat y = \hat x\,\hat w^\top + b: (N P Q,\; O) .$$
#
# The windows overlap, so numbers are repeated. Chapter 03 said how numpy repeats without a copy: with strides. A window
# one further to the right begins one number further on, and that is all.


# %%
def unfold(x, k, padding):
    """(N, C, H, W) -> (N, P, Q, C k k): each window as a row."""
    edge = (padding, padding)
    x = np.pad(x, ((0, 0), (0, 0), edge, edge))
    windows = np.lib.stride_tricks.sliding_window_view(x, (k, k), axis=(2, 3))  # (N, C, P, Q, k, k)
    n, c, p, q = windows.shape[:4]
    return windows.transpose(0, 2, 3, 1, 4, 5).reshape(n, p, q, c * k * k)


def conv_forward(x, w, b, padding=0):
    """(N, C, H, W), (O, C, k, k), (O,) -> (N, O, P, Q)"""
    rows = unfold(x, w.shape[-1], padding)  # (N, P, Q, C k k)
    y = rows @ w.reshape(len(w), -1).T + b  # (N, P, Q, O)
    return y.transpose(0, 3, 1, 2)


# %%
x6, w6, b6 = rng.normal(size=(2, 3, 6, 5)), rng.normal(size=(4, 3, 3, 3)), rng.normal(size=4)
theirs = F.conv2d(ddl.tensor(x6), ddl.tensor(w6), ddl.tensor(b6), padding=1).numpy()
agree = np.allclose(conv_forward(x6, w6, b6, 1), theirs, atol=1e-12)
print("as the library's:", agree, theirs.shape)
assert agree

# %% [markdown]
# (`sliding_window_view` moves nothing: its last two axes have the strides of the two before. The `reshape` then copies,
# and makes $k^2$ numbers of one: the price of the matrix product.)
#
# There is another matrix to see here. A convolution is linear in the image, so, as in chapter 03, it *is* a matrix from
# all pixels to all results. Give it one pixel at a time and write down what comes out. Beside it the matrix of a linear
# layer of the same sizes:

# %%
kernel = np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]]) / 9
one_pixel = np.eye(36).reshape(36, 1, 6, 6)
big = conv_forward(one_pixel, kernel[None, None], np.zeros(1)).reshape(36, 16).T  # (16, 36)
dense = rng.uniform(0.1, 1, (16, 36))

figure = Figure((7.6, 2.6), layout="constrained")
for axes, matrix, name in zip(figure.subplots(1, 2), (big, dense), ("convolution 3 x 3", "linear")):
    axes.imshow(np.where(matrix == 0, np.nan, matrix), cmap="cividis", vmin=0, vmax=1)
    axes.set(xlabel="pixel in", title=f"{name}: {len(np.unique(matrix[matrix > 0]))} weights")
figure.axes[0].set_ylabel("number out")
zeros = float((big == 0).mean())
words = f"From 36 pixels to 16 numbers. Convolution: {zeros:.0%} zeros, the same 9 weights in each"
show(figure, alt=f"{words} row, shifted. Linear: 576 weights, all different.")

# %% [markdown]
# **Local**: a row has nine numbers, the rest are zeros. **Shared**: they are the same nine in every row. From 576
# weights to 9. And it brings what the linear layer lacked. Move the image, and the map moves along:
#
# **Predict.** Is `conv(moved(x))` equal to `moved(conv(x))` everywhere?

# %%
w3 = rng.normal(size=(1, 1, 3, 3)).astype(np.float32)
first, then = conv_forward(moved(x, 0, 1), w3, 0, 1), moved(conv_forward(x, w3, 0, 1), 0, 1)
same = np.isclose(first, then, atol=1e-5).all(axis=(0, 1))  # (8, 8)
unlike = np.flatnonzero(~same.all(axis=0))
print(f"equal in {same.sum()} of 64 places; they differ in columns", unlike)
assert same[:, 1:-1].all()

# %% [markdown]
# Everywhere but at the edges, where something was pushed out or padded. This is called **equivariance**.
#
# ## 4. The way back
#
# The product $\hat y = \hat x \hat w^\top + b$ is chapter 05's linear layer, with a row for each window. Let $\hat g$
# be the gradient that comes back, $(NPQ, O)$:
#
# $$d\hat w = \hat g^\top \hat x \quad (O, NPQ)(NPQ, Ck^2) = (O, Ck^2), \qquad db = \sum_{npq} \hat g \quad (O,),$$
#
# $$d\hat x = \hat g\,\hat w \quad (NPQ, O)(O, Ck^2) = (NPQ, Ck^2) .$$
#
# The sum over $N P Q$ is the shared weight hearing from each place where it was used. It remains to go from $d\hat x$
# back to the image. Unfolding *copied* each pixel into every window that sees it. So, chapter 03 again: **forward it
# copies, backward it sums**. The transpose of unfold is called **fold**: add each window's gradients to the pixels that
# they came from.
#
# **Predict.** In a 6 by 6 image with $k = 3$ and no padding, how many windows see a corner pixel? And one in the
# middle?


# %%
def fold(rows, shape, k, padding):
    """The transpose of unfold: (N, P, Q, C k k) -> shape (N, C, H, W), overlaps summed."""
    n, c, h, w = shape
    p, q = rows.shape[1:3]
    rows = rows.reshape(n, p, q, c, k, k)
    out = np.zeros((n, c, h + 2 * padding, w + 2 * padding), rows.dtype)
    for u in range(k):
        for v in range(k):
            out[:, :, u : u + p, v : v + q] += rows[..., u, v].transpose(0, 3, 1, 2)
    return out[:, :, padding : padding + h, padding : padding + w]


ones = np.ones((1, 1, 6, 6))
print(fold(unfold(ones, 3, 0), ones.shape, 3, 0)[0, 0].astype(int))
a, b_ = rng.normal(size=x6.shape), rng.normal(size=(2, 6, 5, 27))
transposed = np.isclose((unfold(a, 3, 1) * b_).sum(), (a * fold(b_, a.shape, 3, 1)).sum())
print("sum(unfold(a) b) = sum(a fold(b)), as a transpose must:", transposed)
assert transposed


# %%
def conv_back(g, x, w, padding=0):
    """The gradients of x, w and b, from that of the result (N, O, P, Q)."""
    o, k = len(w), w.shape[-1]
    g = g.transpose(0, 2, 3, 1)  # (N, P, Q, O)
    rows = unfold(x, k, padding)  # (N, P, Q, C k k)
    dw = g.reshape(-1, o).T @ rows.reshape(-1, rows.shape[-1])  # (O, N P Q) (N P Q, C k k)
    dx = fold(g @ w.reshape(o, -1), x.shape, k, padding)  # (N, P, Q, C k k) -> (N, C, H, W)
    return dx, dw.reshape(w.shape), g.sum(axis=(0, 1, 2))


g6 = rng.normal(size=(2, 4, 6, 5))
tensors = [ddl.tensor(a, requires_grad=True) for a in (x6, w6, b6)]
by_library = ddl.grad((F.conv2d(*tensors, padding=1) * g6).sum(), tensors)
for ours, theirs in zip(conv_back(g6, x6, w6, 1), by_library):
    print(ours.shape, "agrees with ddl.grad")
    assert np.allclose(ours, theirs.numpy(), atol=1e-10)

# %% [markdown]
# What is $dx$, entry by entry? Pixel $(i, j)$ lies at place $(u, v)$ of the window that begins at $(i - u, j - v)$, and
# meets the weight $w_{uv}$ there. Over all windows that see it:
#
# $$dx_{ij} = \sum_{u, v} g_{i - u,\;j - v}\; w_{uv} .$$
#
# The indices run *against* each other: this is the sum with the kernel turned by half a turn. So the way back through a
# convolution is a convolution of the gradient, with the turned kernel, channels in and out exchanged, and padding
# $k - 1 - p$.

# %%
turned = w6[:, :, ::-1, ::-1].swapaxes(0, 1)  # (C, O, k, k)
dx = conv_forward(g6, turned, 0, padding=3 - 1 - 1)
print("the turned kernel gives dx:", np.allclose(dx, by_library[0].numpy(), atol=1e-10), dx.shape)
assert np.allclose(dx, by_library[0].numpy(), atol=1e-10)

# %% [markdown]
# Gradcheck, with yours in the library's place. (The library's `conv` also knows strides and groups; here they are 1.)


# %%
def worn_forward(x, weight, bias, *, shape, slide, groups=1):
    return conv_forward(x, weight, bias, slide.padding[0])


def worn_back(g, x, weight, slide):
    return conv_back(g, x, weight, slide.padding[0])


with wearing(ddl.ops.conv, worn_forward, worn_back):
    print("gradcheck:", ddl.gradcheck(lambda x, w, b: F.conv2d(x, w, b, padding=1), tensors))

# %% [markdown]
# ## 5. Pooling
#
# After a convolution one usually keeps only the largest number of each 2 by 2 block: *somewhere here* there was an
# edge. A quarter of the numbers is left, and each window of the next layer sees twice as far.
#
# **Its way back.** $y = \max(x_1, \dots, x_4)$. Move the largest by $h$, and $y$ moves by $h$; move another one a
# little, and nothing happens. So the slope is 1 at the largest and 0 elsewhere: **the gradient goes where the maximum
# was.** At a tie the maximum has no slope, and one must choose; we take the first.
#
# **Predict.** Pool this block of 4 by 4, and send the gradients 1, 2, 3, 4 back.


# %%
def blocks(x):
    """(N, C, H, W) -> (N, C, H/2, W/2, 4)"""
    n, c, h, w = x.shape
    return x.reshape(n, c, h // 2, 2, w // 2, 2).swapaxes(3, 4).reshape(n, c, h // 2, w // 2, 4)


def pool_forward(x):
    return blocks(x).max(axis=-1)  # (N, C, H/2, W/2)


def pool_back(g, x):
    parts = blocks(x)
    place = np.arange(4) == parts.argmax(axis=-1)[..., None]  # (N, C, H/2, W/2, 4), one True each
    sent = (place * g[..., None]).reshape(*g.shape, 2, 2)
    return sent.swapaxes(3, 4).reshape(x.shape)


# %%
block = np.array([[1, 5, 2, 0], [3, 4, 0, 1], [7, 7, 0, 0], [6, 2, 9, 8]], float)[None, None]
back = np.array([[1, 2], [3, 4]], float)[None, None]
print(pool_forward(block)[0, 0], pool_back(back, block)[0, 0], sep="\n")
xt = ddl.tensor(block, requires_grad=True)
(dx,) = ddl.grad((F.max_pool2d(xt, 2) * back).sum(), [xt])
assert (dx.numpy() == pool_back(back, block)).all()
print("as ddl.grad says, the tie of the two 7 included")

# %% [markdown]
# (The mean of a block, *average pooling*, sends $\frac14 g$ to each of the four.)
#
# ## 6. A network that looks
#
# Two convolutions, each with relu and pooling, then a linear layer that reads what is left: 16 maps of 2 by 2.
#
# **Predict.** How many parameters has it? The linear model had 650.


# %% tags=["nbval-ignore-output"]
def conv_net(seed):
    ddl.manual_seed(seed)
    start = lambda shape, **how: nn.init.kaiming_normal(shape, nonlinearity="relu", **how)
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1, weight_init=start), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, padding=1, weight_init=start), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(64, 10),
    )  # fmt: skip


model = conv_net(0)
with wearing(ddl.ops.conv, worn_forward, worn_back):
    losses = fit(model, x, t)
print(model.summary(ddl.zeros(1, 1, 8, 8)))
print(f"trained with your two functions: loss {losses[0]:.2f} -> {np.mean(losses[-12:]):.3f}")

# %% [markdown]
# **Predict.** Will it beat the linear model on the held-out digits? And on those moved by a pixel?

# %% tags=["nbval-ignore-output"]
scores = {"pixels": [], "convolutions": []}
print("seed    pixels: held out, moved    convolutions: held out, moved")
for seed in range(4):
    x_, t_, new, t_new_ = split(seed)
    for name, make in (("pixels", by_pixels), ("convolutions", conv_net)):
        net = make(seed)
        fit(net, x_, t_, seed=seed)
        aside = np.mean([right(net, moved(new, *d), t_new_) for d in SIDES])
        scores[name].append((right(net, new, t_new_), aside))
    (a, a_), (c, c_) = (scores[name][-1] for name in scores)
    print(f"{seed:4} {a:18.1%} {a_:6.0%} {c:24.1%} {c_:6.0%}")
pixels, convolutions = (np.array(scores[name]) for name in scores)
assert (convolutions[:, 0] - pixels[:, 0]).min() > 0.005
assert (convolutions[:, 1] - pixels[:, 1]).min() > 0.05

# %% [markdown]
# More of both. But moved digits still cost it dearly. Its convolutions see a moved digit as a moved map, and then the
# linear layer at the end, which has a weight for each place, is as helpless as before. Section 8 has a remedy.
#
# What do the layers see? Here is one digit on its way through. (The still picture has the maps of the first layer; the
# live view has those of every layer, and twelve digits.)

# %% tags=["nbval-ignore-output"]
features(model, x_new[:12])

# %% [markdown]
# In the first layer every map is still the digit, with some of its edges raised and others gone. After the second
# pooling four numbers a map are left, and nobody could read the digit from them, except the last layer.
#
# **How far does it see?** A number after the first convolution sees 3 by 3 pixels.
#
# **Predict.** And a number after the last pooling? (Convolution adds $k - 1$ steps, pooling 1 step, and after a pooling
# each step is twice as long.)

# %%
reach, step = 1, 1
for k, stride in ((3, 1), (2, 2), (3, 1), (2, 2)):
    reach, step = reach + (k - 1) * step, step * stride
    print(f"window {k}, stride {stride}: sees {reach} x {reach} pixels")

noise = ddl.tensor(rng.normal(size=(400, 1, 24, 24)).astype(np.float32), requires_grad=True)
maps = noise
for part in list(model)[:6]:
    maps = part(maps)  # at last (400, 16, 6, 6)
(slopes,) = ddl.grad(maps[:, :, 2, 2].sum(), [noise])
seen = abs(slopes.numpy()).mean(axis=(0, 1)) > 0  # (24, 24)
print("pixels with a slope:", seen.any(axis=1).sum(), "rows,", seen.any(axis=0).sum(), "columns")
assert seen.any(axis=1).sum() == seen.any(axis=0).sum() == reach

# %% [markdown]
# The gradient agrees: it reaches ten rows and ten columns. This is the **receptive field**, and here it is more than
# the whole image. Draw for it yourself. (The seven with
# which it begins was never scanned, and the model is in doubt. Can you make it sure?)

# %% tags=["nbval-ignore-output"]
digits(model)

# %% [markdown]
# ## 7. A bug that trains anyway
#
# A colleague writes her own layer around `conv_forward`: with the weights as parameters, and all shapes right.


# %%
class Conv(nn.Module):
    """(N, C, H, W) -> (N, O, H, W)"""

    def __init__(self, n_in, n_out):
        start = nn.init.kaiming_normal((n_out, n_in, 3, 3), nonlinearity="relu")
        self.weight = nn.Parameter(start)
        self.bias = nn.Parameter(np.zeros(n_out, np.float32))

    def forward(self, x):
        arrays = x.numpy(), self.weight.numpy(), self.bias.numpy()
        return ddl.tensor(conv_forward(*arrays, padding=1))


def colleagues_net(seed):
    ddl.manual_seed(seed)
    return nn.Sequential(
        Conv(1, 8), nn.ReLU(), nn.MaxPool2d(2), Conv(8, 16), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(64, 10),
    )  # fmt: skip


# %% tags=["nbval-ignore-output"]
theirs, losses = [], []
for seed in range(4):
    x_, t_, new, t_new_ = split(seed)
    theirs.append(colleagues_net(seed))
    losses.append(fit(theirs[-1], x_, t_, epochs=40, seed=seed))
    print(f"seed {seed}: loss {losses[-1][0]:.2f} -> {np.mean(losses[-1][-12:]):.2f}", end="; ")
    print(f"held out {right(theirs[-1], new, t_new_):.1%}")
held = [right(net, *split(seed)[2:]) for seed, net in enumerate(theirs)]
assert min(held) > 0.8

# %%
figure = Figure((6.4, 3), layout="constrained")
axes = figure.subplots()
for i, line in enumerate(losses):
    axes.plot(line, color=RUST, lw=1, label=None if i else "the colleague's network, four seeds")
axes.set(xlabel="step", ylabel="loss", ylim=(0, 2.5))
axes.legend()
ends = ", ".join(f"{np.mean(line[-12:]):.2f}" for line in losses)
show(figure, alt=f"Four losses fall from 2.3 and more to {ends}.")

# %% [markdown]
# Ten classes, nine digits in ten right, a handsome curve. It is a small network, and that may be what small networks
# do. **Find it** before you read on. What would you ask of a *layer*, rather than of the model?
#
# **Predict.** Twelve steps of training: how far does each parameter move?

# %% tags=["nbval-ignore-output"]
suspect = colleagues_net(0)
with watch(suspect, every=1):
    fit(suspect, x, t, epochs=1)

# %% [markdown]
# **Proved.** The microscope's alarms: `weight` and `bias` of the layers 0 and 3 *never moved*, *no gradient arrives*.
# All that learned was the last layer. What it reads are random features, and random features of digits are not bad:
# they are blurs and edges too.
#
# Where is the gradient cut off? `.numpy()` gives the numbers without their history, and `ddl.tensor` begins a new one.
# No error is raised, because nothing is wrong: that is how one *asks* for numbers without a history. And `parameters()`
# lists all, so a count of the parameters finds nothing either. Two probes do, and both are short:


# %% tags=["nbval-ignore-output"]
def how_it_learns(make, seed=0):
    """For each parameter, whether a gradient arrives and how far training moves it."""
    net = make(seed)
    before = {path: p.numpy().copy() for path, p in net.named_parameters()}
    fit(net, x, t, epochs=2)
    for path, p in net.named_parameters():
        far = abs(p.numpy() - before[path]).max()
        arrives = "no gradient" if p.grad is None else "gradient   "
        print(f"  {path:9} {p.shape!s:14} {arrives}  moved by up to {far:.2f}")


print("the colleague's:")
how_it_learns(colleagues_net)
print("ours:")
how_it_learns(conv_net)

# %% [markdown]
# The other probe is a **baseline**: something too simple to be wrong. Remember the linear model of section 1.

# %% tags=["nbval-ignore-output"]
print("seed   frozen    pixels alone   convolutions that learn")
for seed in range(4):
    print(f"{seed:4} {held[seed]:8.1%} {pixels[seed, 0]:13.1%} {convolutions[seed, 0]:18.1%}")
assert (pixels[:, 0] > held).all()
assert (convolutions[:, 0] - held).min() > 0.03

# %% [markdown]
# With its convolutions the model does *worse* than without any. Whoever had run the 650-parameter model first would
# have known at once. **The fix** is an operation that has a way back: `F.conv2d`, or yours, worn.
#
# Pictures of the kernels, before and after training, say the same:

# %%
start, end = conv_net(0)[0].weight.numpy(), model[0].weight.numpy()  # (8, 1, 3, 3) each
frozen_start, frozen_end = colleagues_net(0)[0].weight.numpy(), theirs[0][0].weight.numpy()
rows = {"ours, start": start, "ours, trained": end}
rows |= {"hers, start": frozen_start, "hers, trained": frozen_end}
figure = Figure((7, 3.6), layout="constrained")
for line, (name, kernels) in zip(figure.subplots(4, 8), rows.items()):
    for axes, kernel in zip(line, kernels):
        axes.imshow(kernel[0], cmap="PuOr_r", vmin=-1.2, vmax=1.2)
        axes.set(xticks=[], yticks=[])
    line[0].set_ylabel(name, rotation=0, ha="right", va="center")
words = f"Eight kernels of 3 x 3. Ours change by up to {abs(end - start).max():.1f}, hers by"
show(figure, alt=f"{words} {abs(frozen_end - frozen_start).max():.1f}.")

# %% [markdown]
# ## 8. A result too good
#
# Digits are expensive, and 200 must do. Another colleague makes more of them: of each image five copies, each a little
# darker or lighter, with a little noise. A thousand images. He mixes them well, takes 800 to train on, and tests on the
# other 200.


# %%
def copies(x, rng, each=5):
    """Each image several times, with another brightness and some noise."""
    x = np.repeat(x, each, axis=0)
    light, grain = rng.uniform(0.8, 1.2, (len(x), 1, 1, 1)), rng.normal(0, 0.05, x.shape)
    return (x * light + grain).astype(np.float32)


def copy_then_split(x, t, rng):
    more, labels = copies(x, rng), np.repeat(t, 5)
    order = rng.permutation(len(more))
    cut = len(more) * 4 // 5
    return more[order[:cut]], labels[order[:cut]], more[order[cut:]], labels[order[cut:]]


# %%
def study(way, seed, truth=True):
    """Share right on the test that this way of splitting makes, and on 1,597 untouched digits."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(images))
    x, t = images[order[:200]], kinds[order[:200]]
    if not truth:
        t = rng.integers(0, 10, len(t))
    x_train, t_train, x_test, t_test = way(x, t, rng)
    net = conv_net(seed)
    fit(net, x_train, t_train, epochs=30, lr=0.01, seed=seed)
    return right(net, x_test, t_test), right(net, images[order[200:]], kinds[order[200:]])


# %% [markdown]
# **Predict.** What will his test say? And the 1,597 digits that he never had?

# %% tags=["nbval-ignore-output"]
his = np.array([study(copy_then_split, seed) for seed in range(4)])
print("seed   his test   digits that nobody touched")
for seed, (test, fresh) in enumerate(his):
    print(f"{seed:4} {test:10.1%} {fresh:12.1%}")
assert his[:, 0].min() > 0.98
assert his[:, 1].max() < 0.97

# %% [markdown]
# A hundred per cent, from 200 digits. Normally nobody has the second column. **Find it** before you read on: what did
# this test test?
#
# **Prove it**, first with the **overlap**. For each test image, how far is the nearest training image? Beside it, the
# same where the 200 digits were split first.


# %%
def nearest(x_train, x_test):
    """For each test image the distance to the nearest training image."""
    a, b = x_train.reshape(len(x_train), -1), x_test.reshape(len(x_test), -1)
    apart = np.sqrt(((b[:, None] - a[None]) ** 2).sum(axis=-1))  # (test, train)
    return apart.min(axis=1)


def split_then_copy(x, t, rng):
    order = rng.permutation(len(x))
    train, test = order[: len(x) * 4 // 5], order[len(x) * 4 // 5 :]
    return copies(x[train], rng), np.repeat(t[train], 5), x[test], t[test]


# %%
figure = Figure((6.4, 3), layout="constrained")
axes = figure.subplots()
middles = {}
ways = ("copy, then split", copy_then_split, RUST), ("split, then copy", split_then_copy, BLUE)
for name, way, color in ways:
    x_train, _, x_test, _ = way(x[:200], t[:200], np.random.default_rng(0))
    gaps = nearest(x_train, x_test)
    middles[name] = np.median(gaps)
    bins = np.linspace(0, 3, 31)
    percent = np.full(len(gaps), 100 / len(gaps))
    axes.hist(gaps, bins, weights=percent, color=color, alpha=0.8, label=name)
axes.set(xlabel="distance to the nearest training image", ylabel="test images, %")
axes.legend()
words = "; ".join(f"{name}: median {middle:.2f}" for name, middle in middles.items())
show(figure, alt=f"Distances of test images to the nearest training image. {words}.")
assert middles["split, then copy"] > 1.5 * middles["copy, then split"]

# %% [markdown]
# Nearly every test image has a sibling among the training images: another copy of *the same* digit. The test asks
# whether the model remembers, and it does.
#
# The second probe needs no idea of what "the same" means, and finds leaks that nobody thought of. **Give each original
# image a random label**, and do everything else as before. Now there is nothing to learn. An honest test must say one
# in ten.
#
# **Predict.** What will his say?

# %% tags=["nbval-ignore-output"]
print("seed   copy, then split   split, then copy")
rows = []
for seed in range(4):
    rows.append([study(way, seed, truth=False)[0] for _, way, _ in ways])
    print(f"{seed:4} {rows[-1][0]:14.0%} {rows[-1][1]:18.0%}")
assert min(leaky for leaky, _ in rows) > 0.6
assert np.mean([honest for _, honest in rows]) < 0.2

# %% [markdown]
# Random labels, and his test finds most of them: what is right there was carried over from the training set. **The
# fix** is the order of two lines: *split first*, and copy the training part only.

# %% tags=["nbval-ignore-output"]
fixed = np.array([study(split_then_copy, seed) for seed in range(4)])
print("seed   test   digits that nobody touched")
for seed, (test, fresh) in enumerate(fixed):
    print(f"{seed:4} {test:6.0%} {fresh:12.1%}")
gap = abs(fixed[:, 0] - fixed[:, 1]).mean(), abs(his[:, 0] - his[:, 1]).mean()
print(f"mean distance of the two: {gap[0]:.1%}; his was {gap[1]:.1%}, always to the good side")
assert gap[0] < gap[1]

# %% [markdown]
# (40 test images make a coarse test: one of them is 2.5%. But it errs to both sides.) The model is no worse than his.
# Only the report is true.
#
# Copies themselves are a good idea. Rightly done they cure what section 6 left open. Train on the 1,200 digits and
# their four moved copies, and ask again for the held-out digits, moved:

# %% tags=["nbval-ignore-output"]
print("seed   held out   moved")
after = []
for seed in range(3):
    x_, t_, new, t_new_ = split(seed)
    more = np.concatenate([x_, *(moved(x_, *d) for d in SIDES)])  # (6000, 1, 8, 8)
    net = conv_net(seed)
    fit(net, more, np.tile(t_, 5), epochs=8, lr=0.01, seed=seed)
    aside = np.mean([right(net, moved(new, *d), t_new_) for d in SIDES])
    after.append((right(net, new, t_new_), aside))
    print(f"{seed:4} {after[-1][0]:10.1%} {after[-1][1]:7.1%}")
assert min(aside for _, aside in after) > 0.85

# %% [markdown]
# ## 9. The library's own
#
# `nn.Conv2d` and `F.conv2d` do what your two functions do, with strides, dilation and groups; `ddl.models.CNN` is the
# network of section 6. It says what it wants:

# %% tags=["nbval-ignore-output"]
ddl.manual_seed(0)
own = ddl.models.CNN(image_size=8, channels=(8, 16))
fit(own, x, t)
print(f"held out: {right(own, x_new, t_new):.1%}")
assert right(own, x_new, t_new) > 0.94

# %% tags=["raises-exception"]
nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Conv2d(16, 8, 3))(ddl.tensor(x[:1]))

# %% [markdown]
# Read the last line: the weight's shape, how many channels it takes, how many came, and in which layer. The first
# convolution gives 8 channels, and the second was told 16.
#
# **Hand-over.** From here on, `nn.Conv2d` and `nn.MaxPool2d` stand for what you built.
#
# ## Recap
#
# 1. A convolution is one small linear layer used at each place: local, shared, and equivariant. A moved image gives a
#    moved map.
# 2. Unfold, and it is one matrix product. Backward: $d\hat w = \hat g^\top \hat x$, $d\hat x = \hat g\,\hat w$, and
#    fold sums what unfold copied; that is a convolution with the turned kernel.
# 3. Max pooling sends the gradient to where the maximum was.
# 4. Layers that never learn can score nine in ten. Ask each parameter whether it moved, and run a baseline first.
# 5. Split before you copy. The probes: distance to the nearest training image, and random labels.
#
# | here | PyTorch (`F` is `torch.nn.functional`) | JAX |
# |---|---|---|
# | `conv_forward` | `F.conv2d` | `jax.lax.conv_general_dilated` |
# | `unfold` | `F.unfold` | `jax.lax.conv_general_dilated_patches` |
# | `fold` | `F.fold` | the transpose of that |
# | `nn.Conv2d`, `nn.MaxPool2d` | the same names | `flax.nnx.Conv`, `flax.nnx.max_pool` |
# | the turned convolution | `F.conv_transpose2d` | `jax.lax.conv_transpose` |
# | `.detach()` and `.numpy()` cut | the same | `jax.lax.stop_gradient` |
#
# ## Go deeper
#
# - K. Fukushima (1980), *Neocognitron*: sliding windows and pooling, before backpropagation.
# - Y. LeCun and others (1989), *Backpropagation applied to handwritten zip code recognition*.
# - Y. LeCun, L. Bottou, Y. Bengio and P. Haffner (1998), *Gradient-based learning applied to document recognition*.
# - A. Krizhevsky, I. Sutskever and G. Hinton (2012), *ImageNet classification with deep convolutional neural networks*.
# - A. Saxe, P. W. Koh, Z. Chen, M. Bhand, B. Suresh and A. Ng (2011), *On random weights and unsupervised feature
#   learning*: why frozen convolutions score.
# - C. Zhang, S. Bengio, M. Hardt, B. Recht and O. Vinyals (2017), *Understanding deep learning requires rethinking
#   generalization*: random labels.
# - S. Kapoor and A. Narayanan (2023), *Leakage and the reproducibility crisis in machine-learning-based science*.
# - V. Dumoulin and F. Visin (2016), *A guide to convolution arithmetic for deep learning*: the sizes, in pictures.
#
# **Next:** [09 · A faster machine](09_faster.ipynb). The same numbers, sooner.
