"""Losses where they go wrong in other kits: shapes, reductions, extremes, corners, empty batches, lists and arrays."""

import itertools
import math
import warnings

import numpy as np
import pytest
from cases.losses import U, rows, signs
from cases.table import D, N, P, Z

import ddl
from ddl.nn import functional as F

PAIRS = {
    "mse_loss": (N, N),
    "l1_loss": (N, N),
    "smooth_l1_loss": (N, N),
    "huber_loss": (N, N),
    "poisson_nll_loss": (N, P),
    "kl_div": (N, P),
    "binary_cross_entropy": (U, U),
    "binary_cross_entropy_with_logits": (N, U),
    "hinge_embedding_loss": (N, signs),
    "hinge_loss": (N, signs),
    "squared_hinge_loss": (N, signs),
    "focal_loss": (N, lambda *shape: Z(2, *shape)),
}
OTHERS = {
    "gaussian_nll_loss": (N(4, 3), N(4, 3), P(4, 3)),
    "cross_entropy": (N(4, 3), Z(3, 4)),
    "nll_loss": (N(4, 3), Z(3, 4)),
    "margin_ranking_loss": (N(4), N(4), signs(4)),
    "cosine_embedding_loss": (N(4, 3), N(4, 3), signs(4)),
    "triplet_margin_loss": (N(4, 3), N(4, 3), N(4, 3)),
}
MAKERS = {name: tuple(make(4, 3) for make in makers) for name, makers in PAIRS.items()} | OTHERS
every_loss = pytest.mark.parametrize("name", MAKERS)
of_pairs = pytest.mark.parametrize("name", PAIRS)


def arrays(name, dtype=np.float64):
    rng = np.random.default_rng(0)
    drawn = [make(rng) for make in MAKERS[name]]
    return [x.astype(dtype) if x.dtype.kind == "f" else x for x in drawn]


def gradient(f, *xs):
    """Of the first input, as an array."""
    x = ddl.tensor(xs[0], requires_grad=True)
    f(x, *xs[1:]).sum().backward()
    return x.grad.numpy()


def test_these_are_all_the_losses():
    found = {n for n in vars(F) if n.endswith("_loss") or n in ("cross_entropy", "kl_div") or n.startswith("binary_")}
    assert {n for n in found if callable(getattr(F, n))} == set(MAKERS)


# ---- one number
@every_loss
def test_a_reduced_loss_is_one_number_over_all_axes(name):
    f, inputs = getattr(F, name), arrays(name)
    each = f(*inputs, reduction="none")
    assert each.shape == ((4, 3) if name in PAIRS or name == "gaussian_nll_loss" else (4,))
    total, mean = f(*inputs, reduction="sum"), f(*inputs)
    assert total.shape == mean.shape == ()
    np.testing.assert_allclose(total.item(), each.numpy().sum(), rtol=1e-12)
    np.testing.assert_allclose(mean.item(), each.numpy().mean(), rtol=1e-12)
    known = "'mean', 'sum', 'none' and 'batchmean'" if name == "kl_div" else "'mean', 'sum' and 'none'"
    with pytest.raises(ValueError, match=f"{name} .*'median' was asked for, but the reductions are {known}"):
        f(*inputs, reduction="median")


@every_loss
def test_the_mean_of_nothing_is_nan_as_in_pytorch_and_its_sum_is_0(name):
    f, inputs = getattr(F, name), [x[:0] for x in arrays(name)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert math.isnan(f(*inputs).item())
        assert f(*inputs, reduction="sum").item() == 0
    assert "NaN, as in PyTorch" in F.reduction.reduced.__doc__


def test_the_mean_of_rows_that_are_all_ignored_is_nan_as_in_pytorch():
    x, i = ddl.randn(2, 3), ddl.tensor([-100, -100])
    for f in (F.cross_entropy, F.nll_loss):
        assert math.isnan(f(x, i).item())
        assert math.isnan(f(x, ddl.tensor([1, 1]), weight=[1.0, 0.0, 1.0]).item())
        assert f(x, i, reduction="sum").item() == 0


# ---- shapes
@of_pairs
@pytest.mark.parametrize("shapes", [((4,), (4, 1)), ((4, 1), (4,)), ((), (1,)), ((2, 3), (3,))])
def test_a_loss_refuses_shapes_that_would_broadcast(name, shapes):
    a, b = shapes
    for target in (ddl.ones(*b), np.ones(b)):
        with pytest.raises(ValueError) as error:
            getattr(F, name)(ddl.ones(*a), target)
        assert f"{name} compares element by element" in str(error.value)
        assert f"input has shape {a} and target has shape {b}" in str(error.value)


def test_a_weight_that_would_broadcast_the_loss_is_refused():
    p = ddl.ones(4)
    for call in (
        lambda w: F.binary_cross_entropy(p, p, weight=w),
        lambda w: F.binary_cross_entropy_with_logits(p, p, weight=w),
        lambda w: F.binary_cross_entropy_with_logits(p, p, pos_weight=w),
    ):
        with pytest.raises(ValueError, match=r"a weight of shape \(4, 1\) cannot weigh losses of shape \(4,\)"):
            call(ddl.ones(4, 1))


@pytest.mark.parametrize(
    ("scores", "classes", "error", "sentence"),
    [
        ((4, 3), [0, 1, 2], ValueError, r"scores \(4, 3\) and classes \(3,\)"),
        ((4, 3), [[0], [1], [2], [0]], ValueError, r"scores \(4, 3\) and classes \(4, 1\)"),
        ((2, 3, 5), [0, 1], ValueError, r"scores \(2, 3, 5\) and classes \(2,\)"),
        ((), [], ValueError, r"scores \(\) and classes \(0,\)"),
        ((2, 3), [0, 3], IndexError, "id 3 was asked for, .* 0 to 2"),
        ((2, 3), [0, -1], IndexError, "id -1 was asked for"),
        ((2, 3), [0.0, 1.0], TypeError, "ids must be integers"),
    ],
)
@pytest.mark.parametrize("f", [F.cross_entropy, F.nll_loss])
def test_classes_that_do_not_fit_are_refused(f, scores, classes, error, sentence):
    for target in (ddl.tensor(classes), classes):
        with pytest.raises(error, match=sentence):
            f(ddl.ones(*scores), target)


def test_other_nonsense_is_refused_in_a_sentence():
    x, p = ddl.ones(2, 3), np.full((2, 3), 1 / 3)
    for call, sentence in (
        (
            lambda: F.cross_entropy(x, [0, 1], weight=[1.0, 2.0]),
            r"of 3 classes takes a weight of shape \(3,\), but \(2,",
        ),
        (lambda: F.cross_entropy(x, [0, 1], label_smoothing=-0.1), "label_smoothing between 0 and 1, but -0.1"),
        (lambda: F.cross_entropy(x, p, ignore_index=0), "ignore_index=0 and the probability of each class"),
        (lambda: F.binary_cross_entropy(x * 3, x), "between 0 and 1, but 3 to 3 were given; for logits"),
        (lambda: F.binary_cross_entropy(x / 2, x * 3), "takes targets between 0 and 1, but 3 to 3 were given$"),
        (lambda: F.gaussian_nll_loss(x, x, -x), "takes variances of 0 or more, but -1 to -1 were given"),
        (lambda: F.triplet_margin_loss(x, x, x, margin=-1), "triplet_margin_loss needs margin above 0, but -1 was"),
        (lambda: F.hinge_loss(x, x * 0), "takes targets -1 and 1, but 0.0 was given"),
        (lambda: F.focal_loss(x, -x), "takes targets 0 and 1, but -1.0 was given"),
        (lambda: F.huber_loss(x, x, delta=0), "huber_loss needs delta above 0, but 0 was given"),
        (lambda: F.smooth_l1_loss(x, x, beta=-1.0), "smooth_l1_loss needs beta of 0 or more, but -1.0"),
        (lambda: F.kl_div(x, x, "batchsum"), "'mean', 'sum', 'none' and 'batchmean'"),
        (lambda: F.mse_loss(x, x, "batchmean"), "'batchmean' was asked for"),
        (lambda: F.mse_loss(x, "word"), "holds numbers or booleans"),
        (lambda: F.mse_loss(x, [[1.0], [1.0, 2.0]]), "rows of equal length"),
        (lambda: F.glu(ddl.ones(2, 3)), r"glu halves an axis of even size, but axis -1 of the shape \(2, 3\)"),
        (lambda: F.swiglu(x, dim=2), r"swiglu .* axis 2 of the shape \(2, 3\)"),
        (lambda: F.normalize(x, p=0), "normalize needs p above 0, but 0 was given"),
        (lambda: F.softplus(x, beta=0), "softplus needs beta above 0, but 0 was given"),
        (lambda: F.hardtanh(x, 2, 1), "hardtanh needs max_val above 2, but 1 was given"),
    ):
        with pytest.raises((ValueError, TypeError), match=sentence) as error:
            call()
        assert "\n" not in str(error.value)


# ---- what may be given
@every_loss
def test_lists_and_arrays_are_taken_and_float32_stays_float32(name):
    f, inputs = getattr(F, name), arrays(name, np.float32)
    expected = f(*map(ddl.tensor, inputs))
    assert expected.dtype == np.float32
    for given in (inputs, [x.tolist() for x in inputs], [ddl.tensor(inputs[0]), *(x.tolist() for x in inputs[1:])]):
        got = f(*given)
        assert isinstance(got, ddl.Tensor)
        assert got.dtype == np.float32
        np.testing.assert_allclose(got.numpy(), expected.numpy(), rtol=1e-6)


@of_pairs
def test_targets_of_integers_and_booleans_keep_float32(name):
    f, values = getattr(F, name), [1, -1] if "hinge" in name else [1, 0]
    x = ddl.tensor([0.3, 0.6])
    expected = f(x, ddl.tensor(values).float())
    for target in (values, ddl.tensor(values), np.array(values, np.int8)):
        got = f(x, target)
        assert (got.dtype, got.item()) == (np.float32, expected.item())
    if values == [1, 0]:
        got = f(x, np.array([True, False]))
        assert (got.dtype, got.item()) == (np.float32, expected.item())


@pytest.mark.parametrize("name", ["cross_entropy", "nll_loss", "binary_cross_entropy"])
def test_float64_weights_leave_a_float32_loss_as_it_is(name):
    assert getattr(F, name)(*arrays(name, np.float32), weight=np.ones(3)).dtype == np.float32
    x, y = arrays("binary_cross_entropy_with_logits", np.float32)
    assert F.binary_cross_entropy_with_logits(x, y, np.ones(3), pos_weight=np.ones(3)).dtype == np.float32


# ---- cross-entropy in all combinations
@pytest.mark.torch
@pytest.mark.parametrize("target", ["classes", "probabilities"])
@pytest.mark.parametrize("shape", [(4, 5), (2, 5, 3), (2, 5, 2, 3), (5,)], ids=str)
def test_cross_entropy_equals_pytorchs_in_all_combinations(shape, target):
    import torch

    rng = np.random.default_rng(0)
    x = rng.standard_normal(shape)
    classes = rng.integers(0, 5, (*shape[:1], *shape[2:]) if len(shape) > 1 else ())
    probabilities = target == "probabilities"
    y = rows(*shape)(rng) if probabilities else classes
    hit = int(classes.reshape(-1)[0])  # a class that is there to be ignored, if others are there too
    ignored = (-100, hit) if classes.ndim and not probabilities else (-100,)
    weights = (None, rng.uniform(0.1, 2, 5))
    seen = 0
    for weight, ignore, smoothing, reduction in itertools.product(
        weights, ignored, (0.0, 0.1, 1.0), ("mean", "sum", "none")
    ):
        options = {"ignore_index": ignore, "reduction": reduction, "label_smoothing": smoothing}
        mine = ddl.tensor(x, requires_grad=True)
        loss = F.cross_entropy(mine, y, weight=weight, **options)
        theirs = torch.tensor(x, requires_grad=True)
        w = None if weight is None else torch.tensor(weight)
        expected = torch.nn.functional.cross_entropy(theirs, torch.tensor(y), weight=w, **options)
        np.testing.assert_allclose(
            loss.numpy(), expected.detach().numpy(), rtol=1e-12, atol=1e-12, err_msg=f"{options}"
        )
        assert loss.shape == tuple(expected.shape)
        loss.sum().backward()
        expected.sum().backward()
        np.testing.assert_allclose(mine.grad.numpy(), theirs.grad.numpy(), rtol=1e-10, atol=1e-10, err_msg=f"{options}")
        seen += 1
    assert seen == 2 * len(ignored) * 3 * 3


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int32, np.int64])
def test_classes_of_any_integer_type_are_taken(dtype):
    x, i = ddl.randn(4, 3), np.array([0, 2, 1, 1], dtype)
    assert F.cross_entropy(x, i).item() == F.cross_entropy(x, i.tolist()).item()
    assert F.nll_loss(x, i, [1.0, 2.0, 3.0]).item() == F.nll_loss(x, i.tolist(), [1.0, 2.0, 3.0]).item()


def test_cross_entropy_divides_by_the_rows_that_count():
    x = ddl.randn(4, 3, requires_grad=True)
    some = F.cross_entropy(x, ddl.tensor([0, -100, 2, -100]))
    np.testing.assert_allclose(some.item(), F.cross_entropy(x[[0, 2]], ddl.tensor([0, 2])).item(), rtol=1e-6)
    some.backward()
    assert (x.grad.numpy()[[1, 3]] == 0).all()


def test_cross_entropy_of_one_hot_probabilities_is_that_of_classes_and_nll_is_its_second_half():
    x, i = ddl.randn(4, 3, dtype=np.float64), [0, 2, 1, 1]
    expected = F.cross_entropy(x, i, reduction="none").numpy()
    np.testing.assert_allclose(F.cross_entropy(x, np.eye(3)[i], reduction="none").numpy(), expected, rtol=1e-12)
    np.testing.assert_allclose(F.nll_loss(F.log_softmax(x, dim=1), i, reduction="none").numpy(), expected, rtol=1e-12)


# ---- extremes
def test_binary_cross_entropy_is_finite_at_logits_of_10000():
    x = [1e4, -1e4, 1e4, -1e4, 0.0]
    y = ddl.tensor([1.0, 0.0, 0.0, 1.0, 1.0])
    loss = F.binary_cross_entropy_with_logits(ddl.tensor(x), y, reduction="none")
    np.testing.assert_allclose(loss.numpy(), [0, 0, 1e4, 1e4, math.log(2)], rtol=1e-6)
    np.testing.assert_allclose(gradient(F.binary_cross_entropy_with_logits, x, y, None, "sum"), [0, 0, 1, -1, -0.5])
    weighted = gradient(lambda x: F.binary_cross_entropy_with_logits(x, y, reduction="sum", pos_weight=[3.0]), x)
    np.testing.assert_allclose(weighted, [0, 0, 1, -3, -1.5])


@pytest.mark.parametrize("gamma", [0, 0.5, 1, 2, 5])
def test_focal_loss_is_finite_at_logits_of_10000(gamma):
    x, y = [1e4, -1e4, 1e4, -1e4, 40.0], [1, 0, 0, 1, 1]
    loss = F.focal_loss(ddl.tensor(x), y, alpha=None, gamma=gamma, reduction="none")
    np.testing.assert_allclose(loss.numpy()[:4], [0, 0, 1e4, 1e4])
    np.testing.assert_allclose(gradient(lambda x: F.focal_loss(x, y, None, gamma, "sum"), x)[:4], [0, 0, 1, -1])
    assert np.isfinite(gradient(lambda x: F.focal_loss(x, y, None, gamma, "sum"), x)).all()


def test_a_sure_mistake_costs_100_and_has_a_finite_slope():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loss = F.binary_cross_entropy(ddl.tensor([0.0, 1.0, 0.0, 1.0]), [1, 0, 0, 1], reduction="none")
        slope = gradient(F.binary_cross_entropy, [0.0, 1.0, 0.0, 1.0], [1, 0, 0, 1], None, "sum")
    assert loss.tolist() == [100, 100, 0, 0]
    np.testing.assert_allclose(slope, [-1e12, 1e12, 0, 0])
    assert math.isnan(F.binary_cross_entropy(ddl.tensor([float("nan")]), [1.0]).item())


def test_from_probabilities_and_from_logits_the_loss_is_the_same():
    x, y = ddl.randn(20, dtype=np.float64), np.random.default_rng(0).random(20)
    np.testing.assert_allclose(
        F.binary_cross_entropy(F.sigmoid(x), y).item(), F.binary_cross_entropy_with_logits(x, y).item(), rtol=1e-12
    )


def test_focal_loss_of_gamma_0_is_binary_cross_entropy():
    x, y = ddl.randn(20, dtype=np.float64), np.random.default_rng(0).integers(0, 2, 20)
    expected = F.binary_cross_entropy_with_logits(x, y).item()
    np.testing.assert_allclose(F.focal_loss(x, y, alpha=None, gamma=0).item(), expected, rtol=1e-12)
    np.testing.assert_allclose(F.focal_loss(x, y, alpha=0.5, gamma=0).item(), expected / 2, rtol=1e-12)


@pytest.mark.parametrize("name", ["elu", "softplus", "logsigmoid", "silu", "gelu", "sigmoid", "log_softmax"])
def test_an_activation_is_finite_and_silent_at_10000(name):
    x = ddl.tensor([-1e4, -30.0, 0.0, 30.0, 1e4], requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        y = getattr(F, name)(x)
        y.sum().backward()
    assert np.isfinite(y.numpy()).all()
    assert np.isfinite(x.grad.numpy()).all()


# ---- corners
ZEROS = np.zeros((2, 3))
CORNERS = {
    "relu": ([-1.0, 0.0, 1.0],),
    "relu6": ([0.0, 6.0, 3.0],),
    "leaky_relu": ([-1.0, 0.0, 1.0],),
    "elu": ([-1.0, 0.0, 1.0],),
    "hardtanh": ([-1.0, 1.0, 0.0],),
    "softplus": ([20.0, 0.0, 20.1],),
    "l1_loss": ([1.0, 2.0], [1.0, 1.0]),
    "smooth_l1_loss": ([1.0, 2.0, 1.0], [1.0, 1.0, 2.0]),
    "huber_loss": ([1.0, 2.0, 1.0], [1.0, 1.0, 2.0]),
    "hinge_embedding_loss": ([1.0, 1.0], [1, -1]),
    "margin_ranking_loss": ([1.0, 1.0], [1.0, 1.0], [1, -1]),
    "triplet_margin_loss": (np.ones((2, 3)), np.ones((2, 3)), np.ones((2, 3))),
    "cosine_embedding_loss": (ZEROS, np.ones((2, 3)), [1, -1]),
    "cosine_similarity": (ZEROS, np.ones((2, 3))),
    "pairwise_distance": (np.ones((2, 3)), np.ones((2, 3))),
    "normalize": (ZEROS,),
    "kl_div": ([0.5, -0.5], [0.0, 1.0]),
    "poisson_nll_loss": ([0.0, 1.0], [0.0, 1.0]),
    "binary_cross_entropy": ([0.0, 1.0, 0.0, 1.0], [0.0, 1.0, 1.0, 0.0]),
}


@pytest.mark.torch
@pytest.mark.parametrize("name", CORNERS)
def test_the_slope_at_a_corner_is_pytorchs(name):
    import torch

    inputs = [np.asarray(x) for x in CORNERS[name]]
    xs = [ddl.tensor(x, requires_grad=x.dtype.kind == "f") for x in inputs]
    ts = [torch.tensor(x, requires_grad=x.dtype.kind == "f") for x in inputs]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mine, theirs = getattr(F, name)(*xs), getattr(torch.nn.functional, name)(*ts)
    np.testing.assert_allclose(mine.numpy(), theirs.detach().numpy(), rtol=1e-12, atol=1e-12)
    mine.sum().backward()
    theirs.sum().backward()
    # of a slope over PyTorch's 1e-12, which is a float32 number in these two, 8 digits are defined
    rtol = 1e-8 if name in ("cosine_embedding_loss", "binary_cross_entropy") else 1e-10
    np.testing.assert_allclose(xs[0].grad.numpy(), ts[0].grad.numpy(), rtol=rtol, atol=1e-10)
    assert np.isfinite(xs[0].grad.numpy()).all()


def test_the_hinges_have_slope_0_at_the_margin():
    x = [1.0, 0.5, 2.0]
    assert gradient(F.hinge_loss, x, [1, 1, 1], 1.0, "sum").tolist() == [0, -1, 0]
    assert gradient(F.squared_hinge_loss, x, [1, 1, 1], 1.0, "sum").tolist() == [0, -1, 0]
    assert "slope at the corner is 0" in F.hinge_loss.__doc__


def test_swiglu_gates_with_its_first_half_and_glu_with_its_second():
    a, b = D(2, 3)(np.random.default_rng(0)), N(2, 3)(np.random.default_rng(1))
    x = np.concatenate([a, b], axis=-1)
    np.testing.assert_allclose(F.swiglu(x).numpy(), a / (1 + np.exp(-a)) * b, rtol=1e-12)
    np.testing.assert_allclose(F.glu(x).numpy(), a / (1 + np.exp(-b)), rtol=1e-12)
    assert "the first half is the gate" in F.swiglu.__doc__
