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


def attention(draw):
    """Causal attention, B8 H12 T1024 D64, beside PyTorch's in tf32 and the form written out in array calls."""
    import torch
    from torch.nn import functional as theirs

    import ddl
    from ddl.fused import scaled_dot_product_attention as op

    torch.backends.cuda.matmul.allow_tf32 = True
    q, k, v, g = (draw(8, 12, 1024, 64) for _ in range(4))
    mine = [ddl.Tensor(a) for a in (q, k, v)]
    other = [torch.as_tensor(a, device="cuda") for a in (q, k, v)]
    for t in mine + other:
        t.requires_grad = True

    def both(out, inputs):
        return ddl.grad(out, inputs, ddl.Tensor(g))

    times = {}
    for form in ("kernel", "written out"):
        kept = op.kernels, op.joint_kernels
        if form == "written out":
            op.kernels, op.joint_kernels = {}, {}
        run = lambda: op(*mine, is_causal=True, scale=0.125)
        out = run()
        times[form] = timed(run), timed(lambda out=out: both(out, mine))
        op.kernels, op.joint_kernels = kept
    run = lambda: theirs.scaled_dot_product_attention(*other, is_causal=True)
    out, along = run(), torch.as_tensor(g, device="cuda")
    times["torch"] = timed(run), timed(lambda: torch.autograd.grad(out, other, along, retain_graph=True))
    for way, place in (("forward", 0), ("backward", 1)):
        a, b, c = (times[form][place] for form in ("kernel", "torch", "written out"))
        print(f"| attention | {way} | {a:.3f} | {a / b:.2f} | written out: {c:.3f} ms, {c / a:.1f} times |")


def adam(draw, speed):
    """AdamW's step on one buffer as large as GPT-2 124M."""
    import torch

    import ddl

    p, g = draw(124_439_808), draw(124_439_808)
    mine, other = ddl.tensor(p, requires_grad=True), torch.as_tensor(p.copy(), device="cuda").requires_grad_()
    mine.grad, other.grad = ddl.Tensor(g), torch.as_tensor(g, device="cuda")
    ours, theirs = ddl.optim.AdamW([mine]), torch.optim.AdamW([other], fused=True)
    a, b = timed(ours.step), timed(theirs.step)
    print(f"| AdamW | step | {a:.3f} | {a / b:.2f} | {7 * p.nbytes / a / speed:.2f} |")


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
    attention(draw)
    adam(draw, speed)
    device = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    print(f"\n{device}, CuPy {cupy.__version__}, PyTorch {torch.__version__}; float32, {ROWS}x{WIDTH}, 8192x{VOCAB}")


if __name__ == "__main__":
    main()
