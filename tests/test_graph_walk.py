"""graph.walk_back: the numbers at every node and on every edge are those of ddl.grad, and what arrives adds up."""

import numpy as np
import pytest
from cases import CASES
from hypothesis import given, settings
from hypothesis import strategies as st

import ddl
from ddl import nn

DIFFERENTIABLE = [c for c in CASES if c.order]


def watched(f, *xs):
    """f(*xs), and every tensor that an op made on the way, in order."""
    made = []
    with ddl.graph.tracing.watching(lambda op, inputs, params, out: made.append(out)):
        out = f(*xs)
    return out, made


def check(f, *inputs):
    """Every node's gradient is ddl.grad's, and the sum of what the edges out of it carry."""
    xs = [ddl.Tensor(x) for x in inputs]
    for x in xs:
        x.requires_grad = x.dtype.kind == "f"
    ddl.manual_seed(0)
    y, made = watched(f, *xs)
    seed = np.random.default_rng(1).standard_normal(y.shape).astype(y.dtype)
    ddl.manual_seed(0)
    graph = ddl.trace(f, *xs).walk_back(seed)
    ops = [n for n in graph.of_kind("op") if n.op != "detach"]
    assert len(ops) == len(made)
    pairs = [*zip((graph.nodes[i] for i in graph.inputs), xs), *zip(ops, made)]
    live = [(node, t) for node, t in pairs if t.requires_grad]
    expected = ddl.grad([y], [t for _, t in live], [ddl.Tensor(seed)])
    for (node, _), g in zip(live, expected):
        np.testing.assert_allclose(node.grad if node.grad is not None else 0.0 * g.data, g.data, 1e-12, 1e-12)
    for node, t in pairs:
        assert node.grad is None or (t.requires_grad and node.grad.shape == node.shape)
    adds_up(graph, seed)
    return graph


def adds_up(graph, seed):
    for node in graph.nodes:
        carried = [e.carries for e in graph.edges if e.start == node.id and e.carries is not None]
        carried += [seed] * graph.outputs.count(node.id)
        if node.grad is not None:
            np.testing.assert_allclose(node.grad, sum(carried), 1e-12, 1e-12)
        for e in graph.edges:
            if e.end == node.id and e.slope is not None and np.isfinite(node.grad).all():
                np.testing.assert_allclose(e.carries.reshape(()), e.slope * node.grad.reshape(()), 1e-12)


@pytest.mark.parametrize("case", DIFFERENTIABLE, ids=[c.id for c in DIFFERENTIABLE])
def test_the_walk_is_true_for_every_op(case):
    check(case.f, *case.inputs())


PIECES = [
    lambda a, b: a + b,
    lambda a, b: a - 2.0 * b,
    lambda a, b: a * b,
    lambda a, b: a / (b * b + 1.0),
    lambda a, b: a.tanh(),
    lambda a, b: (0.3 * a).sigmoid(),
    lambda a, b: ddl.maximum(a, b),
    lambda a, b: a.relu() + b.detach(),
    lambda a, b: a * without_gradient(b),
]


def without_gradient(x):
    with ddl.no_grad():
        return x.exp().clip(0.1, 2.0)


@settings(max_examples=60, deadline=None)
@given(st.data(), st.sampled_from([((), ()), ((3,), (2, 3)), ((2, 1), (1, 3)), ((1,), ())]))
def test_the_walk_is_true_for_random_programs(data, shapes):
    steps = data.draw(st.lists(st.tuples(st.sampled_from(PIECES), st.integers(0, 9), st.integers(0, 9)), min_size=1))

    def program(*made):
        made = list(made)
        for piece, i, j in steps:
            made.append(piece(made[-1 - i % len(made)], made[-1 - j % len(made)]))
        return made[-1]

    rng = np.random.default_rng(0)
    check(program, *(rng.standard_normal(shape) for shape in shapes))


def test_a_number_that_goes_two_ways_gets_the_sum():
    def f(a):
        b = a + a
        return b * b

    graph = ddl.trace(f, ddl.tensor(3.0)).walk_back()
    assert [float(n.grad) for n in graph.nodes] == [24.0, 12.0, 1.0]
    assert [(e.start, e.end, e.slope, float(e.carries)) for e in graph.edges] == [
        (0, 1, 1.0, 12.0), (0, 1, 1.0, 12.0), (1, 2, 6.0, 6.0), (1, 2, 6.0, 6.0),
    ]  # fmt: skip


def test_what_is_detached_is_a_constant():
    def f(x):
        return x * x.detach() + x.data * 2.0 * x

    x = ddl.tensor(3.0, requires_grad=True)
    for start in (x, ddl.tensor(3.0)):
        graph = ddl.trace(f, start)
        assert [n.op for n in graph.of_kind("op")][:2] == ["detach", "mul"]
    assert float(ddl.trace(f, x).walk_back().nodes[0].grad) == float(ddl.grad(f(x), x)) == 9.0
    with ddl.no_grad():
        graph = ddl.trace(lambda x: x * x, x)
    assert [n.op for n in graph.of_kind("op")] == ["mul"]


def test_parameters_get_what_backward_gives_them():
    model, x = nn.Sequential(nn.Linear(3, 4), nn.GELU(), nn.LayerNorm(4), nn.Linear(4, 2)), ddl.randn(5, 3)
    graph = ddl.trace(lambda x: model(x).softmax(-1)[:, 0].log().sum(), x).walk_back()
    model(x).softmax(-1)[:, 0].log().sum().backward()
    grads = {n.name: n.grad for n in graph.of_kind("parameter")}
    for name, p in model.named_parameters():
        np.testing.assert_allclose(grads[f"model.{name}"], p.grad.data, 1e-6)


def test_walking_again_gives_the_same_and_forgets_the_last_walk():
    graph = ddl.trace(lambda x: (x * 2.0, x * 3.0), ddl.tensor(1.0))
    first = [n.grad for n in graph.walk_back([1.0, 1.0]).nodes]
    assert [n.grad for n in graph.walk_back().nodes] == first
    graph.outputs = graph.outputs[:1]
    graph.walk_back()
    assert [n.grad is None for n in graph.of_kind("op")] == [False, True]
    assert [e.carries is None for e in graph.edges] == [False, True, True, True]


@pytest.mark.parametrize(
    ("make", "gradient", "error", "sentence"),
    [
        (lambda: ddl.trace(ddl.exp, ddl.Spec((2,))), None, ValueError, "trace with tensors instead of Specs"),
        (lambda: ddl.trace(ddl.exp, ddl.ones(2)), None, RuntimeError, r"one element, but its shape is \(2,\)"),
        (lambda: ddl.trace(ddl.exp, ddl.ones(2)), [1.0], ValueError, r"shape \(2,\) was given with shape \(1,\)"),
        (lambda: ddl.trace(lambda x: (x, x), ddl.ones(2)), [1.0], ValueError, "1 gradients were given for 2 outputs"),
    ],
)
def test_what_cannot_be_walked_is_refused(make, gradient, error, sentence):
    with pytest.raises(error, match=sentence):
        make().walk_back(gradient)
