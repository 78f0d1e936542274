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
# file; where you have one, the cells that say so run on it too.
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
from ddl.course import show
from ddl.nn import functional as F
from ddl.widgets import roofline, strides

# %% [markdown]
# A **GPU**, the processor of a graphics card, has memory of its own and thousands of small arithmetic units. Python
# stays on the **host**, the ordinary processor (CPU), and sends it work. CuPy is numpy for it. Is there one here?

# %%
place = Path(ddl.__file__).with_name("course") / "recorded.json"
recorded = json.loads(place.read_text("utf-8"))
tables = recorded["tables"]
print("recorded on:", recorded["device"], "with CuPy", recorded["versions"]["cupy"])
try:
    cupy = ddl.arrays.module_for("gpu")
except RuntimeError:
    cupy = None
print("a GPU here:", "yes" if cupy else "none that can be used; cells that want one go on without")

# %% [markdown]
# The record was made by running functions and kernels of this very notebook on that machine, and timing them. First we
# need a clock. One call tells little: the first is often slow, and any may be disturbed. So: two calls to warm up, then
# several, and their median. What `wait` is for, section 6 will tell.


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
# Sixteen million numbers are to be copied, row by row or column by column; and the columns of `x` are the rows of
# `x.T`. Each number is read once and written once, either way. **Predict.** How do the two times compare?


# %% tags=["nbval-ignore-output"]
def by_rows(x, out):
    for i in range(len(x)):
        out[i] = x[i]


rng = np.random.default_rng(0)
square = rng.normal(size=(4096, 4096)).astype(np.float32)
out = np.empty_like(square)
rows_ms = median_ms(lambda: by_rows(square, out), rounds=3)
columns_ms = median_ms(lambda: by_rows(square.T, out.T), rounds=3)
print(f"by rows {rows_ms:.0f} ms, by columns {columns_ms:.0f} ms; equal: {(out == square).all()}")
assert columns_ms > 2 * rows_ms

# %% [markdown]
# Memory is one long row of cells, and chapter 03's strides say how far to go for the next number. In a row of `square`
# that is one cell, in a column 4,096 cells. On something small, compare `x` with `x.T`: one memory, and two orders.

# %%
strides(square[:4, :6].round(1).copy(), "x.T")

# %% [markdown]
# Why should far be slower than near? Because memory is never fetched number by number. It comes in **lines** of 64
# bytes, sixteen float32. Whoever walks along a row uses all sixteen. Whoever walks down a column uses one of each line,
# and when he comes for the next column, the line is long gone from the **cache**, the small fast memory that keeps what
# was fetched lately. So count lines, not numbers. We take every `step`-th of the sixteen million. **Predict.** From
# which step on does each number need a line of its own? And the time of one number?

# %% tags=["nbval-ignore-output"]
flat, ns, gpu = square.ravel(), [], [row["gpu_ms"] for row in tables["walks"]]
for k, step in enumerate([1, 2, 4, 8, 16, 32]):
    taken, room = flat[::step], out.ravel()[: flat.size // step]
    lines = len(np.unique(step * np.arange(len(taken)) * 4 // 64))  # 4 bytes a number
    ns.append(1e6 * median_ms(lambda a=taken, b=room: np.copyto(b, a)) / len(taken))
    print(f"step {step:2}: {lines / len(taken):.3f} lines and {ns[-1]:4.1f} ns a number,", end=" ")
    print(f"{ns[-1] / ns[0]:4.1f} times step 1; recorded GPU {gpu[k] / gpu[0]:.1f} times")
assert ns[4] > 1.5 * ns[0]

# %% [markdown]
# Up to step 16 a number costs ever more of a line, and lines are what takes the time. (Only roughly: the processor
# fetches lines ahead when it guesses which come next, and other programs want the memory too.) The recorded GPU has the
# same habit; its steps look small beside a first time that is mostly spent on starting (section 2). An array whose
# reading order is its order in memory is called **contiguous**. `x.T` costs nothing, until somebody reads it.
#
# ## 2. Two ceilings
#
# A processor moves bytes, and it computes. (An addition or multiplication of two numbers is a **FLOP**, a
# floating-point operation.) Both at once, if it is well fed. So no computation is faster than the slower of the two:
#
# $$t \;\ge\; \max\Bigl(\frac{\text{bytes}}{\text{bandwidth}},\; \frac{\text{FLOP}}{\text{peak}}\Bigr).$$
#
# Divide FLOP by $t$, and call $I = \text{FLOP} / \text{bytes}$ the **arithmetic intensity**:
#
# $$\frac{\text{FLOP}}{t} \;\le\; \min\bigl(I \cdot \text{bandwidth},\; \text{peak}\bigr).$$
#
# Over $I$ that is a slope and then a flat ceiling: the **roofline**. Its corner lies at $I = \text{peak} /
# \text{bandwidth}$. Count some, in float32, 4 bytes a number, each array read or written once:
#
# - $x + y$: $n$ FLOP, $3 \cdot 4n$ bytes. $I = \frac1{12}$.
# - The product of two $n \times n$ matrices: $n^2$ results, each of $n$ products and as many sums, so $2n^3$ FLOP; and
#   $3 \cdot 4 n^2$ bytes. $I = \frac n6$.
#
# **Predict.** Which of the two can a faster arithmetic unit speed up?

# %%
for n in (6, 60, 600):
    x = ddl.Spec((n, n), "float32")
    for name, f in (("x + y", lambda x: x + x.T), ("x @ y", lambda x: x @ x.T)):
        cost = ddl.trace(f, x).costs()
        intensity = float(cost.flops / cost.bytes)
        print(f"n = {n:3}: {name} {cost.flops:11,} FLOP {cost.bytes:9,} bytes, I = {intensity:.3g}")

# %% [markdown]
# The library's count, `graph.costs()`, agrees with ours. A sum never leaves the slope. A product of matrices climbs it,
# and that is why everybody wants everything to be one. `roofline` runs a model of yours and measures each operation,
# and the two ceilings as well. A dot under the slope waits for the memory, one under the flat part for the arithmetic.
# (GELU's lies far below: its `tanh` takes longer than its count says.) And which operations take most of the time line?

# %% tags=["nbval-ignore-output"]
digits = load_digits()
images = (digits.images / 16).astype(np.float32).reshape(-1, 64)  # (1797, 64)
ddl.manual_seed(0)
model = nn.Sequential(
    nn.Linear(64, 256), nn.LayerNorm(256), nn.GELU("tanh"),
    nn.Linear(256, 256), nn.LayerNorm(256), nn.GELU("tanh"), nn.Linear(256, 10),
)  # fmt: skip
roofline(model, ddl.tensor(images))

# %% [markdown]
# Now the recorded GPU. Its bandwidth is the best that a copy reached, its peak the best product of matrices.

# %%
bandwidth = max(row["bytes"] / row["ms"] for row in tables["copies"]) / 1e6  # GB a second
roof, peaks, along = {row["op"]: row for row in tables["roof"]}, {}, np.geomspace(0.05, 3000)
for row in roof.values():
    row |= {"I": row["flops"] / row["bytes"], "rate": row["flops"] / row["ms"] / 1e9}  # TFLOP/s
figure = Figure((7, 3.8), layout="constrained")
axes = figure.subplots()
for end, color in (("float32", "#00588a"), ("float16", "#007a5a"), ("", "#b34700")):
    rows = [r for op, r in roof.items() if op.endswith(end) and (end or "matmul" not in op)]
    label = f"products in {end}" if end else "x + y, GELU, layer norm"
    axes.loglog([r["I"] for r in rows], [r["rate"] for r in rows], "o", color=color, label=label)
    if end:
        peaks[end] = max(row["rate"] for row in rows)
        axes.loglog(along, np.minimum(peaks[end], along * bandwidth / 1e3), color=color, lw=1)
axes.set(xlabel="FLOP a byte", ylabel="TFLOP a second", title=recorded["device"])
axes.legend()
words = "; ".join(f"{op}: {row['rate']:.3g}" for op, row in roof.items())
show(figure, alt=f"Roofline, copies at {bandwidth:.0f} GB/s. TFLOP a second: {words}.")

# %%
peak = peaks["float32"]
print(f"bandwidth {bandwidth:,.0f} GB/s, peak {peak:.0f} TFLOP/s in float32")
print(f"corner at {1e3 * peak / bandwidth:.0f} FLOP a byte: side {6e3 * peak / bandwidth:.0f}")
for op in ("matmul 128 float32", "matmul 512 float32"):
    print(f"{op}: {roof[op]['ms']:.3f} ms, {roof[op]['rate'] / peak:.1%} of the peak")
print(f"the smallest copy, 4 kB to 4 kB: {tables['copies'][0]['ms']:.3f} ms")

# %% [markdown]
# By the roofline a product of side 128 should touch the ceiling already. It reaches 0.2 % of it, and 64 times the work
# takes hardly longer. Something third holds it back: *starting* anything takes time, whatever its size, 0.017 ms even
# for a copy of next to nothing. More of that in section 7.
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
# **pass**. Each operation reads its arrays from memory, and writes a new one; a mean writes next to nothing.
# **Predict.** How many passes is that, how many are needed, and how much faster could it be?

# %%
passes = {"mean": 1, "x - mean": 2, "centred * centred": 2, "mean of squares": 1}
passes |= {"centred / root": 2, "* weight": 2, "+ bias": 2}
print(sum(passes.values()), "passes against 2: up to", sum(passes.values()) // 2, "times faster")

# %% [markdown]
# **Fusing** is to do in one walk what took several: fetch a row, do everything with it while it is near, write it,
# forget it. Even in numpy. The same function, given 256 rows at a time, works on 256 kB, which stay in the cache.
# More lines of Python, the same arithmetic. **Predict.** Faster or slower?


# %% tags=["nbval-ignore-output"]
def in_blocks(x, weight, bias, rows=256):
    """(n, C) -> (n, C): layer_norm, a few rows at a time."""
    out = np.empty_like(x)
    for i in range(0, len(x), rows):
        out[i : i + rows] = layer_norm(np, x[i : i + rows], weight, bias)
    return out


wide = rng.normal(size=(32768, 256)).astype(np.float32)  # (n, C), 32 MB
weight, bias = rng.normal(size=(2, 256)).astype(np.float32)
by_library = F.layer_norm(ddl.tensor(wide), 256, ddl.tensor(weight), ddl.tensor(bias)).numpy()
for f, *module in ((layer_norm, np), (in_blocks,)):
    call = lambda f=f, module=module: f(*module, wide, weight, bias)
    assert np.allclose(call(), by_library, atol=1e-5)
    print(f"{f.__name__:10} as the library's, in {median_ms(call):.0f} ms")

# %% [markdown]
# And on the recorded GPU, for 65,536 rows of 768? A copy is the measure: it reads and writes the bytes that have to be
# moved, and does nothing else. The "kernel by hand" is yours: you will write it in section 5.

# %%
copy_ms = tables["fusing"][-1]["ms"]
for row in tables["fusing"]:
    print(f"{row['way']:18} {row['ms']:.3f} ms, {row['ms'] / copy_ms:4.1f} copies")
for row in tables["lines"]:
    if n := passes.get(row["op"]):
        print(f"{row['op']:18} {row['ms']:.3f} ms, {n} passes, {row['ms'] / n:.3f} each")
print(f"together {sum(row['ms'] for row in tables['lines']):.3f} ms")
print(f"a copy, 2 passes, {copy_ms / 2:.3f} each; x + y, 3 passes, {roof['x + y']['ms']:.3f} ms")

# %% [markdown]
# By itself, each operation takes nearly the same time a pass, and together about as long as the whole: counting was
# right. But a pass costs more than twice what it does in a copy: array operations made for every shape do not keep this
# memory busy. (And `x + y`, of three passes, takes hardly longer than those of two: a count of bytes is a bound, no
# clock.) So a kernel gains on both sides, fewer walks and each nearer to a copy: the library's is ten times as fast.
#
# ## 4. One code for both
#
# A function that says `np.sqrt` is bound to numpy. One that says `xp.sqrt` takes the module along with the arrays, and
# CuPy has numpy's names. The library's operations are all written like this, and the *data* decide where they run:
# `ddl.arrays.module_of(x)` finds the module for an array. `layer_norm` was written so, and GPT-2's form of GELU is,
# $\frac x2 (1 + \tanh u)$ with $u = \sqrt{2/\pi}\,(x + 0.044715\,x^3)$:


# %% tags=["recorded"]
def gelu(xp, x):
    u = math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)
    return 0.5 * x * (1 + xp.tanh(u))


# %%
print("layer_norm, recorded:\nrows   numpy ms   cupy ms   largest difference")
for row in tables["one_code"]:
    print(f"{row['rows']:5} {row['numpy_ms']:9.3f} {row['cupy_ms']:9.3f} {row['difference']:12.0e}")

# %% [markdown]
# Not always the last bits: sums are taken in another order there. And look at the times. Up to 64 rows the GPU is the
# *slower* one, and up to 4,096 it takes about 0.3 ms whatever there is to do: nine operations are started, some 35
# microseconds each.
#
# Three habits keep a function portable. Say `xp`. Make new arrays like old ones (`xp.zeros_like(x)`). And never take a
# number out in the middle (`float(x[0])`, `if x.sum() > 0`): it has to come across to the host, which waits for it.
#
# ## 5. A kernel of your own
#
# A GPU runs a **kernel**: a small function that thousands of **threads** run at the same time, each on its own number.
# Threads come in **blocks**, here of 256. A thread knows its block, its place in it, and the size of a block, and from
# these it finds which number is its own: $i = \text{block} \cdot 256 + \text{thread}$.
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
# Where $n$ is no multiple of 256, one more block is needed, which is not full: `-(-n // 256)` rounds up, and
# `if (i < n)` sends the superfluous threads home. Without a GPU we can still do what it does, one thread after the
# other. **Predict** for $n = 257$: how many threads have nothing to do?


# %%
def gelu_thread(block, thread, threads, x, out, n):
    i = block * threads + thread
    if i < n:
        v = x[i]
        u = 0.7978845608 * (v + 0.044715 * v * v * v)
        out[i] = 0.5 * v * (1 + math.tanh(u))


for n in (1, 255, 256, 257):
    x, y, blocks = rng.normal(size=n), np.full(n, np.nan), -(-n // 256)
    for i in range(256 * blocks):
        gelu_thread(i // 256, i % 256, 256, x, y, n)
    print(f"n = {n:3}: {blocks} blocks, {256 * blocks - n:3} idle,", np.allclose(y, gelu(np, x)))

# %% [markdown]
# What happens without the `if`? Let us lie to the thread after the last number about $n$:

# %% tags=["raises-exception"]
gelu_thread(1, 1, 256, x, y, 512)

# %% [markdown]
# Python looks at each index. A GPU does not: it reads and writes whatever lies behind the array, perhaps another one,
# and says nothing. (NVIDIA's `compute-sanitizer` finds such accesses.)
#
# **Threads that help each other.** A sum over a row is no thread's own business. Let a block take a row: each of its
# threads sums every 256th number. Then the 256 partial sums are added in a tree: the first 128 threads add the other
# half to theirs, then 64, 32, ..., 1. `__shared__` is memory of the block, and `__syncthreads()` waits until all
# threads have come so far. Leave one out, and a thread may read its neighbour's number before that one has added to it.
# Sometimes. Such a bug can hide for months. (Between two of them all threads add at once, like an array in Python.)


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


# %%
for row in (rng.normal(size=width) for width in (1, 255, 257, 768)):
    part = np.array([row[t::256].sum() for t in range(256)])  # thread t: j = t, t + 256, ...
    for half in (128, 64, 32, 16, 8, 4, 2, 1):
        part[:half] += part[half : 2 * half]
    print(f"a row of {len(row):3}: as numpy's, {np.isclose(part[0], row.sum(), atol=1e-12)}")

# %% [markdown]
# With this, layer normalisation is one kernel. It looks at its row three times, but only the first time it comes from
# far away: a row of 768 numbers is 3 kB, and stays in the cache of the processor that runs the block. To start the
# kernels there is little to do: how many blocks, how many threads, and the arguments.


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
# Recorded: the largest distance from the definition in float64, sizes that do not fit the blocks included. And the
# times; *share* is the bandwidth reached, counting only the bytes that have to move, of that of a copy.

# %%
print(f"errors: at most {max(row['error'] for row in tables['kernels']):.0e}")
speed = tables["fusing"][0]["least_bytes"] / copy_ms
rows = [row | {"kernel": "layer_norm"} for row in tables["fusing"] if row["way"] != "copy"]
for row in tables["large"] + rows:
    share = row["least_bytes"] / row["ms"] / speed
    print(f"{row['kernel']:10} {row['way']:15} {row['ms']:.3f} ms, share {share:.0%}")

# %%
if cupy is None:
    print("No GPU here; on one, this cell runs your kernels.")
else:
    given = [cupy.asarray(a) for a in (wide, weight, bias)]
    print(np.allclose(layer_norm_by_hand(cupy, *given).get(), by_library, atol=1e-4))
    print(np.allclose(row_sum_by_hand(cupy, given[0]).get(), wide.sum(axis=1), atol=1e-3))
    print(np.allclose(gelu_by_hand(cupy, given[0]).get(), gelu(np, wide), atol=1e-5))

# %% [markdown]
# Your GELU is nearly thirteen times as fast as its array operations, your layer normalisation nearly five times. The
# library's are faster still, and `ddl/fused/kernels/gpu/layer_norm.py` says how. Its threads fetch each number once and
# keep it, where yours fetch it three times; and 32 threads hand numbers round without a
# `__syncthreads()`, of which yours makes twenty a row. CuPy's own sum, too, is faster than yours: before you write a
# kernel, look whether somebody has.
#
# ## 6. A bug that trains anyway
#
# Three things stand between a clock and the truth. **The first call** is another one: CuPy compiles a kernel when it
# first sees its text. **Disturbance**: other programs want the processor too. They only ever add time, so a few bad
# calls pull the mean up; the median hardly notices. And then there is **the queue**.
#
# A GPU works beside the host. When Python calls `cupy.matmul`, the work is put into a queue, and the call returns at
# once, with an array whose numbers are still to come. That is a good thing: while the GPU computes, Python prepares
# the next call. We can build that from a worker with a queue. `begin` hands over work and returns. `wait` hands over
# something empty and waits for it: the queue has an order, so all before it is done by then.
#
# A colleague trains on such a device, and wants to know how wide a hidden layer she can afford.


# %%
def learner(width, device="cpu"):
    """A step of training, and the list into which it writes its losses."""
    ddl.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, width), nn.GELU("tanh"), nn.Linear(width, 10)).to(device)
    x, t = ddl.tensor(images, device=device), ddl.tensor(digits.target, device=device)
    optimizer, losses = ddl.optim.Adam(model.parameters(), lr=0.001), []

    def step():
        loss = F.cross_entropy(model(x), t)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    return step, losses


# %% tags=["nbval-ignore-output"]
begin = ThreadPoolExecutor(1).submit
wait = lambda: begin(int).result()
for width in (64, 256, 1024):
    step, losses = learner(width)
    start = time.perf_counter()
    for _ in range(25):
        begin(step)
    ms = 1e3 * (time.perf_counter() - start) / 25
    wait()
    print(f"width {width:4}: loss {losses[0]:.2f} -> {losses[-1]:.2f}, {ms:.2f} ms a step")
    assert losses[-1] < losses[0] - 0.2

# %% [markdown]
# All three learn, and the widest learns best. "And a step takes next to nothing, however wide. Width is free." The
# losses are right, the code is tidy, she measured several steps. **Find it** before you read on. What would you ask of
# a *time*?
#
# **The probe: time against size.** Work that grows must take longer, and hers grew sixteenfold. What she timed was how
# long it takes to *put something into a queue*. The same on the recorded GPU, where the queue is not ours: products of
# $n \times n$ matrices, eight times the FLOP for twice the side. **Predict** the first two columns.

# %%
rows = tables["unsynchronised"]
print("    n   without waiting, ms   waiting, ms   TFLOP/s claimed and true")
for row in rows:
    claimed, true = (row["flops"] / row[key] / 1e9 for key in ("wrong_ms", "waited_ms"))
    print(f"{row['n']:5} {row['wrong_ms']:21.3f} {row['waited_ms']:13.3f}", end="")
    print(f" {claimed:17,.0f} {true:8,.0f}")
print(f"peak {peak:.0f}; the last claim is {claimed / peak:.0f} times that")
print("and your GELU, call by call:", [round(ms, 3) for ms in tables["first_calls"][:5]], "ms")
assert rows[-1]["waited_ms"] > 100 * rows[-1]["wrong_ms"]

# %% [markdown]
# **Proved.** (In the first two rows starting is all there is, so waiting changes little.) Below, the left column goes
# its own way, up and down. And there is a second probe, which needs no second size: **the ceiling**. FLOP over time
# cannot be more than the peak. The last line shows the first call: compiling took two thousand times the run.
#
# **The fix** is one line: wait before you look at the clock, at both ends. For CuPy that is
# `cupy.cuda.Device().synchronize()`. (Or let the device note the times itself, in its queue: two **events**, and the
# time between them. Most times in this chapter were recorded so.) Her measurement, with it:

# %% tags=["nbval-ignore-output"]
honest = {}
for width in (64, 256, 1024):
    step, losses = learner(width)
    honest[width] = median_ms(lambda step=step: begin(step), wait, rounds=23)
    print(f"width {width:4}: loss {losses[-1]:.2f}, {honest[width]:.2f} ms a step")
assert honest[1024] > 2 * honest[64]

# %% [markdown]
# The losses are the same, and width is not free. (To wait at each step is for measuring only: it gives away what the
# queue is good for.) The bug has a twin. A `loss.item()` needs the number, so it waits for all that the queue holds. A
# profile of Python then says that `.item()` is the slow line. It is not: it is where the waiting is done.
#
# ## 7. When is it worth it?
#
# `model.to("gpu")` moves the parameters, `ddl.tensor(..., device="gpu")` makes data there; no other line changes. (On a
# GPU, try `learner(1024, "gpu")`.) Recorded: steps of SGD with two hidden layers and a batch of 256, by width, each
# ended by `loss.item()`, so that the times are honest. **Predict.** From which width on is the GPU the faster one?

# %%
rows = tables["training"]
figure = Figure((6.4, 3.2), layout="constrained")
axes = figure.subplots()
widths = [row["width"] for row in rows]
for name, key, color in (("CPU there", "cpu_ms", "#00588a"), ("GPU", "gpu_ms", "#b34700")):
    axes.loglog(widths, [row[key] for row in rows], "o-", color=color, label=name)
axes.set(xlabel="width of the hidden layers", ylabel="ms a step")
axes.set_xticks(widths, widths)
axes.legend()
words = "; ".join(f"{r['width']}: {r['cpu_ms']:.3g} and {r['gpu_ms']:.3g}" for r in rows)
show(figure, alt=f"Milliseconds a step by width, CPU and GPU. {words}.")
print("CPU over GPU:", [round(row["cpu_ms"] / row["gpu_ms"], 1) for row in rows])
print("largest difference of the losses:", f"{max(row['difference'] for row in rows):.0e}")

# %% [markdown]
# At width 32 the CPU takes a third of the GPU's time; at 512 the GPU is ahead, at 8192 by a factor of 68. Its line is
# flat nearly to the end: there it is bound neither by bytes nor by FLOP, but by *starting* dozens of operations a step,
# forward, back and update, tens of microseconds each. Three questions, then, before anybody buys anything: how many
# operations, how many bytes, how many FLOP?
#
# **Hand-over.** From here on, the library's fused operations stand for what you built: `F.layer_norm`, `F.gelu`,
# `F.softmax` and `F.cross_entropy` walk in blocks on the CPU, and on a GPU they have kernels like yours. The way back
# is a kernel too: exercise 09.silu derives one, and trains with it.
#
# ## Recap
#
# 1. Memory comes in lines. Walk along the last axis of a contiguous array, and all of a line is used.
# 2. No computation is faster than its bytes over the bandwidth, nor than its FLOP over the peak; intensity decides.
# 3. Where memory is the limit, count passes, and fuse: fetch once, do everything, write once.
# 4. A kernel is one thread's work; `block * threads + thread` finds its number, and the last block is not full.
# 5. A time that does not grow with the work, or beats the peak, is the time of something else. Warm up, wait, median.
#
# **In other words.** PyTorch: `model.to("cuda")`, `torch.compile`, `torch.cuda.synchronize()`, kernels in Triton.
# JAX: `jax.device_put`, `jax.jit`, `.block_until_ready()`, kernels in Pallas.
#
# ## Go deeper
#
# - S. Williams, A. Waterman and D. Patterson (2009), *Roofline: an insightful visual performance model*.
# - U. Drepper (2007), *What every programmer should know about memory*.
# - NVIDIA, *CUDA C++ Programming Guide*. M. Harris, *Optimizing parallel reduction in CUDA*: the tree, step by step.
# - T. Dao and others (2022), *FlashAttention*: counting passes, carried to the end.
#
# **Next:** [10 · Text becomes numbers](10_text.ipynb). Something to read.
