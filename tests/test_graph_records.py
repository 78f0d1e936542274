"""Graphs as JSON: what is written comes back, and a file that is not right is refused by the name of its entry."""

import json
import random

import numpy as np
import pytest
from cases import CASES

import ddl
from ddl import nn, sizes
from ddl.graph import load, records
from ddl.graph.size_text import read_size


def same(a, b):
    """Whether two settings or values are the same to the last bit, types included."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return (a.dtype, a.shape) == (b.dtype, b.shape) and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, ddl.Spec):
        return (a.shape, a.dtype) == (b.shape, b.dtype)
    return repr(a) == repr(b)


def check_round_trip(graph, **options):
    twin = load(graph.to_json(**options))
    assert twin.to_dict(**options) == graph.to_dict(**options)
    assert repr(twin) == repr(graph)
    assert (twin.inputs, twin.outputs, twin.assumptions) == (graph.inputs, graph.outputs, graph.assumptions)
    assert (twin.gradients, twin.title) == (graph.gradients, graph.title)
    for a, b in zip(graph.nodes, twin.nodes, strict=True):
        assert (a.kind, a.op, a.name, a.shape, a.dtype, a.weak) == (b.kind, b.op, b.name, b.shape, b.dtype, b.weak)
        assert (a.scope, a.tex, a.source, a.kept_bytes, a.flops, a.bytes) == (
            (b.scope, b.tex, b.source, b.kept_bytes, b.flops, b.bytes)
        )
        assert a.settings.keys() == b.settings.keys()
        assert all(same(a.settings[name], b.settings[name]) for name in a.settings), (a.op, a.settings, b.settings)
    return twin


def traced(case):
    xs = [ddl.Tensor(x) for x in case.inputs()]
    for x in xs:
        x.requires_grad = x.dtype.kind == "f"
    ddl.manual_seed(0)
    return ddl.trace(case.f, *xs)


@pytest.mark.parametrize("case", [c for c in CASES if c.order], ids=[c.id for c in CASES if c.order])
def test_every_case_comes_back(case):
    graph = traced(case)
    twin = check_round_trip(graph, values="all")
    assert all(same(np.asarray(a.value), np.asarray(b.value)) for a, b in zip(graph.nodes, twin.nodes))


def through(x):
    """A setting written and read back."""
    graph = ddl.graph.Graph([ddl.graph.Node(0, "op", "f", "", (), np.dtype("float32"), settings={"x": x})])
    return load(graph.to_json()).nodes[0].settings["x"]


SETTINGS = [
    None, True, 3, 2**80, -0.0, 1e-320, float("nan"), float("inf"), -float("inf"), "nan", "", {"tuple"}.pop(),
    [], (), (1, (2.5, [None])), [[True], "x"], ..., slice(None), slice(1, None, -2), (..., slice(0, 2), None),
    np.dtype("float64"), np.array([1, -2]), np.array([[True], [False]]), np.array(1.5, np.float16), np.zeros((0, 3)),
    np.array([np.nan, np.inf, -np.inf, -0.0], np.float32), np.array([2**64 - 1], np.uint64),
    sizes.name("B"), (sizes.name("B") * 2 - 1, 8), slice(0, sizes.name("T")), sizes.name("H") // 2,
    ddl.Spec(("N", 2), np.int64), ddl.ops.Slide((1, 2), (0, 0), (1, 1)),
]  # fmt: skip


@pytest.mark.parametrize("x", SETTINGS, ids=repr)
def test_settings_come_back(x):
    assert same(through(x), x)


def test_a_setting_that_is_a_dtype_by_its_type_comes_back_as_one():
    assert through(np.float32) == np.dtype("float32")
    assert through(float) == np.dtype("float64")
    assert same(through(np.int32(3)), 3)


def test_a_setting_that_no_file_can_hold_is_refused_by_name():
    with pytest.raises(TypeError, match=r"setting 'x' of node 0 \(f\).*function is nothing that a file can hold"):
        through(lambda: 0)


def test_sizes_are_read_as_they_are_written():
    rng = random.Random(0)
    for _ in range(500):
        size = sizes.name("B")
        for _ in range(rng.randint(0, 5)):
            other = rng.choice([sizes.name("T"), sizes.name("n_head"), sizes.name("if"), 2, 3, 7, size])
            size = rng.choice([size + other, size * other, size - other * 2, -size, size // 2, (size + other) // other])
        assert read_size(str(size)) == size


@pytest.mark.parametrize(
    "text", ["", "B +", "2 2", "(B", "B)", "B // 0", "B ** 2", "-", "--B", "²", "(" * 900, "B-" * 600]
)
def test_what_is_no_size_is_refused(text):
    with pytest.raises(ValueError, match="a size was to be read"):
        read_size(text)


def test_named_sizes_and_assumptions_come_back():
    with ddl.shapes_only():
        model = ddl.models.GPT2(ddl.models.GPT2Config(vocab_size=50, n_embd=8, n_layer=1, n_head=2))
    twin = check_round_trip(ddl.trace(model, ddl.Spec(("B", "T"), np.int64)))
    assert twin.assumptions == ["T <= 1024"]
    assert twin.nodes[twin.outputs[0]].shape == (sizes.name("B"), sizes.name("T"), 50)
    check_round_trip(ddl.trace(nn.Conv2d(3, 4, 3, stride=2), ddl.Spec(("B", 3, "H", "W"))))


def test_numbers_of_python_come_back_as_such():
    graph = ddl.trace(lambda x: ddl.where(x > 0, x * 3.0 + 2 - x.shape[0], False), ddl.Spec(("N", 2)))
    twin = check_round_trip(graph, values="none")
    assert [n.value for n in twin.nodes if n.weak] == [0, 3.0, 2, sizes.name("N"), False]
    assert not ddl.trace(lambda x: x * ddl.tensor(2.0), ddl.ones(2)).nodes[1].weak


HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</script>",
    '"\\',
    "\u202eabc",
    "\ud800",
    "\0\n",
    "x" * 500,
    "𝔘",
    "{}",
    "nan",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_text_whatever_they_say(name):
    graph = ddl.trace(lambda x: x + 1.0, ddl.ones(2))
    graph.title = graph.nodes[0].name = graph.nodes[2].scope = name
    twin = check_round_trip(graph)
    assert (twin.title, twin.nodes[0].name, twin.nodes[2].scope) == (name, name, name)


def test_what_is_not_finite_comes_back():
    graph = ddl.trace(lambda x: x * 2.0, ddl.tensor([float("nan"), float("inf"), -float("inf"), -0.0, 1e38]))
    twin = check_round_trip(graph)
    assert "NaN" not in graph.to_json()
    np.testing.assert_array_equal(twin.nodes[2].value, graph.nodes[2].value)
    assert np.signbit(twin.nodes[2].value[3])
    assert str(twin.nodes[0].statistics) == str(graph.nodes[0].statistics)


def test_a_walk_comes_back():
    x, w = ddl.tensor([[1.0, 2.0]]), ddl.tensor(3.0, requires_grad=True)
    x.requires_grad = True
    graph = ddl.trace(lambda x, w: (w * w * x).sum(), x, w).walk_back()
    twin = check_round_trip(graph)
    for a, b in zip(graph.nodes, twin.nodes):
        np.testing.assert_array_equal(a.grad, b.grad)
    for a, b in zip(graph.edges, twin.edges):
        assert a.slope == b.slope
        np.testing.assert_array_equal(a.carries, b.carries)
    assert {e.slope for e in twin.edges} == {None, 3.0}


def test_a_backward_graph_comes_back():
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    for x in (ddl.randn(5, 3), ddl.Spec(("N", 3))):
        back = ddl.trace(lambda x: model(x).sum(), x).backward()
        assert len(check_round_trip(back).gradients) >= 4


def test_large_values_are_left_out_unless_asked_for():
    graph = ddl.trace(lambda x: x[:32] * 2.0, ddl.ones(33, 32))
    written = {values: [n["value"] is not None for n in graph.to_dict(values)["nodes"]] for values in records.VALUES}
    assert written == {"small": [False, True, True, True], "all": [True] * 4, "none": [False, False, True, False]}
    with pytest.raises(ValueError, match="values='some' was asked for"):
        graph.to_dict("some")


def test_a_graph_is_loaded_from_a_path_or_text_or_a_dict(tmp_path):
    graph = ddl.trace(lambda x: x + 1.0, ddl.ones(2))
    path = tmp_path / "graph.json"
    path.write_text(graph.to_json(), "utf-8")
    for source in (path, str(path), graph.to_json(), "\n " + graph.to_json(), graph.to_dict()):
        assert load(source).to_dict() == ddl.graph.Graph.from_json(source).to_dict() == graph.to_dict()
    with pytest.raises(FileNotFoundError):
        load("no such file")
    for nothing in (3, ""):
        with pytest.raises(TypeError, match=f"loaded from {nothing!r}; give a path"):
            load(nothing)


def test_a_path_is_written_by_pages_and_records_alike(tmp_path):
    graph = ddl.trace(lambda x: x + 1.0, ddl.ones(2))
    assert (tmp_path / "a.json").exists() == (tmp_path / "a.html").exists() is False
    assert graph.to_json(tmp_path / "a.json") == (tmp_path / "a.json").read_text("utf-8") == graph.to_json()
    assert graph.to_html(tmp_path / "a.html", title="A") == (tmp_path / "a.html").read_text("utf-8")
    assert "<title>A</title>" in (tmp_path / "a.html").read_text("utf-8")
    assert load(tmp_path / "a.json").to_dict() == graph.to_dict()


def test_what_has_a_default_may_be_left_out():
    told = {"id": 0, "kind": "input", "op": "", "name": "", "shape": [2], "dtype": "float32"}
    twin = load({"schema": "ddl.graph/1", "inputs": [0], "outputs": [0], "nodes": [told], "edges": []})
    assert twin == ddl.graph.Graph([ddl.graph.Node(0, "input", "", "", (2,), np.dtype("float32"))], [], [0], [0])


GOOD = ddl.trace(lambda x: (x * 2.0).sum(), ddl.ones(2)).to_dict()
BAD = [
    (["schema"], "ddl.graph/2", r"schema of.*\"?ddl.graph/1"),
    (["nodes"], {}, r"graph.nodes of.*must be a list, but is \{\}"),
    (["titel"], "x", "graph.titel of.*must be left out"),
    (["title"], 3, "graph.title.*must be text, but is 3"),
    (["inputs"], [9], r"inputs\[0\].*of which there are 4, but is 9"),
    (["inputs"], [1], r"inputs\[0\].*of the kind 'input', but is 1"),
    (["outputs"], [True], r"graph.outputs\[0\].*whole number.*True"),
    (["outputs"], [-1], r"graph.outputs\[0\].*whole number"),
    (["gradients"], [[0, 2], [1]], r"graph.gradients\[1\].*a pair of ids, but is \[1\]"),
    (["gradients"], [[0, 9]], "gradients of.*the id of a node, of which there are 4, but is 9"),
    (["assumptions"], "T <= 8", "graph.assumptions.*a list"),
    (["nodes", 0], [], r"nodes\[0\].*a set of entries named id, kind"),
    (["nodes", 0, "id"], 1, r"nodes\[0\].id.*must be 0, its place in the list, but is 1"),
    (["nodes", 0, "kind"], "inptu", r'nodes\[0\].kind.*"input", "parameter", "constant", "op", but is \'inptu\''),
    (["nodes", 0, "op"], "add", r"nodes\[0\].op.*empty elsewhere, but is 'add'"),
    (["nodes", 2, "op"], "", r"nodes\[2\].op.*the name of an op"),
    (["nodes", 0, "shape"], [2.0], r"nodes\[0\].shape\[0\].*2.0"),
    (["nodes", 0, "shape"], [-2], r"nodes\[0\].shape\[0\].*-2"),
    (["nodes", 0, "shape"], ["B +"], r"nodes\[0\].shape\[0\].*a size with names.*'B \+'"),
    (["nodes", 0, "shape"], ["2"], r"nodes\[0\].shape\[0\].*a size with names"),
    (["nodes", 0, "shape"], 2, r"nodes\[0\].shape.*a list, but is 2"),
    (["nodes", 0, "shape"], ["B"], r"nodes\[0\].value.*null, since its shape is \(B,\)"),
    (["nodes", 0, "dtype"], "float33", r"nodes\[0\].dtype.*\"float32\".*'float33'"),
    (["nodes", 0, "dtype"], "object", r"nodes\[0\].dtype"),
    (["nodes", 0, "value"], [1.0], r"nodes\[0\].value.*a list of 2, by the shape, but is \[1.0\]"),
    (["nodes", 0, "value"], [1.0, "1"], r"nodes\[0\].value.*numbers that are float32, but is '1'"),
    (["nodes", 0, "value"], [1.0, None], r"nodes\[0\].value.*but is None"),
    (["nodes", 0, "value"], [1.0, True], r"nodes\[0\].value.*but is True"),
    (["nodes", 0, "value"], [1.0, 1e39], r"nodes\[0\].value.*but is 1e\+39"),
    (["nodes", 0, "value"], [1.0, 10**400], r"nodes\[0\].value.*but is 1000"),
    (["nodes", 0, "grad"], [[1.0], 2.0], r"nodes\[0\].grad.*but is \[1.0\]"),
    (["nodes", 0, "weak"], True, r"nodes\[0\].weak.*false"),
    (["nodes", 1, "weak"], 1, r"nodes\[1\].weak.*one of true, false, but is 1"),
    (["nodes", 1, "value"], None, r"nodes\[1\].name.*a size, since the node is weak and has no value, but is '2.0'"),
    (["nodes", 0, "vlaue"], 3, r"nodes\[0\].vlaue.*must be left out, since ddl.graph/1 has no such entry"),
    (["nodes", 0, "source"], {"file": "x"}, r"nodes\[0\].source.line of.*missing"),
    (["nodes", 0, "statistics"], {"min": "low"}, r"nodes\[0\].statistics.min.*a number.*'low'"),
    (["nodes", 0, "statistics"], {"min": 10**400}, r"nodes\[0\].statistics.min.*a number"),
    (["nodes", 0, "kept_bytes"], 1.5, r"nodes\[0\].kept_bytes.*1.5"),
    (["nodes", 2, "settings"], {"axis": {"tupel": []}}, r"nodes\[2\].settings.axis.*tagged as one of tuple, .*tupel"),
    (["nodes", 2, "settings"], {"axis": {"tuple": 3}}, r"nodes\[2\].settings.axis.tuple.*a list, but is 3"),
    (["nodes", 2, "settings"], {"i": {"tuple": [{"slice": [1]}]}}, r"settings.i.tuple\[0\].slice.*a list of three"),
    (["nodes", 2, "settings"], {"i": {"tuple": [], "x": 1}}, r"settings.i.x.*must be left out"),
    (["nodes", 2, "settings"], {"i": {"array": [1], "shape": [2], "dtype": "int64"}}, r"settings.i.array.*a list of 2"),
    (["nodes", 2, "settings"], {"i": {"array": [1]}}, r"settings.i.shape of.*missing"),
    (["nodes", 2, "settings"], [], r"nodes\[2\].settings.*named entries"),
    (["edges", 0, "from"], 7, r"edges\[0\].from.*of which there are 4, but is 7"),
    (["edges", 0, "from"], 2, r"edges\[0\].to.*comes after its parent, but is 2"),
    (["edges", 0, "to"], 1, r"edges\[0\].to.*an op that comes after"),
    (["edges", 1, "slot"], 0, r"edges\[1\].slot.*no other edge to node 2 has, but is 0"),
    (["edges", 0, "slope"], [], r"edges\[0\].slope.*a number"),
    (["edges", 0, "carries"], 1.0, r"edges\[0\].carries.*a list of 2"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "found", "sentence"), BAD, ids=[f"{b[0]}-{str(b[1])[:30]}" for b in BAD])
def test_a_bad_file_is_refused_by_the_entry(path, found, sentence):
    bad = json.loads(json.dumps(GOOD))
    *way, last = path
    at = bad
    for step in way:
        at = at[step]
    at[last] = found
    with pytest.raises(ValueError, match=sentence) as error:
        load(bad)
    assert len(str(error.value)) < 400


def test_the_file_that_is_made_bad_is_good():
    assert load(GOOD).to_dict() == GOOD


@pytest.mark.parametrize("entry", ["schema", "inputs", "outputs", "nodes", "edges"])
def test_a_missing_entry_is_named(entry):
    with pytest.raises(ValueError, match=entry):
        load({name: x for name, x in GOOD.items() if name != entry})


@pytest.mark.parametrize("text", ["{", '{"schema": NaN}', "[" * 100_000, "[1]", '{"a": ' + "9" * 5000 + "}"])
def test_what_is_no_json_of_ours_is_refused(text):
    with pytest.raises(ValueError, match=r"not JSON|schema of a graph's file must be"):
        load(text)
