"""graph.backward: a graph of the gradients, traced from the rules, which gives what ddl.grad gives, order by order."""

import numpy as np
import pytest
from cases import CASES

import ddl
from ddl import nn
from ddl.graph.table import into, op_of

DIFFERENTIABLE = [c for c in CASES if c.order]
every_case = pytest.mark.parametrize("case", DIFFERENTIABLE, ids=[c.id for c in DIFFERENTIABLE])


def leaves(arrays):
    xs = [ddl.Tensor(x) for x in arrays]
    for x in xs:
        x.requires_grad = x.dtype.kind == "f"
    return xs


def replayed(graph, *inputs):
    """The outputs, from inputs, parameters, constants and ops alone."""
    values = {i: ddl.Tensor(x) for i, x in zip(graph.inputs, inputs, strict=True)}
    for node, edges in zip(graph.nodes, into(graph)):
        if node.kind == "op":
            given = [None] * (1 + max(e.slot for e in edges))
            for e in edges:
                given[e.slot] = values[e.start]
            values[node.id] = op_of(graph, node)(*given, **node.settings)
        elif node.id not in values:
            values[node.id] = node.value if isinstance(node.value, (int, float)) else ddl.Tensor(node.value)
    return [values[i].data for i in graph.outputs]


def traced(case):
    xs = leaves(case.inputs())
    ddl.manual_seed(0)
    graph = ddl.trace(case.f, *xs)
    ddl.manual_seed(0)
    y = case.f(*xs)
    return graph, xs, y, np.random.default_rng(1).standard_normal(y.shape).astype(y.dtype)


def same(found, expected):
    for a, b in zip(found, expected, strict=True):
        assert a.shape == b.shape
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b.data, 1e-10, 1e-10)


@every_case
def test_it_gives_what_grad_gives_to_second_order(case):
    graph, xs, y, seed = traced(case)
    live = [x for x in xs if x.requires_grad]
    gs = ddl.grad([y], live, [ddl.Tensor(seed)], create_graph=True)
    first = graph.backward(seed)
    assert all(vars(a)[k] is vars(b)[k] for a, b in zip(graph.nodes, first.nodes) for k in vars(a))
    same([first.nodes[i].value for i in first.outputs], gs)
    same(replayed(first, *(x.data for x in xs), seed), gs)
    if case.order < 2:
        return
    seeds = [np.random.default_rng(2).standard_normal(g.shape).astype(g.dtype) for g in gs]
    used = [(g, ddl.Tensor(s)) for g, s in zip(gs, seeds) if g.requires_grad]
    second = first.backward(seeds if len(gs) > 1 else seeds[0])
    found = [second.nodes[i].value for i in second.outputs]
    if used:
        same(found[: len(live)], ddl.grad([g for g, _ in used], live, [s for _, s in used]))
    else:
        assert not any(np.any(g) for g in found[: len(live)])


@pytest.mark.parametrize(
    "case", [c for c in DIFFERENTIABLE if c.on_spec], ids=[c.id for c in DIFFERENTIABLE if c.on_spec]
)
def test_shapes_are_enough(case):
    xs = [ddl.Spec(x.shape, x.dtype) for x in case.inputs()]
    graph = ddl.trace(case.f, *xs).backward()
    shapes = [(graph.nodes[i].shape, graph.nodes[i].dtype) for i in graph.outputs]
    assert shapes == [(x.shape, x.dtype) for x in xs if x.dtype.kind == "f"]


def test_named_sizes_and_modules_go_back_too():
    with ddl.shapes_only():
        model = ddl.models.GPT2(ddl.models.GPT2Config(vocab_size=50, block_size=16, n_embd=8, n_layer=2, n_head=2))
    graph = ddl.trace(model, ddl.Spec(("B", "T"), np.int64))
    back = graph.backward()
    (seed,) = set(back.inputs) - set(graph.inputs)
    assert (back.nodes[seed].name, str(back.nodes[seed].shape)) == ("gradient", "(B, T, 50)")
    gradients = {n.name: back.nodes[back.gradients[n.id]] for n in graph.of_kind("parameter")}
    assert {name: g.shape for name, g in gradients.items()} == {n: p.shape for n, p in model.named_parameters()}
    assert gradients["blocks.1.attn.qkv.weight"].scope == "backward.blocks.1.attn.qkv"
    assert back.assumptions == graph.assumptions == ["T <= 16"]


def test_a_tanh_goes_back_by_its_rule():
    graph = ddl.trace(ddl.tanh, ddl.tensor(0.5)).backward()
    assert [(n.kind, n.op or n.name) for n in graph.nodes] == [
        ("input", "input 0"), ("op", "tanh"), ("constant", "1"),
        ("op", "mul"), ("constant", "1.0"), ("op", "sub"), ("op", "mul"),
    ]  # fmt: skip
    assert [n.name for n in graph.parents(6)] == ["1", ""]
    assert graph.gradients == {0: 6, 1: 2}
    third = graph.backward().backward()
    t = np.tanh(0.5)
    np.testing.assert_allclose(third.nodes[third.outputs[0]].value, (1 - t * t) * (6 * t * t - 2), 1e-6)


def test_a_hessian_times_a_vector():
    A, x, v = np.array([[2.0, 1.0], [1.0, 5.0]]), np.ones(2), np.array([1.0, -3.0])
    graph = ddl.trace(lambda x: 0.5 * (x @ ddl.Tensor(A) @ x), ddl.Tensor(x)).backward().backward()
    np.testing.assert_array_equal(replayed(graph, x, v)[0], A @ v)


def test_a_model_gives_its_gradients_on_other_data():
    model = nn.Sequential(nn.Linear(3, 4), nn.GELU(), nn.LayerNorm(4), nn.Linear(4, 2))
    loss = lambda x, t: nn.functional.cross_entropy(model(x), t)
    x, y = (ddl.randn(5, 3) for _ in range(2))
    t = ddl.Tensor(np.array([0, 1, 1, 0, 1]))
    graph = ddl.trace(loss, x, t).backward()
    gy, *gs = replayed(graph, y.data, t.data)
    y.requires_grad = True
    expected = ddl.grad(loss(y, t), [y, *model.parameters()])
    for found, wanted in zip([gy, *gs], expected, strict=True):
        np.testing.assert_allclose(found, wanted.data, 1e-5, 1e-7)


def test_what_reaches_no_output_gets_zeros():
    graph = ddl.trace(lambda x, y: (x * x.detach()).sum() + ddl.argmax(y), ddl.tensor([1.0, 2.0]), ddl.tensor([3.0]))
    assert [graph.backward().nodes[i].value.tolist() for i in graph.backward().outputs] == [[1.0, 2.0], [0.0]]


def test_a_graph_of_scalars_goes_back():
    x, w = ddl.Scalar(3.0, "x"), ddl.Scalar(2.0, "w")
    y = ddl.Scalar.dot([w], [x], 1.0).tanh() ** 2
    y.backward()
    graph = ddl.graph.of(y).backward()
    found = {n.name: float(graph.nodes[graph.gradients[i]].value) for i in graph.inputs for n in [graph.nodes[i]]}
    assert found["x"] == pytest.approx(x.grad, rel=1e-12)
    assert found["w"] == pytest.approx(w.grad, rel=1e-12)


def test_a_tensors_record_goes_back():
    x, w = ddl.randn(3, 2, requires_grad=True), ddl.randn(2, requires_grad=True)
    y = (x @ w).tanh().sum()
    graph = ddl.graph.of(y, {"x": x, "w": w}).backward()
    same([graph.nodes[i].value.astype(np.float32) for i in graph.outputs], ddl.grad(y, [x, w]))


def test_a_gradient_of_the_wrong_shape_is_refused():
    graph = ddl.trace(lambda x: (x, x.exp()), ddl.ones(2))
    with pytest.raises(ValueError, match=r"shape \(2,\) was given with shape \(3,\)"):
        graph.backward([ddl.ones(2), ddl.ones(3)])
    with pytest.raises(ValueError, match="for each of 2 outputs"):
        graph.backward([ddl.ones(2)])
