"""ddl.trace: the graph says what was computed, from what, where; and finds faults of shape before there is data."""

import threading
import tracemalloc

import numpy as np
import pytest
from cases import CASES

import ddl
from ddl import fused, nn, ops
from ddl.define import Binary, Op, Unary
from ddl.nn import functional as F

OPS = {v.name: v for room in (ops, fused) for v in vars(room).values() if isinstance(v, Op)}


def rerun(graph, node, values):
    """The op of a node applied to the values of its parents."""
    parents = {e.slot: values[e.start] for e in graph.edges if e.end == node.id}
    op = OPS[node.op]
    inputs = [parents.get(slot) for slot in range(max(parents) + 1)]
    return op(*[x if x is None else ddl.Tensor(x) for x in inputs], **node.settings).data


@pytest.mark.parametrize("case", [c for c in CASES if c.order], ids=[c.id for c in CASES if c.order])
def test_the_graph_is_the_computation(case):
    """Run node by node from its edges and settings alone, it gives what the eager run gives."""
    xs = [ddl.Tensor(x) for x in case.inputs()]
    for x in xs:
        x.requires_grad = x.dtype.kind == "f"
    ddl.manual_seed(0)
    expected = case.f(*xs)
    ddl.manual_seed(0)
    graph = ddl.trace(case.f, *xs)
    values = {}
    for node in graph.nodes:
        values[node.id] = rerun(graph, node, values) if node.op in OPS else node.value
        np.testing.assert_array_equal(values[node.id], node.value)
    (end,) = graph.outputs
    np.testing.assert_array_equal(values[end], expected.data)
    assert all(e.start < e.end for e in graph.edges)


@pytest.mark.parametrize("case", [c for c in CASES if c.on_spec], ids=[c.id for c in CASES if c.on_spec])
def test_a_trace_of_shapes_makes_no_values_up(case):
    """Each constant whose value it tells is one that the trace of values has too."""
    inputs = case.inputs()
    told = [n.value for n in ddl.trace(case.f, *[ddl.Spec(x.shape, x.dtype) for x in inputs]).of_kind("constant")]
    known = [n.value for n in ddl.trace(case.f, *inputs).of_kind("constant")]
    for value in told:
        assert value is None or any(np.array_equal(value, k, equal_nan=True) for k in known)


def test_nodes_say_what_where_and_by_which_line():
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
    graph = ddl.trace(model, ddl.randn(5, 3))
    told = [(n.kind, n.op or n.name, n.shape, n.scope) for n in graph.nodes]
    assert told == [
        ("input", "x", (5, 3), ""),
        ("parameter", "0.weight", (4, 3), ""),
        ("parameter", "0.bias", (4,), ""),
        ("op", "linear", (5, 4), "0"),
        ("op", "relu", (5, 4), "1"),
        ("parameter", "2.weight", (2, 4), ""),
        ("parameter", "2.bias", (2,), ""),
        ("op", "linear", (5, 2), "2"),
    ]
    assert [n.name for n in graph.parents(7)] == ["", "2.weight", "2.bias"]
    assert (graph.inputs, graph.outputs, graph.parameters) == ([0], [7], 26)
    assert graph.nodes[3].source.text == "graph = ddl.trace(model, ddl.randn(5, 3))"
    assert graph.nodes[3].source.file == __file__


@pytest.mark.parametrize(
    ("f", "names"),
    [
        (lambda x, mask: x * mask, ["x", "mask"]),
        (lambda _, self, *xs: _ + self + xs[0] + xs[1], ["input 0", "input 1", "xs[0]", "xs[1]"]),
        (lambda x, y=None, z=1: x, ["x"]),
        (nn.functional.mse_loss, ["input", "target"]),
        (nn.MultiHeadAttention(2, 1), ["query", "key", "value"]),
        (nn.Linear(2, 2).forward, ["x"]),
        (ddl.ops.exp, ["x"]),
        (ddl.exp, ["input 0"]),
        (max, ["input 0", "input 1"]),
    ],
)
def test_inputs_have_the_names_of_the_arguments(f, names):
    shape = (1,) if f is max else (1, 2, 2)
    graph = ddl.trace(f, *(ddl.ones(shape) for _ in names))
    assert [graph.nodes[i].name for i in graph.inputs] == names


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (3.0, "x is 3.0, a float"),
        ([1.0, 2.0], r"x is \[1.0, 2.0\], a list"),
        ((2, 3), r"x is \(2, 3\), a tuple"),
        (ddl.Scalar(3.0), "x is .*, a Scalar"),
        ([ddl.ones(1)], "x is .*, a list"),
        ({"a": ddl.ones(1)}, "x is .*, a dict"),
    ],
)
def test_inputs_that_are_no_arrays_are_refused(given, told):
    with pytest.raises(TypeError, match=rf"(?s)tensors, arrays or Specs.*but {told}; give ddl.tensor"):
        ddl.trace(lambda x: x, given)


def test_a_tensor_that_is_given_twice_is_two_inputs():
    x = ddl.tensor([2.0, 3.0], requires_grad=True)
    for same in (x, x.numpy(), ddl.Spec((2,))):
        graph = ddl.trace(lambda a, b: a - b, same, same)
        assert [(e.start, e.end) for e in graph.edges] == [(0, 2), (1, 2)]
    graph = ddl.trace(lambda a, b: (a * a * b).sum(), x, x).walk_back()
    assert [graph.nodes[i].grad.tolist() for i in graph.inputs] == [[8.0, 18.0], [4.0, 9.0]]
    assert x.grad is None


def test_a_function_may_call_modules_and_hold_constants():
    layer, shift = nn.Linear(2, 2), np.ones(2, np.float32)
    graph = ddl.trace(lambda x: (layer(x) + shift) * 3.0, ddl.Spec(("N", 2)))
    assert [n.name for n in graph.of_kind("parameter")] == ["layer.weight", "layer.bias"]
    assert [n.scope for n in graph.of_kind("op")] == ["layer", "", ""]
    assert [n.name for n in graph.of_kind("constant")] == ["", "3.0"]


def test_two_modules_of_a_function_keep_apart():
    body, head = nn.Sequential(nn.Linear(2, 3)), nn.Linear(3, 1)
    graph = ddl.trace(lambda x: head(body(x)), ddl.Spec(("N", 2)))
    assert [n.scope for n in graph.of_kind("op")] == ["body.0", "head"]
    assert {n.name for n in graph.of_kind("parameter")} == {"body.0.weight", "body.0.bias", "head.weight", "head.bias"}


def test_a_method_and_a_builtin_are_traced_too():
    model = ddl.models.MLP(3, 4, 2)
    assert ddl.trace(model.forward, ddl.Spec(("N", 3))).parameters == model.num_parameters()
    assert [n.op for n in ddl.trace(ddl.exp, ddl.ones(2)).of_kind("op")] == ["exp"]


def test_settings_that_were_left_out_are_there():
    (node,) = ddl.trace(lambda x: x.sum(), ddl.ones(2)).of_kind("op")
    assert node.settings == {"axis": None, "keepdims": False}


def test_a_view_of_what_is_kept_is_not_counted_again():
    def f(x):
        y = x.exp()
        return y.reshape(2, 5) * y.reshape(2, 5)

    x = ddl.ones(10, requires_grad=True)
    assert sum(n.kept_bytes for n in ddl.trace(f, x).nodes) == 40


def test_values_have_statistics_and_shapes_have_none():
    graph = ddl.trace(lambda x: x.exp(), ddl.tensor([0.0, 1.0]))
    assert graph.nodes[0].statistics == {"min": 0.0, "max": 1.0, "mean": 0.5, "norm": 1.0}
    graph = ddl.trace(lambda x: x.exp(), ddl.Spec((2,)))
    assert (graph.nodes[1].value, graph.nodes[1].statistics) == (None, None)


def test_what_is_kept_for_the_gradient_is_counted_once():
    graph = ddl.trace(lambda x: (x.exp() * x.exp()).tanh(), ddl.Spec((10,)))
    assert [n.kept_bytes for n in graph.nodes] == [0, 40, 40, 0, 40]  # exp and tanh keep results, * their factors
    graph = ddl.trace(lambda x: x.exp().sum(), ddl.tensor([0.0]))
    assert [n.kept_bytes for n in graph.nodes] == [0, 0, 0]  # nobody asked for a gradient


def test_gpt2_is_traced_from_shapes_alone():
    tracemalloc.start()
    with ddl.shapes_only():
        model = ddl.models.GPT2(ddl.models.GPT2Config())
    graph = ddl.trace(model, ddl.Spec(("B", "T"), np.int64))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10e6
    assert graph.parameters == 124_439_808
    assert graph.assumptions == ["T <= 1024"]
    assert str(graph.nodes[graph.outputs[0]].shape) == "(B, T, 50257)"
    assert {n.scope for n in graph.nodes} >= {"blocks.11.attn.qkv", "ln_f"}


@pytest.mark.parametrize("block", [8, 64])
def test_gpt2_with_values_is_traced_from_named_sizes(block):
    config = ddl.models.GPT2Config(vocab_size=11, block_size=block, n_embd=8, n_layer=1, n_head=2)
    model = ddl.models.GPT2(config)
    weights = list(model.parameters())

    def scores_and_gradients(ids):
        scores = model(ids)
        return scores, ddl.grad(scores.sum(), weights)

    graph = ddl.trace(scores_and_gradients, ddl.Spec(("B", "T"), np.int64))
    scores, *gradients = (graph.nodes[i].shape for i in graph.outputs)
    assert graph.assumptions == [f"T <= {block}"]
    assert str(scores) == "(B, T, 11)"
    assert gradients == [w.shape for w in weights]


@pytest.mark.parametrize("x", [ddl.ones(5, 3), ddl.Tensor(ddl.Spec((5, 3)))], ids=["values", "shapes"])
def test_values_up_to_a_named_size_have_a_shape(x):
    T = ddl.Spec("T").shape[0]
    assert [str(x[i].shape) for i in (slice(T), (Ellipsis, T), (slice(T), None, [0, 1]))] == [
        "(T, 3)",
        "(5,)",
        "(T, 1, 2)",
    ]


@pytest.mark.parametrize(
    ("model", "inputs", "shapes"),
    [
        (lambda: nn.Sequential(nn.Linear(8, 4), nn.ReLU()), (("B", "T", 8),), ["(B, T, 4)"]),
        (lambda: nn.MultiHeadAttention(8, 2, is_causal=True), (("B", "T", 8),), ["(B, T, 8)"]),
        (lambda: nn.LSTM(8, 5, batch_first=True), (("B", 6, 8),), ["(B, 6, 5)", "(1, B, 5)", "(1, B, 5)"]),
        (lambda: nn.Conv2d(3, 4, 3, stride=2), (("B", 3, "H", "W"),), ["(B, 4, (H + 1) // 2 - 1, (W + 1) // 2 - 1)"]),
        (lambda: nn.BatchNorm2d(3), (("B", 3, "H", "W"),), ["(B, 3, H, W)"]),
        (lambda: nn.AvgPool2d(2, padding=1), (("B", 3, "H", 4),), ["(B, 3, H // 2 + 1, 3)"]),
        (lambda: nn.AdaptiveAvgPool2d(1), (("B", 3, "H", "W"),), ["(B, 3, 1, 1)"]),
        (lambda: nn.AdaptiveAvgPool2d((2, None)), (("B", 3, "H", "W"),), ["(B, 3, 2, W)"]),
        (lambda: nn.AdaptiveMaxPool2d((1, None)), (("B", 3, "H", "W"),), ["(B, 3, 1, W)"]),
        (lambda: nn.LearnedPositions(6, 4), (("B", "T", 4),), ["(B, T, 4)"]),
        (lambda: lambda x: F.cross_entropy(x, ddl.Tensor(ddl.Spec("N", np.int64))), (("N", 9),), ["()"]),
        (lambda: lambda x: x.reshape(-1, 8).mean(0), (("B", "T", 8),), ["(8,)"]),
    ],
)
def test_named_sizes_go_through_layers(model, inputs, shapes):
    graph = ddl.trace(model(), *map(ddl.Spec, inputs))
    assert [str(graph.nodes[i].shape) for i in graph.outputs] == shapes


@pytest.mark.parametrize(
    ("call", "sentence", "layer"),
    [
        (lambda: ddl.trace(nn.Sequential(nn.Linear(8, 4), nn.Linear(5, 2)), ddl.Spec(("B", 8))), "5.*4", "Linear '1'"),
        (lambda: ddl.trace(nn.Linear(128, 4), ddl.Spec(("B", "C"))), "128.*C", "Linear"),
        (lambda: ddl.trace(nn.Sequential(nn.LayerNorm(8)), ddl.Spec(("B", "C"))), "8.*C", "LayerNorm '0'"),
        (lambda: ddl.trace(nn.Sequential(nn.Conv2d(3, 4, 3)), ddl.Spec(("B", 1, 8, 8))), "3.*1", "Conv2d '0'"),
        (lambda: ddl.trace(nn.Sequential(nn.MultiHeadAttention(8, 2)), ddl.Spec(("B", "T", 6))), "8.*6", "'0'"),
    ],
)
def test_a_wrong_shape_names_the_layer_and_both_sizes(call, sentence, layer):
    with pytest.raises(ValueError, match=sentence) as error:
        call()
    assert any(layer in note for note in error.value.__notes__)


def test_a_wrong_op_names_both_sizes():
    with pytest.raises(ValueError, match=r"C meets D"):
        ddl.trace(lambda x, y: x + y, ddl.Spec(("B", "C")), ddl.Spec(("B", "D")))


def test_a_loop_over_a_named_size_is_refused():
    with pytest.raises(TypeError, match="a loop over it, or an array of it, needs a number"):
        ddl.trace(nn.LSTM(8, 5, batch_first=True), ddl.Spec(("B", "T", 8)))


def test_parts_of_a_named_size_need_its_number():
    with pytest.raises(TypeError, match=r"adaptive_max_pool2d cuts an axis into 2 parts.*the size is named H"):
        ddl.trace(nn.AdaptiveMaxPool2d(2), ddl.Spec(("B", 3, "H", "W")))


def test_eager_calls_are_as_before_also_after_an_error():
    calls = [vars(kind)["__call__"] for kind in (Op, Unary, Binary)]
    with pytest.raises(ValueError, match="broadcast"):
        ddl.trace(lambda x: x + ddl.ones(5), ddl.ones(2))
    ddl.trace(lambda x: ddl.trace(lambda y: y * 2.0, x) and x, ddl.ones(2))
    assert [vars(kind)["__call__"] for kind in (Op, Unary, Binary)] == calls


@pytest.mark.parametrize(
    ("f", "said"),
    [
        (lambda x: x / float(x.sum()), ["a number read from node 1 stays 2.5"]),
        (lambda x: x * x.sum().item() + x.sum().item(), [f"a number read from node {i} stays 2.5" for i in (1, 4)]),
        (lambda x: x if x.sum() > 0 else -x, ["a number read from node 3 stays True"]),
        (lambda x: x * int(x[0]) + int(x[0:1]), [f"a number read from node {i} stays 1.0" for i in (1, 4)]),
        (lambda x: x * float(ddl.ones(1)), []),
        (lambda x: x + 1.0, []),
    ],
)
def test_a_number_that_was_read_is_taken_for_granted(f, said):
    item, x = ddl.Tensor.item, ddl.tensor([1.0, 1.5])
    graph = ddl.trace(f, x)
    assert graph.assumptions == said
    np.testing.assert_array_equal(graph.run(x).data, f(x).data)
    assert ddl.Tensor.item is item


def test_other_threads_are_not_seen():
    def f(x):
        other = threading.Thread(target=lambda: ddl.ones(3) * 2.0)
        other.start()
        other.join()
        return x + 1.0

    assert [n.op for n in ddl.trace(f, ddl.ones(2)).of_kind("op")] == ["add"]


def test_a_graph_is_readable():
    text = repr(ddl.trace(nn.Sequential(nn.Linear(3, 4)), ddl.Spec(("B", 3))))
    assert text.splitlines()[-1].split() == ["#3", "linear", "#0,", "#1,", "#2", "float32[B,", "4]", "0"]


@pytest.mark.parametrize("size", [1e300, 1e-300, 0.0])
def test_statistics_hold_at_the_ends_of_the_line(size):
    node = ddl.trace(lambda x: x, ddl.tensor([3 * size, -4 * size, 0.0], dtype="float64")).nodes[0]
    assert node.statistics == pytest.approx(
        {"min": -4 * size, "max": 3 * size, "mean": -size / 3, "norm": 5 * size}, rel=1e-14
    )
    (nan,) = ddl.trace(lambda x: x, ddl.tensor([1.0, float("nan")])).nodes
    assert np.isnan(list(nan.statistics.values())).all()
