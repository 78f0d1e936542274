"""graph.costs: operations and bytes, node by node, against formulas."""

import numpy as np
import pytest
from cases import CASES

import ddl
from ddl import nn
from ddl.nn import functional as F


def of(f, *shapes):
    graph = ddl.trace(f, *map(ddl.Spec, shapes))
    return graph.costs()


@pytest.mark.parametrize(
    ("f", "shapes", "flops", "moved"),
    [
        (lambda x, y: x @ y, [("m", "k"), ("k", "n")], "2*k*m*n", "4*k*m + 4*k*n + 4*m*n"),
        (lambda x, y: x @ y, [(3, 5), (5,)], 2 * 3 * 5, 4 * (15 + 5 + 3)),
        (lambda x, w, b: F.linear(x, w, b), [(7, 5), (2, 5), (2,)], 7 * 2 * 10 + 7 * 2, 4 * (35 + 10 + 2 + 14)),
        (lambda x: x * 2.0 + 1.0, [("B", 3)], "6*B", "48*B"),
        (lambda x, y: x + y, [("B", 1), (1, "C")], "B*C", "4*B*C + 4*B + 4*C"),
        (lambda x: x.tanh(), [(8,)], 8, 64),
        (lambda x: x.sum(0), [(4, 6)], 24, 4 * (24 + 6)),
        (lambda x: x.reshape(6, 4).T[1:3], [(4, 6)], 0, 0),
        (lambda x: x.reshape(6, 4).clone(), [(4, 6)], 0, 8 * 24),
        (lambda x: x[:, [1, 1, 1]], [(4, 6)], 0, 8 * 12),
        (lambda x, w, b: F.conv2d(x, w, b, padding=1), [(2, 3, 8, 8), (5, 3, 3, 3), (5,)],
         2 * 5 * 64 * (2 * 27 + 1), 4 * (2 * 3 * 64 + 5 * 27 + 5 + 2 * 5 * 64)),
        (lambda x, w: F.conv2d(x, w, groups=3), [(2, 3, 8, 8), (6, 1, 3, 3)],
         2 * 6 * 36 * 2 * 9, 4 * (2 * 3 * 64 + 6 * 9 + 2 * 6 * 36)),
        (lambda x, y: ddl.einsum("bik,bkj->ij", x, y), [(2, 3, 4), (2, 4, 5)], 2 * 2 * 3 * 4 * 5, 4 * (24 + 40 + 15)),
        (lambda x: x.softmax(-1), [(2, 7)], 14 * 5, 8 * 14),  # largest, difference, exp, sum, quotient
    ],
)  # fmt: skip
def test_costs_are_as_formulas_say(f, shapes, flops, moved):
    assert tuple(map(str, of(f, *shapes))) == (str(flops), str(moved))


@pytest.mark.parametrize("case", CASES, ids=[c.id for c in CASES])
def test_every_op_is_counted_from_its_shapes_alone(case):
    graph = ddl.trace(case.f, *map(ddl.Tensor, case.inputs()))
    counted = graph.costs()
    assert counted.flops >= 0
    assert counted.bytes >= 0
    for node in graph.nodes:
        node.value = None if hasattr(node.value, "dtype") else node.value
    assert graph.costs() == counted


def test_an_embedding_reads_the_rows_that_it_takes():
    graph = ddl.trace(nn.Embedding(50000, 8), ddl.Spec(("B", "T"), np.int64))
    assert str(graph.costs().bytes) == "72*B*T"  # ids, rows read, rows written


def test_gpt2_takes_twice_its_parameters_a_token_and_attention():
    with ddl.shapes_only():
        model = ddl.models.GPT2(ddl.models.GPT2Config())
    graph = ddl.trace(model, ddl.Spec(("B", "T"), np.int64))
    whole = graph.costs().flops
    V, C, L, T = 50257, 768, 12, 1024
    products = sum(n.flops for n in graph.of_kind("op") if n.op == "linear")
    widths = sum(n.shape[-1] for n in graph.of_kind("op") if n.op == "linear")
    tokens = {"B": 1, "T": 1}
    assert products.at(tokens) - (widths - V) == 2 * (12 * L * C * C + V * C)  # each bias adds its width
    attention = sum(n.flops for n in graph.of_kind("op") if n.op == "scaled_dot_product_attention")
    assert attention.terms["B", "T", "T"] // (4 * L * C) == 1
    assert sum(n.flops for n in graph.nodes) == whole
    a_token = whole.at({"B": 3, "T": T}) / (3 * T)
    assert a_token == pytest.approx(2 * graph.parameters + 4 * L * C * T, rel=0.02)


def test_a_backward_pass_takes_twice_the_products_of_a_forward_pass():
    model = nn.Sequential(nn.Linear(30, 40), nn.ReLU(), nn.Linear(40, 20))
    graph = ddl.trace(lambda x: model(x).sum(), ddl.Spec((16, 30)))
    graph.costs()
    back = graph.backward()
    back.costs()
    forward = 2 * 16 * (30 * 40 + 40 * 20)
    assert sum(n.flops for n in back.nodes if n.op == "matmul") == 2 * forward


def test_numbers_among_the_inputs_of_an_op_have_no_cost_of_their_own():
    """As in a backward graph, where 1.0 stands beside tensors."""
    graph = ddl.trace(lambda x: (x.sigmoid() * 2.0 + 1.0).sum(), ddl.Spec(("N", 3))).backward()
    assert graph.costs().flops.at({"N": 4}) > 0
