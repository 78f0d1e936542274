"""Where the same name means something else in PyTorch: each line of the README's table, shown on both sides."""

import re
from pathlib import Path

import numpy as np
import pytest

import ddl
from ddl.nn import functional as F

README = Path(__file__).resolve().parents[1] / "README.md"
DIVERGENCES = {}


def divergence(what):
    """Register a test under the first cell of its line in the README's table."""

    def register(test):
        DIVERGENCES[what] = test
        return test

    return register


@pytest.fixture
def torch():
    return pytest.importorskip("torch", reason="PyTorch is not installed")


@divergence("`t.backward()`")
def keeps_the_graph(torch):
    x = ddl.tensor([2.0], requires_grad=True)
    y = (x * x).sum()
    y.backward()
    y.backward()
    assert x.grad.item() == 8
    tx = torch.tensor([2.0], requires_grad=True)
    ty = (tx * tx).sum()
    ty.backward()
    with pytest.raises(RuntimeError):
        ty.backward()


@divergence("`t.max(dim)`, `t.min(dim)`")
def give_values_alone(torch):
    values = [[1.0, 3.0], [3.0, 3.0]]
    assert ddl.tensor(values).max(1).tolist() == [3, 3]
    assert torch.tensor(values).max(1).values.tolist() == [3, 3]
    x = ddl.tensor(values, requires_grad=True)
    x.max(1).sum().backward()
    assert x.grad.tolist() == [[0, 1], [0.5, 0.5]]
    tx = torch.tensor(values, requires_grad=True)
    tx.max(1).values.sum().backward()
    assert sorted(tx.grad[1].tolist()) == [0, 1]


@divergence("functions of integers alone")
def integers_become_float64(torch):
    assert (ddl.tensor([1, 2]) / 2).dtype == np.float64
    assert ddl.tensor([1, 2], dtype=np.int8).exp().dtype == np.float64
    assert ddl.tensor([1, 2]).mean().dtype == np.float64
    assert (torch.tensor([1, 2]) / 2).dtype == torch.float32
    assert torch.tensor([1, 2], dtype=torch.int8).exp().dtype == torch.float32
    with pytest.raises(RuntimeError):
        torch.tensor([1, 2]).mean()


@divergence("a 0-d tensor of a wider dtype")
def a_wide_scalar_tensor_widens(torch):
    one = np.ones((), np.float64)
    assert (ddl.ones(2) * ddl.tensor(one)).dtype == np.float64
    assert (torch.ones(2) * torch.tensor(one)).dtype == torch.float32


@divergence("`y += x` inside a graph")
def rebinds_inside_a_graph(torch):
    x = ddl.ones(2, requires_grad=True)
    y = x * 1.0
    alias = y
    y += x
    assert alias is not y
    assert alias.tolist() == [1, 1]
    tx = torch.ones(2, requires_grad=True)
    ty = tx * 1.0
    talias = ty
    ty += tx
    assert talias is ty


@divergence("`t.numpy()`, `np.asarray(t)`")
def numpy_detaches(torch):
    assert ddl.ones(2, requires_grad=True).numpy().tolist() == [1, 1]
    with pytest.raises(RuntimeError):
        torch.ones(2, requires_grad=True).numpy()


@divergence("`t.dtype`")
def dtypes_are_numpys(torch):
    assert ddl.ones(2).dtype == np.float32 == ddl.float32
    assert torch.ones(2).dtype != np.float32


@divergence("`t.data`")
def data_is_an_array(torch):
    assert type(ddl.ones(2).data) is np.ndarray
    assert type(ddl.ones(2).detach()) is ddl.Tensor
    assert type(torch.ones(2).data) is torch.Tensor


@divergence("`t[::-1]`")
def negative_steps(torch):
    assert ddl.arange(3)[::-1].tolist() == [2, 1, 0]
    with pytest.raises(ValueError, match="step"):
        torch.arange(3)[::-1]


@divergence("`t[0, :, [0, 1]]`")
def a_number_beside_ids_is_an_id(torch):
    x = np.zeros((4, 3, 2))
    assert ddl.tensor(x)[0, :, [0, 1]].shape == x[0, :, [0, 1]].shape == (2, 3)
    assert torch.tensor(x)[0, :, [0, 1]].shape == (3, 2)


@divergence("`y[i] = v` inside a graph")
def assigning_inside_a_graph(torch):
    y = ddl.ones(2, requires_grad=True) * 1.0
    with pytest.raises(RuntimeError, match="assigned to in place"):
        y[0] = 3.0
    assert y.index_put(0, 3.0).tolist() == [3, 1]
    ty = torch.ones(2, requires_grad=True) * 1.0
    ty[0] = 3.0
    assert ty.tolist() == [3, 1]


@divergence("`t.view(..)` of a transposed tensor")
def views_of_any_layout(torch):
    x = np.arange(6.0).reshape(2, 3)
    assert ddl.tensor(x).T.view(-1).tolist() == x.T.reshape(-1).tolist()
    with pytest.raises(RuntimeError, match="view size is not compatible"):
        torch.tensor(x).T.view(-1)


@divergence("losses of unequal shapes")
def unequal_shapes_are_refused(torch):
    with pytest.raises(ValueError, match=r"\(2,\).*\(2, 1\)"):
        F.mse_loss(ddl.ones(2), ddl.ones(2, 1))
    with pytest.warns(UserWarning, match="broadcast"):
        assert torch.nn.functional.mse_loss(torch.ones(2), torch.ones(2, 1)) == 0
    with pytest.raises(ValueError, match=r"\(2,\).*\(2, 1\)"):
        F.kl_div(ddl.ones(2), ddl.ones(2, 1))
    assert torch.nn.functional.kl_div(torch.ones(2), torch.ones(2, 1), reduction="none").shape == (2, 2)


@divergence("a target of 0 where -1 or 1 is meant")
def signs_are_checked(torch):
    with pytest.raises(ValueError, match="takes targets -1 and 1, but 0"):
        F.margin_ranking_loss(ddl.ones(1), ddl.ones(1), ddl.zeros(1))
    assert torch.nn.functional.margin_ranking_loss(torch.ones(1), torch.ones(1), torch.zeros(1)) == 0


@divergence("`F.softmax(x)`, `nn.Softmax()`")
def softmax_takes_the_last_axis(torch):
    x = np.ones((2, 3, 4))
    assert F.softmax(x)[0, 0].sum().item() == 1
    with pytest.warns(UserWarning, match="Implicit dimension"):
        assert torch.nn.functional.softmax(torch.tensor(x))[:, 0, 0].sum() == 1


@divergence("`x ** y` at 0")
def powers_at_zero(torch):
    y = ddl.tensor([-1.0], requires_grad=True)
    (ddl.tensor([0.0]) ** y).sum().backward()
    assert y.grad.tolist() == [0]
    ty = torch.tensor([-1.0], requires_grad=True)
    (torch.tensor([0.0]) ** ty).sum().backward()
    assert ty.grad.tolist() == [-np.inf]


@divergence("`sign`, `floor`, `ceil`, `round`")
def steps_are_constants(torch):
    for name in ("sign", "floor", "ceil", "round"):
        assert not getattr(ddl, name)(ddl.ones(2, requires_grad=True)).requires_grad
        x = torch.ones(2, requires_grad=True)
        getattr(torch, name)(x).sum().backward()
        assert x.grad.tolist() == [0, 0]


@divergence("`scatter`, `index_put`, `index_copy` to one place twice")
def the_last_written_has_the_gradient(torch):
    def gradients(package, write):
        x, v = package.zeros(2), package.tensor([1.0, 2.0])
        v.requires_grad = True
        out = write(x, package.tensor([0, 0]), v)
        assert out.tolist() == [2, 0]
        out.sum().backward()
        return v.grad.tolist()

    for write in (
        lambda x, i, v: x.scatter(0, i, v),
        lambda x, i, v: x.index_put((i,), v),
        lambda x, i, v: x.index_copy(0, i, v),
    ):
        assert gradients(ddl, write) == [0, 1]
        assert gradients(torch, write) == [1, 1]


@divergence("`logsumexp` of -inf alone")
def logsumexp_of_nothing(torch):
    x, tx = (m.tensor([-np.inf, -np.inf], requires_grad=True) for m in (ddl, torch))
    for t in (x, tx):
        with np.errstate(divide="ignore"):
            y = t.logsumexp(0)
        assert y.item() == -np.inf
        y.backward()
    assert x.grad.tolist() == [0, 0]
    assert np.isnan(tx.grad.tolist()).all()


@divergence("`max`, `min` of a NaN")
def the_gradient_of_nan_is_nan(torch):
    for name in ("max", "min"):
        x, tx = (m.tensor([np.nan, 1.0], requires_grad=True) for m in (ddl, torch))
        with np.errstate(invalid="ignore", divide="ignore"):
            getattr(x, name)().backward()
        getattr(tx, name)().backward()
        assert np.isnan(x.grad.tolist()).all()
        assert tx.grad.tolist() == [1, 0]


@divergence("a max pool of several NaN")
def the_first_nan_has_the_gradient(torch):
    x, tx = (m.tensor([[[np.nan, 1.0, np.nan]]], requires_grad=True) for m in (ddl, torch))
    F.max_pool1d(x, 3).backward(ddl.ones(1, 1, 1))
    torch.max_pool1d(tx, 3).backward(torch.ones(1, 1, 1))
    assert x.grad.tolist() == [[[1, 0, 0]]]
    assert tx.grad.tolist() == [[[0, 0, 1]]]


@divergence("`pickle`, `torch.save`")
def pickling_is_refused(torch):
    import io
    import pickle

    with pytest.raises(TypeError, match=r"ddl\.save"):
        pickle.dumps(ddl.ones(2))
    torch.save(torch.ones(2), io.BytesIO())


@divergence("`CosineAnnealingLR`, `OneCycleLR` past their end")
def schedules_stay_where_they_ended(torch):
    def rates(package, schedulers, parameter, steps, **more):
        optimizer = package.SGD([parameter], lr=1.0)
        cosine = schedulers.CosineAnnealingLR(optimizer, 2)
        for _ in range(steps):
            optimizer.step()
            cosine.step()
        return cosine.get_last_lr()[0]

    mine, theirs = ddl.nn.Parameter(np.ones(1)), torch.nn.Parameter(torch.ones(1))
    assert rates(ddl.optim, ddl.optim, mine, 4) == pytest.approx(0)
    assert rates(torch.optim, torch.optim.lr_scheduler, theirs, 4) == pytest.approx(1)
    cycle = ddl.optim.OneCycleLR(ddl.optim.SGD([mine], lr=1.0, momentum=0.9), 1.0, 3)
    optimizer = torch.optim.SGD([theirs], lr=1.0, momentum=0.9)
    other = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1.0, 3)
    assert cycle.optimizer.param_groups[0]["momentum"] == 0.9
    assert optimizer.param_groups[0]["momentum"] != 0.9
    for schedule in (cycle, other):
        for _ in range(3):
            schedule.step()
    cycle.step()
    with pytest.raises(ValueError, match="3"):
        other.step()


@divergence("a batch of arrays or numbers")
def arrays_stay_arrays(torch):
    samples = [(np.ones(2), 0), (np.ones(2), 1)]
    x, y = next(iter(ddl.data.DataLoader(samples, 2)))
    assert type(x) is type(y) is np.ndarray
    assert isinstance(next(iter(ddl.data.DataLoader([ddl.ones(2)], 1))), ddl.Tensor)
    tx, ty = next(iter(torch.utils.data.DataLoader(samples, 2)))
    assert type(tx) is type(ty) is torch.Tensor


@divergence("a list in a sample")
def a_list_is_a_row(torch):
    samples = [[1, 2, 3], [4, 5, 6]]
    assert next(iter(ddl.data.DataLoader(samples, 2))).tolist() == samples
    assert [c.tolist() for c in next(iter(torch.utils.data.DataLoader(samples, 2)))] == [[1, 4], [2, 5], [3, 6]]


@divergence("the order of a shuffled `DataLoader`")
def the_epoch_says_the_order(torch):
    def orders(loader):
        return [[batch.item() for batch in loader] for _ in range(2)]

    first, second = orders(ddl.data.DataLoader(range(20), shuffle=True, seed=0))
    later = ddl.data.DataLoader(range(20), shuffle=True, seed=0)
    later.load_state_dict(later.state_dict() | {"epoch": 1})
    assert orders(later)[0] == second != first
    draws = torch.Generator()
    draws.manual_seed(0)
    loader = torch.utils.data.DataLoader(range(20), shuffle=True, generator=draws)
    before = orders(loader)
    draws.manual_seed(0)
    torch.rand(1, generator=draws)
    assert orders(loader) != before


@divergence("convolutions and pools of one image without a batch axis")
def an_image_is_no_batch(torch):
    for f, theirs in ((F.conv2d, torch.conv2d), (F.max_pool2d, lambda x, w: torch.max_pool2d(x, 2))):
        others = (ddl.ones(4, 3, 2, 2),) if f is F.conv2d else (2,)
        with pytest.raises(
            ValueError, match=r"takes floating-point inputs \(N, C, H, W\), but float32 of shape \(3, 5, 5\)"
        ):
            f(ddl.ones(3, 5, 5), *others)
        assert f(ddl.ones(3, 5, 5)[None], *others).ndim == 4
        assert theirs(torch.ones(3, 5, 5), torch.ones(4, 3, 2, 2)).ndim == 3


@divergence("boolean masks of attention layers")
def true_keeps(torch):
    keep, x = np.array([[True, False], [True, True]]), np.ones((1, 2, 4), np.float32)
    _, p = ddl.nn.MultiHeadAttention(4, 2)(x, attn_mask=keep, need_weights=True)
    assert p[0].tolist() == [[1, 0], [0.5, 0.5]]
    tx = torch.tensor(x)
    _, tp = torch.nn.MultiheadAttention(4, 2, batch_first=True)(tx, tx, tx, attn_mask=torch.tensor(~keep))
    assert tp[0].tolist() == [[1, 0], [0.5, 0.5]]


@divergence("a query that may see nothing, in an attention layer")
def nothing_seen_gives_zeros(torch):
    x, none = np.ones((1, 2, 4), np.float32), np.zeros((2, 2), bool)
    assert ddl.nn.MultiHeadAttention(4, 2, bias=False)(x, attn_mask=none).tolist() == [[[0] * 4] * 2]
    tx = torch.tensor(x)
    y, _ = torch.nn.MultiheadAttention(4, 2, bias=False, batch_first=True)(tx, tx, tx, attn_mask=torch.tensor(~none))
    assert y.isnan().all()


@divergence("`is_causal=True` of an attention layer")
def causal_needs_no_mask(torch):
    x = np.ones((1, 2, 4), np.float32)
    _, p = ddl.nn.MultiHeadAttention(4, 2)(x, is_causal=True, need_weights=True)
    assert p[0].tolist() == [[1, 0], [0.5, 0.5]]
    tx = torch.tensor(x)
    with pytest.raises(RuntimeError, match="attn_mask"):
        torch.nn.MultiheadAttention(4, 2, batch_first=True)(tx, tx, tx, is_causal=True)


@divergence("`MultiHeadAttention`, `TransformerEncoderLayer`, `TransformerDecoderLayer`")
def the_batch_comes_first(torch):
    layer, x = ddl.nn.MultiHeadAttention(4, 2, is_causal=True), np.random.default_rng(0).random((3, 2, 4), np.float32)
    y = layer(x)
    assert y.shape == (3, 2, 4)
    np.testing.assert_allclose(layer(x[:1]).numpy(), y[:1].numpy(), rtol=1e-5)
    theirs, tx = torch.nn.MultiheadAttention(4, 2), torch.tensor(x)
    (ty, tp), (alone, _) = theirs(tx, tx, tx), theirs(tx[:, :1], tx[:, :1], tx[:, :1])
    assert tp.shape == (2, 3, 3)
    torch.testing.assert_close(alone, ty[:, :1])


@divergence("a weight that two layers share, in `state_dict()`")
def a_shared_weight_is_saved_once(torch):
    def tied(linear, base):
        model = base()
        model.a, model.b = linear(2, 2, bias=False), linear(2, 2, bias=False)
        model.b.weight = model.a.weight
        return list(model.state_dict())

    assert tied(ddl.nn.Linear, ddl.nn.Module) == ["a.weight"]
    assert tied(torch.nn.Linear, torch.nn.Module) == ["a.weight", "b.weight"]


@divergence("layers in a list or dict that a module has")
def lists_are_looked_into(torch):
    def found(package):
        model = package.Module()
        model.many, model.named = [package.Linear(2, 2)], {"up": package.Linear(2, 2)}
        return [path for path, _ in model.named_parameters()]

    assert found(ddl.nn) == ["many.0.weight", "many.0.bias", "named.up.weight", "named.up.bias"]
    assert found(torch.nn) == []


@divergence("lists and arrays where a layer or a function of `nn` takes tensors")
def lists_are_taken(torch):
    assert ddl.nn.LayerNorm(2)([[1.0, 1.0]]).tolist() == [[0, 0]]
    with pytest.raises(TypeError):
        torch.nn.LayerNorm(2)([[1.0, 1.0]])


@divergence("`register_full_backward_hook`")
def backward_hooks_watch(torch):
    layer, twin = ddl.nn.Linear(2, 1), torch.nn.Linear(2, 1)
    layer.register_full_backward_hook(lambda module, came_out, came_in: came_out)
    with pytest.raises(TypeError, match="gradients can only be watched"):
        layer(ddl.ones(1, 2, requires_grad=True)).sum().backward()
    twin.register_full_backward_hook(lambda module, came_out, came_in: (2 * came_out[0],))
    tx = torch.ones(1, 2, requires_grad=True)
    twin(tx).sum().backward()
    torch.testing.assert_close(tx.grad, 2 * twin.weight.detach())


@pytest.mark.torch
@pytest.mark.parametrize("what", DIVERGENCES)
def test_divergence(what, torch):
    DIVERGENCES[what](torch)


def test_the_readme_lists_them_all():
    section = README.read_text("utf-8").split("Where the same name means something else", 1)[1].split("\n## ")[0]
    assert re.findall(r"^\| (.*?) \| ", section, re.MULTILINE)[1:] == list(DIVERGENCES)
