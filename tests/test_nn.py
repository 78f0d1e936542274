"""Modules: what they own and in which order, state, and where an error came from."""

import threading

import numpy as np
import pytest

import ddl
from ddl import nn

TINY = ddl.models.GPT2Config(vocab_size=11, block_size=5, n_embd=8, n_layer=2, n_head=2)


# ---- what a module owns
class Odd(nn.Module):
    def __init__(self):
        self.last = nn.Linear(2, 2, bias=False)
        self.first = nn.Parameter((3,), axes=("out",))
        self.many = [nn.Linear(1, 1), (nn.Linear(1, 1, bias=False), "text")]
        self.named = {"left": nn.LayerNorm(2, bias=False), "right": nn.Parameter((1,))}
        self.again = self.last
        self.tied = self.last.weight
        self.nothing = None


def test_a_submodule_is_found_by_its_path():
    m = Odd()
    assert m.get_submodule("") is m
    assert m.get_submodule("last") is m.last
    assert m.get_submodule("many.1.0") is m.many[1][0]
    assert m.get_submodule("named.left") is m.named["left"]
    assert all(m.get_submodule(path) is part for path, part in m.named_modules())
    outer = nn.Sequential(nn.Tanh(), m)
    assert outer.get_submodule("1.many.0") is m.many[0]
    for path, at in (
        ("2", "are: 0, 1"),
        ("1.mny", "at '1' are: last, many.0"),
        ("1.last.weight", "at '1.last' are: none"),
    ):
        with pytest.raises(AttributeError, match=f"Sequential was asked for the module '{path}', .*{at}"):
            outer.get_submodule(path)


def test_a_registered_buffer_is_in_the_state_and_no_parameter():
    m = nn.Linear(1, 1)
    m.register_buffer("seen", ddl.zeros(2))
    m.register_buffer("scratch", np.ones(3, np.float32), persistent=False)
    m.register_buffer("later", None)
    assert m.later is None
    assert [name for name, _ in m.named_buffers()] == ["seen", "scratch"]
    assert [name for name, _ in m.named_parameters()] == ["weight", "bias"]
    assert list(m.state_dict()) == ["weight", "bias", "seen"]
    assert not m.seen.requires_grad
    m.load_state_dict(m.state_dict() | {"seen": np.full(2, 7, np.float32)})
    assert m.seen.tolist() == [7, 7]
    m.register_buffer("seen", ddl.ones(1))
    assert m.seen.tolist() == [1]


@pytest.mark.parametrize("value", [np.zeros((2, 2), np.float32), [[0.0]], 3, nn.ReLU(), ddl.ones(2, 2)])
@pytest.mark.parametrize("kind", ["parameter", "buffer"])
def test_what_a_module_owns_is_not_lost_to_a_value_of_another_kind(kind, value):
    m = nn.Linear(2, 2)
    m.kept = nn.Buffer((2, 2))
    name = "weight" if kind == "parameter" else "kept"
    if kind == "parameter" or type(value) is not ddl.Tensor:
        with pytest.raises(TypeError, match=rf"Linear.{name} is a {kind}, but .* was set in its place; set "):
            setattr(m, name, value)
    else:
        setattr(m, name, value)
    assert list(m.state_dict()) == ["weight", "bias", "kept"]
    setattr(m, name, None)
    assert name not in m.state_dict()


def test_parameters_are_found_in_the_order_they_were_set_and_each_once():
    paths = [path for path, _ in Odd().named_parameters()]
    assert paths == [  # as in PyTorch a module's own come before its children's: the tied weight has its shorter name
        "first", "named.right", "tied", "many.0.weight", "many.0.bias", "many.1.0.weight", "named.left.weight",
    ]  # fmt: skip
    assert paths == [path for path, _ in Odd().named_parameters()]
    assert [m for m, _ in Odd().named_modules()] == ["", "last", "many.0", "many.1.0", "named.left"]


def test_a_tied_weight_counts_once_and_gathers_both_gradients():
    class Tied(nn.Module):
        def __init__(self):
            self.a = nn.Linear(2, 2, bias=False)
            self.b = nn.Linear(2, 2, bias=False)
            self.b.weight = self.a.weight

        def forward(self, x):
            return self.b(self.a(x))

    model, x = Tied(), ddl.ones(1, 2)
    assert model.num_parameters() == 4
    assert list(model.state_dict()) == ["a.weight"]
    w = model.a.weight
    model(x).sum().backward()
    tied = w.grad.numpy().copy()
    W = ddl.tensor(w.numpy(), requires_grad=True)
    (x @ W.T @ W.T).sum().backward()
    np.testing.assert_allclose(tied, W.grad.numpy(), rtol=1e-6)
    before = w.numpy().copy()
    ddl.optim.SGD(model.parameters(), lr=1.0).step()
    np.testing.assert_allclose(w.numpy(), before - tied, rtol=1e-6)


def test_a_parameter_carries_shape_axes_and_initialiser():
    p = nn.Linear(3, 2).weight
    assert (p.shape, p.axes) == ((2, 3), ("out", "in"))
    assert callable(p.init)
    assert p.requires_grad
    assert nn.Parameter(np.ones((2, 2))).tolist() == [[1, 1], [1, 1]]
    source = ddl.ones(2)
    copied = nn.Parameter(source)
    with ddl.no_grad():
        copied += 1.0
    assert source.tolist() == [1, 1]


def test_an_optimizer_follows_a_model_that_was_moved_after_it_was_made():
    model = nn.Linear(2, 1)
    optimizer = ddl.optim.SGD(model.parameters(), lr=0.1)
    model.double()
    before = model.weight.numpy().copy()
    optimizer.backward_step(model(ddl.ones(1, 2, dtype=np.float64)).sum())
    assert (model.weight.numpy() != before).all()


def test_sequential_is_a_list_of_layers():
    layers = [nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1)]
    model = nn.Sequential(*layers)
    assert len(model) == 3
    assert list(model) == layers
    assert model[2] is layers[2]
    assert model[-1] is layers[2]
    assert list(model.state_dict()) == ["0.weight", "0.bias", "2.weight", "2.bias"]


# ---- state
def test_state_goes_round():
    ddl.manual_seed(1)
    a = ddl.models.GPT2(TINY)
    ddl.manual_seed(2)
    b = ddl.models.GPT2(TINY)
    ids = np.array([[1, 2, 3]])
    assert (a(ids).numpy() != b(ids).numpy()).any()
    b.load_state_dict({path: t.numpy().copy() for path, t in a.state_dict().items()})
    np.testing.assert_array_equal(a(ids).numpy(), b(ids).numpy())
    assert not np.shares_memory(a.wte.weight.numpy(), b.wte.weight.numpy())


def test_a_state_that_does_not_fit_is_refused_whole():
    model = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    before = {path: p.numpy().copy() for path, p in model.named_parameters()}
    state = {"0.weight": np.zeros((3, 2)), "1.weight": np.zeros((3, 1)), "1.bias": np.zeros(1), "extra": np.zeros(1)}
    with pytest.raises(ValueError) as error:
        model.load_state_dict(state)
    assert str(error.value) == (
        "the state does not fit Sequential: missing: 0.bias; unexpected: extra; "
        "of another shape: 1.weight (3, 1) where (1, 3) is wanted"
    )
    with pytest.raises(ValueError, match=r"^the state does not fit Sequential: of another shape: 1.weight") as error:
        model.load_state_dict(state, strict=False)
    assert "extra" not in str(error.value)
    for path, p in model.named_parameters():
        np.testing.assert_array_equal(p.numpy(), before[path])
    del state["1.weight"]
    assert model.load_state_dict(state, strict=False) == (["0.bias", "1.weight"], ["extra"])
    assert model[0].weight.tolist() == [[0, 0]] * 3
    np.testing.assert_array_equal(model[1].weight.numpy(), before["1.weight"])


def test_a_state_of_other_names_shows_both_sides_and_what_is_no_state_is_refused():
    model = nn.ModuleList(nn.Linear(1, 1) for _ in range(6))
    with pytest.raises(ValueError, match=r"missing: 0\.weight, .* 4 more; unexpected: net\.0\.weight, .* 4 more$"):
        model.load_state_dict({f"net.{path}": t for path, t in model.state_dict().items()})
    with pytest.raises(TypeError, match=r"takes a dict of tensors by path, but list was given"):
        model.load_state_dict([1.0])
    for values, dtype in (([["much"]], "<U4"), (np.array([[1j]]), "complex128"), (np.array([[None]]), "object")):
        with pytest.raises(TypeError, match=f"a state is made of numbers, but weight is {dtype}"):
            nn.Linear(1, 1).load_state_dict({"bias": [0.0], "weight": values})
    with ddl.shapes_only():
        empty = nn.Linear(1, 1)
    with pytest.raises(ValueError, match="made under shapes_only, without values: weight, bias"):
        empty.load_state_dict({"weight": [[1.0]], "bias": [0.0]})


def test_a_state_may_be_of_lists_tensors_and_arrays():
    model = nn.Linear(2, 1)
    assert model.load_state_dict({"weight": [[1, 2]], "bias": ddl.tensor([3.0])}) == ([], [])
    assert model(ddl.ones(2)).tolist() == [6]


def test_shapes_only_is_each_threads_own():
    inside, done = threading.Event(), threading.Event()

    def elsewhere():
        with ddl.shapes_only():
            inside.set()
            done.wait(5)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    assert inside.wait(5)
    here = nn.Linear(2, 2)
    with ddl.shapes_only():
        done.set()
        thread.join()
        assert isinstance(nn.Linear(2, 2).weight.data, ddl.Spec)
    assert here.weight.numpy().shape == nn.Linear(2, 2).weight.numpy().shape


def test_loading_keeps_the_models_dtype_and_objects():
    model = nn.Linear(2, 1)
    weight, memory = model.weight, model.weight.data
    model.load_state_dict({"weight": np.ones((1, 2)), "bias": np.zeros(1)})
    assert model.weight is weight
    assert model.weight.data is memory
    assert model.weight.dtype == np.float32


# ---- where an error came from
def test_an_error_names_op_shapes_and_layer_path():
    model = ddl.models.GPT2(TINY)
    model.blocks[0].mlp.up.weight.data = np.ones((32, 9), np.float32)
    with pytest.raises(ValueError) as error:
        model(np.array([[1, 2]]))
    notes = error.value.__notes__
    assert notes[0].startswith("in linear(x: float32[1, 2, 8], weight: float32[32, 9]")
    assert notes[1:] == ["called from Linear 'blocks.0.mlp.up'"]


def test_a_second_error_gets_its_own_notes():
    model = nn.Sequential(nn.Linear(2, 3), nn.Sequential(nn.Linear(4, 1)))
    for _ in range(2):
        with pytest.raises(ValueError, match="last axis is 4") as error:
            model(ddl.ones(1, 2))
        assert error.value.__notes__ == ["called from Linear '1.0'"]
    with pytest.raises(ValueError, match="last axis is 2") as error:
        model(ddl.ones(1, 5))
    assert error.value.__notes__ == ["called from Linear '0'"]


def test_an_op_outside_a_layer_notes_itself():
    with pytest.raises(ValueError) as error:
        ddl.ones(3, 4) @ ddl.ones(5, 6)
    assert error.value.__notes__ == ["in matmul(x: float32[3, 4], y: float32[5, 6])"]
    with pytest.raises(ValueError) as error:
        ddl.Tensor(ddl.Spec((3, 4))) @ ddl.Tensor(ddl.Spec((5, 6)))
    assert "inner sizes 4 and 5 differ" in str(error.value)


def test_a_module_without_a_forward_says_so():
    with pytest.raises(NotImplementedError, match="Module has no forward; define forward"):
        nn.Module()(1)
