"""graph.run: a recorded graph gives what the eager run gives, also where the model's code was never seen."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from cases import CASES

import ddl
from ddl import nn
from ddl.graph import load

smooth = pytest.mark.parametrize("case", [c for c in CASES if c.order], ids=[c.id for c in CASES if c.order])


def check_equal(found, expected):
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(found.numpy(), expected.numpy())


def traced(case, xs):
    ddl.manual_seed(0)
    graph = ddl.trace(case.f, *xs)
    ddl.manual_seed(0)
    return graph, case.f(*xs)


@smooth
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_case_runs_from_its_json(case, dtype):
    xs = [ddl.Tensor(x) for x in case.inputs(dtype)]
    graph, expected = traced(case, xs)
    check_equal(load(graph.to_json(values="all")).run(*xs), expected)


def test_other_inputs_give_what_the_eager_run_gives():
    model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 2))
    graph = load(ddl.trace(model, ddl.randn(5, 1, 8, 8)).to_json())
    for _ in range(3):
        x = ddl.randn(5, 1, 8, 8)
        check_equal(graph.run(x), model(x))
        check_equal(graph.run(x.numpy()), model(x))
        check_equal(graph.run(x.tolist()), model(x))


def small_gpt(**config):
    return ddl.models.GPT2(ddl.models.GPT2Config(vocab_size=11, block_size=16, n_embd=8, n_layer=2, n_head=2, **config))


def test_a_graph_of_shapes_runs_on_any_sizes():
    model = small_gpt()
    with ddl.shapes_only():
        shapes = small_gpt()
    parameters = model.state_dict()
    for traced_model in (model, shapes):
        graph = load(ddl.trace(traced_model, ddl.Spec(("B", "T"), np.int64)).to_json())
        for B, T in ((1, 1), (3, 5), (2, 16)):
            ids = ddl.randint(0, 11, (B, T))
            check_equal(graph.run(ids, parameters=parameters), model(ids))


@pytest.mark.parametrize(
    ("model", "shape", "sizes"),
    [
        (lambda: nn.Conv2d(3, 4, 3, stride=2), (2, 3, 7, 9), ("B", 3, "H", "W")),
        (lambda: nn.MultiHeadAttention(8, 2, is_causal=True), (2, 5, 8), ("B", "T", 8)),
        (lambda: nn.BatchNorm2d(3), (2, 3, 4, 4), ("B", 3, "H", "W")),
        (lambda: nn.LSTM(8, 5, batch_first=True), (3, 6, 8), ("B", 6, 8)),
        (lambda: lambda x: x.sum(0) / x.shape[0] + x.shape[1] * 2, (3, 4), ("B", "T")),
        (lambda: lambda x: x.reshape(-1, 2)[: x.shape[0]] * 3.0, (3, 4), ("B", 4)),
        (lambda: lambda x: x[:, x.shape[1] // 2 :].mean(), (3, 5), ("B", "T")),
    ],
)
def test_layers_traced_with_named_sizes(model, shape, sizes):
    model, x = model(), ddl.randn(*shape)
    graph = load(ddl.trace(model, ddl.Spec(sizes)).to_json())
    found, expected = graph.run(x), model(x)
    if isinstance(expected, tuple):
        y, (h, c) = expected
        found, expected = list(found), [y, h, c]
    for a, b in zip(*((x if isinstance(x, list) else [x]) for x in (found, expected)), strict=True):
        check_equal(a, b)


ELSEWHERE = """
import json, sys
import numpy as np
from ddl.graph import load
folder = sys.argv[1]
out = load(folder + "/graph.json").run(*np.load(folder + "/inputs.npz").values())
np.save(folder + "/out.npy", out.numpy())
loaded = [name for name in sys.modules if name.startswith(("ddl.nn", "ddl.models"))]
print(json.dumps(loaded))
"""


def test_it_runs_in_a_process_that_never_saw_the_model(tmp_path):
    model = small_gpt(dropout=0.1)
    ids = ddl.randint(0, 11, (2, 7))
    ddl.manual_seed(5)
    graph = ddl.trace(model, ids)
    ddl.manual_seed(5)
    expected = model(ids)
    (tmp_path / "graph.json").write_text(graph.to_json(values="all"), "utf-8")
    np.savez(tmp_path / "inputs.npz", ids=ids.numpy())
    command = [sys.executable, "-c", ELSEWHERE, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(ddl.__file__).parents[1])
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == []
    check_equal(ddl.Tensor(np.load(tmp_path / "out.npy")), expected)


def test_dropout_drops_what_it_dropped_when_it_was_traced():
    graph, x = ddl.trace(nn.Dropout(0.5), ddl.ones(100)), ddl.ones(100)
    check_equal(graph.run(x), ddl.Tensor(graph.nodes[graph.outputs[0]].value))
    check_equal(graph.run(x * 2.0), graph.run(x) * 2.0)
    longer = ddl.trace(nn.Dropout(0.5), ddl.Spec("N"))
    check_equal(longer.run(ddl.ones(100))[:50], longer.run(ddl.ones(50)))


def test_gradients_flow_through_a_run():
    x, w = ddl.randn(3, 2), ddl.randn(2, 4, requires_grad=True)
    graph = load(ddl.trace(lambda x, w: (x @ w).tanh().sum(), x, w).to_json())
    check_equal(ddl.grad(graph.run(x, w), w), ddl.grad((x @ w).tanh().sum(), w))


def test_a_backward_graph_runs():
    w = ddl.randn(2, 4, requires_grad=True)
    back = load(ddl.trace(lambda x, w: (x @ w).tanh().sum(), ddl.Spec(("N", 2)), w).backward().to_json())
    x = ddl.randn(3, 2, requires_grad=True)
    for found, expected in zip(back.run(x, w), ddl.grad((x @ w).tanh().sum(), [x, w]), strict=True):
        check_equal(found, expected)


def test_several_outputs_and_none_at_all():
    graph = ddl.trace(lambda x: {"twice": x * 2.0, "same": [x, x]}, ddl.ones(2))
    assert [t.tolist() for t in graph.run([3.0, 4.0])] == [[6.0, 8.0], [3.0, 4.0], [3.0, 4.0]]
    for nothing in (None, 3.0, {}):
        with pytest.raises(TypeError, match="trace needs a function that returns tensors, but"):
            ddl.trace(lambda x, nothing=nothing: nothing, ddl.ones(2))


def test_what_is_no_number_and_no_parameter_of_the_graph_is_refused():
    graph = ddl.trace(lambda x: x * 2.0, ddl.ones(2))
    with pytest.raises(TypeError, match=r"x is float32\[2\], but 'abc' was given: give numbers"):
        graph.run("abc")
    with pytest.raises(ValueError, match="a parameter 'w' was given, but the names in the graph are none"):
        graph.run([1.0, 2.0], parameters={"w": 1})
    with pytest.raises(TypeError, match=r"a dict from names to tensors, but \[1\] was given"):
        graph.run([1.0, 2.0], parameters=[1])
    with pytest.raises(TypeError, match="trace takes a function"):
        ddl.trace(3)
    with pytest.raises(TypeError, match="a graph is worked on here, but None was given"):
        ddl.graph.merge_common(None)
    with pytest.raises(TypeError, match="a Spec needs a dtype such as 'float32', but 'foo' was given"):
        ddl.Spec((2,), "foo")
    for depth in ("a.svg", 1.5, -1):
        with pytest.raises(ValueError, match="needs depth to be a whole number of 0 or more"):
            graph.to_svg(depth)


def test_it_runs_where_the_inputs_are(cupy):
    graph = load(ddl.trace(lambda x: (x[[1, 0]] @ np.ones((3, 2), np.float32)) * 2.0, ddl.ones(2, 3)).to_json())
    expected = graph.run(np.ones((2, 3), np.float32))
    found = graph.run(cupy.asarray(np.ones((2, 3), np.float32)))
    assert found.device == "gpu"
    np.testing.assert_array_equal(found.data.get(), expected.numpy())


def test_a_decoders_graph_and_its_backward_run_on_a_device(cupy):
    ids, model = ddl.tensor([[1, 2, 3, 4], [5, 6, 7, 8]]), small_gpt()
    graph = load(ddl.trace(lambda ids: model(ids).logsumexp(-1).mean(), ids).to_json())
    back = load(graph.backward().to_json())
    found, expected = graph.run(ids.to("gpu")), graph.run(ids)
    assert found.device == "gpu"
    np.testing.assert_allclose(found.data.get(), expected.numpy(), rtol=1e-6)
    gradients, wanted = back.run(ids.to("gpu")), back.run(ids)
    assert len(gradients) == len(wanted) == len([*model.parameters()])
    for there, here in zip(gradients, wanted):
        np.testing.assert_allclose(there.data.get(), here.numpy(), rtol=1e-4, atol=1e-7)


@pytest.mark.gpu
def test_every_case_runs_on_a_gpu():
    differing = {}
    for case in (c for c in CASES if c.order):
        xs = [ddl.Tensor(x) for x in case.inputs(np.float64)]
        graph, expected = traced(case, xs)
        try:
            found = load(graph.to_json(values="all")).run(*(x.to("gpu") for x in xs))
            np.testing.assert_allclose(found.data.get(), expected.numpy(), rtol=1e-10, atol=1e-12)
        except Exception as error:
            differing[case.id] = f"{type(error).__name__}: {error}"
    assert differing == {}


def test_what_takes_no_part_is_not_missed():
    first, second = nn.Linear(2, 900), nn.Linear(2, 900)
    graph = load(ddl.trace(lambda x: (first(x), second(x))[1], ddl.ones(1, 2)).to_json())
    x = ddl.randn(1, 2)
    check_equal(graph.run(x, parameters={"second.weight": second.weight}), second(x))


def test_evaluated_has_the_values_of_all_nodes():
    w = ddl.ones(2, requires_grad=True)
    graph = ddl.trace(lambda x, w: (x * w * 2.0).sum(1), ddl.Spec(("N", 2)), w)
    found = graph.evaluated([[1.0, 2.0]], w)
    assert [n.shape for n in found.nodes] == [(1, 2), (2,), (1, 2), (), (1, 2), (1,)]
    assert found.nodes[4].value.tolist() == [[2.0, 4.0]]
    assert found.nodes[4].statistics["max"] == 4.0
    assert graph.nodes[0].value is None
    assert load(found.to_json()).run([[1.0, 2.0]], w).tolist() == [6.0]
    assert found.walk_back().nodes[1].grad.tolist() == [2.0, 4.0]


x23 = np.ones((2, 3), np.float32)
REFUSED = [
    (lambda g: g.run(), r"0 inputs were given to a graph of 1; give x float32\[B, 3\]"),
    (lambda g: g.run(x23, x23), "2 inputs were given to a graph of 1"),
    (lambda g: g.run(x23.T), r"x was traced as float32\[B, 3\], but float32\[3, 2\] was given"),
    (lambda g: g.run(x23[0]), r"float32\[B, 3\], but float32\[3\] was given"),
    (lambda g: g.run(x23.astype("float64")), r"but float64\[2, 3\] was given; .astype\('float32'\) makes one"),
    (lambda g: g.run(x23[:0]), "x was traced with a size B of 1 or more, but 0 was given"),
    (lambda g: g.run(x23, parameters={"w": x23}), r"a parameter 'w' was given, but the names in the graph are weight"),
    (lambda g: g.run(x23, parameters={"weight": x23}), r"weight was traced as float32\[4, 3\], but float32\[2, 3\]"),
    (lambda g: g.run(x23), r"the parameter weight is needed.*give parameters=\{'weight': ..\}, or write.*'all'"),
]


@pytest.mark.parametrize(("call", "sentence"), REFUSED, ids=[sentence[:40] for _, sentence in REFUSED])
def test_what_does_not_fit_is_refused(call, sentence):
    model = nn.Linear(3, 4, bias=False)
    graph = load(ddl.trace(model, ddl.Spec(("B", 3))).to_json(values="none"))
    with pytest.raises(ValueError, match=sentence):
        call(graph)
    extra = {**model.state_dict(), "of another part": x23}
    check_equal(graph.run(x23, parameters=extra), model(ddl.tensor(x23)))


def test_sizes_have_to_agree():
    graph = ddl.trace(lambda x, y: x + y, ddl.Spec(("B", "T")), ddl.Spec(("B", 1)))
    with pytest.raises(ValueError, match="y was traced with the size B, here 2, but 3 was given"):
        graph.run(np.ones((2, 2), np.float32), np.ones((3, 1), np.float32))
    with ddl.shapes_only():
        graph = ddl.trace(small_gpt(), ddl.Spec(("B", "T"), np.int64))
    with pytest.raises(ValueError, match=r"takes T <= 16 for granted, but was given \{'B': 1, 'T': 17\}"):
        graph.run(np.zeros((1, 17), np.int64))


def test_sizes_that_no_input_has_alone_are_missed():
    graph = ddl.trace(lambda x: x * 2.0, ddl.Spec((ddl.Spec("T").shape[0] * 2,)))
    with pytest.raises(ValueError, match="the size 'T' is needed, but no input has it as a size alone"):
        graph.run([1.0, 2.0])


def test_a_number_made_of_a_size_without_one_is_refused():
    graph = ddl.trace(lambda x: x * float(x.shape[0]), ddl.Spec("D"))
    with pytest.raises(ValueError, match="made of a size without one") as error:
        graph.run([1.0, 2.0])
    assert error.value.__notes__ == ["in a run of a graph, at node 1: constant nan"]


def test_a_size_that_was_taken_to_differ_is_refused():
    graph = ddl.trace(lambda x: x * 2 if x.shape[0] == 3 else x * 5, ddl.Spec("D"))
    assert graph.assumptions == ["D != 3"]
    assert graph.run([1.0, 2.0]).tolist() == [5.0, 10.0]
    with pytest.raises(ValueError, match=r"takes D != 3 for granted, but was given \{'D': 3\}; trace it anew"):
        graph.run([1.0, 2.0, 3.0])


def test_an_index_of_unknown_values_is_refused():
    graph = ddl.trace(lambda x, i: x[i], ddl.Spec((3,)), ddl.Spec("N", np.int64))
    with pytest.raises(ValueError, match="an index of unknown values was traced"):
        graph.run(np.ones(3, np.float32), [0])


def test_an_op_of_ones_own_is_known_where_it_was_traced():
    @ddl.define.op()
    def thrice(x):
        return x * 3.0

    graph = ddl.trace(lambda x: thrice(x), ddl.ones(2))
    assert graph.run([1.0, 2.0]).tolist() == [3.0, 6.0]
    with pytest.raises(NotImplementedError, match="the op 'thrice' of node 1"):
        load(graph.to_json()).run([1.0, 2.0])
