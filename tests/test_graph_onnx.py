"""graph.to_onnx: onnxruntime gives the numbers that ddl gives, and onnx's own checker finds no fault."""

import functools
import re

import numpy as np
import onnx
import onnxruntime
import pytest
from cases import CASES
from hostile import NAMES
from indices import drawn
from namings import NUMBERS, attempts

import ddl
from ddl import nn, ops
from ddl.define import op

onnxruntime.set_default_logger_severity(4)

# What is refused, and why. Printed, so that the list is seen.
ONNX_HAS_NOT = {
    "dropout": "zeros by a generator of our own, which no model in evaluation has",
    "reshape of an array whose size depends on values": "the graph knows the size that nonzero found, and no other",
}
# ONNX's operators that onnxruntime cannot run on a CPU in this dtype; the checker takes them.
NO_KERNEL = {(kind, "float64") for kind in ("Conv", "ConvTranspose", "Col2Im", "Erf")}
# Ops none of whose cases can be written with a name for a size, and why.
NEED_NUMBERS = {
    "dropout dropout2d": "never written",
    "nll_loss": "how many targets count is a number in the graph",
    "conv_transpose2d add_windows": "a window's size cannot have a name, and in these cases other axes have it too",
}
TOLERANCE = {"float32": {"rtol": 1e-5, "atol": 2e-6}, "float64": {"rtol": 1e-12, "atol": 1e-12}}
DTYPES = pytest.mark.parametrize("dtype", ["float32", "float64"])


def checked(graph):
    return checked_model(graph.to_onnx())


def checked_model(model):
    onnx.checker.check_model(model, full_check=True)
    return model


def run(model, *inputs, names=()):
    """The results of a model on arrays; where they have names, it takes those it has a use for."""
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    taken = [x.name for x in session.get_inputs()]
    named = dict(zip(names or taken, inputs, strict=True))
    return session.run(None, {name: named[name] for name in taken})


def names_of(graph):
    return [graph.nodes[i].name for i in graph.inputs]


def agree(got, expected):
    for x, y in zip(got, expected, strict=True):
        assert (x.dtype, x.shape) == (y.dtype, y.shape)
        np.testing.assert_allclose(x, y, **TOLERANCE.get(y.dtype.name, {}))


@functools.cache
def outcome(case, dtype):
    """Nothing, or the op that is refused, or the operator without a kernel."""
    inputs = case.inputs(dtype)
    ddl.manual_seed(0)
    graph = ddl.trace(case.f, *inputs)
    try:
        model = checked(graph)
        agree(run(model, *inputs, names=names_of(graph)), [graph.nodes[i].value for i in graph.outputs])
    except NotImplementedError as error:
        return re.match(r"to_onnx met (.+?)(?: in '.+')?, which ONNX has not; \w+", str(error))[1]
    except onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented as error:
        return str(error).split("implementation for ")[1].split("(")[0], dtype
    return None


@DTYPES
@pytest.mark.parametrize("case", CASES, ids=[c.id for c in CASES])
def test_a_model_has_the_numbers_of_ddl_or_is_refused(case, dtype):
    found = outcome(case, dtype)
    assert found is None or found in ONNX_HAS_NOT.keys() | NO_KERNEL


def test_what_is_refused_is_all_that_is_listed():
    print("\nONNX has not:", *(f"{ops} ({why})" for ops, why in ONNX_HAS_NOT.items()))
    print("onnxruntime cannot run:", *(f"{kind} of {dtype}" for kind, dtype in NO_KERNEL))
    found = {outcome(case, dtype) for case in CASES for dtype in ("float32", "float64")}
    assert found == ONNX_HAS_NOT.keys() | NO_KERNEL | {None}


def gradients(case):
    """The function that gives the gradients of a case's floats, along a fixed random direction."""

    def walk(*xs):
        live = [x for x in xs if x.dtype.kind == "f"]
        for x in live:
            x.requires_grad = True
        out = case.f(*xs)
        direction = np.random.default_rng(3).standard_normal(out.shape).astype(out.dtype)
        return ddl.grad(out, live, ddl.Tensor(direction), create_graph=True)

    return walk


@pytest.mark.slow
@pytest.mark.parametrize("case", [c for c in CASES if c.order], ids=[c.id for c in CASES if c.order])
def test_gradients_are_written_too(case):
    inputs = case.inputs(np.float32)
    graph = ddl.trace(gradients(case), *map(ddl.Tensor, inputs))
    if any(node.op == "dropout" for node in graph.nodes):
        return
    for got, i in zip(run(checked(graph), *inputs, names=names_of(graph)), graph.outputs):
        expected = graph.nodes[i].value
        if expected.size:  # onnxruntime 1.32 takes an Expand to no rows away where a product follows
            np.testing.assert_allclose(got, expected, rtol=1e-4, atol=2e-5)


@pytest.mark.slow
@pytest.mark.parametrize("case", [c for c in CASES if c.on_spec], ids=[c.id for c in CASES if c.on_spec])
def test_names_for_sizes_stand_for_their_numbers(case):
    """A model written of shapes alone, with names for some sizes, has the numbers of ddl, or is refused in words."""
    inputs = case.inputs(np.float32)
    expected, refused = case.f(*map(ddl.Tensor, inputs)).numpy(), []
    for specs in attempts(case):
        try:
            graph = ddl.trace(case.f, *specs)
        except (TypeError, ValueError, IndexError):
            continue  # test_shapes_named.py says for which ops that may be
        try:
            model = checked(graph)
        except (NotImplementedError, ValueError) as error:
            refused.append(str(error))
            continue
        if all(eval(fact, {}, NUMBERS) for fact in graph.assumptions):
            agree(run(model, *inputs, names=names_of(graph)), [expected])
    assert all(re.match(r"to_onnx .*; (trace|give|compute)|to_onnx met dropout", said) for said in refused)


def test_every_op_but_these_is_written_with_names():
    """Whether one case at least, of each op, is written with a name for a size."""
    written = set()
    for case in CASES:
        if case.on_spec and case.op not in written:
            written |= {case.op for specs in attempts(case) if is_written(case, specs)}
    print("\nneed numbers for all sizes:", *(f"{op} ({why})" for op, why in NEED_NUMBERS.items()))
    assert {c.op for c in CASES if c.on_spec} - written == {op for ops in NEED_NUMBERS for op in ops.split()}


def is_written(case, specs):
    try:
        return bool(ddl.trace(case.f, *specs).to_onnx())
    except (NotImplementedError, TypeError, ValueError, IndexError):
        return False


@pytest.mark.parametrize("seed", range(150))
def test_any_index(seed):
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(2, 5, rng.integers(1, 5)).tolist())
    if (index := drawn(rng, shape)) is None:
        return
    x = floats(*shape)
    v = floats(*x[index].shape)
    agree(run(checked(ddl.trace(lambda x: x[index], x)), x), [x[index]])
    for f, *inputs in (
        (lambda x, v: x.index_put(index, v), x, v),
        (lambda v: ops.setitem(v, index=index, shape=shape), v),
    ):
        agree(run(checked(ddl.trace(f, *inputs)), *inputs), [f(*map(ddl.Tensor, inputs)).numpy()])


def floats(*shape):
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32)


def ids(*shape):
    return np.random.default_rng(len(shape)).integers(0, 9, shape)


def with_statistics(model, *shape):
    """The model after it has seen a batch, in evaluation."""
    model(ddl.Tensor(floats(*shape)))
    return model.eval()


GPT2 = ddl.models.GPT2Config(vocab_size=9, block_size=6, n_embd=12, n_layer=2, n_head=3)
# A model, the shape it is traced with, and the sizes it is then run with.
MODELS = {
    "MLP": (lambda: ddl.models.MLP(3, 8, 2), ("B", 3), [(1, 3), (5, 3)]),
    "CNN": (lambda: ddl.models.CNN(8), ("B", 1, 8, 8), [(1, 1, 8, 8), (3, 1, 8, 8)]),
    "images of any size": (
        lambda: with_statistics(
            nn.Sequential(
                nn.Conv2d(3, 4, 3, stride=2, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2),
                nn.GroupNorm(2, 4), nn.AvgPool2d(2, padding=1), nn.ConvTranspose2d(4, 2, 2, stride=2),
            ), 2, 3, 9, 8),
        ("B", 3, "H", "W"), [(1, 3, 9, 8), (2, 3, 12, 17)],
    ),
    "largest of an image": (
        lambda: nn.Sequential(nn.Conv2d(2, 3, 3), nn.AdaptiveMaxPool2d(1), nn.Flatten()),
        ("B", 2, "H", "W"), [(1, 2, 3, 5), (2, 2, 7, 4)],
    ),
    "GPT2": (lambda: ddl.models.GPT2(GPT2).eval(), ("B", "T"), [(1, 1), (2, 6), (3, 4)]),
    "LSTM": (lambda: nn.LSTM(4, 5, num_layers=2, bidirectional=True), (3, "B", 4), [(3, 1, 4), (3, 4, 4)]),
    "GRU": (lambda: nn.GRU(4, 5, batch_first=True), ("B", 3, 4), [(1, 3, 4), (4, 3, 4)]),
    "encoder": (lambda: nn.TransformerEncoderLayer(8, 2).eval(), ("B", "T", 8), [(1, 1, 8), (2, 5, 8)]),
    "rotary": (
        lambda: nn.MultiHeadAttention(12, 3, is_causal=True, rotary=nn.RotaryEmbedding(4)),
        ("B", "T", 12), [(1, 1, 12), (2, 9, 12)],
    ),
    "ALiBi": (
        lambda: nn.MultiHeadAttention(12, 3, is_causal=True, alibi=nn.ALiBi(3)),
        ("B", "T", 12), [(1, 1, 12), (2, 9, 12)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_a_model_takes_sizes_that_its_trace_left_open(name):
    make, shape, sizes = MODELS[name]
    ddl.manual_seed(0)
    model = make()
    draw, dtype = (ids, np.int64) if name == "GPT2" else (floats, np.float32)
    graph = ddl.trace(model, ddl.Spec(shape, dtype))
    written = checked(graph)
    declared = [d.dim_param or d.dim_value for d in written.graph.input[0].type.tensor_type.shape.dim]
    assert declared == list(shape)
    held = {x.name: onnx.numpy_helper.to_array(x) for x in written.graph.initializer}
    for path, parameter in model.named_parameters():
        np.testing.assert_array_equal(held[path], parameter.numpy())
    assert written.doc_string == f"taken for granted: {', '.join(graph.assumptions)}" * bool(graph.assumptions)
    for n in sizes:
        x = draw(*n)
        with ddl.no_grad():
            out = model(ddl.Tensor(x))
        parts = out if isinstance(out, tuple) else (out,)
        flat = [t for part in parts for t in (part if isinstance(part, tuple) else (part,))]
        agree(run(written, x), [t.numpy() for t in flat])


def test_a_graph_without_values_takes_them_by_name():
    with ddl.shapes_only():
        empty = ddl.models.GPT2(GPT2)
    graph = ddl.trace(empty, ddl.Spec(("B", "T"), np.int64))
    model = ddl.models.GPT2(GPT2)
    agree(run(graph.to_onnx(values=model.state_dict()), ids(2, 5)), [model(ids(2, 5)).numpy()])
    with pytest.raises(ValueError, match=r"parameter 'wte.weight' only its shape \(9, 12\) is known; give values="):
        graph.to_onnx()
    with pytest.raises(ValueError, match=r"'wte.weight' of shape \(2,\), but the graph has \(9, 12\)"):
        graph.to_onnx(values={"wte.weight": np.ones(2)})


def test_values_are_held_against_the_graph_also_where_it_has_its_own():
    graph = ddl.trace(nn.Linear(2, 3), ddl.ones(1, 2))
    with pytest.raises(ValueError, match=r"given 'weight' of shape \(3,\), but the graph has \(3, 2\)"):
        graph.to_onnx(values={"weight": np.ones(3)})
    with pytest.raises(ValueError, match="a parameter 'wieght' was given"):
        graph.to_onnx(values={"wieght": 1})
    with pytest.raises(TypeError, match="a dict from names to tensors"):
        graph.to_onnx(values=[1])


def test_a_graph_read_from_json_is_written():
    for model, shape, dtype, x in (
        (ddl.models.GPT2(GPT2), ("B", "T"), np.int64, ids(2, 5)),
        (ddl.models.CNN(8), ("B", 1, 8, 8), np.float32, floats(2, 1, 8, 8)),
        (lambda x: x[:, 1:].var(0), ("N", 3), np.float32, floats(5, 3)),
    ):
        graph = ddl.graph.load(ddl.trace(model, ddl.Spec(shape, dtype)).to_json())
        values = model.state_dict() if isinstance(model, nn.Module) else None
        agree(run(checked_model(graph.to_onnx(values=values)), x), [model(ddl.Tensor(x)).numpy()])


def test_a_backward_graph_is_written():
    model, x = ddl.models.MLP(3, 4, 2), ddl.tensor(floats(5, 3), requires_grad=True)
    loss = lambda x: (model(x) ** 2).mean()
    written = checked(ddl.trace(loss, x).backward())
    agree(run(written, x.numpy()), [g.numpy() for g in ddl.grad(loss(x), [x, *model.parameters()])])


def test_a_number_that_nobody_knew_is_refused():
    """1 / sqrt(D) where D has only a name; how many targets count, or how many entries a window has."""
    with pytest.raises(ValueError, match=r"a number that the trace could not know.*numbers for the sizes"):
        ddl.trace(lambda x: nn.functional.scaled_dot_product_attention(x, x, x), ddl.Spec(("T", "D"))).to_onnx()
    losses = ddl.trace(nn.functional.cross_entropy, ddl.Spec(("N", 3)), ddl.Spec("N", np.int64))
    pools = ddl.trace(nn.AvgPool1d(3, padding=1, count_include_pad=False), ddl.Spec(("B", 2, "L")))
    for graph in (losses, pools):
        with pytest.raises(ValueError, match=r"a constant of shape \(.*\) were not known .*; trace with tensors"):
            graph.to_onnx()
    graph = ddl.trace(lambda x: x * float("nan"), ddl.ones(2))
    np.testing.assert_array_equal(run(checked(graph), np.ones(2, np.float32)), [[np.nan, np.nan]])


@pytest.mark.parametrize(
    ("f", "shape"),
    [
        (lambda x: x.index_put((slice(None), 0), 1.0), ("B", 3)),
        (lambda x: x.index_put((slice(1, None), slice(None, None, 2)), x[1:, :2] * 2.0), ("B", 3)),
        (lambda x: ops.setitem(x[:, 1:], index=(slice(None), slice(1, None)), shape=x.shape), ("B", 3)),
        (lambda x: ops.setitem(x[:, [0, 2, 0]], index=(slice(None), [0, 2, 0]), shape=x.shape), ("B", 3)),
        (nn.MaxPool2d(2, ceil_mode=True), ("B", 2, "H", "W")),
        (nn.MaxPool2d(3, stride=2, padding=1, ceil_mode=True), ("B", 2, "H", 7)),
    ],
)
def test_places_and_windows_in_sizes_that_have_names(f, shape):
    graph = ddl.trace(f, ddl.Spec(shape))
    written = checked(graph)
    for sizes in ({"B": 2, "H": 5, "W": 7}, {"B": 3, "H": 8, "W": 4}, {"B": 5, "H": 9, "W": 9}):
        if all(eval(fact, {}, sizes) for fact in graph.assumptions):
            x = floats(*(sizes.get(n, n) for n in shape))
            agree(run(written, x), [f(ddl.Tensor(x)).numpy()])


def test_ids_that_write_over_each_other_need_numbers():
    graph = ddl.trace(lambda x: x.index_put((slice(None), [0, 0]), 1.0), ddl.Spec(("B", 3)))
    with pytest.raises(NotImplementedError, match=r"assign by ids in a shape with names.*numbers for its sizes"):
        graph.to_onnx()


def test_a_size_that_no_input_has_is_refused():
    twice = ddl.Spec("N").shape[0] * 2
    with pytest.raises(ValueError, match="the size N, but no input has an axis of just that size"):
        ddl.trace(lambda x: x.reshape(x.shape[0] // 2, x.shape[1] * 2), ddl.Spec((twice, "M"))).to_onnx()


def test_an_input_that_was_kept_as_an_index_is_no_input():
    graph = ddl.trace(lambda x, i: x[i], floats(4, 2), ids(3) % 4)
    written = checked(graph)
    assert [x.name for x in written.graph.input] == ["x"]
    agree(run(written, floats(4, 2)), [floats(4, 2)[ids(3) % 4]])


def test_an_op_of_the_user_is_written_by_its_definition():
    """Also where it has the name of an op of the library."""

    @op("{x}^2")
    def exp(x):
        return x * x

    @op("{x}^2")
    def squared(xp, x):
        return xp.square(x)

    x = floats(3)
    agree(run(checked(ddl.trace(exp, x)), x), [x * x])
    with pytest.raises(NotImplementedError, match="to_onnx met squared, which ONNX has not; compute it outside"):
        ddl.trace(squared, x).to_onnx()


def test_a_number_beyond_the_dtype_is_compared_as_it_is():
    x = np.array([1, 44, 255], np.uint8)
    agree(run(checked(ddl.trace(lambda x: (x < 300) & (x != 256 + 44), x)), x), [np.ones(3, bool)])


def test_what_is_detached_goes_on():
    x = ddl.tensor([1.0, 2.0], requires_grad=True)
    graph = ddl.trace(lambda x: x * x.detach(), x)
    assert "detach" in [n.op for n in graph.nodes]
    agree(run(checked(graph), x.numpy()), [np.float32([1, 4])])


def test_a_graph_of_scalars():
    a, b = ddl.Scalar(2.0), ddl.Scalar(3)
    c = ((a * b - a**2).tanh() + (a / b).exp()).relu() + a.max(b)
    agree(run(checked(ddl.graph.of(c)), np.array(2.0), np.array(3.0)), [np.array(c.data)])


@pytest.mark.parametrize("f", [lambda a, b: a + b, lambda a, b: a * b, lambda a, b: ddl.max(a, b), lambda a, b: a == b])
def test_booleans_are_combined_as_numpy_does(f):
    a, b = np.array([True, True, False, False]), np.array([True, False, True, False])
    agree(run(checked(ddl.trace(f, a, b)), a, b), [f(ddl.Tensor(a), ddl.Tensor(b)).numpy()])


@pytest.mark.filterwarnings("ignore:.*encountered")
@pytest.mark.parametrize("name", ["exp", "expm1", "log", "log1p", "sqrt", "tanh", "sigmoid", "relu", "sign", "round"])
def test_the_ends_of_the_line(name):
    x = np.array([np.nan, np.inf, -np.inf, 0.0, -2.5, 1e-30, 89.0, -104.0])
    for dtype in (np.float32, np.float64):
        f = getattr(ddl, name)
        agree(run(checked(ddl.trace(f, x.astype(dtype))), x.astype(dtype)), [f(ddl.Tensor(x.astype(dtype))).numpy()])


@pytest.mark.filterwarnings("ignore:.*encountered")
@pytest.mark.parametrize("f", [lambda x, y: x % y, lambda x, y: x // y])
def test_division_with_a_rest_at_the_ends_of_the_line(f):
    ends = np.array([0.0, 1.0, -1.0, 2.5, -7.0, np.inf, -np.inf, np.nan])
    x, y = ends[:, None], ends
    agree(run(checked(ddl.trace(f, x, y)), x, y), [f(ddl.Tensor(x), ddl.Tensor(y)).numpy()])


def test_dead_ends_are_left_out():
    def f(x):
        nn.functional.dropout(x)
        return x + 1.0

    assert [n.op_type for n in ddl.trace(f, floats(2)).to_onnx().graph.node] == ["Add", "Identity"]


@pytest.mark.parametrize("name", [*NAMES, "input 0", "output 0", "Gemm"])
def test_names_are_kept_whatever_they_are(name):
    class Named(nn.Module):
        def __init__(self):
            setattr(self, name, nn.Linear(2, 2))

        def forward(self, x):
            return getattr(self, name)(x)

    model = Named()
    written = checked(ddl.trace(model, ddl.Spec(("B", 2))))
    held = {x.name for x in written.graph.initializer}
    paths = {path for path, _ in model.named_parameters()}
    assert held == paths or {"\0", "\ud800"} & set(name)
    agree(run(written, floats(3, 2)), [model(floats(3, 2)).numpy()])
    again = onnx.load_from_string(written.SerializeToString())
    assert {x.name for x in again.graph.initializer} == held


def test_names_that_become_equal_are_told_apart():
    model = nn.ModuleDict({"a\0": nn.Linear(2, 2), "a\\0": nn.Linear(2, 2)})
    written = checked(ddl.trace(lambda x: model["a\0"](x) - model["a\\0"](x), floats(1, 2)))
    assert len({x.name for x in written.graph.initializer}) == 4
    agree(run(written, floats(1, 2)), [(model["a\0"](floats(1, 2)) - model["a\\0"](floats(1, 2))).numpy()])


def test_a_refusal_names_the_op_and_the_layer_and_says_what_to_do():
    model = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5))
    with pytest.raises(NotImplementedError, match=r"dropout in '1', which ONNX has not; .*model\.eval\(\)"):
        ddl.trace(model, ddl.ones(1, 2)).to_onnx()
    assert run(ddl.trace(model.eval(), ddl.ones(1, 2)).to_onnx(), np.ones((1, 2), np.float32))[0].shape == (1, 2)


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "onnx", None)
    with pytest.raises(ImportError, match="pip install onnx"):
        ddl.trace(ddl.exp, ddl.ones(2)).to_onnx()


def test_a_path_gets_the_model(tmp_path):
    graph = ddl.trace(ddl.exp, ddl.ones(2))
    model = graph.to_onnx(tmp_path / "exp.onnx")
    assert onnx.load(tmp_path / "exp.onnx") == model


def test_a_model_larger_than_a_file_can_be_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("ddl.graph.onnx.LARGEST", 100)
    graph = ddl.trace(nn.Linear(9, 9), floats(1, 9))
    with pytest.raises(ValueError, match=r"0\.0 GiB.*save_as_external_data"):
        graph.to_onnx(tmp_path / "large.onnx")
    assert not (tmp_path / "large.onnx").exists()
    assert graph.to_onnx().graph.initializer
