"""Numbers at their edges: dtypes beside Python's and numpy's numbers, slopes at kinks and ties."""

import operator

import numpy as np
import pytest

import ddl
from ddl.nn import functional as F

OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "**": operator.pow}
SCALARS = [2, 2.0, True, np.float64(2), np.float32(2), np.int64(2), np.int8(2), np.bool_(True), np.asarray(2.0)]


# ---- dtypes
@pytest.mark.parametrize("scalar", SCALARS, ids=lambda s: f"{type(s).__name__} {s}")
@pytest.mark.parametrize("symbol", OPERATORS)
@pytest.mark.parametrize("shape", [(), (3,)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_number_on_either_side_keeps_the_dtype(symbol, scalar, shape, dtype):
    f, x = OPERATORS[symbol], ddl.ones(*shape, dtype=dtype, requires_grad=True)
    for y in (f(x, scalar), f(scalar, x)):
        assert type(y) is ddl.Tensor
        assert (y.dtype, y.shape) == (dtype, shape)
        x.grad = None
        y.sum().backward()
        assert x.grad.dtype == dtype


@pytest.mark.parametrize("symbol", OPERATORS)
def test_an_array_on_either_side_makes_a_tensor(symbol):
    f, x = OPERATORS[symbol], ddl.tensor([1.0, 2.0, 3.0], requires_grad=True)
    array = np.array([2.0, 1.0, 3.0], np.float32)
    for y, expected in ((f(array, x), f(array, x.numpy())), (f(x, array), f(x.numpy(), array))):
        assert type(y) is ddl.Tensor
        assert y.dtype == np.float32
        np.testing.assert_allclose(y.numpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("scalar", SCALARS)
def test_comparisons_and_maxima_with_a_number(scalar):
    x = ddl.tensor([1.0, 3.0])
    assert (x > scalar).tolist() == [False, True]
    assert (scalar < x).dtype == bool
    assert ddl.maximum(x, scalar).dtype == np.float32
    assert ddl.minimum(scalar, x).dtype == np.float32
    assert ddl.where(x > 2, x, scalar).dtype == np.float32
    assert x.clip(0, scalar).dtype == np.float32


@pytest.mark.parametrize(
    ("x", "y", "dtype"),
    [(1.0, 0.0, "f4"), (1, 0.0, "f4"), (np.float64(1), 0.0, "f4"), (1, 0, "i8"), (True, False, "?")],
)
def test_a_choice_of_two_numbers_has_the_dtype_of_a_tensor_of_them(x, y, dtype):
    over = ddl.tensor([1.0, 3.0])
    for c in (over, ddl.tensor(ddl.Spec((2,)))):
        chosen = ddl.where(c > 2, x, y)
        assert chosen.dtype == np.dtype(dtype)
        assert (chosen * over).dtype == np.float32
    assert ddl.where(over > 2, x, y).tolist() == [y, x]


def test_what_a_tensor_is_made_of_says_its_dtype():
    assert ddl.tensor([1.0, 2]).dtype == np.float32
    assert ddl.tensor(1.5).dtype == np.float32
    assert ddl.tensor([1, 2]).dtype == np.int64
    assert ddl.tensor([True]).dtype == bool
    assert ddl.tensor(np.ones(2)).dtype == np.float64
    assert ddl.tensor(np.float64(1)).dtype == np.float64
    assert ddl.tensor(ddl.ones(2, dtype=np.float64)).dtype == np.float64
    assert ddl.tensor([1, 2], dtype=np.float32).dtype == np.float32
    assert ddl.arange(3).dtype == np.int64
    assert ddl.arange(0, 1, 0.5).dtype == np.float32
    for make in (ddl.zeros, ddl.ones, ddl.rand, ddl.randn):
        assert (make(2, 3).dtype, make((2, 3)).shape) == (np.float32, (2, 3))


def test_a_tensor_owns_a_copy_of_what_it_was_made_of():
    array = np.ones(2, np.float32)
    made = ddl.tensor(array)
    array[0] = 5
    assert made.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(("bad", "error"), [([[1], [1, 2]], ValueError), ("text", TypeError), ([None], TypeError)])
def test_what_is_no_tensor_is_refused_in_a_sentence(bad, error):
    with pytest.raises(error, match=r"^a tensor (needs|holds) .*given"):
        ddl.tensor(bad)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x * ddl.tensor([1, 2, 3]),
        lambda x: [1, 2, 3] + x,
        lambda x: x / np.array([1, 2, 4]),
        lambda x: ddl.where(x > 2, x, ddl.arange(3)),
        lambda x: ddl.cat([x, ddl.arange(3)]),
        lambda x: x ** ddl.arange(3),
    ],
)
def test_integers_beside_float32_leave_float32(f):
    x = ddl.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = f(x)
    y.sum().backward()
    assert (y.dtype, x.grad.dtype) == (np.float32, np.float32)


# ---- small integers: what does not fit among them
BYTES = {
    **{n: getattr(ddl, n) for n in "exp expm1 log log1p sqrt rsqrt tanh sigmoid sin cos erf".split()},
    **{n: getattr(F, n) for n in "softmax log_softmax gelu silu softplus logsigmoid elu".split()},
    "gelu by GPT-2's formula": lambda x: F.gelu(x, "tanh"),
    "logsumexp": lambda x: x.logsumexp(0),
    "norm": lambda x: x.norm(),
    "norm of p = 1": lambda x: x.norm(1),
    "var": lambda x: x.var(),
    "normalize": lambda x: F.normalize(x, dim=0),
    "pairwise_distance": lambda x: F.pairwise_distance(x, x.flip(0)),
    "cross_entropy": lambda x: F.cross_entropy(x, 1),
    **{
        n: lambda x, n=n: getattr(F, n)(x, x.flip(0), reduction="none")
        for n in "mse_loss l1_loss huber_loss smooth_l1_loss poisson_nll_loss".split()
    },
}


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int8, np.int64])
@pytest.mark.parametrize("name", BYTES)
def test_a_function_of_integers_is_that_of_the_numbers_they_are(name, dtype):
    values = np.array([1, 2, 100], dtype)
    got, expected = BYTES[name](ddl.tensor(values)), BYTES[name](ddl.tensor(values.astype(np.float64)))
    np.testing.assert_allclose(got.numpy(), expected.numpy(), rtol=1e-12)
    assert got.dtype == np.float64


# ---- kinks and ties: PyTorch's slopes
KINKS = {
    "relu": (lambda t, x: t.relu(x), [0.0, -0.0, 1.0, -1.0]),
    "abs": (lambda t, x: abs(x), [0.0, -0.0, -3.0]),
    "sqrt": (lambda t, x: t.sqrt(x), [0.0, 4.0]),
    "log": (lambda t, x: t.log(x), [0.0, 1.0]),
    "maximum at a tie": (lambda t, x: t.maximum(x, x * 1), [1.0, 2.0]),
    "maximum of two leaves": (lambda t, x: t.maximum(x, t.tensor([1.0, 5.0, 0.0])), [1.0, 2.0, 3.0]),
    "minimum at a tie": (lambda t, x: t.minimum(x, x * 1), [1.0, 2.0]),
    "max of ties": (lambda t, x: x.max(), [3.0, 1.0, 3.0, 3.0]),
    "min of ties": (lambda t, x: x.min(), [3.0, 1.0, 1.0]),
    "clip on the bounds": (lambda t, x: x.clip(-1.0, 1.0), [-1.0, 1.0, 0.5, 2.0, -2.0]),
    "x to the 0": (lambda t, x: x**0, [0.0, 2.0, -1.0]),
    "x to the 1": (lambda t, x: x**1, [0.0, -2.0]),
    "x squared": (lambda t, x: x**2, [0.0, -2.0]),
    "x to the half": (lambda t, x: x**0.5, [0.0, 4.0]),
    "x to the 2.5": (lambda t, x: x**2.5, [0.0, 4.0, -1.0]),
    "x to the -1": (lambda t, x: x**-1, [0.0, 4.0, -1.0]),
    "a power that is a tensor": (lambda t, x: x ** t.tensor([0.0, 0.0, 2.0, 3.0, 2.0]), [0.0, -2.0, 0.0, -2.0, 3.0]),
    "of 0": (lambda t, x: t.tensor([0.0, 0.0, 2.0]) ** x, [0.0, 2.0, 0.0]),
    "softmax of one that is far": (lambda t, x: x.softmax(-1) if t is not ddl else F.softmax(x), [0.0, 1e4, -1e4]),
    "relu of NaN": (lambda t, x: t.relu(x), [np.nan, 1.0]),
    "maximum of NaN": (lambda t, x: t.maximum(x, x * 0 + 1), [np.nan, 2.0]),
    "minimum of NaN": (lambda t, x: t.minimum(x * 0 + 1, x), [np.nan, 2.0]),
    "norm": (lambda t, x: x.norm(), [0.0, 0.0]),
    "norm of p = 1": (lambda t, x: x.norm(1), [0.0, -2.0]),
    "norm of p = 3": (lambda t, x: x.norm(3), [0.0, 2.0]),
    "norm of p = 3 at 0": (lambda t, x: x.norm(3), [0.0, 0.0]),
    "norm of p = -1": (lambda t, x: x.norm(-1), [0.0, 2.0]),
    "the largest size, tied": (lambda t, x: x.norm(float("inf")), [2.0, -2.0, 1.0]),
    "the largest size of nothing": (lambda t, x: x.norm(float("inf")), [0.0, 0.0]),
    "std where nothing varies": (lambda t, x: x.std(), [1.0, 1.0]),
    "prod of a 0": (lambda t, x: x.prod(), [0.0, 2.0, 3.0]),
    "prod of two": (lambda t, x: x.prod(), [0.0, 0.0, 3.0]),
    "a remainder at its jump": (lambda t, x: x % 1.0, [1.0, -1.5, 2.0]),
    "1 / x": (lambda t, x: 1.0 / x, [0.0, -0.0, 2.0]),
    "1 / sqrt": (lambda t, x: x.rsqrt(), [0.0, 4.0]),
    "a bound that is a tensor": (lambda t, x: x.clip(t.tensor([0.0] * 3), t.tensor([1.0] * 3)), [0.0, 1.0, 2.0]),
    "sigmoid far out": (lambda t, x: x.sigmoid(), [1e4, -1e4]),
    "log of a small probability": (lambda t, x: x.sigmoid().log(), [-15.0, -20.0, -80.0]),
    "silu of one that is far below": (lambda t, x: x * x.sigmoid(), [-15.0, -20.0]),
    "sort of equals": (lambda t, x: x.sort().values * t.tensor([1.0, 2.0, 3.0]), [1.0, 1.0, 0.0]),
    "norm at 0": (lambda t, x: t.sqrt((x * x).sum()), [0.0, 0.0]),
}


@pytest.mark.torch
@pytest.mark.parametrize("name", KINKS)
def test_the_slope_at_a_kink_is_pytorchs(name):
    import torch

    f, at = KINKS[name]
    mine, theirs = ddl.tensor(at, requires_grad=True), torch.tensor(at, requires_grad=True)
    with np.errstate(all="ignore"):
        out, expected = f(ddl, mine), f(torch, theirs)
        out.sum().backward()
    expected.sum().backward()
    np.testing.assert_allclose(out.numpy(), expected.detach().numpy(), rtol=1e-6)
    np.testing.assert_allclose(mine.grad.numpy(), theirs.grad.numpy(), rtol=1e-6)


def test_the_slopes_that_a_docstring_states():
    """Without PyTorch: 0 at relu(0) and abs(0), half each at a tie, equal shares among maxima, 1 on a bound of clip."""

    def slope(f, at):
        x = ddl.tensor(at, requires_grad=True)
        f(x).sum().backward()
        return x.grad.tolist()

    assert slope(ddl.relu, [0.0]) == [0.0]
    assert slope(ddl.abs, [0.0]) == [0.0]
    assert slope(lambda x: ddl.maximum(x, ddl.tensor([1.0])), [1.0]) == [0.5]
    assert slope(lambda x: x.max(), [3.0, 3.0, 1.0]) == [0.5, 0.5, 0.0]
    assert slope(lambda x: x.clip(0.0, 1.0), [0.0, 1.0, 2.0]) == [1.0, 1.0, 0.0]
    assert slope(lambda x: x**0, [0.0]) == [0.0]


def test_numpys_integers_count_as_pythons():
    x, n = ddl.arange(6), np.int64
    assert x.roll(n(1)).tolist() == x.roll((n(1),), [n(0)]).tolist() == [5, 0, 1, 2, 3, 4]
    assert [piece.tolist() for piece in x.split(n(4))] == [[0, 1, 2, 3], [4, 5]]
    assert [len(piece) for piece in x.chunk(n(2))] == [3, 3]
    assert x[:2].repeat_interleave(n(2)).tolist() == [0, 0, 1, 1]
    assert x[:2].repeat_interleave(ddl.tensor([0, 2])).tolist() == [1, 1]
