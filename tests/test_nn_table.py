"""Every layer of ddl.nn, row by row: PyTorch's twin, moving parameters, state, dtypes, shapes, devices, refusals."""

import inspect

import numpy as np
import pytest
from fake_cupy import installed
from layer_cases import REFUSALS, ROWS, Row

import ddl
from ddl import nn

# Layers that lack a kind of row, and why. Printed, so that the list is seen.
NO_ROW: dict[str, str] = {}
NO_TWIN = {
    "GPT2": "tests/test_model_torch.py",
    "Hardsigmoid": "PyTorch's takes 1 / 6 in float32",
}
NO_BAD_ARGUMENTS = {"Identity": "it ignores them"}
NO_BAD_INPUTS = {
    "Dropout": "it takes any shape",
    "Identity": "it takes anything",
    "ModuleList": "not called",
    "ModuleDict": "not called",
}
# Refusals that name a part of the layer, by its path. Printed, so that the list is seen.
NAMES_A_PART = {
    "Sequential-width": "it takes what its first part takes",
    "TransformerEncoderLayer-padding": "masks are its attention's",
}

every_row = pytest.mark.parametrize("row", ROWS, ids=[r.id for r in ROWS])


def named(layers):
    return {layer.__name__ for layer in layers}


def flat(out, kind=ddl.Tensor):
    """All tensors of a result, in order."""
    if isinstance(out, kind):
        return [out]
    parts = out.values() if isinstance(out, dict) else out if isinstance(out, (tuple, list)) else ()
    return [t for part in parts for t in flat(part, kind)]


def directions(outs):
    rng = np.random.default_rng(3)
    return [rng.standard_normal(out.shape) for out in outs]


def made(row, dtype=np.float64, seed=1):
    ddl.manual_seed(seed)
    return row.make().to(dtype)


def leaves(arrays, device=None):
    return [ddl.tensor(x, device=device, requires_grad=x.dtype.kind == "f") for x in arrays]


def trained(row, layer, inputs, device=None):
    """Results, and the gradients of inputs and parameters along fixed random directions, as tensors."""
    xs = leaves(inputs, device)
    ddl.manual_seed(2)
    outs = [out for out in flat(row.call(layer, *xs)) if out.requires_grad]
    along = [ddl.tensor(d.astype(out.dtype), device=device) for d, out in zip(directions(outs), outs)]
    total = sum(((out * d).sum() for d, out in zip(along[1:], outs[1:])), (outs[0] * along[0]).sum())
    layer.zero_grad()
    total.backward()
    return outs, [x.grad for x in xs if x.requires_grad], {path: p.grad for path, p in layer.named_parameters()}


@every_row
def test_every_parameter_gets_a_gradient_and_moves_in_a_training_step(row):
    layer = made(row, np.float32)
    before = {path: p.numpy().copy() for path, p in layer.named_parameters()}
    optimizer = ddl.optim.SGD(layer.parameters(), lr=0.1) if before else None
    _, _, gradients = trained(row, layer, row.inputs(np.float32))
    for path, g in gradients.items():
        assert g is not None, path
        assert g.shape == before[path].shape
    if optimizer is not None:
        optimizer.step()
    moved = {path for path, p in layer.named_parameters() if (p.numpy() != before[path]).any()}
    assert moved | set(row.still) == set(before)


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore:reduction. 'mean' divides")
@pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])
@pytest.mark.parametrize("row", [r for r in ROWS if r.torch], ids=[r.id for r in ROWS if r.torch])
def test_pytorchs_twin_with_equal_weights_agrees(row, training):
    import torch

    if training and row.random:
        training = False
    layer = made(row).train(training)
    twin = row.torch(torch).double().train(training)
    state = row.renamed({path: p.numpy() for path, p in layer.named_parameters()})
    assert set(state) == {path for path, _ in twin.named_parameters()}
    twin.load_state_dict({path: torch.tensor(x) for path, x in state.items()}, strict=False)
    inputs = row.inputs()
    outs, gradients, moved = trained(row, layer, inputs)
    theirs = [torch.tensor(x, requires_grad=x.dtype.kind == "f") for x in inputs]
    answer = row.run(torch, twin, *theirs)
    expected = [t for t in flat(answer, torch.Tensor) if t.requires_grad]
    assert [out.shape for out in outs] == [tuple(t.shape) for t in expected]
    for out, t in zip(outs, expected):
        np.testing.assert_allclose(out.numpy(), t.detach().numpy(), rtol=1e-12, atol=1e-12)
    sum((t * torch.tensor(d)).sum() for t, d in zip(expected, directions(outs))).backward()
    for g, t in zip(gradients, [t for t in theirs if t.requires_grad]):
        np.testing.assert_allclose(g.numpy(), t.grad.numpy(), rtol=1e-10, atol=1e-10)
    for path, g in row.renamed({path: g.numpy() for path, g in moved.items()}).items():
        found = twin.get_parameter(path).grad.numpy()
        np.testing.assert_allclose(g, found, rtol=1e-10, atol=1e-10, err_msg=path)
    buffers = {path: t.numpy() for path, t in layer.state_dict().items() if path not in moved}
    for path, values in row.renamed(buffers).items():
        np.testing.assert_allclose(values, twin.state_dict()[path].numpy(), rtol=1e-12, atol=1e-12, err_msg=path)


@every_row
def test_the_state_goes_round(row):
    a, b = made(row, np.float32, seed=1), made(row, np.float32, seed=2)
    trained(row, a, row.inputs(np.float32))
    b.load_state_dict({path: t.numpy().copy() for path, t in a.state_dict().items()})
    xs = leaves(row.inputs(np.float32))
    for x, y in zip(flat(row.call(a.eval(), *xs)), flat(row.call(b.eval(), *xs))):
        np.testing.assert_array_equal(x.numpy(), y.numpy())
    for path, t in a.state_dict().items():
        assert not np.shares_memory(t.numpy(), b.state_dict()[path].numpy())


@every_row
@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float32", "float64"])
def test_a_dtype_stays(row, dtype):
    layer = made(row, dtype)
    outs, gradients, moved = trained(row, layer, row.inputs(dtype))
    assert {t.dtype for t in [*outs, *gradients, *moved.values()]} == {np.dtype(dtype)}


@every_row
def test_shapes_alone_give_the_shapes_that_arrays_give(row):
    inputs = row.inputs(np.float32)
    outs, gradients, moved = trained(row, made(row, np.float32), inputs)
    with ddl.shapes_only():
        layer = row.make()
    assert all(isinstance(p.data, ddl.Spec) for p in layer.parameters())
    xs = [ddl.Tensor(ddl.Spec(x.shape, x.dtype)) for x in inputs]
    for x in xs:
        x.requires_grad = x.dtype.kind == "f"
    if not row.on_spec:
        with pytest.raises(TypeError, match="values"):
            row.call(layer, *xs)
        return
    got = [out for out in flat(row.call(layer, *xs)) if out.requires_grad]
    assert [(g.shape, g.dtype) for g in got] == [(out.shape, out.dtype) for out in outs]
    sum((g.sum() for g in got[1:]), got[0].sum()).backward()
    assert [x.grad.shape for x in xs if x.requires_grad] == [g.shape for g in gradients]
    assert {path: p.grad.shape for path, p in layer.named_parameters()} == {path: g.shape for path, g in moved.items()}


@pytest.mark.parametrize("row", [r for r in ROWS if r.layer is not nn.Identity], ids=lambda r: r.id)
def test_arrays_and_lists_are_taken_as_tensors_are(row):
    layer, inputs = made(row, np.float32).eval(), row.inputs(np.float32)
    expected = [out.numpy() for out in flat(row.call(layer, *map(ddl.tensor, inputs)))]
    forms = [inputs]
    if row.call is Row.call and all(x.size for x in inputs):
        forms.append([x.tolist() for x in inputs])
    for form in forms:
        found = flat(row.call(layer, *form))
        assert len(found) == len(expected)
        for out, e in zip(found, expected):
            np.testing.assert_array_equal(out.numpy(), e)


@every_row
def test_two_evaluation_passes_are_equal(row):
    layer, xs = made(row).eval(), leaves(row.inputs())
    for x, y in zip(flat(row.call(layer, *xs)), flat(row.call(layer, *xs))):
        np.testing.assert_array_equal(x.numpy(), y.numpy())
    assert not any(m.training for m in layer.modules())
    assert all(m.training for m in layer.train().modules())


@every_row
def test_a_stand_in_gpu_gives_the_cpus_numbers(row):
    inputs = row.inputs()
    outs, gradients, moved = trained(row, made(row), inputs)
    with installed() as cupy:
        there, there_gradients, there_moved = trained(row, made(row).to("gpu"), inputs, "gpu")
        assert moved.keys() == there_moved.keys()
        for x, y in zip([*outs, *gradients, *moved.values()], [*there, *there_gradients, *there_moved.values()]):
            assert type(y.data) is cupy.ndarray
            np.testing.assert_allclose(y.data.get(), x.numpy(), rtol=1e-11, atol=1e-12)


@every_row
def test_the_seed_makes_the_layer(row):
    a, same, other = made(row), made(row), made(row, seed=2)
    assert list(a.state_dict()) == list(same.state_dict())
    for p, q, r in zip(a.parameters(), same.parameters(), other.parameters()):
        np.testing.assert_array_equal(p.numpy(), q.numpy())
        assert (p.numpy() != r.numpy()).any() or np.ptp(p.numpy()) == 0  # a parameter that starts constant


@every_row
def test_a_layer_is_printed(row):
    text = repr(row.make())
    assert text.startswith(f"{row.layer.__name__}(")
    assert "object at" not in text
    assert text.count("(") == text.count(")")


@pytest.mark.parametrize("refusal", REFUSALS, ids=[r.id for r in REFUSALS])
def test_nonsense_is_refused_in_a_sentence_that_names_the_layer(refusal):
    with pytest.raises((ValueError, TypeError, IndexError)) as error:
        refusal.call()
    said = str(error.value)
    assert "\n" not in said
    shown = " ".join([said, *getattr(error.value, "__notes__", [])]) if refusal.of_inputs else said
    assert (refusal.layer.__name__ in shown) != (refusal.id in NAMES_A_PART)
    for word in refusal.words:
        assert word in said


def test_every_public_layer_is_in_the_table():
    public = {v for k, v in vars(nn).items() if inspect.isclass(v) and issubclass(v, nn.Module) and k[0] != "_"}
    names = named(public - {nn.Module})
    print("\nrefused by a part:", *(f"{name} ({why})" for name, why in NAMES_A_PART.items()))
    assert NAMES_A_PART.keys() <= {r.id for r in REFUSALS}
    lacks = {
        "a row": (names - named(r.layer for r in ROWS), NO_ROW),
        "a twin": (named(r.layer for r in ROWS) - named(r.layer for r in ROWS if r.torch), NO_TWIN),
        "bad arguments": (names - named(r.layer for r in REFUSALS if not r.of_inputs), NO_BAD_ARGUMENTS),
        "bad inputs": (names - named(r.layer for r in REFUSALS if r.of_inputs), NO_BAD_INPUTS),
    }
    for kind, (missing, known) in lacks.items():
        print(f"\nwithout {kind}:", *(f"{n} ({known.get(n)})" for n in sorted(missing)))
        assert missing == set(known), kind
