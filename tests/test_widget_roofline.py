"""What the roofline shows: costs counted by hand, times from a clock that is given, and the two ends of the roof."""

import numpy as np
import pytest

pytest.importorskip("anywidget")

import ddl
from ddl import nn
from ddl.graph.timing import ceilings, seconds
from ddl.widgets import roofline
from ddl.widgets.roofline import Roofline, number


def times(graph, inputs):
    return {node.id: 1e-6 * (node.id + 1) for node in graph.nodes}, (4e9, 1e9)


def test_a_matmul_and_a_sum_lie_where_their_costs_say():
    x, y = ddl.randn(8, 16), ddl.randn(16, 4)
    data = Roofline(lambda x, y: (x @ y).tanh(), x, y, measure=times).data
    product, tanh = data["ops"]
    assert (product["name"], product["flops"], product["bytes"]) == ("matmul", 2 * 8 * 16 * 4, 4 * (128 + 64 + 32))
    assert (tanh["name"], tanh["flops"], tanh["bytes"]) == ("tanh", 32, 4 * 64)
    assert (product["microseconds"], tanh["microseconds"]) == (3.0, 4.0)
    assert product["reach"]["flops"] == pytest.approx(1024 / 896 * 1e9)
    assert [op["reach"]["limit"] for op in data["ops"]] == ["memory", "memory"]
    assert data["microseconds"] == 7.0
    assert "test_widget_roofline.py" in product["source"]
    assert "@ y" in product["source"]


def test_a_large_matmul_is_limited_by_arithmetic_and_a_view_computes_nothing():
    x = ddl.randn(64, 64)
    widget = Roofline(lambda x: (x @ x).T, x, measure=lambda *_: ({1: 1e-3, 2: 1e-6}, (4e9, 1e9)))
    product, view = widget.data["ops"]
    assert product["reach"]["limit"] == "arithmetic"
    assert view["reach"] is None
    assert "no arithmetic" in widget.words


def test_no_op_computes_more_than_the_roof():
    x = ddl.randn(64, 64)
    slow = Roofline(lambda x: x @ x, x, measure=lambda *_: ({1: 1e-6}, (1e3, 1e9))).data
    assert slow["most_flops"] == pytest.approx(2 * 64**3 * 1e6)


def test_of_many_ops_the_longest_stay():
    def long(x):
        for _ in range(200):
            x = x.abs()
        return x

    data = Roofline(long, ddl.randn(2), measure=times).data
    assert (len(data["ops"]), data["left_out"]) == (150, 50)
    assert [op["microseconds"] for op in data["ops"]] == pytest.approx([*range(52, 202)])
    assert data["microseconds"] == pytest.approx(sum(range(2, 202)))


def test_every_op_is_timed_and_the_learners_model_and_graph_stay_as_they_were():
    model = nn.Sequential(nn.Linear(4, 3), nn.Tanh())
    x = ddl.randn(2, 4)
    graph = ddl.trace(model, x)
    found = seconds(graph, x, rounds=2)
    assert found.keys() == {node.id for node in graph.nodes if node.kind == "op"}
    assert all(t > 0 for t in found.values())
    widget = roofline(graph, x)
    assert {node.flops for node in graph.nodes} == {None}
    assert (x.grad, model[0].weight.grad) == (None, None)
    assert len(widget.data["ops"]) == len(found) == len(widget.change(again=True).ops)


def test_the_ceilings_are_rates():
    flops, moved = ceilings(np.ones(1, np.float32), rounds=1)
    assert min(flops, moved) > 1e6


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ((3,), TypeError, "takes a graph, a profile, or a model and its inputs"),
        ((nn.Linear(2, 2), ddl.Spec((1, 2))), ValueError, "needs inputs with numbers"),
        ((lambda x: x, ddl.randn(2)), ValueError, "a graph with an op in it"),
    ],
)
def test_what_cannot_be_timed_is_refused(given, error, words):
    with pytest.raises(error, match=words):
        roofline(*given)


@pytest.mark.parametrize(
    ("x", "told"), [(0, "0 B"), (999, "999 B"), (1500, "1.5 kB"), (2.5e9, "2.5 GB"), (3e13, "30 TB")]
)
def test_numbers_have_prefixes(x, told):
    assert number(x, "B") == told
