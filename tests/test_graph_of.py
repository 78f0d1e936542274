"""ddl.graph.of: the graph of what was computed already, from a Scalar and from a tensor, walks back as they do."""

import numpy as np
import pytest
from cases import CASES
from hypothesis import given, settings
from hypothesis import strategies as st

import ddl
from ddl import Scalar, nn

DIFFERENTIABLE = [c for c in CASES if c.order]
STEPS = [
    lambda a, b: a + b,
    lambda a, b: 1.5 - a * b,
    lambda a, b: a / (b * b + 1.0),
    lambda a, b: (a * 0.1).exp() + (b * b + 1.0).log(),
    lambda a, b: a.tanh() ** 3 - (b * b + 0.5) ** 0.3,
    lambda a, b: a.sigmoid().max(b.relu()) - abs(a),
    lambda a, b: (a * a + 1.0).sqrt() / 2.0,
    lambda a, b: (a * a + 1.0) ** (b * 0.1),
    lambda a, b: Scalar.sum([a, b, a, 2.0]),
    lambda a, b: Scalar.dot([a, 2.0], [b, a], a),
    lambda a, b: Scalar.dot([a], [b]) - (-a),
]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=8))
def test_a_graph_of_scalars_walks_as_backward_does(steps):
    made = [Scalar(0.7, "a"), Scalar(-0.4, "b")]
    for step, i, j in steps:
        made.append(step(made[-1 - i % len(made)], made[-1 - j % len(made)]))
    made[-1].backward()
    graph, told = ddl.graph.of(made[-1]).walk_back(), made[-1].graph()
    assert [n.name for n in graph.nodes] == [n["name"] for n in told["nodes"]]
    np.testing.assert_array_equal([n.value for n in graph.nodes], [n["value"] for n in told["nodes"]])
    np.testing.assert_allclose([n.grad for n in graph.nodes], [n["grad"] for n in told["nodes"]], 1e-10, 1e-12)
    assert [(e.start, e.end) for e in graph.edges] == [(e["from"], e["to"]) for e in told["edges"]]
    np.testing.assert_allclose([e.slope for e in graph.edges], [e["slope"] for e in told["edges"]], 1e-10, 1e-12)


def test_a_graph_of_a_scalar_has_its_values_and_slopes_before_a_walk():
    graph = ddl.graph.of(Scalar(2.0, "x") ** 0.123456789 * 3.0)
    assert [(n.kind, n.op, n.name) for n in graph.nodes] == [
        ("input", "", "x"), ("op", "power", ""), ("input", "", ""), ("op", "mul", ""),
    ]  # fmt: skip
    assert graph.nodes[1].settings == {"exponent": 0.123456789}
    assert [e.slope for e in graph.edges][1:] == [3.0, 2.0**0.123456789]
    assert graph.nodes[3].grad is None


@pytest.mark.parametrize("case", DIFFERENTIABLE, ids=[c.id for c in DIFFERENTIABLE])
def test_a_tensors_record_walks_as_backward_does(case):
    xs = [ddl.Tensor(x) for x in case.inputs()]
    for x in xs:
        x.requires_grad = x.dtype.kind == "f"
    y = case.f(*xs)
    seed = np.random.default_rng(1).standard_normal(y.shape).astype(y.dtype)
    names = {f"x{i}": x for i, x in enumerate(xs) if x.requires_grad}
    graph = ddl.graph.of(y, names).walk_back(seed)
    y.backward(seed)
    found = {n.name: n.grad for n in graph.nodes if n.kind == "input"}
    for name, x in names.items():
        if x.grad is not None:
            np.testing.assert_allclose(found[name], x.grad.data, 1e-12, 1e-12)
    assert graph.nodes[graph.outputs[0]].value is y.data
    for node in graph.nodes:
        assert node.value is None or np.shape(node.value) == node.shape


def test_values_are_computed_again_where_all_they_need_is_known():
    x, w = ddl.tensor([1.0, 2.0], requires_grad=True), ddl.tensor([3.0, 4.0], requires_grad=True)
    graph = ddl.graph.of((x * w + 1.0).sum(), {"w": w})
    assert [(n.kind, n.op or n.name) for n in graph.nodes] == [
        ("input", ""), ("input", "w"), ("op", "mul"), ("constant", ""), ("op", "add"), ("op", "sum"),
    ]  # fmt: skip
    values = [None if n.value is None else np.asarray(n.value).tolist() for n in graph.nodes]
    assert values == [[1.0, 2.0], [3.0, 4.0], [3.0, 8.0], None, None, 13.0]  # nobody kept the 1.0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "f", [lambda x: x * 3 + 1, lambda x: 1.5 - x * x, lambda x: (x - 1).softmax(-1), lambda x: (x / 2 - 0.5).exp()]
)
def test_a_number_takes_its_dtype_from_what_it_meets(f, dtype):
    x = ddl.tensor(np.array([1.0, 2.0], dtype), requires_grad=True)
    graph = ddl.graph.of(f(x).sum(), {"x": x})
    assert {n.dtype for n in graph.nodes if not n.weak} == {np.dtype(dtype)}


def test_a_frozen_bias_is_not_taken_for_none():
    layer, x = nn.Linear(2, 2), ddl.ones(3, 2, requires_grad=True)
    layer.bias.requires_grad = False
    layer.bias.data += 1.0
    y = layer(x)
    graph = ddl.graph.of(ddl.cat([y, y]).sum(), layer)
    (linear,) = (n for n in graph.nodes if n.op == "linear")
    assert linear.value is None or (linear.value == y.data).all()


def test_parameters_have_their_names_and_memory_is_counted_once():
    model, x = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)), ddl.randn(5, 3)
    graph = ddl.graph.of(model(x).sum(), model)
    assert [n.name for n in graph.of_kind("parameter")] == [name for name, _ in model.named_parameters()]
    assert graph.parameters == model.num_parameters()
    kept = {n.op: n.kept_bytes for n in graph.nodes if n.op in ("tanh", "sum")}
    assert kept == {"tanh": 5 * 4 * 4, "sum": 0}


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda x: x.detach() * 2.0, r"no record; use ddl.trace"),
        (lambda x: freed(x), "freed"),
        (lambda x: changed(x), "changed in place"),
    ],
)
def test_what_has_no_record_is_refused(make, sentence):
    with pytest.raises(RuntimeError, match=sentence):
        ddl.graph.of(make(ddl.ones(2, requires_grad=True)))


def freed(x):
    y = (x * x).sum()
    y.backward(retain_graph=False)
    return y


def changed(x):
    y = x * x
    with ddl.no_grad():
        x += 1.0
    return y


def test_several_numbers_and_several_tensors_have_one_graph():
    a, b = Scalar(2.0, "a"), Scalar(3.0, "b")
    product, total = a * b, a + b
    graph = ddl.graph.of([total, product]).walk_back()
    assert [graph.nodes[i].value for i in graph.outputs] == [5.0, 6.0]
    assert {graph.nodes[i].name: graph.nodes[i].grad for i in graph.inputs} == {"a": 1.0 + 3.0, "b": 1.0 + 2.0}
    x = ddl.tensor([1.0, 2.0], requires_grad=True)
    graph = ddl.graph.of([x.sum(), (x * x).sum()], {"x": x}).walk_back()
    np.testing.assert_array_equal([graph.nodes[i].value for i in graph.outputs], [3.0, 5.0])
    np.testing.assert_array_equal(graph.nodes[graph.inputs[0]].grad, [3.0, 5.0])


@pytest.mark.parametrize("what", [3.0, None, "abc", [3], [], [Scalar(1.0), ddl.ones(1)]], ids=str)
def test_what_has_no_graph_is_refused(what):
    with pytest.raises(TypeError, match="the graph of a Scalar, a tensor or a list of either can be had, but"):
        ddl.graph.of(what)


def test_names_are_those_of_tensors():
    x = ddl.ones(2, requires_grad=True)
    for params in ([x], {"x": np.ones(2)}):
        with pytest.raises(TypeError, match=r"params names tensors, as a module or as .* does, but"):
            ddl.graph.of(x * 2.0, params)
