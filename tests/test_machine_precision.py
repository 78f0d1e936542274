"""Products in few bits: what is rounded, what is not, what float16 loses and a scaled loss saves."""

import sys

import numpy as np
import pytest

import ddl
from ddl import matrices, nn
from ddl.matrices import KEPT, rounded
from ddl.models import GPT2, GPT2Config
from ddl.nn import functional as F

FORMS = list(KEPT)
# How far a product of K numbers may be from float64's of the same rounded factors, in parts of its norm.
CLOSE = 2e-6


def normal(*shape, seed=0):
    return np.random.default_rng([seed, *shape]).standard_normal(shape).astype(np.float32)


def apart(x, y):
    return float(np.linalg.norm(x - y) / np.linalg.norm(y))


@pytest.mark.parametrize("form", FORMS)
def test_numbers_are_rounded_to_the_nearest_and_ties_to_the_even_one(form):
    step = 2.0 ** -KEPT[form]
    x = np.array([1, 1 + step / 2, 1 + 1.5 * step, 1 + 0.51 * step, -1 - 0.49 * step, 0, -0.0], np.float32)
    assert rounded(x, form).tolist() == [1, 1, 1 + 2 * step, 1 + step, -1, 0, 0]
    odd = rounded(np.array([np.inf, -np.inf, np.nan], np.float32), form)
    assert odd[:2].tolist() == [np.inf, -np.inf]
    assert np.isnan(odd[2])
    once = rounded(normal(1000), form)
    np.testing.assert_array_equal(rounded(once, form), once)
    assert 0 < apart(once, normal(1000)) < step / 2


def test_bfloat16_is_rounded_as_everywhere():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    rng = np.random.default_rng(0)
    x = (rng.standard_normal(10_000) * 10.0 ** rng.integers(-38, 38, 10_000)).astype(np.float32)
    np.testing.assert_array_equal(rounded(x, "bfloat16"), x.astype(ml_dtypes.bfloat16).astype(np.float32))


def test_float16_has_little_range():
    assert rounded(np.array([1e5, 65504, 1e-8], np.float32), "float16").tolist() == [np.inf, 65504, 0]


PRODUCTS = {
    "matmul": (lambda x, y: x @ y, (5, 7), (7, 3)),
    "matmul of stacks": (lambda x, y: x @ y, (2, 5, 7), (2, 7, 3)),
    "matmul of a stack and a matrix": (lambda x, y: x @ y, (2, 5, 7), (7, 3)),
    "linear": (lambda x, w: F.linear(x, w), (2, 5, 7), (3, 7)),
    "einsum": (lambda x, y: ddl.einsum("bij,bjk->bik", x, y), (2, 5, 7), (2, 7, 3)),
    "conv2d": (lambda x, w: F.conv2d(x, w, padding=1), (2, 3, 6, 5), (4, 3, 3, 3)),
    "conv_transpose2d": (lambda x, w: F.conv_transpose2d(x, w), (2, 3, 6, 5), (3, 4, 3, 3)),
    "attention's means": (
        lambda x, v: F.scaled_dot_product_attention(x * 0, x * 0, v, is_causal=False),
        (2, 4, 8),
        (2, 4, 8),
    ),
}


def gradients(f, x, y, along):
    x, y = (ddl.tensor(a, requires_grad=True) for a in (x, y))
    return [t.numpy() for t in ddl.grad(f(x, y), [x, y], ddl.tensor(along))]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", PRODUCTS)
def test_both_factors_are_rounded_forward_and_backward(name, form):
    f, *shapes = PRODUCTS[name]
    x, y = (normal(*shape, seed=i) for i, shape in enumerate(shapes))
    exact = f(ddl.tensor(x), ddl.tensor(y)).numpy()
    expected = f(ddl.tensor(rounded(x, form)), ddl.tensor(rounded(y, form))).numpy()
    with ddl.mixed_precision(form):
        found = f(ddl.tensor(x), ddl.tensor(y)).numpy()
    assert found.dtype == np.float32
    assert apart(found, expected) < CLOSE
    assert apart(found, exact) > 1e-5
    along = normal(*exact.shape, seed=9)
    by_rounded = gradients(f, rounded(x, form), rounded(y, form), rounded(along, form))
    with ddl.mixed_precision(form):
        by_form = gradients(f, x, y, along)
    for g, e in zip(by_form, by_rounded):
        assert apart(g, e) < CLOSE if np.linalg.norm(e) else not g.any()


@pytest.mark.parametrize("form", FORMS)
def test_causal_attention_is_near_float32s(form):
    q, k, v = (ddl.tensor(normal(2, 3, 70, 8, seed=i)) for i in range(3))
    exact = F.scaled_dot_product_attention(q, k, v, is_causal=True).numpy()
    with ddl.mixed_precision(form):
        found = F.scaled_dot_product_attention(q, k, v, is_causal=True).numpy()
    assert 1e-5 < apart(found, exact) < 2 * 2.0 ** -KEPT[form]


def test_other_dtypes_and_what_is_outside_stay():
    x, y = normal(5, 7), normal(7, 3)
    with ddl.mixed_precision("bfloat16"):
        wide = (ddl.tensor(x.astype(np.float64)) @ ddl.tensor(y.astype(np.float64))).numpy()
        whole = ddl.tensor(np.full((2, 2), 1001)) @ ddl.tensor(np.full((2, 2), 1001))
        with ddl.mixed_precision(None):
            plain = (ddl.tensor(x) @ ddl.tensor(y)).numpy()
        again = (ddl.tensor(x) @ ddl.tensor(y)).numpy()
        assert ddl.trace(lambda x: x @ x, ddl.Spec((3, 3))).nodes[-1].op == "matmul"
    np.testing.assert_array_equal(wide, x.astype(np.float64) @ y.astype(np.float64))
    assert whole.tolist() == [[2 * 1001**2] * 2] * 2
    np.testing.assert_array_equal(plain, x @ y)
    assert apart(again, plain) > 1e-3
    with pytest.raises(ZeroDivisionError), ddl.mixed_precision("tf32"):
        raise ZeroDivisionError
    assert matrices.in_use is None
    np.testing.assert_array_equal((ddl.tensor(x) @ ddl.tensor(y)).numpy(), x @ y)


def test_one_context_can_be_entered_again_and_inside_itself():
    form = ddl.mixed_precision("float16")
    for _ in range(2):
        with form, form:
            assert matrices.in_use == "float16"
        assert matrices.in_use is None


def test_second_order_goes_through_rounded_products():
    x = ddl.tensor(normal(4, 4), requires_grad=True)
    with ddl.mixed_precision("bfloat16"):
        (g,) = ddl.grad((x @ x).tanh().sum(), [x], create_graph=True)
        again = ddl.grad((g * g).sum(), x).numpy()
    (g,) = ddl.grad((x @ x).tanh().sum(), [x], create_graph=True)
    assert 1e-5 < apart(again, ddl.grad((g * g).sum(), x).numpy()) < 0.1


@pytest.mark.parametrize("form", ["bf16", "float8", 16, ""])
def test_an_unknown_form_is_refused(form):
    with pytest.raises(ValueError, match="mixed_precision takes 'tf32', 'bfloat16', 'float16' or None, but"):
        ddl.mixed_precision(form)


# ---- training
SMALL = GPT2Config(vocab_size=13, block_size=12, n_embd=16, n_layer=2, n_head=2)


def losses(form, device="cpu", steps=60, config=SMALL, batch=4):
    ddl.manual_seed(0)
    model = GPT2(config).to(device)
    optimizer = ddl.optim.AdamW(model.parameters(), lr=3e-3)
    scaler = ddl.LossScaler() if form == "float16" else None
    rng, found = np.random.default_rng(0), []
    text = np.arange(10 * config.vocab_size + config.block_size) * 3 % config.vocab_size
    for _ in range(steps):
        starts = rng.integers(0, 9 * config.vocab_size, batch)
        ids = ddl.tensor(np.stack([text[s : s + config.block_size + 1] for s in starts]), device=device)
        with ddl.mixed_precision(form):
            logits = model(ids[:, :-1]).reshape(-1, config.vocab_size)
            loss = F.cross_entropy(logits, ids[:, 1:].reshape(-1))
            if scaler:
                scaler.backward_step(optimizer, loss)
            else:
                optimizer.backward_step(loss)
        found.append(loss.item())
    assert {p.dtype for p in model.parameters()} == {np.dtype(np.float32)}
    return np.array(found)


@pytest.mark.parametrize(("form", "bound"), [("tf32", 0.002), ("float16", 0.002), ("bfloat16", 0.02)])
def test_a_decoder_learns_in_few_bits_as_in_float32(form, bound):
    exact, found = losses(None), losses(form)
    assert exact[-1] < exact[0] / 2
    assert 0 < np.abs(found / exact - 1).max() < bound


# ---- the scale of a loss
def product(scale):
    """A loss whose gradient, 1e-8 before it is scaled, is 0 in float16; and how its step moves the weight."""
    w = ddl.tensor(np.ones((1, 1), np.float32), requires_grad=True)
    optimizer = ddl.optim.SGD([w], lr=1e7)
    with ddl.mixed_precision("float16"):
        loss = (ddl.ones(1, 1) @ w).sum() * 1e-8
        if scale is None:
            optimizer.backward_step(loss)
        else:
            ddl.LossScaler(scale).backward_step(optimizer, loss)
    return w.item()


def test_a_small_gradient_survives_float16_only_when_scaled():
    assert product(None) == 1.0
    assert product(2.0**16) == pytest.approx(0.9, rel=1e-3)


def test_what_is_not_finite_moves_nothing_and_halves_the_scale():
    w = ddl.tensor(np.ones((1, 1), np.float32), requires_grad=True)
    optimizer, scaler = ddl.optim.SGD([w], lr=0.1), ddl.LossScaler(2.0**18, patience=2)
    moved, scales = [], []
    for _ in range(7):
        with ddl.mixed_precision("float16"):
            moved.append(scaler.backward_step(optimizer, (ddl.ones(1, 1) @ w).sum()))
        scales.append(scaler.scale)
    assert moved == [False, False, False, True, True, False, True]  # 2**16 is still infinite
    assert scales == [2.0**17, 2.0**16, 2.0**15, 2.0**15, 2.0**16, 2.0**15, 2.0**15]
    assert (scaler.skipped, optimizer.steps) == (4, 3)
    assert w.item() == pytest.approx(0.7)
    other = ddl.LossScaler()
    other.load_state_dict(scaler.state_dict())
    assert (other.scale, other.well, other.skipped) == (scaler.scale, scaler.well, scaler.skipped)


def test_a_scaled_loss_clips_what_it_would_have_clipped():
    w = ddl.tensor(np.array([3.0, 4.0], np.float32), requires_grad=True)
    optimizer = ddl.optim.SGD([w], lr=1.0)
    assert ddl.LossScaler(8.0).backward_step(optimizer, (w * w).sum() * 0.5, max_norm=1.0)
    np.testing.assert_allclose(w.numpy(), [2.4, 3.2], rtol=1e-5)


@pytest.mark.parametrize("settings", [{"scale": 0}, {"scale": -1.0}, {"patience": 0}, {"patience": 1.5}])
def test_a_scaler_refuses_nonsense(settings):
    with pytest.raises(ValueError, match="LossScaler needs"):
        ddl.LossScaler(**settings)
    with pytest.raises(TypeError, match="LossScaler"):
        ddl.LossScaler().backward_step(None, ddl.ones(1))


# ---- on a device
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", PRODUCTS)
def test_a_device_multiplies_as_the_cpu_does(name, form, cupy):
    f, *shapes = PRODUCTS[name]
    arrays = [normal(*shape, seed=i) for i, shape in enumerate(shapes)]
    found = []
    for device in ("cpu", "gpu"):
        x, y = (ddl.tensor(a, device=device, requires_grad=True) for a in arrays)
        with ddl.mixed_precision(form):
            out = f(x, y)
            found.append([np.array(t.tolist()) for t in (out, *ddl.grad((out * out).sum(), [x, y]))])
    for here, there in zip(*found):
        assert apart(there, here) < 2.0 ** -KEPT[form] if np.linalg.norm(here) else not there.any()


@pytest.mark.gpu
@pytest.mark.parametrize("form", FORMS)
def test_products_of_odd_sizes_in_any_layout(form):
    import cupy

    from ddl.fused.kernels.gpu.products import product as of_kernel

    for m, k, n in ((1, 1, 1), (31, 33, 1), (1, 1023, 31), (33, 31, 1023), (5, 64, 50257), (7, 50257, 3)):
        for lead in ((), (2,), (2, 3)) if n * k < 10**5 else ((),):
            x, y = normal(*lead, m, k), normal(*lead, k, n, seed=1)
            expected = rounded(x, form).astype(np.float64) @ rounded(y, form).astype(np.float64)
            for turn_x, turn_y in ((0, 0), (0, 1), (1, 0), (1, 1)):
                a = cupy.asarray(x.swapaxes(-1, -2).copy()).swapaxes(-1, -2) if turn_x else cupy.asarray(x)
                b = cupy.asarray(y.swapaxes(-1, -2).copy()).swapaxes(-1, -2) if turn_y else cupy.asarray(y)
                found = of_kernel(a, b, form)
                assert found.shape == expected.shape
                # cuBLAS drops what tf32 has no room for instead of rounding it: one more bit
                bound = 2.0**-9 if form == "tf32" else 1e-5
                assert apart(found.get(), expected) < bound, (m, k, n, lead, turn_x, turn_y)
                np.testing.assert_array_equal(of_kernel(a, b, form).get(), found.get())
            wide = cupy.repeat(cupy.asarray(x), 2, axis=-1)[..., ::2]
            assert apart(of_kernel(wide, cupy.asarray(y), form).get(), expected) < bound


@pytest.mark.gpu
@pytest.mark.parametrize("form", FORMS)
def test_a_large_product_of_odd_sizes_is_filled_up_and_cut_again(form):
    import cupy

    from ddl.fused.kernels.gpu.products import LARGE
    from ddl.fused.kernels.gpu.products import product as of_kernel

    m, k, n = 1023, 769, 1501
    assert m * k * n > LARGE
    x, y = normal(m, k), normal(k, n, seed=1)
    expected = rounded(x, form).astype(np.float64) @ rounded(y, form).astype(np.float64)
    turn = lambda a: cupy.asarray(a.T.copy()).T
    apart_by = lambda a: cupy.asarray(np.pad(a, ((0, 0), (0, 5))))[:, : a.shape[1]]
    for a in (cupy.asarray(x), turn(x), apart_by(x), apart_by(x.T).T, cupy.repeat(cupy.asarray(x), 2, axis=1)[:, ::2]):
        for b in (cupy.asarray(y), turn(y), apart_by(y)):
            found = of_kernel(a, b, form)
            assert found.shape == (m, n)
            assert apart(found.get(), expected) < (2.0**-9 if form == "tf32" else 1e-5)


@pytest.mark.gpu
@pytest.mark.parametrize("form", FORMS)
def test_what_lies_apart_is_laid_out_in_the_form(form):
    import cupy

    from ddl.fused.kernels.gpu.products import lowered

    x = normal(3, 31, 5, 3, 33)
    for view in (lambda a: a[:, :, 1].swapaxes(1, 2), lambda a: a[1, :, 2], lambda a: a[0, 3:7, :, 1]):
        given = view(cupy.asarray(x))
        found = lowered(given, form).astype(np.float32)
        exact = np.ascontiguousarray(view(x))
        np.testing.assert_array_equal(found.get(), exact if form == "tf32" else rounded(exact, form))
        turned = lowered(given.swapaxes(-1, -2), form).astype(np.float32)
        np.testing.assert_array_equal(turned.get(), found.get().swapaxes(-1, -2))


@pytest.mark.gpu
@pytest.mark.parametrize("rows", [1025, 5000])
def test_columns_are_summed_by_a_product(rows):
    import cupy

    from ddl.fused.kernels.gpu.products import column_sums

    x = normal(rows, 33)
    with ddl.mixed_precision("bfloat16"):
        found = column_sums(cupy.asarray(x)).get()
    np.testing.assert_allclose(found, x.astype(np.float64).sum(axis=0), atol=1e-3)
    np.testing.assert_array_equal(column_sums(cupy.asarray(x)).get(), found)
    apart_ = column_sums(cupy.asarray(x)[:, ::2]).get()
    np.testing.assert_allclose(apart_, found[::2], atol=1e-3)


@pytest.mark.gpu
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("t", "s"), [(256, 256), (1000, 1000), (1024, 333), (257, 1023)])
@pytest.mark.parametrize("causal", [True, False])
def test_attention_of_rounded_products_is_near_float64s_and_repeats(t, s, causal, form, monkeypatch):
    from ddl.fused.kernels.gpu import attention_products

    monkeypatch.setattr(attention_products, "ROOM", 8 * t * s)  # two heads at a time, of five
    arrays = [normal(1, 5, n, 40, seed=i) for i, n in enumerate((t, s, s))]
    along = normal(1, 5, t, 40, seed=7)

    def run(device, dtype, form):
        xs = [ddl.tensor(a.astype(dtype), device=device, requires_grad=True) for a in arrays]
        with ddl.mixed_precision(form):
            out = F.scaled_dot_product_attention(*xs, is_causal=causal)
            return [out, *ddl.grad(out, xs, ddl.tensor(along.astype(dtype), device=device))]

    exact = [x.numpy() for x in run("cpu", np.float64, None)]
    found, again = ([x.data.get() for x in run("gpu", np.float32, form)] for _ in range(2))
    for x, y, e in zip(found, again, exact):
        assert x.dtype == np.float32
        assert 1e-6 < apart(x, e) < 3 * 2.0 ** -KEPT[form]
        np.testing.assert_array_equal(x, y)


@pytest.mark.gpu
def test_without_ml_dtypes_bfloat16_is_refused_in_a_sentence(monkeypatch):
    from ddl.fused.kernels.gpu import products

    products.low.cache_clear()
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    x = ddl.ones(2, 2, device="gpu")
    with (
        ddl.mixed_precision("bfloat16"),
        pytest.raises(RuntimeError, match="package ml_dtypes, which is not installed"),
    ):
        x @ x
    products.low.cache_clear()


@pytest.mark.gpu
@pytest.mark.parametrize(("form", "bound"), [("tf32", 0.005), ("float16", 0.005), ("bfloat16", 0.05)])
def test_200_steps_agree_with_the_cpus_float32_and_repeat_to_the_last_bit(form, bound):
    config = GPT2Config(vocab_size=97, block_size=256, n_embd=64, n_layer=2, n_head=2)
    exact = losses(None, steps=200, config=config, batch=2)
    found, again = (losses(form, "gpu", steps=200, config=config, batch=2) for _ in range(2))
    np.testing.assert_array_equal(found, again)
    print(form, "largest relative difference over 200 steps", np.abs(found / exact - 1).max())
    assert 0 < np.abs(found / exact - 1).max() < bound


def test_layers_with_dropout_and_norms_train_inside(cupy):
    layer = nn.TransformerBlock(8, 2, dropout=0.1).to("gpu")
    x = ddl.tensor(normal(2, 5, 8), device="gpu", requires_grad=True)
    with ddl.mixed_precision("float16"):
        layer(x).sum().backward()
    assert (x.grad.device, x.grad.dtype) == ("gpu", np.dtype(np.float32))
