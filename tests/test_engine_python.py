"""What people do with a tensor in a notebook: print, plot, convert, iterate, copy, ask for help."""

import copy
import importlib.util
import inspect
import pickle

import numpy as np
import pytest

import ddl


def test_numpy_sees_the_values_without_the_graph():
    x = ddl.tensor([1.0, 2.0], requires_grad=True)
    for array in (np.asarray(x), np.array(x), x.numpy(), (x * 1).numpy()):
        assert type(array) is np.ndarray
        assert (array.dtype, array.tolist()) == (np.float32, [1.0, 2.0])
    assert np.asarray(x, np.float64).dtype == np.float64
    assert x.numpy() is x.data
    assert not np.shares_memory(np.array(x), x.data)
    assert not np.shares_memory(np.array(x, copy=True), x.data)
    assert np.shares_memory(np.asarray(x), x.data)
    np.testing.assert_allclose(x, [1, 2])
    assert np.array([x, x]).shape == (2, 2)


FROM_THE_RIGHT = {
    "+": (lambda a, t: a + t, [11.0, 22.0]),
    "-": (lambda a, t: a - t, [9.0, 18.0]),
    "*": (lambda a, t: a * t, [10.0, 40.0]),
    "/": (lambda a, t: a / t, [10.0, 10.0]),
    "**": (lambda a, t: a**t, [10.0, 400.0]),
    "@": (lambda a, t: a @ t, 50.0),
    "==": (lambda a, t: a == t * 10, [True, True]),
    "!=": (lambda a, t: a != t, [True, True]),
    "<": (lambda a, t: a < t, [False, False]),
    "<=": (lambda a, t: a <= t * 10, [True, True]),
    ">": (lambda a, t: a > t * 15, [False, False]),
    ">=": (lambda a, t: a >= t, [True, True]),
}  # fmt: skip


@pytest.mark.parametrize("name", FROM_THE_RIGHT)
def test_an_array_or_a_numpy_number_on_the_left_gives_a_tensor(name):
    f, expected = FROM_THE_RIGHT[name]
    t = ddl.tensor([1.0, 2.0], requires_grad=True)
    out = f(np.float32([10, 20]), t)
    assert isinstance(out, ddl.Tensor)
    assert out.tolist() == expected
    if out.dtype == np.float32:
        assert out.requires_grad
    if name != "@":
        numbers = [f(kind(10), t[:1]) for kind in (np.float32, np.float64, np.int64)]
        assert all(isinstance(n, ddl.Tensor) and n.dtype in (np.float32, np.bool_) for n in numbers)
        assert {n.item() for n in numbers} == {expected[0]}


CHANGES = {
    "-=": lambda a, t: a.__isub__(0.1 * t),
    "+=": lambda a, t: a.__iadd__(t),
    "*=": lambda a, t: a.__imul__(t),
    "/=": lambda a, t: a.__itruediv__(t),
    "out": lambda a, t: np.add(a, t, out=a),
}


@pytest.mark.parametrize("name", CHANGES)
def test_an_array_changed_in_place_by_a_tensor_is_refused_with_what_to_write(name):
    p = ddl.tensor([1.0, 2.0], requires_grad=True)
    (p * p).sum().backward()
    with pytest.raises(TypeError) as error:
        CHANGES[name](p.data, p.grad)
    assert str(error.value) == (
        "an array was to be changed in place by a tensor; give it the tensor's array, as in "
        "`p.data -= 0.1 * p.grad.data`, or change the tensor: `with ddl.no_grad(): p -= 0.1 * p.grad`"
    )
    assert p.tolist() == [1.0, 2.0]
    p.data -= 0.1 * p.grad.data  # what the sentence says works
    with ddl.no_grad():
        p -= 0.1 * p.grad
    np.testing.assert_allclose(p, [0.6, 1.2], rtol=1e-6)


@pytest.mark.parametrize("call", [np.exp, lambda t: np.add(t, 1.0), lambda t: np.add.reduce(t)])
def test_numpys_functions_leave_tensors_to_ddl(call):
    with pytest.raises(TypeError) as error:
        call(ddl.tensor([1.0, 2.0]))
    assert "\n" not in str(error.value)


def test_a_numpy_function_of_a_tensor_says_what_to_use():
    with pytest.raises(
        TypeError, match=r"numpy's exp was given a tensor, but it knows no gradients; use ddl's function"
    ):
        np.exp(ddl.tensor([1.0, 2.0]))


def test_a_spec_has_no_values_to_give():
    x = ddl.Tensor(ddl.Spec((2, 3)))
    for ask in (np.asarray, float, lambda t: t.item(), bool, lambda t: t.tolist(), lambda t: t.numpy()):
        with pytest.raises((TypeError, ValueError)):
            ask(x)
    assert "2, 3" in repr(x)


def test_one_element_is_a_python_number():
    for x in (ddl.tensor(2.5), ddl.tensor([2.5]), ddl.tensor([[2.5]], requires_grad=True)):
        assert (float(x), int(x), x.item(), bool(x)) == (2.5, 2, 2.5, True)
    assert type(ddl.tensor(3).item()) is int
    assert f"{ddl.tensor(2.5):.2f}" == "2.50"
    assert f"{ddl.tensor(2.5)}" == "tensor(2.5)"
    assert list(range(5))[ddl.tensor(3)] == 3
    assert not ddl.tensor(0.0)
    assert round(float(ddl.tensor(2.4))) == 2


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (float, r"one element, but the shape is \(2,\)"),
        (bool, r"its shape is \(2,\) and each entry has an answer; use .any\(\) or .all\(\)"),
        (lambda t: f"{t:.2f}", r"the format '.2f' is one number's, but the shape is \(2,\)"),
        (lambda t: t.item(), r"one element, but the shape is \(2,\)"),
        (lambda t: len(t[0]), r"len\(\) was asked of a tensor of shape \(\)"),
        (lambda t: list(t[0]), r"tensor of shape \(\) was iterated over"),
        (lambda t: [1, 2][t[0]], "only integer tensors can be an index"),
        (pickle.dumps, "a tensor was pickled, which runs code when it is read back; use ddl.save and ddl.load"),
        (lambda t: pickle.dumps({"model": ddl.nn.Linear(1, 1)}), "use ddl.save and ddl.load"),
        (lambda t: copy.deepcopy(t * 2), r"copy t.detach\(\) instead"),
        (lambda t: t.to("moon"), "moon"),
        (lambda t: t.to("tpu"), "tpu"),
    ],
)
def test_what_a_tensor_cannot_do_it_refuses_in_a_sentence(ask, sentence):
    with pytest.raises((TypeError, ValueError, RuntimeError), match=sentence) as error:
        ask(ddl.tensor([1.0, 2.0], requires_grad=True))
    assert "\n" not in str(error.value)


def test_iteration_and_membership():
    x = ddl.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    assert len(x) == 2
    assert [row.tolist() for row in x] == [[1.0, 2.0], [3.0, 4.0]]
    assert all(row.requires_grad for row in x)
    a, b = x
    (a * b).sum().backward()
    assert x.grad.tolist() == [[3.0, 4.0], [1.0, 2.0]]


def test_comparisons_give_arrays_of_booleans_and_tensors_are_hashable():
    x, y = ddl.tensor([1.0, 2.0]), ddl.tensor([1.0, 3.0])
    assert (x == y).tolist() == [True, False]
    assert (x != y).tolist() == [False, True]
    assert (x < 1.5).tolist() == [True, False]
    assert (1.5 >= x).tolist() == [True, False]
    assert (x == y).dtype == bool
    assert {x: 1, y: 2}[x] == 1


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (lambda: ddl.tensor([1.0, 2.5]), "tensor([1. , 2.5])"),
        (lambda: ddl.tensor(3), "tensor(3)"),
        (lambda: ddl.tensor([True]), "tensor([ True])"),
        (lambda: ddl.tensor([1.0], dtype=np.float64), "tensor([1.], dtype=float64)"),
        (lambda: ddl.tensor([1.0], requires_grad=True), "tensor([1.], requires_grad=True)"),
        (lambda: ddl.tensor([1.0], requires_grad=True) * 2, "tensor([2.], made by mul)"),
        (lambda: ddl.tensor([[1.0, 2.0], [3.0, 4.0]]), "tensor([[1., 2.],\n        [3., 4.]])"),
        (lambda: ddl.nn.Parameter((1, 2)), "Parameter([[0., 0.]], requires_grad=True)"),
        (lambda: ddl.tensor([float("nan"), float("inf")]), "tensor([nan, inf])"),
        (lambda: ddl.zeros(0, 3), "tensor([], shape=(0, 3))"),
    ],
)
def test_a_tensor_is_printed_readably(x, text):
    assert repr(x()).replace("  ", " ") == text.replace("  ", " ")


def test_a_large_tensor_is_printed_in_part():
    assert len(repr(ddl.zeros(1000, 1000))) < 600


def test_signatures_are_true():
    """`t.sum?` in a notebook shows what can be given."""
    assert str(inspect.signature(ddl.Tensor.sum)) == (
        "(self, dim: Any = None, keepdim: bool = False) -> ddl.core.Tensor"
    )
    for name in ("mean", "max", "softmax", "split", "transpose", "clip", "reshape"):
        if hasattr(ddl.Tensor, name):
            assert next(iter(inspect.signature(getattr(ddl.Tensor, name)).parameters)) == "self"
    assert list(inspect.signature(ddl.nn.functional.softmax).parameters) == ["input", "dim"]
    assert list(inspect.signature(ddl.Tensor.backward).parameters) == [
        "self", "gradient", "retain_graph", "create_graph",
    ]  # fmt: skip
    with pytest.raises(TypeError, match="keepdimension"):
        ddl.ones(2).sum(keepdimension=True)


def test_both_names_of_an_axis_are_taken():
    x = ddl.randn(2, 3)
    assert x.sum(dim=1, keepdim=True).shape == x.sum(axis=1, keepdims=True).shape == (2, 1)
    assert x.unsqueeze(axis=0).shape == (1, 2, 3)
    assert ddl.nn.functional.softmax(x, axis=0).tolist() == ddl.nn.functional.softmax(x, dim=0).tolist()
    with pytest.raises(TypeError):
        x.sum(dim=1, axis=1)


def test_a_tensor_can_be_plotted():
    if importlib.util.find_spec("matplotlib") is None:
        pytest.skip("matplotlib is not installed")
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots()
    try:
        (line,) = axes.plot(ddl.tensor([1.0, 3.0, 2.0], requires_grad=True))
        assert line.get_ydata().tolist() == [1.0, 3.0, 2.0]
        (line,) = axes.plot(ddl.arange(3), ddl.tensor([1.0, 3.0, 2.0]) * 2)
        assert line.get_xdata().tolist() == [0, 1, 2]
        axes.imshow(ddl.randn(4, 4))
        axes.scatter(ddl.randn(3), ddl.randn(3))
        axes.hist(ddl.randn(10).numpy())
    finally:
        plt.close(figure)


# ---- copies
def test_a_deep_copy_of_a_tensor_is_a_leaf_of_its_own():
    x = ddl.tensor([1.0, 2.0], requires_grad=True)
    twin = copy.deepcopy(x)
    (twin * 2).sum().backward()
    assert (twin.grad.tolist(), x.grad) == ([2.0, 2.0], None)
    twin.data[0] = 9.0
    assert x.tolist() == [1.0, 2.0]


def test_a_deep_copy_of_a_model_is_independent_and_keeps_its_ties():
    config = ddl.models.GPT2Config(vocab_size=11, block_size=4, n_embd=8, n_layer=1, n_head=2)
    model = ddl.models.GPT2(config)
    twin = copy.deepcopy(model)
    ids = np.array([[1, 2, 3]])
    before = model(ids).numpy().copy()
    np.testing.assert_array_equal(twin(ids).numpy(), before)
    assert [n for n, _ in twin.named_parameters()] == [n for n, _ in model.named_parameters()]
    assert not {id(p) for p in model.parameters()} & {id(p) for p in twin.parameters()}
    ddl.optim.SGD(twin.parameters(), lr=1.0).backward_step(twin(ids).sum())
    np.testing.assert_array_equal(model(ids).numpy(), before)
    assert (twin(ids).numpy() != before).any()
    assert all(p.grad is None for p in model.parameters())


def test_a_weight_that_two_layers_share_is_shared_in_the_copy():
    class Tied(ddl.nn.Module):
        def __init__(self):
            self.a = ddl.nn.Linear(3, 3, bias=False)
            self.b = ddl.nn.Linear(3, 3, bias=False)
            self.b.weight = self.a.weight

    twin = copy.deepcopy(Tied())
    assert twin.a.weight is twin.b.weight
    assert len(list(twin.parameters())) == 1


def test_a_shallow_copy_of_a_parameter_is_a_parameter():
    p = ddl.nn.Parameter((2, 2), ddl.nn.init.ones, axes=("out", "in"))
    for twin in (copy.copy(p), copy.deepcopy(p)):
        assert type(twin) is ddl.nn.Parameter
        assert (twin.axes, twin.init, twin.requires_grad) == (p.axes, p.init, True)
