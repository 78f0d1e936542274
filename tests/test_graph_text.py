"""A graph in words: every number of its picture, and no two things of one name."""

import re

import numpy as np
import pytest
from hostile import NAMES

import ddl
from ddl import nn
from ddl.graph import Graph, Node, describe
from ddl.scalar import Scalar


def test_the_words_hold_all_the_numbers():
    a, b = Scalar(2, "a"), Scalar(3, "b")
    y = (a + b) * b
    y.name = "y"
    (-y) ** 2
    y.backward()
    assert describe(y.graph()).splitlines() == [
        "a = 2, grad 3",
        "b = 3, grad 8",
        "#2 = a + b = 5, grad 3, slopes: a 1, b 1",
        "y = #2 * b = 15, grad 1, slopes: #2 3, b 5",
    ]
    assert describe(y.graph(), grad=False, slope=False).splitlines()[2:] == ["#2 = a + b = 5", "y = #2 * b = 15"]
    assert "#1 = -a = -2, grad 0, slopes: a -1" in describe((-a).graph())
    assert "#1 = a**2 = 4" in describe((a**2).graph())
    assert "#1 = tanh(a) = 0.964" in describe(a.tanh().graph())


def test_the_graph_of_a_scalar_has_the_same_words_as_its_data():
    a, b = Scalar(2, "a"), Scalar(3, "b")
    y = -(a + b) * b / (a - b) ** b
    y.backward()
    assert ddl.graph.of(y).walk_back().to_text() == describe(y.graph())


def test_tensors_have_shapes_settings_and_numbers_or_their_range():
    def f(x, w):
        return (x @ w)[:, 1:].sum(0)

    words = ddl.trace(f, ddl.tensor([[1.0, 2.0], [3.0, 4.0]]), ddl.ones(2, 30)).walk_back(np.ones(29, "f4")).to_text()
    assert words.splitlines() == [
        "x: input float32[2, 2] = [[1, 2], [3, 4]], grad [[29, 29], [29, 29]]",
        "w: input float32[2, 30] = from 1 to 1, mean 1, grad from 0 to 6, mean 4.833",
        "#2 = x @ w: float32[2, 30] = from 3 to 7, mean 5, grad from 0 to 1, mean 0.9667",
        "#3 = #2[:, 1:]: float32[2, 29] = from 3 to 7, mean 5, grad from 1 to 1, mean 1",
        "#4 = sum(#3, axis=0): float32[29] = from 10 to 10, mean 10, grad from 1 to 1, mean 1",
    ]


def test_folded_scopes_are_lines_that_say_what_they_take_and_give():
    graph = ddl.trace(nn.TransformerBlock(64, 4), ddl.Spec(("B", "T", 64)))
    assert graph.to_text().splitlines() == [
        "x: input float32[B, T, 64]",
        "ln_1 = 4 ops (layer_norm) of x: 128 parameters, float32[B, T, 64] -> float32[B, T, 64]",
        "attn = 14 ops (linear, scaled_dot_product_attention) of ln_1: 16,640 parameters, "
        "float32[B, T, 64] -> float32[B, T, 64]",
        "#25 = x + attn: float32[B, T, 64]",
        "ln_2 = 4 ops (layer_norm) of #25: 128 parameters, float32[B, T, 64] -> float32[B, T, 64]",
        "mlp = 3 ops (linear, gelu_tanh) of ln_2: 33,088 parameters, float32[B, T, 64] -> float32[B, T, 64]",
        "#39 = #25 + mlp: float32[B, T, 64]",
    ]
    assert ", in mlp.up" in graph.to_text(depth=9)


def test_what_is_taken_for_granted_is_said():
    with ddl.shapes_only():
        model = ddl.models.GPT2(ddl.models.GPT2Config())
    words = ddl.trace(model, ddl.Spec(("B", "T"), np.int64)).to_text()
    assert words.endswith("taken for granted: T <= 1024")


def test_what_is_not_a_number_is_counted():
    x = np.resize([np.nan, np.inf, -np.inf, 1.0], 12)
    assert "= from 1 to 1, mean 1, 3 nan, 3 inf, 3 -inf" in ddl.trace(ddl.exp, ddl.tensor(x)).to_text()


@pytest.mark.parametrize("names", [NAMES, ["same"] * 5, ["#0", "#1", "x#2", "x", "x"]])
def test_each_node_has_a_line_and_a_name_of_its_own(names):
    graph = Graph([Node(i, "input", "", name, (), np.dtype(float), value=float(i)) for i, name in enumerate(names)])
    lines = graph.to_text().splitlines()
    assert len(lines) == len(names)
    called = [re.fullmatch(r"(.*) = \d+", line)[1] for line in lines]
    assert len(set(called)) == len(names)
