"""Devices: every row of the table, models, optimizers and generation give numpy's numbers on a stand-in CuPy.

Where a GPU is, they run on CuPy itself too.
"""

import importlib.util

import numpy as np
import pytest
from cases import CASES
from fake_cupy import installed

import ddl
from ddl import nn
from ddl.models import GPT2, GPT2Config
from ddl.nn import functional as F


@pytest.fixture
def stand_in():
    with installed() as module:
        yield module


@pytest.fixture
def on_gpu(cupy):
    return lambda x, **k: ddl.tensor(x, device="gpu", **k)


def run(case, inputs, device):
    xs = [ddl.tensor(x, device=device, requires_grad=x.dtype.kind == "f") for x in inputs]
    out = case.f(*xs)
    live = [x for x in xs if x.requires_grad]
    if not case.order:
        return [out]
    direction = np.random.default_rng(3).standard_normal(out.shape).astype(out.dtype)
    gradients = ddl.grad(out, live, ddl.tensor(direction, device=device))
    traced = ddl.grad(out, live, ddl.tensor(direction, device=device), create_graph=True)
    again = ddl.grad(sum(((g * g).sum() for g in traced), ddl.tensor(0.0, device=device)), live)
    return [out, *gradients, *again]


def compare(case, dtype, ndarray):
    inputs = case.inputs(dtype)
    expected, got = run(case, inputs, "cpu"), run(case, inputs, "gpu")
    close = {"rtol": 1e-11, "atol": 1e-12} if dtype is np.float64 else {"rtol": 1e-4, "atol": 1e-4}
    for e, g in zip(expected, got):
        assert type(g.data) is ndarray
        assert (g.device, g.dtype, g.shape) == ("gpu", e.dtype, e.shape)
        np.testing.assert_allclose(g.data.get(), e.numpy(), **close)


@pytest.mark.parametrize("dtype", [np.float64, np.float32], ids=["float64", "float32"])
@pytest.mark.parametrize("case", CASES, ids=[c.id for c in CASES])
def test_a_device_gives_numpys_numbers(case, dtype, stand_in):
    compare(case, dtype, stand_in.ndarray)


@pytest.mark.gpu
def test_the_gpu_gives_numpys_numbers():
    import cupy

    failed = []
    for case in CASES:
        for dtype in (np.float64, np.float32):
            try:
                compare(case, dtype, cupy.ndarray)
            except Exception as error:
                failed.append(f"{case.id} {dtype.__name__}: {type(error).__name__}: {str(error)[:300]}")
    assert not failed, "\n".join(failed)


# ---- movement and mixing
def test_movement_is_explicit_and_has_a_gradient(cupy):
    x = ddl.tensor([1.0, 2.0], requires_grad=True)
    y = x.to("gpu")
    assert (x.device, y.device, y.to("cuda").device) == ("cpu", "gpu", "gpu")
    assert y.to("gpu") is y
    (y * y).sum().to("cpu").backward()
    assert type(x.grad.data) is np.ndarray
    assert x.grad.tolist() == [2.0, 4.0]
    z = (y * 2).to("cpu")
    assert z.numpy().tolist() == [2.0, 4.0]
    g = ddl.grad((y * y * y).sum(), x, create_graph=True)
    assert ddl.grad(g.sum(), x).tolist() == [6.0, 12.0]


MIXED = {
    "add": lambda a, b: a + b,
    "the other way": lambda a, b: b - a,
    "matmul": lambda a, b: a @ b,
    "maximum": lambda a, b: ddl.maximum(a, b),
    "where": lambda a, b: ddl.where(b > 0, a, b),
    "cat": lambda a, b: ddl.cat([a, b]),
    "linear": lambda a, b: F.linear(a, b),
    "embedding": lambda a, b: F.embedding(np.array([0, 1]), a),
    "attention": lambda a, b: F.scaled_dot_product_attention(a, a, b),
    "numpy's array": lambda a, b: a * b.numpy(),
    "numpy's array on the left": lambda a, b: b.numpy() * a,
}


@pytest.mark.parametrize("name", MIXED)
def test_mixing_devices_is_refused_in_a_sentence(name, on_gpu):
    a, b = on_gpu(np.ones((2, 2))), ddl.ones(2, 2, dtype=np.float64)
    with pytest.raises(TypeError) as error:
        MIXED[name](a, b)
    text = str(error.value)
    assert "on gpu" in text
    assert "on cpu" in text
    assert "move them to one device with .to('gpu') or .to('cpu')" in text
    assert "\n" not in text


def test_numbers_0d_arrays_and_lists_of_places_may_mix(on_gpu):
    x = on_gpu([1.0, 2.0, 3.0])
    for y in (x + 1, 2.0 * x, x * np.float32(2), np.float64(2) * x, x / np.asarray(2.0), x ** np.int64(2)):
        assert y.device == "gpu"
        assert y.dtype == np.float32
    assert x.masked_fill(True, 0.0).tolist() == [0.0, 0.0, 0.0]
    assert x[[2, 0]].data.get().tolist() == [3.0, 1.0]
    assert x[[True, False, True]].data.get().tolist() == [1.0, 3.0]
    leaf = on_gpu([1.0, 2.0, 3.0], requires_grad=True)
    leaf[[2, 2, 0]].sum().backward()
    assert leaf.grad.data.get().tolist() == [1.0, 0.0, 2.0]


def test_a_gpu_tensor_speaks_but_does_not_turn_into_numpy_by_itself(on_gpu):
    x = on_gpu([1.0, 2.0])
    assert repr(x) == "tensor([1., 2.], device='gpu')"
    for ask in (np.asarray, lambda t: t.numpy()):
        with pytest.raises(TypeError, match=r"a tensor on 'gpu'; move it first with .to\('cpu'\)"):
            ask(x)
    assert x.tolist() == [1.0, 2.0]
    assert float(x[0]) == x[0].item() == 1.0
    assert bool(x[0] > 0)
    assert [row.item() for row in x] == [1.0, 2.0]


@pytest.mark.parametrize("make", [ddl.zeros, ddl.ones, ddl.rand, ddl.randn])
def test_constructors_take_a_device(make, cupy):
    assert type(make(2, 3, device="gpu").data) is cupy.ndarray
    assert type(make(2, 3, device="cuda").data) is cupy.ndarray
    assert type(ddl.arange(3, device="gpu").data) is cupy.ndarray
    assert type(ddl.full((2,), 1.0, device="gpu").data) is cupy.ndarray
    assert type(ddl.zeros_like(ddl.ones(2, device="gpu")).data) is cupy.ndarray


@pytest.mark.skipif(importlib.util.find_spec("cupy") is not None, reason="CuPy is installed")
def test_without_cupy_a_gpu_is_refused_in_a_sentence():
    with pytest.raises(RuntimeError, match="device 'gpu' was asked for, but no GPU can be used here"):
        ddl.ones(2, device="gpu")
    with pytest.raises(ValueError, match="device 'tpu' was asked for, but the devices are 'cpu' and 'gpu'"):
        ddl.ones(2, device="tpu")


# ---- whole models
CONFIG = GPT2Config(vocab_size=13, block_size=9, n_embd=16, n_layer=2, n_head=4)


def twins(config=CONFIG):
    ddl.manual_seed(0)
    host = GPT2(config).double()
    device = GPT2(config).double()
    device.load_state_dict(host.state_dict())
    return host, device.to("gpu")


def test_a_gpu_model_starts_as_the_cpu_model(cupy):
    ddl.manual_seed(5)
    host = nn.Linear(3, 2)
    ddl.manual_seed(5)
    device = nn.Linear(3, 2).to("gpu")
    for p, q in zip(host.parameters(), device.parameters()):
        np.testing.assert_array_equal(p.numpy(), q.data.get())
    for p, q in zip(host.parameters(), device.to("cpu").parameters()):
        np.testing.assert_array_equal(p.numpy(), q.numpy())


def test_a_decoder_trains_on_the_device_as_on_the_cpu(cupy):
    host, device = twins()
    optimizers = [ddl.optim.AdamW(m.parameters(), lr=0.01) for m in (host, device)]
    for step in range(3):
        x, y = np.random.default_rng(step).integers(0, 13, (2, 4, 9))
        losses = []
        for model, optimizer, where in zip((host, device), optimizers, ("cpu", "gpu")):
            ids, targets = ddl.tensor(x, device=where), ddl.tensor(y, device=where)
            loss = F.cross_entropy(model(ids).reshape(-1, 13), targets.reshape(-1))
            norm = optimizer.backward_step(loss, max_norm=0.5)
            losses.append((loss.item(), norm))
        np.testing.assert_allclose(*losses, rtol=1e-10)
    for p, q in zip(host.parameters(), device.parameters()):
        assert type(q.data) is type(q.grad.data) is cupy.ndarray
        np.testing.assert_allclose(p.numpy(), q.data.get(), rtol=1e-8, atol=1e-10)
    state = optimizers[1].state_dict()
    optimizers[1].load_state_dict(state)
    optimizers[1].step()


@pytest.mark.parametrize("use_cache", [True, False])
def test_generation_on_the_device_writes_the_cpus_text(use_cache, cupy):
    host, device = twins()
    for ids in ([1, 2, 3], np.array([4])):
        text = device.generate(ids, 12, rng=np.random.default_rng(0), use_cache=use_cache)
        assert text.tolist() == host.generate(ids, 12, rng=np.random.default_rng(0)).tolist()
    on_device = device.generate(ddl.tensor([1, 2], device="gpu"), 3, temperature=0)
    assert on_device.tolist() == host.generate([1, 2], 3, temperature=0).tolist()


def test_dropout_drops_the_same_places_on_every_device(on_gpu):
    x = np.ones((40, 30))
    drops = []
    for make in (ddl.tensor, on_gpu):
        ddl.manual_seed(1)
        drops.append(np.array(F.dropout(make(x), 0.3).tolist()))
    np.testing.assert_array_equal(*drops)


def test_every_layer_runs_on_the_device_with_dropout_and_masks(on_gpu):
    x = on_gpu(np.random.default_rng(0).standard_normal((2, 5, 8)), requires_grad=True)
    for layer in (nn.TransformerBlock(8, 2, dropout=0.1), nn.LayerNorm(8), nn.Sequential(nn.Linear(8, 8), nn.GELU())):
        layer.double().to("gpu")(x).sum().backward()
        assert x.grad.device == "gpu"
        assert all(p.grad.device == "gpu" for p in layer.parameters())
    assert F.layer_norm(x, 8).device == "gpu"
    assert F.mse_loss(x, x.detach() * 2).device == "gpu"
    assert F.binary_cross_entropy_with_logits(x, x.detach()).device == "gpu"
    mask = on_gpu(np.tri(5, dtype=bool))
    assert F.scaled_dot_product_attention(x, x, x, mask, dropout_p=0.5).device == "gpu"


def test_clipping_on_the_device(on_gpu):
    p = on_gpu([3.0, 4.0], requires_grad=True)
    (p * p).sum().backward()
    assert ddl.optim.clip_grad_norm_([p], 1.0) == pytest.approx(10.0)
    np.testing.assert_allclose(p.grad.data.get(), [0.6, 0.8], rtol=1e-6)
    ddl.optim.clip_grad_value_([p], 0.7)
    np.testing.assert_allclose(p.grad.data.get(), [0.6, 0.7], rtol=1e-6)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x.sum(),
        lambda x: x.mean(),
        lambda x: x.broadcast_to(4, 2, 3).sum(),
        lambda x: x.T.sum(),
        lambda x: x + x,
    ],
    ids=["sum", "mean", "broadcast", "transpose", "add"],
)
def test_a_gradient_on_the_device_is_memory_of_its_own(f, on_gpu):
    """CuPy's broadcasts are writable, and all their elements are one: scaling such a gradient would scale it often."""
    x = on_gpu(np.ones((2, 3)), requires_grad=True)
    y = f(x)
    y.backward(ddl.ones(*y.shape, dtype=np.float64, device="gpu"))
    expected = x.grad.data.get() * 0.5
    assert 0 not in x.grad.data.strides
    with ddl.no_grad():
        x.grad *= 0.5
    np.testing.assert_array_equal(x.grad.data.get(), expected)


def test_changes_in_place_are_seen_on_the_device(on_gpu):
    x, w = on_gpu([1.0, 2.0], requires_grad=True), on_gpu([3.0, 4.0])
    y = (x * w).sum()
    w[0] = 5.0
    with pytest.raises(RuntimeError, match="changed in place"):
        y.backward()
    with ddl.no_grad():
        x -= 1.0
    assert x.data.get().tolist() == [0.0, 1.0]
