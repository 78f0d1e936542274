"""Runs what chapter 09 shows of a GPU, and writes it down: ddl/course/recorded.json.

python course/09_faster/record.py     from the repository root, on a machine with a GPU and CuPy 14

The functions and kernels are the lesson's own: its cells with the tag "recorded" are run here as they stand there, and
kept in the file beside what they gave. Times are milliseconds, medians; where it says so by the host's clock, and else
between two events on the device.
"""

import json
import math
import platform
import statistics
import sys
import time
from datetime import date
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
LESSON, TARGET = HERE / "lesson.py", HERE.parents[1] / "ddl" / "course" / "recorded.json"
COMMAND = "python course/09_faster/record.py"
WIDE, HIGH = 768, 65536


def cells():
    """The lesson's cells with the tag "recorded", in their order."""
    parts = LESSON.read_text("utf-8").split("# %%")[1:]
    return [body.strip("\n") for head, _, body in (p.partition("\n") for p in parts) if '"recorded"' in head]


def lessons_own():
    names = {"np": np, "math": math, "time": time, "statistics": statistics}
    for source in cells():
        exec(source, names)
    return names


def on_device(cupy, f, rounds=20):
    """Milliseconds of f between two events on the device, the median of several calls after three that warm up."""
    times = []
    for _ in range(3 + rounds):
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        f()
        end.record()
        end.synchronize()
        times.append(cupy.cuda.get_elapsed_time(start, end))
    return statistics.median(times[3:])


def drawn(*shape):
    return np.random.default_rng(0).normal(size=shape).astype(np.float32)


def copies(cupy, own):
    """A copy of so many bytes: each is read and written once."""
    rows = []
    for size in [4**k for k in range(6, 16)]:
        x = cupy.zeros(size // 4, np.float32)
        out = cupy.empty_like(x)
        rows.append({"bytes": 2 * size, "ms": on_device(cupy, lambda x=x, out=out: cupy.copyto(out, x))})
    return rows


def walks(cupy, own):
    """4 million numbers out of memory, each `step` numbers further than the one before."""
    rows, n = [], 1 << 22
    for step in (1, 2, 4, 8, 16, 32):
        row = {"step": step}
        for name, xp in (("cpu", np), ("gpu", cupy)):
            long, out = xp.zeros(n * step, np.float32), xp.zeros(n, np.float32)
            f = lambda xp=xp, long=long, out=out, step=step: xp.copyto(out, long[::step])
            row[name + "_ms"] = own["median_ms"](f) if xp is np else on_device(cupy, f)
        rows.append(row)
    return rows


def fusing(cupy, own):
    """Layer norm of 65536 x 768 numbers: written out, as the learner's kernel, as the library's; beside a copy."""
    from ddl import Tensor
    from ddl.nn import functional as F

    arrays = drawn(HIGH, WIDE), drawn(WIDE), drawn(2, WIDE)[1]
    truth = own["layer_norm"](np, *(a[:512].astype(np.float64) if a.ndim > 1 else a.astype(np.float64) for a in arrays))
    x, weight, bias = map(cupy.asarray, arrays)
    tensors = Tensor(x), Tensor(weight), Tensor(bias)
    out = cupy.empty_like(x)
    ways = {
        "written out": lambda: own["layer_norm"](cupy, x, weight, bias),
        "kernel by hand": lambda: own["layer_norm_by_hand"](cupy, x, weight, bias),
        "the library's": lambda: F.layer_norm(tensors[0], WIDE, tensors[1], tensors[2]).data,
        "copy": lambda: cupy.copyto(out, x),
    }
    rows = []
    for name, f in ways.items():
        row = {"way": name, "ms": on_device(cupy, f), "least_bytes": 2 * x.nbytes}
        if name != "copy":
            row["error"] = float(abs(f()[:512].get() - truth).max())
        rows.append(row)
    return rows


def lines(cupy, own):
    """Each array operation of the written-out layer norm by itself."""
    x, weight, bias = map(cupy.asarray, (drawn(HIGH, WIDE), drawn(WIDE), drawn(WIDE)))
    mean, root = x.mean(axis=-1, keepdims=True), cupy.ones((HIGH, 1), np.float32)
    operations = {
        "mean": (1, lambda: x.mean(axis=-1, keepdims=True)),
        "x - mean": (2, lambda: x - mean),
        "centred * centred": (2, lambda: x * x),
        "mean of squares": (1, lambda: x.mean(axis=-1, keepdims=True)),
        "sqrt(variance + eps)": (0, lambda: cupy.sqrt(root + 1e-5)),
        "centred / root": (2, lambda: x / root),
        "* weight": (2, lambda: x * weight),
        "+ bias": (2, lambda: x + bias),
    }
    return [{"op": name, "passes": n, "ms": on_device(cupy, f)} for name, (n, f) in operations.items()]


def unsynchronised(cupy, own):
    """One matrix product, by the host's clock: without waiting for it, and waiting; and between events."""
    rows, wait = [], cupy.cuda.Device().synchronize
    for n in (256, 512, 1024, 2048, 4096, 8192, 16384):
        x, out = cupy.asarray(drawn(n, n)), cupy.empty((n, n), np.float32)
        f = lambda x=x, out=out: cupy.matmul(x, x, out=out)
        times = []
        f()
        for _ in range(9):
            wait()
            start = time.perf_counter()
            f()
            times.append(1e3 * (time.perf_counter() - start))
        row = {"n": n, "flops": 2 * n**3, "wrong_ms": statistics.median(times[2:])}
        rows.append(row | {"waited_ms": own["median_ms"](f, wait), "events_ms": on_device(cupy, f)})
    return rows


def first_calls(cupy, own):
    """The first ten calls of a kernel that was never compiled before, by the host's clock, waiting for each."""
    source = own["GELU"] + f"// {time.time_ns()}\n"  # a text that no store of compiled kernels has
    x = cupy.asarray(drawn(1 << 20))
    out, times = cupy.empty_like(x), []
    for _ in range(10):
        cupy.cuda.Device().synchronize()
        start = time.perf_counter()
        cupy.RawKernel(source, "gelu")((x.size // 256,), (256,), (x, out, np.int32(x.size)))
        cupy.cuda.Device().synchronize()
        times.append(1e3 * (time.perf_counter() - start))
    return times


def kernels(cupy, own):
    """The learner's kernels against their definitions in float64, at sizes that do not fit the blocks as well."""
    rows = []
    for n in (1, 255, 256, 257, 100_000):
        x = 3 * drawn(n)
        got, truth = own["gelu_by_hand"](cupy, cupy.asarray(x)).get(), own["gelu"](np, x.astype(np.float64))
        rows.append({"kernel": "gelu", "shape": [n], "error": float(abs(got - truth).max())})
    for n, c in ((1, 1), (3, 255), (3, 256), (3, 257), (1000, 768)):
        x, weight, bias = drawn(n, c), drawn(c), drawn(2, c)[1]
        wide = [a.astype(np.float64) for a in (x, weight, bias)]
        got = own["row_sum_by_hand"](cupy, cupy.asarray(x)).get()
        rows.append({"kernel": "row_sum", "shape": [n, c], "error": float(abs(got - wide[0].sum(axis=1)).max())})
        got = own["layer_norm_by_hand"](cupy, *map(cupy.asarray, (x, weight, bias))).get()
        truth = own["layer_norm"](np, *wide)
        rows.append({"kernel": "layer_norm", "shape": [n, c], "error": float(abs(got - truth).max())})
    return rows


def large(cupy, own):
    """The kernels at full size, beside the same in array operations; the bytes are those that must move."""
    from ddl import Tensor
    from ddl.nn import functional as F

    x = cupy.asarray(drawn(HIGH, WIDE))
    t, size = Tensor(x), x.nbytes
    ways = [
        ("gelu", "written out", 2 * size, lambda: own["gelu"](cupy, x)),
        ("gelu", "kernel by hand", 2 * size, lambda: own["gelu_by_hand"](cupy, x)),
        ("gelu", "the library's", 2 * size, lambda: F.gelu(t, "tanh")),
        ("row_sum", "cupy's sum", size, lambda: x.sum(axis=1)),
        ("row_sum", "kernel by hand", size, lambda: own["row_sum_by_hand"](cupy, x)),
    ]
    return [{"kernel": k, "way": w, "least_bytes": b, "ms": on_device(cupy, f)} for k, w, b, f in ways]


def roof(cupy, own):
    """Operations a byte and a second, of work that waits for the memory and of work that waits for the arithmetic."""
    x, weight = cupy.asarray(drawn(HIGH, WIDE)), cupy.asarray(drawn(WIDE))
    y, size, count = x.copy(), x.nbytes, x.size
    work = [
        ("x + y", count, 3 * size, lambda: x + y),
        ("gelu, by hand", 9 * count, 2 * size, lambda: own["gelu_by_hand"](cupy, x)),
        ("layer norm, by hand", 8 * count, 2 * size, lambda: own["layer_norm_by_hand"](cupy, x, weight, weight)),
    ]
    for dtype in (np.float32, np.float16):
        for n in (128, 256, 512, 1024, 2048, 4096, 8192):
            a = cupy.asarray(drawn(n, n).astype(dtype))
            name, moved = f"matmul {n} {np.dtype(dtype)}", 3 * a.nbytes
            work.append((name, 2 * n**3, moved, lambda a=a: a @ a))
    return [{"op": name, "flops": f, "bytes": b, "ms": on_device(cupy, g)} for name, f, b, g in work]


def one_code(cupy, own):
    """The lesson's layer norm on numpy and on CuPy: the same function, at growing sizes, by the host's clock."""
    rows, wait = [], cupy.cuda.Device().synchronize
    for n in (1, 4, 16, 64, 256, 1024, 4096, 16384):
        arrays = drawn(n, WIDE), drawn(WIDE), drawn(2, WIDE)[1]
        there = [*map(cupy.asarray, arrays)]
        far = abs(own["layer_norm"](cupy, *there).get() - own["layer_norm"](np, *arrays)).max()
        cpu = own["median_ms"](lambda arrays=arrays: own["layer_norm"](np, *arrays))
        gpu = own["median_ms"](lambda there=there: own["layer_norm"](cupy, *there), wait)
        rows.append({"rows": n, "numpy_ms": cpu, "cupy_ms": gpu, "difference": float(far)})
    return rows


def training(cupy, own):
    """A step of an MLP with two hidden layers, batch 256, by its width: on the CPU, and with the model on the GPU."""
    import ddl
    from ddl import nn
    from ddl.nn import functional as F

    def steps(width, device, count):
        ddl.manual_seed(0)
        layers = nn.Linear(64, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 10)
        model = nn.Sequential(*layers).to(device)
        optimizer = ddl.optim.SGD(model.parameters(), lr=0.01)
        x = ddl.tensor(drawn(256, 64), device=device)
        t = ddl.tensor(np.random.default_rng(1).integers(0, 10, 256), device=device)
        losses, times = [], []
        for _ in range(count):
            start = time.perf_counter()
            loss = F.cross_entropy(model(x), t)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())  # a number of Python: waits for the device
            times.append(1e3 * (time.perf_counter() - start))
        return losses, statistics.median(times[3:])

    rows = []
    for width in (32, 128, 512, 2048, 8192):
        (cpu, cpu_ms), (gpu, gpu_ms) = steps(width, "cpu", 13), steps(width, "gpu", 13)
        row = {"width": width, "cpu_ms": cpu_ms, "gpu_ms": gpu_ms, "first_loss": cpu[0], "last_loss": cpu[-1]}
        rows.append(row | {"difference": max(abs(a - b) for a, b in zip(cpu, gpu))})
    return rows


TABLES = copies, walks, fusing, lines, unsynchronised, first_calls, kernels, large, roof, one_code, training


def main():
    try:
        import cupy

        properties = cupy.cuda.runtime.getDeviceProperties(0)
    except Exception as error:
        sys.exit(f"nothing was recorded: this needs a GPU and CuPy ({error}); the lesson reads what {TARGET.name} has")
    own, tables = lessons_own(), {}
    for table in TABLES:
        try:
            tables[table.__name__] = table(cupy, own)
        except Exception as error:  # the other tables are worth having all the same
            tables[table.__name__] = {"failed": f"{type(error).__name__}: {error}"}
        cupy.get_default_memory_pool().free_all_blocks()
        print(table.__name__, tables[table.__name__] if "failed" in tables[table.__name__] else "done", flush=True)
    runtime = cupy.cuda.runtime.runtimeGetVersion()
    found = {
        "device": properties["name"].decode(),
        "versions": {"python": platform.python_version(), "numpy": np.__version__, "cupy": cupy.__version__,
                     "cuda": f"{runtime // 1000}.{runtime % 1000 // 10}"},
        "command": COMMAND,
        "date": date.today().isoformat(),
        "cells": cells(),
        "tables": tables,
    }  # fmt: skip
    TARGET.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(f"{TARGET.name} is written")
    return 1 if any("failed" in table for table in tables.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
