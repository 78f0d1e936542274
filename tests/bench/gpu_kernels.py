"""Kernels on a GPU beside PyTorch's and beside a copy: how much of the memory's speed they use.

The bytes are what has to move at least: each array that is read or written counts once.
"""

import numpy as np

ROWS, WIDTH, VOCAB = 65536, 768, 50257


def timed(f, rounds=20):
    """The median milliseconds of f on the device."""
    import cupy

    for _ in range(3):
        f()
    times = []
    for _ in range(rounds):
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        f()
        end.record()
        end.synchronize()
        times.append(cupy.cuda.get_elapsed_time(start, end))
    return float(np.median(times))


def main():
    import cupy
    import torch
    from torch.nn import functional as theirs

    import ddl
    from ddl.nn import functional as ours

    rng = cupy.random.default_rng(0)
    draw = lambda *shape: rng.standard_normal(shape, dtype=np.float32)
    x, g, weight, bias = draw(ROWS, WIDTH), draw(ROWS, WIDTH), draw(WIDTH), draw(WIDTH)
    scores, targets = draw(8192, VOCAB), cupy.asarray(np.random.default_rng(0).integers(0, VOCAB, 8192))
    room = cupy.empty_like(x)
    copied = timed(lambda: cupy.copyto(room, x))
    speed = 2 * x.nbytes / copied
    ones = cupy.full(8192, 1 / 8192, np.float32)
    cases = {
        "layer_norm": (
            lambda x, w, b: ours.layer_norm(x, WIDTH, w, b),
            lambda x, w, b: theirs.layer_norm(x, (WIDTH,), w, b),
            (x, weight, bias),
            g,
            (2, 3),
        ),
        "softmax": (lambda x: ours.softmax(x, -1), lambda x: theirs.softmax(x, -1), (x,), g, (2, 3)),
        "gelu": (lambda x: ours.gelu(x, "tanh"), lambda x: theirs.gelu(x, approximate="tanh"), (x,), g, (2, 3)),
        "cross_entropy": (
            lambda x: ours.cross_entropy(x, ddl.Tensor(targets), reduction="none"),
            lambda x: theirs.cross_entropy(x, torch.as_tensor(targets, device="cuda"), reduction="none"),
            (scores,),
            ones,
            (1, 2),
        ),
    }
    print("| kernel | | ms | of torch | of the copy's bandwidth |\n|---|---|---|---|---|")
    print(f"| copy | | {copied:.3f} | | 1.00 |")
    for name, (f, h, inputs, along, (forth, back)) in cases.items():
        mine = [ddl.Tensor(a) for a in inputs]
        other = [torch.as_tensor(a, device="cuda") for a in inputs]
        for t in mine + other:
            t.requires_grad = True
        size = inputs[0].nbytes
        out, their_out = f(*mine), h(*other)
        rows = [
            ("forward", lambda f=f, mine=mine: f(*mine), lambda h=h, other=other: h(*other), forth),
            (
                "backward",
                lambda out=out, mine=mine, along=along: ddl.grad(out, mine, ddl.Tensor(along)),
                lambda o=their_out, other=other, along=along: torch.autograd.grad(
                    o, other, torch.as_tensor(along, device="cuda"), retain_graph=True
                ),
                back,
            ),
        ]
        for way, ours_f, theirs_f, times in rows:
            a, b = timed(ours_f), timed(theirs_f)
            print(f"| {name} | {way} | {a:.3f} | {a / b:.2f} | {times * size / a / speed:.2f} |")
    device = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    print(f"\n{device}, CuPy {cupy.__version__}, PyTorch {torch.__version__}; float32, {ROWS}x{WIDTH}, 8192x{VOCAB}")


if __name__ == "__main__":
    main()
