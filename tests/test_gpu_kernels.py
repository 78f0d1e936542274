"""Kernels on a GPU: equal to their definitions at odd sizes and in any layout, and to themselves to the last bit."""

from contextlib import contextmanager

import numpy as np
import pytest

import ddl
from ddl import fused, ops
from ddl.define import Op
from ddl.fused.kernels.gpu.adam import adam_at_once
from ddl.nn import functional as F
from ddl.optim.adam import adam

pytestmark = pytest.mark.gpu

OPS = {v.name: v for room in (ops, fused) for v in vars(room).values() if isinstance(v, Op)}
OWN = {name: o for name, o in OPS.items() if "cupy" in {**o.kernels, **o.joint_kernels}}
WIDTHS = (1, 31, 33, 256, 768, 1023, 5000, 50257)


def normal(*shape):
    return np.random.default_rng(sum(shape)).standard_normal(shape)


def classes(n, c):
    found = np.random.default_rng(n).integers(0, c, n)
    found[::3] = -100
    return found


def normed(x, weight, bias):
    return F.layer_norm(x, x.shape[-1], weight, bias)


CASES = {
    **{
        f"layer_norm {c}": (lambda x, w, b: F.layer_norm(x, x.shape[-1], w, b), (7, c), (c,), (c,)) for c in WIDTHS[:-1]
    },
    "layer_norm of many rows": (lambda x, w, b: F.layer_norm(x, 33, w, b), (3, 2000, 33), (33,), (33,)),
    "layer_norm without a bias": (lambda x, w: F.layer_norm(x, 33, w), (5, 33), (33,)),
    **{f"softmax {c}": (lambda x: F.softmax(x, -1), (3, 5, c)) for c in WIDTHS},
    "softmax over the first axis": (lambda x: F.softmax(x, 0), (31, 33)),
    "gelu of a number": (F.gelu, ()),
    **{f"gelu {c}": (F.gelu, (3, c)) for c in WIDTHS},
    **{f"gelu_tanh {c}": (lambda x: F.gelu(x, "tanh"), (3, c)) for c in WIDTHS},
    **{
        f"cross_entropy {c} smoothed {s}": (
            lambda x, s=s: F.cross_entropy(x, ddl.tensor(classes(*x.shape), device=x.device), label_smoothing=s),
            (9, c),
        )
        for c in WIDTHS
        for s in (0.0, 0.1)
    },
    **{
        f"scaled_dot_product_attention {t} {s} {d} causal {causal}": (
            lambda q, k, v, causal=causal: F.scaled_dot_product_attention(q, k, v, is_causal=causal),
            (2, 3, t, d),
            (2, 3, s, d),
            (2, 3, s, d),
        )
        for t, s in ((1, 1), (31, 31), (33, 64), (65, 65), (200, 129), (129, 200))
        for d in (1, 31, 64)
        for causal in (False, True)
    },
    **{
        f"rope {t} {d} interleaved {interleaved}": (
            lambda x, interleaved=interleaved: fused.rope(x, offset=3, interleaved=interleaved),
            (2, 3, t, d),
        )
        for t, d in ((1, 2), (31, 34), (65, 64))
        for interleaved in (False, True)
    },
    **{f"linear {c}": (F.linear, (5, 3, c), (33, c), (33,)) for c in (1, 31, 33, 768)},
    "linear without a bias": (F.linear, (5, 33), (31, 33)),
    "linear of many rows": (F.linear, (3, 1023, 33), (31, 33), (31,)),
    **{f"dropout {c}": (lambda x: fused.dropout(x, p=0.3, seed=2**40 + 7), (3, c)) for c in WIDTHS},
}


@contextmanager
def definitions_only():
    kept = [(o, o.kernels, o.joint_kernels) for o in OPS.values()]
    try:
        for o in OPS.values():
            o.kernels, o.joint_kernels = {}, {}
        yield
    finally:
        for o, kernels, joint in kept:
            o.kernels, o.joint_kernels = kernels, joint


def run(f, arrays):
    """The output, and the gradient of each input along a fixed direction."""
    xs = [ddl.Tensor(x) for x in arrays]
    for x in xs:
        x.requires_grad = True
    out = f(*xs)
    along = ddl.tensor(normal(*out.shape).astype(out.dtype), device="gpu")
    return [t.data.get() for t in (out, *ddl.grad(out, xs, along))]


@pytest.mark.parametrize("dtype", [np.float64, np.float32], ids=["float64", "float32"])
@pytest.mark.parametrize("name", CASES)
def test_a_kernel_equals_its_definition_in_any_layout_and_each_time(name, dtype):
    import cupy

    f, *shapes = CASES[name]
    arrays = [cupy.asarray(normal(*shape), dtype) for shape in shapes]
    with definitions_only():
        expected = run(f, arrays)
    found = run(f, arrays)
    close = {"rtol": 1e-11, "atol": 1e-12} if dtype is np.float64 else {"rtol": 2e-4, "atol": 2e-5}
    for x, y in zip(found, expected, strict=True):
        assert x.dtype == y.dtype
        np.testing.assert_allclose(x, y, **close)
    for x, y in zip(run(f, arrays), found):
        np.testing.assert_array_equal(x, y)
    spread = [cupy.repeat(x, 2, axis=-1)[..., ::2] if x.ndim else x for x in arrays]
    for x, y in zip(run(f, spread), found):
        np.testing.assert_allclose(x, y, **close)


def test_extreme_scores_stay_finite():
    x = np.array([[1e4, -1e4, 0.0], [-np.inf, 0.0, 1.0], [3e38, 3e38, -3e38]], np.float32)
    found = F.softmax(ddl.tensor(x, device="gpu"), -1).data.get()
    np.testing.assert_allclose(found, F.softmax(ddl.tensor(x), -1).data, rtol=1e-6)
    loss = F.cross_entropy(ddl.tensor(x, device="gpu"), ddl.tensor([0, 2, 1], device="gpu"), reduction="none")
    expected = F.cross_entropy(ddl.tensor(x), ddl.tensor([0, 2, 1]), reduction="none")
    np.testing.assert_allclose(loss.data.get(), expected.data, rtol=1e-6)


def test_a_nan_goes_through_and_stays_in_its_row():
    x = normal(4, 33).astype(np.float32)
    x[2, 5] = np.nan
    weight = ddl.tensor(np.ones(33, np.float32), device="gpu")
    for f in (lambda x: F.softmax(x, -1), lambda x: F.layer_norm(x, 33, weight)):
        found = f(ddl.tensor(x, device="gpu")).data.get()
        assert np.isnan(found).all(axis=1).tolist() == [False, False, True, False]
        assert np.isfinite(found[[0, 1, 3]]).all()


@contextmanager
def counted():
    """How often the kernels of each op answer, and do not decline."""
    answers = {"forward": set(), "backward": set()}

    def heard(way, name, kernel):
        def answer(*args, **settings):
            out = kernel(*args, **settings)
            if out is not NotImplemented:
                answers[way].add(name)
            return out

        return answer

    kept = [(o, o.kernels, o.joint_kernels) for o in OWN.values()]
    try:
        for o, kernels, joint in kept:
            o.kernels = {m: heard("forward", o.name, k) for m, k in kernels.items()}
            o.joint_kernels = {m: heard("backward", o.name, k) for m, k in joint.items()}
        yield answers
    finally:
        for o, kernels, joint in kept:
            o.kernels, o.joint_kernels = kernels, joint


@pytest.mark.parametrize("name", CASES)
def test_the_kernels_answer_and_do_not_decline(name):
    import cupy

    f, *shapes = CASES[name]
    with counted() as answers:
        run(f, [cupy.asarray(normal(*shape), np.float32) for shape in shapes])
    op = next(o for o in sorted(OWN, key=len, reverse=True) if name.startswith(o.removesuffix("_rows")))
    declined = name in ("softmax over the first axis", "softmax 50257")  # strided, and too wide for registers
    itself = "backward" if OPS[op].joint_kernels else None  # the gradient of rope and dropout is their own forward
    assert answers == {way: {op} if not declined and way in ("forward", itself) else set() for way in answers}


def test_rows_that_lie_apart_are_read_where_they_are():
    import cupy

    wide = cupy.asarray(normal(9, 40), np.float32)
    target = ddl.tensor(classes(9, 33), device="gpu")
    found = run(lambda x: F.cross_entropy(x, target), [wide[:, :33]])
    expected = run(lambda x: F.cross_entropy(x, target), [wide[:, :33].copy()])
    for x, y in zip(found, expected):
        np.testing.assert_array_equal(x, y)


def test_every_kernel_has_a_case():
    met = {o for o in OWN for case in CASES if case.startswith(o.removesuffix("_rows") + " ")}
    assert met | {"add_rows"} == {*OWN}  # add_rows: test_devices.py, by the embedding


@pytest.mark.parametrize("dtype", [np.float64, np.float32], ids=["float64", "float32"])
@pytest.mark.parametrize("shape", [(), (1,), (31, 33), (768, 5)], ids=str)
def test_adams_kernel_equals_its_definition(shape, dtype):
    import cupy

    p, g, m, v = (cupy.asarray(normal(*shape, n), dtype)[..., 0] for n in range(1, 5))
    settings = {"step": 0.01, "decay": 0.001, "beta1": 0.9, "beta2": 0.999, "root": 31.6, "eps": 1e-8}
    expected, found = ([x.copy() for x in (p, g, m, v * v)] for _ in range(2))
    for _ in range(3):
        adam(*expected, **settings)
        adam_at_once(*found, **settings)
    for x, y in zip(found, expected, strict=True):
        np.testing.assert_allclose(x.get(), y.get(), rtol=1e-12 if dtype is np.float64 else 1e-5, atol=1e-7)


def test_attention_never_holds_all_scores():
    import cupy

    q, k, v = (ddl.tensor(cupy.ones((1, 1, 16384, 64), np.float32), requires_grad=True) for _ in range(3))
    pool = cupy.get_default_memory_pool()
    pool.free_all_blocks()
    held = pool.total_bytes()
    F.scaled_dot_product_attention(q, k, v, is_causal=True).sum().backward()
    assert pool.total_bytes() - held < 16384**2 * 4 / 8


@pytest.mark.parametrize(
    "name",
    [
        "gelu 33",
        "gelu_tanh 33",
        "cross_entropy 33 smoothed 0.1",
        "softmax 33",
        "layer_norm 33",
        "rope 31 34 interleaved True",
    ],
)
def test_a_graph_is_walked_back_on_a_gpu_as_it_is_here(name):
    f, *shapes = CASES[name]
    found = []
    for device in ("cpu", "gpu"):
        xs = [ddl.tensor(normal(*shape), device=device) for shape in shapes]
        walked = ddl.trace(lambda *xs: f(*xs).sum(), *xs).walk_back()
        found.append([np.asarray(ddl.Tensor(walked.nodes[i].grad).to("cpu").data) for i in walked.inputs])
    for here, there in zip(*found, strict=True):
        np.testing.assert_allclose(there, here, rtol=1e-10, atol=1e-12)
