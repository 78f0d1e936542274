"""The player's numbers are those of ddl.grad, at every node, before and after what-ifs; what cannot be is refused."""

import random

import numpy as np
import pytest

import ddl

pytest.importorskip("anywidget")

from ddl.widgets import Player, play


@pytest.fixture(autouse=True)
def nobody_listens(monkeypatch):
    monkeypatch.setattr(Player, "send", lambda self, said, buffers=None: None)


def asked(player, **what):
    player._handle_custom_msg({"ask": what, "number": 1}, [])
    return player.fault


def shown(player):
    """By node what is shown: its value and its gradient, None where there is none."""
    read = lambda x: None if x is None else np.array(x, float)
    return [(read(node["value"]), read(node["grad"])) for node in player.data["nodes"]]


def is_true(player, values, grads):
    for (value, grad), true, slope in zip(shown(player), values, grads, strict=True):
        np.testing.assert_allclose(value, true, rtol=1e-12)
        np.testing.assert_allclose(0.0 if grad is None else grad, slope, rtol=1e-9, atol=1e-12)


def is_its_own_sum(player):
    """Each gradient is the sum of what the edges carry to it, and between numbers those are slope times gradient."""
    nodes, arrived = shown(player), {}
    for edge in player.data["edges"]:
        if edge["carries"] is not None:
            carries = np.array(edge["carries"], float)
            arrived[edge["from"]] = arrived.get(edge["from"], 0.0) + carries
            if edge["slope"] is not None:
                np.testing.assert_allclose(carries.sum(), edge["slope"] * nodes[edge["to"]][1].sum(), rtol=1e-9)
    for i, total in arrived.items():
        np.testing.assert_allclose(nodes[i][1], total, rtol=1e-9, atol=1e-12)


SCALAR_OPS = [
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: a / (b * b + 1.0),
    lambda a, b: a.tanh(),
    lambda a, b: (a * 0.1).exp(),
    lambda a, b: (a * a + 1.0).log(),
    lambda a, b: (a * a + 0.5).sqrt(),
    lambda a, b: a.relu(),
    lambda a, b: a.sigmoid(),
    lambda a, b: a.max(b),
    lambda a, b: -abs(a),
    lambda a, b: a**2,
    lambda a, b: 3 - a,
    lambda a, b: type(a).sum([a, b, a]),
    lambda a, b: type(a).dot([a, b], [b, b], a),
]


def scalar_program(values, seed):
    rng = random.Random(seed)
    pool = [ddl.Scalar(x, f"x{i}") for i, x in enumerate(values)]
    for _ in range(12):
        pool.append(rng.choice(SCALAR_OPS)(*rng.choices(pool[-6:], k=2)).tanh() * 2.0)
    return pool, ddl.Scalar.sum(pool[-3:])


def scalar_truth(values, seed):
    """Values and slopes by Scalar's own walk, oldest first."""
    _, out = scalar_program(values, seed)
    out.backward()
    nodes = out.graph()["nodes"]
    return [node["value"] for node in nodes], [node["grad"] for node in nodes]


@pytest.mark.parametrize("seed", range(20))
def test_random_scalar_programs(seed):
    values = np.random.default_rng(seed).normal(size=3).tolist()
    player = play(scalar_program(values, seed)[1])
    is_true(player, *scalar_truth(values, seed))
    is_its_own_sum(player)
    place = next(node["id"] for node in player.data["nodes"] if node["name"])
    which = int(player.data["nodes"][place]["name"][1:])
    values[which] = 0.625
    assert asked(player, kind="value", node=place, value=0.625) == ""
    is_true(player, *scalar_truth(values, seed))
    is_its_own_sum(player)


TENSOR_OPS = [
    lambda a, b: a + b,
    lambda a, b: a * b,
    lambda a, b: a @ b.mT,
    lambda a, b: (a @ b.mT) @ b,
    lambda a, b: a.tanh(),
    lambda a, b: a.softmax(-1) * b,
    lambda a, b: (a - a.mean(-1, keepdim=True)) / (a.var(-1, keepdim=True) + 1.0).sqrt(),
    lambda a, b: a.sum(0) + b,
    lambda a, b: ddl.where(a > b, a, b * 0.5),
    lambda a, b: ddl.nn.functional.gelu(a) - b,
    lambda a, b: ddl.cat([a, b])[1:4],
    lambda a, b: a.exp().log1p(),
]


def tensor_program(leaves, seed):
    rng = random.Random(seed)
    pool = list(leaves)
    for _ in range(6):
        made = rng.choice(TENSOR_OPS)(*rng.choices(pool[-4:], k=2))
        pool.append(made if made.shape == (3, 3) else made.sum() + pool[-1])
    return (pool[-1] * pool[-2]).mean()


def leaves(seed):
    rng = np.random.default_rng(seed)
    return [ddl.tensor(rng.normal(size=(3, 3)), requires_grad=True) for _ in range(3)]


def tensor_truth(graph, given, seed):
    """Values and gradients at every node, by ddl.grad, of the results of all ops while the program runs once more."""
    from ddl.watch import watching

    made = []
    with watching(lambda op, inputs, settings, out: made.append(out)):
        out = tensor_program(given, seed)
    made, inputs, values, grads = iter(made), iter(given), [], []
    for node in graph.nodes:
        t = next(made) if node.kind == "op" else next(inputs) if node.kind == "input" else ddl.tensor(node.value)
        values.append(t.data)
        grads.append(ddl.grad(out, t).data if t.requires_grad else 0.0)
    return values, grads


@pytest.mark.parametrize("seed", range(20))
def test_random_tensor_programs(seed):
    given = leaves(seed)
    player = play(lambda *xs: tensor_program(xs, seed), *given)
    is_true(player, *tensor_truth(player.state, given, seed))
    is_its_own_sum(player)
    new = np.random.default_rng(seed + 99).normal(size=(3, 3))
    given[1] = ddl.tensor(new, requires_grad=True)
    assert asked(player, kind="value", node=1, value=new.tolist()) == ""
    is_true(player, *tensor_truth(player.state, given, seed))
    is_its_own_sum(player)


def neuron(x=0.5, act="tanh"):
    x, w, b = ddl.Scalar(x, "x"), ddl.Scalar(-1.5, "w"), ddl.Scalar(0.25, "b")
    y = getattr(x * w + b, act)()
    y.name = "y"
    return y


@pytest.mark.parametrize("act", ["relu", "sigmoid", "exp"])
def test_an_activation_is_exchanged(act):
    player = play(neuron())
    last = len(player.data["nodes"]) - 1
    assert act in player.data["swaps"]["tanh"]
    assert asked(player, kind="op", node=last, op=act) == ""
    assert player.words.replace(f"{act}(", "tanh(") != play(neuron()).words
    assert player.words == play(neuron(act=act)).words
    assert asked(player, kind="value", node=0, value=2.0) == ""
    assert player.words == play(neuron(2.0, act)).words


def test_every_activation_can_stand_for_every_other():
    x = ddl.tensor(np.linspace(-2.0, 2.0, 5), requires_grad=True)
    player = play(x.relu().sum(), params={"x": x})
    for op in player.data["swaps"]["relu"]:
        assert asked(player, kind="op", node=1, op=op) == ""
        slope = ddl.grad(getattr(ddl.nn.functional if op in ("gelu", "softplus") else ddl.Tensor, op)(x).sum(), x)
        np.testing.assert_allclose(np.array(player.data["nodes"][0]["grad"]), slope.data, rtol=1e-12)


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ({"kind": "value", "node": 4, "value": 1}, "node 4 is computed, by add: set what it is computed from"),
        (
            {"kind": "value", "node": 0, "value": "x"},
            "but 'x' was set: give a number, inf or nan",
        ),
        ({"kind": "value", "node": 0, "value": None}, "node 0 holds numbers, but None was set"),
        (
            {"kind": "value", "node": 0, "value": [1, 2]},
            "has the shape (), but the value that was set has (2,)",
        ),
        ({"kind": "value", "node": 99, "value": 1}, "a change of node 99 was asked for, but the nodes are 0 to 5"),
        ({"kind": "value", "node": "0", "value": 1}, "a change of node 0 was asked for"),
        (
            {"kind": "op", "node": 5, "op": "eval"},
            "'eval' was asked for in the place of 'tanh', but activations are relu",
        ),
        (
            {"kind": "op", "node": 4, "op": "relu"},
            "'relu' was asked for in the place of 'add', but activations are relu",
        ),
        ({"kind": "code", "node": 0}, "a change of kind 'code' was asked for"),
        ({"kind": "op", "node": 5, "value": 1}, "unexpected keyword argument"),
    ],
)
def test_what_cannot_be_changed_is_refused_in_words(what, words):
    player = play(neuron())
    before = player.data, player.words
    assert words in asked(player, **what)
    assert (player.data, player.words) == before


def test_values_that_json_lacks_are_set_and_shown():
    player = play(neuron())
    for value, shown in [("inf", "inf"), ("nan", "nan"), (-1e300, "-1e+300")]:
        assert asked(player, kind="value", node=0, value=value) == ""
        assert player.words.splitlines()[0].startswith(f"x = {shown}")


def test_whole_numbers_stay_whole():
    player = play(lambda ids: ddl.nn.functional.one_hot(ids, 3).sum(0), ddl.tensor([0, 2]))
    assert "node 0 holds whole numbers (int64), but [0, 1.5] was set" in asked(
        player, kind="value", node=0, value=[0, 1.5]
    )
    assert asked(player, kind="value", node=0, value=[1, 1]) == ""
    assert player.data["nodes"][-1]["value"] == [0, 2, 0]
    twice = play(lambda x: x * 2, ddl.tensor([1]))
    assert asked(twice, kind="value", node=0, value=[2**53 + 1]) == ""
    assert twice.data["nodes"][-1]["value"] == [2**54 + 2]


@pytest.mark.parametrize(("x", "value"), [(1.0, 1e300), (1.0, 10**400), (1, 2**64), (1, 10**400), (1, "inf")])
def test_what_a_dtype_cannot_hold_is_refused(x, value):
    player = play(lambda x: x * 2, ddl.tensor(x))
    assert "was set" in asked(player, kind="value", node=0, value=value)
    assert player.data["nodes"][0]["value"] == x


def test_the_learners_own_tensors_are_left_alone():
    x = ddl.tensor([1.0, 2.0], requires_grad=True)
    player = play((x * x).sum(), params={"x": x})
    x.data[0] = 100.0  # as an optimizer's step would
    assert asked(player, kind="value", node=0, value=[1, 3]) == ""
    assert player.data["nodes"][-1]["value"] == 10.0
    assert x.grad is None
    assert x.tolist() == [100.0, 2.0]


def test_an_output_of_several_numbers_is_walked_back_from_its_gradient():
    x = ddl.tensor([1.0, 2.0], requires_grad=True)
    assert play(x * x).data["nodes"][0]["grad"] is None
    player = play(x * x, gradient=[1.0, 10.0])
    assert player.data["nodes"][0]["grad"] == [2.0, 40.0]
    asked(player, kind="value", node=0, value=[3.0, 2.0])
    assert player.data["nodes"][0]["grad"] == [6.0, 40.0]


def test_a_tensor_whose_record_lacks_a_value_is_walked_back_and_refuses_changes_in_words():
    x, y = ddl.tensor([1.0, 2.0], requires_grad=True), ddl.tensor([3.0, 5.0])
    player = play(((x - y) ** 2).sum(), params={"x": x})  # a difference needs none of its sides for its gradient
    assert [node["value"] for node in player.data["nodes"]][:2] == [[1.0, 2.0], None]
    assert player.data["nodes"][0]["grad"] == [-4.0, -6.0]
    fault = asked(player, kind="value", node=0, value=[0, 0])
    assert fault.startswith("nothing can be computed anew, for node 1 has no value here")
    assert fault.endswith("play the function and its inputs instead, as in play(f, x)")


def test_shapes_alone_are_played_forward_and_have_no_values_to_set():
    player = play(ddl.nn.Linear(3, 2), ddl.Spec(("B", 3)))
    assert "B" in player.words
    assert player.picture(player.state).startswith(b"\x89PNG")
    assert "trace with tensors instead of Specs" in asked(player, kind="value", node=0, value=1)


def test_a_graph_is_played_and_stays_as_it_was():
    x = ddl.tensor([1.0, 2.0])
    graph = ddl.trace(lambda x: (x * x).sum(), x)
    before = graph.to_json()
    asked(play(graph), kind="value", node=0, value=[1, 3])
    assert graph.to_json() == before


def test_what_is_too_large_to_be_drawn_is_listed():
    x = ddl.Scalar(1.0)
    for _ in range(400):
        x = -x
    assert play(x).picture(play(x).state).startswith(b"\x89PNG")


def test_something_else_is_refused():
    with pytest.raises(TypeError, match=r"a player shows a Scalar, a tensor, a graph or a function .*, but got 3"):
        play(3)
