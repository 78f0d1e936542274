# %% [markdown]
# # 09 · A faster machine
#
# After this chapter you can
#
# - say before you run it whether a computation waits for the memory or for the arithmetic, from a count of both,
# - write one function for numpy and for a graphics card, and a kernel of your own in CUDA C++,
# - measure times that mean something, and see through those that do not.
#
# **Time:** about 90 minutes. **Needs:** chapters [03](03_tensors.ipynb) (strides), [06](06_learning.ipynb) and
# [07](07_numbers.ipynb) (layer normalisation). **No graphics card:** what one does was recorded, and is read from a
# file; where you have one, the same cells run on it.
#
# Where a line says **Predict**, write your answer down before you run the cell below it. Times differ from machine to
# machine and from run to run: yours will not be those that you see here.

# %%
import json
import math
import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_digits

import ddl
from ddl import nn
from ddl.course import show, wearing
from ddl.nn import functional as F
from ddl.widgets import roofline, strides

BLUE, RUST, GREEN = "#00588a", "#b34700", "#007a5a"

# %% [markdown]
# A **GPU**, the processor of a graphics card, has memory of its own and thousands of small arithmetic units. Python
# stays on the **host**, the ordinary processor (CPU), and sends it work. CuPy is numpy for it. Is there one here?

# %%
place = Path(ddl.__file__).parents[1] / "course" / "09_faster" / "recorded.json"
recorded = json.loads(place.read_text("utf-8"))
tables = recorded["tables"]
print("recorded on:", recorded["device"], "with CuPy", recorded["versions"]["cupy"])
print("by:", recorded["command"])
try:
    cupy = ddl.arrays.module_for("gpu")
    print("There is a GPU here: the cells that want one will run.")
except RuntimeError:
    cupy = None
    print("No GPU can be used here: the cells that want one will say so, and go on.")

# %% [markdown]
# First we need a clock. One call tells little: the first is often slow, and any may be disturbed. So: a few calls to
# warm up, then several, and their median. What `wait` is for, section 8 will tell.


# %% tags=["recorded"]
def median_ms(f, wait=lambda: None, rounds=9):
    """Milliseconds of one call of f: the median of several, after two that warm up."""
    times = []
    for _ in range(2 + rounds):
        wait()  # what was begun earlier is no part of it
        start = time.perf_counter()
        f()
        wait()
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times[2:])


# %% [markdown]
# ## 1. The same numbers in another order
#
# Sixteen million numbers are to be copied, row by row or column by column. Each number is read once and written once,
# either way.
#
# **Predict.** How do the two times compare?


# %%
def by_rows(x, out):
    for i in range(len(x)):
        out[i] = x[i]


def by_columns(x, out):
    for j in range(x.shape[1]):
        out[:, j] = x[:, j]


# %% tags=["nbval-ignore-output"]
rng = np.random.default_rng(0)
square = rng.normal(size=(4096, 4096)).astype(np.float32)
copy = np.empty_like(square)
walk_ms = {}
for walk in (by_rows, by_columns):
    copy[:] = 0
    walk_ms[walk.__name__] = median_ms(lambda walk=walk: walk(square, copy), rounds=3)
    assert (copy == square).all()
    print(f"{walk.__name__:10} {walk_ms[walk.__name__]:6.0f} ms")
assert walk_ms["by_columns"] > 2 * walk_ms["by_rows"]

# %% [markdown]
# Memory is one long row of cells, and chapter 03's strides say how far to go for the next number. In a row of `square`
# that is one cell, in a column 4,096 cells. Look at it on something small: choose `x` and `x.T` in the chain, and see
# in which order the cells are visited.

# %%
small = square[:4, :6].round(1).copy()
strides(small, "x.T")

# %% [markdown]
# Why should far be slower than near? Because memory is never fetched number by number. It comes in **lines** of 64
# bytes, sixteen float32. Whoever walks along a row uses all sixteen. Whoever walks down a column uses one of each line,
# and when he comes for the next column, the line is long gone from the **cache**, the small fast memory that keeps what
# was fetched lately.
#
# So count lines, not numbers. We read a million numbers that lie `step` cells apart.
#
# **Predict.** From which step on does each number need a line of its own?


# %%
def lines_touched(places, line=64, itemsize=4):
    """How many lines of memory hold these cells."""
    return len(np.unique(places * itemsize // line))


N = 1 << 20
STEPS = [1, 2, 4, 8, 16, 32]
for step in STEPS:
    lines = lines_touched(step * np.arange(N))
    print(f"step {step:2}: {lines:9,} lines, {64 * lines / (4 * N):4.0f} times the bytes")

# %% tags=["nbval-ignore-output"]
here = []
for step in STEPS:
    long, out = np.zeros(N * step, np.float32), np.empty(N, np.float32)
    here.append(median_ms(lambda long=long, out=out, step=step: np.copyto(out, long[::step])))
del long
figure = Figure((6.4, 3), layout="constrained")
axes = figure.subplots()
on_gpu = [row["gpu_ms"] for row in tables["walks"]]
for times, color, name in ((here, BLUE, "the CPU here"), (on_gpu, RUST, recorded["device"])):
    axes.loglog(STEPS, np.array(times) / times[0], "o-", color=color, label=name)
axes.set(xlabel="step, numbers", ylabel="time, step 1 = 1", xticks=STEPS, xticklabels=STEPS)
axes.legend()
words = ", ".join(f"{t / here[0]:.1f}" for t in here)
words += "; GPU: " + ", ".join(f"{t / on_gpu[0]:.1f}" for t in on_gpu)
show(figure, alt=f"Times by step, relative to step 1. CPU: {words}.")
assert here[4] > 1.5 * here[0]

# %% [markdown]
# The same numbers are moved at each step; only their neighbours differ. A GPU has the same habit (its pieces are 32
# bytes, eight numbers). An array whose reading order is its order in memory is called **contiguous**, and now you know
# what that is good for. `x.T` costs nothing, until somebody reads it.
#
# ## 2. Two ceilings
#
# A processor does two things: it moves bytes, and it computes. (An addition or multiplication of two numbers is a
# **FLOP**, a floating-point operation.) Both at once, if it is well fed. So no computation is faster than the slower of
# the two:
#
# $$t \;\ge\; \max\Bigl(\frac{\text{bytes}}{\text{bandwidth}},\; \frac{\text{FLOP}}{\text{peak}}\Bigr).$$
#
# Which one it is depends on one number, the **arithmetic intensity** $I = \text{FLOP} / \text{bytes}$. Divide FLOP by
# $t$:
#
# $$\frac{\text{FLOP}}{t} \;\le\; \min\bigl(I \cdot \text{bandwidth},\; \text{peak}\bigr).$$
#
# Over $I$ that is a slope and then a flat ceiling: the **roofline**. The corner lies at $I = \text{peak} /
# \text{bandwidth}$.
#
# Count some, in float32, 4 bytes a number, each array that is read or written once:
#
# - $x + y$: $n$ FLOP, $3 \cdot 4n$ bytes. $I = \frac1{12}$.
# - The product of two $n \times n$ matrices: $n^2$ results, each of $n$ products and as many sums, so $2n^3$ FLOP; and
#   $3 \cdot 4 n^2$ bytes. $I = \frac n6$.
#
# **Predict.** Which of the two can a faster arithmetic unit speed up?

# %%
for n in (6, 60, 600):
    x = ddl.Spec((n, n), "float32")
    both = [("x + y", lambda x: x + x.T, 1 / 12), ("x @ y", lambda x: x @ x.T, n / 6)]
    for name, f, by_hand in both:
        cost = ddl.trace(f, x).costs()
        intensity = cost.flops / cost.bytes
        print(f"n = {n:3}: {name} {cost.flops:11,} FLOP {cost.bytes:9,} bytes, I = {intensity:.3g}")
        assert np.isclose(float(intensity), by_hand)

# %% [markdown]
# The library's count, `graph.costs()`, agrees with ours. A sum never leaves the slope. A product of matrices climbs
# it, and that is why everybody wants everything to be one.
#
# `roofline` runs a model of yours and measures each operation, and the two ceilings as well. A dot on the slope waits
# for the memory, one under the flat part for the arithmetic. Below is the time line: which one takes it all?

# %% tags=["nbval-ignore-output"]
digits = load_digits()
images = ddl.tensor((digits.images / 16).astype(np.float32).reshape(-1, 64))  # (1797, 64)
kinds = ddl.tensor(digits.target)  # (1797,)
ddl.manual_seed(0)
model = nn.Sequential(
    nn.Linear(64, 256), nn.LayerNorm(256), nn.GELU("tanh"),
    nn.Linear(256, 256), nn.LayerNorm(256), nn.GELU("tanh"), nn.Linear(256, 10),
)  # fmt: skip
roofline(model, images)

# %% [markdown]
# Now the recorded GPU. Its two ceilings:

# %%
figure = Figure((7, 3.8), layout="constrained")
axes = figure.subplots()
speeds = [(row["bytes"] / row["ms"] / 1e6, row["bytes"]) for row in tables["copies"]]
bandwidth = max(speeds)[0]  # GB a second
rates = {row["op"]: row["flops"] / row["ms"] / 1e9 for row in tables["roof"]}  # TFLOP a second
for dtype, color in (("float32", BLUE), ("float16", GREEN)):
    those = [row for row in tables["roof"] if row["op"].endswith(dtype)]
    at = [row["flops"] / row["bytes"] for row in those]
    axes.loglog(at, [rates[row["op"]] for row in those], "o", color=color, label=f"matmul {dtype}")
    top = max(rates[row["op"]] for row in those)
    x = np.geomspace(0.05, 3000)
    axes.loglog(x, np.minimum(top, x * bandwidth / 1e3), color=color, lw=1)
others = [row for row in tables["roof"] if "matmul" not in row["op"]]
at = [row["flops"] / row["bytes"] for row in others]
axes.loglog(at, [rates[row["op"]] for row in others], "s", color=RUST, label="one by one, and rows")
axes.set(xlabel="FLOP a byte", ylabel="TFLOP a second")
axes.legend()
words = "; ".join(f"{name}: {rate:.3g}" for name, rate in rates.items())
show(figure, alt=f"Roofline, copies at {bandwidth:.0f} GB/s. TFLOP a second: {words}.")

# %%
peak = max(rates[op] for op in rates if op.endswith("float32"))
corner = 1e3 * peak / bandwidth
print(f"bandwidth {bandwidth:,.0f} GB/s, peak {peak:.0f} TFLOP/s in float32")
print(f"corner at {corner:.0f} FLOP a byte: matrices of {6 * corner:.0f} x {6 * corner:.0f}")

# %% [markdown]
# The small matrices lie far below both. Something third holds them back: starting anything at all takes a few
# microseconds, whatever its size. More of that in section 9.
#
# ## 3. Count the passes
#
# Layer normalisation of chapter 07, written out. (`xp` is numpy, for now.)


# %% tags=["recorded"]
def layer_norm(xp, x, weight, bias):
    """(n, C), (C,), (C,) -> (n, C), one array operation after the other; xp is numpy or cupy."""
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred * centred).mean(axis=-1, keepdims=True)
    return centred / xp.sqrt(variance + 1e-5) * weight + bias


# %% [markdown]
# It has about eight FLOP for each number, and needs to read $x$ and write the result: $I \approx 1$. It waits for the
# memory. So do not count its operations; count how often it walks over an array of the size of $x$. Call that a
# **pass**. Each line of array code reads its arrays from memory, and writes a new one:
#
# | operation | reads | writes |
# |---|---|---|
# | mean of `x` | 1 | |
# | `x - mean` | 1 | 1 |
# | `centred * centred` | 1 | 1 |
# | mean of that | 1 | |
# | `centred / sqrt(...)` | 1 | 1 |
# | `* weight` | 1 | 1 |
# | `+ bias` | 1 | 1 |
#
# **Predict.** How many passes is that, how many are needed, and how much faster could it be?

# %%
by_hand = 1 + 2 + 2 + 1 + 2 + 2 + 2
print(f"by hand: {by_hand} passes against 2, so up to {by_hand / 2:.0f} times faster")
specs = ddl.Spec((32768, 256)), ddl.Spec((256,)), ddl.Spec((256,))
fused = ddl.trace(lambda x, w, b: F.layer_norm(x, 256, w, b), *specs).costs()
print(f"the library's fused operation, by its own count: {fused.bytes / specs[0].nbytes:.1f}")

# %% [markdown]
# **Fusing** is to do in one walk what took several: fetch a row, do everything with it while it is near, write it,
# forget it. Even in numpy. The same function, given 256 rows at a time, works on 256 kB, which stay in the cache:


# %%
def in_blocks(x, weight, bias, rows=256):
    """(n, C) -> (n, C): layer_norm, a few rows at a time."""
    out = np.empty_like(x)
    for i in range(0, len(x), rows):
        out[i : i + rows] = layer_norm(np, x[i : i + rows], weight, bias)
    return out


wide = rng.normal(size=(32768, 256)).astype(np.float32)  # (n, C), 32 MB
weight, bias = rng.normal(size=(2, 256)).astype(np.float32)
by_library = F.layer_norm(ddl.tensor(wide), 256, ddl.tensor(weight), ddl.tensor(bias)).numpy()
for ours in (layer_norm(np, wide, weight, bias), in_blocks(wide, weight, bias)):
    assert np.allclose(ours, by_library, atol=1e-5)
print("both as the library's")

# %% [markdown]
# **Predict.** More lines of Python, the same arithmetic. Faster or slower?

# %% tags=["nbval-ignore-output"]
room = np.empty_like(wide)
here = {
    "written out": median_ms(lambda: layer_norm(np, wide, weight, bias)),
    "in blocks": median_ms(lambda: in_blocks(wide, weight, bias)),
    "copy": median_ms(lambda: np.copyto(room, wide)),
}
there = {row["way"]: row["ms"] for row in tables["fusing"]}
figure = Figure((7.6, 2.6), layout="constrained")
names = f"CPU here, {wide.shape[0]} x 256", f"{recorded['device']}, 65536 x 768"
for axes, times, name in zip(figure.subplots(1, 2), (here, there), names):
    axes.barh(list(times), list(times.values()), color=BLUE)
    axes.invert_yaxis()
    axes.set(xlabel="ms", title=name)
words = "; ".join(", ".join(f"{k} {v:.3g}" for k, v in times.items()) for times in (here, there))
show(figure, alt=f"Milliseconds of layer norm. CPU, then GPU: {words}.")
assert here["in blocks"] < here["written out"]

# %% [markdown]
# On the right, the GPU. Written out it takes the time of its passes; one kernel that keeps a row near takes little more
# than a copy, and nothing that reads and writes these bytes can be faster than a copy. "Kernel by hand" you will write
# in section 5. Are the passes really what counts? Each operation was recorded by itself:

# %%
copy_ms = there["copy"]
print("operation              passes   expected ms   recorded ms")
for row in tables["lines"]:
    expected = row["passes"] * copy_ms / 2  # a copy is two passes
    print(f"{row['op']:22} {row['passes']:6} {expected:13.3f} {row['ms']:13.3f}")
total = sum(row["ms"] for row in tables["lines"])
print(f"sum {total:.3f}; all together {there['written out']:.3f}")

# %% [markdown]
# ## 4. One code for both
#
# A function that says `np.sqrt` is bound to numpy. One that says `xp.sqrt` takes the module along with the arrays, and
# CuPy has numpy's names. `layer_norm` and this one are written so:


# %% tags=["recorded"]
def gelu(xp, x):
    u = math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)
    return 0.5 * x * (1 + xp.tanh(u))


# %% [markdown]
# (GELU in GPT-2's form: $\frac x2 (1 + \tanh u)$ with $u = \sqrt{2/\pi}\,(x + 0.044715\,x^3)$. And $x \cdot x \cdot x$
# for a reason: a general power takes much longer.) The library's operations are all written like this, and the *data*
# decide where they run: `ddl.arrays.module_of(x)` finds the module for an array.

# %%
print(ddl.arrays.module_of(np.ones(3)).__name__)
print("rows   numpy ms   cupy ms   largest difference        (recorded)")
for row in tables["one_code"]:
    print(f"{row['rows']:5} {row['numpy_ms']:9.3f} {row['cupy_ms']:9.3f} {row['difference']:12.0e}")

# %% [markdown]
# Not the last bits: sums are taken in another order there. And look at the first lines: for a few rows the GPU is the
# *slower* one.
#
# Three habits keep a function portable. Say `xp`. Make new arrays like old ones (`xp.zeros_like(x)`). And never take a
# number out in the middle (`float(x[0])`, `if x.sum() > 0`): it has to come across to the host, which waits for it.
#
# ## 5. A kernel of your own
#
# A GPU runs a **kernel**: a small function that thousands of **threads** run at the same time, each on its own number.
# Threads come in **blocks**, here of 256. A thread knows its block, its place in it, and the size of a block, and from
# these it finds which number is its own:
#
# $$i = \text{block} \cdot 256 + \text{thread} .$$
#
# One writes it in C++ and hands CuPy the text. The `extern "C" __global__` marks a kernel, and `float*` is the address
# of an array:


# %% tags=["recorded"]
GELU = r"""
extern "C" __global__ void gelu(const float* x, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i];
        float u = 0.7978845608f * (v + 0.044715f * v * v * v);
        out[i] = 0.5f * v * (1 + tanhf(u));
    }
}
"""


def gelu_by_hand(cupy, x):
    """A thread for each number, 256 threads a block; x float32."""
    out, blocks = cupy.empty_like(x), -(-x.size // 256)
    cupy.RawKernel(GELU, "gelu")((blocks,), (256,), (x, out, np.int32(x.size)))
    return out


# %% [markdown]
# Numbers that are no multiple of 256 need one more block, which is not full: `-(-n // 256)` rounds up, and `if (i < n)`
# sends the superfluous threads home. **Predict** for $n = 257$: how many blocks, how many threads have nothing to do?
#
# Without a GPU we can still do what it does, one thread after the other. The same index arithmetic, in Python:


# %%
def gelu_thread(block, thread, threads, x, out, n):
    i = block * threads + thread
    if i < n:
        v = x[i]
        u = 0.7978845608 * (v + 0.044715 * v * v * v)
        out[i] = 0.5 * v * (1 + math.tanh(u))


def launch(kernel, blocks, threads, *arrays):
    """Every thread of every block, one after the other; a GPU promises no order."""
    for block in range(blocks):
        for thread in range(threads):
            kernel(block, thread, threads, *arrays)


# %%
for n in (1, 255, 256, 257, 1000):
    x, out = rng.normal(size=n), np.full(n, np.nan)
    blocks = -(-n // 256)
    launch(gelu_thread, blocks, 256, x, out, n)
    assert np.allclose(out, gelu(np, x), atol=1e-9)
    print(f"n = {n:4}: {blocks} blocks, {256 * blocks - n:3} threads idle, as the definition")


# %% [markdown]
# What happens without the `if`?


# %% tags=["raises-exception"]
def careless_thread(block, thread, threads, x, out):
    i = block * threads + thread
    out[i] = gelu(np, x[i])


launch(careless_thread, 2, 256, rng.normal(size=257), np.zeros(257))

# %% [markdown]
# Python looks at each index. A GPU does not: it reads and writes whatever lies behind the array, perhaps another one,
# and says nothing. (NVIDIA's `compute-sanitizer` finds such accesses.)
#
# **The way back** is a kernel too. With $u = a\,(x + b\,x^3)$, $a = \sqrt{2/\pi}$, $b = 0.044715$, and everything one
# number after the other, $(n,)$:
#
# 1. $du/dx = a\,(1 + 3 b\,x^2)$.
# 2. $t = \tanh u$ has $dt/du = 1 - t^2$, so $dt/dx = (1 - t^2)\,a\,(1 + 3 b\,x^2)$.
# 3. $y = \frac x2 (1 + t)$ is a product: $dy/dx = \frac12 (1 + t) + \frac x2\,dt/dx$.
# 4. $dx = g\,\bigl(\tfrac12 (1 + t) + \tfrac x2 (1 - t^2)\,a\,(1 + 3 b\,x^2)\bigr)$, shape $(n,)$.


# %%
def gelu_back(g, x):
    a, b = math.sqrt(2 / math.pi), 0.044715
    t = np.tanh(a * (x + b * x * x * x))
    return g * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * a * (1 + 3 * b * x * x))


x = ddl.tensor(rng.normal(size=1000), requires_grad=True)
g = rng.normal(size=1000)
(dx,) = ddl.grad((F.gelu(x, "tanh") * g).sum(), [x])
print("agrees with ddl.grad:", np.allclose(dx.numpy(), gelu_back(g, x.numpy()), atol=1e-12))
assert np.allclose(dx.numpy(), gelu_back(g, x.numpy()), atol=1e-12)

# %% [markdown]
# **Threads that help each other.** A sum over a row is no thread's own business. Let a block take a row: each of its
# threads sums every 256th number. Then the 256 partial sums are added in a tree: the first 128 threads add the other
# half to theirs, then 64, 32, ..., 1. `__shared__` is memory of the block, and `__syncthreads()` waits until all
# threads have come so far.


# %% tags=["recorded"]
OVER_BLOCK = r"""
__device__ float over_block(float value) {
    __shared__ float part[256];
    int t = threadIdx.x;
    __syncthreads();
    part[t] = value;
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) part[t] += part[t + half];
    }
    __syncthreads();
    return part[0];
}
"""


# %% tags=["recorded"]
ROW_SUM = r"""
extern "C" __global__ void row_sum(const float* x, float* out, int width) {
    float sum = 0;
    for (int j = threadIdx.x; j < width; j += 256) sum += x[(size_t)blockIdx.x * width + j];
    sum = over_block(sum);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
"""


# %% [markdown]
# The threads of a block go in step from one `__syncthreads()` to the next, so here a whole block is one numpy array:


# %%
def over_block(part):
    """(256,) -> a number, by the tree; the halves are added at once, as the threads do."""
    part, half = part.copy(), 128
    while half > 0:
        part[:half] += part[half : 2 * half]
        half //= 2
    return part[0]


# %%
def row_sum(x):
    """(n, C) -> (n,)"""
    out = np.empty(len(x), x.dtype)
    for block, row in enumerate(x):
        sums = [row[t::256].sum(dtype=x.dtype) for t in range(256)]  # j = t, t + 256, ...
        out[block] = over_block(np.array(sums))
    return out


for width in (1, 255, 256, 257, 768):
    x = rng.normal(size=(3, width))
    assert np.allclose(row_sum(x), x.sum(axis=1), atol=1e-12)
print("agrees for rows of 1, 255, 256, 257 and 768")

# %% [markdown]
# **Predict.** The tree has 8 steps. What happens if one `__syncthreads()` is left out? (A thread may read its
# neighbour's number before that one has added to it. Sometimes. Such a bug can hide for months.)
#
# With this, layer normalisation is one kernel. It looks at its row three times, but only the first time it comes from
# far away: a row of 768 numbers is 3 kB, and stays in the cache of the processor that runs the block.


# %% tags=["recorded"]
LAYER_NORM = r"""
extern "C" __global__ void layer_norm(
        const float* x, const float* weight, const float* bias, float* out, int width) {
    x += (size_t)blockIdx.x * width;
    out += (size_t)blockIdx.x * width;
    float sum = 0, square = 0;
    for (int j = threadIdx.x; j < width; j += 256) sum += x[j];
    float mean = over_block(sum) / width;
    for (int j = threadIdx.x; j < width; j += 256) square += (x[j] - mean) * (x[j] - mean);
    float scale = 1 / sqrtf(over_block(square) / width + 1e-5f);
    for (int j = threadIdx.x; j < width; j += 256)
        out[j] = (x[j] - mean) * scale * weight[j] + bias[j];
}
"""


# %%
def layer_norm_blocks(x, weight, bias):
    """(n, C) -> (n, C), with the kernel's arithmetic: a row is a block."""
    out, width = np.empty_like(x), x.shape[1]
    for i, row in enumerate(x):
        partial = lambda a: np.array([a[t::256].sum(dtype=a.dtype) for t in range(256)])
        mean = over_block(partial(row)) / width
        scale = 1 / np.sqrt(over_block(partial((row - mean) * (row - mean))) / width + 1e-5)
        out[i] = (row - mean) * scale * weight + bias
    return out


x, w, b = rng.normal(size=(5, 300)), rng.normal(size=300), rng.normal(size=300)
assert np.allclose(layer_norm_blocks(x, w, b), layer_norm(np, x, w, b), atol=1e-12)
print("agrees with the definition")

# %% [markdown]
# To start them there is little to do: how many blocks, how many threads, and the arguments.


# %% tags=["recorded"]
def row_sum_by_hand(cupy, x):
    """(n, C) -> (n,): a block for each row."""
    out = cupy.empty(len(x), np.float32)
    kernel = cupy.RawKernel(OVER_BLOCK + ROW_SUM, "row_sum")
    kernel((len(x),), (256,), (x, out, np.int32(x.shape[1])))
    return out


def layer_norm_by_hand(cupy, x, weight, bias):
    """(n, C), (C,), (C,) -> (n, C): a block for each row."""
    out = cupy.empty_like(x)
    kernel = cupy.RawKernel(OVER_BLOCK + LAYER_NORM, "layer_norm")
    kernel((len(x),), (256,), (x, weight, bias, out, np.int32(x.shape[1])))
    return out


# %% [markdown]
# Recorded on the GPU: the largest distance from the definition in float64, sizes that do not fit the blocks included.

# %%
for row in tables["kernels"]:
    print(f"{row['kernel']:10} {row['shape']!s:12} {row['error']:.0e}")
assert max(row["error"] for row in tables["kernels"]) < 1e-4
mine = [globals()[name] for name in ("GELU", "OVER_BLOCK", "ROW_SUM", "LAYER_NORM")]
assert all(any(text in cell for cell in recorded["cells"]) for text in mine)
print("and the kernels recorded are, letter by letter, those above")

# %% [markdown]
# And the times. A copy of $65536 \times 768$ numbers sets the measure: *share* is the bandwidth reached, counting only
# the bytes that have to move, of that of the copy.

# %%
copy_speed = tables["fusing"][0]["least_bytes"] / copy_ms
rows = [row | {"kernel": "layer_norm"} for row in tables["fusing"] if row["way"] != "copy"]
for row in tables["large"] + rows:
    share = row["least_bytes"] / row["ms"] / copy_speed
    print(f"{row['kernel']:10}  {row['way']:15} {row['ms']:.3f} ms, share {share:.0%}")

# %%
if cupy is None:
    print("No GPU here; on one, this cell runs your kernels.")
else:
    given = [cupy.asarray(a) for a in (wide, weight, bias)]
    print(np.allclose(layer_norm(cupy, *given).get(), by_library, atol=1e-4))
    print(np.allclose(layer_norm_by_hand(cupy, *given).get(), by_library, atol=1e-4))
    print(np.allclose(row_sum_by_hand(cupy, given[0]).get(), wide.sum(axis=1), atol=1e-3))
    print(np.allclose(gelu_by_hand(cupy, given[0]).get(), gelu(np, wide), atol=1e-5))

# %% [markdown]
# ## 6. Try it on
#
# Your `gelu` and `gelu_back` in the library's place, in a real training run: a small network on the digits of chapter
# 08. Same seed, same start.


# %%
def fit(seed, device="cpu", width=256):
    ddl.manual_seed(seed)
    parts = nn.Linear(64, width), nn.LayerNorm(width), nn.GELU("tanh"), nn.Linear(width, 10)
    model, losses = nn.Sequential(*parts).to(device), []
    x, t = (ddl.tensor(a.numpy(), device=device) for a in (images, kinds))
    optimizer = ddl.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(60):
        loss = F.cross_entropy(model(x), t)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


# %%
for seed in range(3):
    theirs = fit(seed)
    with wearing(ddl.fused.gelu_tanh, lambda x: gelu(np, x), gelu_back):
        ours = fit(seed)
    print(f"seed {seed}: the library {theirs[0]:.2f} -> {theirs[-1]:.3f}, yours {ours[-1]:.3f}")
    assert abs(ours[-1] - theirs[-1]) < 0.01

# %% [markdown]
# ## 7. Measuring honestly
#
# Three things stand between a clock and the truth.
#
# **The first call** is another one: memory is fetched from the system, files are loaded, and CuPy compiles a kernel
# when it first sees its text. Recorded: the same kernel, ten times.

# %%
print("call:", "  ".join(f"{ms:.3g}" for ms in tables["first_calls"]), "ms")

# %% [markdown]
# **Disturbance.** Other programs want the processor too. They only ever add time, so a few bad calls pull the mean up.
# The median hardly notices; the least is what the machine can do.
#
# **The queue.** This is the third, and it has a section of its own.
#
# ## 8. A bug that trains anyway
#
# A GPU works beside the host. When Python calls `cupy.matmul`, the work is put into a **queue**, and the call returns
# at once, with an array whose numbers are still to come. That is a good thing: while the GPU computes, Python prepares
# the next call.
#
# We can build that. A worker with a queue, and two methods: `begin` hands over work and returns, `wait` returns when
# all of it is done.


# %%
class Device:
    """Does what it is given, in order, beside us."""

    def __init__(self):
        self.worker, self.last = ThreadPoolExecutor(1), None

    def begin(self, f, *inputs):
        self.last = self.worker.submit(f, *inputs)

    def wait(self):
        if self.last is not None:
            self.last.result()


# %% [markdown]
# A colleague trains on such a device, and wants to know how wide a hidden layer she can afford.


# %%
def train_on(device, width, steps=25):
    """Losses, and the milliseconds of a step."""
    ddl.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, width), nn.ReLU(), nn.Linear(width, 10))
    optimizer, losses = ddl.optim.Adam(model.parameters(), lr=0.001), []

    def step():
        loss = F.cross_entropy(model(images), kinds)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    start = time.perf_counter()
    for _ in range(steps):
        device.begin(step)
    ms = 1e3 * (time.perf_counter() - start) / steps
    device.wait()
    return losses, ms


# %% tags=["nbval-ignore-output"]
device = Device()
WIDTHS = [64, 256, 1024]
for width in WIDTHS:
    losses, ms = train_on(device, width)
    print(f"width {width:4}: loss {losses[0]:.2f} -> {losses[-1]:.2f}, {ms:.2f} ms a step")
    assert losses[-1] < losses[0] - 0.2

# %% [markdown]
# All three learn, and the widest learns best. "And a step takes next to nothing, however wide. Width is free." The
# losses are right, the code is tidy, she measured several steps. **Find it** before you read on. What would you ask of
# a *time*?
#
# **The probe: time against size.** Work that grows must take longer. A matrix product of twice the side has eight times
# the FLOP; a "time" that does not grow is none of the product. **Predict** the two lines.

# %% tags=["nbval-ignore-output"]
SIDES = [128, 256, 512, 1024]
wrong, right = [], []
for n in SIDES:
    a = rng.normal(size=(n, n)).astype(np.float32)
    product = lambda a=a: device.begin(np.matmul, a, a)
    right.append(median_ms(product, device.wait))
    each = []
    for _ in range(9):
        start = time.perf_counter()
        product()
        each.append(1e3 * (time.perf_counter() - start))
        device.wait()
    wrong.append(statistics.median(each))
    print(f"n = {n:4}: {wrong[-1]:.3f} ms without waiting, {right[-1]:8.3f} ms with")
assert right[-1] > 20 * right[0]
assert wrong[-1] < right[-1] / 5

# %% [markdown]
# **Proved.** What she timed was how long it takes to *put something into a queue*. The same on the recorded GPU, where
# the queue is not ours:

# %%
rows = tables["unsynchronised"]
print("    n   without waiting   waiting   between events   TFLOP/s claimed and true")
for row in rows:
    claimed, true = (row["flops"] / row[k] / 1e9 for k in ("wrong_ms", "events_ms"))
    ms = f"{row['wrong_ms']:17.3f} {row['waited_ms']:9.3f} {row['events_ms']:16.3f}"
    print(f"{row['n']:5} {ms} {claimed:14,.0f} {true:8,.0f}")

# %%
figure = Figure((6.4, 3.2), layout="constrained")
axes = figure.subplots()
sides = [row["n"] for row in rows]
for name, key, color in (("without waiting", "wrong_ms", RUST), ("waiting", "waited_ms", BLUE)):
    axes.loglog(sides, [row[key] for row in rows], "o-", color=color, label=name)
axes.set(xlabel="side of the matrices", ylabel="ms", title=recorded["device"])
axes.legend()
words = "; ".join(f"{row['n']}: {row['wrong_ms']:.3f} and {row['waited_ms']:.3f}" for row in rows)
show(figure, alt=f"Milliseconds of a matrix product by side, without waiting and waiting. {words}.")
assert rows[-1]["waited_ms"] > 100 * rows[-1]["wrong_ms"]

# %% [markdown]
# There is a second probe, and it needs no second size: **the ceiling**. FLOP over time cannot be more than the peak.
# The claimed speeds at the bottom of the table are far beyond what any processor has.
#
# **The fix** is one line: wait before you look at the clock, at both ends. For CuPy that is
# `cupy.cuda.Device().synchronize()`. (Or let the device note the times itself, in its queue: two **events**, and the
# time between them.)


# %% tags=["nbval-ignore-output"]
class Waiting(Device):
    """A device on which the clock is right: nothing is begun before the last is done."""

    def begin(self, f, *inputs):
        super().begin(f, *inputs)
        self.wait()


honest = {}
for width in WIDTHS:
    losses, honest[width] = train_on(Waiting(), width)
    print(f"width {width:4}: loss {losses[-1]:.2f}, {honest[width]:.2f} ms a step")
assert honest[1024] > 3 * honest[64]

# %% [markdown]
# The losses are the same to the last digit, and width is not free. (To wait at each step is for measuring only: it
# gives away what the queue is good for.)
#
# The bug has a twin. A `loss.item()` needs the number, so it waits for all that the queue holds. A profile of Python
# then says that `.item()` is the slow line of the program. It is not: it is where the waiting is done.
#
# ## 9. When is it worth it?
#
# `model.to("gpu")` moves the parameters, `ddl.tensor(..., device="gpu")` makes data there, and no other line changes.
# Recorded: steps of SGD with two hidden layers and a batch of 256, by width. (`loss.item()` after each step: the times
# are honest.)

# %%
rows = tables["training"]
figure = Figure((6.4, 3.2), layout="constrained")
axes = figure.subplots()
widths = [row["width"] for row in rows]
for name, key, color in (("CPU there", "cpu_ms", BLUE), ("GPU", "gpu_ms", RUST)):
    axes.loglog(widths, [row[key] for row in rows], "o-", color=color, label=name)
axes.set(xlabel="width of the hidden layers", ylabel="ms a step", xticks=widths, xticklabels=widths)
axes.legend()
words = "; ".join(f"{r['width']}: {r['cpu_ms']:.3g} and {r['gpu_ms']:.3g}" for r in rows)
show(figure, alt=f"Milliseconds a step by width, CPU and GPU. {words}.")
print("largest difference of the losses:", f"{max(row['difference'] for row in rows):.0e}")
assert max(row["difference"] for row in rows) < 1e-3

# %%
if cupy is None:
    print("No GPU here; on one, this cell trains there.")
else:
    print(f"losses at the end: GPU {fit(0, 'gpu')[-1]:.4f}, CPU {fit(0)[-1]:.4f}")

# %% [markdown]
# The GPU's line is flat for a long while: there it is bound neither by bytes nor by FLOP, but by *starting* things,
# some hundred operations a step, a few microseconds each. Only from some width on is there enough to do in each. Three
# questions, then, before anybody buys anything: how many operations, how many bytes, how many FLOP?
#
# **Hand-over.** From here on, the library's fused operations stand for what you built: `F.layer_norm`, `F.gelu`,
# `F.softmax` and `F.cross_entropy` walk in blocks on the CPU, and on a GPU they have kernels like yours
# (`ddl/fused/kernels/gpu` in the source: read them, you can).
#
# ## Recap
#
# 1. Memory comes in lines. Walk along the last axis of a contiguous array, and all of a line is used.
# 2. No computation is faster than its bytes over the bandwidth, nor than its FLOP over the peak; intensity decides.
# 3. Where memory is the limit, count passes, and fuse: fetch once, do everything, write once.
# 4. A kernel is one thread's work; `block * threads + thread` finds its number, and the last block is not full.
# 5. A time that does not grow with the work, or beats the peak, is the time of something else. Warm up, wait, median.
#
# | here | PyTorch | JAX |
# |---|---|---|
# | `model.to("gpu")` | `model.to("cuda")` | `jax.device_put` |
# | `xp`, `module_of` | the dispatcher | one `jax.numpy` for all devices |
# | `RawKernel` | a C++ extension, or Triton | Pallas |
# | fusing | `torch.compile` | `jax.jit` |
# | `synchronize()`, events | `torch.cuda.synchronize()`, `torch.cuda.Event` | `.block_until_ready()` |
# | `graph.costs()` | `torch.utils.flop_counter` | `compiled.cost_analysis()` |
#
# ## Go deeper
#
# - S. Williams, A. Waterman and D. Patterson (2009), *Roofline: an insightful visual performance model for multicore
#   architectures*.
# - U. Drepper (2007), *What every programmer should know about memory*.
# - NVIDIA, *CUDA C++ Programming Guide*: threads, blocks, shared memory. M. Harris, *Optimizing parallel reduction in
#   CUDA*: the tree, seven times faster step by step.
# - T. Dao, D. Fu, S. Ermon, A. Rudra and C. Ré (2022), *FlashAttention: fast and memory-efficient exact attention with
#   IO-awareness*: counting passes, carried to the end.
# - R. Okuta and others (2017), *CuPy: a NumPy-compatible library for NVIDIA GPU calculations*.
# - D. Hendrycks and K. Gimpel (2016), *Gaussian error linear units*.
#
# **Next:** 10 · Text becomes numbers. Something to read.
