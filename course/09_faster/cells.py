# %%
import math
import statistics
import time

import numpy as np


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


# %% tags=["recorded"]
def layer_norm(xp, x, weight, bias):
    """(n, C), (C,), (C,) -> (n, C), one array operation after the other; xp is numpy or cupy."""
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred * centred).mean(axis=-1, keepdims=True)
    return centred / xp.sqrt(variance + 1e-5) * weight + bias


# %% tags=["recorded"]
def gelu(xp, x):
    u = math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)
    return 0.5 * x * (1 + xp.tanh(u))


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
ROW_SUM = r"""
extern "C" __global__ void row_sum(const float* x, float* out, int width) {
    float sum = 0;
    for (int j = threadIdx.x; j < width; j += 256) sum += x[(size_t)blockIdx.x * width + j];
    sum = over_block(sum);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
"""


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
