"""graph.to_html and the data that the player takes, as text: self-contained, escaped, with formulas as MathML."""

import html
import json
import re
import sys

import pytest

import ddl
from ddl import Scalar, nn
from ddl.graph import of, trace
from ddl.graph.viewed import viewed

ODD = "</script><script>alert(1)</script><!--"


def odd():
    return of(Scalar(1.0, ODD) * Scalar(2.0, "<b> & {x} \\frac"))


def test_a_page_loads_nothing_and_ends_its_scripts_itself():
    page = odd().to_html(title=ODD)
    assert len(re.findall(r"</script", page)) == 2
    assert not re.search(r"<(?:link|img|iframe|object|embed|base)\b|\bsrc=|@import|url\(", page.split("<script")[0])
    assert "<title>&lt;/script&gt;" in page
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy.startswith("default-src &#x27;none&#x27;")


def test_the_data_in_a_page_are_those_of_the_graph():
    graph = odd()
    (text,) = re.findall(r'<script type="application/json" id="ddl-graph">(.*?)</script>', graph.to_html(), re.DOTALL)
    assert "<" not in text
    data = json.loads(text)
    assert {**data, "title": ""} == viewed(graph)
    assert data["nodes"][0]["name"] == ODD


def test_numbers_are_walked_back_in_a_copy_and_shapes_are_not():
    graph = of(Scalar(3.0, "x") * 2.0)
    assert viewed(graph)["nodes"][0]["grad"] == 2.0
    assert graph.nodes[0].grad is None
    walked = graph.walk_back()
    walked.nodes[0].grad = walked.nodes[0].grad * 7
    assert viewed(walked)["nodes"][0]["grad"] == 14.0
    shapes = viewed(trace(lambda x: x.sum(), ddl.Spec((2,))))
    assert [node["grad"] for node in shapes["nodes"]] == [None, None]
    several = viewed(trace(lambda x: x * 2.0, ddl.ones(2)))
    assert several["nodes"][0]["grad"] is None


def test_formulas_name_the_parents_as_text():
    pytest.importorskip("math_core")
    x, inner = ddl.randn(2, 3), nn.Linear(3, 4, bias=False)
    nodes = viewed(trace(lambda x: inner(x)[:, 1:].exp().sum(), x))["nodes"]
    said = {node["op"]: re.sub("<[^>]*>", "", node["mathml"]) for node in nodes if node["op"]}
    assert said["linear"] == "v2=xinner.weight⊤"
    assert said["getitem"] == "v3=v2[:,1:]"
    assert said["exp"] == "v4=ev3"
    (node,) = [node for node in viewed(odd())["nodes"] if node["op"]]
    assert "<script" not in node["mathml"]
    assert "<b>" not in node["mathml"]
    assert (
        html.unescape(re.sub("<[^>]*>", "", node["mathml"]))
        .replace("\N{NO-BREAK SPACE}", " ")
        .endswith(r"⊙<b> & {x} \frac")
    )


def test_without_math_core_formulas_are_left_to_their_text(monkeypatch):
    monkeypatch.setitem(sys.modules, "math_core", None)
    from ddl.graph.viewed import _mathml

    _mathml.cache_clear()
    (node,) = [node for node in viewed(of(Scalar(1.0, "x").exp()))["nodes"] if node["op"]]
    _mathml.cache_clear()
    assert (node["mathml"], node["tex"]) == ("", "v_{1} = e^{x}")


def test_a_picture_and_words_are_there_without_a_script_and_large_graphs_have_words():
    page = of(Scalar(3.0, "x") * 2.0).to_html()
    assert re.search(r"<noscript><svg .*</svg>", page, re.DOTALL)
    assert "grad 2" in page.split('<details class="ddl-words">')[1].split("</details>")[0]
    x = Scalar(1.0)
    for _ in range(200):
        x = x * 1.01
    assert "<noscript><p>" in of(x).to_html()


def test_wires_say_which_input_they_bring():
    x, y = ddl.ones(2, 2), ddl.ones(2, 2)
    graph = ddl.trace(lambda x, y: ddl.where(x > y, (x - y) @ y, x + y), x, y)
    told = viewed(graph)
    said = {}
    for at, word in told["layout"]["roles"].items():
        edge = told["edges"][int(at)]
        said.setdefault(told["nodes"][edge["to"]]["op"], {})[edge["slot"]] = word
    assert said == {
        "gt": {0: "1st", 1: "2nd"},
        "sub": {0: "1st", 1: "2nd"},
        "matmul": {0: "1st", 1: "2nd"},
        "where": {0: "if", 1: "then", 2: "else"},
    }
