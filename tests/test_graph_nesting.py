"""Places for graphs whose scopes open and close: all is there once, wires run to the right, edges find their way."""

import pytest

import ddl
from ddl import nn
from ddl.graph import trace
from ddl.graph.nesting import nested


class Shared(nn.Module):
    """One layer that runs twice, with an op in between, beside one value that is used far away."""

    def __init__(self):
        self.inner = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 4))

    def forward(self, x):
        y = self.inner(x) * 2.0
        return self.inner(y) + x + x


def graphs():
    with nn.shapes_only():
        gpt = ddl.models.GPT2(ddl.models.GPT2Config(n_layer=2, n_embd=64, n_head=2, vocab_size=100, block_size=16))
        return {
            "gpt": trace(gpt, ddl.Spec(("B", 8), "int64")),
            "shared": trace(Shared(), ddl.Spec(("B", 4))),
            "flat": trace(lambda x: (x + x) * x, ddl.Spec((3,))),
        }


@pytest.mark.parametrize("name", ["gpt", "shared", "flat"])
def test_every_node_and_every_edge_has_its_place(name):
    graph = graphs()[name]
    groups = nested(graph)["groups"]
    assert groups[0]["parent"] is None
    assert all(group["parent"] < i for i, group in enumerate(groups[1:], 1))
    standing = [name for group in groups for column in group["columns"] for name in column]
    boxes = sorted(name for name in standing if name[0] in "ng")
    assert boxes == sorted([f"n{node.id}" for node in graph.nodes] + [f"g{i}" for i in range(1, len(groups))])
    for place, edge in enumerate(graph.edges):
        assert path(groups, place)[0] == f"n{edge.start}"
        assert path(groups, place)[-1] == f"n{edge.end}"


def path(groups, place):
    """The ends of the wires that an edge rides on, in order; two wires that follow each other meet at a border."""
    riding = [(i, *wire[:2]) for i, group in enumerate(groups) for wire in group["wires"] if place in wire[2]]
    (at,) = [wire for wire in riding if wire[1][0] == "n"]
    riding.remove(at)
    found = [at[1]]
    while at[2][0] != "n":
        i, _, end = at
        there = int(end[1:]) if end[0] == "g" else groups[i]["parent"]
        begins = f"i{found[0][1:]}" if end[0] == "g" else f"g{i}"
        (at,) = [wire for wire in riding if wire[0] == there and wire[1] == begins]
        riding.remove(at)
        found.append(begins)
    assert riding == []
    return [*found, at[2]]


@pytest.mark.parametrize("name", ["gpt", "shared", "flat"])
def test_wires_run_to_the_right_and_have_a_place_in_each_column_they_pass(name):
    for group in nested(graphs()[name])["groups"]:
        column = {name: c for c, names in enumerate(group["columns"]) for name in names if name[0] != "w"}
        for w, (begin, end, _) in enumerate(group["wires"]):
            passed = [c for c, names in enumerate(group["columns"]) if f"w{w}" in names]
            assert passed == list(range(column[begin] + 1, column[end]))


def test_a_value_enters_a_scope_once_and_each_use_by_an_op_has_its_own_wire():
    groups = nested(graphs()["flat"])["groups"]
    assert [wire[:2] for wire in groups[0]["wires"]] == [["n0", "n1"], ["n0", "n1"], ["n1", "n2"], ["n0", "n2"]]
    gpt = nested(graphs()["gpt"])["groups"]
    attention = next(group for group in gpt if group["scope"] == "blocks.0.attn")
    assert sum(name[0] == "i" for column in attention["columns"] for name in column) == 1
