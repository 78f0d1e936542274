"""DOT and Mermaid: their own tools take them, whatever the names are, and they say what the graph says."""

import json
import re
import shutil
import subprocess

import numpy as np
import pytest
from hostile import NAMES

import ddl
from ddl import nn
from ddl.graph import Edge, Graph, Node
from ddl.graph.folding import Scope, fold
from ddl.graph.words import cells, plain, shortened

dot = pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")


def hostile_graph():
    """Each name as an input's, as a parameter's and as that of an op in a scope of this name."""
    graph = Graph()
    for name in NAMES:
        i = len(graph.nodes)
        graph.nodes += [
            Node(i, "input", "", name, (2,), np.dtype("f4")),
            Node(i + 1, "parameter", "", name, (3,), np.dtype("f4")),
            Node(i + 2, "op", "add", name, (2,), np.dtype("f4"), scope=name, settings={"why": name}),
            Node(i + 3, "op", "mul", name, (2,), np.dtype("f4"), scope=name),
        ]
        graph.edges += [Edge(i, i + 2, 0), Edge(i + 1, i + 2, 1), Edge(i + 2, i + 3, 0, slope=1e300)]
        graph.edges += [Edge(i + 2, i + 3, 1, slope=float("nan"))]
        graph.inputs.append(i)
        graph.outputs.append(i + 3)
    return graph


def block_graph():
    return ddl.trace(nn.TransformerBlock(64, 4), ddl.Spec(("B", "T", 64)))


def read_by_graphviz(text):
    done = subprocess.run(["dot", "-Tjson"], input=text.encode(), capture_output=True, check=True)
    assert done.stderr == b""
    return json.loads(done.stdout)


@dot
@pytest.mark.parametrize("depth", [None, 0, 9])
@pytest.mark.parametrize("make", [hostile_graph, block_graph, Graph])
def test_graphviz_reads_every_box_and_wire(make, depth):
    graph = make()
    folded, read = fold(graph, depth), read_by_graphviz(graph.to_dot(depth))
    boxes = [x for x in read.get("objects", []) if not x["name"].startswith("cluster")]
    frames = [scope for scope in folded.whole.scopes() if not scope.closed]
    assert len(boxes) == len(folded.boxes)
    assert depth == 0 or len(read.get("objects", [])) >= len(boxes) + min(1, len(frames))
    ids = {x["_gvid"]: x["name"] for x in boxes}
    wires = sorted((ids[e["tail"]], ids[e["head"]]) for e in read.get("edges", []))
    assert wires == sorted((f"n{wire.start}", f"n{wire.end}") for wire in folded.wires)


@dot
def test_graphviz_shows_names_as_they_are():
    graph = Graph([Node(i, "input", "", name, (2,), np.dtype("f4")) for i, name in enumerate(NAMES)])
    svg = subprocess.run(["dot", "-Tsvg"], input=graph.to_dot().encode(), capture_output=True, check=True).stdout
    texts = re.findall("<text[^>]*>(.*?)</text>", svg.decode())
    assert "&lt;img src=x onerror=alert(1)&gt;" in texts
    assert "back\\slash \\N \\n" in texts
    assert "a &amp; b &amp;amp; &amp;lt;" in texts
    assert b"<script" not in svg


STATEMENT = re.compile(
    r"""flowchart\ TD|end|classDef\ output\ stroke-width:4px|class\ n\d+\ output
    |subgraph\ s\d+_\d+\["(?P<frame>.*)"\]
    |n\d+(\(\["(?P<a>.*)"\]\)|\{\{"(?P<b>.*)"\}\}|\[/"(?P<c>.*)"/\]|\["(?P<d>.*)"\]|\[\["(?P<e>.*)"\]\])
    |n\d+\ -->(\|"(?P<f>.*)"\|)?\ n\d+""",
    re.VERBOSE,
)


@pytest.mark.parametrize("depth", [None, 0, 9])
@pytest.mark.parametrize("make", [hostile_graph, block_graph, Graph])
def test_mermaid_has_nothing_but_the_statements_we_mean(make, depth):
    graph = make()
    text, folded = graph.to_mermaid(depth), fold(graph, depth)
    for line in text.splitlines():
        found = STATEMENT.fullmatch(line)
        assert found, line
        said = "".join(filter(None, found.groupdict().values())).replace("<br/>", "")
        assert not re.search(r"""["'`<>&|{}*$\\~@]|#(?!\d+;)|^\d+\.|^[-+]""", said), line
    assert len(re.findall(r"^subgraph", text, re.M)) == len(re.findall(r"^end$", text, re.M))
    assert len(re.findall(r"^n\d+\W", text, re.M)) == len(folded.boxes) + len(folded.wires)


def test_what_flows_where_is_in_both():
    graph = block_graph()
    assert "n1 --> n2" in graph.to_mermaid()
    assert "n0 -> n3" in graph.to_dot()  # around attn
    for text in (graph.to_dot(), graph.to_mermaid()):
        assert "16,640 parameters" in text
        assert "[B, T, 64] → [B, T, 64]" in text
        assert "linear, scaled_dot_product_attention" in text


def test_long_names_lose_their_middle_and_hold_no_steering():
    assert shortened("blocks.0.attention.query.weight", 17) == "blocks.0…y.weight"
    assert shortened("short") == "short"
    for name in NAMES:
        assert cells(shortened(name, 9)) <= 9
        assert not re.search(r"[\0-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", plain(name))
    assert cells("数学") == 4
    assert cells("e\u0301") == 1


def test_boxes_of_scopes_that_open_are_named_within_their_frame():
    dot = block_graph().to_dot(open="mlp")
    assert 'label="up\\nlinear\\n16,640 parameters' in dot
    assert isinstance(fold(block_graph(), open="mlp").boxes[-2], Scope)
