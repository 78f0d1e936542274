"""Folding, dropping and merging keep every result to the last bit, and leave nothing to fold, drop or merge."""

import random

import numpy as np
import pytest
from cases import CASES

import ddl
from ddl import nn
from ddl.graph import load
from ddl.graph.passes import drop_dead, fold_constants, merge_common

PASSES = [fold_constants, drop_dead, merge_common]
ORDERS = [[f] for f in PASSES] + [PASSES, PASSES[::-1]]


def smaller(graph, order):
    for f in order:
        graph = f(graph)
    return graph


def bits(result):
    ts = result if isinstance(result, tuple) else (result,)
    return [(t.dtype, t.shape, t.numpy().tobytes()) for t in ts]


def check_kept(graph, *inputs):
    """Every order of the passes keeps the outputs for these inputs; the graphs that come of it are well-formed."""
    expected, before = bits(graph.run(*inputs)), graph.to_json()
    for order in ORDERS:
        small = smaller(graph, order)
        assert bits(small.run(*inputs)) == expected
        assert bits(load(small.to_json(values="all")).run(*inputs)) == expected
        assert [node.id for node in small.nodes] == list(range(len(small.nodes)))
        assert len(small.nodes) <= len(graph.nodes)
        if order != PASSES[::-1]:  # which folds last, and so leaves what the others would find
            assert smaller(small, order).to_json() == small.to_json()
    assert graph.to_json() == before


@pytest.mark.parametrize("case", [c for c in CASES if c.order], ids=[c.id for c in CASES if c.order])
def test_every_case_is_kept(case):
    xs = case.inputs()
    check_kept(ddl.trace(case.f, *xs), *xs)


ONE = [
    *(ddl.exp, ddl.tanh, ddl.abs, lambda x: -x, lambda x: x * 2, lambda x: x + -0.0, lambda x: 0.5 - x),
    *(lambda x: x.sum(0, keepdim=True), lambda x: x[::-1], lambda x: x.softmax(-1)),
    lambda x: x.reshape(-1).reshape(x.shape),
]
TWO = [lambda x, y: x + y, lambda x, y: x - y, lambda x, y: x * y, ddl.maximum, lambda x, y: ddl.where(x > y, x, 3)]


def program(seed):
    """A function of two inputs that repeats itself, computes in vain, and computes with constants alone."""
    rng = random.Random(seed)
    steps = [(rng.choice(ONE + TWO), rng.randrange(10**6), rng.randrange(10**6)) for _ in range(rng.randint(3, 25))]
    numbers = [np.float32(rng.choice([0.0, -0.0, 1.0, -1.5])) for _ in range(4)]
    outputs = [rng.randrange(10**6) for _ in range(rng.randint(1, 3))]

    def f(x, y):
        made = [x, y, *(ddl.tensor(np.full((1, 3), n)) for n in numbers)]
        for step, i, j in steps:
            a, b = made[i % len(made)], made[j % len(made)]
            made.append(step(a, b) if step in TWO else step(a))
        return tuple(made[-1 - i % len(steps)] for i in outputs)

    return f


RNG = np.random.default_rng(0)


@pytest.mark.parametrize("seed", range(150))
def test_random_programs_are_kept_and_nothing_is_left_to_do(seed):
    x, y = RNG.standard_normal((2, 2, 3)).astype(np.float32)
    graph = ddl.trace(program(seed), x, y)
    with np.errstate(all="ignore"):
        check_kept(graph, x, y)
        check_kept(ddl.trace(program(seed), ddl.Spec(("N", 3)), ddl.Spec(("N", 3))), x, y)
        small = smaller(graph, PASSES)
    used = {e.start for e in small.edges} | {*small.outputs}
    assert all(node.id in used for node in small.nodes if node.kind != "input")
    for node in small.of_kind("op"):
        assert {p.kind for p in small.parents(node)} != {"constant"}
    told = [
        (n.op, repr(n.settings), tuple(p.id for p in small.parents(n))) if n.op else (n.weak, repr(n.value))
        for n in small.nodes
        if n.kind in ("op", "constant")
    ]
    assert len(set(told)) == len(told)


def ops(graph):
    return [node.op for node in graph.of_kind("op")]


def test_constants_are_folded():
    graph = ddl.trace(lambda x: x * (ddl.tensor([1.0, 2.0]) * 3.0 + 1).exp(), ddl.ones(2))
    small = fold_constants(graph)
    assert (ops(graph), ops(small)) == (["mul", "add", "exp", "mul"], ["mul"])
    (value,) = [p.value for p in small.parents(small.outputs[0]) if p.kind == "constant"]
    assert value.tobytes() == np.exp(np.array([4.0, 7.0], np.float32)).tobytes()
    assert len(drop_dead(small).nodes) == 3


def test_in_evaluation_the_scale_of_a_batch_norm_is_folded():
    model = nn.Sequential(nn.BatchNorm1d(3)).eval()
    model[0].running_var.data[:] = 4.0
    graph, x = ddl.trace(model, ddl.Spec(("N", 3))), ddl.randn(5, 3)
    small = drop_dead(fold_constants(graph))
    assert len(ops(small)) < len(ops(graph))
    assert bits(small.run(x)) == bits(graph.run(x)) == bits(model(x))


def test_what_is_different_in_every_run_is_not_folded():
    table = ddl.arange(8.0)
    graph = ddl.trace(lambda x: x * table[: x.shape[0]] + table[x.shape[0] // 2] * x.shape[0], ddl.Spec("N"))
    small = fold_constants(graph)
    assert ops(small) == ops(graph)
    assert bits(small.run([1.0, 1.0, 1.0])) == bits(graph.run([1.0, 1.0, 1.0]))


def test_parameters_are_not_folded():
    layer = nn.Linear(2, 2)
    graph = ddl.trace(lambda x: x @ layer.weight.exp(), ddl.ones(1, 2))
    assert ops(fold_constants(graph)) == ["exp", "matmul"]


def test_dead_nodes_are_dropped_and_inputs_stay():
    layer = nn.Linear(2, 2)
    graph = ddl.trace(lambda x, y: (layer(x).exp(), x + 1.0, y * x)[1], ddl.ones(2), ddl.ones(2))
    small = drop_dead(graph)
    assert [n.name or n.op for n in small.nodes] == ["x", "y", "1.0", "add"]
    assert small.parameters == 0
    assert small.run([1.0, 2.0], [0.0, 0.0]).tolist() == [2.0, 3.0]


def test_the_same_is_computed_once():
    graph = ddl.trace(lambda x: (x.exp() * 2.0 + 1.0) * (x.exp() * 2.0 + 1.0), ddl.ones(2))
    assert ops(graph) == ["exp", "mul", "add"] * 2 + ["mul"]
    small = merge_common(graph)
    assert ops(small) == ["exp", "mul", "add", "mul"]
    assert [n.name for n in small.of_kind("constant")] == ["2.0", "1.0"]
    assert [p.op for p in small.parents(small.outputs[0])] == ["add", "add"]


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x.sum(0) * x.sum(1),
        lambda x: (x - 1.0) * (1.0 - x),
        lambda x: (x * 0.0) + (x * -0.0),
        lambda x: (x * 2) - (x * 2.0),
        lambda x: nn.functional.dropout(x, 0.5) * nn.functional.dropout(x, 0.5),
        lambda x: x[0:1] * x[0:2],
        lambda x: x[[0, 1]] * x[[1, 0]],
        lambda x: x + ddl.tensor([1.0, 2.0]) + ddl.tensor([2.0, 1.0]),
    ],
)
def test_what_is_not_the_same_is_not_merged(f):
    graph = ddl.trace(f, ddl.ones(2, 2))
    assert ops(merge_common(graph)) == ops(graph)


def test_two_parameters_or_buffers_of_equal_values_are_not_one():
    a, b = nn.BatchNorm1d(2).eval(), nn.BatchNorm1d(2).eval()
    graph = ddl.trace(lambda x: a(x) + b(x), ddl.ones(1, 2))
    small = merge_common(graph)
    assert {n.name for n in small.nodes} >= {f"{m}.{name}" for m in "ab" for name in ("weight", "running_mean")}


def test_a_backward_graph_keeps_its_gradients():
    w = ddl.randn(3, 2, requires_grad=True)
    back = ddl.trace(lambda x, w: ((x @ w).tanh() * (x @ w).tanh()).sum(), ddl.Spec(("N", 3)), w).backward()
    small, x = smaller(back, PASSES), ddl.randn(4, 3)
    assert len(small.nodes) < len(back.nodes)
    assert bits(small.run(x, w)) == bits(back.run(x, w))
    assert [small.gradients[i] for i in small.inputs] == small.outputs


def test_a_gpt_gets_smaller_and_stays_the_same():
    model = ddl.models.GPT2(ddl.models.GPT2Config(vocab_size=11, block_size=16, n_embd=8, n_layer=2, n_head=2))
    graph = ddl.trace(model, ddl.Spec(("B", "T"), np.int64))
    ids = ddl.randint(0, 11, (2, 9))
    for order in ORDERS:
        assert bits(smaller(graph, order).run(ids)) == bits(model(ids))
