"""Graphs folded by scope: nothing is lost, nothing goes round in a circle, and a model is read at one look."""

import random

import numpy as np
import pytest

import ddl
from ddl import nn
from ddl.graph import Edge, Graph, Node
from ddl.graph.folding import LEGIBLE, Scope, fold


def names(scope):
    """The boxes, nested like the frames around them."""
    told = []
    for x in scope.inside:
        if isinstance(x, Scope):
            told.append(f"[{x.path}]" if x.closed else (x.path, names(x)))
        else:
            told.append(x.op or x.name)
    return told


def block_graph():
    return ddl.trace(nn.TransformerBlock(64, 4), ddl.Spec(("B", "T", 64)))


def random_graph(seed):
    """A computation whose scopes are entered, left and entered again at random."""
    rng = random.Random(seed)
    scopes = ["", "a", "a.b", "a.c", "a.b.d", "e", "e.f"]
    graph = Graph(inputs=[0])
    for i in range(40):
        kind = "input" if i == 0 else rng.choice(["op", "op", "op", "parameter"])
        scope = rng.choice(scopes) if kind == "op" else ""
        graph.nodes.append(Node(i, kind, "add" if kind == "op" else "", f"n{i}", (2, i), np.dtype("f4"), scope))
        if kind == "op":
            graph.edges += [Edge(rng.randrange(i), i, slot) for slot in range(2)]
    graph.outputs = [39]
    return graph


@pytest.mark.parametrize("depth", [None, 0, 1, 2, 9])
@pytest.mark.parametrize("seed", range(20))
def test_each_node_is_in_one_box_each_edge_in_one_wire_and_wires_go_forward(seed, depth):
    graph = random_graph(seed)
    folded = fold(graph, depth)
    inside = [[node.id for node in (box.nodes() if isinstance(box, Scope) else [box])] for box in folded.boxes]
    assert sorted(i for ids in inside for i in ids) == list(range(40))
    alone = [box for box in folded.boxes if isinstance(box, Node) and box.kind == "parameter"]
    closed = sum(box.parameters for box in folded.boxes if isinstance(box, Scope))
    assert closed + sum(int(np.prod(node.shape)) for node in alone) == graph.parameters
    assert all(wire.start < wire.end for wire in folded.wires)
    told = {(edge.start, edge.end, edge.slot) for wire in folded.wires for edge in wire.edges}
    for wire in folded.wires:
        assert {edge.start for edge in wire.edges} <= set(inside[wire.start])
        assert {edge.end for edge in wire.edges} <= set(inside[wire.end])
        assert len({edge.start for edge in wire.edges}) == 1
    hidden = {(e.start, e.end, e.slot) for e in graph.edges if any({e.start, e.end} <= set(ids) for ids in inside)}
    assert told | hidden == {(e.start, e.end, e.slot) for e in graph.edges}
    assert not told & hidden


def test_a_block_is_read_at_one_look():
    graph = block_graph()
    assert names(fold(graph).whole) == ["x", "[ln_1]", "[attn]", "add", "[ln_2]", "[mlp]", "add"]
    assert [(wire.start, wire.end) for wire in fold(graph).wires] == [
        *[(0, 1), (1, 2), (0, 3), (2, 3)],  # x goes around attn
        *[(3, 4), (4, 5), (3, 6), (5, 6)],  # and the sum around mlp
    ]
    opened = fold(graph, open=["mlp"])
    assert names(opened.whole)[-2] == ("mlp", ["[mlp.up]", "gelu_tanh", "[mlp.down]"])
    assert len(fold(graph, depth=9).boxes) == len(graph.nodes)


def test_opening_a_scope_opens_those_around_it():
    with ddl.shapes_only():
        model = ddl.models.GPT2(ddl.models.GPT2Config())
    graph = ddl.trace(model, ddl.Spec(("B", "T"), np.int64))
    told = names(fold(graph, open="blocks.3.mlp").whole)
    ((_, blocks),) = [name for name in told if isinstance(name, tuple)]
    assert blocks[2] == "[blocks.2]"
    assert blocks[3][1][-2][0] == "blocks.3.mlp"
    at_one_look = names(fold(graph).whole)
    assert at_one_look[6:] == [("blocks", [f"[blocks.{i}]" for i in range(12)]), "[ln_f]", "linear"]
    assert len(fold(graph).boxes) <= LEGIBLE


def test_a_small_model_is_all_open():
    graph = ddl.trace(nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1)), ddl.ones(4, 2))
    layer = lambda i: (f"{i}", [f"{i}.weight", f"{i}.bias", "linear"])
    assert names(fold(graph).whole) == ["x", layer(0), "tanh", layer(2)]
    assert names(fold(graph, depth=0).whole) == ["x", "[0]", "tanh", "[2]"]


def test_a_module_that_runs_twice_is_two_boxes_and_its_parameters_stand_apart():
    norm = nn.LayerNorm(4)
    graph = ddl.trace(lambda x: norm(norm(x).relu()), ddl.Spec(("B", 4)))
    folded = fold(graph, depth=0)
    assert names(folded.whole) == ["x", "norm.weight", "norm.bias", "[norm]", "relu", "[norm]"]
    assert [(box.part, box.parts) for box in folded.boxes if isinstance(box, Scope)] == [(1, 2), (2, 2)]
    assert {(wire.start, wire.end) for wire in folded.wires} == {(0, 3), (1, 3), (2, 3), (3, 4), (4, 5), (1, 5), (2, 5)}


def test_both_uses_of_a_value_by_one_op_are_wires_and_into_a_closed_scope_it_is_one():
    graph = ddl.trace(lambda x: x + x, ddl.ones(2))
    assert len(fold(graph).wires) == 2
    layer = nn.LayerNorm(2)
    layer.forward = lambda x: (x + x) * layer.weight
    (wire,) = fold(ddl.trace(lambda x: layer(x), ddl.ones(2)), depth=0).wires
    assert [edge.slot for edge in wire.edges] == [0, 1]


def test_what_is_unused_or_handed_out_stays_outside():
    layer = nn.Linear(2, 2)
    graph = ddl.trace(lambda x, y: (layer(x), layer.weight), ddl.ones(1, 2), ddl.ones(3))
    assert names(fold(graph, depth=0).whole) == ["x", "y", "layer.weight", "[layer]"]


def test_an_unknown_scope_is_refused():
    with pytest.raises(ValueError, match=r"asked to open \['ln_3'\], but the graph's scopes are 'attn', 'attn.proj'"):
        fold(block_graph(), open=["ln_3"])


def test_a_graph_without_nodes_has_no_boxes():
    assert fold(Graph()).boxes == []
