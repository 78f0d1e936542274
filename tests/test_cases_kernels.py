"""A kernel stands in for a definition: forward and backward, on the table and over the edges of blocks."""

from contextlib import contextmanager

import numpy as np
import pytest
from cases import CASES, Case
from cases.table import D, N, P, Z, fixed

import ddl
from ddl import fused, ops
from ddl.define import Op
from ddl.nn import functional as F

OPS = {v.name: v for room in (ops, fused) for v in vars(room).values() if isinstance(v, Op)}
FORWARD = {name: o.kernels["numpy"] for name, o in OPS.items() if "numpy" in o.kernels}
BACKWARD = {name: o.joint_kernels["numpy"] for name, o in OPS.items() if "numpy" in o.joint_kernels}
LENGTHS = (1, 2, 63, 64, 65, 150)


def sized(op, name, f, *makers):
    return Case(op, str(name), f, makers)


def normed(x, weight, bias):
    return F.layer_norm(x, 7, weight, bias)


def causal(*xs):
    return F.scaled_dot_product_attention(*xs, is_causal=True)


def scored(x, i):
    return F.cross_entropy(x, i, ignore_index=3)


# Sizes about the tiles of 64 queries, the blocks of 64 and of 256 rows, and of 32768 elements.
SIZED = [
    *(
        sized("scaled_dot_product_attention", (t, lead), causal, *[N(*lead, t, d)] * 3)
        for t in LENGTHS
        for lead, d in (((), 5), ((2, 3), 4), ((3,), 7))
    ),
    *(sized("layer_norm", n, normed, N(n, 7), P(7), N(7)) for n in (*LENGTHS, 255, 257, 520)),
    *(sized("cross_entropy_rows", n, scored, N(n, 9), Z(9, n)) for n in LENGTHS),
    *(sized("gelu_tanh", n, lambda x: F.gelu(x, "tanh"), D(n)) for n in (1, 7, 32767, 32768, 32769, 70001)),
    *(sized("linear", n, F.linear, N(2, n, 3), N(5, 3), N(5)) for n in LENGTHS),
    *(sized("where", shape, lambda x: ops.where(x > 0, x, 0.0), N(*shape)) for shape in ((), (0, 3), (7,), (2, 3, 4))),
    *(sized("where", f"zeros first {n}", lambda x: ops.where(x > 0, 0.0, x), N(n)) for n in (0, 1, 7)),
    *(
        sized(op, f"{n} {settings}", lambda *xs, f=f, o=settings: f(*xs, groups=2, **o), N(n, 4, 3), N(4, 2, 2), N(4))
        for op, f in (("conv", F.conv1d), ("conv_transpose", F.conv_transpose1d))
        for n in (0, 1, 5)
        for settings in ({}, {"stride": 2, "padding": 1})
    ),
    *(
        sized("max_pool", f"{n} {settings}", lambda x, o=settings: F.max_pool2d(x, **o), D(n, 2, 5, 4))
        for n in (1, 3)
        for settings in (
            {"kernel_size": 2},
            {"kernel_size": 3, "stride": 1, "padding": 1},
            {"kernel_size": 2, "dilation": 2},
            {"kernel_size": (1, 4), "stride": 2, "ceil_mode": True},
        )
    ),
    *(
        sized("max_pool", name, lambda x, o=settings: F.max_pool1d(x, **o), fixed([[values]]))
        for name, values in (("NaN", [1.0, np.nan, 5.0, 2.0, np.nan]), ("-inf", [-np.inf] * 5))
        for settings in ({"kernel_size": 5}, {"kernel_size": 4, "stride": 1, "padding": 2})
    ),
    *(sized("add_rows", n, lambda g, i: ops.add_rows(g, i, n=9), N(n, 3), Z(9, n)) for n in LENGTHS),
]  # fmt: skip


@contextmanager
def definitions_only():
    kept = [(o, o.kernels, o.joint_kernels) for o in OPS.values()]
    try:
        for o, kernels, _ in kept:
            o.kernels, o.joint_kernels = {m: k for m, k in kernels.items() if m != "numpy"}, {}
        yield
    finally:
        for o, kernels, joint_kernels in kept:
            o.kernels, o.joint_kernels = kernels, joint_kernels


def run(case, inputs):
    xs = [ddl.Tensor(x) for x in inputs]
    live = [x for x in xs if x.dtype.kind == "f"]
    for x in live:
        x.requires_grad = True
    out = case.f(*xs)
    direction = np.random.default_rng(3).standard_normal(out.shape).astype(out.dtype)
    return [out.data, *(g.data for g in ddl.grad(out, live, ddl.Tensor(direction)))]


ROWS = [c for c in CASES if c.op in FORWARD | BACKWARD and c.order] + SIZED


@pytest.mark.parametrize("dtype", [np.float64, np.float32], ids=["float64", "float32"])
@pytest.mark.parametrize("case", ROWS, ids=[c.id for c in ROWS])
def test_a_kernel_equals_its_definition(case, dtype):
    inputs = case.inputs(dtype)
    got = run(case, inputs)
    with definitions_only():
        expected = run(case, inputs)
    close = {"rtol": 1e-12, "atol": 1e-12} if dtype is np.float64 else {"rtol": 1e-4, "atol": 1e-4}
    for g, e in zip(got, expected):
        assert (g.shape, g.dtype) == (e.shape, e.dtype)
        np.testing.assert_allclose(g, e, **close)


@pytest.mark.parametrize("case", ROWS, ids=[c.id for c in ROWS])
def test_a_kernel_takes_any_memory_layout(case):
    """Every second row of a wider array with its axes reversed; what is kept must not be a view that later changes."""
    inputs = case.inputs()
    spread = [np.repeat(x.T, 2, axis=0).T[..., ::2] if x.ndim else x for x in inputs]
    for g, e in zip(run(case, spread), run(case, inputs)):
        np.testing.assert_allclose(g, e, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", FORWARD)
def test_every_kernel_runs_and_is_not_only_declined(name, monkeypatch):
    answers = []

    def watched(*args, **settings):
        out = FORWARD[name](*args, **settings)
        answers.append(out is not NotImplemented)
        return out

    monkeypatch.setitem(OPS[name].kernels, "numpy", watched)
    for case in (c for c in ROWS if c.op == name):
        case.f(*[ddl.Tensor(x) for x in case.inputs()])
    assert sum(answers) >= 5


@pytest.mark.parametrize("name", BACKWARD)
def test_every_pull_back_kernel_runs_and_is_not_only_declined(name, monkeypatch):
    answers = []

    def watched(*args):
        out = BACKWARD[name](*args)
        answers.append(out is not NotImplemented)
        return out

    monkeypatch.setitem(OPS[name].joint_kernels, "numpy", watched)
    for case in (c for c in ROWS if c.op == name):
        run(case, case.inputs())
    assert sum(answers) >= 5


def test_a_trace_sees_the_rule_and_never_a_kernel(monkeypatch):
    """With create_graph the pull-back is made of tensors; a kernel, which sees arrays, would cut it."""
    for name in BACKWARD:
        monkeypatch.setitem(OPS[name].joint_kernels, "numpy", lambda *_: pytest.fail("a kernel was given tensors"))
    for case in (c for c in CASES if c.op in BACKWARD and c.order > 1):
        xs = [ddl.Tensor(x) for x in case.inputs()]
        live = [x for x in xs if x.dtype.kind == "f"]
        for x in live:
            x.requires_grad = True
        ddl.grad(case.f(*xs).sum(), live, create_graph=True)


def test_the_attention_kernel_does_not_look_ahead():
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((2, 3, 150, 4)) for _ in range(3))
    before = F.scaled_dot_product_attention(*map(ddl.Tensor, (q, k, v)), is_causal=True).numpy()
    for t in (0, 62, 63, 64, 127, 128, 148):
        late_k, late_v = k.copy(), v.copy()
        late_k[..., t + 1 :, :], late_v[..., t + 1 :, :] = 1e6, -1e6
        after = F.scaled_dot_product_attention(*map(ddl.Tensor, (q, late_k, late_v)), is_causal=True).numpy()
        np.testing.assert_array_equal(after[..., : t + 1, :], before[..., : t + 1, :])


def test_erf_is_within_two_units_in_the_last_place():
    import math

    x = np.concatenate(
        [np.linspace(-6.5, 6.5, 20001), np.logspace(-300, 0, 2000), [0.84375, 1.25, 1 / 0.35, 6.0, 30.0, 0.0]]
    )
    exact = np.array([math.erf(v) for v in x])
    got = ops.erf(ddl.Tensor(x)).numpy()
    assert np.max(np.abs(got - exact) / np.spacing(np.abs(exact))) <= 2
    assert ops.erf(ddl.Tensor(np.array([np.inf, -np.inf]))).tolist() == [1.0, -1.0]
    assert np.isnan(ops.erf(ddl.Tensor(np.array([np.nan]))).item())
